//! The fast kernel: bands of rows, shared out between threads. All but the last pass first; then levels; then the last pass.

use super::close::{self, CloseRows};
use super::level::{cells, spread};
use super::plan::{CELL, Plan};
use super::ring::STEP;
use super::simd::Portable;
#[cfg(target_arch = "x86_64")]
use super::simd::{Avx2, Avx512};
use super::smooth::{self, BandRows, Made};
use super::stage::RowOrder;
use crate::device::cpu::{CpuExec, CpuLevel};
use crate::error::Result;
use crate::filters::gradient::tuning::cpu::BAND;
use crate::filters::stock::Stock;
use crate::filters::{CpuJob, CpuKernel};
use crate::simd::rows::copy;
use crate::video::{PlaneMut, PlaneRef, PlanesMut};
use std::ops::Range;
use std::sync::{Mutex, PoisonError};

/// The kernel.
pub(super) struct Fast {
    plan: Plan,
    level: CpuLevel,
    /// Of each field of each component.
    smoothed: Vec<Smoothed>,
    scratch: Stock<Scratch>,
}

/// What a thread works in.
#[derive(Default)]
struct Scratch {
    smooth: smooth::Scratch,
    close: close::Scratch,
}

/// What all passes but the last make of a picture, and the levels of its cells.
#[derive(Default)]
struct Smoothed {
    rows: Vec<i16>,
    levels: Vec<i32>,
}

/// A field of a component that is filtered, or all of it.
struct Field<'a> {
    index: usize,
    src: PlaneRef<'a>,
    /// Where its bands begin, and where the last one ends. Those of both fields begin together.
    bounds: Vec<usize>,
}

impl Field<'_> {
    /// Lanes of a row of what is smoothed.
    fn pitch(&self) -> usize {
        self.src.width().next_multiple_of(STEP)
    }

    /// Cells side by side.
    fn across(&self) -> usize {
        cells(self.src.width())
    }

    fn band(&self, band: usize) -> Range<usize> {
        self.bounds[band]..self.bounds[band + 1]
    }
}

impl Smoothed {
    /// Fits it to `field`, and cuts it into its bands.
    fn cut<'a>(&'a mut self, field: &Field<'_>) -> Vec<Mutex<Made<'a>>> {
        let (height, pitch, across) = (field.src.height(), field.pitch(), field.across());
        self.rows.resize(height * pitch, 0);
        self.levels.resize(cells(height) * across, 0);
        let (mut rows, mut levels) = (self.rows.as_mut_slice(), self.levels.as_mut_slice());
        let bands = field.bounds.windows(2).map(|ends| {
            let (own, below) = std::mem::take(&mut rows).split_at_mut((ends[1] - ends[0]) * pitch);
            let (own_cells, cells_below) =
                std::mem::take(&mut levels).split_at_mut((cells(ends[1]) - ends[0] / CELL) * across);
            (rows, levels) = (below, cells_below);
            Mutex::new(Made { rows: own, cells: own_cells, pitch, across })
        });
        bands.collect()
    }
}

impl Fast {
    /// The kernel of `plan` at `level`.
    ///
    /// # Errors
    /// When the processor lacks the level.
    pub(super) fn new(plan: Plan, level: CpuLevel) -> Result<Fast> {
        level.require()?;
        Ok(Fast { plan, level, smoothed: Vec::new(), scratch: Stock::new(Scratch::default()) })
    }

    /// Where bands of a field of component `index` begin, and end, that has so many rows: at whole cells. Both borders get a
    /// band of their own where there are rows enough.
    fn bounds(&self, index: usize, rows: usize, threads: usize) -> Vec<usize> {
        let reach: usize = self.plan.components[index].passes[..3].iter().map(|pass| pass.rows()).sum();
        let bands = match rows {
            _ if rows < 4 * reach.max(BAND / 2) => 1,
            _ if threads == 1 => 2,
            _ => (2 * threads).min(rows / BAND),
        };
        (0..bands).map(|band| rows * band / bands / CELL * CELL).chain([rows]).collect()
    }

