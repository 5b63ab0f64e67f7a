//! Reads that are not rows: pixels at random places, and bytes of several rows side by side.
//!
//! On x86-64 these use SSE2, which every such processor has, at each level: hardware gather instructions measured half
//! as fast as single reads put together in a register, and single stores two thirds as fast.

use super::simd::{WIDTH, place};

/// Reads a vector's worth of pixels of `P` samples, each at its offset from where it would lie after `centre`.
///
/// # Safety
/// `N` samples must be readable at each place.
#[inline(always)]
pub(super) unsafe fn fetch<const N: usize, const P: usize>(
    centre: *const u16,
    offsets: &[i32; WIDTH],
    out: &mut [[u16; N]; WIDTH],
) {
    // SAFETY: as the caller promises.
    let at = |i: usize| unsafe { centre.add(i * P).offset(offsets[place(i)] as isize) };
    // SAFETY: as the caller promises.
    unsafe { collect(at, out) }
}

#[cfg(target_arch = "x86_64")]
use x86::collect;

/// Reads pixel `i` of `out` from `at(i)`.
///
/// # Safety
/// `N` samples must be readable at each place.
#[cfg(not(target_arch = "x86_64"))]
#[inline(always)]
unsafe fn collect<const N: usize>(at: impl Fn(usize) -> *const u16, out: &mut [[u16; N]; WIDTH]) {
    for (i, pixel) in out.iter_mut().enumerate() {
        // SAFETY: as the caller says.
        *pixel = unsafe { at(i).cast::<[u16; N]>().read_unaligned() };
    }
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    use super::WIDTH;
    use std::arch::x86_64::*;

    /// Reads pixel `i` of `out` from `at(i)`.
    ///
    /// # Safety
    /// `N` samples must be readable at each place.
    #[inline(always)]
    pub unsafe fn collect<const N: usize>(at: impl Fn(usize) -> *const u16, out: &mut [[u16; N]; WIDTH]) {
        for (i, lanes) in out.as_flattened_mut().as_chunks_mut::<8>().0.iter_mut().enumerate() {
            let i = i * 8 / N;
            // SAFETY: x86-64 has SSE2; the caller keeps `N` samples readable at each place; eight lanes are a vector.
            unsafe {
                let word = |i: usize| i32::from(at(i).read());
                let pair = |i: usize| _mm_cvtsi32_si128(at(i).cast::<i32>().read_unaligned());
                let quad = |i: usize| _mm_loadl_epi64(at(i).cast());
                let vector = match N {
                    1 => {
                        let v = _mm_cvtsi32_si128(word(i));
                        let v = _mm_insert_epi16::<1>(v, word(i + 1));
                        let v = _mm_insert_epi16::<2>(v, word(i + 2));
                        let v = _mm_insert_epi16::<3>(v, word(i + 3));
                        let v = _mm_insert_epi16::<4>(v, word(i + 4));
                        let v = _mm_insert_epi16::<5>(v, word(i + 5));
                        let v = _mm_insert_epi16::<6>(v, word(i + 6));
                        _mm_insert_epi16::<7>(v, word(i + 7))
                    }
                    2 => {
                        let low = _mm_unpacklo_epi32(pair(i), pair(i + 1));
                        _mm_unpacklo_epi64(low, _mm_unpacklo_epi32(pair(i + 2), pair(i + 3)))
                    }
                    _ => _mm_unpacklo_epi64(quad(i), quad(i + 1)),
                };
                _mm_storeu_si128(lanes.as_mut_ptr().cast(), vector);
            }
        }
    }

    /// 32 bytes that the rows give in turn, from byte `at` of each on.
    #[inline(always)]
    pub fn interleave<const N: usize>(rows: [&[u8]; N], at: usize) -> [u8; WIDTH] {
        let rows = rows.map(|row| row[at..at + WIDTH / N].as_ptr());
        let mut out = [0; WIDTH];
        let to = out.as_mut_ptr().cast::<__m128i>();
        // SAFETY: x86-64 has SSE2; each of two rows has a vector, and each of four has half a one.
        unsafe {
            let (low, high) = if N == 2 {
                let row = |c: usize| _mm_loadu_si128(rows[c].cast());
                (_mm_unpacklo_epi8(row(0), row(1)), _mm_unpackhi_epi8(row(0), row(1)))
            } else {
                let row = |c: usize| _mm_loadl_epi64(rows[c].cast());
                let (ab, cd) = (_mm_unpacklo_epi8(row(0), row(1)), _mm_unpacklo_epi8(row(2), row(3)));
                (_mm_unpacklo_epi16(ab, cd), _mm_unpackhi_epi16(ab, cd))
            };
            _mm_storeu_si128(to, low);
            _mm_storeu_si128(to.add(1), high);
        }
        out
    }
}

/// Vector `v` of the bytes that the rows give in turn.
#[inline(always)]
pub(super) fn interleave<const N: usize>(rows: [&[u8]; N], v: usize) -> [u8; WIDTH] {
    if N == 1 {
        return rows[0].as_chunks::<WIDTH>().0[v];
    }
    let at = v * WIDTH / N;
    #[cfg(target_arch = "x86_64")]
    return x86::interleave(rows, at);
    #[cfg(not(target_arch = "x86_64"))]
    std::array::from_fn(|i| rows[i % N][at + i / N])
}

/// Reads pixels of `P` samples that lie in a row after `from`, each with the samples after it that make `N`.
///
/// # Safety
/// `N` samples must be readable at each pixel.
#[inline(always)]
pub(super) unsafe fn expand<const N: usize, const P: usize>(from: *const u16, out: &mut [[u16; N]]) {
    for (v, out) in out.as_chunks_mut::<WIDTH>().0.iter_mut().enumerate() {
        // SAFETY: as the caller promises.
        unsafe { collect(|i| from.add((v * WIDTH + i) * P), out) }
    }
}

/// Writes the first `P` lanes of each pixel in a row after `to`, with `flip` flipped.
///
/// # Safety
/// `P` samples a pixel must be writable.
#[inline(always)]
pub(super) unsafe fn contract<const N: usize, const P: usize>(pixels: &[[u16; N]], flip: u16, to: *mut u16) {
    let Some((last, pixels)) = pixels.split_last() else { return };
    for (x, pixel) in pixels.iter().enumerate() {
        // SAFETY: as the caller says: the lanes that are too much belong to the next pixel, which overwrites them.
        unsafe { write_pixel(pixel, flip, to.add(x * P)) }
    }
    for (c, lane) in last[..P].iter().enumerate() {
        // SAFETY: as the caller says.
        unsafe { to.add(pixels.len() * P + c).write(lane ^ flip) }
    }
}

/// # Safety
/// `N` samples must be writable at `to`.
#[inline(always)]
unsafe fn write_pixel<const N: usize>(pixel: &[u16; N], flip: u16, to: *mut u16) {
    #[cfg(target_arch = "x86_64")]
    if N == 4 {
        use std::arch::x86_64::*;
        // Left to itself, the compiler makes scatter instructions of these, which are slower.
        // SAFETY: x86-64 has SSE2; four lanes are half a vector.
        unsafe {
            let flipped = _mm_xor_si128(_mm_loadl_epi64(pixel.as_ptr().cast()), _mm_set1_epi16(flip as i16));
            _mm_storel_epi64(to.cast(), flipped);
        }
        return;
    }
    // SAFETY: as the caller says.
    unsafe { to.cast::<[u16; N]>().write_unaligned(pixel.map(|lane| lane ^ flip)) }
}
