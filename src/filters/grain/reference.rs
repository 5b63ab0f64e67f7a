//! The plain kernel: the definition, sample by sample.

use super::plan::Plan;
use super::template::{BLOCK, OVERLAP, Template, blend, place, templates};
use crate::filters::guide::{lane, luma_at, set_lane};
use crate::filters::{CpuJob, CpuKernel};
use crate::simd::rows::copy;

/// The scalar kernel.
pub(super) struct Reference {
    plan: Plan,
    templates: Vec<Option<Template>>,
}

impl Reference {
    pub(super) fn new(plan: Plan) -> Reference {
        Reference { templates: templates(&plan), plan }
    }
}

/// The grain at (`x`, `y`) of a component.
fn grain(template: &Template, key: u64, x: usize, y: usize) -> i16 {
    let (column, across, row, down) = (x / BLOCK, x % BLOCK, y / BLOCK, y % BLOCK);
    let in_row = |row: usize, down: usize| {
        let own = template.row(place(key, column, row), down)[across];
        if column == 0 || across >= OVERLAP {
            return own;
        }
        blend(across, template.row(place(key, column - 1, row), down)[BLOCK + across], own)
    };
    let own = in_row(row, down);
    if row == 0 || down >= OVERLAP { own } else { blend(down, in_row(row - 1, BLOCK + down), own) }
}

impl CpuKernel for Reference {
    fn run(&mut self, job: CpuJob<'_>) {
        let CpuJob { props, src, mut dst, .. } = job;
        let (src, key) = (src.here(), self.plan.key(props.frame_index));
        for (index, component) in self.plan.components.iter().enumerate() {
            let (plane, dst) = (src[index], dst.get_mut(index));
            let Some(template) = &self.templates[index] else {
                copy(&plane, 0..dst.height(), dst);
                continue;
            };
            for (x, y) in (0..dst.height()).flat_map(|y| (0..plane.width()).map(move |x| (x, y))) {
                let own = lane(&plane, x, y) as u16;
                let luma = || luma_at(&src[0], self.plan.subsampling, x, y) as u16;
                let steer = if component.follows_luma { luma() } else { own };
                let made = self.plan.curve.grained(component, own, steer, grain(template, key, x, y));
                set_lane(dst, x, y, made);
            }
        }
    }

    fn path(&self) -> &'static str {
        "reference"
    }
}
