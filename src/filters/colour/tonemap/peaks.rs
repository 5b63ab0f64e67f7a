//! The source's peak, where it changes from frame to frame, the scene's mean where the curve follows it, and the gains that follow
//! from both.
//!
//! Gains are tables of light. Working one out takes a millisecond, and on a device it could not be done to the bit: so there is
//! one for each of some peaks and means, and a frame's is mixed of those that its peak and mean lie between.

use super::TonemapParams;
use super::tone::Tone;
use crate::filters::CpuJob;
use crate::filters::colour::recipe::{Recipe, RgbStep};
use crate::filters::colour::table::Octaves;
use crate::filters::curve::{PQ_PEAK, Transfer, pq, system_gamma};
use crate::filters::survey::{ShotBrightness, Smoother};
use std::sync::{Arc, OnceLock};
#[cfg(feature = "cuda")]
use std::thread;

/// From one table to the next, in codes of 16 bits.
pub const STEP: u32 = 512;
pub const MEAN_STEP: u32 = 2048;

/// Tables over all codes, the highest included.
const TABLES: u32 = 65_536 / STEP;
const MEANS: u32 = 65_536 / MEAN_STEP;

/// Where a frame's peak comes from.
#[derive(Clone, Debug)]
pub enum PeakSource {
    /// Surveys of the frames around it.
    Measured(Smoother),
    /// What its metadata state, or else this code.
    Stated(u16),
}

/// Peaks, and the gains for all of them.
#[derive(Clone, Debug)]
pub struct Peaks {
    pub source: PeakSource,
    pub gains: Arc<GainTables>,
}

/// What gains follow from, and nothing else: kernels that have the same share their tables.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GainSource {
    /// The curve; its peak and mean do not matter.
    pub tone: Tone,
    /// The peak of the display that HLG is shown on first; `None`: codes are PQ's.
    pub hlg_peak: Option<f64>,
    /// The curve's knee lies where the scene's mean is.
    pub follows_mean: bool,
}

impl GainSource {
    /// The luminance of a code of 16 bits; of HLG that of the grey that is coded so: what colours have less is room to spare.
    fn nits(&self, code: u32) -> f64 {
        let code = (f64::from(code) / 65_535.0).min(1.0);
        match self.hlg_peak {
            Some(peak) => peak * libm::pow(Transfer::Hlg.light(code), system_gamma(peak)),
            None => PQ_PEAK * Transfer::Pq.light(code),
        }
    }

    /// The curve for scenes with the peak, and the mean where one is known, that these codes state.
    fn tone(&self, peak: u32, mean: Option<u32>) -> Tone {
        self.tone.for_scene(self.nits(peak).max(self.white()), mean.map(|mean| self.nits(mean)))
    }

    fn white(&self) -> f64 {
        self.tone.target.1
    }
}

/// Gains for all peaks, and for all means where the curve follows them. Each is made when it is first asked for.
#[derive(Debug)]
pub struct GainTables {
    /// What they follow from.
    pub source: GainSource,
    /// The code of the first peak.
    pub first: u32,
    /// Tables of each peak: the first for scenes of which no mean is known, and the others for means of 1, 2, 3… steps.
    pub means: u32,
    /// Those of the first peak, then those of the next.
    pub tables: Vec<OnceLock<Octaves>>,
}

impl GainTables {
    /// Those of `source`. The first peak is the last that is not above white.
    pub fn new(source: GainSource) -> GainTables {
        let first = (1..TABLES).take_while(|table| source.nits(table * STEP) <= source.white()).last().unwrap_or(0);
        // No knee lies where the brightest means are: the last table is the first that all of these have.
        let tone = |mean: u32| source.tone(65_535, Some(mean * MEAN_STEP));
        let moves = |mean: &u32| tone(mean - 1) != tone(*mean);
        let last = if source.follows_mean { (2..=MEANS).rev().find(moves).unwrap_or(1) } else { 0 };
        let tables = (0..(TABLES + 1 - first) * (last + 1)).map(|_| OnceLock::new()).collect();
        GainTables { source, first: first * STEP, means: last + 1, tables }
    }

    /// Table number `index`.
    pub fn at(&self, index: usize) -> &Octaves {
        self.tables[index].get_or_init(|| {
            let (peak, mean) = (index as u32 / self.means, index as u32 % self.means);
            let mean = (mean > 0).then_some(mean * MEAN_STEP);
            TonemapParams::gain(&self.source.tone(self.first + peak * STEP, mean))
        })
    }

    /// Bytes of all of them.
    #[cfg(feature = "cuda")]
    pub fn bytes(&self) -> usize {
        self.tables.len() * size_of_val(self.at(0).entries())
    }

    /// All of them, made by as many threads as there are processors.
    #[cfg(feature = "cuda")]
    pub fn all(&self) -> impl Iterator<Item = &Octaves> {
        let threads = thread::available_parallelism().map_or(1, usize::from);
        thread::scope(|scope| {
            for thread in 0..threads {
                scope.spawn(move || (thread..self.tables.len()).step_by(threads).for_each(|index| _ = self.at(index)));
            }
        });
        (0..self.tables.len()).map(|index| self.at(index))
    }

    /// Makes `gain` that of a frame.
    fn mix(&self, at: ShotBrightness, gain: &mut Octaves) {
        let above = u32::from(at.level).saturating_sub(self.first);
        let last = self.means - 1;
        let mean = if at.mean == 0 { 0 } else { u32::from(at.mean).max(MEAN_STEP).min(last * MEAN_STEP) };
        let (row, part) = (mean / MEAN_STEP, (mean % MEAN_STEP) as f32 * (1.0 / MEAN_STEP as f32));
        let of_means = |row: u32| {
            let table = |peak: u32| self.at(((above / STEP + peak) * self.means + row) as usize);
            [table(0), table(1)]
        };
        let parts = [(above % STEP) as f32 * (1.0 / STEP as f32), part];
        gain.mix([of_means(row), of_means((row + 1).min(last))], parts);
    }
}

impl Peaks {
    /// The code of what a frame's metadata state, in cd/m².
    pub fn code_of(stated: Option<f32>, usual: u16) -> u16 {
        stated.map_or(usual, |nits| libm::round(65_535.0 * pq(f64::from(nits)).clamp(0.0, 1.0)) as u16)
    }
}

impl Recipe {
    /// Makes the recipe that of the frame of `job`.
    pub fn follow(&mut self, job: &CpuJob<'_>) {
        let (Some(peaks), RgbStep::Light(light)) = (&mut self.peaks, &mut self.work) else { return };
        let at = match &mut peaks.source {
            PeakSource::Measured(smoother) => smoother.brightness(&job.src),
            PeakSource::Stated(usual) => ShotBrightness { level: Peaks::code_of(job.props.brightest, *usual), mean: 0 },
        };
        if let Some((_, gain)) = &mut light.gain {
            peaks.gains.mix(at, gain);
        }
    }
}
