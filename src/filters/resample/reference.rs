//! The plain kernel.

use super::plan::{ComponentPlan, Plan, SampleSource};
use super::taps::Taps;
use crate::filters::{CpuJob, CpuKernel};
use crate::simd::rows::{copy, narrow, widen};
use crate::video::{PlaneMut, PlaneRef};

/// The kernel.
pub struct Reference(pub Plan);

impl CpuKernel for Reference {
    fn run(&mut self, job: CpuJob<'_>) {
        let CpuJob { src, mut dst, .. } = job;
        for (index, component) in self.0.components.iter().enumerate() {
            let dst = dst.get_mut(index);
            match component.source {
                SampleSource::Lane(lane) => {
                    (0..dst.height()).for_each(|y| narrow(dst, 0, y, &vec![lane; dst.width()]));
                }
                SampleSource::Component(from) if component.copies() => copy(&src.here()[from], 0..dst.height(), dst),
                SampleSource::Component(from) => resample(component, &self.0, &src.here()[from], dst),
            }
        }
    }

    fn path(&self) -> &'static str {
        "reference"
    }
}

/// Samples between the directions: never rounded, never clamped.
struct Samples {
    width: usize,
    height: usize,
    values: Vec<f32>,
}

impl Samples {
    fn of(width: usize, height: usize, value: impl Fn(usize, usize) -> f32) -> Samples {
        let values = (0..height).flat_map(|y| (0..width).map(move |x| (x, y))).map(|(x, y)| value(x, y)).collect();
        Samples { width, height, values }
    }

    fn at(&self, x: usize, y: usize) -> f32 {
        self.values[y * self.width + x]
    }

    fn across(self, taps: Option<&Taps>, antiring: f32) -> Samples {
        let Some(taps) = taps else { return self };
        Samples::of(taps.first.len(), self.height, |x, y| weigh(taps, x, self.width, antiring, |from| self.at(from, y)))
    }

    fn down(self, taps: Option<&Taps>, antiring: f32) -> Samples {
        let Some(taps) = taps else { return self };
        Samples::of(self.width, taps.first.len(), |x, y| weigh(taps, y, self.height, antiring, |from| self.at(x, from)))
    }
}

/// The weighted sum of sample `at`, from the first to the last: each step is one fused multiplication and addition.
fn weigh(taps: &Taps, at: usize, from: usize, antiring: f32, sample: impl Fn(usize) -> f32) -> f32 {
    let mut sum = 0.0f32;
    for (k, weight) in taps.weights_of(at).iter().enumerate() {
        sum = sample((taps.first[at] + k * taps.stride).min(from - 1)).mul_add(*weight, sum);
    }
    let Some(beside) = &taps.beside else { return sum };
    let [left, right] = beside[at].map(&sample);
    held(sum, left, right, antiring)
}

/// `sum`, brought towards what lies between two samples by the share `antiring`.
#[inline(always)]
pub fn held(sum: f32, left: f32, right: f32, antiring: f32) -> f32 {
    let between = sum.max(left.min(right)).min(left.max(right));
    (between - sum).mul_add(antiring, sum)
}

/// The lane of a sum.
#[inline(always)]
pub fn lane(sum: f32) -> u16 {
    (sum + 0.5).clamp(0.0, 65_535.0) as u16
}

fn resample(component: &ComponentPlan, plan: &Plan, src: &PlaneRef<'_>, dst: &mut PlaneMut<'_>) {
    let antiring = plan.antiring;
    let mut lanes = vec![0; src.width() * src.height()];
    for (y, row) in lanes.chunks_exact_mut(src.width()).enumerate() {
        widen(src, 0, y, row);
    }
    let light = component.light.as_deref();
    let samples = Samples::of(src.width(), src.height(), |x, y| {
        let lane = lanes[y * src.width() + x];
        light.map_or(f32::from(lane), |light| light.from_lane[usize::from(lane)])
    });
    let (across, down) = (component.across.as_ref(), component.down.as_ref());
    let samples = match plan.down_first {
        true => samples.down(down, antiring).across(across, antiring),
        false => samples.across(across, antiring).down(down, antiring),
    };
    for (y, row) in samples.values.chunks_exact(samples.width).take(dst.height()).enumerate() {
        let lanes: Vec<u16> = row.iter().map(|sum| lane(light.map_or(*sum, |light| light.lane(*sum)))).collect();
        narrow(dst, 0, y, &lanes);
    }
}
