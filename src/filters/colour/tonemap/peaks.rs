//! The source's peak, where it changes from frame to frame, and the gains that follow from it.
//!
//! Gains are tables of light. Working one out takes a millisecond, and on a device it could not be done to the bit: so there is
//! one for each of some peaks, and a frame's is mixed of the two that its peak lies between.

use crate::filters::CpuJob;
use crate::filters::colour::recipe::{Recipe, RgbStep};
use crate::filters::colour::table::Octaves;
use crate::filters::curve::pq;
use crate::filters::survey::Smoother;
use std::sync::Arc;

/// From one table to the next, in codes of 16 bits.
pub const STEP: u32 = 512;

/// Tables over all codes, the highest included.
const TABLES: u32 = 65_536 / STEP;

/// Where a frame's peak comes from.
#[derive(Clone, Debug)]
pub enum PeakSource {
    /// Surveys of the frames around it.
    Measured(Smoother),
    /// What its metadata state, or else this code.
    Stated(u16),
}

/// Gains for all peaks.
#[derive(Clone, Debug)]
pub struct Peaks {
    pub source: PeakSource,
    /// The code of the first table's peak.
    pub first: u32,
    pub tables: Arc<Vec<Octaves>>,
}

impl Peaks {
    /// The tables that `gain` makes for peaks in cd/m², those of codes by `peak_of`, from the last on that is not above `least`.
    pub fn tables(peak_of: impl Fn(f64) -> f64, least: f64, gain: impl Fn(f64) -> Octaves) -> (u32, Vec<Octaves>) {
        let peak = |table: u32| peak_of((f64::from(table * STEP) / 65_535.0).min(1.0));
        let first = (1..TABLES).take_while(|table| peak(*table) <= least).last().unwrap_or(0);
        (first * STEP, (first..=TABLES).map(|table| gain(peak(table).max(least))).collect())
    }

    /// The code of what a frame's metadata state, in cd/m².
    pub fn code_of(stated: Option<f32>, usual: u16) -> u16 {
        stated.map_or(usual, |nits| libm::round(65_535.0 * pq(f64::from(nits)).clamp(0.0, 1.0)) as u16)
    }

    /// Makes `gain` that of a peak at `code`.
    fn mix(&self, code: u16, gain: &mut Octaves) {
        let above = u32::from(code).saturating_sub(self.first);
        let two = &self.tables[(above / STEP) as usize..][..2];
        gain.mix(&two[0], &two[1], (above % STEP) as f32 * (1.0 / STEP as f32));
    }
}

impl Recipe {
    /// Makes the recipe that of the frame of `job`.
    pub fn follow(&mut self, job: &CpuJob<'_>) {
        let (Some(peaks), RgbStep::Light(light)) = (&mut self.peaks, &mut self.work) else { return };
        let code = match &mut peaks.source {
            PeakSource::Measured(smoother) => smoother.level(&job.src),
            PeakSource::Stated(usual) => Peaks::code_of(job.props.brightest, *usual),
        };
        if let Some((_, gain)) = &mut light.gain {
            peaks.mix(code, gain);
        }
    }
}
