//! The fast kernel: sums of columns that run down a band of rows, and sums of a row's columns by doubling.
//!
//! A row's work is a few loops over all its columns, each of which the compiler turns into vectors. A running sum along
//! a row would wait for every addition; doubling adds twice the columns with each loop instead, and four loops already
//! sum 31.

use super::mean::Mean;
use super::plan::Plan;
use crate::device::cpu::{CpuExec, CpuLevel};
use crate::error::Result;
use crate::filters::boxblur::tuning::cpu::BAND;
use crate::filters::stock::Stock;
use crate::filters::{CpuJob, CpuKernel, Setup};
use crate::simd::dispatch::by_level;
use crate::simd::rows::{copy, narrow, widen};
use crate::video::{Picture, PlaneMut, PlaneRef, Planes, PlanesMut};
use std::ops::{Add, Range, Sub};

/// The kernel.
pub(super) struct Fast {
    plan: Plan,
    level: CpuLevel,
    /// What passes write that are not the last, in turns.
    between: Vec<Picture>,
    scratch: Stock<Scratch>,
    /// Columns of the widest plane.
    width: usize,
}

/// What a thread works in: sums of 32 bits where they hold a window, or of 64.
enum Scratch {
    Narrow(ThreadRows<u32>),
    Wide(ThreadRows<u64>),
}

/// Rows of a thread.
struct ThreadRows<S> {
    /// The sum of each column of the window, with the columns that it reaches beyond both ends.
    columns: Vec<S>,
    /// Sums of several columns each, from one doubling to the next.
    sums: [Vec<S>; 2],
    /// The row that enters the window, later the result.
    lanes: Vec<u16>,
    /// The row that leaves it.
    old: Vec<u16>,
}

/// An integer that holds the sum of a window.
trait Sum: Copy + Default + From<u16> + Add<Output = Self> + Sub<Output = Self> {
    fn times(self, count: usize) -> Self;
    fn mean(self, mean: Mean) -> u16;
}

impl Sum for u32 {
    #[inline(always)]
    fn times(self, count: usize) -> u32 {
        self * count as u32
    }

    #[inline(always)]
    fn mean(self, mean: Mean) -> u16 {
        mean.narrow(self)
    }
}

impl Sum for u64 {
    #[inline(always)]
    fn times(self, count: usize) -> u64 {
        self * count as u64
    }

    #[inline(always)]
    fn mean(self, mean: Mean) -> u16 {
        mean.wide(self)
    }
}

impl Scratch {
    fn new(plan: &Plan, width: usize) -> Scratch {
        match plan.mean().is_narrow() {
            true => Scratch::Narrow(ThreadRows::new(width, plan.radius_w)),
            false => Scratch::Wide(ThreadRows::new(width, plan.radius_w)),
        }
    }
}

impl Fast {
    /// The kernel of `plan` at `level`.
    ///
    /// # Errors
    /// When the processor lacks the level, or there is no memory for the pictures between passes.
    pub(super) fn new(plan: Plan, setup: &Setup, level: CpuLevel) -> Result<Fast> {
        level.require()?;
        let (width, height) = (setup.input.width, setup.input.height);
        let picture = |_| Picture::alloc(setup.input.format.to_v16(), width, height);
        let between = (1..plan.passes).take(2).map(picture).collect::<Result<_>>()?;
        Ok(Fast { scratch: Stock::new(Scratch::new(&plan, width)), plan, level, between, width })
    }

    /// One pass over all components, or over those alone that are blurred.
    fn pass(&self, src: &Planes<'_>, dst: &mut PlanesMut<'_>, exec: &CpuExec, all: bool) {
        let band_rows = BAND.max(2 * self.plan.radius_h);
        exec.bands(dst, band_rows, |component, rows, mut band| {
            if self.plan.blurs(component) {
                let work = Band { plan: &self.plan, src: src[component], rows };
                // SAFETY: `new` checked that the processor has the level.
                let filter = |scratch: &mut Scratch| unsafe { run_band(self.level, &work, &mut band, scratch) };
                self.scratch.with(|| Scratch::new(&self.plan, self.width), filter);
            } else if all {
                copy(&src[component], rows, &mut band);
            }
        });
    }
}

impl CpuKernel for Fast {
    fn run(&mut self, job: CpuJob<'_>) {
        let CpuJob { src, mut dst, exec, .. } = job;
        let (src, dst) = (src.here(), &mut dst);
        let mut between = std::mem::take(&mut self.between);
        for pass in 1..self.plan.passes {
            let (even, odd) = between.split_at_mut(1);
            let (to, from) = if pass % 2 == 1 { (&mut even[0], odd.first()) } else { (&mut odd[0], even.first()) };
            match from {
                Some(from) if pass > 1 => self.pass(&from.planes(), &mut to.planes_mut(), exec, false),
                _ => self.pass(src, &mut to.planes_mut(), exec, false),
            }
        }
        match self.plan.passes {
            1 => self.pass(src, dst, exec, true),
            passes => {
                let last = between[passes % 2].planes();
                let view = |i: usize| match i.min(src.len() - 1) {
                    component if self.plan.blurs(component) => last[component],
                    component => src[component],
                };
                self.pass(&Planes::new(&[view(0), view(1), view(2)][..src.len()]), dst, exec, true);
            }
        }
        self.between = between;
    }

