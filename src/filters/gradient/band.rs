//! A band of rows: all passes in one go, each some rows ahead of the next, so that what they exchange stays in the cache.
//!
//! A border continues what lies 64 samples into the picture. At the lower one all that has gone by when it is needed; so a
//! band walks towards the border that is nearer to it, seeing the picture upside down where that is the upper one. Only a band
//! that both borders are near to takes whole planes, pass by pass.

use super::plan::{ComponentPlan, EVIDENCE_REACH, Evidence, border, rows_of};
use super::ring::{Ring, STEP};
use super::rows::{Beyond, Blend, RowKernels, extend_row, pairs};
use crate::simd::rows::{narrow, widen};
use crate::video::{PlaneMut, PlaneRef};
use std::ops::Range;

/// Rows of evidence around a sample that count, up and down.
const AROUND: isize = 3;

/// Rows of evidence that are kept: those that count for a row, and the one before.
const KEPT: usize = 8;

/// Rows of a plane in the order in which they are taken.
#[derive(Clone, Copy)]
pub(super) struct RowOrder {
    pub first: isize,
    pub step: isize,
    pub count: usize,
}

impl RowOrder {
    /// Where row `y` lies.
    pub fn at(&self, y: isize) -> usize {
        (self.first + self.step * y) as usize
    }

    /// The same rows, the last one first.
    pub fn reversed(&self) -> RowOrder {
        let RowOrder { first, step, count } = *self;
        RowOrder { first: first + step * (count as isize - 1), step: -step, count }
    }
}

/// Rows to filter.
pub(super) struct BandRows<'a> {
    pub component: &'a ComponentPlan,
    pub evidence: &'a Evidence,
    pub src: PlaneRef<'a>,
    pub lines: RowOrder,
    pub rows: Range<isize>,
    /// The row of the plane that is the target's first.
    pub top: usize,
}

/// What a thread works in.
#[derive(Default)]
pub(super) struct Scratch {
    /// The source, and what each pass but the last makes of it.
    stages: [StageRows; 4],
    found: Ring,
    /// Sums of columns of evidence, with three columns beside them.
    columns: Vec<i16>,
    lanes: Vec<u16>,
}

/// Rows of a stage.
#[derive(Default)]
struct StageRows {
    ring: Ring,
    /// How far rows are continued.
    reach: usize,
    /// How many rows it is ahead of the result.
    ahead: isize,
    /// The first row that is needed.
    start: isize,
    /// Sums of the columns of the rows next to the border, and of those before.
    near: Vec<i32>,
    far: Vec<i32>,
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
        let tail = 2 * border(work.lines.count) as isize;
        let (mut ahead, mut start) = (0, work.rows.start);
        for i in (0..4).rev() {
            ahead += work.spans(i);
            start -= work.spans(i);
            if i == 0 {
                let evidence = AROUND + rows_of(&work.evidence.offsets) as isize;
                (ahead, start) = (ahead.max(evidence), start.min(work.rows.start - evidence));
            }
            if work.rows.end + ahead > height {
                start = start.min(height - tail);
            }
            (self.stages[i].ahead, self.stages[i].start) = (ahead, start);
        }
        let flows = start >= 0;
        for i in 0..4 {
            let reach = work.component.reach(i);
            let count = match (flows, i) {
                (false, _) => work.lines.count + 2 * reach,
                // Evidence and the passes need the source later than the first pass does.
                (true, 0) => {
                    let oldest = (self.stages[1].ahead - work.spans(0)).min(-(EVIDENCE_REACH as isize));
                    (self.stages[0].ahead - oldest + 1) as usize
                }
                (true, _) => (2 * work.spans(i) + 1) as usize,
            };
            let stage = &mut self.stages[i];
            stage.reach = reach;
            stage.ring.fit(width, reach, count, if flows { 0 } else { reach });
            for sums in [&mut stage.near, &mut stage.far] {
                sums.clear();
                sums.resize(width, 0);
            }
        }
        self.found.fit(width, 0, KEPT, 0);
        let len = width.next_multiple_of(STEP);
        self.columns.clear();
        self.columns.resize(len + 2 * STEP, 0);
        self.lanes.resize(self.lanes.len().max(len), 0);
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
            let stage = &mut self.stages[0];
            let row = stage.ring.row_mut(y);
            let lanes = &mut self.lanes[..work.width()];
            widen(&work.src, 0, work.lines.at(y), lanes);
            row.iter_mut().zip(lanes).for_each(|(out, lane)| *out = (*lane ^ 0x8000) as i16);
        } else {
            let pass = &work.component.passes[i - 1];
            let (before, rest) = self.stages.split_at_mut(i);
            let (source, plane) = (&before[0].ring, &before[i - 1].ring);
            let pairs = pairs(plane, y, &pass.offsets);
            // SAFETY: by the caller.
            unsafe { V::pass_row(pass, source.row(y, 0), plane.row(y, 0), &pairs, rest[0].ring.row_mut(y)) };
        }
        self.stages[i].finish(y, height, work.width());
    }

    /// The evidence in row `y`.
    ///
    /// # Safety
    /// The processor must have the instructions of `V`.
    #[inline(always)]
    unsafe fn look<V: RowKernels>(&mut self, work: &BandRows<'_>, y: isize) {
        let source = &self.stages[0].ring;
        let pairs = pairs(source, y, &work.evidence.offsets);
        // SAFETY: by the caller.
        unsafe { V::evidence_row(work.evidence, source.row(y, 0), &pairs, self.found.row_mut(y)) };
    }

    /// Moves the sums of columns of evidence to row `y`, or makes them there.
    #[inline(always)]
    fn sum_columns(&mut self, work: &BandRows<'_>, y: isize) {
        let (width, last) = (work.width(), work.height() - 1);
        let columns = &mut self.columns[STEP..][..width.next_multiple_of(STEP)];
        if y == work.rows.start {
            columns.fill(0);
            for around in y - AROUND..=y + AROUND {
                let row = self.found.row(around.clamp(0, last), 0);
                columns.iter_mut().zip(row).for_each(|(sum, new)| *sum = sum.wrapping_add(*new));
            }
        } else {
            let new = self.found.row((y + AROUND).clamp(0, last), 0);
            let old = self.found.row((y - 1 - AROUND).clamp(0, last), 0);
            let rows = columns.iter_mut().zip(new).zip(old);
            rows.for_each(|((sum, new), old)| *sum = sum.wrapping_add(*new).wrapping_sub(*old));
        }
        let (first, last) = (columns[0], columns[width - 1]);
        let beside = AROUND as usize;
        self.columns[STEP - beside..STEP].fill(first);
        self.columns[STEP + width..][..beside].fill(last);
    }

    /// Makes row `y` of the result.
    ///
    /// # Safety
    /// The processor must have the instructions of `V`.
    #[inline(always)]
    unsafe fn close<V: RowKernels>(&mut self, work: &BandRows<'_>, y: isize, dst: &mut PlaneMut<'_>) {
        self.sum_columns(work, y);
        let (pass, width) = (&work.component.passes[3], work.width());
        let (source, plane) = (&self.stages[0].ring, &self.stages[3].ring);
        let ComponentPlan { low, high, .. } = *work.component;
        let blend = Blend { evidence: work.evidence, columns: &self.columns[STEP - AROUND as usize..], low, high };
        let pairs = pairs(plane, y, &pass.offsets);
        let lanes = &mut self.lanes[..width.next_multiple_of(STEP)];
        // SAFETY: by the caller.
        unsafe { V::last_row(pass, source.row(y, 0), plane.row(y, 0), &pairs, &blend, lanes) };
        narrow(dst, 0, work.lines.at(y) - work.top, &lanes[..width]);
    }
}

