//! Levels: how much lower what passes made is than the source, in wide surroundings. They are found on a grid of cells.

use super::plan::{CELL, LEVEL_PARTS, rounded};
use super::simd::Vector;

/// Cells that lines of `len` samples are cut into.
pub(super) fn cells(len: usize) -> usize {
    len.div_ceil(CELL)
}

/// Means over a row of cells, while rows of samples go by.
#[derive(Default)]
pub(super) struct Means {
    /// By columns of samples. Sixteen differences, of 1024 at most, fit.
    sums: Vec<i16>,
    rows: usize,
}

impl Means {
    /// Begins, for rows of `width` samples.
    pub fn fit(&mut self, width: usize) {
        self.rows = 0;
        self.sums.clear();
        self.sums.resize(width, 0);
    }

    /// Adds a row of the source, and what became of it.
    #[inline(always)]
    pub fn add(&mut self, source: &[i16], made: &[i16]) {
        self.rows += 1;
        let samples = self.sums.iter_mut().zip(source).zip(made);
        samples.for_each(|((sum, source), made)| *sum = sum.wrapping_add(source.wrapping_sub(*made)));
    }

    /// Writes the means of the rows since the last time.
    #[inline(always)]
    pub fn take(&mut self, out: &mut [i32]) {
        for (out, columns) in out.iter_mut().zip(self.sums.chunks(CELL)) {
            let sum: i32 = columns.iter().map(|sum| i32::from(*sum)).sum();
            *out = rounded(LEVEL_PARTS * sum, (self.rows * columns.len()) as i32);
        }
        self.rows = 0;
        self.sums.fill(0);
    }
}

/// Turns means of cells, `across` in a row, into levels: means of those around, up to `window` cells away. A line of cells at a time is
/// kept in `line`.
pub(super) fn spread(cells: &mut [i32], across: usize, window: usize, line: &mut Vec<i32>) {
    for row in cells.chunks_exact_mut(across) {
        line.clear();
        line.extend_from_slice(row);
        row.iter_mut().enumerate().for_each(|(at, out)| *out = around(line, at, window));
    }
    for x in 0..across {
        line.clear();
        line.extend(cells.iter().skip(x).step_by(across));
        let column = cells.iter_mut().skip(x).step_by(across);
        column.enumerate().for_each(|(at, out)| *out = around(line, at, window));
    }
}

/// The mean around one value of a line, weighed by a triangle.
fn around(line: &[i32], at: usize, window: usize) -> i32 {
    let first = (at + 1).saturating_sub(window);
    let inside = &line[first..line.len().min(at + window)];
    let (mut sum, mut weights) = (0, 0);
    for (i, value) in inside.iter().enumerate() {
        let weight = (window - (first + i).abs_diff(at)) as i32;
        sum += weight * value;
        weights += weight;
    }
    rounded(sum, weights)
}

/// What both ends of a line weigh at its samples, in 32nds.
pub(super) const ENDS: [[i16; 2]; CELL] = {
    let mut ends = [[0; 2]; CELL];
    let mut i = 0;
    while i < CELL {
        let part = 2 * i as i16 + 1;
        ends[i] = [32 - part, part];
        i += 1;
    }
    ends
};

/// The levels of one row of samples.
#[derive(Default)]
pub(super) struct LevelRow {
    /// Of the row's place between two rows of cells, with the outermost twice.
    columns: Vec<i16>,
    /// From half a cell before the row on.
    lanes: Vec<i16>,
}

impl LevelRow {
    /// Finds row `y` of `cells`, `across` in a row; for as many as `lanes` lanes.
    ///
    /// # Safety
    /// The processor must have the instructions of `V`.
    #[inline(always)]
    pub unsafe fn find<V: Vector>(&mut self, cells: &[i32], across: usize, y: usize, lanes: usize) {
        let (above, below) = (y.saturating_sub(CELL / 2) / CELL, (y + CELL / 2) / CELL);
        let below = below.min(cells.len() / across - 1);
        let part = (2 * ((y + CELL / 2) % CELL) + 1) as i32;
        let (above, below) = (&cells[above * across..][..across], &cells[below * across..][..across]);
        self.columns.clear();
        self.columns.push(0);
        let rows = above.iter().zip(below);
        self.columns.extend(rows.map(|(above, below)| (((32 - part) * above + part * below + 16) >> 5) as i16));
        self.columns[0] = self.columns[1];
        self.columns.push(self.columns[across]);

        self.lanes.resize(lanes + 2 * CELL, 0);
        for (out, ends) in self.lanes.as_chunks_mut().0.iter_mut().zip(self.columns.windows(2)) {
            // SAFETY: by the caller.
            unsafe { V::line([ends[0], ends[1]], out) };
        }
    }

    /// What was found, from the row's first sample on.
    #[inline(always)]
    pub fn lanes(&self) -> &[i16] {
        &self.lanes[CELL / 2..]
    }
}
