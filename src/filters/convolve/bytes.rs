//! Codes of 8 bits from such: sums of 16 bits, for weights that are small enough.

use super::kernel::MOST as MOST_ROWS;
use super::pairs::Pair;
use super::quotient::code_offset;
use super::simd::{Alternate, ShortSums};
#[cfg(target_arch = "x86_64")]
use super::simd::{Avx2, Avx512};
use crate::device::cpu::CpuLevel;
use crate::filters::window::ByteRows;

/// The largest code.
const MOST: i32 = 255;

/// What the number of bytes is rounded up to that are read of each row.
const STEP: usize = 64;

/// What is computed with.
#[derive(Clone, Debug, PartialEq)]
pub struct ByteSums {
    pairs: Vec<BytePair>,
    /// Rows of the window.
    rows: usize,
    /// What sums begin with, so that none is below 0; what is taken off then, down to 0; and what becomes of the rest.
    begin: u16,
    nought: u16,
    quotient: ShortQuotient,
}

/// A pair whose weights are bytes.
#[derive(Clone, Copy, Debug, PartialEq)]
struct BytePair {
    row: usize,
    column: usize,
    weights: [i8; 2],
}

impl ByteSums {
    /// For `pairs` of a window's `rows`, over `divisor`, and `bias` of 16 bits: where weights are bytes, two products add up to what
    /// a signed number of 16 bits holds, and all of them with what they begin with to what an unsigned one does.
    pub fn new(pairs: &[Pair], rows: usize, divisor: i32, bias: i64) -> Option<ByteSums> {
        let byte_pair = |pair: &Pair| {
            let [first, second] = pair.weights.map(|weight| i8::try_from(weight).ok());
            let (low, high) = ends(pair.weights);
            let fits = low >= i16::MIN.into() && high <= i16::MAX.into();
            fits.then_some(BytePair { row: pair.row, column: pair.column, weights: [first?, second?] })
        };
        let (low, high) = ends(pairs.iter().flat_map(|pair| pair.weights));
        let (offset, quotient) = (code_offset(divisor, bias), ShortQuotient::new(divisor));
        let nought = (-low - offset).max(0);
        let begin = nought + offset + i32::from(quotient.one);
        let fits = begin + high <= u16::MAX.into();
        Some(ByteSums {
            pairs: pairs.iter().map(byte_pair).collect::<Option<_>>()?,
            rows,
            begin: u16::try_from(begin).ok().filter(|_| fits)?,
            nought: u16::try_from(nought).ok()?,
            quotient,
        })
    }

    /// The results of a row.
    pub fn row(&self, around: &ByteRows, out: &mut [u8]) {
        let mut rows = [[].as_slice(); MOST_ROWS];
        rows.iter_mut().enumerate().take(self.rows).for_each(|(index, row)| *row = around.row(index));
        // SAFETY: rows are made for the vectors that the processor has.
        unsafe { self.weigh(around.level(), &rows[..self.rows], out) }
    }

    /// The results of windows whose first columns begin `rows`.
    ///
    /// # Safety
    /// The processor has `level`.
    unsafe fn weigh(&self, level: CpuLevel, rows: &[&[u8]], out: &mut [u8]) {
        let len = out.len().next_multiple_of(STEP) + 1;
        assert!(self.pairs.iter().all(|pair| pair.column + len <= rows[pair.row].len()));
        #[cfg(target_arch = "x86_64")]
        {
            #[target_feature(enable = "avx2")]
            fn avx2(sums: &ByteSums, rows: &[&[u8]], out: &mut [u8]) {
                // SAFETY: `weigh` looked at the rows; there is AVX2.
                unsafe { row::<Avx2, 4>(sums, rows, out) }
            }
            #[target_feature(enable = "avx512f,avx512bw")]
            fn avx512(sums: &ByteSums, rows: &[&[u8]], out: &mut [u8]) {
                // SAFETY: as above, of AVX-512.
                unsafe { row::<Avx512, 4>(sums, rows, out) }
            }
            match level {
                CpuLevel::Portable => {}
                // SAFETY: the caller vouches that the processor has the level.
                CpuLevel::Avx2 => return unsafe { avx2(self, rows, out) },
                // SAFETY: as above.
                CpuLevel::Avx512 => return unsafe { avx512(self, rows, out) },
            }
        }
        let _ = level;
        // SAFETY: every processor has it, and the rows were looked at.
        unsafe { row::<Alternate<[u16; 8]>, 2>(self, rows, out) }
    }
}

