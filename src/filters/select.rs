//! `select`: some frames of every few.

use crate::device::cpu::CpuLevel;
#[cfg(feature = "cuda")]
use crate::device::cuda::CudaDevice;
use crate::error::{Error, Result};
#[cfg(feature = "cuda")]
use crate::filters::CudaKernel;
use crate::filters::remap::{self, Geometry};
use crate::filters::{Change, CpuKernel, Cycle, Descriptor, Filter, Footprint, Setup, Spec};
use crate::params::{Argument, Call, ParamKind, ParamValue, Params, refuse};
use crate::video::StreamInfo;
#[cfg(feature = "cuda")]
use std::sync::Arc;

/// Places of frames in a cycle, in rising order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CyclePositions(Vec<u32>);

impl CyclePositions {
    const FORM: ParamKind = ParamKind::Text("numbers from 0 on in rising order, as 0+1+2+4");
}

impl ParamValue for CyclePositions {
    fn parse(given: &Argument<'_>) -> Result<CyclePositions> {
        let places: Option<Vec<u32>> = given.text.split('+').map(|place| place.parse().ok()).collect();
        places.filter(|places| places.is_sorted_by(|a, b| a < b)).map(CyclePositions).ok_or_else(|| refuse(given))
    }

    fn print(&self) -> String {
        self.0.iter().map(u32::to_string).collect::<Vec<_>>().join("+")
    }
}

crate::params! {
    /// What `select` needs.
    pub struct SelectParams {
        /// How many frames make a cycle.
        cycle: i64 = 2, ParamKind::Int { min: 1, max: 1000 }, unit "frames", aliases [];
        /// Which of them stay, counted from 0.
        frames: CyclePositions = CyclePositions(vec![0]), CyclePositions::FORM, unit "", aliases [];
    }
    presets {}
}

/// What `select` is.
pub static DESCRIPTOR: Descriptor = Descriptor {
    name: "select",
    aliases: &[],
    summary: "Keeps some frames of every few, always the same ones",
    definition: "\
Frame n of the stream stays where `n mod cycle` is one of `frames`. Cycles are counted from the first frame of the stream, \
wherever a run begins; of the last one those frames stay that there are.

A frame that stays keeps its time and lasts until the next one that stays. The frame rate becomes so much lower.

Accuracy: samples are moved, not computed.

Cost: that of a copy of the frames that stay.",
    schema: SelectParams::SCHEMA,
    accepts: |_| true,
    footprint: Footprint::Point,
    temporal: "",
    changes: &[Change::Rate],
    neutral: &["cycle=1"],
    cases: &["cycle=5:frames=0+1+2+4", "2:1"],
    create: |call| Ok(Box::new(Select::new(SelectParams::from_call(call)?)?)),
};

/// The filter.
#[derive(Debug)]
struct Select(SelectParams);

impl Select {
    fn new(params: SelectParams) -> Result<Select> {
        let last = params.frames.0.last().copied().unwrap_or(0);
        if i64::from(last) < params.cycle {
            return Ok(Select(params));
        }
        let (cycle, most) = (params.cycle, params.cycle - 1);
        Err(Error::bad_argument(format!(
            "select: frames={} goes beyond {most}, the last of cycle={cycle}",
            params.get("frames")
        )))
    }
}

impl Filter for Select {
    fn descriptor(&self) -> &'static Descriptor {
        &DESCRIPTOR
    }

    fn call(&self) -> Call {
        self.0.to_call(DESCRIPTOR.name)
    }

    fn spec(&self, inputs: &[StreamInfo]) -> Result<Spec> {
        let cycle = Cycle::new(self.0.cycle as u32, self.0.frames.0.clone());
        Ok(Spec { cycle, ..Spec::copying(inputs[0].clone(), |_| true) })
    }

    fn reference(&self, setup: &Setup) -> Result<Box<dyn CpuKernel>> {
        Ok(remap::reference(Geometry::whole(&setup.input).maps(&setup.input)))
    }

    fn cpu(&self, setup: &Setup, level: CpuLevel) -> Result<Box<dyn CpuKernel>> {
        remap::cpu(Geometry::whole(&setup.input).maps(&setup.input), level)
    }

    #[cfg(feature = "cuda")]
    fn cuda(&self, setup: &Setup, device: &Arc<CudaDevice>) -> Result<Box<dyn CudaKernel>> {
        remap::cuda(Geometry::whole(&setup.input).maps(&setup.input), device)
    }
}
