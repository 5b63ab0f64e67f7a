//! Planes of the fast kernel, bands of their rows for threads, and what these work in.

use super::tuning::cpu::SAMPLES;
use crate::device::cpu::{CpuExec, CpuLevel};
use crate::filters::stock::Stock;
use crate::simd::dispatch::{Work, at_level};

/// Threads and vectors, for a picture `width` wide.
#[derive(Clone, Copy)]
pub struct Cpu<'a> {
    pub exec: &'a CpuExec,
    pub level: CpuLevel,
    pub scratch: &'a Stock<Scratch>,
    pub width: usize,
}

impl Cpu<'_> {
    /// Does `work` with the level's vectors, which `Fast::new` asked the processor for.
    pub fn work(&self, work: impl RowWork) {
        let make = || Scratch::new(self.width);
        // SAFETY: a `Fast` of a level that the processor lacks is not made.
        self.scratch.with(make, |scratch| unsafe { at_level(self.level, Scratched { work, scratch }) });
    }
}

/// Rows to make, compiled for each level. Implementations are `#[inline(always)]`.
pub trait RowWork {
    /// Makes them.
    fn run(self, scratch: &mut Scratch);
}

struct Scratched<'a, W> {
    work: W,
    scratch: &'a mut Scratch,
}

impl<W: RowWork> Work for Scratched<'_, W> {
    #[inline(always)]
    fn run(self) {
        self.work.run(self.scratch);
    }
}

/// Rows that a thread works in.
pub struct Scratch {
    pub lanes: [Vec<u16>; 4],
    pub values: [Vec<i16>; 5],
    pub sums: [Vec<i32>; 6],
    /// Four in a place.
    pub wide: Vec<u64>,
}

impl Scratch {
    /// For pictures of `width` columns, with room for two more on both sides.
    pub fn new(width: usize) -> Scratch {
        let len = width + 4;
        Scratch {
            lanes: std::array::from_fn(|_| vec![0; len]),
            values: std::array::from_fn(|_| vec![0; len]),
            sums: std::array::from_fn(|_| vec![0; len]),
            wide: vec![0; 4 * len],
        }
    }
}

/// So many of `rows`, of `width` values each.
#[inline(always)]
pub fn some<T, const N: usize>(rows: &mut [Vec<T>], width: usize) -> [&mut [T]; N] {
    let rows = rows.first_chunk_mut::<N>().expect("there are so many rows");
    rows.each_mut().map(|row| &mut row[..width])
}

/// A plane of samples, row by row.
#[derive(Clone)]
pub struct Grid<T> {
    pub width: usize,
    pub height: usize,
    pub samples: Vec<T>,
}

impl<T: Copy + Default + Send> Grid<T> {
    pub fn new((width, height): (usize, usize)) -> Grid<T> {
        Grid { width, height, samples: vec![T::default(); width * height] }
    }

    #[inline(always)]
    pub fn row(&self, y: usize) -> &[T] {
        &self.samples[y * self.width..][..self.width]
    }

    /// The row nearest to `y`.
    #[inline(always)]
    pub fn near(&self, y: isize) -> &[T] {
        self.row(y.clamp(0, self.height as isize - 1) as usize)
    }

    /// Calls `make` with each band's first row and its samples, on all threads.
    pub fn make(&mut self, cpu: Cpu<'_>, make: impl Fn(usize, &mut [T]) + Sync + Send) {
        let rows = (SAMPLES / self.width).clamp(8, self.height.max(8));
        cpu.exec.chunks([&mut self.samples[..]], rows * self.width, |band, [to]| make(band * rows, to));
    }
}

/// Calls `make` as [`Grid::make`] does, with rows of two planes of one size.
pub fn make_both<T: Copy + Default + Send>(
    grids: [&mut Grid<T>; 2],
    cpu: Cpu<'_>,
    make: impl Fn(usize, [&mut [T]; 2]) + Sync + Send,
) {
    let Grid { width, height, .. } = *grids[0];
    let rows = (SAMPLES / width).clamp(8, height.max(8));
    let samples = grids.map(|grid| &mut grid.samples[..]);
    cpu.exec.chunks(samples, rows * width, |band, to| make(band * rows, to));
}
