//! Vectors of 16-bit lanes: portable, AVX2 and AVX-512. Lanes are signed unless an operation says otherwise.

use super::level::ENDS;
use super::plan::{CELL, SHARES};

/// A vector.
///
/// Values of a type are made only where the processor is known to have its instructions, which is what makes the
/// operations on them safe.
pub(super) trait Vector: Copy {
    /// Lanes.
    const WIDTH: usize;
    /// # Safety
    /// The processor must have the type's instructions.
    unsafe fn splat(value: i16) -> Self;
    /// # Safety
    /// As [`Vector::splat`], and `from` is readable for [`Vector::WIDTH`] lanes.
    unsafe fn load(from: *const i16) -> Self;
    /// # Safety
    /// `to` is writable for [`Vector::WIDTH`] lanes.
    unsafe fn store(self, to: *mut i16);
    fn add(self, b: Self) -> Self;
    fn sub(self, b: Self) -> Self;
    fn add_saturating(self, b: Self) -> Self;
    fn sub_saturating(self, b: Self) -> Self;
    /// Unsigned, from 0 on.
    fn excess_unsigned(self, b: Self) -> Self;
    fn min(self, b: Self) -> Self;
    fn max(self, b: Self) -> Self;
    fn min_unsigned(self, b: Self) -> Self;
    /// −32768 becomes 32768, which is unsigned.
    fn abs(self) -> Self;
    /// The low half of the product.
    fn mul(self, b: Self) -> Self;
    /// (a · b + 16384) >> 15.
    fn mul_rounded(self, b: Self) -> Self;
    /// Adds a pair, given by its samples' differences from the centre, to the sum and the count of `tally`, which counts as it likes: where neither
    /// differs by more than `near`, nor, with `BUMPS`, their sum by more than `bump`. Saturated differences are far.
    fn tally<const BUMPS: bool>(tally: (Self, Self), pair: (Self, Self), near: Self, bump: Self) -> (Self, Self);
    /// The sum of `tally` times the share of its count, rounded.
    fn share(tally: (Self, Self)) -> Self;
    /// Levels on the straight line from the middle of one cell to that of the next.
    ///
    /// # Safety
    /// As [`Vector::splat`].
    unsafe fn line(ends: [i16; 2], out: &mut [i16; CELL]);
}

/// Plain loops, over as many lanes as every processor has in a vector.
#[derive(Clone, Copy)]
pub(super) struct Portable([i16; LANES]);

const LANES: usize = 8;

macro_rules! lanewise {
    ($($name:ident($a:ident $(, $b:ident)?) = $value:expr;)*) => { $(
        #[inline(always)]
        fn $name(self $(, $b: Self)?) -> Self {
            let mut out = self;
            // `array::from_fn` is no loop to compilers.
            for (i, out) in out.0.iter_mut().enumerate() {
                let $a = self.0[i];
                $(let $b = $b.0[i];)?
                *out = $value;
            }
            out
        }
    )* };
}

impl Vector for Portable {
    const WIDTH: usize = LANES;

    #[inline(always)]
    unsafe fn splat(value: i16) -> Self {
        Portable([value; LANES])
    }

    #[inline(always)]
    unsafe fn load(from: *const i16) -> Self {
        // SAFETY: by the caller.
        Portable(unsafe { from.cast::<[i16; LANES]>().read_unaligned() })
    }

    #[inline(always)]
    unsafe fn store(self, to: *mut i16) {
        // SAFETY: by the caller.
        unsafe { to.cast::<[i16; LANES]>().write_unaligned(self.0) }
    }

    lanewise! {
        add(a, b) = a.wrapping_add(b);
        sub(a, b) = a.wrapping_sub(b);
        add_saturating(a, b) = a.saturating_add(b);
        sub_saturating(a, b) = a.saturating_sub(b);
        excess_unsigned(a, b) = (a as u16).saturating_sub(b as u16) as i16;
        min(a, b) = a.min(b);
        max(a, b) = a.max(b);
        min_unsigned(a, b) = (a as u16).min(b as u16) as i16;
        abs(a) = a.wrapping_abs();
        mul(a, b) = a.wrapping_mul(b);
        mul_rounded(a, b) = ((i32::from(a) * i32::from(b) + 16384) >> 15) as i16;
    }

    #[inline(always)]
    fn tally<const BUMPS: bool>(
        (mut sum, mut count): (Self, Self),
        (a, b): (Self, Self),
        near: Self,
        bump: Self,
    ) -> (Self, Self) {
        for i in 0..LANES {
            let both = a.0[i].wrapping_add(b.0[i]);
            let is_near = a.0[i].unsigned_abs().max(b.0[i].unsigned_abs()) <= near.0[i] as u16;
            let counts = is_near & (!BUMPS | (both.unsigned_abs() <= bump.0[i] as u16));
            sum.0[i] = sum.0[i].wrapping_add(if counts { both } else { 0 });
            count.0[i] = count.0[i].wrapping_add(counts.into());
        }
        (sum, count)
    }

