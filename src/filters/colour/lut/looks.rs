//! Tables that need no file: to try the filter with, and for its tests.

use super::{ColourCube, Curves, Lut, LutDomain};

crate::choices! {
    /// Tables that are built in.
    pub enum Look {
        /// Nothing changes.
        None = "none",
        /// Warm lights, cool shadows, a little more colour: a cube of 33.
        Warm = "warm",
        /// Soft contrast, faded blacks, pale colours: a curve and a cube of 17.
        Faded = "faded",
    }
}

/// How much red, green and blue are of luma.
const LUMA: [f64; 3] = [0.2126, 0.7152, 0.0722];

impl Look {
    /// The table.
    pub fn lut(self) -> Lut {
        match self {
            Look::None => Lut::of(2, |colour| colour),
            Look::Warm => Lut::of(33, warm),
            Look::Faded => {
                let bent = |i: usize| soft(i as f64 / 1023.0) as f32;
                let curves = Curves { domain: LutDomain::UNIT, values: (0..1024).map(|i| [bent(i); 3]).collect() };
                Lut { curves: Some(curves), ..Lut::of(17, faded) }
            }
        }
    }
}

impl Lut {
    /// The cube of `f`, which gets and gives colours from 0 to 1.
    pub fn of(edge: usize, f: impl Fn([f64; 3]) -> [f64; 3]) -> Lut {
        let part = |i: usize| i as f64 / (edge - 1) as f64;
        let places = (0..edge).flat_map(|b| (0..edge).flat_map(move |g| (0..edge).map(move |r| [r, g, b])));
        let values = places.map(|place| f(place.map(part)).map(|value| value.clamp(0.0, 1.0) as f32)).collect();
        Lut { cube: Some(ColourCube { domain: LutDomain::UNIT, edge, values }), ..Lut::default() }
    }
}

fn luma(colour: [f64; 3]) -> f64 {
    (0..3).map(|i| LUMA[i] * colour[i]).sum()
}

/// `colour` with its differences from grey multiplied.
fn saturated(colour: [f64; 3], by: f64) -> [f64; 3] {
    let y = luma(colour);
    colour.map(|value| (y + (value - y) * by).clamp(0.0, 1.0))
}

fn warm(colour: [f64; 3]) -> [f64; 3] {
    let [r, g, b] = saturated(colour, 1.15);
    let light = luma([r, g, b]);
    let shadow = 1.0 - light;
    [
        r + 0.06 * light * (1.0 - r),
        g + 0.01 * light * (1.0 - g),
        b * (1.0 - 0.12 * light) + 0.03 * shadow * shadow * (1.0 - b),
    ]
}

/// Rises fastest in the middle.
fn soft(value: f64) -> f64 {
    0.5 * value + 0.5 * value * value * (3.0 - 2.0 * value)
}

fn faded(colour: [f64; 3]) -> [f64; 3] {
    saturated(colour, 0.75).map(|value| 0.05 + 0.9 * value)
}
