//! The fast kernel: parts of the columns are walked down, and a ring holds the rows that the sums of columns need.

mod across;
#[cfg(target_arch = "x86_64")]
mod direct;
mod down;
mod kinds;
mod pairs;
mod parts;
mod period;
#[cfg(target_arch = "x86_64")]
mod slide;
mod sums;
mod vector;
mod walk;

pub use across::GROUP;

use crate::device::cpu::CpuLevel;
use crate::error::Result;
use crate::filters::resample::plan::{ComponentPlan, Plan, SampleSource};
use crate::filters::resample::tuning::cpu::BAND;
use crate::filters::stock::Stock;
use crate::filters::{CpuJob, CpuKernel, Setup};
use crate::simd::rows::{copy, fill};
use parts::{ComponentWalk, Scratch};
use walk::Walk;

/// The kernel.
pub struct Fast {
    works: Vec<ComponentWalk>,
    antiring: f32,
    level: CpuLevel,
    scratch: Stock<Scratch>,
}

impl Fast {
    /// The kernel of `plan` at `level`.
    ///
    /// # Errors
    /// When the processor lacks the level.
    pub fn new(plan: Plan, setup: &Setup, level: CpuLevel) -> Result<Fast> {
        level.require()?;
        let (input, output) = (&setup.input, &setup.output);
        let work = |(index, component): (usize, &ComponentPlan)| {
            let from = match component.source {
                SampleSource::Component(from) => from,
                SampleSource::Lane(_) => 0,
            };
            let from = input.format.component_size(from, input.width, input.height);
            ComponentWalk::new(
                component,
                plan.down_first,
                from,
                output.format.component_size(index, output.width, output.height),
            )
        };
        let works: Vec<ComponentWalk> = plan.components.iter().enumerate().map(work).collect();
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
                SampleSource::Component(from) => src.here()[from],
                SampleSource::Lane(lane) => {
                    let width = band.width();
                    return (0..band.height()).for_each(|y| fill(&mut band, 0..width, y, lane));
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
                        unsafe { walk.run(rows.clone(), &mut band, scratch) };
                    }
                },
            );
        });
    }

    fn path(&self) -> &'static str {
        self.level.name()
    }
}
