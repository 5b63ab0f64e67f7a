//! A chain for callers that own their threads and frames, as plugins' hosts do: any frame, in any order, from any thread.

mod context_pool;
#[cfg(feature = "cuda")]
mod gpu;
#[cfg(test)]
mod tests;
mod workers;

pub use workers::Workers;

use crate::device::DeviceChoice;
#[cfg(feature = "cuda")]
use crate::device::cuda::CudaDevice;
use crate::error::{Error, Result};
use crate::filters::Filter;
#[cfg(feature = "cuda")]
use crate::pipeline::cuda::{RgbaConversion, RgbaFrame, RgbaWindow};
use crate::pipeline::feeder::{InputFrame, missing};
use crate::pipeline::{ChainPlan, CpuChain, Target, plan};
use crate::video::{FrameProps, PlaneRef, Planes, PlanesMut, StreamInfo};
use context_pool::{ContextPool, Lease};
#[cfg(feature = "cuda")]
use gpu::Gpu;
#[cfg(feature = "cuda")]
pub use gpu::{DeviceInputFrame, StreamOrder, TimelinePoint, WorkOrder};
use std::sync::Arc;

/// A chain built for one stream.
///
/// Frames that are filtered at the same time take a context each: kernels, the pictures between them, and on a device the
/// memory to go there and back. Lanes, threads and devices are made when the first frame needs them, so that an engine
/// that only answers questions costs nothing.
pub struct Engine {
    plan: ChainPlan,
    workers: Arc<Workers>,
    contexts: ContextPool<CpuChain>,
    #[cfg(feature = "cuda")]
    gpu: Gpu,
}

impl Engine {
    /// A chain of `filters` from `input` to `target`, with workers of its own: on `device` and with `threads` as
    /// [`Workers::new`] has them.
    ///
    /// # Errors
    /// As [`plan`] and [`Workers::new`].
    pub fn new(
        filters: Vec<Box<dyn Filter>>,
        input: &StreamInfo,
        target: Target,
        device: DeviceChoice,
        threads: usize,
    ) -> Result<Engine> {
        Engine::with_workers(filters, input, target, Arc::new(Workers::new(device, threads)?))
    }

    /// The same with workers that may have others to serve.
    ///
    /// # Errors
    /// As [`plan`].
    pub fn with_workers(
        filters: Vec<Box<dyn Filter>>,
        input: &StreamInfo,
        target: Target,
        workers: Arc<Workers>,
    ) -> Result<Engine> {
        Ok(Engine::of(plan(filters, input, target)?, workers))
    }

    /// A chain as it was planned, which may have inputs beside its own.
    pub fn of(plan: ChainPlan, workers: Arc<Workers>) -> Engine {
        Engine {
            plan,
            contexts: ContextPool::new(usize::MAX),
            #[cfg(feature = "cuda")]
            gpu: Gpu::new(Arc::clone(&workers)),
            workers,
        }
    }

    /// What runs, from which stream to which.
    pub fn plan(&self) -> &ChainPlan {
        &self.plan
    }

    /// The frames of input `input` that frame `n` of the result is made of, as far as the stream has them: the first and
    /// the last, which is never before the first.
    pub fn needs(&self, input: usize, n: u64) -> (u64, u64) {
        self.plan.needs(input, n)
    }

    /// Makes ready what the first frame would otherwise wait for: the device, or the CPU's threads, and a context.
    ///
    /// # Errors
    /// When a device was asked for by name and cannot be used, or memory runs out.
    pub fn prepare(&self) -> Result<()> {
        if self.plan.stages.is_empty() {
            return Ok(());
        }
        #[cfg(feature = "cuda")]
        if self.gpu.prepare(&self.plan)? {
            return Ok(());
        }
        self.cpu_context().map(|_| ())
    }

