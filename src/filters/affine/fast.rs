//! The fast kernel: rows of the result over threads, each sample from sixteen that are loaded as four rows of four.

use super::tuning::cpu::{BAND, PART};
use super::weights::weigh;
use super::{ComponentPlan, Plan};
use crate::device::cpu::CpuLevel;
use crate::error::Result;
use crate::filters::{CpuJob, CpuKernel};
use crate::simd::dispatch::by_level;
use crate::simd::rows::{SIGN, copy, narrow};
use crate::video::{PlaneMut, PlaneRef, SampleLayout, SampleType};
use std::ops::Range;

/// The kernel.
pub struct Fast {
    plan: Plan,
    level: CpuLevel,
}

impl Fast {
    /// The kernel of `plan` at `level`.
    ///
    /// # Errors
    /// When the processor lacks the level.
    pub(super) fn new(plan: Plan, level: CpuLevel) -> Result<Fast> {
        level.require()?;
        Ok(Fast { plan, level })
    }
}

impl CpuKernel for Fast {
    fn run(&mut self, job: CpuJob<'_>) {
        let CpuJob { src, mut dst, exec, .. } = job;
        let this = &*self;
        exec.bands(&mut dst, BAND, |index, rows, mut band| {
            let src = src.here()[index];
            let Some(component) = &this.plan.components[index] else { return copy(&src, rows, &mut band) };
            let work = Band { component, weights: &this.plan.weights.0, src, rows };
            // SAFETY: `new` checked that the processor has the level.
            unsafe { run_band(this.level, &work, &mut band) };
        });
    }

    fn path(&self) -> &'static str {
        self.level.name()
    }
}

/// A band of rows.
struct Band<'a> {
    component: &'a ComponentPlan,
    weights: &'a [[i16; 4]],
    src: PlaneRef<'a>,
    rows: Range<usize>,
}

by_level!(run_band = band(work: &Band<'_>, dst: &mut PlaneMut<'_>));

#[inline(always)]
fn band(work: &Band<'_>, dst: &mut PlaneMut<'_>) {
    let SampleLayout { sample, step, .. } = work.src.layout();
    match (sample, step) {
        (SampleType::U8, 1) => rows::<u8, 1>(work, dst),
        (SampleType::U8, _) => rows::<u8, 2>(work, dst),
        (SampleType::U16, 1) => rows::<u16, 1>(work, dst),
        (SampleType::U16, _) => rows::<u16, 2>(work, dst),
        (SampleType::I16, _) => rows::<u16, 3>(work, dst),
    }
}

/// Samples of type `T` that are `STEP` apart.
#[inline(always)]
fn rows<T: Copy + Into<u16>, const STEP: usize>(work: &Band<'_>, dst: &mut PlaneMut<'_>) {
    let (src, weights, component) = (&work.src, work.weights, work.component);
    let (width, height) = (src.width() as i32, src.height() as i32);
    let SampleLayout { sample, step, shift, .. } = src.layout();
    assert!(usize::from(step) == STEP && sample.bytes() == size_of::<T>());
    let flip = if sample == SampleType::I16 { SIGN } else { 0 };
    let lane = |stored: T| stored.into() << shift ^ flip;
    // SAFETY: (x, y) is a sample of the plane, by the callers below; those of its row are `STEP` apart, by the assertion.
    let stored =
        |x: i32, y: i32| unsafe { *src.as_ptr().add(y as usize * src.pitch()).cast::<T>().add(STEP * x as usize) };
    let beside = |x: i32, y: i32| match component.fill {
        Some(fill) if x < 0 || x >= width || y < 0 || y >= height => fill,
        _ => lane(stored(x.clamp(0, width - 1), y.clamp(0, height - 1))),
    };
    let mut lanes = [0; PART];
    for (row, j) in work.rows.clone().enumerate() {
        for first in (0..dst.width()).step_by(PART) {
            let lanes = &mut lanes[..PART.min(dst.width() - first)];
            for (i, result) in (first..).zip(&mut *lanes) {
                let [x, y] = component.places.at(i, j);
                let (left, top) = (x.whole - 1, y.whole - 1);
                let is_inside = left >= 0 && left + 3 < width && top >= 0 && top + 3 < height;
                let mut around = [[0; 4]; 4];
                if is_inside {
                    for (y, around) in (top..).zip(&mut around) {
                        for (x, around) in (left..).zip(around) {
                            *around = lane(stored(x, y));
                        }
                    }
                } else {
                    for (y, around) in (top..).zip(&mut around) {
                        for (x, around) in (left..).zip(around) {
                            *around = beside(x, y);
                        }
                    }
                }
                *result = weigh(&around, &weights[x.phase], &weights[y.phase]);
            }
            narrow(dst, first, row, lanes);
        }
    }
}
