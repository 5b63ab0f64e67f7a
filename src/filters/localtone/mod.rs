//! `localtone`: local tone mapping of ordinary video, the look of an HDR photo.

mod adapt;
#[cfg(feature = "cuda")]
mod cuda;
mod curves;
mod fast;
mod grid;
mod guided;
mod light;
mod plan;
mod pyramid;
mod reference;
mod scenery;
#[cfg(test)]
mod tests;
mod tuning;

use crate::device::cpu::CpuLevel;
#[cfg(feature = "cuda")]
use crate::device::cuda::CudaDevice;
use crate::error::Result;
#[cfg(feature = "cuda")]
use crate::filters::CudaKernel;
use crate::filters::survey::{Smoothing, SurveyParams, survey};
use crate::filters::{Alias, CpuKernel, Descriptor, Filter, Footprint, Setup, Spec};
use crate::params::{Call, Choice, ParamKind, Params};
use crate::video::StreamInfo;
pub(super) use plan::LightScale;
use plan::Plan;
#[cfg(feature = "cuda")]
use std::sync::Arc;

crate::choices! {
    /// How detail is separated from light.
    pub enum Method {
        /// A local Laplacian filter.
        Scenery = "scenery",
        /// A guided filter's base and detail, with skin protected.
        People = "people",
        /// A fusion of three exposures of the frame.
        Mixed = "mixed",
    }
}

/// Percent of the samples that are at most as bright as the brightness of a frame.
const MEDIAN: f64 = 50.0;

const SHARE: ParamKind = ParamKind::Float { min: 0.0, max: 1.0 };
const SIGNED: ParamKind = ParamKind::Float { min: -1.0, max: 1.0 };
const LIFT: ParamKind = ParamKind::Float { min: 0.0, max: 1.5 };
const CONTRAST: ParamKind = ParamKind::Float { min: -1.0, max: 3.0 };

