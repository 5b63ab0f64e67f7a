//! A part of the columns, walked down: rows of the source enter a ring, and rows of the result are made of what is in it.

use super::across::{GROUP, SLACK};
use super::down::{weigh, weigh_two};
use super::pairs::Pair;
use super::parts::{ByPeriod, Columns, ComponentWalk, Part, Scratch};
use crate::device::cpu::CpuLevel;
use crate::filters::resample::reference::{held, lane};
use crate::filters::resample::taps::Taps;
use crate::filters::resample::tuning::cpu::PIECE;
use crate::simd::dispatch::by_level;
use crate::simd::rows::{narrow, prefetch, widen};
use crate::video::{PlaneMut, PlaneRef, SampleLayout, SampleType};
use std::ops::Range;

/// A part of the columns of a component.
pub struct Walk<'a> {
    pub work: &'a ComponentWalk,
    pub part: &'a Part,
    pub src: PlaneRef<'a>,
    pub antiring: f32,
    pub level: CpuLevel,
}

impl Walk<'_> {
    /// Makes `rows`, which `dst` has.
    ///
    /// # Safety
    /// The processor has the walk's level.
    pub unsafe fn run(&self, rows: Range<usize>, dst: &mut PlaneMut<'_>, scratch: &mut Scratch) {
        // SAFETY: by the caller.
        unsafe { run_part(self.level, self, rows, dst, scratch) }
    }
}

by_level!(run_part = make_part(walk: &Walk<'_>, rows: Range<usize>, dst: &mut PlaneMut<'_>, scratch: &mut Scratch));

/// Makes `rows` of a part, which `dst` has.
#[inline(always)]
fn make_part(walk: &Walk<'_>, rows: Range<usize>, dst: &mut PlaneMut<'_>, scratch: &mut Scratch) {
    let Walk { work, part, .. } = *walk;
    let Columns { to, .. } = &part.all;
    let Some(down) = &work.component.down else {
        for (at, y) in rows.enumerate() {
            walk.read(&part.all, y, scratch);
            let Scratch { row, by_period, sums, .. } = scratch;
            walk.weigh_row(&part.all, row, by_period, sums);
            walk.end(to.len(), scratch);
            narrow(dst, to.start, at, &scratch.lanes[..to.len()]);
        }
        return;
    };
    let height = walk.src.height();
    // Where fields lie between each other, the next row may begin earlier than this one.
    let mut next = rows.clone().take(2).map(|y| down.lowest(y)).min().unwrap_or(0);
    let mut y = rows.start;
    while y < rows.end {
        let pair = work.pairs.get(y).and_then(Option::as_ref).filter(|_| y + 1 < rows.end);
        let made = y..y + 1 + usize::from(pair.is_some());
        let last = made.clone().map(|y| down.last(y, height)).max().unwrap_or(0);
        while next <= last {
            walk.fill(next, scratch);
            next += 1;
        }
        let lines = y - rows.start..made.end - rows.start;
        if walk.is_plain(down) {
            // Piece by piece, so that stores wait for memory while sums are made.
            for columns in (0..to.len()).step_by(PIECE).map(|start| start..(start + PIECE).min(to.len())) {
                let next = lines.end..lines.end + lines.len();
                foresee_result(dst, to.start + columns.start, next, columns.len());
                walk.add_up(down, y, pair, columns.clone(), scratch);
                store(dst, to.start + columns.start, lines.clone(), columns.len(), &scratch.lanes);
            }
        } else {
            walk.make(down, y, scratch);
            store(dst, to.start, lines, to.len(), &scratch.lanes);
        }
        y = made.end;
    }
}

/// Asks the cache for `rows` of the result, which are stored next: stores that wait for memory hold up what comes behind them.
#[inline(always)]
fn foresee_result(dst: &mut PlaneMut<'_>, x: usize, rows: Range<usize>, width: usize) {
    let SampleLayout { sample, step, .. } = dst.layout();
    let (pixel, pitch) = (usize::from(step) * sample.bytes(), dst.pitch());
    for y in rows {
        prefetch(dst.as_mut_ptr().wrapping_add(y * pitch + x * pixel), width * pixel);
    }
}