/// What `weights` of codes add up to, at least and at most.
fn ends(weights: impl IntoIterator<Item = i32>) -> (i32, i32) {
    let add = |(low, high), weight: i32| (low + MOST * weight.min(0), high + MOST * weight.max(0));
    weights.into_iter().fold((0, 0), add)
}

/// The results of a row, of `MANY` vectors at a time.
///
/// # Safety
/// The processor has the instructions of `V`; from the columns of their pairs on, rows have as many bytes as `out`, up to the
/// next [`STEP`] and one more.
#[inline(always)]
unsafe fn row<V: ShortSums, const MANY: usize>(sums: &ByteSums, rows: &[&[u8]], out: &mut [u8]) {
    let mut blocks = out.chunks_exact_mut(MANY * V::LANES);
    let mut x = 0;
    // SAFETY: by the caller; results have their room.
    unsafe {
        for block in &mut blocks {
            vectors::<V, MANY>(sums, rows, x, block.as_mut_ptr());
            x += block.len();
        }
        for few in blocks.into_remainder().chunks_mut(V::LANES) {
            let mut last = [0; STEP];
            vectors::<V, 1>(sums, rows, x, last.as_mut_ptr());
            few.copy_from_slice(&last[..few.len()]);
            x += few.len();
        }
    }
}

/// Stores the results from column `x` on at `to`.
///
/// # Safety
/// As [`row`], of columns up to the vectors' last; `to` is writable for as many bytes.
#[inline(always)]
unsafe fn vectors<V: ShortSums, const MANY: usize>(sums: &ByteSums, rows: &[&[u8]], x: usize, to: *mut u8) {
    // SAFETY: by the caller.
    unsafe {
        let mut vectors = [V::splat(sums.begin); MANY];
        for BytePair { row, column, weights } in &sums.pairs {
            let weights = V::weights(*weights);
            let from = rows.get_unchecked(*row).as_ptr().add(column + x);
            for (i, vector) in vectors.iter_mut().enumerate() {
                *vector = vector.add_products(from.add(i * V::LANES), weights);
            }
        }
        let ShortQuotient { times, shift, .. } = sums.quotient;
        for (i, vector) in vectors.into_iter().enumerate() {
            vector.store_quotients(sums.nought, times, shift, to.add(i * V::LANES));
        }
    }
}

/// The integer part of a number of 16 bits over a divisor: `(number + one) · times >> 16 >> shift`, where the number and one are
/// 16 bits as well.
#[derive(Clone, Copy, Debug, PartialEq)]
struct ShortQuotient {
    one: u16,
    times: u16,
    shift: u32,
}

impl ShortQuotient {
    /// `2^(16 + shift)` over the divisor is rounded to its nearer side. The remainder is at most half of the divisor then, so that
    /// numbers make products that are too large by less than one over the divisor, which passes no whole number; or too small by at
    /// most as much, which the one that is added makes up for.
    fn new(divisor: i32) -> ShortQuotient {
        let (divisor, shift) = (divisor.unsigned_abs(), divisor.ilog2());
        let whole = 1 << (16 + shift);
        let times = (whole - 1) / divisor;
        let rest = whole - times * divisor;
        // Of a power of two, `times` is all ones: one more is no number of 16 bits.
        let up = !divisor.is_power_of_two() && rest > divisor / 2;
        ShortQuotient { one: (!up).into(), times: (times + u32::from(up)) as u16, shift }
    }
}

#[cfg(test)]
mod tests {
    use super::super::pairs::pairs;
    use super::super::quotient::Quotient;
    use super::*;

    impl ShortQuotient {
        /// As vectors compute it.
        fn of(self, number: u16) -> u16 {
            ((u32::from(number + self.one) * u32::from(self.times)) >> 16 >> self.shift) as u16
        }
    }

    /// Quotients never go down, so what they are about multiples says what they are between them.
    #[test]
    fn short_quotients_are_those_of_integers() {
        for divisor in 1..=32767 {
            let quotient = ShortQuotient::new(divisor);
            let most = u16::MAX - quotient.one;
            let near = (1..=65535 / divisor).flat_map(|n| [n * divisor - 1, n * divisor]).map(|number| number as u16);
            for number in near.chain([0, most]).filter(|number| *number <= most) {
                assert_eq!(quotient.of(number), number / divisor as u16, "{number} over {divisor}");
            }
        }
    }

