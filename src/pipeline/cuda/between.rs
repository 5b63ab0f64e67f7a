//! The pictures between the kernels of a chain on a device, and the planes that each kernel gets.

use crate::device::cuda::{CudaDevice, DevicePicture, DevicePlane, DevicePlanes};
use crate::error::Result;
use crate::pipeline::Plan;
use crate::pipeline::route::{Group, Place, Route};

/// The pictures between kernels, made up front.
pub struct Between {
    route: Route,
    /// For each group of the route.
    pictures: Vec<Vec<DevicePicture>>,
}

impl Between {
    /// Bytes that they take for `plan`.
    ///
    /// # Errors
    /// When they cannot be counted.
    pub fn bytes(plan: &Plan) -> Result<usize> {
        Route::of(plan)?.bytes(DevicePicture::bytes)
    }

    /// The pictures that `plan` needs.
    ///
    /// # Errors
    /// When the device's memory or the budget does not cover them.
    pub fn new(plan: &Plan, device: &CudaDevice) -> Result<Between> {
        let route = Route::of(plan)?;
        let picture = |group: &Group| DevicePicture::alloc(device, group.format, group.size.0, group.size.1);
        let pictures = |group: &Group| (0..group.count).map(|_| picture(group)).collect();
        Ok(Between { pictures: route.groups.iter().map(pictures).collect::<Result<_>>()?, route })
    }

    /// The last kernel that reads the source.
    pub fn reads_source_until(&self) -> usize {
        self.route.reads_source_until()
    }

    /// What kernel `kernel` reads and writes, on the way from `src` to `dst`. A component that stays where it is has a
    /// target of no rows.
    pub fn planes(&self, kernel: usize, src: &DevicePlanes, dst: &DevicePlanes) -> [DevicePlanes; 2] {
        let step = &self.route.steps[kernel];
        let at = |component: usize, place: Place| match place {
            Place::Source => src[component],
            Place::Result => dst[component],
            Place::Between(n) => self.plane(component, n),
        };
        let from: Vec<_> = (0..src.len()).map(|component| at(component, step.from[component])).collect();
        let nowhere = |component: usize| DevicePlane { height: 0, ..from[component] };
        let to = |component: usize| step.to[component].map_or_else(|| nowhere(component), |place| at(component, place));
        let to: Vec<_> = (0..src.len()).map(to).collect();
        [DevicePlanes::new(&from), DevicePlanes::new(&to)]
    }

    /// Component `component` of its picture number `n`.
    fn plane(&self, component: usize, n: usize) -> DevicePlane {
        let group = component.min(self.pictures.len() - 1);
        self.pictures[group][n].planes()[component - self.route.groups[group].first]
    }
}
