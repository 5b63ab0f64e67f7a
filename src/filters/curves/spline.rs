//! Curves through points.

use crate::error::Result;
use crate::params::{Argument, ParamKind, ParamValue, refuse};

/// The most points of a curve.
const MOST_POINTS: usize = 256;

/// The points of a curve from left to right, both coordinates from 0 to 1. Without any, the curve changes nothing.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CurvePoints(Vec<(f64, f64)>);

impl CurvePoints {
    /// How points are written.
    pub const FORM: ParamKind = ParamKind::Text(
        "none, or two points or more from left to right, x/y of 0 to 1, as 0/0+0.5/0.6+1/1 or '0/0 0.5/0.6 1/1'",
    );

    /// Whether no curve is given.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    fn read(text: &str) -> Option<CurvePoints> {
        if text == "none" {
            return Some(CurvePoints::default());
        }
        let number = |text: &str| text.parse().ok().filter(|value| (0.0..=1.0).contains(value));
        let point = |text: &str| {
            let (x, y) = text.split_once('/')?;
            Some((number(x)?, number(y)?))
        };
        let words = || text.split(|c: char| c == '+' || c.is_ascii_whitespace()).filter(|word| !word.is_empty());
        let points: Vec<(f64, f64)> = words().map(point).collect::<Option<_>>()?;
        let counts = (2..=MOST_POINTS).contains(&points.len());
        (counts && points.is_sorted_by(|a, b| a.0 < b.0)).then_some(CurvePoints(points))
    }
}

impl ParamValue for CurvePoints {
    fn parse(given: &Argument<'_>) -> Result<CurvePoints> {
        CurvePoints::read(given.text).ok_or_else(|| refuse(given))
    }

    fn print(&self) -> String {
        match self.is_empty() {
            true => "none".to_owned(),
            false => self.0.iter().map(|(x, y)| format!("{x}/{y}")).collect::<Vec<_>>().join("+"),
        }
    }
}

crate::choices! {
    /// How a curve goes from point to point.
    pub enum CurveInterp {
        /// A natural cubic spline: smooth, and it may swing beyond its points.
        Natural = "natural",
        /// Monotone cubics: never beyond its points.
        Monotone = "monotone",
    }
    spelled by is_pchip;
}

/// FFmpeg's word for monotone cubics.
fn is_pchip(word: &str, text: &str) -> bool {
    (word, text) == ("monotone", "pchip")
}

/// A curve: on each span between two points a cubic with these slopes at its ends.
pub struct Curve {
    points: Vec<(f64, f64)>,
    slopes: Vec<f64>,
}

impl Curve {
    /// The curve through `points`. With none, nothing changes.
    pub fn new(points: &CurvePoints, interp: CurveInterp) -> Curve {
        let points = if points.is_empty() { vec![(0.0, 0.0), (1.0, 1.0)] } else { points.0.clone() };
        let widths: Vec<f64> = points.windows(2).map(|pair| pair[1].0 - pair[0].0).collect();
        let rises: Vec<f64> =
            points.windows(2).zip(&widths).map(|(pair, width)| (pair[1].1 - pair[0].1) / width).collect();
        let slopes = match interp {
            CurveInterp::Natural => natural(&widths, &rises),
            CurveInterp::Monotone => monotone(&widths, &rises),
        };
        Curve { points, slopes }
    }

    /// Its height at `x`, from 0 to 1. Beyond the first and the last point it is flat.
    pub fn at(&self, x: f64) -> f64 {
        let (first, last) = (self.points[0], self.points[self.points.len() - 1]);
        if x <= first.0 || x >= last.0 {
            return if x <= first.0 { first.1 } else { last.1 };
        }
        let right = self.points.partition_point(|point| point.0 <= x);
        let ((x0, y0), (x1, y1)) = (self.points[right - 1], self.points[right]);
        let (width, t) = (x1 - x0, (x - x0) / (x1 - x0));
        let (s0, s1) = (self.slopes[right - 1] * width, self.slopes[right] * width);
        // Hermite's form: y0 + s0·t + (3Δ − 2s0 − s1)·t² + (s0 + s1 − 2Δ)·t³.
        let rise = y1 - y0;
        let cubic = y0 + t * (s0 + t * ((3.0 * rise - 2.0 * s0 - s1) + t * (s0 + s1 - 2.0 * rise)));
        cubic.clamp(0.0, 1.0)
    }
}

/// Slopes at points of the spline whose second derivative is continuous, and 0 at both ends.
///
/// With `h` for widths and `d` for rises, `s[i−1]/h[i−1] + 2s[i](1/h[i−1] + 1/h[i]) + s[i+1]/h[i] = 3(d[i−1]/h[i−1] + d[i]/h[i])`
/// inside, and at the ends `2s[0] + s[1] = 3d[0]` and its mirror image: solved from left to right, and back.
fn natural(widths: &[f64], rises: &[f64]) -> Vec<f64> {
    let last = widths.len();
    // Of each row what is left of the diagonal, the diagonal, what is right of it, and the right side.
    let row = |i: usize| -> [f64; 4] {
        if i == 0 {
            return [0.0, 2.0, 1.0, 3.0 * rises[0]];
        }
        let (left, rise) = (1.0 / widths[i - 1], rises[i - 1]);
        if i == last {
            return [1.0, 2.0, 0.0, 3.0 * rise];
        }
        let right = 1.0 / widths[i];
        [left, 2.0 * (left + right), right, 3.0 * (rise * left + rises[i] * right)]
    };
    let (mut factors, mut slopes) = (vec![0.0; last + 1], vec![0.0; last + 1]);
    for i in 0..=last {
        let [left, middle, right, side] = row(i);
        let (factor, before) = if i == 0 { (0.0, 0.0) } else { (factors[i - 1], slopes[i - 1]) };
        let pivot = middle - left * factor;
        factors[i] = right / pivot;
        slopes[i] = (side - left * before) / pivot;
    }
    for i in (0..last).rev() {
        slopes[i] -= factors[i] * slopes[i + 1];
    }
    slopes
}

