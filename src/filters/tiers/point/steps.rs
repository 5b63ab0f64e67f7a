//! What is done to the samples at one place, step by step.

use crate::filters::requant::NEUTRAL;
use crate::video::{Format, Model};
use std::array::from_fn;
use std::fmt;
use std::iter::once;
use std::ops::Range;
use std::sync::Arc;

/// A function of one sample.
pub type Map = Arc<dyn Fn(u16) -> u16 + Send + Sync>;

/// One step. Every step gives 16 bits, so that steps follow one another as filters do.
#[derive(Clone)]
pub enum Step {
    /// Each component by a function of its own; `None` leaves it.
    Maps([Option<Map>; 3]),
    /// Components are weighed sums of components.
    Mix(Mix),
    /// Colours become stronger where they are weak.
    Vibrance(Vibrance),
}

/// What a filter does to the samples at one place: steps in order. None: nothing changes.
#[derive(Clone, Debug, Default)]
pub struct Points {
    steps: Vec<Step>,
}

/// The components of `format` that lie at the same places, and are worked on together.
pub fn groups(format: Format) -> Vec<Range<usize>> {
    match format.model() {
        Model::Rgb => once(0..3).collect(),
        _ if format.components() == 3 => vec![0..1, 1..3],
        _ => once(0..1).collect(),
    }
}

impl Points {
    /// The steps.
    pub fn steps(&self) -> &[Step] {
        &self.steps
    }

    /// Nothing but a function of each component.
    pub fn of_maps(maps: [Option<Map>; 3]) -> Points {
        let mut points = Points::default();
        points.push(Step::Maps(maps));
        points
    }

    /// Adds a step, if it does anything. Functions of functions become one: each gives 16 bits, which the next one takes.
    pub fn push(&mut self, step: Step) {
        match (self.steps.last_mut(), step) {
            (_, Step::Maps(maps)) if maps.iter().all(Option::is_none) => {}
            (Some(Step::Maps(before)), Step::Maps(maps)) => {
                for (before, map) in before.iter_mut().zip(maps) {
                    *before = match (before.take(), map) {
                        (Some(first), Some(second)) => Some(Arc::new(move |value| second(first(value)))),
                        (first, second) => first.or(second),
                    };
                }
            }
            (_, step) => self.steps.push(step),
        }
    }

    /// These steps and then those of `next`.
    #[must_use]
    pub fn then(mut self, next: Points) -> Points {
        next.steps.into_iter().for_each(|step| self.push(step));
        self
    }

    /// What the components of `group` need of it: steps that leave them as they are keep no functions apart.
    #[must_use]
    pub fn of_group(&self, group: &Range<usize>) -> Points {
        let mut points = Points::default();
        for step in &self.steps {
            match step {
                Step::Maps(maps) => {
                    points.push(Step::Maps(from_fn(|c| maps[c].clone().filter(|_| group.contains(&c)))));
                }
                Step::Mix(mix) if group.clone().all(|c| mix.keeps(c)) => {}
                Step::Mix(_) | Step::Vibrance(_) if group.len() == 1 => {}
                _ => points.push(step.clone()),
            }
        }
        points
    }

    /// Whether a component may change.
    pub fn touches(&self, component: usize) -> bool {
        self.steps.iter().any(|step| match step {
            Step::Maps(maps) => maps[component].is_some(),
            Step::Mix(mix) => !mix.keeps(component),
            Step::Vibrance(vibrance) => vibrance.is_rgb || component > 0,
        })
    }

    /// The components of `group` after all steps: the definition.
    pub fn apply(&self, group: &Range<usize>, values: &mut [u16; 3]) {
        for step in &self.steps {
            match step {
                Step::Maps(maps) => group.clone().for_each(|c| {
                    values[c] = maps[c].as_ref().map_or(values[c], |map| map(values[c]));
                }),
                Step::Mix(_) | Step::Vibrance(_) if group.len() == 1 => {}
                Step::Mix(mix) => *values = mix.mixed(*values),
                Step::Vibrance(vibrance) if vibrance.is_rgb => *values = vibrance.rgb(*values),
                Step::Vibrance(vibrance) => [values[1], values[2]] = vibrance.chroma([values[1], values[2]]),
            }
        }
    }
}

impl fmt::Debug for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Step::Maps(maps) => write!(f, "Maps({:?})", maps.each_ref().map(Option::is_some)),
            Step::Mix(mix) => mix.fmt(f),
            Step::Vibrance(vibrance) => vibrance.fmt(f),
        }
    }
}

/// Sums of components about the middle of the scale, with weights in parts of `2^bits`.
///
/// Sums have 32 bits, which vectors add up at once: there are as many bits as leave room for them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mix {
    /// For each component of the result the weights of all.
    pub of: [[i32; 3]; 3],
    /// Bits of a weight below one: 14, or fewer where weights are large.
    pub bits: u32,
}