    fn path(&self) -> &'static str {
        self.level.name()
    }
}

/// A band of rows to filter.
struct Band<'a> {
    plan: &'a Plan,
    src: PlaneRef<'a>,
    rows: Range<usize>,
}

by_level!(run_band = band(work: &Band<'_>, dst: &mut PlaneMut<'_>, scratch: &mut Scratch));

#[inline(always)]
fn band(work: &Band<'_>, dst: &mut PlaneMut<'_>, scratch: &mut Scratch) {
    match scratch {
        Scratch::Narrow(rows) => rows.filter(work, dst),
        Scratch::Wide(rows) => rows.filter(work, dst),
    }
}

impl<S: Sum> ThreadRows<S> {
    fn new(width: usize, radius_w: usize) -> ThreadRows<S> {
        let columns = || vec![S::default(); width + 2 * radius_w];
        ThreadRows { columns: columns(), sums: [columns(), columns()], lanes: vec![0; width], old: vec![0; width] }
    }

    #[inline(always)]
    fn filter(&mut self, work: &Band<'_>, dst: &mut PlaneMut<'_>) {
        let Band { plan, src, rows } = work;
        let mean = plan.mean();
        let width = src.width();
        for (row, y) in rows.clone().enumerate() {
            if row == 0 {
                self.start(work);
            } else {
                self.step(work, y);
            }
            self.pad(width, plan.radius_w);
            self.mean_of_row(width, plan.radius_w, mean);
            narrow(dst, 0, row, &self.lanes[..width]);
        }
    }

    /// Sums the columns of the band's first window.
    #[inline(always)]
    fn start(&mut self, work: &Band<'_>) {
        let Band { plan: Plan { radius_w, radius_h, .. }, src, rows } = work;
        let (width, last) = (src.width(), src.height() - 1);
        self.columns[*radius_w..][..width].fill(S::default());
        let (above, below) = (radius_h.saturating_sub(rows.start), (rows.start + radius_h).saturating_sub(last));
        for y in rows.start.saturating_sub(*radius_h)..=(rows.start + radius_h).min(last) {
            // A row at the border is replicated beyond it.
            let count = 1 + if y == 0 { above } else { 0 } + if y == last { below } else { 0 };
            widen(src, 0, y, &mut self.lanes[..width]);
            let columns = &mut self.columns[*radius_w..][..width];
            for (column, lane) in columns.iter_mut().zip(&self.lanes) {
                *column = *column + S::from(*lane).times(count);
            }
        }
    }

    /// Moves the window down to row `y`.
    #[inline(always)]
    fn step(&mut self, work: &Band<'_>, y: usize) {
        let Band { plan: Plan { radius_w, radius_h, .. }, src, .. } = work;
        let (width, last) = (src.width(), src.height() - 1);
        widen(src, 0, (y + radius_h).min(last), &mut self.lanes[..width]);
        widen(src, 0, (y - 1).saturating_sub(*radius_h), &mut self.old[..width]);
        let columns = &mut self.columns[*radius_w..][..width];
        for ((column, new), old) in columns.iter_mut().zip(&self.lanes).zip(&self.old) {
            *column = *column + S::from(*new) - S::from(*old);
        }
    }

    /// Repeats the outermost columns beyond both ends.
    #[inline(always)]
    fn pad(&mut self, width: usize, radius_w: usize) {
        let (first, last) = (self.columns[radius_w], self.columns[radius_w + width - 1]);
        self.columns[..radius_w].fill(first);
        self.columns[radius_w + width..][..radius_w].fill(last);
    }

    /// The means of a row's windows, from the sums of its columns.
    ///
    /// The bits of the window's width, highest first, say how sums of ever more columns follow from one another: twice
    /// as many, and one more where the bit is set. The width is odd, so the last bit is set.
    #[inline(always)]
    fn mean_of_row(&mut self, width: usize, radius_w: usize, mean: Mean) {
        let window = 2 * radius_w + 1;
        let padded = width + 2 * radius_w;
        let columns = &self.columns[..padded];
        let lanes = &mut self.lanes[..width];
        if radius_w == 0 {
            lanes.iter_mut().zip(columns).for_each(|(lane, sum)| *lane = sum.mean(mean));
            return;
        }
        let [sums, next] = &mut self.sums;
        let (mut sums, mut next) = (sums, next);
        let mut len = 1;
        for bit in (1..window.ilog2()).rev() {
            let doubled = if len == 1 { columns } else { &sums[..padded + 1 - len] };
            let count = padded + 1 - 2 * len;
            let pairs = next[..count].iter_mut().zip(&doubled[..count]).zip(&doubled[len..]);
            if window >> bit & 1 == 1 {
                pairs.zip(&columns[2 * len..]).for_each(|(((to, a), b), c)| *to = *a + *b + *c);
                len = 2 * len + 1;
            } else {
                pairs.for_each(|((to, a), b)| *to = *a + *b);
                len *= 2;
            }
            std::mem::swap(&mut sums, &mut next);
        }
        let halves = if len == 1 { columns } else { &sums[..padded + 1 - len] };
        let parts =
            lanes.iter_mut().zip(&halves[..width]).zip(&halves[len..][..width]).zip(&columns[2 * len..][..width]);
        parts.for_each(|(((lane, a), b), c)| *lane = (*a + *b + *c).mean(mean));
    }
}
