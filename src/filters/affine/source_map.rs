//! Where the samples of a component lie in the source, in fixed point.

use super::matrix::Matrix;
use crate::filters::siting::Siting;
use crate::video::StreamInfo;

/// Fraction bits of what a place is worked out of.
const FINE: u32 = 32;

/// Places between samples, by which weights are kept: 2^8.
pub const PHASE_BITS: u32 = 8;

/// Sample (i, j) shows what lies at (column·(i, j, 1), row·(i, j, 1)) of the source, in 2^-32 of a sample.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SourceMap {
    pub column: [i64; 3],
    pub row: [i64; 3],
}

/// A place: the sample at or before it, and how far behind that it is, in 2^-8.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SourcePoint {
    pub whole: i32,
    pub phase: usize,
}

impl SourceMap {
    /// Of component `index`, where `shown` says which luma place about the middle a place about the middle shows.
    pub fn new(shown: &Matrix, input: &StreamInfo, index: usize, siting: Siting) -> SourceMap {
        let format = input.format;
        let (w, h) = if format.is_chroma(index) { (format.subsampling_w(), format.subsampling_h()) } else { (0, 0) };
        // Luma samples from one of the component's to the next, and where its first lies from the middle.
        let steps = [f64::from(1u32 << w), f64::from(1u32 << h)];
        let right = if w > 0 { siting.right() as f64 / 2.0 } else { 0.0 };
        let down = if h > 0 { siting.down() as f64 / 2.0 } else { 0.0 };
        let first = [right - (input.width as f64 - 1.0) / 2.0, down - (input.height as f64 - 1.0) / 2.0];
        let Matrix([a, b, c, d, e, f]) = *shown;
        let fine = |value: f64| libm::round(value * (1u64 << FINE) as f64) as i64;
        let along = |x: f64, y: f64, shift: f64, axis: usize| {
            let begin = x * first[0] + y * first[1] + shift - first[axis];
            [x * steps[0], y * steps[1], begin].map(|value| fine(value / steps[axis]))
        };
        SourceMap { column: along(a, b, c, 0), row: along(d, e, f, 1) }
    }

    /// True when every sample shows itself.
    pub fn is_identity(&self) -> bool {
        let one = 1 << FINE;
        *self == SourceMap { column: [one, 0, 0], row: [0, one, 0] }
    }

    /// The column and the row that sample (i, j) shows.
    #[inline(always)]
    pub fn at(&self, i: usize, j: usize) -> [SourcePoint; 2] {
        [self.column, self.row].map(|[by_column, by_row, first]| {
            const DROP: u32 = FINE - PHASE_BITS;
            let place = (by_column * i as i64 + by_row * j as i64 + first + (1 << (DROP - 1))) >> DROP;
            SourcePoint { whole: (place >> PHASE_BITS) as i32, phase: (place & ((1 << PHASE_BITS) - 1)) as usize }
        })
    }
}
