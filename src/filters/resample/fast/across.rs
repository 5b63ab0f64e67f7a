//! Weighted sums along rows: a vector of results takes its samples from a vector or two that lie around them.

use super::period::{self, Period};
use crate::device::cpu::CpuLevel;
use crate::filters::resample::taps::Taps;
use std::ops::Range;

/// Results that weights are kept for together: a vector of the widest level, or two.
pub const GROUP: usize = 16;

/// Samples that may be read behind the last one that counts.
pub const SLACK: usize = 2 * GROUP;

/// The weights of a direction, as vectors take them.
pub struct Across {
    count: usize,
    groups: Vec<Group>,
    /// For each group and each tap, the weights of its results; zeros behind the last. Groups alike share them, so that they stay in
    /// the first cache.
    weights: Vec<Weights>,
    /// Where weights repeat.
    pub period: Option<Period>,
    beside: Option<Vec<[u32; 2]>>,
}

/// The weights of a tap: a vector that lies across no two lines of the cache.
#[derive(Clone, Copy, PartialEq)]
#[repr(align(64))]
struct Weights([f32; GROUP]);

/// As many groups before one may be alike it: so many have the weights of whole periods.
const ALIKE: usize = period::MOST;

/// Results side by side.
struct Group {
    /// The first sample that the first of them is made from.
    first: usize,
    /// How much later those of the others are.
    later: [i32; GROUP],
    /// Where the group's weights begin.
    weights: usize,
}

impl Across {
    pub fn new(taps: &Taps) -> Across {
        let results = taps.first.len();
        let weight = |at: usize, tap: usize| if at < results { taps.weights_of(at)[tap] } else { 0.0 };
        let (mut groups, mut weights): (Vec<Group>, Vec<Weights>) = (Vec::new(), Vec::new());
        for start in (0..results).step_by(GROUP) {
            let of = |i: usize| taps.first[(start + i).min(results - 1)];
            let later = std::array::from_fn(|i| (of(i) - of(0)) as i32);
            let own: Vec<_> =
                (0..taps.count).map(|tap| Weights(std::array::from_fn(|i| weight(start + i, tap)))).collect();
            let mut before = groups.iter().rev().take(ALIKE).map(|group| group.weights);
            let at = before.find(|at| weights[*at..][..taps.count] == own).unwrap_or(weights.len());
            if at == weights.len() {
                weights.extend(own);
            }
            groups.push(Group { first: of(0), later, weights: at });
        }
        let beside = taps.beside.as_ref().map(|beside| beside.iter().map(|b| b.map(|i| i as u32)).collect());
        Across { count: taps.count, groups, weights, period: Period::of(taps), beside }
    }

    /// Makes `results`, which begin with a group, of the row part that begins with sample `start`, into `out`. There are
    /// [`SLACK`] samples of any value behind those that count.
    ///
    /// # Safety
    /// The processor has `level`.
    pub unsafe fn run(&self, level: CpuLevel, src: &[f32], start: usize, results: Range<usize>, out: &mut [f32]) {
        if results.is_empty() {
            return;
        }
        assert!(results.start.is_multiple_of(GROUP) && out.len() >= results.len().next_multiple_of(GROUP));
        let (first, end) = (results.start / GROUP, results.end.div_ceil(GROUP));
        let last = self.groups[end - 1].first + self.groups[end - 1].later[GROUP - 1] as usize + self.count;
        assert!(self.groups[first].first >= start && last - start + SLACK <= src.len(), "a part of the row is missing");
        let work = Work { across: self, src, start, groups: first..end };
        #[cfg(target_arch = "x86_64")]
        match level {
            CpuLevel::Portable => {}
            // SAFETY: the caller vouches that the processor has the level.
            CpuLevel::Avx2 => return unsafe { x86::avx2(&work, out) },
            // SAFETY: as above.
            CpuLevel::Avx512 => return unsafe { x86::avx512(&work, out) },
        }
        let _ = level;
        for (group, out) in work.groups.clone().zip(out.chunks_exact_mut(GROUP)) {
            work.singly(group, out);
        }
    }

    /// The samples beside result `at`, where results are held between them.
    #[inline(always)]
    pub fn beside(&self) -> Option<&[[u32; 2]]> {
        self.beside.as_deref()
    }
}

/// Groups to make of a row part.
struct Work<'a> {
    across: &'a Across,
    src: &'a [f32],
    start: usize,
    groups: Range<usize>,
}

