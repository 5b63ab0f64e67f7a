//! Weights that repeat: sizes whose ratio is one of small numbers. Between the borders every few results have the weights of
//! those before, of samples a few columns on, so that results of one kind are sums of whole rows.

use super::across::GROUP;
#[cfg(target_arch = "x86_64")]
use super::direct::{self, Row};
use super::down::weigh;
use super::kinds::{self, Kinds};
use super::pairs::Pair;
use super::parts::Columns;
#[cfg(target_arch = "x86_64")]
use super::slide;
use super::vector;
use crate::device::cpu::CpuLevel;
use crate::filters::resample::taps::Taps;
use crate::simd::aligned::Aligned;
use crate::video::{PlaneRef, SampleLayout, SampleType};
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
        let found = (1..=MOST).find_map(|results| Period::with(taps, results))?;
        // Two results in one go share most of their samples.
        match (found.results, found.samples) {
            (1, 2) => Period::with(taps, 2).filter(Period::is_of_two).or(Some(found)),
            _ => Some(found),
        }
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
        let whole = GROUP * results;
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

    /// Makes the results of `columns`, which repeat, of `rows`, into `out`: from left to right; or, of two kinds and `in_turn`, vectors
    /// of the one and of the other. Sample i of the columns lies in row `i % samples` at `i / samples`. `made` has room for the
    /// results, and those that are added up once more.
    ///
    /// # Safety
    /// The processor has `level`.
    #[inline(always)]
    pub unsafe fn run(
        &self,
        level: CpuLevel,
        rows: [&[f32]; MOST],
        columns: &Columns,
        in_turn: bool,
        made: &mut [f32],
        out: &mut [f32],
    ) {
        let (results, start) = (&columns.to, columns.from.start);
        let (by_kind, sums) = made.split_at_mut(results.len());
        let (periods, before) = (results.len() / self.results, (results.start - self.range.start) / self.results);
        let out = &mut out[..results.len()];
        // The samples from one of the first period on, and those behind it in a period.
        let from = |first: usize| -> [&[f32]; MOST] {
            let mut from: [&[f32]; MOST] = [&[]; MOST];
            for (i, from) in from.iter_mut().enumerate().take(self.samples) {
                let place = first + before * self.samples + i - start;
                *from = &rows[place % self.samples][place / self.samples..];
            }
            from
        };
        #[cfg(target_arch = "x86_64")]
        if self.results == 1 && self.samples > 1 && level == CpuLevel::Avx512 {
            let (first, weights) = &self.kinds[0];
            // SAFETY: by the caller.
            if unsafe { slide::run(&from(*first)[..self.samples], weights, &mut out[..periods]) } {
                return;
            }
        }
        let mut kind = 0;
        while kind < self.results {
            let (first, weights) = &self.kinds[kind];
            if let Some(pair) = self.pairs[kind / 2].as_ref().filter(|_| kind % 2 == 0) {
                let kinds = Kinds { rows: from(*first), samples: self.samples, pair, periods };
                let lanes = vector::lanes(level);
                let (to, apart, step) = match in_turn {
                    true => (&mut *out, lanes, 2 * lanes),
                    false => (&mut by_kind[kind * periods..], periods, lanes),
                };
                let to = to[..2 * periods].as_mut_ptr();
                // SAFETY: by the caller; both have room for as many results as they get.
                unsafe { kinds::make(level, &kinds, [to, to.add(apart)], step) };
                kind += 2;
                continue;
            }
            let place = |tap: usize| first + before * self.samples + tap - start;
            let row = |tap: usize| &rows[place(tap) % self.samples][place(tap) / self.samples..][..periods];
            let made = match self.results {
                1 => &mut out[..periods],
                _ => &mut by_kind[kind * periods..][..periods],
            };
            weigh(row, weights, &mut sums[..periods], made);
            kind += 1;
        }
        let made = |kind: usize| &by_kind[kind * periods..][..periods];
        match self.results {
            1 => {}
            2 if in_turn => {}
            2 => interleave([made(0), made(1)], out),
            3 => interleave([made(0), made(1), made(2)], out),
            _ => interleave([made(0), made(1), made(2), made(3)], out),
        }
    }

    /// Makes `results`, which repeat, of what is stored in row `y` of `src`: of two kinds, vectors of either in turn. False
    /// where that cannot be: then nothing is made.
    ///
    /// # Safety
    /// The processor has AVX-512.
    #[cfg(target_arch = "x86_64")]
    pub unsafe fn run_directly(&self, src: &PlaneRef<'_>, y: usize, results: Range<usize>, out: &mut [f32]) -> bool {
        let SampleLayout { sample, step, shift, .. } = src.layout();
        if step > 1 || sample == SampleType::I16 {
            return false;
        }
        let weights = &self.kinds[0].1[..];
        let (later, weights) = match (self.results, &self.pairs[0]) {
            (1, _) => (direct::ALONE, [weights; 2]),
            (2, Some(Pair { later, weights: [one, next] })) => (*later, [&one[..], &next[..]]),
            _ => return false,
        };
        let first = self.kinds[0].0 + (results.start - self.range.start) / self.results * self.samples;
        assert!(y < src.height() && first < src.width(), "sample ({first}, {y}) is outside the plane");
        let from = src.as_ptr().wrapping_add(y * src.pitch() + first * sample.bytes());
        let row = Row { from, samples: src.width() - first, words: sample == SampleType::U16, shift };
        // SAFETY: by the caller; the row is inside the plane.
        unsafe { direct::run(row, self.samples, later, weights, &mut out[..results.len()]) }
    }

    /// Whether results are made faster by kinds than by places in vectors: of three kinds, putting them in order takes longer than
    /// taking samples out of the widest vectors.
    #[inline(always)]
    pub fn is_of_use(&self, level: CpuLevel) -> bool {
        self.results != 3 || level < CpuLevel::Avx512
    }

    /// Whether results can be made with those of either kind in turn.
    pub fn is_of_two(&self) -> bool {
        self.results == 2 && self.pairs[0].is_some()
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