    #[inline(always)]
    fn share((sum, count): (Self, Self)) -> Self {
        let mut shares = count;
        for share in &mut shares.0 {
            *share = SHARES[*share as usize] as i16;
        }
        sum.mul_rounded(shares)
    }

    #[inline(always)]
    unsafe fn line([start, end]: [i16; 2], out: &mut [i16; CELL]) {
        let weigh = |[first, last]: [i16; 2]| i32::from(start) * i32::from(first) + i32::from(end) * i32::from(last);
        out.iter_mut().zip(ENDS).for_each(|(out, ends)| *out = ((weigh(ends) + 128) >> 8) as i16);
    }
}

#[cfg(target_arch = "x86_64")]
pub(super) use x86::{Avx2, Avx512};

#[cfg(target_arch = "x86_64")]
mod x86 {
    use super::{CELL, ENDS, SHARES, Vector};
    use std::arch::x86_64::*;

    /// One vector of AVX2.
    #[derive(Clone, Copy)]
    pub(in super::super) struct Avx2(__m256i);

    /// One vector of AVX-512 F and BW.
    #[derive(Clone, Copy)]
    pub(in super::super) struct Avx512(__m512i);

    macro_rules! lanewise {
        ($type:ident: $($name:ident($a:ident $(, $b:ident)?) = $value:expr;)*) => { $(
            #[inline(always)]
            fn $name(self $(, $b: Self)?) -> Self {
                let $a = self.0;
                $(let $b = $b.0;)?
                // SAFETY: values of this type are made only where there are its instructions.
                unsafe { $type($value) }
            }
        )* };
    }

    impl Vector for Avx2 {
        const WIDTH: usize = 16;

        #[inline(always)]
        unsafe fn splat(value: i16) -> Self {
            // SAFETY: the caller has AVX2.
            Avx2(unsafe { _mm256_set1_epi16(value) })
        }

        #[inline(always)]
        unsafe fn load(from: *const i16) -> Self {
            // SAFETY: by the caller.
            Avx2(unsafe { _mm256_loadu_si256(from.cast()) })
        }

        #[inline(always)]
        unsafe fn store(self, to: *mut i16) {
            // SAFETY: by the caller; there is AVX2, as there is a value.
            unsafe { _mm256_storeu_si256(to.cast(), self.0) }
        }

        lanewise! { Avx2:
            add(a, b) = _mm256_add_epi16(a, b);
            sub(a, b) = _mm256_sub_epi16(a, b);
            add_saturating(a, b) = _mm256_adds_epi16(a, b);
            sub_saturating(a, b) = _mm256_subs_epi16(a, b);
            excess_unsigned(a, b) = _mm256_subs_epu16(a, b);
            min(a, b) = _mm256_min_epi16(a, b);
            max(a, b) = _mm256_max_epi16(a, b);
            min_unsigned(a, b) = _mm256_min_epu16(a, b);
            abs(a) = _mm256_abs_epi16(a);
            mul(a, b) = _mm256_mullo_epi16(a, b);
            mul_rounded(a, b) = _mm256_mulhrs_epi16(a, b);
        }

        /// The count goes down.
        #[inline(always)]
        fn tally<const BUMPS: bool>(
            (sum, count): (Self, Self),
            (a, b): (Self, Self),
            near: Self,
            bump: Self,
        ) -> (Self, Self) {
            let both = a.add(b);
            // SAFETY: there is AVX2, as there are values.
            unsafe {
                let mut excess = _mm256_subs_epu16(_mm256_max_epu16(a.abs().0, b.abs().0), near.0);
                if BUMPS {
                    excess = _mm256_or_si256(excess, both.abs().excess_unsigned(bump).0);
                }
                let counts = _mm256_cmpeq_epi16(excess, _mm256_setzero_si256());
                (sum.add(Avx2(_mm256_and_si256(both.0, counts))), count.add(Avx2(counts)))
            }
        }

        #[inline(always)]
        fn share((sum, count): (Self, Self)) -> Self {
            const TABLE: [u16; 8] = {
                let mut table = [0; 8];
                let mut count = 0;
                while count < SHARES.len() {
                    table[count] = SHARES[count];
                    count += 1;
                }
                table
            };
            // SAFETY: there is AVX2, as there are values; the table has 16 bytes.
            unsafe {
                let table = _mm256_broadcastsi128_si256(_mm_loadu_si128(TABLE.as_ptr().cast()));
                // The bytes 2n and 2n + 1 of it.
                let at =
                    _mm256_sub_epi16(_mm256_set1_epi16(0x0100), _mm256_mullo_epi16(count.0, _mm256_set1_epi16(0x0202)));
                sum.mul_rounded(Avx2(_mm256_shuffle_epi8(table, at)))
            }
        }