/// Stores lanes in `rows`, from column `x` on: those of one row behind those of the other.
#[inline(always)]
fn store(dst: &mut PlaneMut<'_>, x: usize, rows: Range<usize>, width: usize, lanes: &[u16]) {
    for (lanes, y) in lanes.chunks(width).zip(rows) {
        narrow(dst, x, y, lanes);
    }
}

impl Walk<'_> {
    /// Floats from one row of the ring to the next.
    #[inline(always)]
    fn pitch(&self) -> usize {
        let Columns { to, from } = &self.part.all;
        let floats = if self.rows_first() { to.len() } else { from.len() + SLACK };
        floats.next_multiple_of(GROUP)
    }

    /// Whether what is in the ring has been weighed along rows.
    #[inline(always)]
    fn rows_first(&self) -> bool {
        self.work.across.is_some() && !self.work.down_first
    }

    /// Whether sums of columns are the result.
    #[inline(always)]
    fn is_plain(&self, down: &Taps) -> bool {
        self.work.component.light.is_none() && down.beside.is_none() && !self.work.down_first
    }

    /// Asks the cache for a row of the source, which is read next: processors do not foresee what begins in another page.
    #[inline(always)]
    fn foresee(&self, columns: &Columns, y: usize) {
        let SampleLayout { sample, step, .. } = self.src.layout();
        let pixel = usize::from(step) * sample.bytes();
        let start = self.src.as_ptr().wrapping_add(y * self.src.pitch() + columns.from.start * pixel);
        prefetch(start, columns.from.len() * pixel);
    }

    /// Reads columns of row `y` of the source.
    #[inline(always)]
    fn read(&self, columns: &Columns, y: usize, scratch: &mut Scratch) {
        let Range { start, end } = columns.from;
        let layout = self.src.layout();
        if (layout.sample, layout.step) == (SampleType::U8, 1) && self.work.component.light.is_none() {
            for (value, sample) in scratch.row.iter_mut().zip(&self.src.row_u8(y)[start..end]) {
                *value = f32::from(u16::from(*sample) << layout.shift);
            }
            return;
        }
        let lanes = &mut scratch.source[..end - start];
        widen(&self.src, start, y, lanes);
        let values = scratch.row.iter_mut().zip(&*lanes);
        if let Some(light) = &self.work.component.light {
            for (value, lane) in values {
                *value = light.from_lane[usize::from(*lane)];
            }
            return;
        }
        for (value, lane) in values {
            *value = f32::from(*lane);
        }
    }

    /// Weighs the samples of a row, into `out`.
    #[inline(always)]
    fn weigh_row(&self, columns: &Columns, row: &[f32], by_period: &mut ByPeriod, out: &mut [f32]) {
        let (start, to) = (columns.from.start, columns.to.clone());
        let Some(across) = &self.work.across else { return out[..to.len()].copy_from_slice(&row[..to.len()]) };
        match &across.period {
            Some(period) => {
                let inner = period.within(&to);
                let samples = &row[..columns.from.len()];
                // SAFETY: the level is there, as this is compiled for it.
                unsafe {
                    across.run(self.level, row, start, to.start..inner.start, out);
                    let made = &mut out[inner.start - to.start..];
                    by_period.weigh(self.level, period, samples, start, inner.clone(), made);
                    across.run(self.level, row, start, inner.end..to.end, &mut out[inner.end - to.start..]);
                }
            }
            // SAFETY: as above.
            None => unsafe { across.run(self.level, row, start, to.clone(), out) },
        }
        if let Some(beside) = across.beside() {
            for (sum, [left, right]) in out.iter_mut().zip(&beside[to]) {
                *sum = held(*sum, row[*left as usize - start], row[*right as usize - start], self.antiring);
            }
        }
    }

    /// Puts what row `y` of the source becomes into the ring.
    #[inline(always)]
    fn fill(&self, y: usize, scratch: &mut Scratch) {
        let pitch = self.pitch();
        for columns in &self.part.pieces {
            self.foresee(columns, y + 1);
            self.read(columns, y, scratch);
            let Scratch { ring, row, by_period, .. } = scratch;
            let to = &mut ring[y % self.work.ring * pitch..][..pitch];
            match self.rows_first() {
                true => self.weigh_row(columns, row, by_period, &mut to[columns.to.start - self.part.all.to.start..]),
                false => {
                    let at = columns.from.start - self.part.all.from.start;
                    to[at..][..columns.from.len()].copy_from_slice(&row[..columns.from.len()]);
                }
            }
        }
    }

    /// Makes lanes of row `y`, and behind them those of the next row where both are a pair, of sums of columns alone.
    #[inline(always)]
    fn add_up(&self, down: &Taps, y: usize, pair: Option<&Pair>, columns: Range<usize>, scratch: &mut Scratch) {
        let (pitch, last, width, first) = (self.pitch(), self.src.height() - 1, columns.len(), down.first[y]);
        let Scratch { ring, sums, lanes, .. } = scratch;
        let tap = |k: usize| &ring[(first + k * down.stride).min(last) % self.work.ring * pitch..][columns.clone()];
        let (lanes, next) = lanes[..2 * width].split_at_mut(width);
        let (sums, others) = sums[..2 * width].split_at_mut(width);
        match pair {
            Some(pair) => weigh_two(tap, pair.weights(), (sums, others), (lanes, next), to_lane),
            None => weigh(tap, down.weights_of(y), sums, lanes, to_lane),
        }
    }

    /// Makes the lanes of row `y`.
    #[inline(always)]
    fn make(&self, down: &Taps, y: usize, scratch: &mut Scratch) {
        let (pitch, last) = (self.pitch(), self.src.height() - 1);
        let Scratch { ring, row: mixed, by_period, sums, .. } = scratch;
        let row = |y: usize| &ring[y.min(last) % self.work.ring * pitch..][..pitch];
        let (weights, first) = (down.weights_of(y), down.first[y]);
        let tap = |k: usize| row(first + k * down.stride);
        let Columns { to, from } = &self.part.all;
        let columns = if self.work.down_first { from.len() } else { to.len() };
        weigh(tap, weights, &mut sums[..columns], &mut mixed[..columns], |sum| sum);
        if let Some(beside) = &down.beside {
            let [above, below] = beside[y].map(row);
            for (sum, (above, below)) in mixed.iter_mut().zip(above.iter().zip(below)).take(columns) {
                *sum = held(*sum, *above, *below, self.antiring);
            }
        }
        match self.work.down_first {
            true => self.weigh_row(&self.part.all, mixed, by_period, sums),
            false => sums[..to.len()].copy_from_slice(&mixed[..to.len()]),
        }
        self.end(to.len(), scratch);
    }

    /// Makes lanes of the sums.
    #[inline(always)]
    fn end(&self, width: usize, scratch: &mut Scratch) {
        let sums = scratch.lanes.iter_mut().zip(&*scratch.sums).take(width);
        if let Some(light) = &self.work.component.light {
            for (out, sum) in sums {
                *out = lane(light.lane(*sum));
            }
            return;
        }
        for (out, sum) in sums {
            *out = to_lane(*sum);
        }
    }
}

/// [`lane`], in vectors: the value is known to fit.
#[inline(always)]
// `clamp` would let through what is no number.
#[allow(clippy::manual_clamp)]
fn to_lane(sum: f32) -> u16 {
    let inside = (sum + 0.5).max(0.0).min(65_535.0);
    // SAFETY: the value is between 0 and 65535.
    unsafe { inside.to_int_unchecked::<i32>() as u16 }
}
