//! The plain kernel: the definition, line by line.

use super::plan::{DROP, Plan, Table};
use crate::filters::guide::{lane, luma_at, set_lane};
use crate::filters::{CpuJob, CpuKernel};
use crate::simd::rows::copy;
use crate::video::PlaneMut;

/// The scalar kernel.
pub(super) struct Reference {
    plan: Plan,
}

impl Reference {
    pub(super) fn new(plan: Plan) -> Reference {
        Reference { plan }
    }

    /// Smooths the lanes of `dst`'s samples, row by row, as `guide` steers.
    fn smooth(&self, lanes: &[i32], guide: &[i32], dst: &mut PlaneMut<'_>) {
        let (width, height) = (dst.width(), dst.height());
        let mut values: Vec<f32> = lanes.iter().map(|lane| *lane as f32).collect();
        for table in self.plan.tables.iter() {
            for y in 0..height {
                sweep(&mut values, guide, table, &(0..width).map(|x| y * width + x).collect::<Vec<_>>());
            }
            for x in 0..width {
                sweep(&mut values, guide, table, &(0..height).map(|y| y * width + x).collect::<Vec<_>>());
            }
        }
        for (i, value) in values.iter().enumerate() {
            set_lane(dst, i % width, i / width, (value + 0.5) as u16);
        }
    }
}

/// Goes forth and back along the samples of a line, which lie at `line`.
fn sweep(values: &mut [f32], guide: &[i32], table: &Table, line: &[usize]) {
    let mut step = |from: usize, to: usize| {
        let weight = table[(guide[to].abs_diff(guide[from]) >> DROP) as usize];
        values[to] = weight.mul_add(values[from] - values[to], values[to]);
    };
    for pair in line.windows(2) {
        step(pair[0], pair[1]);
    }
    for pair in line.windows(2).rev() {
        step(pair[1], pair[0]);
    }
}

impl CpuKernel for Reference {
    fn run(&mut self, job: CpuJob<'_>) {
        let CpuJob { src, mut dst, .. } = job;
        let src = src.here();
        for component in 0..src.len() {
            let (plane, dst) = (&src[component], dst.get_mut(component));
            if !self.plan.filters(component) {
                copy(plane, 0..dst.height(), dst);
            } else if dst.height() > 0 {
                let all = |value: &dyn Fn(usize, usize) -> i32| -> Vec<i32> {
                    let (width, height) = (plane.width(), plane.height());
                    (0..width * height).map(|i| value(i % width, i / width)).collect()
                };
                let lanes = all(&|x, y| lane(plane, x, y));
                if self.plan.is_guided(component) {
                    let luma = all(&|x, y| luma_at(&src[0], self.plan.subsampling, x, y));
                    self.smooth(&lanes, &luma, dst);
                } else {
                    self.smooth(&lanes, &lanes, dst);
                }
            }
        }
    }

    fn path(&self) -> &'static str {
        "reference"
    }
}
