//! Vectors of 32 lanes: portable, AVX2 and AVX-512.
//!
//! The compiler's own vectors of the same loops were as fast where it made them, but it gave up on some of the loops
//! whenever a neighbouring one changed, and on the filter's speed with them; so they are written out.

/// Lanes of a vector.
pub(super) const WIDTH: usize = 32;

/// 32 lanes of 16 bits, unsigned unless an operation says otherwise.
///
/// Values of a type are made only where the processor is known to have its instructions, which is what makes the
/// operations on them safe.
pub(super) trait Vector: Copy {
    /// # Safety
    /// The processor must have the type's instructions.
    unsafe fn splat(value: u16) -> Self;
    /// # Safety
    /// As [`Vector::splat`].
    unsafe fn load(from: &[u16; WIDTH]) -> Self;
    /// One lane a byte.
    ///
    /// # Safety
    /// As [`Vector::splat`].
    unsafe fn widen(from: &[u8; WIDTH]) -> Self;
    fn store(self, to: &mut [u16; WIDTH]);
    fn add(self, b: Self) -> Self;
    fn sub(self, b: Self) -> Self;
    /// The low half of the product.
    fn mul(self, b: Self) -> Self;
    fn shift_right_8(self) -> Self;
    fn and(self, b: Self) -> Self;
    fn or(self, b: Self) -> Self;
    fn xor(self, b: Self) -> Self;
    fn min(self, b: Self) -> Self;
    fn max(self, b: Self) -> Self;
    fn max_signed(self, b: Self) -> Self;
    /// (a + b + 1) >> 1, without overflow.
    fn average(self, b: Self) -> Self;
    fn add_signed_saturating(self, b: Self) -> Self;
    /// `then` where `self < limit`, `otherwise` elsewhere.
    fn if_less(self, limit: Self, then: Self, otherwise: Self) -> Self;
    /// `weights.0 · self + weights.1 · b`, all signed, and the negative of it. Lane `i` goes to [`place`]`(i)`.
    fn weigh(self, b: Self, weights: (i16, i16), to: &mut [i32; WIDTH], negative: &mut [i32; WIDTH]);

    #[inline(always)]
    fn abs_diff(self, b: Self) -> Self {
        self.max(b).sub(self.min(b))
    }
}

/// Where [`Vector::weigh`] puts lane `i`: x86 interleaves within 128 bits, and a reader can follow for nothing.
#[inline(always)]
pub(super) const fn place(i: usize) -> usize {
    i / 4 % 2 * 16 + i / 8 * 4 + i % 4
}

/// Plain loops.
#[derive(Clone, Copy)]
pub(super) struct Portable([u16; WIDTH]);

macro_rules! lanewise {
    ($($name:ident($a:ident $(, $b:ident)?) = $value:expr;)*) => { $(
        #[inline(always)]
        fn $name(self $(, $b: Self)?) -> Self {
            Portable(std::array::from_fn(|i| {
                let $a = self.0[i];
                $(let $b = $b.0[i];)?
                $value
            }))
        }
    )* };
}

impl Vector for Portable {
    #[inline(always)]
    unsafe fn splat(value: u16) -> Self {
        Portable([value; WIDTH])
    }

    #[inline(always)]
    unsafe fn load(from: &[u16; WIDTH]) -> Self {
        Portable(*from)
    }

    #[inline(always)]
    unsafe fn widen(from: &[u8; WIDTH]) -> Self {
        Portable(from.map(u16::from))
    }

    #[inline(always)]
    fn store(self, to: &mut [u16; WIDTH]) {
        *to = self.0;
    }

    lanewise! {
        add(a, b) = a.wrapping_add(b);
        sub(a, b) = a.wrapping_sub(b);
        mul(a, b) = a.wrapping_mul(b);
        shift_right_8(a) = a >> 8;
        and(a, b) = a & b;
        or(a, b) = a | b;
        xor(a, b) = a ^ b;
        min(a, b) = a.min(b);
        max(a, b) = a.max(b);
        max_signed(a, b) = (a as i16).max(b as i16) as u16;
        average(a, b) = ((u32::from(a) + u32::from(b) + 1) >> 1) as u16;
        add_signed_saturating(a, b) = (a as i16).saturating_add(b as i16) as u16;
    }

    #[inline(always)]
    fn if_less(self, limit: Self, then: Self, otherwise: Self) -> Self {
        Portable(std::array::from_fn(|i| if self.0[i] < limit.0[i] { then.0[i] } else { otherwise.0[i] }))
    }

