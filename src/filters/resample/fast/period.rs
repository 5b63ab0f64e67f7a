//! Weights that repeat: sizes whose ratio is one of small numbers. Between the borders every few results have the weights of
//! those before, of samples a few columns on, so that results of one kind are sums of whole rows.

use super::across::GROUP;
use super::down::{weigh, weigh_two};
use super::pairs::Pair;
#[cfg(target_arch = "x86_64")]
use super::slide;
use crate::device::cpu::CpuLevel;
use crate::filters::resample::taps::Taps;
use crate::simd::aligned::Aligned;
use std::ops::Range;

/// The most results, and the most samples, of a period.
pub const MOST: usize = 4;

/// The fewest results that repeat, for it to be worth anything.
const FEWEST: usize = 64;

/// A period.
#[derive(Clone, Debug)]
pub struct Period {
    /// Samples of it.
    pub samples: usize,
    /// Results of it.
    pub results: usize,
    /// Those that repeat, of all.
    pub range: Range<usize>,
    /// The first sample of each result of the first period, and its weights.
    kinds: Vec<(usize, Vec<f32>)>,
    /// Kind 2i and the one behind it, where they are weighed in one go.
    pairs: Vec<Option<Pair>>,
}

impl Period {
    /// That of `taps`, if there is a short one.
    pub fn of(taps: &Taps) -> Option<Period> {
        if taps.beside.is_some() || taps.stride > 1 {
            return None;
        }
        (1..=MOST).find_map(|results| Period::with(taps, results))
    }

    /// That of so many results.
    fn with(taps: &Taps, results: usize) -> Option<Period> {
        let (count, middle) = (taps.first.len(), taps.first.len() / 2);
        if count < FEWEST {
            return None;
        }
        let samples = taps.first[middle + results] - taps.first[middle];
        let repeats = |at: usize| {
            let next = at + results;
            next < count && taps.first[next] - taps.first[at] == samples && taps.weights_of(next) == taps.weights_of(at)
        };
        let start = (0..middle).rev().take_while(|at| repeats(*at)).last()?;
        let end = results + (middle..count).take_while(|at| repeats(*at)).last()? + 1;
        // Whole periods and whole groups, counted from the first result: what vectors store then begins a line of the cache.
        let whole = GROUP / (1 << results.trailing_zeros()) * results;
        let range = start.next_multiple_of(whole)..end / whole * whole;
        if samples == 0 || samples > MOST || range.len() < FEWEST {
            return None;
        }
        let kind = |at: usize| (taps.first[at], taps.weights_of(at).to_vec());
        let kinds: Vec<_> = (range.start..range.start + results).map(kind).collect();
        let pair = |two: &[(usize, Vec<f32>)]| match two {
            [(one, weights), (next, others)] => Pair::new((*one, weights), (*next, others)),
            _ => None,
        };
        let pairs = kinds.chunks(2).map(pair).collect();
        Some(Period { samples, results, range, kinds, pairs })
    }

    /// The results among `wanted` that repeat, in whole periods.
    pub fn within(&self, wanted: &Range<usize>) -> Range<usize> {
        let start = wanted.start.next_multiple_of(self.results).max(self.range.start).min(wanted.end);
        let end = (wanted.end / self.results * self.results).min(self.range.end);
        start..end.max(start)
    }

    /// Makes `results`, which repeat, of `rows`, into `out`. Sample i, counted from sample `start`, lies in row `i % samples` at
    /// `i / samples`. `made` has room for the results, and those that are added up once more.
    ///
    /// # Safety
    /// The processor has `level`.
    #[inline(always)]
    pub unsafe fn run(
        &self,
        level: CpuLevel,
        rows: [&[f32]; MOST],
        start: usize,
        results: Range<usize>,
        made: &mut [f32],
        out: &mut [f32],
    ) {
        let (by_kind, sums) = made.split_at_mut(results.len());
        let (periods, before) = (results.len() / self.results, (results.start - self.range.start) / self.results);
        #[cfg(target_arch = "x86_64")]
        if self.results == 1 && self.samples > 1 && level == CpuLevel::Avx512 {
            let (first, weights) = &self.kinds[0];
            let place = |sample: usize| first + before * self.samples + sample - start;
            let from = |sample: usize| &rows[place(sample) % self.samples][place(sample) / self.samples..];
            let rows: [&[f32]; MOST] =
                std::array::from_fn(|sample| if sample < self.samples { from(sample) } else { &[] });
            // SAFETY: by the caller.
            if unsafe { slide::run(&rows[..self.samples], weights, &mut out[..periods]) } {
                return;
            }
        }
        let _ = level;
        let mut kind = 0;
        while kind < self.results {
            let (first, weights) = &self.kinds[kind];
            let place = |tap: usize| first + before * self.samples + tap - start;
            let row = |tap: usize| &rows[place(tap) % self.samples][place(tap) / self.samples..][..periods];
            let made = match self.results {
                1 => &mut out[..periods],
                _ => &mut by_kind[kind * periods..],
            };
            match self.pairs[kind / 2].as_ref().filter(|_| kind % 2 == 0) {
                Some(pair) => {
                    let (one, next) = made[..2 * periods].split_at_mut(periods);
                    let (sum, other) = sums[..2 * periods].split_at_mut(periods);
                    weigh_two(row, pair.weights(), (sum, other), (one, next), |sum| sum);
                    kind += 2;
                }
                None => {
                    weigh(row, weights, &mut sums[..periods], &mut made[..periods], |sum| sum);
                    kind += 1;
                }
            }
        }
        let made = |kind: usize| &by_kind[kind * periods..][..periods];
        match self.results {
            1 => {}
            2 => interleave([made(0), made(1)], out),
            3 => interleave([made(0), made(1), made(2)], out),
            _ => interleave([made(0), made(1), made(2), made(3)], out),
        }
    }
}

/// One of each in turn.
#[inline(always)]
fn interleave<const N: usize>(kinds: [&[f32]; N], out: &mut [f32]) {
    let len = kinds[0].len();
    let out = &mut out[..N * len];
    for kind in &kinds {
        assert!(kind.len() == len, "kinds are alike");
    }
    for i in 0..len {
        for k in 0..N {
            out[N * i + k] = kinds[k][i];
        }
    }
}

/// The samples of a row, each in the row of its place in a period of `N`. All are stored in one loop, which makes vectors of it.
#[inline(always)]
pub fn split<const N: usize>(row: &[f32], kinds: &mut [Aligned<f32>; MOST]) {
    let (whole, rest) = row.as_chunks::<N>();
    let mut kinds = kinds.each_mut().map(|kind| &mut kind[..]);
    for (kind, sample) in kinds.iter_mut().zip(rest) {
        kind[whole.len()] = *sample;
    }
    for kind in kinds.iter_mut().take(N) {
        *kind = &mut std::mem::take(kind)[..whole.len()];
    }
    for i in 0..whole.len() {
        for k in 0..N {
            kinds[k][i] = whole[i][k];
        }
    }
}
