//! `banding`: how much banding is seen, after the published definition of CAMBI.

mod contrast;
#[cfg(feature = "cuda")]
mod cuda;
mod fast;
mod light;
mod plan;
mod pool;
mod reference;
mod scales;
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
use crate::params::{Call, Choice, ParamKind, Params};
use crate::video::{Model, PlaneMut, StreamInfo};
use light::Eotf;
use plan::Plan;
#[cfg(feature = "cuda")]
use std::sync::Arc;

/// The name of the index in a record.
pub const INDEX: &str = "cambi";

/// The middle of the scale, where chroma has no colour.
const GREY: u16 = 0x8000;

crate::params! {
    /// Parameters of `banding`. Names and defaults are libvmaf's.
    pub struct BandingParams {
        /// The side of the window of frames of 3840x2160, about one degree of sight; smaller frames have smaller windows.
        window_size: i64 = 65, ParamKind::Int { min: 15, max: 127 }, unit "samples", aliases ["ws"];
        /// The share of samples, those of the highest contrast, that counts.
        topk: f64 = 0.6, ParamKind::Float { min: 0.0001, max: 1.0 }, unit "", aliases ["cambi_topk", "ctpk"];
        /// How much more light a step must add, as a share of what is there, to be seen.
        tvi_threshold: f64 = 0.019, ParamKind::Float { min: 0.0001, max: 1.0 }, unit "", aliases ["tvit"];
        /// Steps of up to two to the power of this, in codes of ten bits, are banding.
        max_log_contrast: i64 = 2, ParamKind::Int { min: 0, max: 5 }, unit "", aliases ["mlc"];
        /// Less light than this hides banding. 0.06 is what newer models of VMAF use.
        vis_lum_threshold: f64 = 0.0, ParamKind::Float { min: 0.0, max: 300.0 }, unit "cd/m²",
            aliases ["cambi_vis_lum_threshold", "vlt"];
        /// How codes become light: `bt1886` or, for HDR, `pq`.
        eotf: Eotf = Eotf::Bt1886, ParamKind::Choice(<Eotf as Choice>::WORDS), unit "", aliases ["cambi_eotf", "ceot"];
        /// The depth that the picture was encoded in. Below 10, neighbours are averaged first, which takes out dither. `auto`
        /// is the stream's own depth.
        enc_bitdepth: Option<i64> = None, ParamKind::Int { min: 6, max: 16 }, unit "bits", aliases ["encbd"];
        /// The picture becomes a map of the banding: the lighter, the more of it, and black where there is none.
        map: bool = false, ParamKind::Bool, unit "", aliases [];
    }
    presets {}
}

/// What `banding` is.
pub static DESCRIPTOR: Descriptor = Descriptor {
    name: "banding",
    aliases: &[],
    summary: "Measures how much banding is seen, as CAMBI does; the picture stays as it is, or becomes a map of it",
    definition: include_str!("definition.md"),
    schema: BandingParams::SCHEMA,
    accepts: |format| format.model() != Model::Rgb && !format.is_yc48(),
    footprint: Footprint::Window("of the map: about 16 times half the window, and 64 samples more, in every direction"),
    temporal: "",
    changes: &[],
    neutral: &[],
    cases: &[
        "",
        "map=on",
        "window_size=127:topk=0.05:max_log_contrast=5:tvi_threshold=0.002:map=on",
        "eotf=pq:enc_bitdepth=10:max_log_contrast=0:vis_lum_threshold=0.06:map=on",
    ],
    create: |call| Ok(Box::new(Banding { params: BandingParams::from_call(call)? })),
};

/// `banding` with its parameters set.
#[derive(Debug)]
struct Banding {
    params: BandingParams,
}

impl Filter for Banding {
    fn descriptor(&self) -> &'static Descriptor {
        &DESCRIPTOR
    }

    fn call(&self) -> Call {
        self.params.to_call(DESCRIPTOR.name)
    }

    fn spec(&self, inputs: &[StreamInfo]) -> Result<Spec> {
        Ok(Spec { measures: true, ..Spec::copying(inputs[0].clone(), |_| !self.params.map) })
    }

    fn reference(&self, setup: &Setup) -> Result<Box<dyn CpuKernel>> {
        Ok(Box::new(reference::Reference::new(Plan::new(&self.params, &setup.input))))
    }

    fn cpu(&self, setup: &Setup, level: CpuLevel) -> Result<Box<dyn CpuKernel>> {
        Ok(Box::new(fast::Fast::new(Plan::new(&self.params, &setup.input), level)?))
    }

    #[cfg(feature = "cuda")]
    fn cuda_memory(&self, setup: &Setup, _: &Arc<CudaDevice>) -> Result<usize> {
        Ok(cuda::Kernel::memory(&Plan::new(&self.params, &setup.input)))
    }

    #[cfg(feature = "cuda")]
    fn cuda(&self, setup: &Setup, device: &Arc<CudaDevice>) -> Result<Box<dyn CudaKernel>> {
        Ok(Box::new(cuda::Kernel::new(Plan::new(&self.params, &setup.input), device)?))
    }
}

/// A plane without colour.
fn fill_grey(mut plane: PlaneMut<'_>) {
    for y in 0..plane.height() {
        for x in 0..plane.width() {
            plane.set_v16(x, y, GREY);
        }
    }
}
