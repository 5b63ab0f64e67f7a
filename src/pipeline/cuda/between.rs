//! The buffers between the kernels of a part on a device, and the planes that each kernel gets.

use crate::device::cuda::{CudaDevice, DevicePicture, DevicePlane, DevicePlanes, Stream};
use crate::error::Result;
use crate::filters::{CudaJob, CudaKernel, Frames, InputWindow, Reach};
use crate::pipeline::ChainPlan;
use crate::pipeline::parts::Part;
use crate::pipeline::route::{Buffer, Holder, Location, MOST_INPUTS, Route, StepInput};
use crate::video::{FrameProps, emptied};

/// The buffers between kernels, made up front, for each frame that is made at a time.
pub struct Between {
    route: Route,
    buffers: Vec<Vec<DevicePicture>>,
    /// Frames around the one at hand that are given of each input.
    reaches: Vec<Reach>,
    batch: Batch,
}

/// What a kernel is given for several frames at a time; empty but while it is.
#[derive(Default)]
struct Batch {
    planes: Vec<KernelPlanes<'static>>,
    windows: Vec<[InputWindow<'static, DevicePlanes>; MOST_INPUTS]>,
    jobs: Vec<CudaJob<'static>>,
}

impl Between {
    /// Bytes that they take for `part` of `plan`, for a frame at a time.
    ///
    /// # Errors
    /// When they cannot be counted.
    pub fn bytes(plan: &ChainPlan, part: &Part) -> Result<usize> {
        Route::of(plan, part)?.bytes(DevicePicture::bytes)
    }

    /// The buffers that `part` of `plan` needs for `batch` frames at a time.
    ///
    /// # Errors
    /// When the device's memory or the budget does not cover them.
    pub fn new(plan: &ChainPlan, part: &Part, device: &CudaDevice, batch: usize) -> Result<Between> {
        let route = Route::of(plan, part)?;
        let buffer = |buffer: &Buffer| DevicePicture::alloc(device, buffer.format, buffer.size.0, buffer.size.1);
        let buffers = (0..batch).map(|_| route.buffers.iter().map(buffer).collect()).collect::<Result<_>>()?;
        let reaches = part.inputs.iter().map(|input| input.reach).collect();
        Ok(Between { buffers, route, reaches, batch: Batch::default() })
    }

    /// The last kernel that reads input `input` of the part.
    pub fn reads_until(&self, input: usize) -> usize {
        self.route.reads_until(input)
    }

    /// Puts `work`, kernel number `kernel` of the part, into `stream`: for `frames` at once, the first of which has place number
    /// `first` among those that are made at a time. A component that stays where it is has a target of no rows.
    ///
    /// # Errors
    /// When the device refuses the work.
    pub fn enqueue(
        &mut self,
        kernel: usize,
        work: &mut dyn CudaKernel,
        first: usize,
        frames: &[PartFrame<'_>],
        record: u64,
        stream: &Stream,
    ) -> Result<()> {
        if let [frame] = frames {
            let planes = self.planes(kernel, first, frame);
            let windows = planes.windows();
            return work.enqueue(&planes.job(frame, &windows, record, stream));
        }
        let Batch { planes, windows, jobs } = std::mem::take(&mut self.batch);
        let (mut planes, mut windows, mut jobs) = (emptied(planes), emptied(windows), emptied(jobs));
        planes.extend(frames.iter().enumerate().map(|(i, frame)| self.planes(kernel, first + i, frame)));
        windows.extend(planes.iter().map(KernelPlanes::windows));
        let each = frames.iter().zip(&planes).zip(&windows);
        jobs.extend(each.map(|((frame, planes), windows)| planes.job(frame, windows, record, stream)));
        let done = work.enqueue_batch(&jobs);
        self.batch = Batch { jobs: emptied(jobs), windows: emptied(windows), planes: emptied(planes) };
        done
    }

    /// What kernel `kernel` reads and writes for a frame.
    fn planes<'a>(&self, kernel: usize, place: usize, frame: &PartFrame<'a>) -> KernelPlanes<'a> {
        let PartFrame { inputs, dst, .. } = *frame;
        let step = &self.route.steps[kernel];
        let at = |location: Location| match location.holder {
            Holder::Input(input) => inputs[input][self.reaches[input].before as usize][location.component],
            Holder::Buffer(buffer) => self.buffers[place][buffer].planes()[location.component],
            Holder::Result => dst[location.component],
        };
        let nowhere = |location: Location| DevicePlane { height: 0, ..at(location) };
        let read = |from: &StepInput| match from {
            StepInput::Components(places) => Read::Picture(gather(places.iter().map(|place| at(*place)))),
            StepInput::Window { input, reach } => {
                let first = (self.reaches[*input].before - reach.before) as usize;
                Read::Window(InputWindow::new(&inputs[*input][first..][..reach.frames()], *reach))
            }
        };
        KernelPlanes {
            from: std::array::from_fn(|i| step.from.get(i).map(read)),
            dst: gather(step.to.iter().map(|to| to.map_or_else(nowhere, at))),
        }
    }
}

/// A frame for a part to make.
#[derive(Clone, Copy)]
pub struct PartFrame<'a> {
    /// Its properties, and its place in the part's cycle.
    pub props: &'a FrameProps,
    /// See [`CudaJob::phase`].
    pub phase: usize,
    /// The frames in reach, of each of the part's inputs.
    pub inputs: &'a [Vec<DevicePlanes>],
    /// The result.
    pub dst: DevicePlanes,
}

/// The pictures that a kernel makes a frame of, and to which.
struct KernelPlanes<'a> {
    from: [Option<Read<'a>>; MOST_INPUTS],
    dst: DevicePlanes,
}

/// An input of a kernel.
enum Read<'a> {
    /// Components that may lie apart.
    Picture(DevicePlanes),
    Window(InputWindow<'a, DevicePlanes>),
}

impl KernelPlanes<'_> {
    fn windows(&self) -> [InputWindow<'_, DevicePlanes>; MOST_INPUTS] {
        self.from.each_ref().map(|read| match read {
            Some(Read::Picture(planes)) => InputWindow::of(planes),
            Some(Read::Window(window)) => *window,
            None => InputWindow::NONE,
        })
    }

    /// The kernel's job, which reads `windows`.
    fn job<'a>(
        &'a self,
        frame: &PartFrame<'a>,
        windows: &'a [InputWindow<'a, DevicePlanes>],
        record: u64,
        stream: &'a Stream,
    ) -> CudaJob<'a> {
        let src = Frames::new(&windows[..self.from.iter().flatten().count()]);
        CudaJob { props: frame.props, phase: frame.phase, src, dst: &self.dst, record, stream }
    }
}

/// One to three planes as a picture.
fn gather(mut planes: impl Iterator<Item = DevicePlane>) -> DevicePlanes {
    let first = planes.next().expect("a picture has a component");
    match (planes.next(), planes.next()) {
        (Some(second), Some(third)) => DevicePlanes::new(&[first, second, third]),
        _ => DevicePlanes::new(&[first]),
    }
}
