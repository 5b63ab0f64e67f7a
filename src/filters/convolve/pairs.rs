//! Weights in pairs: one instruction multiplies two neighbours by two weights and adds up the products.

use super::simd::LongSums;
#[cfg(target_arch = "x86_64")]
use super::simd::{Avx2, Avx512};
use crate::device::cpu::CpuLevel;

/// Weights side by side, not both 0: of `column` of the window's row `row`, and of the column to the right, where there may be none.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pair {
    pub row: usize,
    pub column: usize,
    pub weights: [i32; 2],
}

/// The pairs of weights in rows of `columns`, as few as there need be.
pub fn pairs(values: &[i32], columns: usize) -> Vec<Pair> {
    let mut pairs = Vec::new();
    for (row, values) in values.chunks(columns).enumerate() {
        let mut column = 0;
        while column < columns {
            if values[column] == 0 {
                column += 1;
                continue;
            }
            let right = values.get(column + 1).copied().unwrap_or_default();
            pairs.push(Pair { row, column, weights: [values[column], right] });
            column += 2;
        }
    }
    pairs
}

/// What the number of sums is a multiple of.
pub const STEP: usize = 64;

/// Sums of products of signed lanes, of 16 bits as weights are, for places side by side: those of the window's first column begin
/// `rows`, a slice for each of its rows.
///
/// # Safety
/// The processor has `level`.
pub unsafe fn sum_words(level: CpuLevel, pairs: &[Pair], rows: &[&[u16]], sums: &mut [i32]) {
    let reach = |pair: &Pair| pair.column + 1 + sums.len();
    assert!(sums.len().is_multiple_of(STEP) && pairs.iter().all(|pair| reach(pair) <= rows[pair.row].len()));
    #[cfg(target_arch = "x86_64")]
    {
        #[target_feature(enable = "avx2")]
        fn avx2(pairs: &[Pair], rows: &[&[u16]], sums: &mut [i32]) {
            // SAFETY: `sum_words` looked at the rows; there is AVX2.
            unsafe { sum::<Avx2, 2>(pairs, rows, sums) }
        }
        #[target_feature(enable = "avx512f,avx512bw")]
        fn avx512(pairs: &[Pair], rows: &[&[u16]], sums: &mut [i32]) {
            // SAFETY: as above, of AVX-512.
            unsafe { sum::<Avx512, 2>(pairs, rows, sums) }
        }
        match level {
            CpuLevel::Portable => {}
            // SAFETY: the caller vouches that the processor has the level.
            CpuLevel::Avx2 => return unsafe { avx2(pairs, rows, sums) },
            // SAFETY: as above.
            CpuLevel::Avx512 => return unsafe { avx512(pairs, rows, sums) },
        }
    }
    let _ = level;
    // SAFETY: every processor has it, and the rows were looked at.
    unsafe { sum::<[i32; 8], 2>(pairs, rows, sums) }
}

/// Sums of `MANY` vectors at a time.
///
/// # Safety
/// The processor has the instructions of `V`; rows have a lane for each sum and one more from the columns of their pairs on,
/// and sums are whole vectors.
#[inline(always)]
unsafe fn sum<V: LongSums, const MANY: usize>(pairs: &[Pair], rows: &[&[u16]], sums: &mut [i32]) {
    for (block, sums) in sums.chunks_exact_mut(MANY * V::LANES).enumerate() {
        // SAFETY: by the caller.
        unsafe {
            let mut vectors = [V::nought(); MANY];
            for Pair { row, column, weights: [first, second] } in pairs {
                let weights = V::weights([*first as i16, *second as i16]);
                let from = rows.get_unchecked(*row).as_ptr().add(column + block * MANY * V::LANES);
                for (i, vector) in vectors.iter_mut().enumerate() {
                    *vector = vector.add_products(from.add(i * V::LANES), weights);
                }
            }
            for (i, vector) in vectors.into_iter().enumerate() {
                vector.store(sums.as_mut_ptr().add(i * V::LANES));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Of 1 2 3: 1 2 and 3; of 0 5 0: 5 and what follows; a row of noughts has none.
    #[test]
    fn pairs_begin_at_weights_that_count() {
        let of = |row, column, weights| Pair { row, column, weights };
        assert_eq!(pairs(&[1, 2, 3], 3), [of(0, 0, [1, 2]), of(0, 2, [3, 0])]);
        assert_eq!(pairs(&[0, 5, 0, 0, 0, 0, -1, 0, -1], 3), [of(0, 1, [5, 0]), of(2, 0, [-1, 0]), of(2, 2, [-1, 0])]);
        assert_eq!(pairs(&[4, 7], 1), [of(0, 0, [4, 0]), of(1, 0, [7, 0])]);
    }

    #[test]
    fn sums_of_the_largest_lanes_and_weights_are_exact() {
        let (columns, len) = (5, 2 * STEP);
        let lanes = |by: usize| -> Vec<u16> {
            (0..len + columns).map(|x| [0x8000, 0x7fff, 0, 0xffff, 12_345][x * by % 5]).collect()
        };
        let (above, below) = (lanes(1), lanes(2));
        for values in [
            [32767, 0, 0, 0, 0, 0, 0, 0, 0, 0],
            [-16384, -16383, 0, 0, 0, 0, 0, 0, 0, 0],
            [1, -2, 300, 7, -5, 0, 4, 9, -31000, 11],
        ] {
            let plain = |x: usize| -> i32 {
                let row = |row: &[u16], values: &[i32]| -> i32 {
                    values.iter().zip(&row[x..]).map(|(weight, lane)| weight * i32::from(*lane as i16)).sum()
                };
                row(&above, &values[..5]) + row(&below, &values[5..])
            };
            let expected: Vec<i32> = (0..len).map(plain).collect();
            for level in CpuLevel::available() {
                let mut sums = vec![1; len];
                // SAFETY: the processor has the level.
                unsafe { sum_words(level, &pairs(&values, columns), &[&above, &below], &mut sums) };
                assert_eq!(sums, expected, "{level}: {values:?}");
            }
        }
    }
}
