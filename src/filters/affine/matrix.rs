//! Where places about the middle of a picture go.

use crate::error::{Error, Result};
use crate::params::{Argument, ParamKind, ParamValue, refuse};

/// The largest number of a matrix, and of what undoes it: beyond it a picture is a point or a line.
const MOST: f64 = 1024.0;

/// (x, y) goes to (a·x + b·y + c, d·x + e·y + f).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Matrix(pub [f64; 6]);

impl Matrix {
    pub const FORM: ParamKind = ParamKind::Text("six numbers a b c d e f, as '1 0 0 0 1 0'");

    /// What moves nothing.
    pub const NEUTRAL: Matrix = Matrix([1.0, 0.0, 0.0, 0.0, 1.0, 0.0]);

    /// A shear, a scale, a turn clockwise, a shift.
    pub fn of(degrees: f64, scale: f64, [shear_x, shear_y]: [f64; 2], [x, y]: [f64; 2]) -> Matrix {
        let (sin, cos) = turn(degrees);
        let [a, b, d, e] = [cos - sin * shear_y, cos * shear_x - sin, sin + cos * shear_y, sin * shear_x + cos];
        Matrix([scale * a, scale * b, x, scale * d, scale * e, y])
    }

    /// What brings places back.
    ///
    /// # Errors
    /// When several places go to one, or nearly.
    pub fn inverse(&self) -> Result<Matrix> {
        let Matrix([a, b, c, d, e, f]) = *self;
        let area = a * e - b * d;
        let [a, b, d, e] = [e / area, -b / area, -d / area, a / area];
        let back = Matrix([a, b, -(a * c + b * f), d, e, -(d * c + e * f)]);
        match [a, b, d, e].iter().all(|number| number.abs() <= MOST) {
            true => Ok(back),
            false => Err(Error::bad_argument(
                "the picture would be shown as a line or a point: shear_x times shear_y is near 1, or a·e − b·d of matrix= near 0",
            )),
        }
    }

    /// The same between samples `width` times as wide as high, of a turn and a shear that are seen.
    pub fn of_samples(&self, width: f64) -> Matrix {
        let Matrix([a, b, c, d, e, f]) = *self;
        Matrix([a, b / width, c, d * width, e, f])
    }
}

/// Sine and cosine; those of quarter turns are exact.
fn turn(degrees: f64) -> (f64, f64) {
    match degrees.rem_euclid(360.0) {
        0.0 => (0.0, 1.0),
        90.0 => (1.0, 0.0),
        180.0 => (0.0, -1.0),
        270.0 => (-1.0, 0.0),
        other => (libm::sin(other.to_radians()), libm::cos(other.to_radians())),
    }
}

impl ParamValue for Matrix {
    fn parse(given: &Argument<'_>) -> Result<Matrix> {
        let words =
            given.text.split(|c: char| c.is_whitespace() || c == ',' || c == '/').filter(|word| !word.is_empty());
        let numbers: Option<Vec<f64>> =
            words.map(|word| word.parse().ok().filter(|n: &f64| n.abs() <= 65536.0)).collect();
        numbers.and_then(|numbers| numbers.try_into().ok()).map(Matrix).ok_or_else(|| refuse(given))
    }

    fn print(&self) -> String {
        self.0.map(|number| number.to_string()).join(" ")
    }
}
