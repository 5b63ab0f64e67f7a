//! `domain`: smoothing that stops at edges, at constant cost.

#[cfg(feature = "cuda")]
mod cuda;
mod fast;
mod plan;
mod reference;
#[cfg(test)]
mod tests;
#[cfg(feature = "cuda")]
mod tuning;

use crate::device::cpu::CpuLevel;
#[cfg(feature = "cuda")]
use crate::device::cuda::CudaDevice;
use crate::error::Result;
#[cfg(feature = "cuda")]
use crate::filters::CudaKernel;
use crate::filters::bilateral::Guide;
use crate::filters::planes::PlaneSet;
use crate::filters::{CpuKernel, Descriptor, Filter, Footprint, Setup, Spec};
use crate::params::{Call, Choice, ParamKind, Params};
use crate::video::StreamInfo;
use plan::Plan;
#[cfg(feature = "cuda")]
use std::sync::Arc;

crate::params! {
    /// The parameters of `domain`.
    pub struct DomainParams {
        /// How wide flat areas are smoothed: the standard deviation of distances, in samples of the plane at hand.
        sigma_s: f64 = 60.0, ParamKind::Float { min: 1.0, max: 1000.0 }, unit "samples", aliases ["sigma_spatial"], label "Sigma of distance";
        /// Steps much larger than this are kept.
        sigma_r: f64 = 25.0, ParamKind::Float { min: 0.5, max: 255.0 }, unit "8-bit code values", aliases ["sigma_color"], label "Sigma of difference";
        /// How often it goes over rows and columns: more leave fewer streaks.
        passes: i64 = 3, ParamKind::Int { min: 1, max: 5 }, unit "", aliases [];
        /// Whose differences steer chroma: its `own`, or those of `luma`, whose edges chroma then keeps.
        guide: Guide = Guide::Own, ParamKind::Choice(<Guide as Choice>::WORDS), unit "", aliases ["ref"], label "Guide of chroma";
        #[doc = crate::filters::planes::planes_doc!()]
        planes: PlaneSet = PlaneSet::Yuv, ParamKind::Choice(<PlaneSet as Choice>::WORDS), unit "", aliases [];
    }
    presets {}
    elsewhere {
        ["sigmaS"]: "give 'sigma_s'";
        ["sigmaR"]: "'sigmaR' of FFmpeg's bilateral counts from 0 to 1, where 0.1 is sigma_r=25.5 here";
    }
}

/// What `domain` is.
pub static DESCRIPTOR: Descriptor = Descriptor {
    name: "domain",
    aliases: &[],
    summary: "Smooths as wide as you like and stops at edges, at constant cost",
    definition: include_str!("definition.md"),
    schema: DomainParams::SCHEMA,
    accepts: |_| true,
    footprint: Footprint::Window("the rows and columns of the whole picture"),
    temporal: "",
    changes: &[],
    neutral: &[],
    cases: &[
        "",
        "sigma_s=8:sigma_r=4:passes=1",
        "sigma_s=300:sigma_r=60:passes=2:guide=luma",
        "sigma_s=20:sigma_r=2:passes=4:planes=u:guide=luma",
        "sigma_s=1000:sigma_r=0.5:passes=5:planes=yv",
    ],
    create: |call| Ok(Box::new(Domain { params: DomainParams::from_call(call)? })),
};

/// `domain` with its parameters set.
#[derive(Debug)]
struct Domain {
    params: DomainParams,
}

impl Filter for Domain {
    fn descriptor(&self) -> &'static Descriptor {
        &DESCRIPTOR
    }

    fn call(&self) -> Call {
        self.params.to_call(DESCRIPTOR.name)
    }

    fn spec(&self, inputs: &[StreamInfo]) -> Result<Spec> {
        let stream = &inputs[0];
        Ok(Spec::copying(stream.clone(), |component| !self.params.planes.has(stream.format, component)))
    }

    fn reference(&self, setup: &Setup) -> Result<Box<dyn CpuKernel>> {
        Ok(Box::new(reference::Reference::new(Plan::new(&self.params, &setup.input))))
    }

    fn cpu(&self, setup: &Setup, level: CpuLevel) -> Result<Box<dyn CpuKernel>> {
        Ok(Box::new(fast::Fast::new(Plan::new(&self.params, &setup.input), setup, level)?))
    }

    #[cfg(feature = "cuda")]
    fn cuda_batch(&self, setup: &Setup) -> usize {
        tuning::ENOUGH_LINES.div_ceil(setup.input.height).min(tuning::MOST_FRAMES)
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