    #[inline(always)]
    fn weigh(self, b: Self, weights: (i16, i16), to: &mut [i32; WIDTH], negative: &mut [i32; WIDTH]) {
        for i in 0..WIDTH {
            let (a, b) = (i32::from(self.0[i] as i16), i32::from(b.0[i] as i16));
            let sum = a * i32::from(weights.0) + b * i32::from(weights.1);
            to[place(i)] = sum;
            negative[place(i)] = -sum;
        }
    }
}

#[cfg(target_arch = "x86_64")]
pub(super) use x86::{Avx2, Avx512};

#[cfg(target_arch = "x86_64")]
mod x86 {
    use super::{Vector, WIDTH};
    use std::arch::x86_64::*;

    /// Two vectors of AVX2.
    #[derive(Clone, Copy)]
    pub(in super::super) struct Avx2(__m256i, __m256i);

    /// One vector of AVX-512 F and BW.
    #[derive(Clone, Copy)]
    pub(in super::super) struct Avx512(__m512i);

    /// Two weights where `_mm*_madd_epi16` wants them: `b` comes first in each pair.
    fn pair((a, b): (i16, i16)) -> i32 {
        i32::from(a) << 16 | i32::from(b as u16)
    }

    macro_rules! avx2 {
        ($($name:ident($a:ident $(, $b:ident)*) = $value:expr;)*) => { $(
            #[inline(always)]
            fn $name(self $(, $b: Self)*) -> Self {
                // SAFETY: values of this type are made only where there is AVX2.
                let half = |$a: __m256i $(, $b: __m256i)*| unsafe { $value };
                Avx2(half(self.0 $(, $b.0)*), half(self.1 $(, $b.1)*))
            }
        )* };
    }

    impl Vector for Avx2 {
        #[inline(always)]
        unsafe fn splat(value: u16) -> Self {
            // SAFETY: the caller has AVX2.
            let half = unsafe { _mm256_set1_epi16(value as i16) };
            Avx2(half, half)
        }

        #[inline(always)]
        unsafe fn load(from: &[u16; WIDTH]) -> Self {
            let from = from.as_ptr().cast::<__m256i>();
            // SAFETY: the caller has AVX2; 32 samples are two vectors.
            unsafe { Avx2(_mm256_loadu_si256(from), _mm256_loadu_si256(from.add(1))) }
        }

        #[inline(always)]
        unsafe fn widen(from: &[u8; WIDTH]) -> Self {
            let from = from.as_ptr().cast::<__m128i>();
            // SAFETY: the caller has AVX2; 32 bytes are two half vectors.
            let half = |i: usize| unsafe { _mm256_cvtepu8_epi16(_mm_loadu_si128(from.add(i))) };
            Avx2(half(0), half(1))
        }

        #[inline(always)]
        fn store(self, to: &mut [u16; WIDTH]) {
            let to = to.as_mut_ptr().cast::<__m256i>();
            // SAFETY: there is AVX2, as there is a value; 32 samples are two vectors.
            unsafe {
                _mm256_storeu_si256(to, self.0);
                _mm256_storeu_si256(to.add(1), self.1);
            }
        }

        avx2! {
            add(a, b) = _mm256_add_epi16(a, b);
            sub(a, b) = _mm256_sub_epi16(a, b);
            mul(a, b) = _mm256_mullo_epi16(a, b);
            shift_right_8(a) = _mm256_srli_epi16::<8>(a);
            and(a, b) = _mm256_and_si256(a, b);
            or(a, b) = _mm256_or_si256(a, b);
            xor(a, b) = _mm256_xor_si256(a, b);
            min(a, b) = _mm256_min_epu16(a, b);
            max(a, b) = _mm256_max_epu16(a, b);
            max_signed(a, b) = _mm256_max_epi16(a, b);
            average(a, b) = _mm256_avg_epu16(a, b);
            add_signed_saturating(a, b) = _mm256_adds_epi16(a, b);
            // There is no unsigned comparison, but a >= limit where the larger of them is a.
            if_less(a, limit, then, otherwise) =
                _mm256_blendv_epi8(then, otherwise, _mm256_cmpeq_epi16(_mm256_max_epu16(a, limit), a));
        }

