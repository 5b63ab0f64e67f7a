//! `guided`: smooths by straight lines through the samples around, which follow edges.

#[cfg(feature = "cuda")]
pub(super) mod cuda;
mod line;
mod op;
#[cfg(test)]
mod tests;
#[cfg(feature = "cuda")]
mod tuning;

#[cfg(feature = "cuda")]
use crate::device::cuda::CudaDevice;
#[cfg(feature = "cuda")]
use crate::error::Result;
use crate::filters::planes::PlaneSet;
use crate::filters::window::{self, Windowed};
#[cfg(feature = "cuda")]
use crate::filters::{CudaKernel, window::Plan};
use crate::filters::{Descriptor, Footprint};
use crate::params::{Choice, ParamKind, Params};
use crate::video::StreamInfo;
use line::Numbers;
use op::Guided;

/// Below this, texture of half a code value of 8 bits stays.
const FAINT: f64 = 0.25;

/// FFmpeg's values go from 0 to 1.
const WHITE: f64 = 255.0;

/// The largest radius.
const MOST: usize = 64;

crate::params! {
    /// The parameters of `guided`.
    pub struct GuidedParams {
        /// How far a square window reaches to each side; a result depends on samples twice as far. 0 changes nothing.
        radius: i64 = 4, ParamKind::Int { min: 0, max: MOST as i64 }, unit "samples", aliases ["r"];
        /// The variance that is smoothed by half: the square of a standard deviation in code values of 8 bits. 12 is a
        /// deviation of 3.5; edges, whose variance is much larger, stay.
        eps: f64 = 12.0, ParamKind::Float { min: 0.01, max: 16256.0 }, unit "squared 8-bit code values", aliases [];
        #[doc = crate::filters::planes::planes_doc!()]
        planes: PlaneSet = PlaneSet::Yuv, ParamKind::Choice(<PlaneSet as Choice>::WORDS), unit "", aliases [];
    }
    presets {}
    elsewhere {
        ["guidance"]: "every plane guides itself: leave it out";
        ["sub", "mode"]: "every sample counts, at the same cost: leave it out";
    }
}

/// What `guided` is.
pub static DESCRIPTOR: Descriptor = Descriptor {
    name: "guided",
    aliases: &[],
    summary: "Smooths texture and keeps edges, without halos, at the same cost for every radius: bases of detail boosts",
    definition: include_str!("definition.md"),
    schema: GuidedParams::SCHEMA,
    accepts: |_| true,
    footprint: Footprint::Window("twice `radius` samples in every direction, on every plane"),
    temporal: "",
    changes: &[],
    neutral: &["radius=0"],
    cases: &["radius=1:eps=0.01", "radius=8:eps=12", "radius=3:eps=300:planes=uv", "radius=24:eps=100:planes=y"],
    create: window::create::<GuidedParams>,
};

impl Windowed for GuidedParams {
    type Op = Guided;
    const DESCRIPTOR: &'static Descriptor = &DESCRIPTOR;

    fn planes(&self) -> PlaneSet {
        self.planes
    }

    fn warning(&self) -> Option<String> {
        let eps = self.eps;
        (eps < FAINT && self.radius > 0).then(|| {
            format!(
                "eps={eps} smooths little or nothing; FFmpeg's eps={eps}, of values from 0 to 1, is eps={:.0} here",
                WHITE * WHITE * eps
            )
        })
    }

    fn op(&self, input: &StreamInfo, _: usize) -> Option<Guided> {
        let code = f64::from(input.format.code_step());
        let edge = libm::round(self.eps * code * code).max(1.0) as u32;
        (self.radius > 0)
            .then(|| Guided { radius: self.radius as usize, numbers: Numbers::new(self.radius as u32, edge) })
    }

    #[cfg(feature = "cuda")]
    fn cuda_memory(plan: &Plan<Guided>, _: &CudaDevice) -> usize {
        cuda::memory(plan)
    }

    #[cfg(feature = "cuda")]
    fn cuda(plan: Plan<Guided>, device: &CudaDevice) -> Result<Box<dyn CudaKernel>> {
        Ok(Box::new(cuda::Kernel::new(plan, device)?))
    }
}
