//! The plain kernel: the definition, place by place.

use super::{Points, groups};
use crate::filters::{CpuJob, CpuKernel, Setup};
use crate::simd::rows::SIGN;
use crate::video::SampleType;
use std::ops::Range;

/// The kernel.
pub struct Reference {
    points: Points,
    groups: Vec<Range<usize>>,
}

impl Reference {
    /// The kernel of `points`.
    pub fn new(points: Points, setup: &Setup) -> Reference {
        Reference { points, groups: groups(setup.input.format) }
    }
}

impl CpuKernel for Reference {
    fn run(&mut self, job: CpuJob<'_>) {
        let CpuJob { src, mut dst, .. } = job;
        let src = src.here();
        for group in &self.groups {
            let (width, height) = (src[group.start].width(), src[group.start].height());
            for (x, y) in (0..height).flat_map(|y| (0..width).map(move |x| (x, y))) {
                let mut values = [0; 3];
                for c in group.clone() {
                    values[c] = match src[c].layout().sample {
                        SampleType::I16 => src[c].get(x, y) as u16 ^ SIGN,
                        _ => src[c].v16(x, y),
                    };
                }
                self.points.apply(group, &mut values);
                // What a chain leaves where it is stored has no rows here.
                for c in group.clone() {
                    let to = dst.get_mut(c);
                    if y >= to.height() {
                        continue;
                    }
                    match to.layout().sample {
                        SampleType::I16 => to.set(x, y, i32::from((values[c] ^ SIGN) as i16)),
                        _ => to.set_v16(x, y, values[c]),
                    }
                }
            }
        }
    }

    fn path(&self) -> &'static str {
        "reference"
    }
}
