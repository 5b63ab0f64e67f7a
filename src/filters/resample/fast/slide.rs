//! One result for every few samples, in the widest vectors: nearly every load that begins at a tap's sample would lie across two
//! lines of the cache and cost as much as two. So vectors are loaded side by side, and a tap's samples are taken out of two.

/// The most samples for a result, and the most taps among those of one kind.
const MOST_SAMPLES: usize = 4;
const MOST_TAPS: usize = 8;

/// Makes `out`. Sample s of each result's first ones lies in row s, and those for the next result behind it. `weights` are those of
/// the first sample of each row, then of the second, and so on. False when it cannot: then nothing is made.
///
/// # Safety
/// The processor has AVX-512.
pub unsafe fn run(rows: &[&[f32]], weights: &[f32], out: &mut [f32]) -> bool {
    let taps = weights.len().div_ceil(rows.len());
    if rows.iter().any(|row| row.len() < out.len() + 2 * LANES) {
        return false;
    }
    // SAFETY: by the caller; every row has two vectors from the last result's first sample on.
    unsafe {
        match rows {
            [a, b] => by_taps([*a, *b], taps, weights, out),
            [a, b, c] => by_taps([*a, *b, *c], taps, weights, out),
            [a, b, c, d] => by_taps([*a, *b, *c, *d], taps, weights, out),
            _ => false,
        }
    }
}

/// Samples of a vector.
const LANES: usize = 16;

/// # Safety
/// As [`run`], and rows are long enough.
unsafe fn by_taps<const S: usize>(rows: [&[f32]; S], taps: usize, weights: &[f32], out: &mut [f32]) -> bool {
    // SAFETY: by the caller.
    unsafe {
        match taps {
            1..=2 => slide::<S, 2>(rows, weights, out),
            3..=4 => slide::<S, 4>(rows, weights, out),
            5..=6 => slide::<S, 6>(rows, weights, out),
            7..=MOST_TAPS => slide::<S, MOST_TAPS>(rows, weights, out),
            _ => return false,
        }
    }
    true
}

/// # Safety
/// As [`by_taps`].
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,fma")]
unsafe fn slide<const S: usize, const TAPS: usize>(rows: [&[f32]; S], weights: &[f32], out: &mut [f32]) {
    use std::arch::x86_64::*;
    let mut padded = [0.0; MOST_SAMPLES * MOST_TAPS];
    padded[..weights.len()].copy_from_slice(weights);
    // SAFETY: by the caller.
    let vector = |s: usize, x: usize| unsafe { _mm512_loadu_si512(rows[s].as_ptr().add(x).cast()) };
    let mut here: [_; S] = std::array::from_fn(|s| vector(s, 0));
    for (at, out) in out.chunks_mut(LANES).enumerate() {
        let next: [_; S] = std::array::from_fn(|s| vector(s, (at + 1) * LANES));
        let mut sum = _mm512_setzero_ps();
        macro_rules! taps {
            ($($tap:literal)*) => {
                $(
                    if $tap < TAPS {
                        for s in 0..S {
                            let samples = _mm512_castsi512_ps(_mm512_alignr_epi32::<$tap>(next[s], here[s]));
                            sum = _mm512_fmadd_ps(samples, _mm512_set1_ps(padded[$tap * S + s]), sum);
                        }
                    }
                )*
            };
        }
        taps!(0 1 2 3 4 5 6 7);
        // SAFETY: no more is stored than there is room for.
        unsafe { _mm512_mask_storeu_ps(out.as_mut_ptr(), u16::MAX >> (LANES - out.len()), sum) };
        here = next;
    }
}
