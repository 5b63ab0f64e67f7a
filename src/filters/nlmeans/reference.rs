//! The plain kernel: the definition, offset by offset over whole planes.

use super::plan::{Offset, Plan};
use super::weights::{Mean, compared};
use crate::filters::window::Grid;
use crate::filters::{CpuJob, CpuKernel};
use crate::simd::rows::copy;

/// The scalar kernel.
pub struct Reference {
    plan: Plan,
}

impl Reference {
    pub fn new(plan: Plan) -> Reference {
        Reference { plan }
    }

    /// What becomes of the middle one of these planes.
    fn filtered(&self, planes: &[Grid]) -> Grid {
        let own = &planes[self.plan.frames as usize];
        let (width, height) = own.size();
        let mut means = vec![Mean::default(); width * height];
        for offset in self.plan.offsets() {
            let other = &planes[(self.plan.frames + offset.frame) as usize];
            let sums = self.sums(own, other, offset);
            for (i, (mean, sum)) in means.iter_mut().zip(sums).enumerate() {
                let (x, y) = ((i % width) as isize, (i / width) as isize);
                let difference = i32::from(other.at(x + offset.x, y + offset.y)) - i32::from(own.at(x, y));
                mean.add(self.plan.weights.of(sum), difference);
            }
        }
        own.map(|x, y| means[y as usize * width + x as usize].lane(own.at(x, y), self.plan.wref))
    }

    /// For every sample, the sum of squared differences between its surroundings and those of the one at `offset`.
    fn sums(&self, own: &Grid, other: &Grid, offset: Offset) -> Vec<u32> {
        let (width, height) = own.size();
        let patch = self.plan.patch;
        let square = |x: isize, y: isize| {
            let (a, b) = (compared(own.at(x, y)), compared(other.at(x + offset.x, y + offset.y)));
            u32::from(a.abs_diff(b)).pow(2)
        };
        // Sums along rows, of as many rows more as surroundings reach; then those of columns of them.
        let across: Vec<u32> = (-patch..height as isize + patch)
            .flat_map(|y| {
                let squares: Vec<u32> = (-patch..width as isize + patch).map(|x| square(x, y)).collect();
                squares.windows(2 * patch as usize + 1).map(|window| window.iter().sum()).collect::<Vec<u32>>()
            })
            .collect();
        let down = |i: usize| (0..=2 * patch as usize).map(|row| across[i + row * width]).sum();
        (0..width * height).map(down).collect()
    }
}

impl CpuKernel for Reference {
    fn run(&mut self, job: CpuJob<'_>) {
        let CpuJob { src, mut dst, .. } = job;
        for (index, is_filtered) in self.plan.components.iter().enumerate() {
            let dst = dst.get_mut(index);
            if !is_filtered || dst.height() == 0 {
                copy(&src.here()[index], 0..dst.height(), dst);
                continue;
            }
            let frames = -self.plan.frames..=self.plan.frames;
            let planes: Vec<Grid> = frames.map(|offset| Grid::read(&src.at(0, offset)[index])).collect();
            self.filtered(&planes).write(dst);
        }
    }

    fn path(&self) -> &'static str {
        "reference"
    }
}
