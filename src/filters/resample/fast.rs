//! The fast kernel: a part of the columns is walked down, and a ring holds the rows that the sums of columns need.

use super::across::{Across, GROUP, SLACK};
use super::down::weigh;
use super::light::Light;
use super::plan::{Component, Plan, Source};
use super::reference::{held, lane};
use super::taps::Taps;
use crate::device::cpu::CpuLevel;
use crate::error::Result;
use crate::filters::stock::Stock;
use crate::filters::{CpuJob, CpuKernel, Setup};
use crate::simd::dispatch::by_level;
use crate::simd::rows::{copy, narrow, widen};
use crate::video::{PlaneMut, PlaneRef};
use std::ops::Range;

/// Bytes of a ring: what stays in the first cache.
const RING: usize = 24 << 10;

/// The fewest rows that a thread takes at a time. What rows around them help to make is made anew for each such band.
const BAND: usize = 64;

/// The kernel.
pub struct Fast {
    works: Vec<Work>,
    antiring: f32,
    level: CpuLevel,
    scratch: Stock<Scratch>,
}

/// One component, as it is walked.
struct Work {
    component: Component,
    /// It has two directions, and sums of columns come first.
    down_first: bool,
    across: Option<Across>,
    parts: Vec<Part>,
    /// Rows of the ring: as many as one row of the result may need, and those before it.
    ring: usize,
}

/// Columns that are walked together.
struct Part {
    /// Of the result.
    to: Range<usize>,
    /// Of the source.
    from: Range<usize>,
}

impl Work {
    fn new(
        component: &Component,
        down_first: bool,
        (width, height): (usize, usize),
        (to_width, _): (usize, usize),
    ) -> Work {
        let ring = component.down.as_ref().map_or(1, |down| depth(down, height));
        // A ring has rows of results where rows are weighed first, and else rows of the source.
        let floats = RING / size_of::<f32>() / ring;
        let down_first = down_first && component.across.is_some() && component.down.is_some();
        let shrink = if down_first { width.div_ceil(to_width) } else { 1 };
        let columns = (floats / shrink / GROUP * GROUP).clamp(2 * GROUP, 64 * GROUP);
        let part = |start: usize| {
            let to = start..(start + columns).min(to_width);
            let from = component.across.as_ref().map_or(to.clone(), |taps| samples(taps, to.clone(), width));
            Part { to, from }
        };
        Work {
            component: component.clone(),
            down_first,
            across: component.across.as_ref().map(Across::new),
            parts: (0..to_width).step_by(columns).map(part).collect(),
            ring,
        }
    }
}

/// The samples of `from` that `results` are made from.
fn samples(taps: &Taps, results: Range<usize>, from: usize) -> Range<usize> {
    let start = results.clone().map(|at| taps.lowest(at)).min().unwrap_or(0);
    start..results.map(|at| taps.last(at, from) + 1).max().unwrap_or(start)
}

/// Rows from the first that a row of the result needs to the last that it or one before it needed.
fn depth(down: &Taps, from: usize) -> usize {
    let mut reached = 0;
    let spans = (0..down.first.len()).map(|at| {
        reached = reached.max(down.last(at, from));
        reached + 1 - down.lowest(at)
    });
    spans.max().unwrap_or(1)
}

/// What a thread works in.
#[derive(Default)]
struct Scratch {
    /// Rows of a part; row y lies at `y % Work::ring`.
    ring: Vec<f32>,
    /// A row of the source, and room behind it.
    row: Vec<f32>,
    /// Sums of a row.
    sums: Vec<f32>,
    lanes: Vec<u16>,
    /// The lanes of a row of the source.
    source: Vec<u16>,
}

impl Scratch {
    /// Makes room for the parts of `works`.
    fn fit(works: &[Work]) -> Scratch {
        let mut scratch = Scratch::default();
        for work in works {
            let longest = |range: fn(&Part) -> &Range<usize>| work.parts.iter().map(|p| range(p).len()).max();
            let from = longest(|part| &part.from).unwrap_or(0) + SLACK;
            let most = from.max(longest(|part| &part.to).unwrap_or(0).next_multiple_of(GROUP));
            let grow = |row: &mut Vec<f32>, len: usize| row.resize(row.len().max(len), 0.0);
            grow(&mut scratch.ring, work.ring * most);
            grow(&mut scratch.row, most);
            grow(&mut scratch.sums, most);
            scratch.lanes.resize(scratch.lanes.len().max(most), 0);
            scratch.source.resize(scratch.source.len().max(most), 0);
        }
        scratch
    }
}

impl Fast {
    /// The kernel of `plan` at `level`.
    ///
    /// # Errors
    /// When the processor lacks the level.
    pub fn new(plan: Plan, setup: &Setup, level: CpuLevel) -> Result<Fast> {
        level.require()?;
        let (input, output) = (&setup.input, &setup.output);
        let work = |(index, component): (usize, &Component)| {
            let from = match component.source {
                Source::Component(from) => from,
                Source::Lane(_) => 0,
            };
            let from = input.format.component_size(from, input.width, input.height);
            Work::new(
                component,
                plan.down_first,
                from,
                output.format.component_size(index, output.width, output.height),
            )
        };
        let works: Vec<Work> = plan.components.iter().enumerate().map(work).collect();
        Ok(Fast { scratch: Stock::new(Scratch::fit(&works)), works, antiring: plan.antiring, level })
    }
}

