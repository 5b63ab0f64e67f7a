//! A band of rows through all passes but the last in one go, each some rows ahead of the next, so that what they exchange
//! stays in the cache.
//!
//! A border continues what lies 64 samples and more into the picture. At the lower one all that has gone by when it is needed;
//! so a band walks towards the border that is nearer to it, seeing the picture upside down where that is the upper one. Only a
//! band that both borders are near to takes whole planes, pass by pass.

use super::level::Means;
use super::plan::{CELL, ComponentPlan, border};
use super::rows::{RowKernels, pairs};
use super::stage::{RowOrder, StageRows};
use crate::simd::rows::widen;
use crate::video::PlaneRef;
use std::ops::Range;

/// Passes that are done here.
const PASSES: usize = 3;

/// Rows to smooth.
pub(super) struct BandRows<'a> {
    pub component: &'a ComponentPlan,
    pub src: PlaneRef<'a>,
    pub lines: RowOrder,
    pub rows: Range<isize>,
    /// The row of the plane that is the target's first.
    pub top: usize,
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
    stages: [StageRows; PASSES],
    means: Means,
    lanes: Vec<u16>,
}

impl BandRows<'_> {
    fn width(&self) -> usize {
        self.src.width()
    }

    fn height(&self) -> isize {
        self.lines.count as isize
    }

    /// Rows that pass `i` spans up and down.
    fn spans(&self, i: usize) -> isize {
        self.component.passes[i].rows() as isize
    }
}

impl Scratch {
    /// Lays the stages out for `work`. True when it can be done row by row.
    fn fit(&mut self, work: &BandRows<'_>) -> bool {
        let (width, height) = (work.width(), work.height());
        let (mut ahead, mut start) = (0, work.rows.start);
        for i in (0..PASSES).rev() {
            ahead += work.spans(i);
            start -= work.spans(i);
            if work.rows.end + ahead > height {
                start = start.min(height - 2 * border(work.lines.count, i) as isize);
            }
            (self.stages[i].ahead, self.stages[i].start) = (ahead, start);
        }
        let flows = start >= 0;
        for i in 0..PASSES {
            let reach = work.component.passes[i].step;
            let count = match (flows, i) {
                (false, _) => work.lines.count + 2 * reach,
                // Later passes need the source later than the first one does.
                (true, 0) => (self.stages[0].ahead - (self.stages[1].ahead - work.spans(0)).min(0) + 1) as usize,
                (true, _) => (2 * work.spans(i) + 1) as usize,
            };
            self.stages[i].fit(i, width, reach, count, if flows { 0 } else { reach });
        }
        self.means.fit(width);
        self.lanes.resize(self.lanes.len().max(width), 0);
        flows
    }

    /// Makes row `y` of stage `i`, which may lie below the picture.
    ///
    /// # Safety
    /// The processor must have the instructions of `V`.
    #[inline(always)]
    unsafe fn produce<V: RowKernels>(&mut self, work: &BandRows<'_>, i: usize, y: isize) {
        let height = work.height();
        if y >= height {
            let stage = &mut self.stages[i];
            return stage.continue_below(height, y, work.width());
        }
        if i == 0 {
            let row = self.stages[0].ring.row_mut(y);
            let lanes = &mut self.lanes[..work.width()];
            widen(&work.src, 0, work.lines.at(y), lanes);
            row.iter_mut().zip(lanes).for_each(|(out, lane)| *out = (*lane ^ 0x8000) as i16);
        } else {
            let (before, rest) = self.stages.split_at_mut(i);
            // SAFETY: by the caller.
            unsafe { smooth::<V>(before, work, y, rest[0].ring.row_mut(y)) };
        }
        self.stages[i].finish(y, height, work.width());
    }

    /// Makes row `y` of the result.
    ///
    /// # Safety
    /// The processor must have the instructions of `V`.
    #[inline(always)]
    unsafe fn close<V: RowKernels>(&mut self, work: &BandRows<'_>, y: isize, made: &mut Made<'_>) {
        let place = work.lines.at(y);
        let row = &mut made.rows[(place - work.top) * made.pitch..][..made.pitch];
        // SAFETY: by the caller.
        unsafe { smooth::<V>(&self.stages, work, y, row) };
        self.means.add(self.stages[0].ring.row(y, 0), row);
        // Bands are made of whole cells.
        let next = (y + 1 < work.rows.end).then(|| work.lines.at(y + 1) / CELL);
        if next != Some(place / CELL) {
            self.means.take(&mut made.cells[(place - work.top) / CELL * made.across..][..made.across]);
        }
    }
}

/// Does the pass that reads the last of `stages` for row `y`.
///
/// # Safety
/// The processor must have the instructions of `V`.
#[inline(always)]
unsafe fn smooth<V: RowKernels>(stages: &[StageRows], work: &BandRows<'_>, y: isize, out: &mut [i16]) {
    let last = stages.len() - 1;
    let (source, plane, pass) = (&stages[0].ring, &stages[last].ring, &work.component.passes[last]);
    // SAFETY: by the caller.
    unsafe { V::pass_row(pass, source.row(y, 0), plane.row(y, 0), &pairs(plane, y, &pass.offsets), out) };
}

/// Smooths `work` into `made`.
///
/// # Safety
/// The processor must have the instructions of `V`.
#[inline(always)]
pub(super) unsafe fn run<V: RowKernels>(work: &BandRows<'_>, made: &mut Made<'_>, scratch: &mut Scratch) {
    let Range { start, end } = work.rows;
    let (mut first, mut flowing) = (start, 0);
    if scratch.fit(work) {
        flowing = PASSES;
        first = scratch.stages.iter().map(|stage| stage.start - stage.ahead).min().unwrap_or(first);
    } else {
        // SAFETY: by the caller.
        unsafe { make_all::<V>(work, scratch) };
    }
    for now in first..end {
        for i in 0..flowing {
            let y = now + scratch.stages[i].ahead;
            if y >= scratch.stages[i].start {
                // SAFETY: by the caller.
                unsafe { scratch.produce::<V>(work, i, y) };
            }
        }
        if now >= start {
            // SAFETY: by the caller.
            unsafe { scratch.close::<V>(work, now, made) };
        }
    }
}

/// Makes all stages whole.
///
/// # Safety
/// The processor must have the instructions of `V`.
#[inline(always)]
unsafe fn make_all<V: RowKernels>(work: &BandRows<'_>, scratch: &mut Scratch) {
    for i in 0..PASSES {
        for y in 0..work.height() + work.component.passes[i].step as isize {
            // SAFETY: by the caller.
            unsafe { scratch.produce::<V>(work, i, y) };
        }
        scratch.stages[i].continue_above(work.height(), work.width());
    }
}
