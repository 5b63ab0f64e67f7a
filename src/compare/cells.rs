//! Sums over cells of 4×4 samples, which four windows share: the one loop that sees every sample.

use crate::compare::ssim::LANES;
use crate::simd::rows::widen;
use crate::video::PlaneRef;
use std::ops::{Add, AddAssign, Mul, Range};

/// A cell's side.
const CELL: usize = 4;

/// Planes at least this wide and high have windows of two cells by two.
const WINDOW: usize = 2 * CELL;

/// The deepest samples whose sums over a cell fit 32 bits, also where a small plane is a single cell.
const DEEPEST_IN_32_BITS: u8 = 12;

/// Columns that are summed at a time: what they need stays in the nearest cache.
const CHUNK: usize = 256;

/// How a plane is cut into cells and windows.
///
/// A plane of fewer than 8 columns (rows) has one cell and one window across (down), as wide (high) as itself. What is
/// left over at the right and below is in no window.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct CellGrid {
    width: usize,
    height: usize,
    cell_width: usize,
    cell_height: usize,
    /// Rows of cells, also one that is cut off below.
    pub rows: usize,
    /// Windows across and down.
    pub windows: (usize, usize),
}

impl CellGrid {
    pub(super) fn new(width: usize, height: usize) -> CellGrid {
        let cell = |size: usize| if size < WINDOW { size } else { CELL };
        let windows = |size: usize| if size < WINDOW { 1 } else { size / CELL - 1 };
        let (cell_width, cell_height) = (cell(width), cell(height));
        let rows = height.div_ceil(cell_height);
        CellGrid { width, height, cell_width, cell_height, rows, windows: (windows(width), windows(height)) }
    }

    /// Samples of a window.
    pub(super) fn window_samples(&self) -> usize {
        self.width.min(WINDOW) * self.height.min(WINDOW)
    }

    /// The rows of samples in rows `cells` of cells.
    pub(super) fn samples(&self, cells: Range<usize>) -> Range<usize> {
        cells.start * self.cell_height..(cells.end * self.cell_height).min(self.height)
    }
}

/// A number that holds the sums over a cell.
pub(super) trait CellSum:
    Copy + Default + Add<Output = Self> + AddAssign + Mul<Output = Self> + From<u16> + Into<u64>
{
}

impl CellSum for u32 {}

impl CellSum for u64 {}

/// The same plane of two pictures.
#[derive(Clone, Copy)]
pub(super) struct PlanePair<'a> {
    pub a: PlaneRef<'a>,
    pub b: PlaneRef<'a>,
    pub bit_depth: u8,
    pub grid: CellGrid,
}

impl PlanePair<'_> {
    /// Whether sums over a cell fit 32 bits.
    pub(super) fn fits_32_bits(&self) -> bool {
        self.bit_depth <= DEEPEST_IN_32_BITS
    }

    /// The samples of row `y` from column `x` on, as code values.
    #[inline(always)]
    pub(super) fn row(&self, x: usize, y: usize, a: &mut [u16], b: &mut [u16]) {
        let drop = 16 - self.bit_depth;
        widen(&self.a, x, y, a);
        widen(&self.b, x, y, b);
        a.iter_mut().chain(b).for_each(|value| *value >>= drop);
    }
}

/// The sums of a row of cells; one that is cut off has no cells, only the totals.
pub(super) struct CellRow<S> {
    pub a: Vec<S>,
    pub b: Vec<S>,
    /// Σ a·b.
    pub product: Vec<S>,
    /// Σ (a − b)².
    pub squared: Vec<S>,
    /// Σ (a − b)² over every sample of the row, in cells or not.
    pub total: u64,
    /// The largest |a − b|.
    pub largest: u16,
    /// Windows that this row and another make. The cells end in empty ones, up to a whole vector of windows.
    pub windows: usize,
}

