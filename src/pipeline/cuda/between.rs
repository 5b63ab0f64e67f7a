//! The buffers between the kernels of a part on a device, and the planes that each kernel gets.

use crate::device::cuda::{CudaDevice, DevicePicture, DevicePlane, DevicePlanes};
use crate::error::Result;
use crate::filters::{Frames, InputWindow, Reach};
use crate::pipeline::ChainPlan;
use crate::pipeline::parts::Part;
use crate::pipeline::route::{Buffer, Holder, Location, Route, StepInput};

/// The buffers between kernels, made up front.
pub struct Between {
    route: Route,
    buffers: Vec<DevicePicture>,
    /// Frames around the one at hand that are given of each input.
    reaches: Vec<Reach>,
}

impl Between {
    /// Bytes that they take for `part` of `plan`.
    ///
    /// # Errors
    /// When they cannot be counted.
    pub fn bytes(plan: &ChainPlan, part: &Part) -> Result<usize> {
        Route::of(plan, part)?.bytes(DevicePicture::bytes)
    }

    /// The buffers that `part` of `plan` needs.
    ///
    /// # Errors
    /// When the device's memory or the budget does not cover them.
    pub fn new(plan: &ChainPlan, part: &Part, device: &CudaDevice) -> Result<Between> {
        let route = Route::of(plan, part)?;
        let buffer = |buffer: &Buffer| DevicePicture::alloc(device, buffer.format, buffer.size.0, buffer.size.1);
        let reaches = part.inputs.iter().map(|input| input.reach).collect();
        Ok(Between { buffers: route.buffers.iter().map(buffer).collect::<Result<_>>()?, route, reaches })
    }

    /// The last kernel that reads input `input` of the part.
    pub fn reads_until(&self, input: usize) -> usize {
        self.route.reads_until(input)
    }

    /// Calls `work` with what kernel `kernel` reads and writes, given `inputs`, the frames in reach of each of the
    /// part's inputs, to `dst`. A component that stays where it is has a target of no rows.
    pub fn with_planes<R>(
        &self,
        kernel: usize,
        inputs: &[Vec<DevicePlanes>],
        dst: &DevicePlanes,
        work: impl FnOnce(Frames<'_, DevicePlanes>, &DevicePlanes) -> R,
    ) -> R {
        let step = &self.route.steps[kernel];
        let at = |place: Location| match place.holder {
            Holder::Input(input) => inputs[input][self.reaches[input].before as usize][place.component],
            Holder::Buffer(buffer) => self.buffers[buffer].planes()[place.component],
            Holder::Result => dst[place.component],
        };
        let nowhere = |place: Location| DevicePlane { height: 0, ..at(place) };
        let to = gather(step.to.iter().map(|to| to.map_or_else(nowhere, at)));
        let single: [Option<DevicePlanes>; MOST_INPUTS] = std::array::from_fn(|i| match step.from.get(i)? {
            StepInput::Components(places) => Some(gather(places.iter().map(|place| at(*place)))),
            StepInput::Window { .. } => None,
        });
        let window = |i: usize| match (step.from.get(i), &single[i]) {
            (_, Some(planes)) => InputWindow::of(planes),
            (Some(StepInput::Window { input, reach }), None) => {
                let first = (self.reaches[*input].before - reach.before) as usize;
                InputWindow::new(&inputs[*input][first..][..reach.frames()], *reach)
            }
            _ => InputWindow::of(dst),
        };
        let windows: [InputWindow<'_, DevicePlanes>; MOST_INPUTS] = std::array::from_fn(window);
        work(Frames::new(&windows[..step.from.len()]), &to)
    }
}

/// Inputs that a kernel may have: nothing is allocated for a launch.
const MOST_INPUTS: usize = 4;

/// One to three planes as a picture.
fn gather(mut planes: impl Iterator<Item = DevicePlane>) -> DevicePlanes {
    let first = planes.next().expect("a picture has a component");
    match (planes.next(), planes.next()) {
        (Some(second), Some(third)) => DevicePlanes::new(&[first, second, third]),
        _ => DevicePlanes::new(&[first]),
    }
}
