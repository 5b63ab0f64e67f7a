//! `gauss`: a Gaussian blur.

#[cfg(feature = "cuda")]
mod cuda;
mod fast;
mod plan;
mod reference;
#[cfg(test)]
mod tests;
mod tuning;
mod weights;

use crate::device::cpu::CpuLevel;
#[cfg(feature = "cuda")]
use crate::device::cuda::CudaDevice;
use crate::error::Result;
#[cfg(feature = "cuda")]
use crate::filters::CudaKernel;
use crate::filters::planes::PlaneSet;
use crate::filters::{Alias, CpuKernel, Descriptor, Filter, Footprint, Setup, Spec};
use crate::params::{Call, Choice, ParamKind, Params};
use crate::video::StreamInfo;
use plan::Plan;
#[cfg(feature = "cuda")]
use std::sync::Arc;

crate::params! {
    /// The parameters of `gauss`.
    pub struct GaussParams {
        /// Standard deviation of the Gaussian, in samples of the plane at hand.
        sigma: f64 = 0.5, ParamKind::Float { min: 0.1, max: 64.0 }, unit "samples", aliases ["s"];
        /// Where the Gaussian is cut off; `auto` is three sigmas, rounded up.
        radius: Option<i64> = None, ParamKind::Int { min: 0, max: 192 }, unit "samples", aliases ["r"];
        #[doc = crate::filters::planes::planes_doc!()]
        planes: PlaneSet = PlaneSet::Yuv, ParamKind::Choice(<PlaneSet as Choice>::WORDS), unit "", aliases [];
    }
    presets {}
    elsewhere {
        ["sigmaV"]: "the Gaussian is as high as it is wide here, by 'sigma'";
        ["steps"]: "FFmpeg comes nearer to the Gaussian by steps, and it is exact here: leave them out";
    }
}

/// What `gauss` is.
pub static DESCRIPTOR: Descriptor = Descriptor {
    name: "gauss",
    aliases: &[Alias::foreign("FFmpeg", "gblur", "gauss=sigma=2:radius=6")],
    summary: "Blurs with a Gaussian of any width, in integers that keep flat areas flat",
    definition: include_str!("definition.md"),
    schema: GaussParams::SCHEMA,
    accepts: |_| true,
    footprint: Footprint::Window("`radius` samples in each direction, on every plane"),
    temporal: "",
    changes: &[],
    neutral: &["sigma=0.1", "sigma=9:radius=0"],
    cases: &[
        "sigma=1",
        "sigma=2.5",
        "sigma=3",
        "sigma=64",
        "sigma=0.5:planes=yu",
        "sigma=5:radius=4",
        "sigma=6:radius=16",
        "sigma=7:planes=v",
    ],
    create: |call| Ok(Box::new(Gauss { params: GaussParams::from_call(call)? })),
};

/// `gauss` with its parameters set.
#[derive(Debug)]
struct Gauss {
    params: GaussParams,
}

impl Filter for Gauss {
    fn descriptor(&self) -> &'static Descriptor {
        &DESCRIPTOR
    }

    fn call(&self) -> Call {
        self.params.to_call(DESCRIPTOR.name)
    }

    fn spec(&self, inputs: &[StreamInfo]) -> Result<Spec> {
        let plan = Plan::new(&self.params, &inputs[0]);
        Ok(Spec::copying(inputs[0].clone(), |component| !plan.blurs(component)))
    }

    fn reference(&self, setup: &Setup) -> Result<Box<dyn CpuKernel>> {
        Ok(Box::new(reference::Reference::new(Plan::new(&self.params, &setup.input))))
    }

    fn cpu(&self, setup: &Setup, level: CpuLevel) -> Result<Box<dyn CpuKernel>> {
        Ok(Box::new(fast::Fast::new(Plan::new(&self.params, &setup.input), setup, level)?))
    }

    #[cfg(feature = "cuda")]
    fn cuda_memory(&self, setup: &Setup, device: &Arc<CudaDevice>) -> Result<usize> {
        Ok(cuda::Kernel::memory(&Plan::new(&self.params, &setup.input), setup, device))
    }

    #[cfg(feature = "cuda")]
    fn cuda(&self, setup: &Setup, device: &Arc<CudaDevice>) -> Result<Box<dyn CudaKernel>> {
        Ok(Box::new(cuda::Kernel::new(Plan::new(&self.params, &setup.input), setup, device)?))
    }
}
