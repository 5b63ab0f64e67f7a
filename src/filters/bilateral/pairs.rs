//! Sums over the columns of two rows: a weight is worked out once for both samples of a pair.

use super::weights::{WeightCurve, Weights};
use crate::device::cpu::CpuLevel;
use crate::filters::bilateral::tuning::cpu::TAPS;
use crate::simd::dispatch::by_level;

/// Columns go by as many, which no vector exceeds: there is none left over that would be added alone.
const STEP: usize = 32;

/// Samples before the first of a padded row: all that a sample beyond the end is weighed with, as one of a window, and one
/// more, since taps come by twos.
pub(super) fn before(columns: usize) -> usize {
    2 * columns + 1
}

/// Samples of a row of `width` with those beyond both its ends: on the right as many, and what steps overrun.
pub(super) fn padded(width: usize, columns: usize) -> usize {
    width + 2 * before(columns) + STEP
}

/// A padded row of samples.
#[derive(Clone, Copy)]
pub(super) struct PaddedRow<'a> {
    /// What is averaged.
    pub values: &'a [f32],
    /// What differences are of.
    pub steers: &'a [f32],
}

impl<'a> PaddedRow<'a> {
    /// `len` samples from `x` on.
    #[inline(always)]
    fn part(&self, x: usize, len: usize) -> PaddedRow<'a> {
        PaddedRow { values: &self.values[x..][..len], steers: &self.steers[x..][..len] }
    }
}

/// Sums of a padded row: of weighted differences, and of their weights.
#[derive(Default)]
pub(super) struct WeightedSums {
    /// Those over all rows so far.
    pub sum: Vec<f32>,
    pub total: Vec<f32>,
    /// Those over the row that is being added.
    row_sum: Vec<f32>,
    row_total: Vec<f32>,
}

impl WeightedSums {
    /// Makes room for rows of `len`.
    pub fn fit(&mut self, len: usize) {
        for sums in [&mut self.sum, &mut self.total, &mut self.row_sum, &mut self.row_total] {
            sums.resize(sums.len().max(len), 0.0);
        }
    }

    /// Forgets the rows so far.
    pub fn clear(&mut self) {
        self.sum.fill(0.0);
        self.total.fill(0.0);
    }

    /// `len` sums from `x` on.
    #[inline(always)]
    fn part(&mut self, x: usize, len: usize) -> ColumnSums<'_> {
        ColumnSums {
            sum: &mut self.sum[x..][..len],
            total: &mut self.total[x..][..len],
            row_sum: &mut self.row_sum[x..][..len],
            row_total: &mut self.row_total[x..][..len],
        }
    }
}

/// Some columns of [`WeightedSums`].
struct ColumnSums<'a> {
    sum: &'a mut [f32],
    total: &'a mut [f32],
    row_sum: &'a mut [f32],
    row_total: &'a mut [f32],
}

impl ColumnSums<'_> {
    /// The first `len` columns.
    #[inline(always)]
    fn cut(self, len: usize) -> Self {
        ColumnSums {
            sum: &mut self.sum[..len],
            total: &mut self.total[..len],
            row_sum: &mut self.row_sum[..len],
            row_total: &mut self.row_total[..len],
        }
    }
}

/// Two rows, and how they are weighed.
#[derive(Clone, Copy)]
pub(super) struct RowPair<'a> {
    pub weights: &'a Weights,
    pub guided: bool,
    /// Samples of a row.
    pub width: usize,
    pub first: PaddedRow<'a>,
    pub second: PaddedRow<'a>,
    /// The weight of their distance.
    pub down: f32,
    /// Whether the columns of windows go from right to left.
    pub leftward: bool,
}

impl RowPair<'_> {
    /// Adds the second row to the sums of the first's windows, and the first to those of the second's where these are given,
    /// whose columns go in the other direction.
    ///
    /// # Safety
    /// The processor must have `level`.
    pub unsafe fn add(&self, level: CpuLevel, first: &mut WeightedSums, second: Option<&mut WeightedSums>) {
        // SAFETY: by the caller.
        unsafe { add_rows(level, self, first, second) };
    }
}