crate::params! {
    /// The parameters of `localtone`.
    pub struct LocaltoneParams {
        /// `scenery` has the most local contrast, `people` spares skin, `mixed` suits most pictures.
        method: Method = Method::Mixed, ParamKind::Choice(<Method as Choice>::WORDS), unit "", aliases [];
        /// How much of the change is made: 0 keeps the source.
        strength: f64 = 1.0, SHARE, unit "", aliases ["s"];
        /// Brightness of the whole picture.
        exposure: f64 = 0.0, ParamKind::Float { min: -2.0, max: 2.0 }, unit "stops", aliases [];
        /// How much light dark parts get.
        shadows: f64 = 0.35, LIFT, unit "", aliases [];
        /// How far bright parts are pulled back.
        highlights: f64 = 0.35, LIFT, unit "", aliases [];
        /// Local contrast of middle structures; below 0 it softens them.
        clarity: f64 = 0.15, CONTRAST, unit "", aliases [];
        /// Local contrast of fine structures; below 0 it softens them.
        detail: f64 = 0.2, CONTRAST, unit "", aliases [];
        /// How much of large steps of brightness is kept; `scenery` alone.
        range: f64 = 1.0, ParamKind::Float { min: 0.3, max: 1.0 }, unit "", aliases [];
        /// The amplitude from which on a step is an edge and is not amplified; 1 is black to white.
        edge: f64 = 0.25, ParamKind::Float { min: 0.1, max: 0.5 }, unit "", aliases [];
        /// How wide the structures are that `scenery` and `people` look at; `auto` is 8, and 4 for `people`.
        radius: Option<f64> = None, ParamKind::Float { min: 1.0, max: 25.0 }, unit "% of the height", aliases ["r"];
        /// Amplitudes below this count as noise and are not amplified.
        noise: f64 = 1.5, ParamKind::Float { min: 0.0, max: 8.0 }, unit "steps of 8 bits", aliases [];
        /// How much the hues of skin are spared: local contrast by `people`, saturation by all.
        skin: f64 = 0.4, SHARE, unit "", aliases [];
        /// Contrast of the whole picture, at the end.
        contrast: f64 = 0.0, SIGNED, unit "", aliases [];
        /// What becomes black, at the end.
        black: f64 = 0.0, ParamKind::Float { min: 0.0, max: 0.2 }, unit "", aliases [];
        /// Saturation of all colours.
        saturation: f64 = 1.0, ParamKind::Float { min: 0.0, max: 3.0 }, unit "", aliases ["sat"];
        /// Saturation of dull colours.
        vibrance: f64 = 0.0, SIGNED, unit "", aliases [];
        /// Warmer, or below 0 colder.
        warmth: f64 = 0.0, SIGNED, unit "", aliases [];
        /// How far colours follow the brightness of their place.
        follow: f64 = 0.85, SHARE, unit "", aliases [];
        /// Black and white; with `warmth`, tinted.
        mono: bool = false, ParamKind::Bool, unit "", aliases [];
        /// How far dark shots are lifted and bright ones lowered towards a usual brightness; 0 treats all frames alike.
        adapt: f64 = 0.0, SHARE, unit "", aliases [];
        /// Frames to each side, of the same shot, that `adapt` takes the brightness of: more is steadier.
        window: i64 = 16, ParamKind::Int { min: 0, max: 48 }, unit "frames", aliases [];
    }
    presets {
        "landscape": "Wide views: clear, with some colour", [("method", "scenery"), ("shadows", "0.45"), ("highlights", "0.5"), ("clarity", "0.6"), ("detail", "0.5"), ("range", "0.8"), ("radius", "8"), ("skin", "0"), ("saturation", "1.08"), ("vibrance", "0.15"), ("noise", "1.5")];
        "architecture": "Buildings: crisp, and somewhat pale", [("method", "scenery"), ("shadows", "0.5"), ("highlights", "0.6"), ("clarity", "0.9"), ("detail", "0.9"), ("range", "0.75"), ("edge", "0.2"), ("radius", "5"), ("skin", "0"), ("saturation", "0.92"), ("noise", "1.2")];
        "dramatic": "Heavy skies and deep contrast", [("method", "scenery"), ("shadows", "0.5"), ("highlights", "0.8"), ("clarity", "1.5"), ("detail", "0.7"), ("range", "0.6"), ("edge", "0.3"), ("radius", "12"), ("skin", "0"), ("contrast", "0.35"), ("saturation", "0.85"), ("vibrance", "0.1"), ("noise", "3")];
        "forest": "Woods: open shadows, warm greens", [("method", "scenery"), ("shadows", "0.8"), ("highlights", "0.35"), ("clarity", "0.6"), ("detail", "0.3"), ("range", "0.8"), ("radius", "6"), ("skin", "0"), ("contrast", "0.1"), ("saturation", "1.05"), ("vibrance", "0.25"), ("warmth", "0.15"), ("noise", "2")];
        "sky": "Clouds: highlights pulled back, colder", [("method", "scenery"), ("shadows", "0.2"), ("highlights", "1"), ("clarity", "0.8"), ("detail", "0.2"), ("range", "0.8"), ("edge", "0.15"), ("radius", "14"), ("skin", "0"), ("saturation", "1.1"), ("vibrance", "0.2"), ("warmth", "-0.15"), ("noise", "3")];
        "night": "Streets at night: what lies in the dark, without grey blacks", [("method", "scenery"), ("exposure", "0.6"), ("shadows", "0.9"), ("highlights", "0.3"), ("clarity", "0.4"), ("detail", "0"), ("range", "0.75"), ("edge", "0.3"), ("radius", "8"), ("skin", "0"), ("contrast", "0.2"), ("saturation", "1.05"), ("vibrance", "0.1"), ("warmth", "-0.1"), ("follow", "0.6"), ("noise", "4")];
        "portrait": "A face: light on it, and nothing sharper", [("method", "people"), ("shadows", "0.3"), ("highlights", "0.3"), ("clarity", "0.1"), ("detail", "0.1"), ("skin", "0.8"), ("radius", "4"), ("vibrance", "0.12"), ("warmth", "0.12"), ("noise", "2")];
        "group": "People and where they are", [("method", "people"), ("shadows", "0.5"), ("highlights", "0.5"), ("clarity", "0.35"), ("detail", "0.3"), ("skin", "0.6"), ("radius", "5"), ("saturation", "1.05"), ("vibrance", "0.1"), ("noise", "2")];
        "soft": "Soft light and smooth skin", [("method", "people"), ("exposure", "0.15"), ("shadows", "0.45"), ("highlights", "0.2"), ("clarity", "-0.35"), ("detail", "-0.3"), ("skin", "1"), ("radius", "3"), ("saturation", "0.95"), ("vibrance", "0.1"), ("warmth", "0.25"), ("noise", "2")];
        "party": "People in little light", [("method", "people"), ("exposure", "0.35"), ("shadows", "0.8"), ("highlights", "0.4"), ("clarity", "0.25"), ("detail", "-0.1"), ("contrast", "0.2"), ("skin", "0.7"), ("radius", "5"), ("vibrance", "0.2"), ("follow", "0.8"), ("noise", "4")];
        "natural": "As the eye saw it", [("method", "mixed"), ("shadows", "0.35"), ("highlights", "0.35"), ("clarity", "0.15"), ("detail", "0.2"), ("skin", "0.4"), ("vibrance", "0.05"), ("noise", "1.5")];
        "vivid": "Bright colours and contrast", [("method", "mixed"), ("shadows", "0.55"), ("highlights", "0.5"), ("clarity", "0.4"), ("detail", "0.4"), ("contrast", "0.15"), ("skin", "0.4"), ("saturation", "1.22"), ("vibrance", "0.3"), ("noise", "1.5")];
        "backlight": "Subjects against the light", [("method", "mixed"), ("shadows", "0.95"), ("highlights", "0.7"), ("clarity", "0.2"), ("detail", "0.15"), ("contrast", "0.1"), ("skin", "0.5"), ("saturation", "1.05"), ("vibrance", "0.1"), ("noise", "2.5")];
        "street": "Gritty and pale", [("method", "mixed"), ("shadows", "0.6"), ("highlights", "0.6"), ("clarity", "0.7"), ("detail", "0.8"), ("contrast", "0.2"), ("skin", "0.3"), ("saturation", "0.8"), ("noise", "1.5")];
        "grunge": "As far as it goes", [("method", "scenery"), ("shadows", "0.9"), ("highlights", "0.9"), ("clarity", "2.6"), ("detail", "1.6"), ("range", "0.45"), ("edge", "0.35"), ("radius", "6"), ("skin", "0"), ("saturation", "0.72"), ("noise", "3.5")];
        "mono": "Black and white with depth", [("method", "scenery"), ("shadows", "0.4"), ("highlights", "0.6"), ("clarity", "1.2"), ("detail", "0.8"), ("range", "0.7"), ("edge", "0.3"), ("radius", "10"), ("skin", "0"), ("contrast", "0.4"), ("mono", "on"), ("noise", "1.5")];
    }
}

