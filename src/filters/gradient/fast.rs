//! The fast kernel: bands of rows, shared out between threads. All but the last pass first; then levels; then the last pass.

use super::close::{self, CloseRows};
use super::level::{cells, spread};
use super::plan::{CELL, Plan};
use super::ring::STEP;
use super::simd::Portable;
#[cfg(target_arch = "x86_64")]
use super::simd::{Avx2, Avx512};
use super::smooth::{self, BandRows, Made};
use crate::device::cpu::{CpuExec, CpuLevel, SharedSlice, place};
use crate::error::Result;
use crate::filters::gradient::tuning::cpu::BAND;
use crate::filters::stock::Stock;
use crate::filters::{CpuJob, CpuKernel, Setup};
use crate::simd::rows::copy;
use crate::video::{PlaneMut, PlaneRef, Planes, PlanesMut};
use std::ops::Range;

/// The kernel.
pub(super) struct Fast {
    plan: Plan,
    level: CpuLevel,
    /// Of a picture, and of one whose fields are filtered apart.
    fields: [Vec<Field>; 2],
    smoothed: Smoothed,
    scratch: Stock<Scratch>,
}

/// What a thread works in.
#[derive(Default)]
struct Scratch {
    smooth: smooth::Scratch,
    close: close::Scratch,
    /// Levels of a row or a column of cells.
    line: Vec<i32>,
}

/// What all passes but the last make of each field, and the levels of its cells.
#[derive(Default)]
struct Smoothed {
    rows: Vec<i16>,
    levels: Vec<i32>,
}

/// A field of a component that is filtered, or all of it.
struct Field {
    component: usize,
    /// Which of the component's.
    number: usize,
    width: usize,
    height: usize,
    /// Rows of the component's first field: the bands of both begin together.
    tallest: usize,
    /// Rows around one that all passes but the last read.
    reach: usize,
    /// Where what is made of it begins.
    rows_at: usize,
    levels_at: usize,
}

impl Field {
    /// Lanes of a row of what is smoothed.
    fn pitch(&self) -> usize {
        self.width.next_multiple_of(STEP)
    }

    /// Cells side by side.
    fn across(&self) -> usize {
        cells(self.width)
    }

    /// Bands that it is cut into. Each also makes `reach` rows of both its neighbours, so none is lower than half of that.
    fn bands(&self, threads: usize) -> usize {
        match threads {
            1 => 1,
            _ => (2 * threads).min(self.tallest / BAND.max(self.reach / 2)).max(1),
        }
    }

    /// The rows of one of so many bands. They begin at whole cells.
    fn band(&self, band: usize, bands: usize) -> Range<usize> {
        let bound = |band: usize| match band == bands {
            true => self.height,
            false => (self.tallest * band / bands / CELL * CELL).min(self.height),
        };
        bound(band)..bound(band + 1)
    }

    /// Where what is smoothed of `rows` lies.
    fn smoothed(&self, rows: &Range<usize>) -> Range<usize> {
        self.rows_at + rows.start * self.pitch()..self.rows_at + rows.end * self.pitch()
    }

    /// Where the levels of the cells of `rows` lie.
    fn levels(&self, rows: &Range<usize>) -> Range<usize> {
        self.levels_at + rows.start / CELL * self.across()..self.levels_at + cells(rows.end) * self.across()
    }

    /// Its rows in a picture of `of` fields.
    fn of<'a>(&self, src: &Planes<'a>, of: usize) -> PlaneRef<'a> {
        let plane = src[self.component];
        if of == 2 { plane.every_second(self.number) } else { plane }
    }
}

