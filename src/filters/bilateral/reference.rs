//! The plain kernel: the definition, sample by sample.

use super::plan::Plan;
use super::weights::Weights;
use crate::device::cpu::CpuLevel;
use crate::filters::guide::{lane, luma_at, set_lane};
use crate::filters::{CpuJob, CpuKernel};
use crate::simd::dispatch::by_level;
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
}

impl CpuKernel for Reference {
    fn run(&mut self, job: CpuJob<'_>) {
        let CpuJob { src, mut dst, .. } = job;
        let (src, dst) = (src.here(), &mut dst);
        for component in 0..src.len() {
            let (plane, dst) = (src[component], dst.get_mut(component));
            if !self.plan.filters(component) {
                copy(&plane, 0..dst.height(), dst);
                continue;
            }
            let weights = self.plan.weights(component);
            let lanes = ValuePlane::of(&plane, |x, y| lane(&plane, x, y));
            let (values, guide) = if self.plan.is_guided(component) {
                let luma = ValuePlane::of(&plane, |x, y| luma_at(&src[0], self.plan.subsampling, x, y));
                (lanes.clone(), luma.times(weights.curve.scale))
            } else {
                let scaled = lanes.clone().times(weights.curve.scale);
                (scaled.clone(), scaled)
            };
            // SAFETY: the processor has the level.
            unsafe { filter(CpuLevel::detect(), weights, &lanes, &values, &guide, dst) };
        }
    }

    fn path(&self) -> &'static str {
        "reference"
    }
}

/// A plane of values; beyond it, the nearest one of the border.
#[derive(Clone)]
struct ValuePlane {
    values: Vec<f32>,
    width: usize,
    height: usize,
}

impl ValuePlane {
    /// As many values as `plane` has samples.
    fn of(plane: &PlaneRef<'_>, value: impl Fn(usize, usize) -> i32) -> ValuePlane {
        let (width, height) = (plane.width(), plane.height());
        let values = (0..width * height).map(|i| value(i % width, i / width) as f32).collect();
        ValuePlane { values, width, height }
    }

    /// These, each times `scale`.
    fn times(mut self, scale: f32) -> ValuePlane {
        self.values.iter_mut().for_each(|value| *value *= scale);
        self
    }

    #[inline(always)]
    fn at(&self, x: isize, y: isize) -> f32 {
        let inside = |at: isize, size: usize| at.clamp(0, size as isize - 1) as usize;
        self.values[inside(y, self.height) * self.width + inside(x, self.width)]
    }
}

// Where the compiler does not know of fused multiplications, each is a call.
by_level!(filter = filter_plane(
    weights: &Weights,
    lanes: &ValuePlane,
    values: &ValuePlane,
    guide: &ValuePlane,
    dst: &mut PlaneMut<'_>,
));

/// `values` are averaged by the differences of `guide`, and `lanes` are what the means change.
#[inline(always)]
fn filter_plane(
    weights: &Weights,
    lanes: &ValuePlane,
    values: &ValuePlane,
    guide: &ValuePlane,
    dst: &mut PlaneMut<'_>,
) {
    let (columns, rows) = weights.radii();
    let (columns, rows) = (columns as isize, rows as isize);
    for (x, y) in (0..lanes.height).flat_map(|y| (0..lanes.width).map(move |x| (x as isize, y as isize))) {
        let (mut sum, mut total) = (0.0f32, 0.0f32);
        for v in -rows..=rows {
            let (mut row_sum, mut row_total) = (0.0f32, 0.0f32);
            for u in -columns..=columns {
                // From right to left above the middle: in this order, each of two samples meets the other at the same time.
                let u = if v < 0 { -u } else { u };
                let steer = guide.at(x + u, y + v) - guide.at(x, y);
                let weight = weights.curve.weight::<4>(steer, weights.across[u.unsigned_abs()]);
                row_sum = weight.mul_add(values.at(x + u, y + v) - values.at(x, y), row_sum);
                row_total += weight;
            }
            let down = weights.down[v.unsigned_abs()];
            sum = down.mul_add(row_sum, sum);
            total = down.mul_add(row_total, total);
        }
        let lane = lanes.at(x, y) + weights.change(sum, total);
        set_lane(dst, x as usize, y as usize, lane.clamp(0.0, 65535.0) as u16);
    }
}
