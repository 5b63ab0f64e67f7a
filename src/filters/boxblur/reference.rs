//! The plain kernel: the definition, with the sum of a window taken row by row of it.

use super::plan::Plan;
use crate::filters::{CpuJob, CpuKernel};
use crate::simd::rows::copy;
use crate::video::{PlaneMut, PlaneRef, SampleType};

/// The scalar kernel.
pub(super) struct Reference {
    plan: Plan,
}

impl Reference {
    pub(super) fn new(plan: Plan) -> Reference {
        Reference { plan }
    }

    /// The means of one pass over a plane of rows of `width` values.
    fn pass(&self, values: &[i64], width: usize) -> Vec<i64> {
        let (columns, rows) = self.plan.window();
        let height = values.len() / width;
        let count = (columns * rows) as i64;
        // Sums of the windows' rows, then of those.
        let across: Vec<i64> = values.chunks(width).flat_map(|row| sums(row, self.plan.radius_w)).collect();
        let mut means = vec![0; values.len()];
        for x in 0..width {
            let column: Vec<i64> = (0..height).map(|y| across[y * width + x]).collect();
            for (y, sum) in sums(&column, self.plan.radius_h).enumerate() {
                means[y * width + x] = (sum + (count - 1) / 2).div_euclid(count);
            }
        }
        means
    }
}

/// For each of `values` the sum of those up to `radius` away, the nearest one standing in beyond the ends.
fn sums(values: &[i64], radius: usize) -> impl Iterator<Item = i64> {
    let last = values.len() - 1;
    (0..values.len()).map(move |at| (at..=at + 2 * radius).map(|i| values[i.saturating_sub(radius).min(last)]).sum())
}

/// The values of a plane, row by row: v16, or YC48's own.
fn read(src: PlaneRef<'_>) -> Vec<i64> {
    let value = |x, y| match src.layout().sample {
        SampleType::I16 => i64::from(src.get(x, y)),
        _ => i64::from(src.v16(x, y)),
    };
    (0..src.height()).flat_map(|y| (0..src.width()).map(move |x| value(x, y))).collect()
}

fn write(dst: &mut PlaneMut<'_>, values: &[i64]) {
    for (i, value) in values.iter().enumerate() {
        let (x, y) = (i % dst.width(), i / dst.width());
        match dst.layout().sample {
            SampleType::I16 => dst.set(x, y, *value as i32),
            _ => dst.set_v16(x, y, *value as u16),
        }
    }
}

impl CpuKernel for Reference {
    fn run(&mut self, job: CpuJob<'_>) {
        let CpuJob { src, mut dst, .. } = job;
        let (src, dst) = (src.here(), &mut dst);
        for component in 0..src.len() {
            let (src, dst) = (src[component], dst.get_mut(component));
            if self.plan.blurs(component) {
                let pass = |values: Vec<i64>, _| self.pass(&values, src.width());
                write(dst, &(0..self.plan.passes).fold(read(src), pass));
            } else {
                copy(&src, 0..dst.height(), dst);
            }
        }
    }

    fn path(&self) -> &'static str {
        "reference"
    }
}
