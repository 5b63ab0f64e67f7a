//! Columns for rows, in blocks that stay in the first cache.

use super::map::Map;
use crate::filters::rows::{narrow, widen};
use crate::video::{PlaneMut, PlaneRef, SampleLayout, SampleType};

/// Blocks side by side that are turned at once, so that each step is one for a vector.
const SIDE: usize = 4;

/// Rows and columns of a tile that goes through lanes.
const TILE: usize = 32;

/// Makes the rows of the result from row `first` on, which walk the source's columns. Every place is inside the source.
#[inline(always)]
pub fn swap(map: &Map, src: &PlaneRef<'_>, first: usize, dst: &mut PlaneMut<'_>) {
    let SampleLayout { sample, step, .. } = src.layout();
    match (src.layout() == dst.layout(), sample, step) {
        (true, SampleType::U8, 1) => blocks::<u8, 8, 8>(map, src, first, dst),
        (true, SampleType::U16, 1) => blocks::<u16, 4, 16>(map, src, first, dst),
        _ => tiles(map, src, first, dst),
    }
}

/// Moves a row of tiles sample by sample, each between lanes.
#[inline(always)]
fn tiles(map: &Map, src: &PlaneRef<'_>, first: usize, dst: &mut PlaneMut<'_>) {
    let (mut read, mut turned) = ([[0u16; TILE]; TILE], [0u16; TILE]);
    for y in (0..dst.height()).step_by(TILE) {
        let down = TILE.min(dst.height() - y);
        let column = map.columns.at(first + y).min(map.columns.at(first + y + down - 1)) as usize;
        for x in (0..dst.width()).step_by(TILE) {
            let across = TILE.min(dst.width() - x);
            for (i, row) in read[..across].iter_mut().enumerate() {
                widen(src, column, map.rows.at(x + i) as usize, &mut row[..down]);
            }
            for j in 0..down {
                let from = if map.columns.step > 0 { j } else { down - 1 - j };
                for (to, row) in turned[..across].iter_mut().zip(&read) {
                    *to = row[from];
                }
                narrow(dst, x, y + j, &turned[..across]);
            }
        }
    }
}

/// A stored sample of `BITS` bits.
trait Sample: Copy {
    fn row<'a>(plane: &'a PlaneRef<'_>, y: usize) -> &'a [Self];
    fn row_mut<'a>(plane: &'a mut PlaneMut<'_>, y: usize) -> &'a mut [Self];
    fn pack(samples: &[Self]) -> u64;
    fn unpack(word: u64, samples: &mut [Self]);
}

impl Sample for u8 {
    #[inline(always)]
    fn row<'a>(plane: &'a PlaneRef<'_>, y: usize) -> &'a [u8] {
        plane.row_u8(y)
    }

    #[inline(always)]
    fn row_mut<'a>(plane: &'a mut PlaneMut<'_>, y: usize) -> &'a mut [u8] {
        plane.row_u8_mut(y)
    }

    #[inline(always)]
    fn pack(samples: &[u8]) -> u64 {
        u64::from_le_bytes(samples.try_into().expect("eight bytes"))
    }

    #[inline(always)]
    fn unpack(word: u64, samples: &mut [u8]) {
        samples.copy_from_slice(&word.to_le_bytes());
    }
}

impl Sample for u16 {
    #[inline(always)]
    fn row<'a>(plane: &'a PlaneRef<'_>, y: usize) -> &'a [u16] {
        plane.row_u16(y)
    }

    #[inline(always)]
    fn row_mut<'a>(plane: &'a mut PlaneMut<'_>, y: usize) -> &'a mut [u16] {
        plane.row_u16_mut(y)
    }

    #[inline(always)]
    fn pack(samples: &[u16]) -> u64 {
        samples.iter().rev().fold(0, |word, sample| word << 16 | u64::from(*sample))
    }

    #[inline(always)]
    fn unpack(word: u64, samples: &mut [u16]) {
        for (i, sample) in samples.iter_mut().enumerate() {
            *sample = (word >> (16 * i)) as u16;
        }
    }
}

/// Moves samples as they are stored, in blocks of `N`×`N` samples of `BITS` bits, whose rows are words of 64 bits.
#[inline(always)]
fn blocks<T: Sample, const N: usize, const BITS: u32>(
    map: &Map,
    src: &PlaneRef<'_>,
    first: usize,
    dst: &mut PlaneMut<'_>,
) {
    let (width, height) = (dst.width(), dst.height());
    let wide = N * SIDE;
    let (whole_x, whole_y) = (width / N * N, height / wide * wide);
    let forwards = map.columns.step > 0;
    for x in (0..whole_x).step_by(N) {
        for y in (0..whole_y).step_by(wide) {
            let column = map.columns.at(first + y).min(map.columns.at(first + y + wide - 1)) as usize;
            let words: [[u64; SIDE]; N] = std::array::from_fn(|i| {
                let row = &T::row(src, map.rows.at(x + i) as usize)[column..column + wide];
                std::array::from_fn(|block| T::pack(&row[block * N..][..N]))
            });
            let turned = turn::<N, BITS>(words);
            for (block, i) in (0..SIDE).flat_map(|block| (0..N).map(move |i| (block, i))) {
                let from = block * N + i;
                let to = if forwards { y + from } else { y + wide - 1 - from };
                T::unpack(turned[i][block], &mut T::row_mut(dst, to)[x..x + N]);
            }
        }
    }
    // What is left of the last blocks.
    for y in 0..height {
        let column = map.columns.at(first + y) as usize;
        let start = if y < whole_y { whole_x } else { 0 };
        for x in start..width {
            T::row_mut(dst, y)[x] = T::row(src, map.rows.at(x) as usize)[column];
        }
    }
}

/// Turns `SIDE` blocks at once: halves of a block trade places across its diagonal, then quarters in each, and so on.
#[inline(always)]
fn turn<const N: usize, const BITS: u32>(mut rows: [[u64; SIDE]; N]) -> [[u64; SIDE]; N] {
    let mut half = N / 2;
    while half > 0 {
        let width = BITS * half as u32;
        let low = u64::MAX / ((1 << width) + 1);
        for i in (0..N).filter(|i| i & half == 0) {
            for block in 0..SIDE {
                let (a, b) = (rows[i][block], rows[i + half][block]);
                let traded = (a >> width ^ b) & low;
                rows[i][block] = a ^ traded << width;
                rows[i + half][block] = b ^ traded;
            }
        }
        half /= 2;
    }
    rows
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_block_is_turned_across_its_diagonal() {
        // Block b has 100·b + 10·row + column, modulo 256.
        let value = |block: usize, row: usize, column: usize| (100 * block + 10 * row + column) as u8;
        let rows: [[u64; SIDE]; 8] = std::array::from_fn(|row| {
            std::array::from_fn(|block| u8::pack(&[0, 1, 2, 3, 4, 5, 6, 7].map(|column| value(block, row, column))))
        });
        for (row, blocks) in turn::<8, 8>(rows).iter().enumerate() {
            for (block, word) in blocks.iter().enumerate() {
                assert_eq!(word.to_le_bytes(), [0, 1, 2, 3, 4, 5, 6, 7].map(|column| value(block, column, row)));
            }
        }
    }
}
