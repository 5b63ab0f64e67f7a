//! Vectors of floats, of each level's width, and how four of them become samples.

use crate::device::cpu::CpuLevel;

/// Floats of a vector of `level`.
pub fn lanes(level: CpuLevel) -> usize {
    match level {
        CpuLevel::Portable => Plain::LANES,
        CpuLevel::Avx2 => 8,
        CpuLevel::Avx512 => 16,
    }
}

/// Vectors whose results are stored together.
pub const FOUR: usize = 4;

/// A vector of floats. Where four are stored, results lie in them from left to right; or, `in_turn`, the first and the third have
/// those of even columns and the others those of odd ones.
///
/// # Safety
/// Of all methods: the processor has the vectors, and pointers have room for them.
pub trait Floats: Copy {
    /// Floats of it.
    const LANES: usize;

    /// Those from `from` on.
    unsafe fn load(from: *const f32) -> Self;

    /// Puts them to `to`.
    unsafe fn store(self, to: *mut f32);

    /// `value` everywhere.
    unsafe fn splat(value: f32) -> Self;

    /// `sum` and the product of this with `weight`, rounded once.
    unsafe fn add_product(self, weight: Self, sum: Self) -> Self;

    /// Stores the lanes of sums, rounded to all bits but the last `drop`, and moved down by so many and up by `up`.
    unsafe fn store_words(sums: [Self; FOUR], in_turn: bool, drop: u8, up: u8, to: *mut u16);

    /// Stores the lanes of sums, rounded to bytes.
    unsafe fn store_bytes(sums: [Self; FOUR], in_turn: bool, to: *mut u8);
}

/// The vector of the baseline.
#[derive(Clone, Copy)]
pub struct Plain([f32; Plain::LANES]);

impl Plain {
    /// The lanes of sums, from left to right.
    fn lanes(sums: [Plain; FOUR], in_turn: bool) -> [u16; FOUR * Plain::LANES] {
        std::array::from_fn(|i| {
            let (vector, lane) = match in_turn {
                true => (i / (2 * Plain::LANES) * 2 + i % 2, i % (2 * Plain::LANES) / 2),
                false => (i / Plain::LANES, i % Plain::LANES),
            };
            crate::filters::resample::reference::lane(sums[vector].0[lane])
        })
    }
}

impl Floats for Plain {
    const LANES: usize = 4;

    #[inline(always)]
    unsafe fn load(from: *const f32) -> Plain {
        // SAFETY: by the caller.
        Plain(unsafe { from.cast::<[f32; Plain::LANES]>().read() })
    }

    #[inline(always)]
    unsafe fn store(self, to: *mut f32) {
        // SAFETY: by the caller.
        unsafe { to.cast::<[f32; Plain::LANES]>().write(self.0) }
    }

    #[inline(always)]
    unsafe fn splat(value: f32) -> Plain {
        Plain([value; Plain::LANES])
    }

    #[inline(always)]
    unsafe fn add_product(self, weight: Plain, sum: Plain) -> Plain {
        Plain(std::array::from_fn(|i| self.0[i].mul_add(weight.0[i], sum.0[i])))
    }

    unsafe fn store_words(sums: [Plain; FOUR], in_turn: bool, drop: u8, up: u8, to: *mut u16) {
        let half = (1u16 << drop) >> 1;
        let rounded = |lane: u16| lane.saturating_add(half) >> drop << up;
        // SAFETY: by the caller.
        unsafe { to.cast::<[u16; FOUR * Plain::LANES]>().write(Plain::lanes(sums, in_turn).map(rounded)) }
    }

    unsafe fn store_bytes(sums: [Plain; FOUR], in_turn: bool, to: *mut u8) {
        let rounded = |lane: u16| (lane.saturating_add(128) >> 8) as u8;
        // SAFETY: by the caller.
        unsafe { to.cast::<[u8; FOUR * Plain::LANES]>().write(Plain::lanes(sums, in_turn).map(rounded)) }
    }
}

#[cfg(target_arch = "x86_64")]
pub mod x86 {
    use super::{FOUR, Floats};
    use std::arch::x86_64::*;

    // Sums are far below 2^31: what is no lane is one of the ends of the scale once two vectors are packed.

