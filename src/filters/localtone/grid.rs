//! Planes of the fast kernel, and bands of their rows for threads.

use super::tuning::cpu::SAMPLES;
use crate::device::cpu::{CpuExec, CpuLevel};
use crate::simd::dispatch::{Work, at_level};
use std::sync::{Mutex, PoisonError};

/// Threads and vectors.
#[derive(Clone, Copy)]
pub struct Cpu<'a> {
    pub exec: &'a CpuExec,
    pub level: CpuLevel,
}

impl Cpu<'_> {
    /// Does `work` with the level's vectors, which `Fast::new` asked the processor for.
    pub fn work(&self, work: impl Work) {
        // SAFETY: a `Fast` of a level that the processor lacks is not made.
        unsafe { at_level(self.level, work) }
    }
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
        let bands: Vec<_> = self.samples.chunks_mut(rows * self.width).map(Mutex::new).collect();
        cpu.exec.each(bands.len(), |band| {
            make(band * rows, &mut bands[band].lock().unwrap_or_else(PoisonError::into_inner));
        });
    }
}

/// Calls `make` as [`Grid::make`] does, with rows of two planes of one size.
pub fn make_both<T: Copy + Default + Send>(
    [one, other]: [&mut Grid<T>; 2],
    cpu: Cpu<'_>,
    make: impl Fn(usize, [&mut [T]; 2]) + Sync + Send,
) {
    let rows = (SAMPLES / one.width).clamp(8, one.height.max(8));
    let size = rows * one.width;
    let pairs = one.samples.chunks_mut(size).zip(other.samples.chunks_mut(size));
    let bands: Vec<_> = pairs.map(Mutex::new).collect();
    cpu.exec.each(bands.len(), |band| {
        let (one, other) = &mut *bands[band].lock().unwrap_or_else(PoisonError::into_inner);
        make(band * rows, [one, other]);
    });
}
