//! A band of rows through all passes but the last in one go.

use super::level::Means;
use super::plan::{CELL, ComponentPlan};
use super::ring::Ring;
use super::rows::RowKernels;
use super::stage::{StageRows, steps};
use crate::video::PlaneRef;
use std::ops::Range;

/// Passes that are done here.
const PASSES: usize = 3;

/// Rows to smooth.
pub(super) struct BandRows<'a> {
    pub component: &'a ComponentPlan,
    pub src: PlaneRef<'a>,
    pub rows: Range<usize>,
}

/// What is made of them: rows, the levels of their cells, and how many lanes and cells a row has.
pub(super) struct Made<'a> {
    pub rows: &'a mut [i16],
    pub cells: &'a mut [i32],
    pub pitch: usize,
    pub across: usize,
}

/// What a thread works in.
#[derive(Default)]
pub(super) struct Scratch {
    /// The source, and what each pass but the last makes of it.
    stages: [Ring; PASSES],
    means: Means,
    lanes: Vec<u16>,
}

impl BandRows<'_> {
    /// Rows that pass `i` spans up and down.
    fn spans(&self, i: usize) -> usize {
        self.component.passes[i].rows()
    }
}

impl Scratch {
    /// Fits it to `work`, whose passes here span `most` rows up and down together.
    fn fit(&mut self, work: &BandRows<'_>, most: usize) {
        let size = (work.src.width(), work.src.height());
        for (i, stage) in self.stages.iter_mut().enumerate() {
            // Later passes need the source later than the first one does.
            let behind = if i == 0 { most } else { 0 };
            stage.fit(size, &work.component.passes[i].offsets, behind.max(2 * work.spans(i)) + 1);
        }
        self.means.fit(size.0);
        self.lanes.resize(self.lanes.len().max(size.0), 0);
    }

    /// Makes row `y` of stage `i`.
    ///
    /// # Safety
    /// The processor must have the instructions of `V`.
    #[inline(always)]
    unsafe fn produce<V: RowKernels>(&mut self, work: &BandRows<'_>, i: usize, y: usize) {
        if i == 0 {
            return self.stages[0].take_source(&work.src, y, &mut self.lanes);
        }
        let (before, rest) = self.stages.split_at_mut(i);
        // SAFETY: by the caller.
        unsafe { smooth::<V>(before, work, y, rest[0].row_mut(y)) };
        rest[0].finish(y);
    }

    /// Makes row `y` of the result.
    ///
    /// # Safety
    /// The processor must have the instructions of `V`.
    #[inline(always)]
    unsafe fn close<V: RowKernels>(&mut self, work: &BandRows<'_>, y: usize, made: &mut Made<'_>) {
        let number = y - work.rows.start;
        let row = &mut made.rows[number * made.pitch..][..made.pitch];
        // SAFETY: by the caller.
        unsafe { smooth::<V>(&self.stages, work, y, row) };
        self.means.add(self.stages[0].row(y), row);
        // Bands are made of whole cells.
        let next = y + 1;
        if next.is_multiple_of(CELL) || next == work.rows.end {
            self.means.take(&mut made.cells[number / CELL * made.across..][..made.across]);
        }
    }
}

/// Does the pass that reads the last of `stages` for row `y`.
///
/// # Safety
/// The processor must have the instructions of `V`.
#[inline(always)]
unsafe fn smooth<V: RowKernels>(stages: &[Ring], work: &BandRows<'_>, y: usize, out: &mut [i16]) {
    let last = stages.len() - 1;
    let (plane, pass) = (&stages[last], &work.component.passes[last]);
    let pairs = plane.pairs(y);
    // SAFETY: by the caller.
    unsafe { V::pass_row(pass, stages[0].row(y), plane.row(y), &pairs, out) };
}

/// Smooths `work` into `made`.
///
/// # Safety
/// The processor must have the instructions of `V`.
#[inline(always)]
pub(super) unsafe fn run<V: RowKernels>(work: &BandRows<'_>, made: &mut Made<'_>, scratch: &mut Scratch) {
    let spans = |passes: Range<usize>| passes.map(|i| work.spans(i)).sum();
    let most = spans(0..PASSES);
    scratch.fit(work, most);
    let rows = |i: usize| StageRows::new(&work.rows, spans(i..PASSES), most, work.src.height());
    let (stages, result) = ([rows(0), rows(1), rows(2)], rows(PASSES));
    for step in steps(&work.rows, most) {
        for (i, stage) in stages.iter().enumerate() {
            if let Some(y) = stage.at(step) {
                // SAFETY: by the caller.
                unsafe { scratch.produce::<V>(work, i, y) };
            }
        }
        if let Some(y) = result.at(step) {
            // SAFETY: by the caller.
            unsafe { scratch.close::<V>(work, y, made) };
        }
    }
}
