//! The fast kernel: whole planes of 16 bits, each stage in bands of rows on all threads.

use super::grid::{Cpu, Grid, Scratch};
use super::guided::PeopleKernel;
use super::light::{ResultRows, read, read_skin};
use super::plan::{MethodPlan, Plan};
use super::scenery::{MixedKernel, SceneryKernel};
use super::tuning::cpu::BAND;
use crate::device::cpu::CpuLevel;
use crate::error::Result;
use crate::filters::remap::{Map, apply_plainly};
use crate::filters::stock::Stock;
use crate::filters::{CpuJob, CpuKernel};
use crate::video::PlanesMut;

/// The kernel.
pub(super) struct Fast {
    plan: Plan,
    level: CpuLevel,
    light: Grid<u16>,
    made: Grid<u16>,
    method: MethodKernel,
    /// How much each sample of chroma is one of skin, for `people`.
    skin: Grid<u16>,
    scratch: Stock<Scratch>,
}

/// What the method works in.
enum MethodKernel {
    Scenery(SceneryKernel),
    People(PeopleKernel),
    Mixed(MixedKernel),
}

impl MethodKernel {
    /// Takes the tables of `method`, which have changed.
    fn take_tables(&mut self, method: &MethodPlan) {
        match (self, method) {
            (MethodKernel::Scenery(kernel), MethodPlan::Scenery(numbers)) => kernel.take_tables(numbers),
            (MethodKernel::Mixed(kernel), MethodPlan::Mixed(numbers)) => kernel.take_tables(numbers),
            // It keeps none.
            _ => {}
        }
    }
}

impl Fast {
    /// The kernel of `plan` at `level`.
    ///
    /// # Errors
    /// When the processor lacks the level.
    pub(super) fn new(plan: Plan, level: CpuLevel) -> Result<Fast> {
        level.require()?;
        let size = (plan.width, plan.height);
        let method = match &plan.method {
            MethodPlan::Scenery(scenery) => MethodKernel::Scenery(SceneryKernel::new(scenery)),
            MethodPlan::People(people) => MethodKernel::People(PeopleKernel::new(people, size.0, size.1)),
            MethodPlan::Mixed(mixed) => MethodKernel::Mixed(MixedKernel::new(mixed)),
        };
        let skin = match &method {
            MethodKernel::People(_) => (size.0.div_ceil(1 << plan.halved.0), size.1.div_ceil(1 << plan.halved.1)),
            _ => (0, 0),
        };
        let (light, made, skin) = (Grid::new(size), Grid::new(size), Grid::new(skin));
        Ok(Fast { scratch: Stock::new(Scratch::new(plan.width)), plan, level, light, made, method, skin })
    }
}

impl CpuKernel for Fast {
    fn run(&mut self, job: CpuJob<'_>) {
        let (src, mut dst) = (job.src.here(), job.dst);
        let Fast { plan, level, light, made, method, skin, scratch } = self;
        if plan.copies {
            return apply_plainly(&[Map::ROWS; 3], src, &mut dst);
        }
        if plan.adapt.is_some() {
            plan.expose(&job.src);
            method.take_tables(&plan.method);
        }
        let cpu = Cpu { exec: job.exec, level: *level, scratch, width: plan.width };
        read(cpu, plan, src, light);
        match (method, &plan.method) {
            (MethodKernel::Scenery(kernel), MethodPlan::Scenery(numbers)) => {
                kernel.run(cpu, plan, numbers, light, made);
            }
            (MethodKernel::Mixed(kernel), MethodPlan::Mixed(numbers)) => kernel.run(cpu, plan, numbers, light, made),
            (MethodKernel::People(kernel), MethodPlan::People(numbers)) => {
                let has_colours = src.len() > 1;
                if has_colours {
                    read_skin(cpu, plan, src, skin);
                }
                kernel.run(cpu, plan, numbers, has_colours.then_some(&*skin), light, made);
            }
            _ => unreachable!("a kernel has its own method's numbers"),
        }
        let (plan, light, made, dst) = (&*plan, &*light, &*made, &dst);
        job.exec.each(plan.height.div_ceil(BAND), |band| {
            let rows = band * BAND..((band + 1) * BAND).min(plan.height);
            let of_chroma = rows.start >> plan.halved.1..rows.end.div_ceil(1 << plan.halved.1);
            let part = |component: usize| {
                let rows = if component == 0 { &rows } else { &of_chroma };
                // SAFETY: bands begin at even rows, so each has other rows of each component; `dst` is borrowed by this call
                // alone.
                unsafe { dst.get(component).band(rows.clone()) }
            };
            let mut to = PlanesMut::new((0..dst.len()).map(part));
            cpu.work(ResultRows { plan, src, light, made, rows: rows.clone(), to: &mut to });
        });
    }

    fn path(&self) -> &'static str {
        self.level.name()
    }
}
