//! What a sample weighs by its distance from the place that is made.

use libm::{exp, sin};
use std::f64::consts::PI;

crate::choices! {
    /// The shape of a kernel.
    pub enum Shape {
        /// The nearest sample.
        Point = "point",
        /// A triangle over two samples.
        Bilinear = "bilinear",
        /// A cubic of two pieces, by `b` and `c`.
        Bicubic = "bicubic",
        /// The cubic with b = c = 1/3.
        Mitchell = "mitchell",
        /// The cubic with b = 0, c = 1/2.
        CatmullRom = "catmull_rom",
        /// A sine, windowed by a wider one.
        Lanczos = "lanczos",
        /// Cubics over four samples.
        Spline16 = "spline16",
        /// Cubics over six samples.
        Spline36 = "spline36",
        /// Cubics over eight samples.
        Spline64 = "spline64",
        /// The mean over the area of the sample that is made.
        Area = "area",
        /// The cubic with b = c = 0.
        Hermite = "hermite",
        /// A Gaussian over four samples.
        Gauss = "gauss",
    }
    spelled by is_name_of;
}

/// Other names of the shapes, in FFmpeg, NVEncC, zimg and libplacebo among them.
fn is_name_of(word: &str, text: &str) -> bool {
    let others: &[&str] = match word {
        "point" => &["nearest", "neighbor", "nn"],
        "bilinear" => &["linear", "triangle"],
        "bicubic" => &["cubic"],
        "catmull_rom" => &["catrom", "catmullrom"],
        "lanczos" => &["lanczos3"],
        "area" => &["box", "super"],
        "gauss" => &["gaussian"],
        _ => &[],
    };
    others.contains(&text)
}

/// A kernel.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ResamplingKernel {
    /// Its shape.
    pub shape: Shape,
    /// The first parameter of `bicubic`: blur.
    pub b: f64,
    /// Its second: ringing.
    pub c: f64,
    /// Half as many samples as `lanczos` spans.
    pub taps: i64,
}

impl ResamplingKernel {
    /// How far samples count, where nothing is reduced. A point and an area need no radius.
    pub fn radius(&self) -> f64 {
        match self.shape {
            Shape::Point | Shape::Area => 0.0,
            Shape::Bilinear | Shape::Hermite => 1.0,
            Shape::Bicubic | Shape::Mitchell | Shape::CatmullRom | Shape::Spline16 | Shape::Gauss => 2.0,
            Shape::Spline36 => 3.0,
            Shape::Spline64 => 4.0,
            Shape::Lanczos => self.taps as f64,
        }
    }

    /// The weight at distance `x`, before weights are made to sum to one.
    pub fn at(&self, x: f64) -> f64 {
        let x = x.abs();
        if x >= self.radius() {
            return 0.0;
        }
        match self.shape {
            Shape::Point | Shape::Area => 0.0,
            Shape::Bilinear => 1.0 - x,
            Shape::Bicubic => cubic(x, self.b, self.c),
            Shape::Mitchell => cubic(x, 1.0 / 3.0, 1.0 / 3.0),
            Shape::CatmullRom => cubic(x, 0.0, 0.5),
            Shape::Hermite => cubic(x, 0.0, 0.0),
            Shape::Lanczos => sinc(x) * sinc(x / self.taps as f64),
            Shape::Gauss => exp(-2.0 * x * x),
            Shape::Spline16 => pieces(x, &[[1.0, -9.0 / 5.0, -1.0 / 5.0], [-1.0 / 3.0, 4.0 / 5.0, -7.0 / 15.0]]),
            Shape::Spline36 => pieces(
                x,
                &[
                    [13.0 / 11.0, -453.0 / 209.0, -3.0 / 209.0],
                    [-6.0 / 11.0, 270.0 / 209.0, -156.0 / 209.0],
                    [1.0 / 11.0, -45.0 / 209.0, 26.0 / 209.0],
                ],
            ),
            Shape::Spline64 => pieces(
                x,
                &[
                    [49.0 / 41.0, -6387.0 / 2911.0, -3.0 / 2911.0],
                    [-24.0 / 41.0, 4032.0 / 2911.0, -2328.0 / 2911.0],
                    [6.0 / 41.0, -1008.0 / 2911.0, 582.0 / 2911.0],
                    [-1.0 / 41.0, 168.0 / 2911.0, -97.0 / 2911.0],
                ],
            ),
        }
    }
}