impl StageRows {
    /// Continues row `y` to its sides, and keeps in mind what continues the picture below it.
    #[inline(always)]
    fn finish(&mut self, y: isize, height: isize, width: usize) {
        extend_row(&mut self.ring, y, width, self.reach);
        let l = border(height as usize) as isize;
        if y < height - 2 * l {
            return;
        }
        let sums = if y < height - l { &mut self.far } else { &mut self.near };
        add(sums, &self.ring.row(y, 0)[..width]);
    }

    /// Makes row `y` below the picture.
    #[inline(always)]
    fn continue_below(&mut self, height: isize, y: isize, width: usize) {
        self.continue_beyond(height, (height - 1, y), (y - height + 1) as usize, width);
    }

    /// Makes all rows above the picture, whose rows are all there.
    #[inline(always)]
    fn continue_above(&mut self, height: isize, width: usize) {
        let l = border(height as usize) as isize;
        self.near.fill(0);
        self.far.fill(0);
        for y in 0..l {
            add(&mut self.near, &self.ring.row(y, 0)[..width]);
            add(&mut self.far, &self.ring.row(y + l, 0)[..width]);
        }
        for k in 1..=self.reach {
            self.continue_beyond(height, (0, -(k as isize)), k, width);
        }
    }

    /// Makes row `to`, which is the `k`th beyond row `from` at the border.
    #[inline(always)]
    fn continue_beyond(&mut self, height: isize, (from, to): (isize, isize), k: usize, width: usize) {
        if height == 1 {
            self.ring.copy_row(from, to);
        } else {
            let row = &mut self.ring.row_mut(to)[..width];
            let beyond = Beyond::new(height as usize);
            let sums = self.near.iter().zip(&self.far);
            row.iter_mut().zip(sums).for_each(|(out, (near, far))| *out = beyond.at(*near, *far, k as i32));
        }
        self.ring.copy_sides(from, to, width, self.reach);
    }
}

/// Adds a row to sums of columns.
#[inline(always)]
fn add(sums: &mut [i32], row: &[i16]) {
    sums.iter_mut().zip(row).for_each(|(sum, sample)| *sum += i32::from(*sample));
}

/// Filters `work` into `dst`.
///
/// # Safety
/// The processor must have the instructions of `V`.
#[inline(always)]
pub(super) unsafe fn run<V: RowKernels>(work: &BandRows<'_>, dst: &mut PlaneMut<'_>, scratch: &mut Scratch) {
    let Range { start, end } = work.rows;
    let (mut first, mut flowing) = (start - 2 * AROUND, 0);
    if scratch.fit(work) {
        flowing = 4;
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
        let ahead = now + AROUND;
        if ahead >= start - AROUND && (0..work.height()).contains(&ahead) {
            // SAFETY: by the caller.
            unsafe { scratch.look::<V>(work, ahead) };
        }
        if now >= start {
            // SAFETY: by the caller.
            unsafe { scratch.close::<V>(work, now, dst) };
        }
    }
}

/// Makes all stages whole.
///
/// # Safety
/// The processor must have the instructions of `V`.
#[inline(always)]
unsafe fn make_all<V: RowKernels>(work: &BandRows<'_>, scratch: &mut Scratch) {
    for i in 0..4 {
        for y in 0..work.height() + scratch.stages[i].reach as isize {
            // SAFETY: by the caller.
            unsafe { scratch.produce::<V>(work, i, y) };
        }
        scratch.stages[i].continue_above(work.height(), work.width());
    }
}
