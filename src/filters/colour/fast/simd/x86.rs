//! The vectors of AVX2 and AVX-512.

use super::Vector;
use std::arch::x86_64::*;

/// Eight lanes.
#[derive(Clone, Copy)]
pub(in super::super) struct Avx2(__m256);

/// Sixteen.
#[derive(Clone, Copy)]
pub(in super::super) struct Avx512(__m512);

/// Rounds to whole numbers, down.
const DOWN: i32 = _MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC;

/// Operations that are one instruction.
macro_rules! instructions {
    ($name:ident($ints:ty) ints { $($int:ident = $by_int:ident;)* } floats { $($float:ident = $by_float:ident;)* }) => {
        $(
            #[inline(always)]
            fn $int(a: $ints, b: $ints) -> $ints {
                // SAFETY: the processor has the instructions, since there are values.
                unsafe { $by_int(a, b) }
            }
        )*
        $(
            #[inline(always)]
            fn $float(self, b: Self) -> Self {
                // SAFETY: as above.
                $name(unsafe { $by_float(self.0, b.0) })
            }
        )*
    };
}

impl Vector for Avx2 {
    type Ints = __m256i;
    const LANES: usize = 8;

    #[inline(always)]
    unsafe fn splat(value: f32) -> Self {
        // SAFETY: by the caller.
        Avx2(unsafe { _mm256_set1_ps(value) })
    }

    #[inline(always)]
    unsafe fn ints(value: i32) -> __m256i {
        // SAFETY: by the caller.
        unsafe { _mm256_set1_epi32(value) }
    }

    #[inline(always)]
    unsafe fn load(from: &[u16]) -> __m256i {
        assert_eq!(from.len(), Self::LANES);
        // SAFETY: by the caller; there are eight samples.
        unsafe { _mm256_cvtepu16_epi32(_mm_loadu_si128(from.as_ptr().cast())) }
    }

    #[inline(always)]
    fn store(ints: __m256i, to: &mut [u16]) {
        assert_eq!(to.len(), Self::LANES);
        // SAFETY: the processor has the instructions, since there are values; there is room for eight.
        unsafe {
            let packed = _mm256_permute4x64_epi64::<0b1000>(_mm256_packus_epi32(ints, ints));
            _mm_storeu_si128(to.as_mut_ptr().cast(), _mm256_castsi256_si128(packed));
        }
    }

    instructions! {
        Avx2(__m256i)
        ints {
        int_add = _mm256_add_epi32;
        int_sub = _mm256_sub_epi32;
        int_mul = _mm256_mullo_epi32;
        int_min = _mm256_min_epi32;
        int_max = _mm256_max_epi32;
        int_and = _mm256_and_si256;
        word_min = _mm256_min_epu32;
        word_max = _mm256_max_epu32;
        }
        floats {
        sub = _mm256_sub_ps;
        mul = _mm256_mul_ps;
        div = _mm256_div_ps;
        min = _mm256_min_ps;
        max = _mm256_max_ps;
        }
    }

    #[inline(always)]
    fn shift_right<const BITS: i32>(a: __m256i) -> __m256i {
        // SAFETY: the processor has the instructions, since there are values.
        unsafe { _mm256_srai_epi32::<BITS>(a) }
    }

    #[inline(always)]
    fn word_shift_right<const BITS: i32>(a: __m256i) -> __m256i {
        // SAFETY: as above.
        unsafe { _mm256_srli_epi32::<BITS>(a) }
    }

    #[inline(always)]
    fn shift_left<const BITS: i32>(a: __m256i) -> __m256i {
        // SAFETY: as above.
        unsafe { _mm256_slli_epi32::<BITS>(a) }
    }

    #[inline(always)]
    fn float(ints: __m256i) -> Self {
        // SAFETY: as above.
        Avx2(unsafe { _mm256_cvtepi32_ps(ints) })
    }

    #[inline(always)]
    fn truncated(self) -> __m256i {
        // SAFETY: as above.
        unsafe { _mm256_cvttps_epi32(self.0) }
    }

    #[inline(always)]
    fn floored(self) -> __m256i {
        // SAFETY: as above.
        unsafe { _mm256_cvttps_epi32(_mm256_floor_ps(self.0)) }
    }

    #[inline(always)]
    fn bits(self) -> __m256i {
        // SAFETY: as above.
        unsafe { _mm256_castps_si256(self.0) }
    }

