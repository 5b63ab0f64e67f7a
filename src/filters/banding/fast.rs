//! The fast kernel: bands of rows of each scale, shared out between threads.

use super::contrast::{self, Workspace};
use super::fill_grey;
use super::plan::{Plan, SCALES, WEIGHTS};
use super::pool::{BINS, finish, sum_of_highest};
use super::scales::{Scales, plane_of};
use crate::device::cpu::CpuLevel;
use crate::error::Result;
use crate::filters::banding::tuning::cpu::{CONTRAST_BAND as TALL, MAP_BAND as BAND, MAP_PART as PART};
use crate::filters::stock::Stock;
use crate::filters::{CpuJob, CpuKernel};
use crate::simd::rows::{copy, narrow};
use crate::video::{Picture, PlaneMut};
use std::ops::Range;
use std::sync::{Mutex, PoisonError};

/// The kernel.
pub struct Fast {
    plan: Plan,
    level: CpuLevel,
    scales: Scales,
    contrasts: Vec<Picture>,
    workspaces: Stock<Workspace>,
    /// How often each contrast was met at a scale.
    met: Mutex<Vec<u32>>,
}

impl Fast {
    /// The kernel of `plan` at `level`.
    ///
    /// # Errors
    /// When the processor lacks the level, or memory does not suffice.
    pub fn new(plan: Plan, level: CpuLevel) -> Result<Fast> {
        level.require()?;
        Ok(Fast {
            level,
            scales: Scales::new(plan.sizes)?,
            contrasts: plan.sizes.iter().map(|size| plane_of(*size)).collect::<Result<_>>()?,
            workspaces: Stock::new(Workspace::new(&plan)),
            met: Mutex::new(vec![0; BINS]),
            plan,
        })
    }

    /// Makes `rows` of the map.
    fn map(&self, rows: Range<usize>, out: &mut PlaneMut<'_>) {
        let scales: [_; SCALES] = std::array::from_fn(|scale| self.contrasts[scale].planes()[0]);
        let mut part = [0; PART];
        for (i, y) in rows.enumerate() {
            for left in (0..out.width()).step_by(PART) {
                let part = &mut part[..PART.min(out.width() - left)];
                for (value, x) in part.iter_mut().zip(left..) {
                    let weighed = (0..SCALES).map(|s| WEIGHTS[s] * u32::from(scales[s].row_u16(y >> s)[x >> s]));
                    *value = self.plan.shade(weighed.sum());
                }
                narrow(out, left, i, part);
            }
        }
    }
}

impl CpuKernel for Fast {
    fn run(&mut self, mut job: CpuJob<'_>) {
        let src = job.src.here();
        let Fast { plan, level, scales, contrasts, workspaces, met } = self;
        scales.make(plan, &src[0], *level, job.exec);
        let mut sums = [0; SCALES];
        for (scale, sum) in sums.iter_mut().enumerate() {
            let (map, shared) = (scales.maps[scale].planes()[0], &*met);
            job.exec.bands(&mut contrasts[scale].planes_mut(), TALL, |_, rows, mut band| {
                workspaces.with(
                    || Workspace::new(plan),
                    |workspace| {
                        // SAFETY: `new` has asked for the level.
                        unsafe { contrast::of_rows(*level, plan, &map, rows, &mut band, workspace) };
                        let mut met = shared.lock().unwrap_or_else(PoisonError::into_inner);
                        met.iter_mut().zip(&mut workspace.met).for_each(|(all, own)| *all += std::mem::take(own));
                    },
                );
            });
            let met = met.get_mut().unwrap_or_else(PoisonError::into_inner);
            *sum = sum_of_highest(met, plan.counted(scale));
            met.fill(0);
        }
        let this = &*self;
        job.exec.bands(&mut job.dst, BAND, |component, rows, mut band| match component {
            0 if this.plan.map => this.map(rows, &mut band),
            _ if this.plan.map => fill_grey(band),
            _ => copy(&src[component], rows, &mut band),
        });
        finish(&this.plan, sums, job.record);
    }

    fn path(&self) -> &'static str {
        self.level.name()
    }
}
