//! The convolution of a plane.

use super::pairs::{STEP, sum_words};
use super::quotient::Quotient;
use super::weights::{Factors, Tap, Weights};
use crate::filters::convolve::kernel::MOST;
use crate::filters::window::{ByteRows, Grid, Tile, WindowOp, tuning::cpu::COLUMNS};
use crate::simd::rows::SIGN;
use std::array::from_fn;
use std::sync::Arc;

/// Products that are added at a time: sums stay in registers as long.
const TAPS: usize = 9;

/// The operation.
#[derive(Clone, Debug)]
pub struct Convolution(pub Arc<Weights>);

impl WindowOp for Convolution {
    fn radius(&self) -> (usize, usize) {
        self.0.radius()
    }

    fn plain(&self, src: &Grid) -> Grid {
        src.map(|x, y| {
            let samples = src.window(self.radius(), x, y).map(|sample| i32::from(sample) - 32768);
            let sum: i32 = samples.zip(&self.0.values).map(|(sample, weight)| sample * weight).sum();
            self.0.quotient.of(sum)
        })
    }

    #[inline(always)]
    fn tile(&self, tile: &mut Tile) {
        // Samples less 32768, as bits of i16.
        tile.lanes.iter_mut().for_each(|lane| *lane ^= SIGN);
        // Two products of one pass take as long as one of two.
        match &self.0.factors {
            Some(factors) if factors.products() < self.0.pairs.len() => self.in_two_passes(factors, tile),
            _ => self.in_one_pass(tile),
        }
    }

    fn takes_bytes(&self) -> bool {
        self.0.byte_sums.is_some()
    }

    fn byte_row(&self, rows: &ByteRows, out: &mut [u8]) {
        if let Some(sums) = &self.0.byte_sums {
            sums.row(rows, out);
        }
    }
}

impl Convolution {
    #[inline(always)]
    fn in_one_pass(&self, tile: &mut Tile) {
        let Weights { rows: high, ref pairs, ref quotient, .. } = *self.0;
        let (level, len) = (tile.level(), tile.columns.len());
        let (mut rows, mut sums) = ([[].as_slice(); MOST], [0; COLUMNS]);
        for (row, out) in tile.out.chunks_mut(len).enumerate().take(tile.rows.len()) {
            for (i, lanes) in rows.iter_mut().enumerate().take(high) {
                *lanes = &tile.lanes[(row + i) * tile.stride..];
            }
            // SAFETY: tiles are made for the vectors that the processor has.
            unsafe { sum_words(level, pairs, &rows[..high], &mut sums[..len.next_multiple_of(STEP)]) };
            finish(out, &sums[..len], quotient);
        }
    }

    /// Sums of columns, then of those.
    #[inline(always)]
    fn in_two_passes(&self, factors: &Factors, tile: &mut Tile) {
        let (len, wide) = (tile.columns.len(), tile.wide());
        let (mut columns, mut sums) = ([0; COLUMNS + MOST], [0; COLUMNS]);
        for (row, out) in tile.out.chunks_mut(len).enumerate().take(tile.rows.len()) {
            add_all(&mut columns[..wide], &factors.down, |tap| &tile.lanes[(row + tap) * tile.stride..]);
            add_all(&mut sums[..len], &factors.across, |tap| &columns[tap..]);
            finish(out, &sums[..len], &self.0.quotient);
        }
    }
}

/// What is weighed: a sample less 32768 as bits of i16, or a sum.
trait Term: Copy {
    fn term(self) -> i32;
}

impl Term for u16 {
    #[inline(always)]
    fn term(self) -> i32 {
        i32::from(self as i16)
    }
}

impl Term for i32 {
    #[inline(always)]
    fn term(self) -> i32 {
        self
    }
}

/// Sums of the products of `taps`, whose terms `at` gives.
#[inline(always)]
fn add_all<'a, T: Term + 'a>(sums: &mut [i32], taps: &[Tap], at: impl Fn(usize) -> &'a [T]) {
    // Without any, the sum is 0.
    sums.fill(0);
    for taps in taps.chunks(TAPS) {
        macro_rules! by_count {
            ($($count:literal)+) => {
                match taps.len() {
                    $( $count => add(sums, from_fn::<_, $count, _>(|i| taps[i].weight), from_fn(|i| at(taps[i].index))), )+
                    _ => {}
                }
            };
        }
        by_count!(1 2 3 4 5 6 7 8 9);
    }
}

/// Adds `N` products.
#[inline(always)]
fn add<T: Term, const N: usize>(sums: &mut [i32], weights: [i32; N], terms: [&[T]; N]) {
    let len = sums.len();
    let terms = terms.map(|terms| &terms[..len]);
    for (x, sum) in sums.iter_mut().enumerate() {
        for (weight, terms) in weights.iter().zip(&terms) {
            *sum += weight * terms[x].term();
        }
    }
}

#[inline(always)]
fn finish(out: &mut [u16], sums: &[i32], quotient: &Quotient) {
    let quotient = *quotient;
    for (out, sum) in out.iter_mut().zip(sums) {
        *out = quotient.of(*sum);
    }
}
