//! A part of the columns, walked down: rows of the source enter a ring, and rows of the result are made of what is in it.

use super::across::{GROUP, SLACK};
use super::down::{weigh, weigh_two};
use super::pairs::Pair;
use super::parts::{ByPeriod, ComponentWalk, Part, Scratch};
use crate::device::cpu::CpuLevel;
use crate::filters::resample::reference::{held, lane};
use crate::filters::resample::taps::Taps;
use crate::simd::dispatch::by_level;
use crate::simd::rows::{narrow, widen};
use crate::video::{PlaneMut, PlaneRef, SampleType};
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
    let width = part.to.len();
    let Some(down) = &work.component.down else {
        for (at, y) in rows.enumerate() {
            walk.read(y, scratch);
            let Scratch { row, by_period, sums, .. } = scratch;
            walk.weigh_row(row, by_period, sums);
            walk.end(width, scratch);
            narrow(dst, part.to.start, at, &scratch.lanes[..width]);
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
        match pair {
            Some(pair) => walk.make_two(down.first[y], pair, scratch),
            None => walk.make(down, y, scratch),
        }
        for (lanes, y) in scratch.lanes.chunks(width).zip(made.clone()) {
            narrow(dst, part.to.start, y - rows.start, lanes);
        }
        y = made.end;
    }
}

impl Walk<'_> {
    /// Floats from one row of the ring to the next.
    #[inline(always)]
    fn pitch(&self) -> usize {
        match self.rows_first() {
            true => self.part.to.len().next_multiple_of(GROUP),
            false => self.part.from.len() + SLACK,
        }
    }

    /// Whether what is in the ring has been weighed along rows.
    #[inline(always)]
    fn rows_first(&self) -> bool {
        self.work.across.is_some() && !self.work.down_first
    }

    /// Reads row `y` of the source.
    #[inline(always)]
    fn read(&self, y: usize, scratch: &mut Scratch) {
        let Range { start, end } = self.part.from;
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

    /// Weighs the samples of a row part, into `out`.
    #[inline(always)]
    fn weigh_row(&self, row: &[f32], by_period: &mut ByPeriod, out: &mut [f32]) {
        let (start, to) = (self.part.from.start, self.part.to.clone());
        let Some(across) = &self.work.across else { return out[..to.len()].copy_from_slice(&row[..to.len()]) };
        match &across.period {
            Some(period) => {
                let inner = period.within(&to);
                across.singly(row, start, to.start..inner.start, out);
                let (row, made) = (&row[..self.part.from.len()], &mut out[inner.start - to.start..]);
                // SAFETY: the level is there, as this is compiled for it.
                unsafe { by_period.weigh(self.level, period, row, start, inner.clone(), made) };
                across.singly(row, start, inner.end..to.end, &mut out[inner.end - to.start..]);
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
        self.read(y, scratch);
        let Scratch { ring, row, by_period, .. } = scratch;
        let pitch = self.pitch();
        let to = &mut ring[y % self.work.ring * pitch..][..pitch];
        match self.rows_first() {
            true => self.weigh_row(row, by_period, to),
            false => to[..self.part.from.len()].copy_from_slice(&row[..self.part.from.len()]),
        }
    }

    /// Makes the lanes of a row that is made of rows from `first` on, and behind them those of the next row.
    #[inline(always)]
    fn make_two(&self, first: usize, pair: &Pair, scratch: &mut Scratch) {
        let (pitch, last, width) = (self.pitch(), self.src.height() - 1, self.part.to.len());
        let Scratch { ring, sums, lanes, .. } = scratch;
        let tap = |k: usize| &ring[(first + k).min(last) % self.work.ring * pitch..][..width];
        let (one, next) = lanes[..2 * width].split_at_mut(width);
        let (sum, other) = sums[..2 * width].split_at_mut(width);
        weigh_two(tap, pair.weights(), (sum, other), (one, next), to_lane);
    }

    /// Makes the lanes of row `y`.
    #[inline(always)]
    fn make(&self, down: &Taps, y: usize, scratch: &mut Scratch) {
        let (pitch, last) = (self.pitch(), self.src.height() - 1);
        let Scratch { ring, row: mixed, by_period, sums, lanes, .. } = scratch;
        let row = |y: usize| &ring[y.min(last) % self.work.ring * pitch..][..pitch];
        let (weights, first) = (down.weights_of(y), down.first[y]);
        let tap = |k: usize| row(first + k * down.stride);
        let width = self.part.to.len();
        let plain = self.work.component.light.is_none() && down.beside.is_none();
        if plain && !self.work.down_first {
            return weigh(tap, weights, &mut sums[..width], &mut lanes[..width], to_lane);
        }
        let columns = if self.work.down_first { self.part.from.len() } else { width };
        weigh(tap, weights, &mut sums[..columns], &mut mixed[..columns], |sum| sum);
        if let Some(beside) = &down.beside {
            let [above, below] = beside[y].map(row);
            for (sum, (above, below)) in mixed.iter_mut().zip(above.iter().zip(below)).take(columns) {
                *sum = held(*sum, *above, *below, self.antiring);
            }
        }
        match self.work.down_first {
            true => self.weigh_row(mixed, by_period, sums),
            false => sums[..width].copy_from_slice(&mixed[..width]),
        }
        self.end(width, scratch);
    }

    /// Makes lanes of the sums.
    #[inline(always)]
    fn end(&self, width: usize, scratch: &mut Scratch) {
        let sums = scratch.lanes.iter_mut().zip(&scratch.sums).take(width);
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