/// What `localtone` is.
pub static DESCRIPTOR: Descriptor = Descriptor {
    name: "localtone",
    aliases: &[Alias::own("hdr_look"), Alias::own("hdrlook"), Alias::own("hdr")],
    summary: "The HDR look: opens shadows, pulls highlights back and brings out local contrast",
    definition: include_str!("definition.md"),
    schema: LocaltoneParams::SCHEMA,
    accepts: |format| !format.is_yc48(),
    footprint: Footprint::Window("the whole picture"),
    temporal: "",
    changes: &[],
    neutral: &["strength=0", "shadows=0:highlights=0:clarity=0:detail=0"],
    cases: &[
        "",
        "preset=vivid:warmth=0.5:noise=0",
        "preset=portrait:skin=0.5",
        "preset=soft:radius=25:strength=0.6:contrast=-0.7:black=0.2",
        "preset=grunge:saturation=3:vibrance=-1",
        "preset=mono:warmth=0.3:exposure=-1.5",
        "method=scenery:clarity=-1:detail=3:range=0.3:radius=1:noise=8:strength=0.3",
        "shadows=1.5:highlights=1.5:exposure=2:clarity=3:detail=-1:edge=0.1:follow=0",
        "adapt=1:window=2",
        "preset=landscape:adapt=0.5:window=1",
        "preset=group:adapt=1:window=0:strength=0.5",
    ],
    create: |call| Ok(Box::new(Localtone { params: LocaltoneParams::from_call(call)? })),
};

impl LocaltoneParams {
    /// True when nothing changes.
    fn is_neutral(&self) -> bool {
        let amounts = [
            self.exposure,
            self.shadows,
            self.highlights,
            self.clarity,
            self.detail,
            self.contrast,
            self.black,
            self.vibrance,
            self.warmth,
            self.adapt,
        ];
        let keeps = self.range == 1.0 && self.saturation == 1.0 && !self.mono;
        self.strength == 0.0 || (keeps && amounts.iter().all(|amount| *amount == 0.0))
    }

    /// How surveys of frames become the brightness that exposures follow; `None`: they follow none.
    fn smoothing(&self) -> Option<Smoothing> {
        (self.adapt > 0.0 && !self.is_neutral()).then_some(Smoothing::Mean(self.window as u32))
    }
}

/// `localtone` with its parameters set.
#[derive(Debug)]
struct Localtone {
    params: LocaltoneParams,
}

impl Filter for Localtone {
    fn descriptor(&self) -> &'static Descriptor {
        &DESCRIPTOR
    }

    fn call(&self) -> Call {
        self.params.to_call(DESCRIPTOR.name)
    }

    fn spec(&self, inputs: &[StreamInfo]) -> Result<Spec> {
        let mut spec = Spec::copying(inputs[0].clone(), |_| self.params.is_neutral());
        spec.reads.extend(self.params.smoothing().map(Smoothing::reach));
        Ok(spec)
    }

    fn survey(&self, _: &StreamInfo) -> Option<Box<dyn Filter>> {
        self.params.smoothing().map(|_| survey(SurveyParams { share: MEDIAN, ..SurveyParams::default() }))
    }

    fn reference(&self, setup: &Setup) -> Result<Box<dyn CpuKernel>> {
        Ok(Box::new(reference::Reference::new(Plan::new(&self.params, setup))))
    }

    fn cpu(&self, setup: &Setup, level: CpuLevel) -> Result<Box<dyn CpuKernel>> {
        Ok(Box::new(fast::Fast::new(Plan::new(&self.params, setup), level)?))
    }

    #[cfg(feature = "cuda")]
    fn cuda_memory(&self, setup: &Setup, _: &Arc<CudaDevice>) -> Result<usize> {
        Ok(cuda::Kernel::memory(&Plan::new(&self.params, setup)))
    }

    #[cfg(feature = "cuda")]
    fn cuda(&self, setup: &Setup, device: &Arc<CudaDevice>) -> Result<Box<dyn CudaKernel>> {
        Ok(Box::new(cuda::Kernel::new(&Plan::new(&self.params, setup), device)?))
    }
}