    /// Filters `src` into `dst`, and returns when it is done. Neither view is used after that. For chains that read no
    /// other frame.
    ///
    /// # Errors
    /// When the views are not what the plan says, memory runs out, or a device that was asked for by name fails. What
    /// `dst` holds then is not defined.
    pub fn process(&self, props: &FrameProps, src: &Planes<'_>, dst: &mut PlanesMut<'_>) -> Result<()> {
        let frame = InputFrame { input: 0, props: props.clone(), planes: *src };
        self.process_frames(props.frame_index, &[frame], dst).map(drop)
    }

    /// Makes frame `n` of the result of `frames`, and returns when it is done. These are the frames that
    /// [`Engine::needs`] asks for, as far as there are any, each input's in order. No view is used after that. Gives the
    /// properties of the result.
    ///
    /// # Errors
    /// As [`Engine::process`], and when a frame is missing.
    pub fn process_frames(&self, n: u64, frames: &[InputFrame<'_>], dst: &mut PlanesMut<'_>) -> Result<FrameProps> {
        for frame in frames {
            if frame.input > self.plan.sides.len() {
                return Err(no_input(frame.input));
            }
            fits(self.plan.stream(frame.input), &frame.planes, "source")?;
        }
        self.follow_one_another(n, || frames.iter().map(|frame| (frame.input, frame.props.frame_index)))?;
        fits(&self.plan.output, &dst.as_ref(), "target")?;
        if self.plan.stages.is_empty() {
            let frame = frames.first().ok_or_else(|| missing(n))?;
            dst.copy_from(&frame.planes, self.plan.input.format);
            return Ok(frame.props.clone());
        }
        #[cfg(feature = "cuda")]
        if let Some(props) = self.gpu.process(&self.plan, n, frames, dst)? {
            return Ok(props);
        }
        self.cpu_context()?.run_frames(&self.plan, n, frames, dst)
    }

    /// The device that the chain runs on.
    ///
    /// # Errors
    /// When it runs on the CPU, or the device cannot be used.
    #[cfg(feature = "cuda")]
    pub fn device(&self) -> Result<&Arc<CudaDevice>> {
        self.gpu.device()
    }

    /// Makes ready what the first frame that lies on the device would wait for.
    ///
    /// # Errors
    /// When the chain does not run on a device, or memory runs out.
    #[cfg(feature = "cuda")]
    pub fn prepare_device(&self) -> Result<()> {
        self.gpu.prepare_device(&self.plan)
    }

    /// Bytes of the device that are held when `count` callers at a time filter frames that lie there.
    ///
    /// # Errors
    /// When the chain does not run on a device, or they cannot be counted.
    #[cfg(feature = "cuda")]
    pub fn device_bytes(&self, count: usize) -> Result<usize> {
        self.gpu.device_bytes(&self.plan, count)
    }

    /// Puts the work for frame `n` of the result, made of `frames`, all on the device, into the stream that `order` names, and
    /// returns without waiting: the work begins after what is in that stream now, and what is put there later begins after it.
    /// The frames are those that [`Engine::needs`] asks for, as far as there are any, each input's in order. `dst` are the memory planes,
    /// address and pitch. Gives the properties of the result, without what was measured.
    ///
    /// # Errors
    /// When the chain does not run on a device, a frame is missing, a plane is too narrow, or the device refuses the work.
    ///
    /// # Safety
    /// The planes must be memory of the engine's device that holds pictures of the plan's formats and sizes until the work
    /// is done; nobody else may write to those of `frames`, or use `dst`, meanwhile. The order's stream must be one of the device's
    /// context.
    #[cfg(feature = "cuda")]
    pub unsafe fn process_device(
        &self,
        n: u64,
        frames: &[DeviceInputFrame<'_>],
        dst: &[(u64, usize)],
        order: &WorkOrder<'_>,
    ) -> Result<FrameProps> {
        if let Some(frame) = frames.iter().find(|frame| frame.input > self.plan.sides.len()) {
            return Err(no_input(frame.input));
        }
        self.follow_one_another(n, || frames.iter().map(|frame| (frame.input, frame.props.frame_index)))?;
        // SAFETY: the caller's promise.
        unsafe { self.gpu.process_device(&self.plan, n, frames, dst, order) }
    }

    /// The same for a host's pictures of RGBA: makes frame `n` of the result of `frames`, which are those that [`Engine::needs`]
    /// asks for, converted by kernels before and after, and writes it to `window`. `order` says where the work goes.
    ///
    /// # Errors
    /// As [`Engine::process_device`], when a frame is missing or has another size, and for chains that change the size.
    ///
    /// # Safety
    /// As there, of the images.
    #[cfg(feature = "cuda")]
    pub unsafe fn process_rgba(
        &self,
        n: u64,
        frames: &[RgbaFrame],
        conversion: &RgbaConversion,
        window: &RgbaWindow,
        order: &WorkOrder<'_>,
    ) -> Result<FrameProps> {
        let size = |info: &StreamInfo| (info.width, info.height);
        let (own, made) = (size(&self.plan.input), size(&self.plan.output));
        if made != own || frames.iter().any(|frame| (frame.image.width, frame.image.height) != own) {
            return Err(Error::bad_argument(format!("the chain takes and gives pictures of {}x{}", own.0, own.1)));
        }
        if !self.plan.sides.is_empty() {
            return Err(Error::unsupported("a chain with other inputs takes pictures of RGBA in host memory"));
        }
        if frames.is_empty() {
            return Err(missing(n));
        }
        follow(self.needs(0, n).0, n, frames.iter().map(|frame| frame.props.frame_index))?;
        if window.image.width == 0 || window.image.height == 0 {
            return frames.first().map(|frame| frame.props.clone()).ok_or_else(|| missing(n));
        }
        // SAFETY: the caller's promise.
        unsafe { self.gpu.process_rgba(&self.plan, n, frames, conversion, window, order) }
    }

    /// Refuses frames, of which `frames` gives input and number, that leave one out: the nearest would replace it.
    fn follow_one_another<I: Iterator<Item = (usize, u64)>>(&self, n: u64, frames: impl Fn() -> I) -> Result<()> {
        for input in 0..=self.plan.sides.len() {
            let mut of_input = frames().filter(|frame| frame.0 == input).map(|frame| frame.1).peekable();
            let Some(first) = of_input.peek().copied() else {
                // Before any work begins, which might wait for what its caller submits behind it.
                if input == 0 { return Err(missing(n)) } else { continue }
            };
            follow(if input == 0 { self.needs(0, n).0 } else { first }, n, of_input)?;
        }
        Ok(())
    }

    fn cpu_context(&self) -> Result<Lease<'_, CpuChain>> {
        let exec = self.workers.exec()?;
        self.contexts.take(|| CpuChain::new(&self.plan, Arc::clone(exec)))
    }
}

fn no_input(input: usize) -> Error {
    Error::bad_argument(format!("the chain has no input {input}"))
}

/// Refuses frames for frame `n` that are not those from `first` on without a gap.
fn follow(first: u64, n: u64, frames: impl Iterator<Item = u64>) -> Result<()> {
    let mut all = frames.zip(first..=u64::MAX);
    if all.all(|(index, wanted)| index == wanted) { Ok(()) } else { Err(missing(n)) }
}

/// Refuses views that are not of a picture of `info`.
fn fits(info: &StreamInfo, views: &Planes<'_>, what: &str) -> Result<()> {
    let StreamInfo { format, width, height, .. } = *info;
    let is = |(component, view): (usize, &PlaneRef<'_>)| {
        (view.width(), view.height()) == format.component_size(component, width, height)
    };
    let fits = views.len() == format.components() && views.iter().enumerate().all(is) && views.memory(format).is_some();
    let wrong = || Error::bad_argument(format!("the {what} is not a picture of {format}, {width}x{height}"));
    if fits { Ok(()) } else { Err(wrong()) }
}
