//! A kernel's work on one frame.

use crate::device::cpu::CpuExec;
#[cfg(feature = "cuda")]
use crate::device::cuda::{DevicePlanes, Stream};
#[cfg(feature = "cuda")]
use crate::error::Result;
#[cfg(feature = "cuda")]
use crate::filters::CudaKernel;
use crate::filters::{CpuKernel, Reach};
use crate::video::{FrameProps, Planes, PlanesMut, Record};

/// The frames of one input that a job reads.
#[derive(Clone, Copy, Debug)]
pub struct InputWindow<'a, P> {
    frames: &'a [P],
    before: usize,
}

impl<'a, P> InputWindow<'a, P> {
    /// Of an input that there is not.
    pub(crate) const NONE: InputWindow<'a, P> = InputWindow { frames: &[], before: 0 };

    /// `frames` in order, with `reach.before` of them before the one at offset 0.
    ///
    /// # Panics
    /// When there are not as many as the reach spans.
    pub fn new(frames: &'a [P], reach: Reach) -> InputWindow<'a, P> {
        assert_eq!(frames.len(), reach.frames(), "a window has every frame of its reach");
        InputWindow { frames, before: reach.before as usize }
    }

    /// The frame of one that is read alone.
    pub fn of(frame: &'a P) -> InputWindow<'a, P> {
        InputWindow { frames: std::slice::from_ref(frame), before: 0 }
    }
}

/// The frames that a job reads, of every input. Beyond the ends of a stream they are the nearest that there are.
#[derive(Clone, Copy, Debug)]
pub struct Frames<'a, P> {
    windows: &'a [InputWindow<'a, P>],
}

impl<'a, P> Frames<'a, P> {
    /// A window for each input, the chain's own first.
    pub fn new(windows: &'a [InputWindow<'a, P>]) -> Frames<'a, P> {
        Frames { windows }
    }

    /// The chain's own frame.
    pub fn here(&self) -> &'a P {
        self.at(0, 0)
    }

    /// The frame of `input` that is `offset` frames later.
    ///
    /// # Panics
    /// When the filter did not say that it reads it.
    pub fn at(&self, input: usize, offset: isize) -> &'a P {
        let InputWindow { frames, before } = self.windows[input];
        &frames[before.checked_add_signed(offset).expect("a frame inside the reach")]
    }

    /// Number of inputs.
    pub fn inputs(&self) -> usize {
        self.windows.len()
    }
}

/// One frame for a [`CpuKernel`].
#[derive(Debug)]
pub struct CpuJob<'a> {
    /// Properties of the frame that is made.
    pub props: &'a FrameProps,
    /// The frame's place in its [`Cycle`](crate::filters::Cycle): 0 where there is a frame out for each in.
    pub phase: usize,
    /// What is read.
    pub src: Frames<'a, Planes<'a>>,
    /// What is written.
    pub dst: PlanesMut<'a>,
    /// Takes what a filter that measures has measured.
    pub record: &'a mut Record,
    /// Threads and vector level.
    pub exec: &'a CpuExec,
}

impl dyn CpuKernel + '_ {
    /// Filters one frame of a filter that reads nothing but the frame itself, and measures nothing.
    pub fn run_alone(&mut self, props: &FrameProps, src: &Planes<'_>, dst: &mut PlanesMut<'_>, exec: &CpuExec) {
        let windows = [InputWindow::of(src)];
        let (dst, record) = (PlanesMut::new(dst.each_mut()), &mut Record::default());
        self.run(CpuJob { props, phase: 0, src: Frames::new(&windows), dst, record, exec });
    }
}

/// One frame for a [`CudaKernel`].
#[cfg(feature = "cuda")]
#[derive(Clone, Copy)]
pub struct CudaJob<'a> {
    /// Properties of the frame that is made.
    pub props: &'a FrameProps,
    /// The frame's place in its [`Cycle`](crate::filters::Cycle): 0 where there is a frame out for each in.
    pub phase: usize,
    /// What is read.
    pub src: Frames<'a, DevicePlanes>,
    /// What is written.
    pub dst: &'a DevicePlanes,
    /// The device's address of the zeroed bytes of [`Measure`](crate::filters::Measure), aligned to 8, which come back with
    /// the frame.
    pub record: u64,
    /// Where the work goes. Jobs come in one stream, so memory of the kernel's own is free again when the next one begins.
    pub stream: &'a Stream,
}

#[cfg(feature = "cuda")]
impl dyn CudaKernel + '_ {
    /// Enqueues one frame of a filter that reads nothing but the frame itself, and measures nothing.
    ///
    /// # Errors
    /// As [`CudaKernel::enqueue`].
    pub fn enqueue_alone(
        &mut self,
        props: &FrameProps,
        src: &DevicePlanes,
        dst: &DevicePlanes,
        stream: &Stream,
    ) -> Result<()> {
        let windows = [InputWindow::of(src)];
        self.enqueue(&CudaJob { props, phase: 0, src: Frames::new(&windows), dst, record: 0, stream })
    }
}