    impl Floats for __m512 {
        const LANES: usize = 16;

        #[inline(always)]
        unsafe fn load(from: *const f32) -> __m512 {
            // SAFETY: by the caller.
            unsafe { _mm512_loadu_ps(from) }
        }

        #[inline(always)]
        unsafe fn store(self, to: *mut f32) {
            // SAFETY: by the caller.
            unsafe { _mm512_storeu_ps(to, self) }
        }

        #[inline(always)]
        unsafe fn splat(value: f32) -> __m512 {
            // SAFETY: by the caller.
            unsafe { _mm512_set1_ps(value) }
        }

        #[inline(always)]
        unsafe fn add_product(self, weight: __m512, sum: __m512) -> __m512 {
            // SAFETY: by the caller.
            unsafe { _mm512_fmadd_ps(self, weight, sum) }
        }

        #[inline(always)]
        unsafe fn store_words(sums: [__m512; FOUR], in_turn: bool, drop: u8, up: u8, to: *mut u16) {
            // SAFETY: by the caller.
            unsafe {
                let [a, b, c, d] = sums;
                let (a, b, c, d) = (whole_512(a), whole_512(b), whole_512(c), whole_512(d));
                let [mut left, mut right] = if in_turn {
                    let (even, odd) = (_mm512_packus_epi32(a, c), _mm512_packus_epi32(b, d));
                    [_mm512_unpacklo_epi16(even, odd), _mm512_unpackhi_epi16(even, odd)]
                } else {
                    let places = _mm512_setr_epi64(0, 2, 4, 6, 1, 3, 5, 7);
                    let (left, right) = (_mm512_packus_epi32(a, b), _mm512_packus_epi32(c, d));
                    [_mm512_permutexvar_epi64(places, left), _mm512_permutexvar_epi64(places, right)]
                };
                if drop > 0 {
                    let half = _mm512_set1_epi16(1 << (drop - 1));
                    let (drop, up) = (_mm_cvtsi32_si128(drop.into()), _mm_cvtsi32_si128(up.into()));
                    left = _mm512_sll_epi16(_mm512_srl_epi16(_mm512_adds_epu16(left, half), drop), up);
                    right = _mm512_sll_epi16(_mm512_srl_epi16(_mm512_adds_epu16(right, half), drop), up);
                }
                _mm512_storeu_si512(to.cast(), left);
                _mm512_storeu_si512(to.add(32).cast(), right);
            }
        }

        #[inline(always)]
        unsafe fn store_bytes(sums: [__m512; FOUR], in_turn: bool, to: *mut u8) {
            // SAFETY: by the caller.
            unsafe {
                let [a, b, c, d] = sums;
                let (a, b, c, d) = (whole_512(a), whole_512(b), whole_512(c), whole_512(d));
                let bytes = if in_turn {
                    let (even, odd) = (_mm512_srli_epi16::<8>(round_512(a, c)), round_512(b, d));
                    let both = _mm512_mask_mov_epi8(even, 0xaaaa_aaaa_aaaa_aaaa, odd);
                    _mm512_permutexvar_epi64(_mm512_setr_epi64(0, 2, 4, 6, 1, 3, 5, 7), both)
                } else {
                    let (left, right) =
                        (_mm512_srli_epi16::<8>(round_512(a, b)), _mm512_srli_epi16::<8>(round_512(c, d)));
                    let places = _mm512_setr_epi32(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15);
                    _mm512_permutexvar_epi32(places, _mm512_packus_epi16(left, right))
                };
                _mm512_storeu_si512(to.cast(), bytes);
            }
        }
    }

    /// `sum` and a half, rounded down.
    ///
    /// # Safety
    /// The processor has the vectors.
    #[inline(always)]
    unsafe fn whole_512(sum: __m512) -> __m512i {
        // SAFETY: by the caller.
        unsafe { _mm512_cvttps_epi32(_mm512_add_ps(sum, _mm512_set1_ps(0.5))) }
    }

    /// Lanes of whole numbers, and half a byte's step more.
    ///
    /// # Safety
    /// As above.
    #[inline(always)]
    unsafe fn round_512(a: __m512i, b: __m512i) -> __m512i {
        // SAFETY: by the caller.
        unsafe { _mm512_adds_epu16(_mm512_packus_epi32(a, b), _mm512_set1_epi16(128)) }
    }

