//! Planes in blocks of lines, for filters that run along rows and columns on the CPU: a vector has one sample of each of
//! sixteen lines side by side, so that what runs along a line is done to all of them at once.

use crate::device::cpu::{CpuExec, CpuLevel};

/// Lines of a block.
pub(crate) const LINES: usize = 16;

/// One sample of each line of a block.
pub(crate) type Across<T> = [T; LINES];

/// All rows of a plane, or all its columns. Lines and samples that only fill up blocks are zeros.
pub(crate) struct LineBlocks<T> {
    samples: Vec<Across<T>>,
    /// Vectors of a block: the length of a line, filled up to whole tiles.
    stride: usize,
}

impl<T: Copy + Default + Send> LineBlocks<T> {
    /// So many lines of this length.
    pub fn new(lines: usize, length: usize) -> LineBlocks<T> {
        let stride = length.next_multiple_of(LINES);
        LineBlocks { samples: vec![[T::default(); LINES]; stride * lines.div_ceil(LINES)], stride }
    }

    /// The vectors of block `block`, those that fill it up included.
    #[inline(always)]
    pub fn block(&self, block: usize) -> &[Across<T>] {
        &self.samples[block * self.stride..][..self.stride]
    }

    /// Calls `job(first, blocks)` for every `count` blocks, of which `first` is the first one's number, on all threads.
    pub fn each(&mut self, exec: &CpuExec, count: usize, job: impl Fn(usize, &mut [Across<T>]) + Sync + Send) {
        exec.chunks([&mut self.samples[..]], (count * self.stride).max(1), |i, [blocks]| job(i * count, blocks));
    }

    /// Block `block` of the lines that cross these.
    #[inline(always)]
    pub fn cross(&self, block: usize, out: &mut [Across<T>]) {
        for (i, tile) in out.as_chunks_mut::<LINES>().0.iter_mut().enumerate() {
            *tile = transpose(&self.block(i).as_chunks::<LINES>().0[block]);
        }
    }
}

/// The level at which tiles are turned and tables are looked up: of AVX-512, compilers use permutations of several registers and
/// gathers, which on Zen take three times as long as what AVX2 has.
pub(crate) fn turning(level: CpuLevel) -> CpuLevel {
    level.min(CpuLevel::Avx2)
}

/// Rows become columns. Four times, the rows of both halves are interleaved: steps that are vector instructions.
#[inline(always)]
pub(crate) fn transpose<T: Copy>(tile: &[Across<T>; LINES]) -> [Across<T>; LINES] {
    const HALF: usize = LINES / 2;
    let mut rows = *tile;
    for _ in 0..LINES.ilog2() {
        let from = rows;
        for i in 0..HALF {
            for j in 0..HALF {
                rows[2 * i][2 * j] = from[i][j];
                rows[2 * i][2 * j + 1] = from[i + HALF][j];
                rows[2 * i + 1][2 * j] = from[i][j + HALF];
                rows[2 * i + 1][2 * j + 1] = from[i + HALF][j + HALF];
            }
        }
    }
    rows
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::filters::testing::one_thread;

    #[test]
    fn rows_become_columns() {
        let tile: [Across<u32>; LINES] = std::array::from_fn(|i| std::array::from_fn(|j| (100 * i + j) as u32));
        let turned = transpose(&tile);
        assert!((0..LINES).all(|i| (0..LINES).all(|j| turned[i][j] == tile[j][i])));
    }

    #[test]
    fn lines_that_cross_are_those_of_the_other_direction() {
        let (width, height) = (37, 18);
        let exec = one_thread();
        let mut rows = LineBlocks::<u32>::new(height, width);
        rows.each(&exec, 1, |block, samples| {
            for (x, across) in samples[..width].iter_mut().enumerate() {
                let lines = across.iter_mut().enumerate().filter(|(i, _)| block * LINES + i < height);
                lines.for_each(|(i, sample)| *sample = (1000 * (block * LINES + i) + x + 1) as u32);
            }
        });
        let mut columns = LineBlocks::<u32>::new(width, height);
        columns.each(&exec, 1, |block, samples| rows.cross(block, samples));
        for x in 0..width.next_multiple_of(LINES) {
            for (y, across) in columns.block(x / LINES).iter().enumerate() {
                let there = x < width && y < height;
                assert_eq!(across[x % LINES], if there { (1000 * y + x + 1) as u32 } else { 0 }, "({x}, {y})");
            }
        }
    }
}