by_level!(add_rows = add(pair: &RowPair<'_>, first: &mut WeightedSums, second: Option<&mut WeightedSums>));

#[inline(always)]
fn add(pair: &RowPair<'_>, first: &mut WeightedSums, second: Option<&mut WeightedSums>) {
    match (pair.weights.is_cubic(), pair.guided) {
        (true, false) => add_all::<3, false>(pair, first, second),
        (false, false) => add_all::<4, false>(pair, first, second),
        (_, true) => add_all::<4, true>(pair, first, second),
    }
}

#[inline(always)]
fn add_all<const DEGREE: usize, const GUIDED: bool>(
    pair: &RowPair<'_>,
    first: &mut WeightedSums,
    second: Option<&mut WeightedSums>,
) {
    match second {
        Some(second) => add_taps::<DEGREE, GUIDED, true>(pair, first, second),
        None => add_taps::<DEGREE, GUIDED, false>(pair, first, &mut WeightedSums::default()),
    }
}

#[inline(always)]
fn add_taps<const DEGREE: usize, const GUIDED: bool, const BOTH: bool>(
    pair: &RowPair<'_>,
    first: &mut WeightedSums,
    second: &mut WeightedSums,
) {
    // The number of columns is odd, and three or more.
    let last = 2 * pair.weights.radii().0 - 1;
    add_some::<DEGREE, GUIDED, BOTH, 1, false>(pair, 0, first, second);
    for tap in (1..last).step_by(TAPS) {
        add_some::<DEGREE, GUIDED, BOTH, TAPS, false>(pair, tap, first, second);
    }
    add_some::<DEGREE, GUIDED, BOTH, TAPS, true>(pair, last, first, second);
}

/// Adds `N` taps from `tap` on.
#[inline(always)]
fn add_some<const DEGREE: usize, const GUIDED: bool, const BOTH: bool, const N: usize, const LAST: bool>(
    pair: &RowPair<'_>,
    tap: usize,
    first: &mut WeightedSums,
    second: &mut WeightedSums,
) {
    let RowPair { weights, width, .. } = pair;
    let (columns, _) = weights.radii();
    let (mut left, mut right) = (before(columns), before(columns) + width);
    if BOTH {
        // Samples beyond the ends have weights for those inside.
        left = left.min(left + columns + 1 - tap - N);
        right = right.max(right + columns - tap);
    }
    let len = (right - left).next_multiple_of(STEP);
    let mut taps = Taps { curve: weights.curve, down: pair.down, across: [0.0; N], beside: [pair.second; N] };
    for k in 0..N {
        let at = if pair.leftward { 2 * columns - tap - k } else { tap + k };
        taps.across[k] = weights.across[at.abs_diff(columns)];
        taps.beside[k] = pair.second.part(left + at - columns, len);
    }
    let to = if BOTH { second.part(left + tap - columns, len) } else { second.part(0, 0) };
    add_columns::<DEGREE, GUIDED, BOTH, N, LAST>(&taps, pair.first.part(left, len), first.part(left, len), to);
}

/// Samples that are added at a time to the sums of those that they lie beside.
struct Taps<'a, const N: usize> {
    curve: WeightCurve,
    down: f32,
    across: [f32; N],
    beside: [PaddedRow<'a>; N],
}

/// Adds `taps` to the sums of the middles, `own`, and the middles to the sums of tap 0: that of the same column, and as tap 1,
/// with the weight worked out there, that of the column before.
#[inline(always)]
fn add_columns<const DEGREE: usize, const GUIDED: bool, const BOTH: bool, const N: usize, const LAST: bool>(
    taps: &Taps<'_, N>,
    middle: PaddedRow<'_>,
    own: ColumnSums<'_>,
    other: ColumnSums<'_>,
) {
    let len = own.sum.len();
    let middle = middle.part(0, len);
    let others = if BOTH { len } else { 0 };
    let own = own.cut(len);
    let other = other.cut(others);
    assert!(taps.beside.iter().all(|row| row.values.len() == len && row.steers.len() == len));
    // The weight and the difference of tap 1 in the column before.
    let mut earlier = (0.0, 0.0);
    for x in 0..len {
        let mut sums = if N == 1 { (0.0, 0.0) } else { (own.row_sum[x], own.row_total[x]) };
        let mut other_sums = if N == 1 || !BOTH { (0.0, 0.0) } else { (other.row_sum[x], other.row_total[x]) };
        for k in 0..N {
            // SAFETY: all parts are `len` long.
            let (value, steer) =
                unsafe { (*taps.beside[k].values.get_unchecked(x), *taps.beside[k].steers.get_unchecked(x)) };
            let difference = value - middle.values[x];
            let apart = if GUIDED { steer - middle.steers[x] } else { difference };
            let weight = taps.curve.weight::<DEGREE>(apart, taps.across[k]);
            sums = (weight.mul_add(difference, sums.0), sums.1 + weight);
            let (weight, difference) =
                if k == 0 { (weight, difference) } else { std::mem::replace(&mut earlier, (weight, difference)) };
            other_sums = (weight.mul_add(-difference, other_sums.0), other_sums.1 + weight);
        }
        if LAST {
            own.sum[x] = taps.down.mul_add(sums.0, own.sum[x]);
            own.total[x] = taps.down.mul_add(sums.1, own.total[x]);
        } else {
            (own.row_sum[x], own.row_total[x]) = sums;
        }
        if BOTH && LAST {
            other.sum[x] = taps.down.mul_add(other_sums.0, other.sum[x]);
            other.total[x] = taps.down.mul_add(other_sums.1, other.total[x]);
        } else if BOTH {
            (other.row_sum[x], other.row_total[x]) = other_sums;
        }
    }
}