        #[inline(always)]
        fn weigh(self, b: Self, weights: (i16, i16), to: &mut [i32; WIDTH], negative: &mut [i32; WIDTH]) {
            let (to, negative) = (to.as_mut_ptr().cast::<__m256i>(), negative.as_mut_ptr().cast::<__m256i>());
            // SAFETY: there is AVX2, as there is a value; 32 numbers are four vectors.
            unsafe {
                let weights = _mm256_set1_epi32(pair(weights));
                let zero = _mm256_setzero_si256();
                for (i, a, b) in [(0, self.0, b.0), (1, self.1, b.1)] {
                    let low = _mm256_madd_epi16(_mm256_unpacklo_epi16(b, a), weights);
                    let high = _mm256_madd_epi16(_mm256_unpackhi_epi16(b, a), weights);
                    _mm256_storeu_si256(to.add(i), low);
                    _mm256_storeu_si256(to.add(i + 2), high);
                    _mm256_storeu_si256(negative.add(i), _mm256_sub_epi32(zero, low));
                    _mm256_storeu_si256(negative.add(i + 2), _mm256_sub_epi32(zero, high));
                }
            }
        }
    }

    macro_rules! avx512 {
        ($($name:ident($a:ident $(, $b:ident)*) = $value:expr;)*) => { $(
            #[inline(always)]
            fn $name(self $(, $b: Self)*) -> Self {
                let ($a, $($b,)*) = (self.0, $($b.0,)*);
                // SAFETY: values of this type are made only where there is AVX-512 F and BW.
                unsafe { Avx512($value) }
            }
        )* };
    }

    impl Vector for Avx512 {
        #[inline(always)]
        unsafe fn splat(value: u16) -> Self {
            // SAFETY: the caller has AVX-512.
            unsafe { Avx512(_mm512_set1_epi16(value as i16)) }
        }

        #[inline(always)]
        unsafe fn load(from: &[u16; WIDTH]) -> Self {
            // SAFETY: the caller has AVX-512; 32 samples are a vector.
            unsafe { Avx512(_mm512_loadu_si512(from.as_ptr().cast())) }
        }

        #[inline(always)]
        unsafe fn widen(from: &[u8; WIDTH]) -> Self {
            // SAFETY: the caller has AVX-512; 32 bytes are half a vector.
            unsafe { Avx512(_mm512_cvtepu8_epi16(_mm256_loadu_si256(from.as_ptr().cast()))) }
        }

        #[inline(always)]
        fn store(self, to: &mut [u16; WIDTH]) {
            // SAFETY: there is AVX-512, as there is a value; 32 samples are a vector.
            unsafe { _mm512_storeu_si512(to.as_mut_ptr().cast(), self.0) }
        }

        avx512! {
            add(a, b) = _mm512_add_epi16(a, b);
            sub(a, b) = _mm512_sub_epi16(a, b);
            mul(a, b) = _mm512_mullo_epi16(a, b);
            shift_right_8(a) = _mm512_srli_epi16::<8>(a);
            and(a, b) = _mm512_and_si512(a, b);
            or(a, b) = _mm512_or_si512(a, b);
            xor(a, b) = _mm512_xor_si512(a, b);
            min(a, b) = _mm512_min_epu16(a, b);
            max(a, b) = _mm512_max_epu16(a, b);
            max_signed(a, b) = _mm512_max_epi16(a, b);
            average(a, b) = _mm512_avg_epu16(a, b);
            add_signed_saturating(a, b) = _mm512_adds_epi16(a, b);
            if_less(a, limit, then, otherwise) =
                _mm512_mask_blend_epi16(_mm512_cmplt_epu16_mask(a, limit), otherwise, then);
        }

        #[inline(always)]
        fn weigh(self, b: Self, weights: (i16, i16), to: &mut [i32; WIDTH], negative: &mut [i32; WIDTH]) {
            let (to, negative) = (to.as_mut_ptr().cast::<__m512i>(), negative.as_mut_ptr().cast::<__m512i>());
            // SAFETY: there is AVX-512, as there is a value; 32 numbers are two vectors.
            unsafe {
                let weights = _mm512_set1_epi32(pair(weights));
                let low = _mm512_madd_epi16(_mm512_unpacklo_epi16(b.0, self.0), weights);
                let high = _mm512_madd_epi16(_mm512_unpackhi_epi16(b.0, self.0), weights);
                let zero = _mm512_setzero_si512();
                _mm512_storeu_si512(to, low);
                _mm512_storeu_si512(to.add(1), high);
                _mm512_storeu_si512(negative, _mm512_sub_epi32(zero, low));
                _mm512_storeu_si512(negative.add(1), _mm512_sub_epi32(zero, high));
            }
        }
    }
}
