//! The plain kernel: the definition, line by line.

use super::plan::{EXTRA_BITS, EXTRA_HALF, Plan, WHOLE};
use crate::filters::guide::{lane, set_lane};
use crate::filters::{CpuJob, CpuKernel};
use crate::simd::rows::copy;
use crate::video::{PlaneMut, PlaneRef};

/// The scalar kernel.
pub(super) struct Reference {
    plan: Plan,
}

impl Reference {
    pub(super) fn new(plan: Plan) -> Reference {
        Reference { plan }
    }

    fn blur(&self, src: &PlaneRef<'_>, dst: &mut PlaneMut<'_>) {
        let (width, height) = (src.width(), src.height());
        let mut columns: Vec<Vec<i64>> =
            (0..width).map(|x| (0..height).map(|y| i64::from(lane(src, x, y)) << EXTRA_BITS).collect()).collect();
        columns.iter_mut().for_each(|column| self.passes(column));
        for y in 0..height {
            let mut row: Vec<i64> = columns.iter().map(|column| column[y]).collect();
            self.passes(&mut row);
            for (x, value) in row.iter().enumerate() {
                set_lane(dst, x, y, ((value + i64::from(EXTRA_HALF)) >> EXTRA_BITS) as u16);
            }
        }
    }

    fn passes(&self, line: &mut Vec<i64>) {
        for _ in 0..self.plan.passes {
            *line = self.pass(line);
        }
    }

    fn pass(&self, line: &[i64]) -> Vec<i64> {
        let window = &self.plan.window;
        let (r, last) = (window.radius as isize, line.len() as isize - 1);
        let (ends, half) = (i64::from(window.ends), i64::from(window.half));
        let at = |i: isize| line[i.clamp(0, last) as usize];
        let mut sum: i64 = (-r..=r).map(at).sum();
        let mut result = Vec::with_capacity(line.len());
        for i in 0..=last {
            let all = i64::from(WHOLE) * sum + ends * (at(i - r - 1) + at(i + r + 1));
            result.push((all + half).div_euclid(2 * half));
            sum += at(i + r + 1) - at(i - r);
        }
        result
    }
}

impl CpuKernel for Reference {
    fn run(&mut self, job: CpuJob<'_>) {
        let CpuJob { src, mut dst, .. } = job;
        let src = src.here();
        for component in 0..src.len() {
            let (src, dst) = (&src[component], dst.get_mut(component));
            if !self.plan.blurs(component) {
                copy(src, 0..dst.height(), dst);
            } else if dst.height() > 0 {
                self.blur(src, dst);
            }
        }
    }

    fn path(&self) -> &'static str {
        "reference"
    }
}