    #[inline(always)]
    unsafe fn look_up(table: &[f32], at: __m256i) -> [Self; 2] {
        // SAFETY: as above, and the caller vouches for the indices.
        let [entries, behind] = unsafe { pairs_256::<4>(table.as_ptr().cast(), at) };
        [Avx2(entries), Avx2(behind)]
    }

    #[inline(always)]
    unsafe fn words(table: &[u32], at: __m256i) -> __m256i {
        // SAFETY: as above.
        unsafe { _mm256_i32gather_epi32::<4>(table.as_ptr().cast(), at) }
    }

    #[inline(always)]
    unsafe fn halves(table: &[u64], at: __m256i) -> [__m256i; 2] {
        // SAFETY: as above.
        unsafe {
            let [low, high] = pairs_256::<8>(table.as_ptr().cast(), at);
            [_mm256_castps_si256(low), _mm256_castps_si256(high)]
        }
    }

    #[inline(always)]
    fn mul_add(self, b: Self, c: Self) -> Self {
        // SAFETY: the processor has the instructions, since there are values.
        Avx2(unsafe { _mm256_fmadd_ps(self.0, b.0, c.0) })
    }

    #[inline(always)]
    fn any_less(self, limit: Self) -> bool {
        // SAFETY: as above.
        unsafe { _mm256_movemask_ps(_mm256_cmp_ps::<_CMP_LT_OQ>(self.0, limit.0)) != 0 }
    }

    #[inline(always)]
    fn if_less(self, limit: Self, then: Self, otherwise: Self) -> Self {
        // SAFETY: as above.
        Avx2(unsafe { _mm256_blendv_ps(otherwise.0, then.0, _mm256_cmp_ps::<_CMP_LT_OQ>(self.0, limit.0)) })
    }
}

impl Vector for Avx512 {
    type Ints = __m512i;
    const LANES: usize = 16;

    #[inline(always)]
    unsafe fn splat(value: f32) -> Self {
        // SAFETY: by the caller.
        Avx512(unsafe { _mm512_set1_ps(value) })
    }

    #[inline(always)]
    unsafe fn ints(value: i32) -> __m512i {
        // SAFETY: by the caller.
        unsafe { _mm512_set1_epi32(value) }
    }

    #[inline(always)]
    unsafe fn load(from: &[u16]) -> __m512i {
        assert_eq!(from.len(), Self::LANES);
        // SAFETY: by the caller; there are sixteen samples.
        unsafe { _mm512_cvtepu16_epi32(_mm256_loadu_si256(from.as_ptr().cast())) }
    }

    #[inline(always)]
    fn store(ints: __m512i, to: &mut [u16]) {
        assert_eq!(to.len(), Self::LANES);
        // SAFETY: the processor has the instructions, since there are values; there is room for sixteen.
        unsafe { _mm256_storeu_si256(to.as_mut_ptr().cast(), _mm512_cvtepi32_epi16(ints)) }
    }

    instructions! {
        Avx512(__m512i)
        ints {
        int_add = _mm512_add_epi32;
        int_sub = _mm512_sub_epi32;
        int_mul = _mm512_mullo_epi32;
        int_min = _mm512_min_epi32;
        int_max = _mm512_max_epi32;
        int_and = _mm512_and_si512;
        word_min = _mm512_min_epu32;
        word_max = _mm512_max_epu32;
        }
        floats {
        sub = _mm512_sub_ps;
        mul = _mm512_mul_ps;
        div = _mm512_div_ps;
        min = _mm512_min_ps;
        max = _mm512_max_ps;
        }
    }

    #[inline(always)]
    fn shift_right<const BITS: i32>(a: __m512i) -> __m512i {
        // SAFETY: the processor has the instructions, since there are values.
        unsafe { _mm512_sra_epi32(a, _mm_cvtsi32_si128(BITS)) }
    }

    #[inline(always)]
    fn word_shift_right<const BITS: i32>(a: __m512i) -> __m512i {
        // SAFETY: as above.
        unsafe { _mm512_srl_epi32(a, _mm_cvtsi32_si128(BITS)) }
    }

    #[inline(always)]
    fn shift_left<const BITS: i32>(a: __m512i) -> __m512i {
        // SAFETY: as above.
        unsafe { _mm512_sll_epi32(a, _mm_cvtsi32_si128(BITS)) }
    }

    #[inline(always)]
    fn float(ints: __m512i) -> Self {
        // SAFETY: as above.
        Avx512(unsafe { _mm512_cvtepi32_ps(ints) })
    }