impl CpuKernel for Fast {
    fn run(&mut self, job: CpuJob<'_>) {
        let CpuJob { src, mut dst, exec, .. } = job;
        let this = &*self;
        let tallest = (0..dst.len()).map(|index| dst.get(index).height()).max().unwrap_or(0);
        let rows = if exec.threads() == 1 { tallest } else { tallest.div_ceil(4 * exec.threads()) };
        exec.bands(&mut dst, rows.max(BAND), |index, rows, mut band| {
            let work = &this.works[index];
            let from = match work.component.source {
                Source::Component(from) => src.here()[from],
                Source::Lane(lane) => {
                    let row = vec![lane; band.width()];
                    return (0..band.height()).for_each(|y| narrow(&mut band, 0, y, &row));
                }
            };
            if work.component.copies() {
                return copy(&from, rows, &mut band);
            }
            this.scratch.with(
                || Scratch::fit(&this.works),
                |scratch| {
                    for part in &work.parts {
                        let walk = Walk { work, part, src: from, antiring: this.antiring, level: this.level };
                        // SAFETY: `new` checked that the processor has the level.
                        unsafe { run_part(this.level, &walk, rows.clone(), &mut band, scratch) };
                    }
                },
            );
        });
    }

    fn path(&self) -> &'static str {
        self.level.name()
    }
}

/// A part of the columns of a component.
struct Walk<'a> {
    work: &'a Work,
    part: &'a Part,
    src: PlaneRef<'a>,
    antiring: f32,
    level: CpuLevel,
}

by_level!(run_part = make_part(walk: &Walk<'_>, rows: Range<usize>, dst: &mut PlaneMut<'_>, scratch: &mut Scratch));

/// Makes `rows` of a part, which `dst` has.
#[inline(always)]
fn make_part(walk: &Walk<'_>, rows: Range<usize>, dst: &mut PlaneMut<'_>, scratch: &mut Scratch) {
    let Walk { work, part, .. } = *walk;
    let width = part.to.len();
    let Some(down) = &work.component.down else {
        for (row, y) in rows.enumerate() {
            walk.read(y, scratch);
            walk.across(scratch);
            walk.end(width, scratch);
            narrow(dst, part.to.start, row, &scratch.lanes[..width]);
        }
        return;
    };
    let height = walk.src.height();
    // Where fields lie between each other, the next row may begin earlier than this one.
    let mut next = rows.clone().take(2).map(|y| down.lowest(y)).min().unwrap_or(0);
    for (row, y) in rows.enumerate() {
        while next <= down.last(y, height) {
            walk.fill(next, scratch);
            next += 1;
        }
        walk.make(down, y, scratch);
        narrow(dst, part.to.start, row, &scratch.lanes[..width]);
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
        let lanes = &mut scratch.source[..end - start];
        widen(&self.src, start, y, lanes);
        let values = scratch.row.iter_mut().zip(lanes);
        match &self.work.component.light {
            Some(light) => values.for_each(|(value, lane)| *value = light.from_lane[usize::from(*lane)]),
            None => values.for_each(|(value, lane)| *value = f32::from(*lane)),
        }
    }

    /// Weighs the row that was read, into the sums.
    #[inline(always)]
    fn across(&self, scratch: &mut Scratch) {
        let Scratch { row, sums, .. } = scratch;
        self.weigh_row(row, sums);
    }

    /// Weighs the samples of a row part, into `out`.
    #[inline(always)]
    fn weigh_row(&self, row: &[f32], out: &mut [f32]) {
        let Some(across) = &self.work.across else {
            return out[..self.part.to.len()].copy_from_slice(&row[..self.part.to.len()]);
        };
        let (start, to) = (self.part.from.start, self.part.to.clone());
        // SAFETY: the level is there, as this is compiled for it.
        unsafe { across.run(self.level, row, start, to.clone(), out) };
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
        let Scratch { ring, row, .. } = scratch;
        let pitch = self.pitch();
        let to = &mut ring[y % self.work.ring * pitch..][..pitch];
        match self.rows_first() {
            true => self.weigh_row(row, to),
            false => to[..self.part.from.len()].copy_from_slice(&row[..self.part.from.len()]),
        }
    }

    /// Makes the lanes of row `y`.
    #[inline(always)]
    fn make(&self, down: &Taps, y: usize, scratch: &mut Scratch) {
        let (pitch, last) = (self.pitch(), self.src.height() - 1);
        let Scratch { ring, row: mixed, sums, lanes, .. } = scratch;
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
            true => self.weigh_row(mixed, sums),
            false => sums[..width].copy_from_slice(&mixed[..width]),
        }
        self.end(width, scratch);
    }

    /// Makes lanes of the sums.
    #[inline(always)]
    fn end(&self, width: usize, scratch: &mut Scratch) {
        let sums = scratch.lanes.iter_mut().zip(&scratch.sums).take(width);
        match self.work.component.light.as_deref() {
            Some(light) => sums.for_each(|(out, sum)| *out = lane(Light::lane(light, *sum))),
            None => sums.for_each(|(out, sum)| *out = to_lane(*sum)),
        }
    }
}

/// [`lane`], in vectors: the value is known to fit.
#[inline(always)]
fn to_lane(sum: f32) -> u16 {
    let inside = (sum + 0.5).max(0.0).min(65_535.0);
    // SAFETY: the value is between 0 and 65535.
    unsafe { inside.to_int_unchecked::<i32>() as u16 }
}
