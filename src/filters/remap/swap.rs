//! Columns for rows, in blocks that stay in the first cache.

use super::map::Map;
use crate::filters::remap::tuning::cpu::SWAP_TILE as TILE;
use crate::simd::rows::{narrow, widen};
use crate::video::{PlaneMut, PlaneRef, SampleLayout, SampleType};

/// Makes the rows of the result from row `first` on, which walk the source's columns. Every place is inside the source.
#[inline(always)]
pub fn swap(map: &Map, src: &PlaneRef<'_>, first: usize, dst: &mut PlaneMut<'_>) {
    let SampleLayout { sample, step, .. } = src.layout();
    match (src.layout() == dst.layout(), sample, step) {
        (true, SampleType::U8, 1) => blocks::<u8, 16>(map, src, first, dst),
        (true, SampleType::U16, 1) => blocks::<u16, 8>(map, src, first, dst),
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

/// A row of a block.
type BlockRow = [u8; 16];

/// A stored sample of one or two bytes.
trait Sample: Copy {
    fn row<'a>(plane: &'a PlaneRef<'_>, y: usize) -> &'a [Self];
    fn row_mut<'a>(plane: &'a mut PlaneMut<'_>, y: usize) -> &'a mut [Self];
    fn read(samples: &[Self]) -> BlockRow;
    fn write(row: BlockRow, samples: &mut [Self]);
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
    fn read(samples: &[u8]) -> BlockRow {
        samples.try_into().expect("a row of a block")
    }

    #[inline(always)]
    fn write(row: BlockRow, samples: &mut [u8]) {
        samples.copy_from_slice(&row);
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
    fn read(samples: &[u16]) -> BlockRow {
        let samples: [u16; 8] = samples.try_into().expect("a row of a block");
        // SAFETY: both are sixteen plain bytes.
        unsafe { std::mem::transmute::<[u16; 8], BlockRow>(samples) }
    }

    #[inline(always)]
    fn write(row: BlockRow, samples: &mut [u16]) {
        // SAFETY: as in `read`.
        samples.copy_from_slice(&unsafe { std::mem::transmute::<BlockRow, [u16; 8]>(row) });
    }
}

/// Moves samples as they are stored, in blocks of `N`×`N` whose rows are sixteen bytes.
#[inline(always)]
fn blocks<T: Sample, const N: usize>(map: &Map, src: &PlaneRef<'_>, first: usize, dst: &mut PlaneMut<'_>) {
    let (width, height) = (dst.width(), dst.height());
    let (whole_x, whole_y) = (width / N * N, height / N * N);
    let forwards = map.columns.step > 0;
    for (x, y) in (0..whole_x).step_by(N).flat_map(|x| (0..whole_y).step_by(N).map(move |y| (x, y))) {
        let column = map.columns.at(first + y).min(map.columns.at(first + y + N - 1)) as usize;
        let rows: [BlockRow; N] =
            std::array::from_fn(|i| T::read(&T::row(src, map.rows.at(x + i) as usize)[column..column + N]));
        for (i, row) in turn(rows).into_iter().enumerate() {
            let to = if forwards { y + i } else { y + N - 1 - i };
            T::write(row, &mut T::row_mut(dst, to)[x..x + N]);
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

/// Columns for rows: every row is interleaved with the one half a block further, as often as doubling one gives `N`.
#[inline(always)]
fn turn<const N: usize>(mut rows: [BlockRow; N]) -> [BlockRow; N] {
    for _ in 0..N.ilog2() {
        let from = rows;
        for i in 0..N / 2 {
            [rows[2 * i], rows[2 * i + 1]] = interleave::<N>(from[i], from[i + N / 2]);
        }
    }
    rows
}

/// The first samples of two rows of `N` in turn, and the last.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
fn interleave<const N: usize>(a: BlockRow, b: BlockRow) -> [BlockRow; 2] {
    use std::arch::x86_64::{__m128i, _mm_unpackhi_epi8, _mm_unpackhi_epi16, _mm_unpacklo_epi8, _mm_unpacklo_epi16};
    // SAFETY: every x86-64 processor has these instructions, and a vector and a row are the same sixteen plain bytes.
    unsafe {
        let [a, b] = [a, b].map(|row| std::mem::transmute::<BlockRow, __m128i>(row));
        let both = match N {
            16 => [_mm_unpacklo_epi8(a, b), _mm_unpackhi_epi8(a, b)],
            _ => [_mm_unpacklo_epi16(a, b), _mm_unpackhi_epi16(a, b)],
        };
        both.map(|vector| std::mem::transmute::<__m128i, BlockRow>(vector))
    }
}

/// The first samples of two rows of `N` in turn, and the last.
#[cfg(not(target_arch = "x86_64"))]
#[inline(always)]
fn interleave<const N: usize>(a: BlockRow, b: BlockRow) -> [BlockRow; 2] {
    let size = 16 / N;
    [0, 8].map(|half| {
        std::array::from_fn(|i| {
            let (sample, byte) = (i / size, i % size);
            let row = if sample % 2 == 0 { a } else { b };
            row[half + sample / 2 * size + byte]
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_block_is_turned_across_its_diagonal() {
        let value = |row: usize, column: usize| (16 * row + column) as u8;
        let rows: [BlockRow; 16] = std::array::from_fn(|row| std::array::from_fn(|column| value(row, column)));
        for (row, turned) in turn(rows).iter().enumerate() {
            assert_eq!(*turned, std::array::from_fn(|column| value(column, row)));
        }
        // Samples of two bytes stay whole.
        let rows: [BlockRow; 8] = std::array::from_fn(|row| std::array::from_fn(|byte| value(row, byte)));
        for (row, turned) in turn(rows).iter().enumerate() {
            assert_eq!(*turned, std::array::from_fn(|byte| value(byte / 2, 2 * row + byte % 2)));
        }
    }
}
