//! `shift`: components moved by parts of a sample.

use super::kernel::{ResamplingKernel, Shape};
use super::taps::FINE;
use super::{Resample, Resampled, Sampling, antiring_doc, kernel_doc};
use crate::error::Result;
use crate::filters::planes::PlaneSet;
use crate::filters::{Descriptor, Footprint};
use crate::params::{Choice, ParamKind, Params};
use crate::video::StreamInfo;

crate::params! {
    /// The parameters of `shift`.
    pub struct ShiftParams {
        /// How far to the right. Fractions count, to 1/65536, and negative values go left.
        x: f64 = 0.0, ParamKind::Float { min: -256.0, max: 256.0 }, unit "luma samples", aliases [];
        /// How far down.
        y: f64 = 0.0, ParamKind::Float { min: -256.0, max: 256.0 }, unit "luma rows", aliases [];
        /// Planes to move; the rest are copied. Planes that the format lacks are ignored, but at least one must exist. On RGB, `yuv` and `y` mean all three.
        planes: PlaneSet = PlaneSet::Yuv, ParamKind::Choice(<PlaneSet as Choice>::WORDS), unit "", aliases [];
        #[doc = kernel_doc!()]
        kernel: Shape = Shape::Bicubic, ParamKind::Choice(<Shape as Choice>::WORDS), unit "", aliases [];
        #[doc = antiring_doc!()]
        antiring: f64 = 0.0, ParamKind::Float { min: 0.0, max: 1.0 }, unit "", aliases [];
    }
    presets {}
    elsewhere {
        ["cbh", "cbv", "crh", "crv"]: "write x= and y= with planes=u or planes=v";
        ["edge"]: "samples beside the picture are those at its border";
    }
}

/// What `shift` is.
pub static DESCRIPTOR: Descriptor = Descriptor {
    name: "shift",
    aliases: &[],
    summary: "Moves chroma, or the whole picture, by parts of a sample",
    definition: include_str!("shift.md"),
    schema: ShiftParams::SCHEMA,
    accepts: |_| true,
    footprint: Footprint::Window("the kernel's radius around the place that is shown"),
    temporal: "",
    changes: &[],
    neutral: &["", "x=0:y=0:kernel=mitchell"],
    cases: &["x=0.5:planes=yu", "0.25:-0.75", "y=3", "x=-1.3:planes=yv:kernel=spline36:antiring=0.5"],
    create: Resampled::<ShiftParams>::create,
};

impl Resample for ShiftParams {
    const DESCRIPTOR: &'static Descriptor = &DESCRIPTOR;

    fn sampling(&self, input: &StreamInfo) -> Result<Sampling> {
        let kernel = ResamplingKernel { shape: self.kernel, b: 0.0, c: 0.5, taps: 3 };
        let mut sampling = Sampling::of(input, kernel);
        sampling.antiring = self.antiring;
        let fine = |by: f64| (-by * FINE as f64).round() as i64;
        for component in 0..input.format.components() {
            if self.planes.has(input.format, component) {
                sampling.start[component] = [fine(self.x), fine(self.y)];
            }
        }
        Ok(sampling)
    }
}
