//! The plain kernel: the definition, plane by plane.

use super::{Grid, Plan, WindowOp};
use crate::filters::{CpuJob, CpuKernel};
use crate::simd::rows::copy;

/// The scalar kernel.
pub(super) struct Reference<O> {
    plan: Plan<O>,
}

impl<O: WindowOp> Reference<O> {
    pub(super) fn new(plan: Plan<O>) -> Reference<O> {
        Reference { plan }
    }
}

impl<O: WindowOp> CpuKernel for Reference<O> {
    fn run(&mut self, job: CpuJob<'_>) {
        let CpuJob { src, mut dst, .. } = job;
        for (index, op) in self.plan.ops.iter().enumerate() {
            let (src, dst) = (&src.here()[index], dst.get_mut(index));
            match op {
                Some(op) if dst.height() > 0 => op.plain(&Grid::read(src)).write(dst),
                _ => copy(src, 0..dst.height(), dst),
            }
        }
    }

    fn path(&self) -> &'static str {
        "reference"
    }
}
