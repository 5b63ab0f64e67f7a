//! What surveys of frames one after the other say: where shots begin, and how bright one is around a frame.

use super::layout::{CELLS, HISTOGRAM, LEVEL, SurveyLayout, read};
use super::sums::{BLACK_LEVELS, LEVEL_SHIFT};
#[cfg(feature = "cuda")]
use crate::device::cuda::CudaDevice;
#[cfg(feature = "cuda")]
use crate::error::Result;
use crate::filters::{Frames, Reach};
use crate::video::Planes;

/// From so many thousandths of other samples, and so many steps of 8 bits in the mean of the reduced picture, on it is a cut.
const HISTOGRAM_PERMILLE: u64 = 160;
const PICTURE_STEPS: u64 = 22;

/// White of the working scale, and what lies between black and white in steps of 8 bits.
const WHITE: u64 = 16_383;
const STEPS: u64 = 219;

/// The level that the sample of rank `rank` has of those counted, from the darkest on: between the ends of its count as far as
/// its rank lies between theirs.
pub fn quantile(counts: impl IntoIterator<Item = u64>, rank: u64) -> u16 {
    let mut before = 0;
    for (level, count) in (0u64..).zip(counts) {
        if before + count >= rank {
            let part = ((rank - before) << LEVEL_SHIFT) / count;
            return ((level << LEVEL_SHIFT) + part).min(u16::MAX.into()) as u16;
        }
        before += count;
    }
    u16::MAX
}

/// The mean of the levels counted, but for black; 0 where all is black. Each counts as the middle of its 64.
pub fn mean(counts: impl IntoIterator<Item = u64>) -> u16 {
    let (mut sum, mut samples) = (0u64, 0u64);
    for (level, count) in (0u64..).zip(counts).skip(BLACK_LEVELS) {
        sum += count * ((level << LEVEL_SHIFT) + (1 << (LEVEL_SHIFT - 1)));
        samples += count;
    }
    sum.checked_div(samples).unwrap_or(0) as u16
}

/// True when a shot begins between frames with these surveys: both the brightness of the picture and the picture, much reduced,
/// are others than before.
pub fn is_cut(layout: &SurveyLayout, before: &[u32], after: &[u32]) -> bool {
    let apart = |a: &[u32], b: &[u32]| a.iter().zip(b).map(|(a, b)| u64::from(a.abs_diff(*b))).sum::<u64>();
    let histogram = apart(&before[HISTOGRAM..CELLS], &after[HISTOGRAM..CELLS]);
    let picture = apart(&before[CELLS..], &after[CELLS..]);
    histogram * 1000 >= HISTOGRAM_PERMILLE * 2 * layout.samples()
        && picture * STEPS >= PICTURE_STEPS * WHITE * layout.cells() as u64
}

/// What becomes of the levels around a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Smoothing {
    /// Their mean within so many frames before and after, of the same shot, in which near frames weigh more.
    Mean(u32),
    /// The same of the largest levels within as many frames of each: it is never below the frame's own.
    Crest(u32),
}

impl Smoothing {
    /// Frames that have a weight, before and after.
    pub fn radius(self) -> usize {
        let (Smoothing::Mean(radius) | Smoothing::Crest(radius)) = self;
        radius as usize
    }

    /// Frames whose surveys are read.
    pub fn reach(self) -> Reach {
        let frames = match self {
            Smoothing::Mean(radius) => radius,
            Smoothing::Crest(radius) => 2 * radius,
        };
        Reach { before: frames, after: frames }
    }

    /// How bright it is around the middle one of frames with `surveys`.
    pub fn brightness(self, layout: &SurveyLayout, surveys: &[Vec<u32>]) -> ShotBrightness {
        let (here, radius) = (surveys.len() / 2, self.radius());
        let begins = |frame: &usize| is_cut(layout, &surveys[frame - 1], &surveys[*frame]);
        let first = (1..=here).rev().find(begins).unwrap_or(0);
        let last = (here + 1..surveys.len()).find(begins).unwrap_or(surveys.len()) - 1;
        let near = |frame: usize| first.max(frame.saturating_sub(radius))..=last.min(frame + radius);
        let level = |frame: usize| u64::from(surveys[frame][LEVEL] & 0xffff);
        let (mut levels, mut means) = (Weighted::default(), Weighted::default());
        for frame in near(here) {
            let weight = (radius + 1 - frame.abs_diff(here)) as u64;
            let own = match self {
                Smoothing::Mean(_) => level(frame),
                Smoothing::Crest(_) => near(frame).map(level).max().unwrap_or(0),
            };
            levels.add(weight, own);
            match u64::from(surveys[frame][LEVEL] >> 16) {
                0 => {}
                mean => means.add(weight, mean),
            }
        }
        ShotBrightness { level: levels.mean(), mean: means.mean() }
    }
}

/// How bright the shot is around a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ShotBrightness {
    /// What becomes of the levels.
    pub level: u16,
    /// The mean of the frames' means where surveys have them, in which near frames weigh more; 0 where all of them are black.
    pub mean: u16,
}

/// A mean with weights.
#[derive(Default)]
struct Weighted {
    sum: u64,
    weights: u64,
}

impl Weighted {
    fn add(&mut self, weight: u64, value: u64) {
        self.sum += weight * value;
        self.weights += weight;
    }

    /// 0 of nothing.
    fn mean(&self) -> u16 {
        self.sum.checked_div(self.weights).unwrap_or(0) as u16
    }
}

/// Smooths levels, frame after frame.
#[derive(Clone, Debug)]
pub struct Smoother {
    layout: SurveyLayout,
    smoothing: Smoothing,
    /// Of the frames in reach.
    surveys: Vec<Vec<u32>>,
}

impl Smoother {
    /// For surveys of `layout`.
    pub fn new(layout: SurveyLayout, smoothing: Smoothing) -> Smoother {
        Smoother { layout, smoothing, surveys: vec![Vec::new(); smoothing.reach().frames()] }
    }

    /// The same on a device.
    ///
    /// # Errors
    /// As [`CudaSmoother::new`](super::CudaSmoother::new).
    #[cfg(feature = "cuda")]
    pub fn on(&self, device: &CudaDevice) -> Result<super::CudaSmoother> {
        super::CudaSmoother::new(self.layout, self.smoothing, device)
    }

    /// How bright it is around the frame at hand, whose last input are surveys.
    pub fn brightness(&mut self, src: &Frames<'_, Planes<'_>>) -> ShotBrightness {
        let before = self.smoothing.reach().before as isize;
        for (offset, words) in (-before..).zip(&mut self.surveys) {
            read(&src.at(src.inputs() - 1, offset)[0], words);
        }
        self.smoothing.brightness(&self.layout, &self.surveys)
    }
}