    impl Floats for __m256 {
        const LANES: usize = 8;

        #[inline(always)]
        unsafe fn load(from: *const f32) -> __m256 {
            // SAFETY: by the caller.
            unsafe { _mm256_loadu_ps(from) }
        }

        #[inline(always)]
        unsafe fn store(self, to: *mut f32) {
            // SAFETY: by the caller.
            unsafe { _mm256_storeu_ps(to, self) }
        }

        #[inline(always)]
        unsafe fn splat(value: f32) -> __m256 {
            // SAFETY: by the caller.
            unsafe { _mm256_set1_ps(value) }
        }

        #[inline(always)]
        unsafe fn add_product(self, weight: __m256, sum: __m256) -> __m256 {
            // SAFETY: by the caller.
            unsafe { _mm256_fmadd_ps(self, weight, sum) }
        }

        #[inline(always)]
        unsafe fn store_words(sums: [__m256; FOUR], in_turn: bool, drop: u8, up: u8, to: *mut u16) {
            // SAFETY: by the caller.
            unsafe {
                let [a, b, c, d] = sums;
                let (a, b, c, d) = (whole_256(a), whole_256(b), whole_256(c), whole_256(d));
                let [mut left, mut right] = if in_turn {
                    let (even, odd) = (_mm256_packus_epi32(a, c), _mm256_packus_epi32(b, d));
                    [_mm256_unpacklo_epi16(even, odd), _mm256_unpackhi_epi16(even, odd)]
                } else {
                    let (left, right) = (_mm256_packus_epi32(a, b), _mm256_packus_epi32(c, d));
                    [_mm256_permute4x64_epi64::<0xd8>(left), _mm256_permute4x64_epi64::<0xd8>(right)]
                };
                if drop > 0 {
                    let half = _mm256_set1_epi16(1 << (drop - 1));
                    let (drop, up) = (_mm_cvtsi32_si128(drop.into()), _mm_cvtsi32_si128(up.into()));
                    left = _mm256_sll_epi16(_mm256_srl_epi16(_mm256_adds_epu16(left, half), drop), up);
                    right = _mm256_sll_epi16(_mm256_srl_epi16(_mm256_adds_epu16(right, half), drop), up);
                }
                _mm256_storeu_si256(to.cast(), left);
                _mm256_storeu_si256(to.add(16).cast(), right);
            }
        }

        #[inline(always)]
        unsafe fn store_bytes(sums: [__m256; FOUR], in_turn: bool, to: *mut u8) {
            // SAFETY: by the caller.
            unsafe {
                let [a, b, c, d] = sums;
                let (a, b, c, d) = (whole_256(a), whole_256(b), whole_256(c), whole_256(d));
                let bytes = if in_turn {
                    let (even, odd) = (_mm256_srli_epi16::<8>(round_256(a, c)), round_256(b, d));
                    let both = _mm256_blendv_epi8(even, odd, _mm256_set1_epi16(-256));
                    _mm256_permute4x64_epi64::<0xd8>(both)
                } else {
                    let (left, right) =
                        (_mm256_srli_epi16::<8>(round_256(a, b)), _mm256_srli_epi16::<8>(round_256(c, d)));
                    let places = _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7);
                    _mm256_permutevar8x32_epi32(_mm256_packus_epi16(left, right), places)
                };
                _mm256_storeu_si256(to.cast(), bytes);
            }
        }
    }

    /// `sum` and a half, rounded down.
    ///
    /// # Safety
    /// The processor has the vectors.
    #[inline(always)]
    unsafe fn whole_256(sum: __m256) -> __m256i {
        // SAFETY: by the caller.
        unsafe { _mm256_cvttps_epi32(_mm256_add_ps(sum, _mm256_set1_ps(0.5))) }
    }

    /// Lanes of whole numbers, and half a byte's step more.
    ///
    /// # Safety
    /// As above.
    #[inline(always)]
    unsafe fn round_256(a: __m256i, b: __m256i) -> __m256i {
        // SAFETY: by the caller.
        unsafe { _mm256_adds_epu16(_mm256_packus_epi32(a, b), _mm256_set1_epi16(128)) }
    }
}