    /// Does all passes but the last for `rows` of `field`.
    fn smooth(&self, field: &Field<'_>, rows: Range<usize>, made: &mut Made<'_>) {
        if rows.is_empty() {
            return;
        }
        let (count, component) = (field.src.height(), &self.plan.components[field.index]);
        let lines = RowOrder { first: 0, step: 1, count };
        let (top, rows, count) = (rows.start, rows.start as isize..rows.end as isize, count as isize);
        let work = BandRows { component, src: field.src, lines, rows: rows.clone(), top };
        let work = match rows.start + rows.end <= count {
            true => BandRows { lines: lines.reversed(), rows: count - rows.end..count - rows.start, ..work },
            false => work,
        };
        // SAFETY: `new` checked that the processor has the level.
        self.scratch
            .with(Scratch::default, |scratch| unsafe { smooth_at(self.level, &work, made, &mut scratch.smooth) });
    }

    /// Does the last pass for `rows` of `field`, into `dst`, which has these rows only.
    fn close(&self, field: &Field<'_>, rows: Range<usize>, smoothed: &Smoothed, dst: &mut PlaneMut<'_>) {
        if rows.is_empty() {
            return;
        }
        let work = CloseRows {
            component: &self.plan.components[field.index],
            evidence: &self.plan.evidence,
            src: field.src,
            smoothed: &smoothed.rows,
            pitch: field.pitch(),
            levels: &smoothed.levels,
            across: field.across(),
            rows,
        };
        // SAFETY: `new` checked that the processor has the level.
        self.scratch.with(Scratch::default, |scratch| unsafe { close_at(self.level, &work, dst, &mut scratch.close) });
    }

    /// Filters `fields`, of which `of` are one component's, into `dst`, with `smoothed` to work in.
    fn filter(
        &self,
        (fields, of): (&[Field<'_>], usize),
        smoothed: &mut [Smoothed],
        dst: &PlanesMut<'_>,
        exec: &CpuExec,
    ) {
        let made: Vec<_> = smoothed.iter_mut().zip(fields).map(|(smoothed, field)| smoothed.cut(field)).collect();
        let places = |count: usize, step: usize| -> Vec<(usize, usize)> {
            let bands = |at: usize| (0..fields[at].bounds.len() - 1).map(move |band| (at, band));
            (0..count).step_by(step).flat_map(bands).collect()
        };
        let bands = places(fields.len(), 1);
        exec.each(bands.len(), |i| {
            let (at, band) = bands[i];
            let mut made = made[at][band].lock().unwrap_or_else(PoisonError::into_inner);
            self.smooth(&fields[at], fields[at].band(band), &mut made);
        });
        drop(made);

        let levels: Vec<_> = smoothed.iter_mut().map(|smoothed| Mutex::new(&mut smoothed.levels)).collect();
        exec.each(fields.len(), |at| {
            let mut levels = levels[at].lock().unwrap_or_else(PoisonError::into_inner);
            spread(&mut levels, fields[at].across(), self.plan.components[fields[at].index].window);
        });
        drop(levels);

        let smoothed = &*smoothed;
        let bands = places(fields.len(), of);
        exec.each(bands.len(), |i| {
            let (first, band) = bands[i];
            let plane = dst.get(fields[first].index);
            let bound = |row: usize| (row * of).min(plane.height());
            let rows = fields[first].band(band);
            // SAFETY: each index names other rows of a component, and `dst` is borrowed exclusively by the caller.
            let mut part = unsafe { plane.band(bound(rows.start)..bound(rows.end)) };
            for at in first..first + of {
                let part = part.reborrow();
                let mut part = if of == 2 { part.every_second(at - first) } else { part };
                self.close(&fields[at], fields[at].band(band), &smoothed[at], &mut part);
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
        let of = self.plan.fields(props);
        let mut fields = Vec::new();
        for index in 0..dst.len() {
            if !self.plan.components[index].filters {
                copy_plane(&src[index], dst.get(index), exec);
                continue;
            }
            let all = self.bounds(index, src[index].height().div_ceil(of), exec.threads());
            for number in 0..of {
                let src = if of == 2 { src[index].every_second(number) } else { src[index] };
                let bounds = all.iter().map(|row| *row.min(&src.height())).collect();
                fields.push(Field { index, src, bounds });
            }
        }
        let mut smoothed = std::mem::take(&mut self.smoothed);
        smoothed.resize_with(fields.len().max(smoothed.len()), Smoothed::default);
        self.filter((&fields, of), &mut smoothed[..fields.len()], dst, exec);
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
