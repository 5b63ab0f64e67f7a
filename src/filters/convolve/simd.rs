//! Sums of neighbours by weights in pairs: portable, AVX2 and AVX-512. Compilers do not find the instructions for that.
//!
//! Values of a type are made only where the processor is known to have its instructions, which is what makes the
//! operations on them safe.

/// Sums of 16 bits for places side by side, modulo 2^16.
pub(super) trait ShortSums: Copy {
    /// How many.
    const LANES: usize;
    /// Two weights, for all places.
    type Weights: Copy;
    /// # Safety
    /// The processor must have the type's instructions.
    unsafe fn splat(begin: u16) -> Self;
    /// # Safety
    /// As [`ShortSums::splat`].
    unsafe fn weights(pair: [i8; 2]) -> Self::Weights;
    /// Adds the products of a byte and of the next by two weights, of which no two add up to what 16 bits with a sign do not hold.
    ///
    /// # Safety
    /// `from` is readable for [`ShortSums::LANES`] bytes and one more.
    unsafe fn add_products(self, from: *const u8, weights: Self::Weights) -> Self;
    /// Stores `max(sum − nought, 0) · times >> 16 >> shift`, and 255 at most, as bytes.
    ///
    /// # Safety
    /// `to` is writable for [`ShortSums::LANES`] bytes.
    unsafe fn store_quotients(self, nought: u16, times: u16, shift: u32, to: *mut u8);
}

/// Sums of 32 bits for places side by side.
pub(super) trait LongSums: Copy {
    /// How many.
    const LANES: usize;
    /// Two weights, for all places.
    type Weights: Copy;
    /// # Safety
    /// The processor must have the type's instructions.
    unsafe fn nought() -> Self;
    /// # Safety
    /// As [`LongSums::nought`].
    unsafe fn weights(pair: [i16; 2]) -> Self::Weights;
    /// Adds the products of a signed lane and of the next by two weights.
    ///
    /// # Safety
    /// `from` is readable for [`LongSums::LANES`] lanes and one more.
    unsafe fn add_products(self, from: *const u16, weights: Self::Weights) -> Self;
    /// # Safety
    /// `to` is writable for [`LongSums::LANES`] sums.
    unsafe fn store(self, to: *mut i32);
}

/// Sums at even places, and those between them: where two neighbours' products are added up in one operation.
#[derive(Clone, Copy)]
pub(super) struct Alternate<V> {
    even: V,
    odd: V,
}

/// Plain loops. (`array::from_fn` is no loop to compilers.)
impl ShortSums for Alternate<[u16; 8]> {
    const LANES: usize = 16;
    type Weights = [u16; 2];

    #[inline(always)]
    unsafe fn splat(begin: u16) -> Self {
        Alternate { even: [begin; 8], odd: [begin; 8] }
    }

    #[inline(always)]
    unsafe fn weights(pair: [i8; 2]) -> [u16; 2] {
        pair.map(|weight| weight as u16)
    }

    #[inline(always)]
    unsafe fn add_products(mut self, from: *const u8, [first, second]: [u16; 2]) -> Self {
        // SAFETY: by the caller.
        let [bytes, next] = unsafe { [from, from.add(1)].map(|from| from.cast::<[u16; 8]>().read_unaligned()) };
        for (sums, bytes) in [(&mut self.even, bytes), (&mut self.odd, next)] {
            for (sum, both) in sums.iter_mut().zip(bytes) {
                let both = u16::from_le(both);
                *sum = sum.wrapping_add((both & 0xff).wrapping_mul(first));
                *sum = sum.wrapping_add((both >> 8).wrapping_mul(second));
            }
        }
        self
    }

    #[inline(always)]
    unsafe fn store_quotients(mut self, nought: u16, times: u16, shift: u32, to: *mut u8) {
        let quotient = |sum: u16| {
            let high = (u32::from(sum.saturating_sub(nought)) * u32::from(times)) >> 16;
            (high as u16 >> shift).min(255)
        };
        for (even, odd) in self.even.iter_mut().zip(self.odd) {
            *even = (quotient(*even) | quotient(odd) << 8).to_le();
        }
        // SAFETY: by the caller.
        unsafe { to.cast::<[u16; 8]>().write_unaligned(self.even) }
    }
}

/// As above.
impl LongSums for [i32; 8] {
    const LANES: usize = 8;
    type Weights = [i16; 2];

    #[inline(always)]
    unsafe fn nought() -> Self {
        [0; 8]
    }

    #[inline(always)]
    unsafe fn weights(pair: [i16; 2]) -> [i16; 2] {
        pair
    }