    #[inline(always)]
    fn truncated(self) -> __m512i {
        // SAFETY: as above.
        unsafe { _mm512_cvttps_epi32(self.0) }
    }

    #[inline(always)]
    fn floored(self) -> __m512i {
        // SAFETY: as above.
        unsafe { _mm512_cvttps_epi32(_mm512_roundscale_ps::<DOWN>(self.0)) }
    }

    #[inline(always)]
    fn bits(self) -> __m512i {
        // SAFETY: as above.
        unsafe { _mm512_castps_si512(self.0) }
    }

    #[inline(always)]
    unsafe fn look_up(table: &[f32], at: __m512i) -> [Self; 2] {
        // SAFETY: as above, and the caller vouches for the indices.
        let [entries, behind] = unsafe { pairs_512::<4>(table.as_ptr().cast(), at) };
        [Avx512(entries), Avx512(behind)]
    }

    #[inline(always)]
    unsafe fn words(table: &[u32], at: __m512i) -> __m512i {
        // SAFETY: as above.
        unsafe { _mm512_i32gather_epi32::<4>(at, table.as_ptr().cast()) }
    }

    #[inline(always)]
    unsafe fn halves(table: &[u64], at: __m512i) -> [__m512i; 2] {
        // SAFETY: as above.
        unsafe {
            let [low, high] = pairs_512::<8>(table.as_ptr().cast(), at);
            [_mm512_castps_si512(low), _mm512_castps_si512(high)]
        }
    }

    #[inline(always)]
    fn mul_add(self, b: Self, c: Self) -> Self {
        // SAFETY: the processor has the instructions, since there are values.
        Avx512(unsafe { _mm512_fmadd_ps(self.0, b.0, c.0) })
    }

    #[inline(always)]
    fn any_less(self, limit: Self) -> bool {
        // SAFETY: as above.
        unsafe { _mm512_cmp_ps_mask::<_CMP_LT_OQ>(self.0, limit.0) != 0 }
    }

    #[inline(always)]
    fn if_less(self, limit: Self, then: Self, otherwise: Self) -> Self {
        // SAFETY: as above.
        Avx512(unsafe { _mm512_mask_blend_ps(_mm512_cmp_ps_mask::<_CMP_LT_OQ>(self.0, limit.0), otherwise.0, then.0) })
    }
}

/// The 32 bits at `SCALE` bytes times each index, and those behind them.
///
/// # Safety
/// The processor has AVX2, and 8 bytes can be read at each.
#[inline(always)]
unsafe fn pairs_256<const SCALE: i32>(table: *const i64, at: __m256i) -> [__m256; 2] {
    // SAFETY: by the caller.
    unsafe {
        let low = _mm256_i32gather_epi64::<SCALE>(table, _mm256_castsi256_si128(at));
        let high = _mm256_i32gather_epi64::<SCALE>(table, _mm256_extracti128_si256::<1>(at));
        let (low, high) = (_mm256_castsi256_ps(low), _mm256_castsi256_ps(high));
        let first = _mm256_castps_pd(_mm256_shuffle_ps::<0b10_00_10_00>(low, high));
        let behind = _mm256_castps_pd(_mm256_shuffle_ps::<0b11_01_11_01>(low, high));
        // Shuffles work within halves, which leaves pairs in the order 0, 2, 1, 3.
        let first = _mm256_permute4x64_pd::<0b11_01_10_00>(first);
        let behind = _mm256_permute4x64_pd::<0b11_01_10_00>(behind);
        [_mm256_castpd_ps(first), _mm256_castpd_ps(behind)]
    }
}

/// As [`pairs_256`], of sixteen.
///
/// # Safety
/// The processor has AVX-512, and 8 bytes can be read at each.
#[inline(always)]
unsafe fn pairs_512<const SCALE: i32>(table: *const i64, at: __m512i) -> [__m512; 2] {
    // SAFETY: by the caller.
    unsafe {
        let low = _mm512_i32gather_epi64::<SCALE>(_mm512_castsi512_si256(at), table);
        let high = _mm512_i32gather_epi64::<SCALE>(_mm512_extracti64x4_epi64::<1>(at), table);
        let (low, high) = (_mm512_castsi512_ps(low), _mm512_castsi512_ps(high));
        let even = _mm512_setr_epi32(0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30);
        let odd = _mm512_add_epi32(even, _mm512_set1_epi32(1));
        [_mm512_permutex2var_ps(low, even, high), _mm512_permutex2var_ps(low, odd, high)]
    }
}