impl Mix {
    /// Weights as close to `rows` as integers are. `None` when they change nothing.
    ///
    /// # Panics
    /// When weights are beyond all that 32 bits hold.
    pub fn new(rows: [[f64; 3]; 3]) -> Option<Mix> {
        let at = |bits: u32| rows.map(|row| row.map(|weight| libm::round(weight * f64::from(1 << bits)) as i32));
        // Components are 2^15 from the middle at most.
        let fits = |of: &[[i32; 3]; 3]| of.iter().all(|row| row.iter().map(|w| w.unsigned_abs()).sum::<u32>() < 0xffff);
        let found = (1..=14).rev().map(|bits| Mix { of: at(bits), bits }).find(|mix| fits(&mix.of));
        let mix = found.expect("weights of sums in 32 bits");
        (!(0..3).all(|component| mix.keeps(component))).then_some(mix)
    }

    /// The same with sums of weights that are exactly one, so that grey stays grey.
    #[must_use]
    pub fn keeping_grey(mut self) -> Mix {
        for (own, row) in self.of.iter_mut().enumerate() {
            row[own] += (1 << self.bits) - row.iter().sum::<i32>();
        }
        self
    }

    /// Whether a component stays what it is.
    fn keeps(&self, component: usize) -> bool {
        (0..3).all(|of| self.of[component][of] == if of == component { 1 << self.bits } else { 0 })
    }

    /// The sums.
    #[inline(always)]
    pub fn mixed(&self, values: [u16; 3]) -> [u16; 3] {
        let from_middle = values.map(|value| i32::from(value) - NEUTRAL);
        self.of.map(|weights| {
            let sum = weights[0] * from_middle[0] + weights[1] * from_middle[1] + weights[2] * from_middle[2];
            (NEUTRAL + ((sum + (1 << self.bits >> 1)) >> self.bits)).clamp(0, 0xffff) as u16
        })
    }

    /// Those of Cb and Cr, in which luma has no weight.
    #[inline(always)]
    pub fn chroma(&self, values: [u16; 2]) -> [u16; 2] {
        let [_, cb, cr] = self.mixed([NEUTRAL as u16, values[0], values[1]]);
        [cb, cr]
    }
}

/// Weights of R, G and B in luma (BT.709) in 1/32768.
pub const LUMA: [i32; 3] = [6966, 23436, 2366];

/// Colours are multiplied with a gain that depends on how strong they are: `1 + amount` for grey, 1 for the strongest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Vibrance {
    /// The amount over `full`, in 2^-28.
    pub slope: i32,
    /// The strength of the strongest colours, in v16.
    pub full: i32,
    /// The components are R, G and B, and no chroma.
    pub is_rgb: bool,
}

impl Vibrance {
    /// With `amount` from −1 to 1. `None` when that is 0.
    pub fn new(amount: f64, full: i32, is_rgb: bool) -> Option<Vibrance> {
        let slope = libm::round(amount * f64::from(1 << 28) / f64::from(full)) as i32;
        (slope != 0).then_some(Vibrance { slope, full, is_rgb })
    }

    /// The gain of colours as strong as this, in 1/16384: from 0 to 2.
    #[inline(always)]
    fn gain(&self, strength: i32) -> i32 {
        (1 << 14) + ((self.slope * (self.full - strength.min(self.full))) >> 14)
    }

    /// Cb and Cr: the strength is the larger one's distance from the middle.
    #[inline(always)]
    pub fn chroma(&self, values: [u16; 2]) -> [u16; 2] {
        let [b, r] = values.map(|value| i32::from(value) - NEUTRAL);
        let gain = self.gain(b.abs().max(r.abs()));
        [b, r].map(|distance| strengthened(NEUTRAL, distance, gain))
    }

    /// R, G and B: the strength is the difference of the largest and the smallest, and luma stays.
    #[inline(always)]
    pub fn rgb(&self, values: [u16; 3]) -> [u16; 3] {
        let [r, g, b] = values.map(i32::from);
        let gain = self.gain(r.max(g).max(b) - r.min(g).min(b));
        let luma = (LUMA[0] * r + LUMA[1] * g + LUMA[2] * b + (1 << 14)) >> 15;
        [r, g, b].map(|value| strengthened(luma, value - luma, gain))
    }
}

/// What is `distance` from `centre` with a gain in 1/16384. The product has 32 bits: distances are below 2^15 where the gain
/// is above 1, and below 2^16 where it is not.
#[inline(always)]
fn strengthened(centre: i32, distance: i32, gain: i32) -> u16 {
    (centre + ((gain * distance + (1 << 13)) >> 14)).clamp(0, 0xffff) as u16
}
