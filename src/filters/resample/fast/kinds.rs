//! Sums of two kinds that repeat together: each sample is loaded once for both.

use super::pairs::Pair;
use super::period::MOST;
use super::vector::{Floats, Plain};
use crate::device::cpu::CpuLevel;

/// Samples, and what two kinds weigh them by.
pub struct Kinds<'a> {
    /// Sample p that the first result is made of lies in row `p % samples` at `p / samples`, those of the next period behind it.
    pub rows: [&'a [f32]; MOST],
    pub samples: usize,
    pub pair: &'a Pair,
    /// Results of each kind: whole vectors.
    pub periods: usize,
}

/// Makes results of both kinds: a vector of each, `step` floats from the one before.
///
/// # Safety
/// The processor has `level`; `to` have room for them.
pub unsafe fn make(level: CpuLevel, kinds: &Kinds<'_>, to: [*mut f32; 2], step: usize) {
    let samples = kinds.pair.weights[0].len().next_multiple_of(2) + kinds.pair.later;
    for (i, row) in kinds.rows.iter().take(kinds.samples).enumerate() {
        let most = (samples - 1).saturating_sub(i) / kinds.samples + kinds.periods;
        assert!(row.len() >= most, "a part of the row is missing");
    }
    // SAFETY: by the caller; rows are as long as they need to be.
    unsafe {
        match level {
            CpuLevel::Portable => any::<Plain>(kinds, to, step),
            #[cfg(target_arch = "x86_64")]
            CpuLevel::Avx2 => x86::avx2(kinds, to, step),
            #[cfg(target_arch = "x86_64")]
            CpuLevel::Avx512 => x86::avx512(kinds, to, step),
            #[cfg(not(target_arch = "x86_64"))]
            _ => any::<Plain>(kinds, to, step),
        }
    }
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    use super::{Kinds, by_samples};
    use std::arch::x86_64::{__m256, __m512};

    /// # Safety
    /// As [`super::make`], of AVX-512.
    #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,fma")]
    pub unsafe fn avx512(kinds: &Kinds<'_>, to: [*mut f32; 2], step: usize) {
        // SAFETY: by the caller.
        unsafe { by_samples::<__m512>(kinds, to, step) }
    }

    /// # Safety
    /// As [`super::make`], of AVX2 and FMA.
    #[target_feature(enable = "avx2,fma")]
    pub unsafe fn avx2(kinds: &Kinds<'_>, to: [*mut f32; 2], step: usize) {
        // SAFETY: by the caller.
        unsafe { by_samples::<__m256>(kinds, to, step) }
    }
}

/// # Safety
/// As [`make`].
#[inline(always)]
unsafe fn by_samples<V: Floats>(kinds: &Kinds<'_>, to: [*mut f32; 2], step: usize) {
    // SAFETY: by the caller.
    unsafe {
        match (kinds.samples, kinds.pair.later) {
            (1, 0) => by_count::<V, 1, 0>(kinds, to, step),
            (1, 1) => by_count::<V, 1, 1>(kinds, to, step),
            (4, 2) => by_count::<V, 4, 2>(kinds, to, step),
            (3, 1) => by_count::<V, 3, 1>(kinds, to, step),
            (3, 2) => by_count::<V, 3, 2>(kinds, to, step),
            _ => any::<V>(kinds, to, step),
        }
    }
}

/// # Safety
/// As [`make`].
#[inline(always)]
unsafe fn by_count<V: Floats, const SAMPLES: usize, const LATER: usize>(
    kinds: &Kinds<'_>,
    to: [*mut f32; 2],
    step: usize,
) {
    // SAFETY: by the caller.
    unsafe {
        match kinds.pair.weights[0].len() {
            1..=2 => fixed::<V, SAMPLES, LATER, 2>(kinds, to, step),
            3..=4 => fixed::<V, SAMPLES, LATER, 4>(kinds, to, step),
            5..=6 => fixed::<V, SAMPLES, LATER, 6>(kinds, to, step),
            7..=8 => fixed::<V, SAMPLES, LATER, 8>(kinds, to, step),
            9..=10 => fixed::<V, SAMPLES, LATER, 10>(kinds, to, step),
            11..=12 => fixed::<V, SAMPLES, LATER, 12>(kinds, to, step),
            _ => any::<V>(kinds, to, step),
        }
    }
}

/// Of so many samples each, some of which may weigh nothing: all of their weights stay in registers.
///
/// # Safety
/// As [`make`].
#[inline(always)]
unsafe fn fixed<V: Floats, const SAMPLES: usize, const LATER: usize, const COUNT: usize>(
    kinds: &Kinds<'_>,
    to: [*mut f32; 2],
    step: usize,
) {
    let Pair { weights: [one, next], .. } = kinds.pair;
    // SAFETY: by the caller.
    let (mut weights, mut others) = unsafe { ([V::splat(0.0); COUNT], [V::splat(0.0); COUNT]) };
    for k in 0..one.len().min(next.len()).min(COUNT) {
        // SAFETY: as above.
        (weights[k], others[k]) = unsafe { (V::splat(one[k]), V::splat(next[k])) };
    }
    let rows = kinds.rows;
    for i in 0..kinds.periods / V::LANES {
        // SAFETY: as above.
        unsafe {
            let (mut sum, mut other) = (V::splat(0.0), V::splat(0.0));
            for p in 0..COUNT + LATER {
                let samples = V::load(rows[p % SAMPLES].as_ptr().add(p / SAMPLES + i * V::LANES));
                if p < COUNT {
                    sum = samples.add_product(weights[p], sum);
                }
                if p >= LATER {
                    other = samples.add_product(others[p - LATER], other);
                }
            }
            sum.store(to[0].add(i * step));
            other.store(to[1].add(i * step));
        }
    }
}

/// Of any number of samples.
///
/// # Safety
/// As [`make`].
#[inline(always)]
unsafe fn any<V: Floats>(kinds: &Kinds<'_>, to: [*mut f32; 2], step: usize) {
    let Kinds { rows, samples, pair: Pair { later, weights: [one, next] }, periods } = kinds;
    for i in 0..periods / V::LANES {
        // SAFETY: by the caller.
        unsafe {
            let load = |p: usize| V::load(rows[p % samples].as_ptr().add(p / samples + i * V::LANES));
            let (mut sum, mut other) = (V::splat(0.0), V::splat(0.0));
            for k in 0..one.len() {
                sum = load(k).add_product(V::splat(one[k]), sum);
                other = load(k + later).add_product(V::splat(next[k]), other);
            }
            sum.store(to[0].add(i * step));
            other.store(to[1].add(i * step));
        }
    }
}
