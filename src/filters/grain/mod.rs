//! `grain`: film grain, as AV1's decoders make it.

#[cfg(feature = "cuda")]
mod cuda;
mod fast;
mod plan;
mod reference;
mod template;
#[cfg(test)]
mod tests;
mod tuning;

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

crate::params! {
    /// The parameters of `grain`.
    pub struct GrainParams {
        /// How strong grain is between shadows and highlights: its standard deviation.
        amount: f64 = 3.0, ParamKind::Float { min: 0.0, max: 32.0 }, unit "8-bit code values", aliases ["strength"];
        /// The diameter of a grain. Fits 1080 rows as it is; of 2160 rows, twice as much looks alike. 1 is white noise.
        size: f64 = 2.0, ParamKind::Float { min: 1.0, max: 6.0 }, unit "samples", aliases [];
        /// How strong grain of Cb and Cr is, where luma's is 1. Of R, G and B, how strong grain of their own is, where that which they
        /// share is 1.
        chroma: f64 = 0.3, ParamKind::Float { min: 0.0, max: 2.0 }, unit "", aliases ["color", "colour"];
        /// How strong grain is near black, where 1 is `amount`. It gets there from 1 at a quarter of the way from black to white.
        shadows: f64 = 0.5, ParamKind::Float { min: 0.0, max: 2.0 }, unit "", aliases [];
        /// How strong grain is at white, where 1 is `amount`. It gets there from 1 half way from black to white.
        highlights: f64 = 0.4, ParamKind::Float { min: 0.0, max: 2.0 }, unit "", aliases [];
        /// Chooses other grain.
        seed: i64 = 0, ParamKind::Int { min: 0, max: 4_294_967_295 }, unit "", aliases [], label "Random seed";
        /// The same grain in all frames, as dirt on a lens; else every frame has its own.
        still: bool = false, ParamKind::Bool, unit "", aliases [], label "Standing still";
        /// Keep results within limited range: 16..240 for chroma and 16..235 for all else, scaled to the depth.
        keep_tv_range: bool = false, ParamKind::Bool, unit "", aliases [], label "Keep limited range";
        #[doc = crate::filters::planes::planes_doc!()]
        planes: PlaneSet = PlaneSet::Yuv, ParamKind::Choice(<PlaneSet as Choice>::WORDS), unit "", aliases [];
    }
    presets {
        "faint": "Barely seen: gives clean pictures life, and hides steps", [("amount", "1"), ("size", "1.4"), ("chroma", "0.2")];
        "fine": "A modern negative in daylight: fine, with little colour", [("amount", "2"), ("size", "1.6"), ("chroma", "0.2")];
        "film35": "A film of the 1970s", [("amount", "3.5"), ("size", "2.2"), ("chroma", "0.25")];
        "film16": "A documentary on 16 mm: coarse", [("amount", "6"), ("size", "3"), ("chroma", "0.35"), ("shadows", "0.6"), ("highlights", "0.5")];
        "super8": "Home movies: the coarsest, with colour", [("amount", "8.5"), ("size", "4"), ("chroma", "0.35"), ("shadows", "0.6"), ("highlights", "0.6")];
        "silver": "Black and white: sharp grain without colour", [("amount", "6"), ("size", "2.4"), ("chroma", "0"), ("shadows", "0.7"), ("highlights", "0.3")];
        "pushed": "Fast film in low light: most in the shadows", [("amount", "5"), ("size", "2.6"), ("chroma", "0.4"), ("shadows", "1.1"), ("highlights", "0.25")];
        "sensor": "A camera at ISO 6400 and more: no film, but fine noise with colour, most in the shadows", [("amount", "5"), ("size", "1.2"), ("chroma", "1"), ("shadows", "1.3"), ("highlights", "0.3")];
    }
}

/// What `grain` is.
pub static DESCRIPTOR: Descriptor = Descriptor {
    name: "grain",
    aliases: &[],
    summary: "Adds film grain, as AV1's decoders make it: strong between shadows and highlights, and other in every frame",
    definition: include_str!("definition.md"),
    schema: GrainParams::SCHEMA,
    accepts: |_| true,
    footprint: Footprint::Window("of chroma, the luma that it covers"),
    temporal: "",
    changes: &[],
    neutral: &["amount=0"],
    cases: &[
        "amount=3",
        "amount=6:size=3.2:chroma=0.5:seed=7",
        "amount=9:size=4:shadows=0:highlights=0",
        "amount=32:size=1:chroma=2:shadows=2:highlights=2:keep_tv_range=on",
        "amount=12:size=6:still=on:planes=uv:chroma=1",
        "chroma=0:planes=y",
    ],
    create: |call| Ok(Box::new(Grain { params: GrainParams::from_call(call)? })),
};

/// `grain` with its parameters set.
#[derive(Debug)]
struct Grain {
    params: GrainParams,
}

impl Filter for Grain {
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
        Ok(Box::new(fast::Fast::new(Plan::new(&self.params, &setup.input), setup.input.width, level)?))
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
