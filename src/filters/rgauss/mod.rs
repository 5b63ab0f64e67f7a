//! `rgauss`: a wide Gaussian blur at constant cost.

#[cfg(feature = "cuda")]
mod cuda;
mod fast;
mod plan;
mod reference;
#[cfg(test)]
mod tests;

use crate::device::cpu::CpuLevel;
#[cfg(feature = "cuda")]
use crate::device::cuda::CudaDevice;
use crate::error::{Error, Result};
#[cfg(feature = "cuda")]
use crate::filters::CudaKernel;
use crate::filters::planes::PlaneSet;
use crate::filters::{CpuKernel, Descriptor, Filter, Footprint, Setup, Spec};
use crate::params::{Call, Choice, ParamKind, Params};
use crate::video::StreamInfo;
use plan::Plan;
#[cfg(feature = "cuda")]
use std::sync::Arc;

/// The smallest sigma: `gauss` takes those below.
const LEAST: f64 = 2.0;

crate::params! {
    /// The parameters of `rgauss`.
    pub struct RgaussParams {
        /// Standard deviation of the Gaussian, in samples of the plane at hand. `gauss` takes those below 2.
        sigma: f64 = 10.0, ParamKind::Float { min: LEAST, max: 512.0 }, unit "samples", aliases ["s"];
        /// How often a box goes over columns, and over rows: more come nearer to a Gaussian, and take longer.
        passes: i64 = 4, ParamKind::Int { min: 3, max: 6 }, unit "", aliases [];
        #[doc = crate::filters::planes::planes_doc!()]
        planes: PlaneSet = PlaneSet::Yuv, ParamKind::Choice(<PlaneSet as Choice>::WORDS), unit "", aliases [];
    }
    presets {}
    elsewhere {
        ["radius", "r"]: "the width follows from 'sigma'; box= takes a radius";
        ["sigmaV"]: "the Gaussian is as high as it is wide here, by 'sigma'";
        ["steps"]: "give 'passes', from 3 to 6";
    }
}

/// What `rgauss` is.
pub static DESCRIPTOR: Descriptor = Descriptor {
    name: "rgauss",
    aliases: &[],
    summary: "Blurs very wide at constant cost: close to a Gaussian of any sigma, in integers",
    definition: include_str!("definition.md"),
    schema: RgaussParams::SCHEMA,
    accepts: |_| true,
    footprint: Footprint::Window("about `√(3·passes)` times `sigma` in each direction, on every plane"),
    temporal: "",
    changes: &[],
    neutral: &[],
    cases: &[
        "sigma=2:passes=6",
        "sigma=20",
        "sigma=200",
        "sigma=7.3:passes=3:planes=yv",
        "sigma=64:passes=5:planes=uv",
    ],
    create,
};

fn create(call: &Call) -> Result<Box<dyn Filter>> {
    let params = RgaussParams::from_call(call).map_err(|error| match below(call) {
        Some(sigma) => Error::bad_argument(format!("{}: gauss=sigma={sigma} takes it", error.message())),
        None => error,
    })?;
    Ok(Box::new(Rgauss { params }))
}

/// The sigma of `call`, where `gauss` would take it.
fn below(call: &Call) -> Option<f64> {
    let is_sigma = |key: &str| ["sigma", "s"].contains(&key);
    let arg = call.args.iter().find(|arg| arg.key.as_deref().is_none_or(is_sigma))?;
    arg.value.parse().ok().filter(|sigma| (0.1..LEAST).contains(sigma))
}

/// `rgauss` with its parameters set.
#[derive(Debug)]
struct Rgauss {
    params: RgaussParams,
}

impl Filter for Rgauss {
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
