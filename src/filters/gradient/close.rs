//! A band of rows through the last pass, once planes are smoothed whole and levels are known: these are added, evidence of
//! texture is looked for, and the result is blended with the source.

use super::level::LevelRow;
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
    source: WholeRows,
    plane: WholeRows,
    found: Ring,
    level: LevelRow,
    /// Sums of columns of evidence, with three columns beside them.
    columns: Vec<i16>,
    lanes: Vec<u16>,
}

/// Rows of a plane that is there whole, and what continues it.
#[derive(Default)]
struct WholeRows {
    ring: Ring,
    pass: usize,
    reach: usize,
    /// Sums of the columns of the rows next to a border, and of those before.
    near: Vec<i32>,
    far: Vec<i32>,
}

/// Where rows come from. (A closure would be compiled without the vectors of what calls it.)
trait RowSource {
    /// Takes row `y` to `row`.
    fn read(&mut self, y: usize, row: &mut [i16]);
}

/// Rows of the source, as they pass through `lanes`.
struct SourceRows<'a> {
    src: &'a PlaneRef<'a>,
    lanes: &'a mut [u16],
}

impl RowSource for SourceRows<'_> {
    #[inline(always)]
    fn read(&mut self, y: usize, row: &mut [i16]) {
        widen(self.src, 0, y, self.lanes);
        row.iter_mut().zip(&*self.lanes).for_each(|(out, lane)| *out = (*lane ^ 0x8000) as i16);
    }
}

/// Rows of what was smoothed.
struct SmoothedRows<'a> {
    rows: &'a [i16],
    pitch: usize,
}

impl RowSource for SmoothedRows<'_> {
    #[inline(always)]
    fn read(&mut self, y: usize, row: &mut [i16]) {
        row.copy_from_slice(&self.rows[y * self.pitch..][..row.len()]);
    }
}

impl WholeRows {
    /// Fits them to rows of `width` samples that pass `pass` reads, continued by `reach`, of which `count` are kept.
    fn fit(&mut self, pass: usize, width: usize, reach: usize, count: usize) {
        (self.pass, self.reach) = (pass, reach);
        self.ring.fit(width, reach, count, reach);
    }

    /// Takes row `y` of a plane of `height` rows of `width` samples, which come `from` there; or makes what continues it. The
    /// first row beyond a border is taken first where it `opens` a band, else next to the border.
    #[inline(always)]
    fn take(&mut self, y: isize, (width, height): (usize, usize), opens: bool, mut from: impl RowSource) {
        let inside = y.clamp(0, height as isize - 1);
        from.read(inside as usize, &mut self.ring.row_mut(y)[..width]);
        extend_row(&mut self.ring, y, width, self.reach, self.pass);
        let l = border(height, self.pass);
        if y == inside || l == 0 {
            return;
        }
        let k = y.abs_diff(inside);
        let from_border = |i: usize| if y < 0 { i } else { height - 1 - i };
        if opens || (y > 0 && k == 1) {
            let row = &mut self.ring.row_mut(y)[..width];
            for (sums, rows) in [(&mut self.near, 0..l), (&mut self.far, l..2 * l)] {
                sums.clear();
                sums.resize(width, 0);
                for i in rows {
                    from.read(from_border(i), row);
                    sums.iter_mut().zip(&*row).for_each(|(sum, sample)| *sum += i32::from(*sample));
                }
            }
        }
        let beyond = Beyond::new(l);
        let sums = self.near.iter().zip(&self.far);
        let row = &mut self.ring.row_mut(y)[..width];
        row.iter_mut().zip(sums).for_each(|(out, (near, far))| *out = beyond.at(*near, *far, k as i32));
    }
}

impl CloseRows<'_> {
    fn size(&self) -> (usize, usize) {
        (self.src.width(), self.src.height())
    }

    /// Rows that the last pass spans up and down.
    fn spans(&self) -> usize {
        self.component.passes[LAST].rows()
    }
}

