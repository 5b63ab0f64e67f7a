//! A survey: a few numbers about a frame, for filters that must know how bright the frames around theirs are, and where shots
//! begin.
//!
//! It is a picture of one row, so that chains make, keep, upload and count it as they do every picture: a filter that reads the
//! surveys of many frames ([`Filter::survey`]) keeps these, and not the frames themselves.

mod brightness;
#[cfg(feature = "cuda")]
mod cuda;
mod layout;
mod reference;
mod shot;
mod sums;
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
use crate::video::{Planes, StreamInfo};
use brightness::Brightness;
#[cfg(feature = "cuda")]
pub(super) use cuda::Smoother as CudaSmoother;
pub(super) use layout::SurveyLayout;
pub(super) use shot::{ShotBrightness, Smoother, Smoothing};
#[cfg(feature = "cuda")]
use std::sync::Arc;
use sums::Sums;

crate::choices! {
    /// Which level of samples is looked at.
    pub enum LevelScale {
        /// Light: luma from black to white.
        Light = "light",
        /// The largest of R', G' and B'.
        Code = "code",
    }
}

crate::params! {
    /// The parameters of a survey.
    pub struct SurveyParams {
        /// Which level of samples is looked at: luma, or the largest of R', G' and B'.
        of: LevelScale = LevelScale::Light, ParamKind::Choice(<LevelScale as Choice>::WORDS), unit "", aliases [];
        /// How many of the samples are at most as bright as the level.
        share: f64 = 50.0, ParamKind::Float { min: 0.0, max: 100.0 }, unit "%", aliases [];
        /// Whether there is a mean of the levels too. Those below 1 % are black, and left out.
        mean: bool = false, ParamKind::Bool, unit "", aliases [];
    }
    presets {}
}

/// What a survey is. Chains make surveys for the filters that read them; it is in no list of filters.
pub static SURVEY: Descriptor = Descriptor {
    name: "survey",
    aliases: &[],
    summary: "A few numbers about a frame, as a picture of one row",
    definition: "A level that `share` of the samples do not exceed, of 1024 counts and straight lines between, and with `mean` the mean \
                 of the levels without the lowest 10 counts; a histogram of 64 bins of light; and the mean light of cells in up to 16 \
                 rows and 64 columns.",
    schema: SurveyParams::SCHEMA,
    accepts: |format| !format.is_yc48(),
    footprint: Footprint::Window("the whole picture"),
    temporal: "",
    changes: &[crate::filters::Change::Size, crate::filters::Change::Layout],
    neutral: &[],
    cases: &["", "of=code:share=99.995", "share=0", "of=code:share=100", "of=code:share=99.9:mean=on"],
    create: |call| Ok(Box::new(SurveyOf(SurveyParams::from_call(call)?))),
};

/// The filter that makes surveys.
#[derive(Debug)]
struct SurveyOf(SurveyParams);

/// Makes surveys.
pub(super) fn survey(params: SurveyParams) -> Box<dyn Filter> {
    Box::new(SurveyOf(params))
}

/// What is worked out of a frame.
struct Survey {
    layout: SurveyLayout,
    brightness: Brightness,
    /// In millionths.
    share: u64,
    has_mean: bool,
}

impl Survey {
    fn new(params: &SurveyParams, info: &StreamInfo) -> Survey {
        let share = libm::round(params.share * 10_000.0) as u64;
        Survey {
            layout: SurveyLayout::of(info),
            brightness: Brightness::new(params.of, info),
            share,
            has_mean: params.mean,
        }
    }

    /// How many samples the level is not below: at least one.
    fn rank(&self) -> u64 {
        (self.layout.samples() * self.share).div_ceil(1_000_000).max(1)
    }

    /// The first word, of samples counted by their levels.
    fn level(&self, counts: impl Iterator<Item = u64> + Clone) -> u32 {
        let mean = if self.has_mean { shot::mean(counts.clone()) } else { 0 };
        u32::from(shot::quantile(counts, self.rank())) | u32::from(mean) << 16
    }
}

impl Filter for SurveyOf {
    fn descriptor(&self) -> &'static Descriptor {
        &SURVEY
    }

    fn call(&self) -> Call {
        self.0.to_call(SURVEY.name)
    }

    fn spec(&self, inputs: &[StreamInfo]) -> Result<Spec> {
        Ok(Spec::computed(SurveyLayout::of(&inputs[0]).stream(&inputs[0])?))
    }

    fn reference(&self, setup: &Setup) -> Result<Box<dyn CpuKernel>> {
        Ok(Box::new(reference::Reference(Survey::new(&self.0, &setup.input))))
    }

    fn cpu(&self, setup: &Setup, level: CpuLevel) -> Result<Box<dyn CpuKernel>> {
        Ok(Box::new(sums::Fast::new(Survey::new(&self.0, &setup.input), level)?))
    }

    #[cfg(feature = "cuda")]
    fn cuda_memory(&self, _: &Setup, _: &Arc<CudaDevice>) -> Result<usize> {
        Ok(cuda::COUNTS)
    }

    #[cfg(feature = "cuda")]
    fn cuda(&self, setup: &Setup, device: &Arc<CudaDevice>) -> Result<Box<dyn CudaKernel>> {
        Ok(Box::new(cuda::Kernel::new(&Survey::new(&self.0, &setup.input), device)?))
    }
}

/// What is kept of a frame, to find the cut before the next one: the rule by which filters keep to a shot.
#[derive(Clone, Debug, PartialEq)]
pub struct FrameSketch {
    layout: SurveyLayout,
    words: Vec<u32>,
}

impl FrameSketch {
    /// Of a picture of `info`.
    pub fn of(info: &StreamInfo, picture: &Planes<'_>) -> FrameSketch {
        let survey = Survey::new(&SurveyParams::default(), info);
        let mut sums = Sums::new(&survey);
        sums.add(&survey, picture, 0..info.height);
        let mut words = vec![0; survey.layout.words()];
        sums.finish(&survey, &mut words);
        FrameSketch { layout: survey.layout, words }
    }

    /// True when a new shot begins with the frame that looks like `next`. Both are of one stream.
    pub fn cuts_to(&self, next: &FrameSketch) -> bool {
        shot::is_cut(&self.layout, &self.words, &next.words)
    }
}