impl Fast {
    /// The kernel of `plan` at `level`.
    ///
    /// # Errors
    /// When the processor lacks the level.
    pub(super) fn new(plan: Plan, setup: &Setup, level: CpuLevel) -> Result<Fast> {
        level.require()?;
        let input = &setup.input;
        let (mut rows, mut levels) = (0, 0);
        let fields = [1, 2].map(|of| {
            let (mut rows_at, mut levels_at) = (0, 0);
            let mut fields = Vec::new();
            for (component, numbers) in plan.components.iter().enumerate().filter(|(_, plan)| plan.filters) {
                let (width, height) = input.format.component_size(component, input.width, input.height);
                let reach = numbers.passes[..3].iter().map(|pass| pass.rows()).sum();
                for number in 0..of {
                    let (tallest, height) = (height.div_ceil(of), height.saturating_sub(number).div_ceil(of));
                    let field = Field { component, number, width, height, tallest, reach, rows_at, levels_at };
                    (rows_at, levels_at) = (field.smoothed(&(0..height)).end, field.levels(&(0..height)).end);
                    fields.push(field);
                }
            }
            (rows, levels) = (rows.max(rows_at), levels.max(levels_at));
            fields
        });
        let smoothed = Smoothed { rows: vec![0; rows], levels: vec![0; levels] };
        Ok(Fast { plan, level, fields, smoothed, scratch: Stock::new(Scratch::default()) })
    }

    /// Does all passes but the last for `rows` of `field`, which has the samples `src`.
    fn smooth(&self, field: &Field, src: PlaneRef<'_>, rows: Range<usize>, made: &mut Made<'_>) {
        let work = BandRows { component: &self.plan.components[field.component], src, rows };
        // SAFETY: `new` checked that the processor has the level.
        self.scratch
            .with(Scratch::default, |scratch| unsafe { smooth_at(self.level, &work, made, &mut scratch.smooth) });
    }

    /// Does the last pass for `rows` of `field`, into `dst`, which has these rows only.
    fn close(&self, field: &Field, src: PlaneRef<'_>, rows: Range<usize>, smoothed: &Smoothed, dst: &mut PlaneMut<'_>) {
        let all = 0..field.height;
        let work = CloseRows {
            component: &self.plan.components[field.component],
            evidence: &self.plan.evidence,
            src,
            smoothed: &smoothed.rows[field.smoothed(&all)],
            pitch: field.pitch(),
            levels: &smoothed.levels[field.levels(&all)],
            across: field.across(),
            rows,
        };
        // SAFETY: `new` checked that the processor has the level.
        self.scratch.with(Scratch::default, |scratch| unsafe { close_at(self.level, &work, dst, &mut scratch.close) });
    }

    /// Filters pictures of `of` fields, with `smoothed` to work in.
    fn filter(&self, of: usize, src: &Planes<'_>, smoothed: &mut Smoothed, dst: &PlanesMut<'_>, exec: &CpuExec) {
        let fields = &self.fields[of - 1];
        let bands = |field: &Field| field.bands(exec.threads());
        let (rows, levels) = (SharedSlice::new(&mut smoothed.rows), SharedSlice::new(&mut smoothed.levels));
        exec.each(fields.iter().map(bands).sum(), |i| {
            let (at, band) = place(i, fields.iter().map(bands));
            let field = &fields[at];
            let band = field.band(band, bands(field));
            if !band.is_empty() {
                // SAFETY: each index names other rows, or other fields, and bands are made of whole cells.
                let (rows, cells) = unsafe { (rows.part(field.smoothed(&band)), levels.part(field.levels(&band))) };
                let mut made = Made { rows, cells, pitch: field.pitch(), across: field.across() };
                self.smooth(field, field.of(src, of), band, &mut made);
            }
        });
        exec.each(fields.len(), |at| {
            let (field, window) = (&fields[at], self.plan.components[fields[at].component].window);
            // SAFETY: each index names another field.
            let cells = unsafe { levels.part(field.levels(&(0..field.height))) };
            self.scratch.with(Scratch::default, |scratch| spread(cells, field.across(), window, &mut scratch.line));
        });

        let smoothed = &*smoothed;
        let first_fields = || fields.iter().step_by(of);
        exec.each(first_fields().map(bands).sum(), |i| {
            let (component, band) = place(i, first_fields().map(bands));
            let fields = &fields[component * of..][..of];
            let plane = dst.get(fields[0].component);
            let count = bands(&fields[0]);
            let bound = |row: usize| (row * of).min(plane.height());
            let rows = fields[0].band(band, count);
            // SAFETY: each index names other rows of a component, and `dst` is borrowed exclusively by the caller.
            let mut part = unsafe { plane.band(bound(rows.start)..bound(rows.end)) };
            for field in fields {
                let (rows, part) = (field.band(band, count), part.reborrow());
                let mut part = if of == 2 { part.every_second(field.number) } else { part };
                if !rows.is_empty() {
                    self.close(field, field.of(src, of), rows, smoothed, &mut part);
                }
            }
        });
    }
}