/// Slopes at points of cubics that rise and fall only as the points do: inside, the weighed harmonic mean of the rises on both
/// sides, and 0 where these differ in sign (Fritsch and Butland, *A method for constructing local monotone piecewise cubic
/// interpolants*, 1984); at an end that of the parabola through three points, kept from turning.
fn monotone(widths: &[f64], rises: &[f64]) -> Vec<f64> {
    let last = widths.len();
    let inside = |i: usize| {
        let (h0, h1, d0, d1) = (widths[i - 1], widths[i], rises[i - 1], rises[i]);
        let (w0, w1) = (2.0 * h1 + h0, h1 + 2.0 * h0);
        if d0 * d1 > 0.0 { (w0 + w1) / (w0 / d0 + w1 / d1) } else { 0.0 }
    };
    let end = |h0: f64, h1: f64, d0: f64, d1: f64| {
        let slope = ((2.0 * h0 + h1) * d0 - h0 * d1) / (h0 + h1);
        match slope * d0 > 0.0 {
            false => 0.0,
            true if d0 * d1 < 0.0 && slope.abs() > 3.0 * d0.abs() => 3.0 * d0,
            true => slope,
        }
    };
    let slope = |i: usize| match i {
        _ if last == 1 => rises[0],
        0 => end(widths[0], widths[1], rises[0], rises[1]),
        _ if i == last => end(widths[last - 1], widths[last - 2], rises[last - 1], rises[last - 2]),
        _ => inside(i),
    };
    (0..=last).map(slope).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn curve(text: &str, interp: CurveInterp) -> Curve {
        Curve::new(&CurvePoints::read(text).unwrap(), interp)
    }

    #[test]
    fn two_points_are_a_straight_line_and_flat_beyond() {
        for interp in [CurveInterp::Natural, CurveInterp::Monotone] {
            let line = curve("0.25/0.5 0.75/1", interp);
            let heights = [-1.0, 0.0, 0.25, 0.5, 0.625, 0.75, 0.9, 2.0].map(|x| line.at(x));
            assert_eq!(heights, [0.5, 0.5, 0.5, 0.75, 0.875, 1.0, 1.0, 1.0]);
        }
    }

    #[test]
    fn a_natural_spline_has_no_curvature_at_its_ends() {
        // Through (0, 0), (½, y), (1, 1): s = (3y − ¼ − ½·…): by symmetry of the system s0 = 3d0/2 − s1/2, s2 = 3d1/2 − s1/2,
        // and s0 + 4s1 + s2 = 3(d0 + d1) gives s1 = (d0 + d1)/2 = 1. With y = 0.4: d0 = 0.8, s0 = 0.7.
        let spline = curve("0/0 0.5/0.4 1/1", CurveInterp::Natural);
        for (slope, wanted) in spline.slopes.iter().zip([0.7, 1.0, 1.3]) {
            assert!((slope - wanted).abs() < 1e-12, "{:?}", spline.slopes);
        }
        // At a quarter: ½·(0 + 0.4) + width·(s0 − s1)/8 = 0.2 − 0.01875.
        assert!((spline.at(0.25) - 0.181_25).abs() < 1e-12);
    }

    #[test]
    fn a_natural_spline_swings_and_monotone_cubics_do_not() {
        let text = "0/0 0.4/0.1 0.5/0.9 0.9/0.95 1/0.95";
        let heights = |interp| (0..=1000).map(|i| curve(text, interp).at(f64::from(i) / 1000.0)).collect::<Vec<_>>();
        assert!(!heights(CurveInterp::Natural).is_sorted());
        let monotone = heights(CurveInterp::Monotone);
        assert!(monotone.is_sorted() && monotone[1000] == 0.95 && monotone[950] == 0.95);
        // Every point is met.
        for (x, y) in [(400, 0.1), (500, 0.9), (900, 0.95)] {
            assert!((monotone[x] - y).abs() < 1e-12 && (heights(CurveInterp::Natural)[x] - y).abs() < 1e-12);
        }
    }

    #[test]
    fn points_are_read_and_written() {
        let print = |text: &str| CurvePoints::read(text).map(|points| points.print());
        assert_eq!(print("0/0 0.5/.6  1/1").as_deref(), Some("0/0+0.5/0.6+1/1"));
        assert_eq!(print("0/0+0.5/0.6+1/1").as_deref(), Some("0/0+0.5/0.6+1/1"));
        assert_eq!(print("none").as_deref(), Some("none"));
        for wrong in
            ["0/0", "0/0 0/1", "1/1 0/0", "0/0 1/1.1", "0/0 -0.1/1", "0/0 1", "0/nan 1/1", "a/b c/d", "0/0 1/inf"]
        {
            assert_eq!(print(wrong), None, "{wrong}");
        }
    }
}
