//! Exposures that follow the brightness of a frame and of those around it.
//!
//! Every method begins with a table over light. A frame's exposure is a curve in front of that table, and so another table: what
//! comes behind it knows nothing of it.

use super::curves::{Curve, ENTRIES, Exposures, WHITE};
use super::plan::{MethodPlan, Plan};
use crate::filters::Frames;
use crate::filters::survey::{Smoother, Smoothing, SurveyLayout};
use crate::video::{Planes, StreamInfo};

/// The brightness that frames are brought towards, as a part of white, and the stops that they are at most.
const USUAL: f64 = 0.42;
const MOST_STOPS: f64 = 1.5;

/// The power of the scale of light, as [`super::curves::LightCurve`] has it for stops.
const POWER: f64 = 2.2;

/// What exposures are made of.
pub struct Adapt {
    /// By brightness on the working scale: the gain of an exposure's curve, in 65536ths.
    pub gains: Vec<u32>,
    /// The tables of the method.
    pub base: FirstTable,
    pub smoother: Smoother,
}

/// What a method looks light up in.
#[derive(Clone)]
pub enum FirstTable {
    Curve(Curve),
    Exposures(Vec<Exposures>),
}

impl Adapt {
    /// `share` of the exposure that brings frames of `info` to the usual brightness.
    pub fn new(share: f64, smoothing: Smoothing, method: &MethodPlan, info: &StreamInfo) -> Adapt {
        Adapt {
            gains: gains(share),
            base: match method {
                MethodPlan::Scenery(scenery) => FirstTable::Curve(scenery.curve.clone()),
                MethodPlan::People(people) => FirstTable::Curve(people.curve.clone()),
                MethodPlan::Mixed(mixed) => FirstTable::Exposures(mixed.exposures.clone()),
            },
            smoother: Smoother::new(SurveyLayout::of(info), smoothing),
        }
    }
}

/// The gain for every brightness.
pub fn gains(share: f64) -> Vec<u32> {
    let gain = |brightness: usize| {
        let part = brightness.max(1) as f64 / f64::from(WHITE);
        let stops = (POWER * libm::log2(USUAL / part)).clamp(-MOST_STOPS, MOST_STOPS);
        libm::round(65_536.0 * libm::pow(2.0, share * stops / POWER)) as u32
    };
    (0..ENTRIES).map(gain).collect()
}

/// What `light` is exposed to: k·x/(1 + (k − 1)·x), rounded.
fn exposed(gain: u32, light: usize) -> usize {
    let (gain, light, white) = (u64::from(gain), light as u64, WHITE as u64);
    let below = (white << 16) - (light << 16) + gain * light;
    ((gain * light * white + below / 2) / below) as usize
}

impl Plan {
    /// Exposes the frame of a job that reads `src`.
    pub fn expose(&mut self, src: &Frames<'_, Planes<'_>>) {
        let Some(Adapt { gains, base, smoother }) = &mut self.adapt else { return };
        let gain = gains[usize::from(smoother.brightness(src).level >> 2)];
        match (&mut self.method, base) {
            (MethodPlan::Scenery(scenery), FirstTable::Curve(base)) => behind(gain, &base[..], &mut scenery.curve[..]),
            (MethodPlan::People(people), FirstTable::Curve(base)) => behind(gain, &base[..], &mut people.curve[..]),
            (MethodPlan::Mixed(mixed), FirstTable::Exposures(base)) => behind(gain, base, &mut mixed.exposures),
            _ => unreachable!("a method keeps its tables"),
        }
    }
}

/// Makes `table` what `base` is behind an exposure.
fn behind<T: Copy>(gain: u32, base: &[T], table: &mut [T]) {
    table.iter_mut().enumerate().for_each(|(light, entry)| *entry = base[exposed(gain, light)]);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exposures_worked_out_by_hand() {
        let all = gains(1.0);
        // At 0.42 nothing; a stop is 2^(1/2.2) = 1.3704, at 0.42/1.3704 = 0.30649; from 1.5 stops on no more.
        assert!(all[6881].abs_diff(65_536) <= 5 && all[5021].abs_diff(89_808) <= 20, "{} {}", all[6881], all[5021]);
        assert_eq!((all[0], all[4000]), (105_130, 105_130));
        assert!(all[16_383].abs_diff(40_853) <= 1 && all.is_sorted_by(|a, b| a >= b), "{}", all[16_383]);
        assert_eq!(gains(0.0), [65_536; ENTRIES]);
        // Half of the light with twice the gain: 2·½/(1 + ½) = 2/3. The ends stay.
        assert_eq!([0, 8192, 16_383].map(|light| exposed(131_072, light)), [0, 10_922, 16_383]);
        assert!((0..ENTRIES).all(|light| exposed(65_536, light) == light));
    }
}
