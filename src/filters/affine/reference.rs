//! The plain kernel: the definition, sample by sample.

use super::weights::weigh;
use super::{ComponentPlan, Plan};
use crate::filters::window::Grid;
use crate::filters::{CpuJob, CpuKernel};
use crate::simd::rows::copy;

/// The scalar kernel.
pub struct Reference {
    pub(super) plan: Plan,
}

impl CpuKernel for Reference {
    fn run(&mut self, job: CpuJob<'_>) {
        let CpuJob { src, mut dst, .. } = job;
        for (index, component) in self.plan.components.iter().enumerate() {
            let (src, dst) = (&src.here()[index], dst.get_mut(index));
            match component {
                Some(component) if dst.height() > 0 => shown(component, &self.plan, &Grid::read(src)).write(dst),
                _ => copy(src, 0..dst.height(), dst),
            }
        }
    }

    fn path(&self) -> &'static str {
        "reference"
    }
}

fn shown(component: &ComponentPlan, plan: &Plan, src: &Grid) -> Grid {
    let (width, height) = src.size();
    let lane = |x: isize, y: isize| match component.fill {
        Some(fill) if !(0..width as isize).contains(&x) || !(0..height as isize).contains(&y) => fill,
        _ => src.at(x, y),
    };
    src.map(|i, j| {
        let [x, y] = component.places.at(i as usize, j as usize);
        let row = |dy: isize| [-1, 0, 1, 2].map(|dx| lane(x.whole as isize + dx, y.whole as isize + dy));
        let weights = &plan.weights.0;
        weigh(&[-1, 0, 1, 2].map(row), &weights[x.phase], &weights[y.phase])
    })
}
