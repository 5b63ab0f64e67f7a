//! Values of a component as parts of its nominal range.

use super::Map;
use crate::filters::requant::{BLACK, LIMITED_CHROMA, LIMITED_LUMA, NEUTRAL, white};
use crate::video::StreamInfo;
use std::sync::Arc;

/// Where 0 and 1 are, in v16: nominal black and white; of chroma the middle and the upper end.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Nominal {
    zero: f64,
    one: f64,
}

impl Nominal {
    /// Of `component` of a stream.
    pub fn of(input: &StreamInfo, component: usize) -> Nominal {
        let white = f64::from(white(input.format.bit_depth()));
        // Where 0 is, and how far away 1 is.
        let (zero, one) = match (input.format.is_chroma(component), input.is_full_range()) {
            (false, true) => (0.0, white),
            (false, false) => (f64::from(BLACK), f64::from(LIMITED_LUMA)),
            (true, true) => (f64::from(NEUTRAL), white / 2.0),
            (true, false) => (f64::from(NEUTRAL), f64::from(LIMITED_CHROMA) / 2.0),
        };
        Nominal { zero, one }
    }

    /// The nearest v16 value of what `f` makes of every value.
    pub fn map(self, f: impl Fn(f64) -> f64 + Send + Sync + 'static) -> Map {
        let Nominal { zero, one } = self;
        Arc::new(move |value| {
            let made = f((f64::from(value) - zero) / one);
            libm::floor(zero + made * one + 0.5).clamp(0.0, 65535.0) as u16
        })
    }
}

/// `x^(1/gamma)`; of a negative `x` that of its opposite with the sign again.
pub fn gamma(x: f64, gamma: f64) -> f64 {
    if gamma == 1.0 { x } else { libm::copysign(libm::pow(x.abs(), 1.0 / gamma), x) }
}