/// Copies a plane.
fn copy_plane(src: &PlaneRef<'_>, dst: &PlaneMut<'_>, exec: &CpuExec) {
    exec.each(dst.height().div_ceil(BAND), |i| {
        let rows = i * BAND..dst.height().min((i + 1) * BAND);
        // SAFETY: each index names other rows, and the caller's caller has the plane to itself.
        let mut part = unsafe { dst.band(rows.clone()) };
        copy(src, rows, &mut part);
    });
}

impl CpuKernel for Fast {
    fn run(&mut self, job: CpuJob<'_>) {
        let CpuJob { props, src, mut dst, exec, .. } = job;
        let (src, dst): (_, &PlanesMut<'_>) = (src.here(), &mut dst);
        for (component, _) in self.plan.components.iter().enumerate().filter(|(_, plan)| !plan.filters) {
            copy_plane(&src[component], dst.get(component), exec);
        }
        let mut smoothed = std::mem::take(&mut self.smoothed);
        self.filter(self.plan.fields(props), src, &mut smoothed, dst, exec);
        self.smoothed = smoothed;
    }

    fn path(&self) -> &'static str {
        self.level.name()
    }
}

/// Runs `work` with the vectors of `level`.
///
/// # Safety
/// The processor must have the level.
unsafe fn smooth_at(level: CpuLevel, work: &BandRows<'_>, made: &mut Made<'_>, scratch: &mut smooth::Scratch) {
    // SAFETY: by the caller.
    unsafe {
        match level {
            #[cfg(target_arch = "x86_64")]
            CpuLevel::Avx512 => smooth_avx512(work, made, scratch),
            #[cfg(target_arch = "x86_64")]
            CpuLevel::Avx2 => smooth_avx2(work, made, scratch),
            _ => smooth::run::<Portable>(work, made, scratch),
        }
    }
}

/// Runs `work` with the vectors of `level`.
///
/// # Safety
/// The processor must have the level.
unsafe fn close_at(level: CpuLevel, work: &CloseRows<'_>, dst: &mut PlaneMut<'_>, scratch: &mut close::Scratch) {
    // SAFETY: by the caller.
    unsafe {
        match level {
            #[cfg(target_arch = "x86_64")]
            CpuLevel::Avx512 => close_avx512(work, dst, scratch),
            #[cfg(target_arch = "x86_64")]
            CpuLevel::Avx2 => close_avx2(work, dst, scratch),
            _ => close::run::<Portable>(work, dst, scratch),
        }
    }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
fn smooth_avx512(work: &BandRows<'_>, made: &mut Made<'_>, scratch: &mut smooth::Scratch) {
    // SAFETY: this runs with the instructions.
    unsafe { smooth::run::<Avx512>(work, made, scratch) }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
fn close_avx512(work: &CloseRows<'_>, dst: &mut PlaneMut<'_>, scratch: &mut close::Scratch) {
    // SAFETY: this runs with the instructions.
    unsafe { close::run::<Avx512>(work, dst, scratch) }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn smooth_avx2(work: &BandRows<'_>, made: &mut Made<'_>, scratch: &mut smooth::Scratch) {
    // SAFETY: this runs with the instructions.
    unsafe { smooth::run::<Avx2>(work, made, scratch) }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn close_avx2(work: &CloseRows<'_>, dst: &mut PlaneMut<'_>, scratch: &mut close::Scratch) {
    // SAFETY: this runs with the instructions.
    unsafe { close::run::<Avx2>(work, dst, scratch) }
}
