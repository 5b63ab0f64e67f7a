//! The plain kernel: the definition, sample by sample.

use super::plan::Plan;
use super::weights::{EXTRA_BITS, WEIGHT_BITS};
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

    fn blur(&self, src: PlaneRef<'_>, dst: &mut PlaneMut<'_>) {
        let signed = src.layout().sample == SampleType::I16;
        let value = |x, y| i64::from(if signed { src.get(x, y) } else { i32::from(src.v16(x, y)) });
        let drop = WEIGHT_BITS - EXTRA_BITS;
        for y in 0..dst.height() {
            let column = |x| rounded(self.weigh(y, src.height(), |y| value(x, y)), drop);
            let columns: Vec<i64> = (0..src.width()).map(column).collect();
            for x in 0..src.width() {
                let result = rounded(self.weigh(x, src.width(), |x| columns[x]), WEIGHT_BITS + EXTRA_BITS);
                if signed {
                    dst.set(x, y, result as i32);
                } else {
                    dst.set_v16(x, y, result as u16);
                }
            }
        }
    }

    /// The weighted sum of the values around `at`, the nearest one standing in for those outside `0..len`.
    fn weigh(&self, at: usize, len: usize, value: impl Fn(usize) -> i64) -> i64 {
        let side = |i: usize| value(at.saturating_sub(i)) + value((at + i).min(len - 1));
        let sides = self.plan.weights.iter().enumerate().skip(1).map(|(i, weight)| i64::from(*weight) * side(i));
        i64::from(self.plan.weights[0]) * value(at) + sides.sum::<i64>()
    }
}

/// Drops `bits` bits, rounding half up.
fn rounded(sum: i64, bits: u32) -> i64 {
    (sum + (1 << (bits - 1))) >> bits
}

impl CpuKernel for Reference {
    fn run(&mut self, job: CpuJob<'_>) {
        let CpuJob { src, mut dst, .. } = job;
        let (src, dst) = (src.here(), &mut dst);
        for component in 0..src.len() {
            let (src, dst) = (src[component], dst.get_mut(component));
            if self.plan.blurs(component) {
                self.blur(src, dst);
            } else {
                copy(&src, 0..src.height(), dst);
            }
        }
    }

    fn path(&self) -> &'static str {
        "reference"
    }
}
