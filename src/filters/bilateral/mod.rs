//! `bilateral`: a blur that stops at edges.

#[cfg(feature = "cuda")]
mod cuda;
mod fast;
mod pairs;
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
use crate::filters::{CpuKernel, Descriptor, Filter, Footprint, Setup, Spec};
use crate::params::{Call, Choice, ParamKind, Params};
use crate::video::StreamInfo;
use plan::Plan;
#[cfg(feature = "cuda")]
use std::sync::Arc;

crate::choices! {
    /// Whose differences steer a plane.
    pub enum Guide {
        /// The plane's own.
        Own = "own",
        /// Luma's.
        Luma = "luma",
    }
}

/// How wide the weight of distances may be.
const SIGMA_S: ParamKind = ParamKind::Float { min: 0.1, max: 512.0 };

/// How wide the weight of differences may be.
const SIGMA_R: ParamKind = ParamKind::Float { min: 0.1, max: 512.0 };

/// Below this, samples that differ by one 8-bit code value hardly weigh each other.
const FAINT: f64 = 0.5;

/// How far a window reaches, at most.
const MOST: usize = 30;

const RADIUS: ParamKind = ParamKind::Int { min: 0, max: MOST as i64 };

crate::params! {
    /// The parameters of `bilateral`.
    pub struct BilateralParams {
        /// Standard deviation of the weight of distances.
        sigma_s: f64 = 3.0, SIGMA_S, unit "samples", aliases ["sigma_spatial", "sigmaS"], label "Sigma of distance";
        /// Standard deviation of the weight of differences: steps much larger than this are kept.
        sigma_r: f64 = 4.0, SIGMA_R, unit "8-bit code values", aliases ["sigma_color"], label "Sigma of difference";
        /// How far the square window reaches to each side; `auto` is three `sigma_s`, rounded, from 1 to 30.
        radius: Option<i64> = None, RADIUS, unit "samples", aliases ["r"];
        /// `sigma_s` of chroma, in its own samples; `auto` is as wide in the picture as luma's.
        sigma_s_c: Option<f64> = None, SIGMA_S, unit "samples", aliases [], label "Sigma of distance, chroma";
        /// `sigma_r` of chroma; `auto` is luma's.
        sigma_r_c: Option<f64> = None, SIGMA_R, unit "8-bit code values", aliases [], label "Sigma of difference, chroma";
        /// `radius` of chroma, in its own samples; `auto` is `radius` over the subsampling where that is given, else
        /// three of chroma's sigmas.
        radius_c: Option<i64> = None, RADIUS, unit "samples", aliases [], label "Radius, chroma";
        /// Whose differences weigh chroma: its `own`, or those of `luma`, whose edges chroma then keeps.
        guide: Guide = Guide::Own, ParamKind::Choice(<Guide as Choice>::WORDS), unit "", aliases ["ref"], label "Guide of chroma";
        #[doc = crate::filters::planes::planes_doc!()]
        planes: PlaneSet = PlaneSet::Yuv, ParamKind::Choice(<PlaneSet as Choice>::WORDS), unit "", aliases [];
    }
    presets {
        "light": "Takes off faint noise", [("sigma_s", "1.5"), ("sigma_r", "2")];
        "strong": "Smooths all but edges", [("sigma_s", "5"), ("sigma_r", "10")];
    }
    elsewhere {
        ["sigmaR"]: "FFmpeg's counts from 0 to 1, where 0.1 is sigma_r=25.5 here";
    }
}

/// What `bilateral` is.
pub static DESCRIPTOR: Descriptor = Descriptor {
    name: "bilateral",
    aliases: &[],
    summary: "Blurs what differs little and keeps edges, by weights of distance and difference",
    definition: include_str!("definition.md"),
    schema: BilateralParams::SCHEMA,
    accepts: |_| true,
    footprint: Footprint::Window("`radius` samples in each direction on luma, `radius_c` on chroma"),
    temporal: "",
    changes: &[],
    neutral: &["radius=0", "sigma_s=9:radius_c=0:radius=0:ref=luma"],
    cases: &[
        "radius=3",
        "radius=9:planes=y",
        "radius=15:planes=y",
        "sigma_s=2:sigma_r=20:radius=4:ref=luma",
        "sigma_s=0.7:sigma_r=0.5:planes=yv",
        "sigma_s=2.7:sigma_r=512:planes=u:ref=luma",
        "sigma_r_c=60:radius_c=2:planes=uv",
    ],
    create: |call| Ok(Box::new(Bilateral { params: BilateralParams::from_call(call)? })),
};

/// `bilateral` with its parameters set.
#[derive(Debug)]
struct Bilateral {
    params: BilateralParams,
}

impl Filter for Bilateral {
    fn descriptor(&self) -> &'static Descriptor {
        &DESCRIPTOR
    }

    fn call(&self) -> Call {
        self.params.to_call(DESCRIPTOR.name)
    }

    fn spec(&self, inputs: &[StreamInfo]) -> Result<Spec> {
        let plan = Plan::new(&self.params, &inputs[0]);
        Ok(Spec::copying(inputs[0].clone(), |component| !plan.filters(component)))
    }

    fn warning(&self) -> Option<String> {
        let given = [("sigma_r", Some(self.params.sigma_r)), ("sigma_r_c", self.params.sigma_r_c)];
        let (name, sigma) = given.into_iter().find_map(|(name, sigma)| Some((name, sigma.filter(|s| *s < FAINT)?)))?;
        Some(format!(
            "{name}={sigma} keeps differences of one 8-bit code value, and so changes little or nothing; FFmpeg's \
             sigmaR={sigma}, which is a part of white, is {name}={:.1} here",
            255.0 * sigma
        ))
    }

    fn reference(&self, setup: &Setup) -> Result<Box<dyn CpuKernel>> {
        Ok(Box::new(reference::Reference::new(Plan::new(&self.params, &setup.input))))
    }

    fn cpu(&self, setup: &Setup, level: CpuLevel) -> Result<Box<dyn CpuKernel>> {
        Ok(Box::new(fast::Fast::new(Plan::new(&self.params, &setup.input), setup, level)?))
    }

    #[cfg(feature = "cuda")]
    fn cuda(&self, setup: &Setup, device: &Arc<CudaDevice>) -> Result<Box<dyn CudaKernel>> {
        Ok(Box::new(cuda::Kernel::new(Plan::new(&self.params, &setup.input), setup, device)?))
    }
}
