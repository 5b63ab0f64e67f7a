//! Results of one kind or two in the widest vectors, right from what is stored: samples are taken apart by their place in a period while
//! they become floats, each vector of them once. Loads that begin at every tap's sample would lie across two lines of the cache; so
//! a tap's samples are taken out of two vectors, and serve both kinds.

use std::arch::x86_64::*;

/// Stored samples side by side, from one on to the row's end.
#[derive(Clone, Copy)]
pub struct Row {
    pub from: *const u8,
    pub samples: usize,
    /// They have 16 bits, not 8.
    pub words: bool,
    /// From the stored value to the lane.
    pub shift: u8,
}

/// Floats of a vector.
const LANES: usize = 16;

/// In place of how much later the samples of a second kind begin: there is none.
pub const ALONE: usize = usize::MAX;

/// Makes `out`, whole vectors of a kind, or of either in turn, by periods of so many samples. The first result is made of the row's
/// first samples, and those of the second kind begin `later`. False when it cannot: then nothing is made.
///
/// # Safety
/// The processor has AVX-512; the row is readable.
pub unsafe fn run(row: Row, samples: usize, later: usize, weights: [&[f32]; 2], out: &mut [f32]) -> bool {
    macro_rules! by_count {
        ($samples:literal, $later:tt, $($count:literal)*) => {{
            let count = weights[0].len();
            $(
                if count <= $count {
                    // SAFETY: by the caller.
                    unsafe {
                        match row.words {
                            false => turns::<false, $samples, $later, $count>(row, weights, out),
                            true => turns::<true, $samples, $later, $count>(row, weights, out),
                        }
                    }
                    return true;
                }
            )*
            false
        }};
    }
    match (samples, later) {
        (1, 0) => by_count!(1, 0, 2 4 6 8),
        (1, 1) => by_count!(1, 1, 2 4 6 8),
        (3, 1) => by_count!(3, 1, 6 9 10 12),
        (3, 2) => by_count!(3, 2, 6 9 10 12),
        (4, 2) => by_count!(4, 2, 8 12 16),
        (2, ALONE) => by_count!(2, ALONE, 4),
        (3, ALONE) => by_count!(3, ALONE, 6 12 18),
        (4, ALONE) => by_count!(4, ALONE, 8 16 24),
        _ => false,
    }
}

/// # Safety
/// As [`run`].
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,fma")]
unsafe fn turns<const WORDS: bool, const SAMPLES: usize, const LATER: usize, const COUNT: usize>(
    row: Row,
    weights_of: [&[f32]; 2],
    out: &mut [f32],
) {
    let (mut weights, mut others) = ([_mm512_setzero_ps(); COUNT], [_mm512_setzero_ps(); COUNT]);
    for (k, (weight, other)) in weights_of[0].iter().zip(weights_of[1]).enumerate() {
        (weights[k], others[k]) = (_mm512_set1_ps(*weight), _mm512_set1_ps(*other));
    }
    // SAFETY: by the caller.
    let mut here = unsafe { kinds::<WORDS, SAMPLES>(row, 0) };
    let last = if LATER == ALONE { COUNT } else { COUNT + LATER };
    for (turn, out) in out.chunks_exact_mut(if LATER == ALONE { LANES } else { 2 * LANES }).enumerate() {
        // SAFETY: by the caller.
        let next = unsafe { kinds::<WORDS, SAMPLES>(row, (turn + 1) * LANES * SAMPLES) };
        let (mut sum, mut other) = (_mm512_setzero_ps(), _mm512_setzero_ps());
        macro_rules! taps {
            ($($period:literal)*) => {
                $(
                    for kind in 0..SAMPLES {
                        let tap = SAMPLES * $period + kind;
                        if tap < last {
                            let (next, here) = (_mm512_castps_si512(next[kind]), _mm512_castps_si512(here[kind]));
                            let samples = _mm512_castsi512_ps(_mm512_alignr_epi32::<$period>(next, here));
                            if tap < COUNT {
                                sum = _mm512_fmadd_ps(samples, weights[tap], sum);
                            }
                            if tap >= LATER {
                                other = _mm512_fmadd_ps(samples, others[tap - LATER], other);
                            }
                        }
                    }
                )*
            };
        }
        taps!(0 1 2 3 4 5 6 7 8);
        // SAFETY: there is room for a vector of each kind.
        unsafe {
            _mm512_storeu_ps(out.as_mut_ptr(), sum);
            if LATER != ALONE {
                _mm512_storeu_ps(out.as_mut_ptr().add(LANES), other);
            }
        }
        here = next;
    }
}

