//! A part of the columns, walked down: rows of the source enter a ring, and rows of the result are made of what is in it.

use super::across::SLACK;
use super::down::weigh;
use super::pairs::Pair;
use super::parts::{ByPeriod, Columns, ComponentWalk, Part, Piece, Scratch};
use super::period::Period;
use super::sums::{self, Made, STEP, Stored, Weighed};
use super::vector;
use crate::device::cpu::CpuLevel;
use crate::filters::resample::reference::{held, lane};
use crate::filters::resample::taps::Taps;
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
    let Some(down) = &work.component.down else {
        for (at, y) in rows.enumerate() {
            walk.read(&part.all, y, scratch);
            let Scratch { row, by_period, sums, .. } = scratch;
            walk.weigh_row(row, by_period, sums);
            walk.end(at, dst, scratch);
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
            walk.add_up(down, y, pair, lines, dst, scratch);
        } else {
            walk.make(down, y, scratch);
            walk.end(y - rows.start, dst, scratch);
        }
        y = made.end;
    }
}

impl Walk<'_> {
    /// Floats from one row of the ring to the next.
    #[inline(always)]
    fn pitch(&self) -> usize {
        let Columns { to, from } = &self.part.all;
        let floats = if self.rows_first() { to.len() } else { from.len() + SLACK };
        floats.next_multiple_of(STEP)
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

    /// Whether results of even and of odd columns lie in vectors in turn: so they are made, and samples that are made of them are easily
    /// put in order.
    #[inline(always)]
    fn in_turn(&self) -> bool {
        let period = self.work.across.as_ref().and_then(|across| across.period.as_ref());
        self.work.component.light.is_none() && period.is_some_and(Period::is_of_two)
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

    /// Weighs the samples of a whole row, into `out`.
    #[inline(always)]
    fn weigh_row(&self, row: &[f32], by_period: &mut ByPeriod, out: &mut [f32]) {
        let all = &self.part.all;
        if self.work.across.is_none() {
            return out[..all.to.len()].copy_from_slice(&row[..all.to.len()]);
        }
        for piece in &self.part.pieces {
            let Columns { to, from } = &piece.columns;
            let (row, out) = (&row[from.start - all.from.start..], &mut out[to.start - all.to.start..]);
            self.weigh_piece(piece, row, by_period, out);
        }
    }

    /// Weighs the samples of a piece, into `out`: from left to right, or those of even and of odd columns in turn.
    #[inline(always)]
    fn weigh_piece(&self, piece: &Piece, row: &[f32], by_period: &mut ByPeriod, out: &mut [f32]) {
        let in_turn = self.in_turn();
        let (Piece { columns: Columns { to, from }, repeats }, Some(across)) = (piece, &self.work.across) else {
            return;
        };
        match across.period.as_ref().filter(|period| *repeats && period.is_of_use(self.level)) {
            // SAFETY: the level is there, as this is compiled for it.
            Some(period) => unsafe {
                by_period.weigh(self.level, period, row, &piece.columns, in_turn, out);
            },
            None if in_turn => {
                let straight = by_period.straight(to.len());
                // SAFETY: as above.
                unsafe { across.run(self.level, row, from.start, to.clone(), straight) };
                put_in_turn(straight, vector::lanes(self.level), out);
            }
            // SAFETY: as above.
            None => unsafe { across.run(self.level, row, from.start, to.clone(), out) },
        }
        if let Some(beside) = across.beside() {
            for (sum, [left, right]) in out.iter_mut().zip(&beside[to.clone()]) {
                *sum = held(*sum, row[*left as usize - from.start], row[*right as usize - from.start], self.antiring);
            }
        }
    }

    /// Puts what row `y` of the source becomes into the ring.
    #[inline(always)]
    fn fill(&self, y: usize, scratch: &mut Scratch) {
        let pitch = self.pitch();
        for piece in &self.part.pieces {
            let columns = &piece.columns;
            self.foresee(columns, y + 1);
            #[cfg(target_arch = "x86_64")]
            if self.run_directly(piece, y, scratch) {
                continue;
            }
            self.read(columns, y, scratch);
            let Scratch { ring, row, by_period, .. } = scratch;
            let to = &mut ring[y % self.work.ring * pitch..][..pitch];
            match self.rows_first() {
                true => {
                    let out = &mut to[columns.to.start - self.part.all.to.start..];
                    self.weigh_piece(piece, row, by_period, out);
                }
                false => {
                    let at = columns.from.start - self.part.all.from.start;
                    to[at..][..columns.from.len()].copy_from_slice(&row[..columns.from.len()]);
                }
            }
        }
    }

    /// Puts a piece of row `y` into the ring, right from what is stored, where that can be.
    #[cfg(target_arch = "x86_64")]
    #[inline(always)]
    fn run_directly(&self, piece: &Piece, y: usize, scratch: &mut Scratch) -> bool {
        let Some(across) = self.work.across.as_ref().filter(|_| self.rows_first()) else { return false };
        if self.level < CpuLevel::Avx512 || self.work.component.light.is_some() {
            return false;
        }
        let Some(period) = across.period.as_ref().filter(|_| piece.repeats) else { return false };
        let (pitch, to) = (self.pitch(), &piece.columns.to);
        let out = &mut scratch.ring[y % self.work.ring * pitch + to.start - self.part.all.to.start..];
        // SAFETY: the level is there, as this is compiled for it.
        unsafe { period.run_directly(&self.src, y, to.clone(), out) }
    }

    /// Makes row `y`, and the next row where both are a pair, of sums of columns alone: `lines` of `dst`.
    #[inline(always)]
    fn add_up(
        &self,
        down: &Taps,
        y: usize,
        pair: Option<&Pair>,
        lines: Range<usize>,
        dst: &mut PlaneMut<'_>,
        scratch: &mut Scratch,
    ) {
        let (pitch, last, first) = (self.pitch(), self.src.height() - 1, down.first[y]);
        let Scratch { ring, places, lanes, .. } = scratch;
        let rows = down.count + pair.map_or(0, |pair| pair.later);
        places.clear();
        places.extend((0..rows).map(|k| (first + k * down.stride).min(last) % self.work.ring * pitch));
        let next = pair.map(|pair| (pair.later, &pair.weights[1][..]));
        let weighed = Weighed { ring, places, weights: down.weights_of(y), next, in_turn: self.in_turn() };
        self.store(&weighed, lines, dst, lanes);
    }

    /// Makes the sums of row `y`.
    #[inline(always)]
    fn make(&self, down: &Taps, y: usize, scratch: &mut Scratch) {
        let (pitch, last) = (self.pitch(), self.src.height() - 1);
        let Scratch { ring, row: mixed, by_period, sums, .. } = scratch;
        let row = |y: usize| &ring[y.min(last) % self.work.ring * pitch..][..pitch];
        let (weights, first) = (down.weights_of(y), down.first[y]);
        let tap = |k: usize| row(first + k * down.stride);
        let Columns { to, from } = &self.part.all;
        // Results in turn fill whole vectors.
        let columns = if self.work.down_first { from.len() } else { to.len().next_multiple_of(STEP) };
        weigh(tap, weights, &mut sums[..columns], &mut mixed[..columns]);
        if let Some(beside) = &down.beside {
            let [above, below] = beside[y].map(row);
            for (sum, (above, below)) in mixed.iter_mut().zip(above.iter().zip(below)).take(columns) {
                *sum = held(*sum, *above, *below, self.antiring);
            }
        }
        match self.work.down_first {
            true => self.weigh_row(mixed, by_period, sums),
            false => sums[..columns].copy_from_slice(&mixed[..columns]),
        }
    }

    /// Stores the sums in row `line` of `dst`.
    #[inline(always)]
    fn end(&self, line: usize, dst: &mut PlaneMut<'_>, scratch: &mut Scratch) {
        let Scratch { sums, lanes, .. } = scratch;
        let Range { start, end } = self.part.all.to;
        let Some(light) = &self.work.component.light else {
            // Each is the sum of itself alone.
            let weighed = Weighed { ring: sums, places: &[0], weights: &[1.0], next: None, in_turn: self.in_turn() };
            return self.store(&weighed, line..line + 1, dst, lanes);
        };
        let lanes = &mut lanes[..end - start];
        for (out, sum) in lanes.iter_mut().zip(&**sums) {
            *out = lane(light.lane(*sum));
        }
        narrow(dst, start, line, lanes);
    }

    /// Stores weighed rows in `lines` of `dst`.
    #[inline(always)]
    fn store(&self, weighed: &Weighed<'_>, lines: Range<usize>, dst: &mut PlaneMut<'_>, lanes: &mut [u16]) {
        let (x, width) = (self.part.all.to.start, self.part.all.to.len());
        let floats = width.next_multiple_of(STEP);
        assert!(
            weighed.places.iter().all(|place| place + floats <= weighed.ring.len()),
            "a row of the ring is missing"
        );
        assert!(lines.end <= dst.height() && x + width <= dst.width(), "rows are outside the plane");
        let SampleLayout { sample, step, shift, bit_depth } = dst.layout();
        let drop = 16 - bit_depth;
        let stored = match (sample, step) {
            (SampleType::U8, 1) if drop == 8 => Some(Stored::Bytes),
            (SampleType::U16, 1) => Some(Stored::Words { drop, up: drop - shift }),
            _ => None,
        };
        if let Some(stored) = stored {
            let pitch = dst.pitch();
            let row = dst.as_mut_ptr().wrapping_add(lines.start * pitch + x * sample.bytes());
            // SAFETY: the level is there, as this is compiled for it; rows of the ring are whole steps, and those of the result are
            // inside the plane.
            unsafe { sums::make(self.level, weighed, &Made { row, pitch, width, stored }) };
            return;
        }
        assert!(lines.len() * width <= lanes.len(), "there is room for lanes");
        let (row, pitch, stored) =
            (lanes.as_mut_ptr().cast(), width * size_of::<u16>(), Stored::Words { drop: 0, up: 0 });
        // SAFETY: as above; there is room for the lanes.
        unsafe { sums::make(self.level, weighed, &Made { row, pitch, width, stored }) };
        for (lanes, y) in lanes.chunks(width).zip(lines) {
            narrow(dst, x, y, lanes);
        }
    }
}

/// Even and odd ones of `straight` in turn, `lanes` of each.
#[inline(always)]
fn put_in_turn(straight: &[f32], lanes: usize, out: &mut [f32]) {
    for (straight, out) in straight.chunks(2 * lanes).zip(out.chunks_mut(2 * lanes)) {
        let (even, odd) = out.split_at_mut(lanes);
        for (i, two) in straight.chunks(2).enumerate() {
            even[i] = two[0];
            odd[i] = two.get(1).copied().unwrap_or(0.0);
        }
    }
}