    #[inline(always)]
    unsafe fn add_products(mut self, from: *const u16, [first, second]: [i16; 2]) -> Self {
        // SAFETY: by the caller.
        let [lanes, next] = unsafe { [from, from.add(1)].map(|from| from.cast::<[i16; 8]>().read_unaligned()) };
        for (i, sum) in self.iter_mut().enumerate() {
            *sum += i32::from(lanes[i]) * i32::from(first) + i32::from(next[i]) * i32::from(second);
        }
        self
    }

    #[inline(always)]
    unsafe fn store(self, to: *mut i32) {
        // SAFETY: by the caller.
        unsafe { to.cast::<[i32; 8]>().write_unaligned(self) }
    }
}

#[cfg(target_arch = "x86_64")]
pub(super) use x86::{Avx2, Avx512};

#[cfg(target_arch = "x86_64")]
mod x86 {
    use super::{Alternate, LongSums, ShortSums};
    use std::arch::x86_64::*;

    /// Two vectors of AVX2.
    pub(in super::super) type Avx2 = Alternate<__m256i>;

    /// Two vectors of AVX-512 F and BW.
    pub(in super::super) type Avx512 = Alternate<__m512i>;

    impl ShortSums for Avx2 {
        const LANES: usize = 32;
        type Weights = __m256i;

        #[inline(always)]
        unsafe fn splat(begin: u16) -> Self {
            // SAFETY: the caller has AVX2.
            let begin = unsafe { _mm256_set1_epi16(begin.cast_signed()) };
            Alternate { even: begin, odd: begin }
        }

        #[inline(always)]
        unsafe fn weights(pair: [i8; 2]) -> __m256i {
            // SAFETY: the caller has AVX2.
            unsafe { _mm256_set1_epi16(i16::from_le_bytes(pair.map(i8::cast_unsigned))) }
        }

        #[inline(always)]
        unsafe fn add_products(self, from: *const u8, weights: __m256i) -> Self {
            // SAFETY: by the caller; there is AVX2, as there is a value.
            unsafe {
                let (bytes, next) = (_mm256_loadu_si256(from.cast()), _mm256_loadu_si256(from.add(1).cast()));
                Alternate {
                    even: _mm256_add_epi16(self.even, _mm256_maddubs_epi16(bytes, weights)),
                    odd: _mm256_add_epi16(self.odd, _mm256_maddubs_epi16(next, weights)),
                }
            }
        }

        #[inline(always)]
        unsafe fn store_quotients(mut self, nought: u16, times: u16, shift: u32, to: *mut u8) {
            // SAFETY: by the caller; there is AVX2, as there is a value.
            unsafe {
                let nought = _mm256_set1_epi16(nought.cast_signed());
                let times = _mm256_set1_epi16(times.cast_signed());
                let (shift, most) = (_mm_cvtsi32_si128(shift.cast_signed()), _mm256_set1_epi16(255));
                for sums in [&mut self.even, &mut self.odd] {
                    let high = _mm256_mulhi_epu16(_mm256_subs_epu16(*sums, nought), times);
                    *sums = _mm256_min_epu16(_mm256_srl_epi16(high, shift), most);
                }
                _mm256_storeu_si256(to.cast(), _mm256_or_si256(self.even, _mm256_slli_epi16::<8>(self.odd)));
            }
        }
    }

    impl LongSums for Avx2 {
        const LANES: usize = 16;
        type Weights = __m256i;

        #[inline(always)]
        unsafe fn nought() -> Self {
            // SAFETY: the caller has AVX2.
            let nought = unsafe { _mm256_setzero_si256() };
            Alternate { even: nought, odd: nought }
        }

        #[inline(always)]
        unsafe fn weights([first, second]: [i16; 2]) -> __m256i {
            // SAFETY: the caller has AVX2.
            unsafe { _mm256_set1_epi32(i32::from(second) << 16 | i32::from(first.cast_unsigned())) }
        }

        #[inline(always)]
        unsafe fn add_products(self, from: *const u16, weights: __m256i) -> Self {
            // SAFETY: by the caller; there is AVX2, as there is a value.
            unsafe {
                let (lanes, next) = (_mm256_loadu_si256(from.cast()), _mm256_loadu_si256(from.add(1).cast()));
                Alternate {
                    even: _mm256_add_epi32(self.even, _mm256_madd_epi16(lanes, weights)),
                    odd: _mm256_add_epi32(self.odd, _mm256_madd_epi16(next, weights)),
                }
            }
        }