    fn of(values: &[i32], columns: usize, divisor: i32, bias: i64) -> Option<ByteSums> {
        ByteSums::new(&pairs(values, columns), values.len() / columns, divisor, bias)
    }

    /// Two products are 16 bits with a sign, and all of them, less the least and with the offset, 16 without.
    #[test]
    fn weights_that_need_more_than_16_bits_are_for_others() {
        // 255 · 128 = 32640.
        assert!(of(&[64, 64, 0], 3, 128, 0).is_some() && of(&[64, 65, 0], 3, 129, 0).is_none());
        assert!(of(&[-128, 0, 0], 3, 128, 0).is_some() && of(&[-127, -2, 0], 3, 129, 0).is_none());
        // As one column they are no pair: 255 · 256 = 65280, and half of the divisor 256 and of a code's part is 128.
        assert!(of(&[127, 127, 2], 1, 256, 0).is_some() && of(&[127, 127, 3], 1, 257, 0).is_none());
        assert!(of(&[127, -127, 2], 1, 1, 0).is_some() && of(&[127, -127, 3], 1, 1, 0).is_none());
        assert!(of(&[128, 0, 0], 3, 128, 0).is_none() && of(&[-129, 0, 0], 3, 1, 0).is_none());
        // The bias is 255 codes times the divisor, beside what the weights add.
        assert!(of(&[1, 1, 1], 3, 253, 65280).is_some() && of(&[1, 1, 1], 3, 254, 65280).is_none());
        assert!(of(&[1, 1, 1], 3, 257, -65280).is_some() && of(&[1, 1, 1], 3, 258, -65280).is_none());
    }

    /// Each byte, and rows of all ends: as the definition has it, rounded to v16 and to the byte.
    #[test]
    fn results_are_those_that_are_rounded_twice() {
        let cases: [(&[i32], usize, i32, i64); 12] = [
            (&[1, 2, 3, 4, 9, 6, 7, 8, 5], 3, 45, 0),
            (&[0, -1, 0, -1, 5, -1, 0, -1, 0], 3, 1, 0),
            (&[127, 127, 2], 1, 256, 0),
            (&[127, -127, 2], 1, 1, 0),
            (&[-128, 0, 0], 3, 128, 0),
            (&[-127, -1, -127], 3, 1, 65280),
            (&[127, 1, 127], 3, 1, -65280),
            (&[64, 64, 0, 64, 64], 5, 256, -300),
            (&[1], 1, 32767, 0),
            (&[1, 1, 1], 3, 253, 65280),
            (&[1, 1, 1], 3, 257, -65280),
            (&[3, -2, 0, 0, 0, 0, 0, 0, 7], 9, 9, 32768),
        ];
        for (values, columns, divisor, bias) in cases {
            let sums = of(values, columns, divisor, bias).unwrap();
            let total: i32 = values.iter().sum();
            let exact = Quotient::new(total.into(), divisor as u32, bias);
            for len in [1_usize, 63, 64, 65, 200, 1031] {
                let room = len.next_multiple_of(STEP) + columns;
                let byte = |row: usize, x: usize| match (row * 31 + x * 7 + x / 256 * 11) % 29 {
                    0..9 => 0,
                    9..18 => 255,
                    _ => (x * (row + 1)) as u8,
                };
                let rows: Vec<Vec<u8>> = (0..sums.rows).map(|row| (0..room).map(|x| byte(row, x)).collect()).collect();
                let rows: Vec<&[u8]> = rows.iter().map(Vec::as_slice).collect();
                let plain = |x: usize| {
                    let weigh = |(i, weight): (usize, &i32)| {
                        weight * ((i32::from(rows[i / columns][x + i % columns]) << 8) - 32768)
                    };
                    let v16 = exact.of(values.iter().enumerate().map(weigh).sum());
                    ((u32::from(v16) + 128) >> 8).min(255) as u8
                };
                let expected: Vec<u8> = (0..len).map(plain).collect();
                for level in CpuLevel::available() {
                    let mut out = vec![1; len];
                    // SAFETY: the processor has the level.
                    unsafe { sums.weigh(level, &rows, &mut out) };
                    assert!(out == expected, "{level}, {len}: {values:?} over {divisor}, {bias} more");
                }
            }
        }
    }
}
