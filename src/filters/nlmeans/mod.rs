//! `nlmeans`: a mean of samples whose surroundings are alike.

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
use crate::filters::{CpuKernel, Descriptor, Filter, Footprint, Reach, Setup, Spec};
use crate::params::{Call, Choice, ParamKind, Params};
use crate::video::{Format, StreamInfo};
use plan::Plan;
#[cfg(feature = "cuda")]
use std::sync::Arc;

crate::params! {
    /// The parameters of `nlmeans`.
    pub struct NlmeansParams {
        /// How strongly noise is removed: about the deviation of what is taken for noise. 0 changes nothing, and less than 0.01
        /// counts as that.
        h: f64 = 1.2, ParamKind::Float { min: 0.0, max: 64.0 }, unit "8-bit code values", aliases ["strength"], label "Strength";
        /// How many frames before and after are searched.
        d: i64 = 1, ParamKind::Int { min: 0, max: 4 }, unit "frames", aliases [], label "Frames";
        /// How far samples are searched to each side.
        a: i64 = 2, ParamKind::Int { min: 1, max: 16 }, unit "samples", aliases ["search"], label "Search radius";
        /// How far the surroundings reach that are compared: 4 is 9×9 samples.
        s: i64 = 4, ParamKind::Int { min: 0, max: 7 }, unit "samples", aliases ["patch"], label "Patch radius";
        /// How weights fall with the difference x: 0 is exp(−x), 1 is 1 − x and none beyond 1, 2 is the square of that, 3 its eighth
        /// power.
        wmode: i64 = 0, ParamKind::Int { min: 0, max: 3 }, unit "", aliases [], label "Weights";
        /// The weight of the sample itself, in parts of the largest of the others.
        wref: f64 = 1.0, ParamKind::Float { min: 0.0, max: 8.0 }, unit "", aliases [], label "Own weight";
        #[doc = crate::filters::planes::planes_doc!()]
        planes: PlaneSet = PlaneSet::Yuv, ParamKind::Choice(<PlaneSet as Choice>::WORDS), unit "", aliases [];
    }
    presets {}
    elsewhere {
        ["channels"]: "planes= says what is filtered: planes=y, planes=uv or planes=yuv";
        ["p", "pc"]: "FFmpeg's p is a side: 's' is the radius of what is compared, as s=3 for its 7";
        ["r", "rc"]: "FFmpeg's r is a side: 'a' is the radius that is searched, as a=7 for its 15";
        ["rclip"]: "samples are compared with the filtered picture's own";
    }
}

/// What `nlmeans` is.
pub static DESCRIPTOR: Descriptor = Descriptor {
    name: "nlmeans",
    aliases: &[],
    summary: "Removes noise and keeps texture: a mean of the samples nearby, and in frames nearby, whose surroundings are alike",
    definition: include_str!("definition.md"),
    schema: NlmeansParams::SCHEMA,
    accepts: |format| !format.is_yc48(),
    footprint: Footprint::Window("`a + s` samples in every direction, on every plane"),
    temporal: "`d` frames before and after",
    changes: &[],
    neutral: &["h=0", "h=0:d=0"],
    cases: &["h=2:d=0:a=1:s=1", "h=1.2:a=1", "h=6:d=0:a=2:s=0:wmode=1:wref=0.5", "h=20:d=2:a=1:s=3:wmode=3:planes=uv"],
    create: |call| Ok(Box::new(Nlmeans { params: NlmeansParams::from_call(call)? })),
};

impl NlmeansParams {
    /// Whether a component changes.
    fn filters(&self, format: Format, component: usize) -> bool {
        self.h > 0.0 && self.planes.has(format, component)
    }
}

/// The filter with its parameters set.
#[derive(Debug)]
struct Nlmeans {
    params: NlmeansParams,
}

impl Filter for Nlmeans {
    fn descriptor(&self) -> &'static Descriptor {
        &DESCRIPTOR
    }

    fn call(&self) -> Call {
        self.params.to_call(DESCRIPTOR.name)
    }

    fn warning(&self) -> Option<String> {
        let default = NlmeansParams::default();
        (self.params.s != default.s && self.params.h == default.h)
            .then(|| "s= is the radius of what is compared; the strength, which FFmpeg calls s, is h= here".to_owned())
    }

    fn spec(&self, inputs: &[StreamInfo]) -> Result<Spec> {
        let input = &inputs[0];
        let spec = Spec::copying(input.clone(), |component| !self.params.filters(input.format, component));
        Ok(spec.reading(Reach { before: self.params.d as u32, after: self.params.d as u32 }))
    }

    fn reference(&self, setup: &Setup) -> Result<Box<dyn CpuKernel>> {
        Ok(Box::new(reference::Reference::new(Plan::new(&self.params, setup))))
    }

    fn cpu(&self, setup: &Setup, level: CpuLevel) -> Result<Box<dyn CpuKernel>> {
        Ok(Box::new(fast::Fast::new(Plan::new(&self.params, setup), level)?))
    }

    #[cfg(feature = "cuda")]
    fn cuda_memory(&self, _: &Setup, _: &Arc<CudaDevice>) -> Result<usize> {
        Ok(weights::ENTRIES * size_of::<f32>())
    }

    #[cfg(feature = "cuda")]
    fn cuda(&self, setup: &Setup, device: &Arc<CudaDevice>) -> Result<Box<dyn CudaKernel>> {
        Ok(Box::new(cuda::Kernel::new(Plan::new(&self.params, setup), device)?))
    }
}