impl Scratch {
    fn fit(&mut self, work: &CloseRows<'_>) {
        let (width, _) = work.size();
        let seen = rows_of(&work.evidence.offsets);
        self.source.fit(0, width, EVIDENCE_REACH, 2 * seen + 1);
        self.plane.fit(LAST, width, work.component.passes[LAST].step, 2 * work.spans() + 1);
        self.found.fit(width, 0, KEPT, 0);
        let len = width.next_multiple_of(STEP);
        self.columns.clear();
        self.columns.resize(len + 2 * STEP, 0);
        self.lanes.resize(self.lanes.len().max(len), 0);
    }

    /// Takes row `y` of the source.
    #[inline(always)]
    fn take_source(&mut self, work: &CloseRows<'_>, y: isize, opens: bool) {
        let lanes = &mut self.lanes[..work.src.width()];
        self.source.take(y, work.size(), opens, SourceRows { src: &work.src, lanes });
    }

    /// Takes row `y` of what was smoothed.
    #[inline(always)]
    fn take_plane(&mut self, work: &CloseRows<'_>, y: isize, opens: bool) {
        let rows = SmoothedRows { rows: work.smoothed, pitch: work.pitch };
        self.plane.take(y, work.size(), opens, rows);
    }

    /// The evidence in row `y`.
    ///
    /// # Safety
    /// The processor must have the instructions of `V`.
    #[inline(always)]
    unsafe fn look<V: RowKernels>(&mut self, work: &CloseRows<'_>, y: isize) {
        let source = &self.source.ring;
        let pairs = pairs(source, y, &work.evidence.offsets);
        // SAFETY: by the caller.
        unsafe { V::evidence_row(work.evidence, source.row(y, 0), &pairs, self.found.row_mut(y)) };
    }

    /// Moves the sums of columns of evidence to row `y`, or makes them there.
    #[inline(always)]
    fn sum_columns(&mut self, work: &CloseRows<'_>, y: isize) {
        let (width, last) = (work.src.width(), work.src.height() as isize - 1);
        let columns = &mut self.columns[STEP..][..width.next_multiple_of(STEP)];
        if y == work.rows.start as isize {
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
    unsafe fn close<V: RowKernels>(&mut self, work: &CloseRows<'_>, y: isize, dst: &mut PlaneMut<'_>) {
        self.sum_columns(work, y);
        let (pass, width) = (&work.component.passes[LAST], work.src.width());
        let (source, plane) = (&self.source.ring, &self.plane.ring);
        let lanes = &mut self.lanes[..width.next_multiple_of(STEP)];
        // SAFETY: by the caller.
        unsafe { self.level.find::<V>(work.levels, work.across, y as usize, lanes.len()) };
        let ComponentPlan { low, high, .. } = *work.component;
        let columns = &self.columns[STEP - AROUND as usize..];
        let blend = Blend { evidence: work.evidence, columns, level: self.level.lanes(), low, high };
        let pairs = pairs(plane, y, &pass.offsets);
        // SAFETY: by the caller.
        unsafe { V::last_row(pass, source.row(y, 0), plane.row(y, 0), &pairs, &blend, lanes) };
        narrow(dst, 0, y as usize - work.rows.start, &lanes[..width]);
    }
}

/// Closes `work` into `dst`, which has its rows only.
///
/// # Safety
/// The processor must have the instructions of `V`.
#[inline(always)]
pub(super) unsafe fn run<V: RowKernels>(work: &CloseRows<'_>, dst: &mut PlaneMut<'_>, scratch: &mut Scratch) {
    scratch.fit(work);
    let (start, end, height) = (work.rows.start as isize, work.rows.end as isize, work.src.height() as isize);
    let (seen, spans) = (rows_of(&work.evidence.offsets) as isize, work.spans() as isize);
    let first_seen = (start - AROUND).max(0) - seen;
    for now in (start - 2 * AROUND - 2 * seen).min(start - 2 * spans)..end {
        let y = now + AROUND + seen;
        if y >= first_seen && y < height + seen {
            scratch.take_source(work, y, y == first_seen);
        }
        let y = now + spans;
        if y >= start - spans {
            scratch.take_plane(work, y, y == start - spans);
        }
        let y = now + AROUND;
        if y >= first_seen + seen && y < height {
            // SAFETY: by the caller.
            unsafe { scratch.look::<V>(work, y) };
        }
        if now >= start {
            // SAFETY: by the caller.
            unsafe { scratch.close::<V>(work, now, dst) };
        }
    }
}