        #[inline(always)]
        unsafe fn line(ends: [i16; 2], out: &mut [i16; CELL]) {
            // SAFETY: the caller has AVX2; the weights are two vectors, and `out` is one.
            unsafe {
                let ends = _mm256_set1_epi32(i32::from(ends[1]) << 16 | i32::from(ends[0] as u16));
                let weights: *const __m256i = ENDS.as_ptr().cast();
                let at = |i| {
                    let sum = _mm256_madd_epi16(ends, _mm256_loadu_si256(weights.add(i)));
                    _mm256_srai_epi32::<8>(_mm256_add_epi32(sum, _mm256_set1_epi32(128)))
                };
                let lanes = _mm256_permute4x64_epi64::<0b11_01_10_00>(_mm256_packs_epi32(at(0), at(1)));
                _mm256_storeu_si256(out.as_mut_ptr().cast(), lanes);
            }
        }
    }

    impl Vector for Avx512 {
        const WIDTH: usize = 32;

        #[inline(always)]
        unsafe fn splat(value: i16) -> Self {
            // SAFETY: the caller has AVX-512.
            Avx512(unsafe { _mm512_set1_epi16(value) })
        }

        #[inline(always)]
        unsafe fn load(from: *const i16) -> Self {
            // SAFETY: by the caller.
            Avx512(unsafe { _mm512_loadu_si512(from.cast()) })
        }

        #[inline(always)]
        unsafe fn store(self, to: *mut i16) {
            // SAFETY: by the caller; there is AVX-512, as there is a value.
            unsafe { _mm512_storeu_si512(to.cast(), self.0) }
        }

        lanewise! { Avx512:
            add(a, b) = _mm512_add_epi16(a, b);
            sub(a, b) = _mm512_sub_epi16(a, b);
            add_saturating(a, b) = _mm512_adds_epi16(a, b);
            sub_saturating(a, b) = _mm512_subs_epi16(a, b);
            excess_unsigned(a, b) = _mm512_subs_epu16(a, b);
            min(a, b) = _mm512_min_epi16(a, b);
            max(a, b) = _mm512_max_epi16(a, b);
            min_unsigned(a, b) = _mm512_min_epu16(a, b);
            abs(a) = _mm512_abs_epi16(a);
            mul(a, b) = _mm512_mullo_epi16(a, b);
            mul_rounded(a, b) = _mm512_mulhrs_epi16(a, b);
        }

        #[inline(always)]
        fn tally<const BUMPS: bool>(
            (sum, count): (Self, Self),
            (a, b): (Self, Self),
            near: Self,
            bump: Self,
        ) -> (Self, Self) {
            let both = a.add(b);
            // SAFETY: there is AVX-512, as there are values.
            unsafe {
                let mut counts = _mm512_cmple_epu16_mask(_mm512_max_epu16(a.abs().0, b.abs().0), near.0);
                if BUMPS {
                    counts = _mm512_mask_cmple_epu16_mask(counts, both.abs().0, bump.0);
                }
                // By two: one would be added through a vector made of the mask.
                let two = _mm512_set1_epi16(2);
                let sum = _mm512_mask_add_epi16(sum.0, counts, sum.0, both.0);
                (Avx512(sum), Avx512(_mm512_mask_add_epi16(count.0, counts, count.0, two)))
            }
        }

        #[inline(always)]
        fn share((sum, count): (Self, Self)) -> Self {
            const TABLE: [u16; 32] = {
                let mut table = [0; 32];
                let mut count = 0;
                while count < SHARES.len() {
                    table[2 * count] = SHARES[count];
                    count += 1;
                }
                table
            };
            // SAFETY: there is AVX-512, as there are values; the table is a vector, and counts stay within it.
            unsafe {
                let table = _mm512_loadu_si512(TABLE.as_ptr().cast());
                sum.mul_rounded(Avx512(_mm512_permutexvar_epi16(count.0, table)))
            }
        }

        #[inline(always)]
        unsafe fn line(ends: [i16; 2], out: &mut [i16; CELL]) {
            // SAFETY: the caller has AVX-512; the weights are a vector, and `out` is half of one.
            unsafe {
                let ends = _mm512_set1_epi32(i32::from(ends[1]) << 16 | i32::from(ends[0] as u16));
                let sum = _mm512_madd_epi16(ends, _mm512_loadu_si512(ENDS.as_ptr().cast()));
                let lanes = _mm512_srai_epi32::<8>(_mm512_add_epi32(sum, _mm512_set1_epi32(128)));
                _mm256_storeu_si256(out.as_mut_ptr().cast(), _mm512_cvtepi32_epi16(lanes));
            }
        }
    }
}
