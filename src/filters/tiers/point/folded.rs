//! A run of point filters as one.

use super::{MOST_STEPS, Points, cpu, reference};
use crate::device::cpu::CpuLevel;
#[cfg(feature = "cuda")]
use crate::device::cuda::CudaDevice;
use crate::error::{Error, Result};
#[cfg(feature = "cuda")]
use crate::filters::CudaKernel;
use crate::filters::{Change, CpuKernel, Descriptor, Filter, Footprint, Setup, Spec};
use crate::params::{Call, Schema};
use crate::video::StreamInfo;
#[cfg(feature = "cuda")]
use std::sync::Arc;

/// What a folded run is. No chain can ask for it: plans make it of what chains ask for.
static FOLDED: Descriptor = Descriptor {
    name: "folded",
    aliases: &[],
    summary: "Point filters that follow one another, in one kernel",
    definition: "What its filters compute, one after another.",
    schema: &Schema { params: &[], presets: &[], elsewhere: &[] },
    accepts: |format| !format.is_yc48(),
    footprint: Footprint::Point,
    temporal: "",
    changes: &[Change::BitDepth, Change::Range],
    neutral: &[],
    cases: &[],
    create: |_| Err(Error::internal("a folded run is made of filters")),
};

/// Point filters that follow one another.
#[derive(Debug)]
pub struct Folded {
    calls: Vec<Call>,
    points: Points,
    output: StreamInfo,
}

impl Folded {
    /// The filter that does what `first`, which gets `input`, and then `second` does, if there is one: both are point
    /// filters, and together have no more steps than a kernel.
    pub fn of(
        first: &dyn Filter,
        input: &StreamInfo,
        second: &dyn Filter,
        middle: &StreamInfo,
    ) -> Result<Option<Folded>> {
        let (Some(before), Some(after)) = (first.points(input), second.points(middle)) else { return Ok(None) };
        let points = before.then(after);
        if points.steps().len() > MOST_STEPS {
            return Ok(None);
        }
        let output = second.spec(std::slice::from_ref(middle))?.output;
        Ok(Some(Folded { calls: [first.calls(), second.calls()].concat(), points, output }))
    }
}

impl Filter for Folded {
    fn descriptor(&self) -> &'static Descriptor {
        &FOLDED
    }

    fn call(&self) -> Call {
        Call { name: FOLDED.name.to_owned(), args: Vec::new() }
    }

    fn calls(&self) -> Vec<Call> {
        self.calls.clone()
    }

    fn spec(&self, _: &[StreamInfo]) -> Result<Spec> {
        Ok(Spec::copying(self.output.clone(), |component| !self.points.touches(component)))
    }

    fn points(&self, _: &StreamInfo) -> Option<Points> {
        Some(self.points.clone())
    }

    fn reference(&self, setup: &Setup) -> Result<Box<dyn CpuKernel>> {
        reference(self.points.clone(), setup)
    }

    fn cpu(&self, setup: &Setup, level: CpuLevel) -> Result<Box<dyn CpuKernel>> {
        cpu(&self.points, setup, level)
    }

    #[cfg(feature = "cuda")]
    fn cuda_memory(&self, setup: &Setup, _: &Arc<CudaDevice>) -> Result<usize> {
        Ok(super::cuda::Kernel::memory(&self.points, setup))
    }

    #[cfg(feature = "cuda")]
    fn cuda(&self, setup: &Setup, device: &Arc<CudaDevice>) -> Result<Box<dyn CudaKernel>> {
        Ok(Box::new(super::cuda::Kernel::new(&self.points, setup, device)?))
    }
}
