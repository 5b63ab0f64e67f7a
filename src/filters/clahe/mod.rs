//! `clahe`: local contrast by the histograms of tiles, limited.

#[cfg(feature = "cuda")]
mod cuda;
mod fast;
mod plan;
mod reference;
mod table;
#[cfg(test)]
mod tests;
mod tuning;

use crate::device::cpu::CpuLevel;
#[cfg(feature = "cuda")]
use crate::device::cuda::CudaDevice;
use crate::error::Result;
#[cfg(feature = "cuda")]
use crate::filters::CudaKernel;
use crate::filters::{CpuKernel, Descriptor, Filter, Footprint, Setup, Spec};
use crate::params::{Call, ParamKind, Params};
use crate::video::StreamInfo;
use plan::Plan;
#[cfg(feature = "cuda")]
use std::sync::Arc;

const TILES: ParamKind = ParamKind::Int { min: 1, max: 32 };

crate::params! {
    /// The parameters of `clahe`.
    pub struct ClaheParams {
        /// How much contrast may grow: in a tile a level counts at most this many times the mean of all, and what is more is
        /// shared among all. 0 changes nothing, 1 is subtle, 4 is strong and lifts grain as well.
        limit: f64 = 2.0, ParamKind::Float { min: 0.0, max: 64.0 }, unit "", aliases ["clip"];
        /// Tiles across the picture.
        tiles: i64 = 8, TILES, unit "", aliases ["tiles_w"];
        /// Tiles down the picture; `auto` is as many as across.
        tiles_h: Option<i64> = None, TILES, unit "", aliases [];
    }
    presets {
        "subtle": "A little more contrast in shadows and haze", [("limit", "1"), ("tiles", "4")];
        "strong": "Shows what is hidden in the dark; lifts grain too", [("limit", "5")];
    }
}

/// What `clahe` is.
pub static DESCRIPTOR: Descriptor = Descriptor {
    name: "clahe",
    aliases: &[],
    summary: "Brings out contrast in every part of the picture: adaptive histogram equalisation with a limit (CLAHE)",
    definition: include_str!("definition.md"),
    schema: ClaheParams::SCHEMA,
    accepts: |_| true,
    footprint: Footprint::Window("the tiles around a sample"),
    temporal: "",
    changes: &[],
    neutral: &["limit=0"],
    cases: &["limit=2", "limit=40:tiles=3:tiles_h=1", "limit=0.7:tiles=32:tiles_h=5"],
    create: |call| Ok(Box::new(Clahe { params: ClaheParams::from_call(call)? })),
};

/// `clahe` with its parameters set.
#[derive(Debug)]
struct Clahe {
    params: ClaheParams,
}

impl Filter for Clahe {
    fn descriptor(&self) -> &'static Descriptor {
        &DESCRIPTOR
    }

    fn call(&self) -> Call {
        self.params.to_call(DESCRIPTOR.name)
    }

    fn spec(&self, inputs: &[StreamInfo]) -> Result<Spec> {
        let plan = Plan::new(&self.params, &inputs[0]);
        Ok(Spec::copying(inputs[0].clone(), |component| !plan.works_on(component)))
    }

    fn reference(&self, setup: &Setup) -> Result<Box<dyn CpuKernel>> {
        Ok(Box::new(reference::Reference::new(Plan::new(&self.params, &setup.input))))
    }

    fn cpu(&self, setup: &Setup, level: CpuLevel) -> Result<Box<dyn CpuKernel>> {
        Ok(Box::new(fast::Fast::new(Plan::new(&self.params, &setup.input), level)?))
    }

    #[cfg(feature = "cuda")]
    fn cuda_memory(&self, setup: &Setup, _: &Arc<CudaDevice>) -> Result<usize> {
        Ok(cuda::memory(&Plan::new(&self.params, &setup.input)))
    }

    #[cfg(feature = "cuda")]
    fn cuda(&self, setup: &Setup, device: &Arc<CudaDevice>) -> Result<Box<dyn CudaKernel>> {
        Ok(Box::new(cuda::Kernel::new(Plan::new(&self.params, &setup.input), device)?))
    }
}