impl<S: CellSum> CellRow<S> {
    /// All zero, with the cells that the windows of `grid` need: where the plane has one cell only, the other half of
    /// its window stays empty.
    pub(super) fn new(grid: &CellGrid) -> CellRow<S> {
        let windows = grid.windows.0;
        let cells = || vec![S::default(); windows.next_multiple_of(LANES) + 1];
        CellRow { a: cells(), b: cells(), product: cells(), squared: cells(), total: 0, largest: 0, windows }
    }
}

/// Sums over the rows of a cell, for each column.
struct Columns<S> {
    a: [S; CHUNK],
    b: [S; CHUNK],
    product: [S; CHUNK],
    squared: [S; CHUNK],
}

/// Sums row `row` of the cells of `pair`.
#[inline(always)]
pub(super) fn sum<S: CellSum>(pair: &PlanePair<'_>, row: usize, out: &mut CellRow<S>) {
    let grid = &pair.grid;
    (out.total, out.largest) = (0, 0);
    let (mut a, mut b) = ([0; CHUNK], [0; CHUNK]);
    for x in (0..grid.width).step_by(CHUNK) {
        let n = CHUNK.min(grid.width - x);
        let zero = [S::default(); CHUNK];
        let mut columns = Columns { a: zero, b: zero, product: zero, squared: zero };
        for y in grid.samples(row..row + 1) {
            pair.row(x, y, &mut a[..n], &mut b[..n]);
            out.largest = out.largest.max(add(&a[..n], &b[..n], &mut columns));
        }
        out.total += columns.squared[..n].iter().map(|value| -> u64 { (*value).into() }).sum::<u64>();
        let first = x / grid.cell_width;
        fold(&columns.a[..n], grid.cell_width, &mut out.a[first..]);
        fold(&columns.b[..n], grid.cell_width, &mut out.b[first..]);
        fold(&columns.product[..n], grid.cell_width, &mut out.product[first..]);
        fold(&columns.squared[..n], grid.cell_width, &mut out.squared[first..]);
    }
}

/// Adds part of a row to the sums over its columns. Gives the largest difference.
#[inline(always)]
fn add<S: CellSum>(a: &[u16], b: &[u16], sums: &mut Columns<S>) -> u16 {
    let n = a.len();
    let (b, sum_a, sum_b) = (&b[..n], &mut sums.a[..n], &mut sums.b[..n]);
    let (product, squared) = (&mut sums.product[..n], &mut sums.squared[..n]);
    let mut largest = 0;
    for i in 0..n {
        let difference = a[i].abs_diff(b[i]);
        largest = difference.max(largest);
        sum_a[i] += S::from(a[i]);
        sum_b[i] += S::from(b[i]);
        product[i] += S::from(a[i]) * S::from(b[i]);
        squared[i] += S::from(difference) * S::from(difference);
    }
    largest
}

/// Adds the columns of each cell up.
#[inline(always)]
fn fold<S: CellSum>(columns: &[S], cell_width: usize, cells: &mut [S]) {
    let total = |columns: &[S]| {
        let mut total = S::default();
        columns.iter().for_each(|value| total += *value);
        total
    };
    if cell_width == CELL {
        cells.iter_mut().zip(columns.chunks_exact(CELL)).for_each(|(cell, columns)| *cell = total(columns));
    } else {
        cells[0] = total(columns);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn grids_as_ffmpeg_cuts_them_and_whole_small_planes() {
        let cut = |width, height| {
            let grid = CellGrid::new(width, height);
            (grid.rows, grid.windows, grid.window_samples())
        };
        assert_eq!(cut(16, 8), (2, (3, 1), 64));
        assert_eq!(cut(19, 11), (3, (3, 1), 64), "three columns and rows are in no window");
        assert_eq!(cut(1, 1), (1, (1, 1), 1));
        assert_eq!(cut(7, 12), (3, (1, 2), 56));
        assert_eq!(cut(64, 5), (1, (15, 1), 40));
        assert_eq!(CellGrid::new(19, 11).samples(1..3), 4..11);
    }
}
