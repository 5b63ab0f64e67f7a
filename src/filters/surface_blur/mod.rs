//! `surface_blur`: a mean of what differs little, which leaves edges.

#[cfg(feature = "cuda")]
pub(super) mod cuda;
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
use op::SurfaceBlur;

crate::params! {
    /// The parameters of `surface_blur`.
    pub struct SurfaceBlurParams {
        /// How far the square window reaches to each side: 1 is 3×3 samples, and 0 changes nothing.
        radius: i64 = 4, ParamKind::Int { min: 0, max: 64 }, unit "samples", aliases ["r"];
        /// Smooths differences of about this; samples that differ by 2.5 times as much do not count.
        threshold: f64 = 5.0, ParamKind::Float { min: 0.1, max: 255.0 }, unit "8-bit code values", aliases ["t"];
        #[doc = crate::filters::planes::planes_doc!()]
        planes: PlaneSet = PlaneSet::Yuv, ParamKind::Choice(<PlaneSet as Choice>::WORDS), unit "", aliases [];
    }
    presets {
        "grain": "Smooths grain between edges", [("radius", "3"), ("threshold", "3")];
        "flat": "Paints surfaces, as cel shading has them", [("radius", "8"), ("threshold", "10")];
    }
}

/// What `surface_blur` is.
pub static DESCRIPTOR: Descriptor = Descriptor {
    name: "surface_blur",
    aliases: &[],
    summary: "Smooths surfaces and keeps edges: a mean of the samples around that differ little",
    definition: include_str!("definition.md"),
    schema: SurfaceBlurParams::SCHEMA,
    accepts: |_| true,
    footprint: Footprint::Window("`radius` samples in every direction, on every plane"),
    temporal: "",
    changes: &[],
    neutral: &["radius=0"],
    cases: &[
        "radius=1:threshold=30",
        "radius=4",
        "radius=7:threshold=2.3:planes=uv",
        "radius=20:threshold=255:planes=y",
    ],
    create: window::create::<SurfaceBlurParams>,
};

impl Windowed for SurfaceBlurParams {
    type Op = SurfaceBlur;
    const DESCRIPTOR: &'static Descriptor = &DESCRIPTOR;

    fn planes(&self) -> PlaneSet {
        self.planes
    }

    fn op(&self, input: &StreamInfo, _: usize) -> Option<SurfaceBlur> {
        let code = f64::from(input.format.code_step());
        let threshold = libm::round(self.threshold * code).max(1.0) as u32;
        (self.radius > 0).then(|| SurfaceBlur::new(self.radius as usize, threshold))
    }

    #[cfg(feature = "cuda")]
    fn cuda_memory(_: &Plan<SurfaceBlur>, _: &CudaDevice) -> usize {
        0
    }

    #[cfg(feature = "cuda")]
    fn cuda(plan: Plan<SurfaceBlur>, device: &CudaDevice) -> Result<Box<dyn CudaKernel>> {
        cuda::kernel(&plan, device)
    }
}
