//! A band of rows through the last pass, once planes are smoothed whole and levels are known: these are added, evidence of
//! texture is looked for, and the result is blended with the source.

use super::level::LevelRow;
use super::plan::{ComponentPlan, Evidence, rows_of};
use super::ring::{Ring, STEP};
use super::rows::{Blend, RowKernels};
use super::stage::{StageRows, steps};
use crate::simd::rows::narrow;
use crate::video::{PlaneMut, PlaneRef};
use std::ops::Range;

/// Rows of evidence around a sample that count, up and down.
const AROUND: usize = 3;

/// Rows of evidence that are kept: those that count for a row, and the one before.
const KEPT: usize = 8;

/// The last pass, whose number in the plan is this.
const LAST: usize = 3;

/// Rows to close.
pub(super) struct CloseRows<'a> {
    pub component: &'a ComponentPlan,
    pub evidence: &'a Evidence,
    pub src: PlaneRef<'a>,
    /// What the passes before made, and the lanes of a row.
    pub smoothed: &'a [i16],
    pub pitch: usize,
    /// Levels, and those of a row.
    pub levels: &'a [i32],
    pub across: usize,
    pub rows: Range<usize>,
}

/// What a thread works in.
#[derive(Default)]
pub(super) struct Scratch {
    source: Ring,
    plane: Ring,
    found: Ring,
    level: LevelRow,
    /// Sums of columns of evidence, with three columns beside them.
    columns: Vec<i16>,
    lanes: Vec<u16>,
}

impl CloseRows<'_> {
    /// Rows that the last pass spans up and down.
    fn spans(&self) -> usize {
        self.component.passes[LAST].rows()
    }

    /// Rows that evidence is looked for in, up and down.
    fn seen(&self) -> usize {
        rows_of(&self.evidence.offsets)
    }
}

impl Scratch {
    fn fit(&mut self, work: &CloseRows<'_>) {
        let (width, size) = (work.src.width(), (work.src.width(), work.src.height()));
        self.source.fit(size, &work.evidence.offsets, 2 * work.seen() + 1);
        self.plane.fit(size, &work.component.passes[LAST].offsets, 2 * work.spans() + 1);
        self.found.fit(size, &[], KEPT);
        let len = width.next_multiple_of(STEP);
        self.columns.clear();
        self.columns.resize(len + 2 * STEP, 0);
        self.lanes.resize(self.lanes.len().max(len), 0);
    }

    /// Takes row `y` of what was smoothed.
    #[inline(always)]
    fn take_plane(&mut self, work: &CloseRows<'_>, y: usize) {
        self.plane.row_mut(y).copy_from_slice(&work.smoothed[y * work.pitch..][..work.pitch]);
        self.plane.finish(y);
    }

    /// The evidence in row `y`.
    ///
    /// # Safety
    /// The processor must have the instructions of `V`.
    #[inline(always)]
    unsafe fn look<V: RowKernels>(&mut self, work: &CloseRows<'_>, y: usize) {
        let pairs = self.source.pairs(y);
        // SAFETY: by the caller.
        unsafe { V::evidence_row(work.evidence, self.source.row(y), &pairs, self.found.row_mut(y)) };
    }

    /// Moves the sums of columns of evidence to row `y`, or makes them there.
    #[inline(always)]
    fn sum_columns(&mut self, work: &CloseRows<'_>, y: usize) {
        let (width, last) = (work.src.width(), work.src.height() - 1);
        let columns = &mut self.columns[STEP..][..width.next_multiple_of(STEP)];
        if y == work.rows.start {
            columns.fill(0);
            for around in y..=y + 2 * AROUND {
                let row = self.found.row(around.saturating_sub(AROUND).min(last));
                columns.iter_mut().zip(row).for_each(|(sum, new)| *sum = sum.wrapping_add(*new));
            }
        } else {
            let new = self.found.row((y + AROUND).min(last));
            let old = self.found.row((y - 1).saturating_sub(AROUND));
            let rows = columns.iter_mut().zip(new).zip(old);
            rows.for_each(|((sum, new), old)| *sum = sum.wrapping_add(*new).wrapping_sub(*old));
        }
        let (first, last) = (columns[0], columns[width - 1]);
        self.columns[STEP - AROUND..STEP].fill(first);
        self.columns[STEP + width..][..AROUND].fill(last);
    }

    /// Makes row `y` of the result.
    ///
    /// # Safety
    /// The processor must have the instructions of `V`.
    #[inline(always)]
    unsafe fn close<V: RowKernels>(&mut self, work: &CloseRows<'_>, y: usize, dst: &mut PlaneMut<'_>) {
        self.sum_columns(work, y);
        let (pass, width) = (&work.component.passes[LAST], work.src.width());
        let (source, plane) = (self.source.row(y), self.plane.row(y));
        let lanes = &mut self.lanes[..width.next_multiple_of(STEP)];
        // SAFETY: by the caller.
        unsafe { self.level.find::<V>(work.levels, work.across, y, lanes.len()) };
        let ComponentPlan { low, high, .. } = *work.component;
        let columns = &self.columns[STEP - AROUND..];
        let blend = Blend { evidence: work.evidence, columns, level: self.level.lanes(), low, high };
        let pairs = self.plane.pairs(y);
        // SAFETY: by the caller.
        unsafe { V::last_row(pass, source, plane, &pairs, &blend, lanes) };
        narrow(dst, 0, y - work.rows.start, &lanes[..width]);
    }
}

/// Closes `work` into `dst`, which has its rows only.
///
/// # Safety
/// The processor must have the instructions of `V`.
#[inline(always)]
pub(super) unsafe fn run<V: RowKernels>(work: &CloseRows<'_>, dst: &mut PlaneMut<'_>, scratch: &mut Scratch) {
    scratch.fit(work);
    let (seen, spans) = (AROUND + work.seen(), work.spans());
    let most = seen.max(spans);
    let rows = |reach: usize| StageRows::new(&work.rows, reach, most, work.src.height());
    let (source, found, plane, result) = (rows(seen), rows(AROUND), rows(spans), rows(0));
    for step in steps(&work.rows, most) {
        if let Some(y) = source.at(step) {
            scratch.source.take_source(&work.src, y, &mut scratch.lanes);
        }
        if let Some(y) = plane.at(step) {
            scratch.take_plane(work, y);
        }
        if let Some(y) = found.at(step) {
            // SAFETY: by the caller.
            unsafe { scratch.look::<V>(work, y) };
        }
        if let Some(y) = result.at(step) {
            // SAFETY: by the caller.
            unsafe { scratch.close::<V>(work, y, dst) };
        }
    }
}