/// Samples `at` on by their place in a period; the first `SAMPLES` vectors count. Those behind the row's end are 0.
///
/// # Safety
/// As [`run`].
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,fma")]
unsafe fn kinds<const WORDS: bool, const SAMPLES: usize>(row: Row, at: usize) -> [__m512; 4] {
    let (there, none) = (row.samples.saturating_sub(at), _mm512_setzero_si512());
    let [a, b, c, d] = if WORDS {
        let (from, shift) = (row.from.wrapping_add(2 * at), _mm_cvtsi32_si128(row.shift.into()));
        // SAFETY: by the caller; no more is read than there is.
        let (left, right) = unsafe { (words(from, there), words(from.wrapping_add(64), there.saturating_sub(32))) };
        let (left, right) = (_mm512_sll_epi16(left, shift), _mm512_sll_epi16(right, shift));
        let low = _mm512_set1_epi32(0xffff);
        match SAMPLES {
            1 => [_mm512_cvtepu16_epi32(_mm512_castsi512_si256(left)), none, none, none],
            2 => [_mm512_and_si512(left, low), _mm512_srli_epi32::<16>(left), none, none],
            3 => {
                // Words that are three apart, each in the lower half of 32 bits.
                let first = _mm512_setr_epi32(0, 3, 6, 9, 12, 15, 18, 21, 24, 27, 30, 33, 36, 39, 42, 45);
                let pick = |places| _mm512_and_si512(_mm512_permutex2var_epi16(left, places, right), low);
                let (second, third) = (_mm512_set1_epi32(1), _mm512_set1_epi32(2));
                [pick(first), pick(_mm512_add_epi32(first, second)), pick(_mm512_add_epi32(first, third)), none]
            }
            _ => {
                let evens = _mm512_setr_epi32(0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30);
                let odds = _mm512_add_epi32(evens, _mm512_set1_epi32(1));
                let (one, other) =
                    (_mm512_permutex2var_epi32(left, evens, right), _mm512_permutex2var_epi32(left, odds, right));
                [
                    _mm512_and_si512(one, low),
                    _mm512_srli_epi32::<16>(one),
                    _mm512_and_si512(other, low),
                    _mm512_srli_epi32::<16>(other),
                ]
            }
        }
    } else {
        // SAFETY: as above.
        let bytes = unsafe { bytes(row.from.wrapping_add(at), there) };
        // Bytes become the upper ones of 16 bits.
        let byte = _mm512_set1_epi32(0xff00);
        match SAMPLES {
            1 => [_mm512_slli_epi32::<8>(_mm512_cvtepu8_epi32(_mm512_castsi512_si128(bytes))), none, none, none],
            2 => {
                let words = _mm512_cvtepu16_epi32(_mm512_castsi512_si256(bytes));
                [
                    _mm512_slli_epi32::<8>(_mm512_and_si512(words, _mm512_set1_epi32(0xff))),
                    _mm512_and_si512(words, byte),
                    none,
                    none,
                ]
            }
            3 => {
                // Four periods to each 128 bits.
                let places = _mm512_setr_epi32(0, 1, 2, 3, 3, 4, 5, 6, 6, 7, 8, 9, 9, 10, 11, 12);
                let fours = _mm512_permutexvar_epi32(places, bytes);
                let pick = |first: i32| {
                    let of = |period: i32| (3 * period + first) << 8 | 0x8080_0080u32 as i32;
                    let places = _mm_setr_epi32(of(0), of(1), of(2), of(3));
                    _mm512_shuffle_epi8(fours, _mm512_broadcast_i32x4(places))
                };
                [pick(0), pick(1), pick(2), none]
            }
            _ => [
                _mm512_and_si512(_mm512_slli_epi32::<8>(bytes), byte),
                _mm512_and_si512(bytes, byte),
                _mm512_and_si512(_mm512_srli_epi32::<8>(bytes), byte),
                _mm512_and_si512(_mm512_srli_epi32::<16>(bytes), byte),
            ],
        }
    };
    [_mm512_cvtepi32_ps(a), _mm512_cvtepi32_ps(b), _mm512_cvtepi32_ps(c), _mm512_cvtepi32_ps(d)]
}

/// 64 bytes, of which `there` are read, if there are as many.
///
/// # Safety
/// As [`run`].
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,fma")]
unsafe fn bytes(from: *const u8, there: usize) -> __m512i {
    // SAFETY: by the caller.
    unsafe {
        match there {
            64.. => _mm512_loadu_si512(from.cast()),
            _ => _mm512_maskz_loadu_epi8((1u64 << there) - 1, from.cast()),
        }
    }
}

/// 32 words, of which `there` are read, if there are as many.
///
/// # Safety
/// As [`run`].
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,fma")]
unsafe fn words(from: *const u8, there: usize) -> __m512i {
    // SAFETY: by the caller.
    unsafe {
        match there {
            32.. => _mm512_loadu_si512(from.cast()),
            _ => _mm512_maskz_loadu_epi16((1u32 << there) - 1, from.cast()),
        }
    }
}
