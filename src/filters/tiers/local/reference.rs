//! The plain kernel: the definition, sample by sample.

use super::plan::{ComponentPlan, Plan};
use super::{ComponentSource, Local, Near};
use crate::filters::{CpuJob, CpuKernel};
use crate::simd::rows::{SIGN, copy};
use crate::video::{PlaneMut, PlaneRef, SampleType};

/// The scalar kernel.
pub(super) struct Reference<T: Local> {
    plan: Plan<T>,
}

impl<T: Local> Reference<T> {
    pub(super) fn new(plan: Plan<T>) -> Reference<T> {
        Reference { plan }
    }
}

impl<T: Local> CpuKernel for Reference<T> {
    fn run(&mut self, job: CpuJob<'_>) {
        let CpuJob { props, src, mut dst, .. } = job;
        let applies = self.plan.applies(props);
        for (index, component) in self.plan.components.iter().enumerate() {
            let dst = dst.get_mut(index);
            copy(&src.here()[index], 0..dst.height(), dst);
            let Some(component) = component.as_ref().filter(|_| applies && dst.height() > 0) else { continue };
            let planes = component.sources.iter().map(|source| src.at(source.input, source.offset)[source.component]);
            let planes: Vec<PlaneRef<'_>> = planes.collect();
            for y in component.area.rows.clone() {
                for x in component.area.columns.clone() {
                    let place = SamplePosition { component, planes: &planes, x: x as isize, y: y as isize };
                    set(dst, x, y, T::sample(&component.consts, &place));
                }
            }
        }
    }

    fn path(&self) -> &'static str {
        "reference"
    }
}

/// A sample's place.
struct SamplePosition<'a, C> {
    component: &'a ComponentPlan<C>,
    planes: &'a [PlaneRef<'a>],
    x: isize,
    y: isize,
}

impl<C> Near<u16> for SamplePosition<'_, C> {
    fn at(&self, source: usize, dx: isize, dy: isize) -> u16 {
        let (plane, ComponentSource { origin, shrink, .. }) = (&self.planes[source], self.component.sources[source]);
        let (x, y) = ((self.x + dx - origin.0) << shrink.0, (self.y + dy - origin.1) << shrink.1);
        if shrink == (0, 0) {
            return u16::try_from(nearest(plane, x, y)).expect("16 bits");
        }
        let (right, below) = (x + isize::from(shrink.0 > 0), y + isize::from(shrink.1 > 0));
        let sum =
            nearest(plane, x, y) + nearest(plane, right, y) + nearest(plane, x, below) + nearest(plane, right, below);
        ((sum + 2) / 4) as u16
    }

    fn look_up(&self, value: u16) -> u16 {
        self.component.table[usize::from(value)]
    }
}

/// The lane of the sample of `plane` that is nearest to (x, y).
fn nearest(plane: &PlaneRef<'_>, x: isize, y: isize) -> u32 {
    let inside = |at: isize, len: usize| at.clamp(0, len as isize - 1) as usize;
    let (x, y) = (inside(x, plane.width()), inside(y, plane.height()));
    u32::from(match plane.layout().sample {
        SampleType::I16 => plane.get(x, y) as u16 ^ SIGN,
        _ => plane.v16(x, y),
    })
}

fn set(dst: &mut PlaneMut<'_>, x: usize, y: usize, lane: u16) {
    match dst.layout().sample {
        SampleType::I16 => dst.set(x, y, i32::from((lane ^ SIGN) as i16)),
        _ => dst.set_v16(x, y, lane),
    }
}