/// The cubic of Mitchell and Netravali (1988).
fn cubic(x: f64, b: f64, c: f64) -> f64 {
    let sixths = match x < 1.0 {
        true => (6.0 - 2.0 * b) + x * x * ((-18.0 + 12.0 * b + 6.0 * c) + x * (12.0 - 9.0 * b - 6.0 * c)),
        false => (8.0 * b + 24.0 * c) + x * (-(12.0 * b + 48.0 * c) + x * ((6.0 * b + 30.0 * c) - x * (b + 6.0 * c))),
    };
    sixths / 6.0
}

fn sinc(x: f64) -> f64 {
    if x == 0.0 { 1.0 } else { sin(PI * x) / (PI * x) }
}

/// A cubic for each unit of distance: y³, y² and y of what lies beyond the unit's start. The first is 1 at 0, all others 0.
fn pieces(x: f64, cubics: &[[f64; 3]]) -> f64 {
    let piece = x as usize;
    let (y, [p, q, r]) = (x - piece as f64, cubics[piece]);
    let start = if piece == 0 { 1.0 } else { 0.0 };
    ((p * y + q) * y + r) * y + start
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::params::Choice;

    fn kernel(shape: Shape) -> ResamplingKernel {
        ResamplingKernel { shape, b: 0.0, c: 0.5, taps: 3 }
    }

    #[test]
    fn every_kernel_is_one_over_all_samples_or_nearly() {
        for shape in Shape::ALL.iter().filter(|shape| !matches!(shape, Shape::Point | Shape::Area)) {
            let kernel = kernel(*shape);
            for phase in 0..10 {
                let sum: f64 = (-9..=9).map(|i| kernel.at(f64::from(i) + f64::from(phase) / 10.0)).sum();
                let slack = if *shape == Shape::Gauss { 0.3 } else { 0.02 };
                assert!((sum - 1.0).abs() < slack, "{shape:?} at {phase}: {sum}");
            }
        }
    }

    #[test]
    fn weights_worked_out_by_hand() {
        // Catmull-Rom at 1/2: (6 − 15/4 + 9/8)/6 = 9/16, and at 3/2: (12 − 36 + 135/4 − 81/8)/6 = −1/16.
        let near = |shape, x: f64, expected: f64| {
            let got = kernel(shape).at(x);
            assert!((got - expected).abs() < 1e-12, "{shape:?} at {x}: {got}, not {expected}");
        };
        near(Shape::CatmullRom, 0.5, 9.0 / 16.0);
        near(Shape::CatmullRom, -1.5, -1.0 / 16.0);
        near(Shape::Bicubic, 0.5, 9.0 / 16.0);
        near(Shape::Mitchell, 0.0, 8.0 / 9.0);
        near(Shape::Mitchell, 1.0, 1.0 / 18.0);
        near(Shape::Hermite, 0.25, 27.0 / 32.0);
        // (2/π)·(sin 30°·6/π) = 2/π · 3/π.
        near(Shape::Lanczos, 0.5, 6.0 / (PI * PI));
        near(Shape::Spline16, 0.5, 0.575);
        near(Shape::Spline16, 1.5, -0.075);
        for (shape, reach) in [(Shape::Spline16, 2), (Shape::Spline36, 3), (Shape::Spline64, 4)] {
            near(shape, 0.0, 1.0);
            // Pieces meet at 0.
            (1..=reach).for_each(|x| near(shape, f64::from(x) - 1e-14, 0.0));
        }
    }
}