        #[inline(always)]
        unsafe fn store(self, to: *mut i32) {
            let (to, Alternate { even, odd }): (*mut __m256i, _) = (to.cast(), self);
            // SAFETY: by the caller; there is AVX2, as there is a value.
            unsafe {
                // Each has four sums of the first half of the places, and four of the second.
                let (a, b) = (_mm256_unpacklo_epi32(even, odd), _mm256_unpackhi_epi32(even, odd));
                _mm256_storeu_si256(to, _mm256_permute2x128_si256::<0x20>(a, b));
                _mm256_storeu_si256(to.add(1), _mm256_permute2x128_si256::<0x31>(a, b));
            }
        }
    }

    impl ShortSums for Avx512 {
        const LANES: usize = 64;
        type Weights = __m512i;

        #[inline(always)]
        unsafe fn splat(begin: u16) -> Self {
            // SAFETY: the caller has AVX-512.
            let begin = unsafe { _mm512_set1_epi16(begin.cast_signed()) };
            Alternate { even: begin, odd: begin }
        }

        #[inline(always)]
        unsafe fn weights(pair: [i8; 2]) -> __m512i {
            // SAFETY: the caller has AVX-512.
            unsafe { _mm512_set1_epi16(i16::from_le_bytes(pair.map(i8::cast_unsigned))) }
        }

        #[inline(always)]
        unsafe fn add_products(self, from: *const u8, weights: __m512i) -> Self {
            // SAFETY: by the caller; there is AVX-512, as there is a value.
            unsafe {
                let (bytes, next) = (_mm512_loadu_si512(from.cast()), _mm512_loadu_si512(from.add(1).cast()));
                Alternate {
                    even: _mm512_add_epi16(self.even, _mm512_maddubs_epi16(bytes, weights)),
                    odd: _mm512_add_epi16(self.odd, _mm512_maddubs_epi16(next, weights)),
                }
            }
        }

        #[inline(always)]
        unsafe fn store_quotients(mut self, nought: u16, times: u16, shift: u32, to: *mut u8) {
            // SAFETY: by the caller; there is AVX-512, as there is a value.
            unsafe {
                let nought = _mm512_set1_epi16(nought.cast_signed());
                let times = _mm512_set1_epi16(times.cast_signed());
                let (shift, most) = (_mm_cvtsi32_si128(shift.cast_signed()), _mm512_set1_epi16(255));
                for sums in [&mut self.even, &mut self.odd] {
                    let high = _mm512_mulhi_epu16(_mm512_subs_epu16(*sums, nought), times);
                    *sums = _mm512_min_epu16(_mm512_srl_epi16(high, shift), most);
                }
                _mm512_storeu_si512(to.cast(), _mm512_or_si512(self.even, _mm512_slli_epi16::<8>(self.odd)));
            }
        }
    }

    impl LongSums for Avx512 {
        const LANES: usize = 32;
        type Weights = __m512i;

        #[inline(always)]
        unsafe fn nought() -> Self {
            // SAFETY: the caller has AVX-512.
            let nought = unsafe { _mm512_setzero_si512() };
            Alternate { even: nought, odd: nought }
        }

        #[inline(always)]
        unsafe fn weights([first, second]: [i16; 2]) -> __m512i {
            // SAFETY: the caller has AVX-512.
            unsafe { _mm512_set1_epi32(i32::from(second) << 16 | i32::from(first.cast_unsigned())) }
        }

        #[inline(always)]
        unsafe fn add_products(self, from: *const u16, weights: __m512i) -> Self {
            // SAFETY: by the caller; there is AVX-512, as there is a value.
            unsafe {
                let (lanes, next) = (_mm512_loadu_si512(from.cast()), _mm512_loadu_si512(from.add(1).cast()));
                Alternate {
                    even: _mm512_add_epi32(self.even, _mm512_madd_epi16(lanes, weights)),
                    odd: _mm512_add_epi32(self.odd, _mm512_madd_epi16(next, weights)),
                }
            }
        }

        #[inline(always)]
        unsafe fn store(self, to: *mut i32) {
            let (to, Alternate { even, odd }): (*mut __m512i, _) = (to.cast(), self);
            // SAFETY: by the caller; there is AVX-512, as there is a value.
            unsafe {
                let first = _mm512_setr_epi32(0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
                let second = _mm512_add_epi32(first, _mm512_set1_epi32(8));
                _mm512_storeu_si512(to, _mm512_permutex2var_epi32(even, first, odd));
                _mm512_storeu_si512(to.add(1), _mm512_permutex2var_epi32(even, second, odd));
            }
        }
    }
}
