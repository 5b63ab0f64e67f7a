//! Weighted sums of rows, which become rows of the result: four vectors of columns at a time, whose sums stay in registers, of one
//! row or of two that are made of nearly the same ones.

use super::vector::{FOUR, Floats, Plain};
use crate::device::cpu::CpuLevel;
use crate::simd::rows::prefetch;

/// Columns that the widest vectors make in one go: rows are readable for whole ones.
pub const STEP: usize = FOUR * 16;

/// Rows that are weighed.
pub struct Weighed<'a> {
    pub ring: &'a [f32],
    /// Where in the ring each begins.
    pub places: &'a [usize],
    /// The weights of the first.
    pub weights: &'a [f32],
    /// For a second sum, how many rows come before its first, and its weights.
    pub next: Option<(usize, &'a [f32])>,
    /// Even and odd columns lie in vectors in turn.
    pub in_turn: bool,
}

/// Where sums go.
#[derive(Clone, Copy)]
pub struct Made {
    /// The row of the first, and from there to that of the second, in bytes.
    pub row: *mut u8,
    pub pitch: usize,
    /// Columns.
    pub width: usize,
    pub stored: Stored,
}

/// How samples are stored.
#[derive(Clone, Copy)]
pub enum Stored {
    /// In bytes, all of them.
    Bytes,
    /// In 16 bits: the last `drop` are rounded away, and the others begin with bit `up`.
    Words { drop: u8, up: u8 },
}

/// Makes rows.
///
/// # Safety
/// The processor has `level`. Every row is readable for whole steps, and rows of the result are writable.
pub unsafe fn make(level: CpuLevel, weighed: &Weighed<'_>, made: &Made) {
    // SAFETY: by the caller.
    unsafe {
        match level {
            CpuLevel::Portable => rows::<Plain>(weighed, made),
            #[cfg(target_arch = "x86_64")]
            CpuLevel::Avx2 => x86::avx2(weighed, made),
            #[cfg(target_arch = "x86_64")]
            CpuLevel::Avx512 => x86::avx512(weighed, made),
            #[cfg(not(target_arch = "x86_64"))]
            _ => rows::<Plain>(weighed, made),
        }
    }
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    use super::{Made, Weighed, rows};
    use std::arch::x86_64::{__m256, __m512};

    /// # Safety
    /// As [`super::make`], of AVX-512.
    #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,fma")]
    pub unsafe fn avx512(weighed: &Weighed<'_>, made: &Made) {
        // SAFETY: by the caller.
        unsafe { rows::<__m512>(weighed, made) }
    }

    /// # Safety
    /// As [`super::make`], of AVX2 and FMA.
    #[target_feature(enable = "avx2,fma")]
    pub unsafe fn avx2(weighed: &Weighed<'_>, made: &Made) {
        // SAFETY: by the caller.
        unsafe { rows::<__m256>(weighed, made) }
    }
}

/// # Safety
/// As [`make`].
#[inline(always)]
unsafe fn rows<V: Floats>(weighed: &Weighed<'_>, made: &Made) {
    // SAFETY: by the caller.
    unsafe {
        match weighed.next {
            None => one::<V>(weighed, made),
            Some((later, weights)) => two::<V>(weighed, later, weights, made),
        }
    }
}

/// # Safety
/// As [`make`].
#[inline(always)]
unsafe fn one<V: Floats>(weighed: &Weighed<'_>, made: &Made) {
    let Weighed { ring, places, weights, .. } = *weighed;
    for x in (0..made.width).step_by(FOUR * V::LANES) {
        // SAFETY: by the caller.
        unsafe {
            let mut sums = [V::splat(0.0); FOUR];
            for k in 0..weights.len().min(places.len()) {
                add(ring.as_ptr().add(places[k] + x), weights[k], &mut sums);
            }
            put(sums, weighed.in_turn, x, 0, 1, made);
        }
    }
}

/// # Safety
/// As [`make`].
#[inline(always)]
unsafe fn two<V: Floats>(weighed: &Weighed<'_>, later: usize, others: &[f32], made: &Made) {
    let Weighed { ring, places, weights, .. } = *weighed;
    assert!(weights.len() >= later && later + others.len() == places.len(), "both sums share rows");
    let (weights, ring) = (&weights[..others.len()], ring.as_ptr());
    for x in (0..made.width).step_by(FOUR * V::LANES) {
        // SAFETY: by the caller.
        unsafe {
            let (mut sums, mut next) = ([V::splat(0.0); FOUR], [V::splat(0.0); FOUR]);
            for k in 0..later {
                add(ring.add(places[k] + x), weights[k], &mut sums);
            }
            for k in later..weights.len() {
                let row = ring.add(places[k] + x);
                let (weight, other) = (V::splat(weights[k]), V::splat(others[k - later]));
                for i in 0..FOUR {
                    let samples = V::load(row.add(i * V::LANES));
                    sums[i] = samples.add_product(weight, sums[i]);
                    next[i] = samples.add_product(other, next[i]);
                }
            }
            for k in weights.len()..places.len() {
                add(ring.add(places[k] + x), others[k - later], &mut next);
            }
            put(sums, weighed.in_turn, x, 0, 2, made);
            put(next, weighed.in_turn, x, 1, 2, made);
        }
    }
}

/// Adds a weighed row to the sums.
///
/// # Safety
/// As [`make`].
#[inline(always)]
#[allow(clippy::needless_range_loop)]
unsafe fn add<V: Floats>(row: *const f32, weight: f32, sums: &mut [V; FOUR]) {
    // SAFETY: by the caller.
    unsafe {
        let weight = V::splat(weight);
        for i in 0..FOUR {
            sums[i] = V::load(row.add(i * V::LANES)).add_product(weight, sums[i]);
        }
    }
}

/// Stores sums of columns `x` on in row `row` of the `rows` that are made, and asks the cache for where those of the next rows go:
/// stores that wait for memory hold up what comes behind them.
///
/// # Safety
/// As [`make`].
#[inline(always)]
unsafe fn put<V: Floats>(sums: [V; FOUR], in_turn: bool, x: usize, row: usize, rows: usize, made: &Made) {
    let Made { pitch, width, stored, .. } = *made;
    let (to, count, step) = (made.row.wrapping_add(row * pitch), width - x, FOUR * V::LANES);
    // SAFETY: by the caller; what a row has no room for is stored elsewhere first.
    unsafe {
        match stored {
            Stored::Bytes => {
                let to = to.add(x);
                prefetch(to.wrapping_add(rows * pitch), step);
                if count >= step {
                    return V::store_bytes(sums, in_turn, to);
                }
                let mut last = [0; STEP];
                V::store_bytes(sums, in_turn, last.as_mut_ptr());
                to.copy_from_nonoverlapping(last.as_ptr(), count);
            }
            Stored::Words { drop, up } => {
                let to = to.cast::<u16>().add(x);
                prefetch(to.cast::<u8>().wrapping_add(rows * pitch), 2 * step);
                if count >= step {
                    return V::store_words(sums, in_turn, drop, up, to);
                }
                let mut last = [0; STEP];
                V::store_words(sums, in_turn, drop, up, last.as_mut_ptr());
                to.copy_from_nonoverlapping(last.as_ptr(), count);
            }
        }
    }
}