impl Work<'_> {
    /// The samples from the first of `group` on, its results' places, and its weights.
    #[inline(always)]
    fn of(&self, group: usize) -> (&[f32], &[i32; GROUP], &[Weights]) {
        let Group { first, later, weights } = &self.across.groups[group];
        (&self.src[first - self.start..], later, &self.across.weights[*weights..][..self.across.count])
    }

    /// Makes the results of `group` one after the other.
    #[inline(always)]
    fn singly(&self, group: usize, out: &mut [f32]) {
        let (src, later, weights) = self.of(group);
        for (i, out) in out[..GROUP].iter_mut().enumerate() {
            let mut sum = 0.0;
            for (sample, weights) in src[later[i] as usize..].iter().zip(weights) {
                sum = sample.mul_add(weights.0[i], sum);
            }
            *out = sum;
        }
    }
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    use super::{GROUP, SLACK, Work};
    use std::arch::x86_64::*;

    // Two vectors of the widest level may be read from the last sample that counts on.
    const _: () = assert!(SLACK >= 2 * GROUP && GROUP == 16);

    /// # Safety
    /// The processor has AVX-512 F.
    #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,fma")]
    pub unsafe fn avx512(work: &Work<'_>, out: &mut [f32]) {
        for (group, out) in work.groups.clone().zip(out.chunks_exact_mut(GROUP)) {
            let (src, later, weights) = work.of(group);
            // SAFETY: `run` checked that two vectors can be read from the last sample that counts for the last result on; each
            // of `later`, `weights` and `out` is one vector.
            unsafe {
                let places = _mm512_loadu_si512(later.as_ptr().cast());
                // From where on two vectors have the samples of all results, or of the latter half.
                let (middle, from, one) = (later[8], src.as_ptr(), _mm512_set1_epi32(1));
                // How many samples from there on all taps read.
                let taps = weights.len() as i32;
                let (all, halves) = (later[15] + taps, later[7].max(later[15] - middle) + taps);
                let mut sum = _mm512_setzero_ps();
                if all <= 16 {
                    let (mut places, samples) = (places, _mm512_loadu_ps(from));
                    for weights in weights {
                        let samples = _mm512_permutexvar_ps(places, samples);
                        sum = _mm512_fmadd_ps(samples, _mm512_load_ps(weights.0.as_ptr()), sum);
                        places = _mm512_add_epi32(places, one);
                    }
                } else if all <= 32 {
                    let (mut places, left, right) = (places, _mm512_loadu_ps(from), _mm512_loadu_ps(from.add(16)));
                    for weights in weights {
                        let samples = _mm512_permutex2var_ps(left, places, right);
                        sum = _mm512_fmadd_ps(samples, _mm512_load_ps(weights.0.as_ptr()), sum);
                        places = _mm512_add_epi32(places, one);
                    }
                } else if halves <= 32 {
                    let latter = _mm512_sub_epi32(places, _mm512_set1_epi32(middle));
                    // Both halves count from their own first sample: places of either are below 32.
                    let mut places = _mm512_mask_mov_epi32(places, 0xff00, latter);
                    let (left, right) = (_mm512_loadu_ps(from), _mm512_loadu_ps(from.add(16)));
                    let from = from.add(middle as usize);
                    let (next, last) = (_mm512_loadu_ps(from), _mm512_loadu_ps(from.add(16)));
                    for weights in weights {
                        let (former, latter) =
                            (_mm512_permutex2var_ps(left, places, right), _mm512_permutex2var_ps(next, places, last));
                        let samples = _mm512_mask_mov_ps(former, 0xff00, latter);
                        sum = _mm512_fmadd_ps(samples, _mm512_load_ps(weights.0.as_ptr()), sum);
                        places = _mm512_add_epi32(places, one);
                    }
                } else {
                    let latter = _mm512_sub_epi32(places, _mm512_set1_epi32(middle));
                    for (k, weights) in weights.iter().enumerate() {
                        let from = from.add(k);
                        let two = |from: *const f32, places| {
                            _mm512_permutex2var_ps(_mm512_loadu_ps(from), places, _mm512_loadu_ps(from.add(16)))
                        };
                        let samples = if later[15] < 32 {
                            two(from, places)
                        } else if later[7].max(later[15] - middle) < 32 {
                            _mm512_mask_mov_ps(two(from, places), 0xff00, two(from.add(middle as usize), latter))
                        } else {
                            _mm512_i32gather_ps::<4>(places, from)
                        };
                        sum = _mm512_fmadd_ps(samples, _mm512_load_ps(weights.0.as_ptr()), sum);
                    }
                }
                _mm512_storeu_ps(out.as_mut_ptr(), sum);
            }
        }
    }

    /// # Safety
    /// The processor has AVX2 and FMA.
    #[target_feature(enable = "avx2,fma")]
    pub unsafe fn avx2(work: &Work<'_>, out: &mut [f32]) {
        for (group, out) in work.groups.clone().zip(out.chunks_exact_mut(GROUP)) {
            let (src, later, weights) = work.of(group);
            let reach = |half: usize| later[8 * half + 7] - later[8 * half];
            for half in 0..2 {
                let (first, at) = (later[8 * half] as usize, 8 * half);
                // SAFETY: as above, in halves of eight.
                unsafe {
                    let places = _mm256_loadu_si256(later.as_ptr().add(at).cast());
                    let places = _mm256_sub_epi32(places, _mm256_set1_epi32(first as i32));
                    let beyond = _mm256_castsi256_ps(_mm256_cmpgt_epi32(places, _mm256_set1_epi32(7)));
                    let mut sum = _mm256_setzero_ps();
                    let mut from = src.as_ptr().add(first);
                    for weights in weights {
                        let pick = |from| _mm256_permutevar8x32_ps(_mm256_loadu_ps(from), places);
                        let samples = if reach(half) < 8 {
                            pick(from)
                        } else if reach(half) < 16 {
                            _mm256_blendv_ps(pick(from), pick(from.add(8)), beyond)
                        } else {
                            _mm256_i32gather_ps::<4>(from, places)
                        };
                        sum = _mm256_fmadd_ps(samples, _mm256_loadu_ps(weights.0.as_ptr().add(at)), sum);
                        from = from.add(1);
                    }
                    _mm256_storeu_ps(out.as_mut_ptr().add(at), sum);
                }
            }
        }
    }
}
