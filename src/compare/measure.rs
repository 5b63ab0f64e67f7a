//! Measures two frames, on all threads.

use crate::compare::cells::{CellGrid, CellRow, CellSum, PlanePair, sum};
use crate::compare::difference::{FrameDifference, Largest, PlaneDifference};
use crate::compare::ssim::{Ssim, of_row};
use crate::device::cpu::{CpuExec, CpuLevel};
use crate::simd::dispatch::by_level;
use crate::video::{PlaneRef, Planes};
use std::mem::swap;
use std::ops::Range;
use std::sync::OnceLock;

/// Rows of cells that a thread takes at a time. Each band sums one row more than it has, for its last windows. The
/// number is part of the result, if below any printed digit: similarities are added up band by band.
const BAND: usize = 16;

/// What a band of a plane adds to it.
#[derive(Clone, Copy)]
struct BandSums {
    squared: u64,
    largest: u16,
    ssim: f64,
}

/// Measures frames of one bit depth.
#[derive(Debug)]
pub struct FrameMeasure {
    exec: CpuExec,
    bit_depth: u8,
}

impl FrameMeasure {
    /// For frames whose samples have `bit_depth` significant bits.
    pub fn new(exec: CpuExec, bit_depth: u8) -> FrameMeasure {
        FrameMeasure { exec, bit_depth }
    }

    /// How far `a` and `b` are apart.
    ///
    /// # Panics
    /// When their planes are not of the same number and sizes.
    pub fn frame(&self, a: &Planes<'_>, b: &Planes<'_>) -> FrameDifference {
        assert_eq!(a.len(), b.len(), "pictures of different components");
        let pairs: Vec<_> = a.iter().zip(b.iter()).map(|(a, b)| self.pair(a, b)).collect();
        let tasks: Vec<_> = pairs.iter().flat_map(|pair| (0..bands(&pair.grid)).map(move |i| (pair, i))).collect();
        let done: Vec<OnceLock<BandSums>> = tasks.iter().map(|_| OnceLock::new()).collect();
        self.exec.each(tasks.len(), |i| {
            let (pair, number) = tasks[i];
            done[i].get_or_init(|| self.band(pair, band(number, &pair.grid)));
        });
        let mut done = done.into_iter().filter_map(OnceLock::into_inner);
        let plane = |pair: &PlanePair<'_>| plane(pair, &done.by_ref().take(bands(&pair.grid)).collect::<Vec<_>>());
        FrameDifference { planes: pairs.iter().map(plane).collect() }
    }

    fn pair<'a>(&self, a: &PlaneRef<'a>, b: &PlaneRef<'a>) -> PlanePair<'a> {
        assert_eq!((a.width(), a.height()), (b.width(), b.height()), "pictures of different sizes");
        PlanePair { a: *a, b: *b, bit_depth: self.bit_depth, grid: CellGrid::new(a.width(), a.height()) }
    }

    fn band(&self, pair: &PlanePair<'_>, rows: Range<usize>) -> BandSums {
        let mut band = BandSums { squared: 0, largest: 0, ssim: 0.0 };
        let (level, grid) = (self.exec.level(), &pair.grid);
        // SAFETY: the executor was made for a level that the processor has.
        unsafe {
            if pair.fits_32_bits() {
                in_32_bits(level, pair, rows, &mut [CellRow::new(grid), CellRow::new(grid)], &mut band);
            } else {
                in_64_bits(level, pair, rows, &mut [CellRow::new(grid), CellRow::new(grid)], &mut band);
            }
        }
        band
    }
}

by_level!(in_32_bits = add(pair: &PlanePair<'_>, rows: Range<usize>, cells: &mut [CellRow<u32>; 2], band: &mut BandSums));
by_level!(in_64_bits = add(pair: &PlanePair<'_>, rows: Range<usize>, cells: &mut [CellRow<u64>; 2], band: &mut BandSums));

/// Adds rows `rows` of the cells of `pair` to `band`. Every row is summed once, but the last, which the next band sums
/// for itself too.
#[inline(always)]
fn add<S: CellSum>(
    pair: &PlanePair<'_>,
    rows: Range<usize>,
    [upper, lower]: &mut [CellRow<S>; 2],
    band: &mut BandSums,
) {
    let grid = &pair.grid;
    let ssim = Ssim::new(grid.window_samples(), pair.bit_depth);
    sum(pair, rows.start, upper);
    for row in rows {
        if row + 1 < grid.rows {
            sum(pair, row + 1, lower);
        }
        band.squared += upper.total;
        band.largest = band.largest.max(upper.largest);
        if row < grid.windows.1 {
            band.ssim += of_row(ssim, upper, lower);
        }
        swap(upper, lower);
    }
}

/// How many bands a plane has.
fn bands(grid: &CellGrid) -> usize {
    grid.rows.div_ceil(BAND)
}

/// The rows of cells of band `i`.
fn band(i: usize, grid: &CellGrid) -> Range<usize> {
    i * BAND..((i + 1) * BAND).min(grid.rows)
}

/// Puts the bands of a plane together, from top to bottom.
fn plane(pair: &PlanePair<'_>, bands: &[BandSums]) -> PlaneDifference {
    let grid = &pair.grid;
    let largest = bands.iter().map(|band| band.largest).max().unwrap_or(0);
    let first = bands.iter().position(|band| band.largest == largest && largest > 0);
    PlaneDifference {
        samples: pair.a.width() as u64 * pair.a.height() as u64,
        squared: bands.iter().map(|band| band.squared).sum(),
        ssim: bands.iter().map(|band| band.ssim).sum::<f64>() / (grid.windows.0 * grid.windows.1) as f64,
        largest: first.and_then(|i| find(pair, grid.samples(band(i, grid)), largest)),
    }
}

/// The first sample of `rows` whose difference is `wanted`.
fn find(pair: &PlanePair<'_>, mut rows: Range<usize>, wanted: u16) -> Option<Largest> {
    let (mut a, mut b) = (vec![0; pair.a.width()], vec![0; pair.a.width()]);
    rows.find_map(|y| {
        pair.row(0, y, &mut a, &mut b);
        let x = a.iter().zip(&b).position(|(a, b)| a.abs_diff(*b) == wanted)?;
        Some(Largest { x, y, a: a[x], b: b[x] })
    })
}

#[cfg(test)]
mod tests;
