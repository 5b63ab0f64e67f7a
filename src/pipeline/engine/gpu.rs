//! An engine's frames on its workers' CUDA device, and the fallback to the CPU where `auto` has no device.

use super::context_pool::{ContextPool, Lease};
use super::workers::Workers;
use crate::device::DeviceChoice;
use crate::device::cuda::{CudaDevice, DevicePlanes, ExternalSemaphore, Stream, copy_on_device};
use crate::error::{Error, Result};
use crate::pipeline::ChainPlan;
use crate::pipeline::cuda::{ExecutionContext, RgbaConversion, RgbaFrame, RgbaWindow};
use crate::pipeline::feeder::{InputFrame, missing};
use crate::video::{FrameProps, PlanesMut, StreamInfo};
use std::ffi::c_void;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Frames in flight on the device at a time, each with memory of its own there; more callers wait. One is uploaded,
/// one is filtered, one goes, and the others are being copied to and from page-locked memory, which takes longer.
const MOST_CONTEXTS: usize = 8;

/// Where work for frames on the device goes.
#[derive(Clone, Copy, Debug)]
pub enum StreamOrder {
    /// Into this stream (the driver's handle; null is the default stream), and the call does not wait.
    In(*mut c_void),
    /// Into the default stream, and the call waits for it.
    Waited,
}

/// A value of a timeline.
#[derive(Clone, Copy)]
pub struct TimelinePoint<'a> {
    /// The timeline.
    pub semaphore: &'a ExternalSemaphore,
    /// The value.
    pub value: u64,
}

/// Where work goes, and what it is ordered by.
#[derive(Clone, Copy)]
pub struct WorkOrder<'a> {
    /// Its stream.
    pub stream: StreamOrder,
    /// What must be reached before it begins.
    pub waits: &'a [TimelinePoint<'a>],
    /// What is reached when it is done.
    pub signals: &'a [TimelinePoint<'a>],
}

impl From<StreamOrder> for WorkOrder<'_> {
    fn from(stream: StreamOrder) -> Self {
        WorkOrder { stream, waits: &[], signals: &[] }
    }
}

impl WorkOrder<'_> {
    /// The stream, where it and the timelines are of the device's context.
    ///
    /// # Safety
    /// The stream's handle is one, until what is given is dropped.
    unsafe fn stream_on(&self, device: &CudaDevice) -> Result<Stream> {
        self.waits.iter().chain(self.signals).try_for_each(|point| point.semaphore.check(device))?;
        let raw = match self.stream {
            StreamOrder::In(stream) => stream,
            StreamOrder::Waited => std::ptr::null_mut(),
        };
        // SAFETY: the caller's promise; null is the default stream.
        unsafe { device.stream_of(raw) }
    }

    /// Does `work`, which puts work into `stream`, between what it waits for and what it signals. Work that fails signals nothing.
    fn around<R>(&self, stream: &Stream, work: impl FnOnce() -> Result<R>) -> Result<R> {
        self.waits.iter().try_for_each(|point| point.semaphore.wait(point.value, stream))?;
        let done = work()?;
        ExternalSemaphore::signal_all(self.signals.iter().map(|point| (point.semaphore, point.value)), stream)?;
        if matches!(self.stream, StreamOrder::Waited) {
            stream.synchronize()?;
        }
        Ok(done)
    }
}

/// A frame of one of a chain's inputs that lies on the device.
pub struct DeviceInputFrame<'a> {
    /// The input, from 0.
    pub input: usize,
    /// Its properties; `frame_index` says which it is.
    pub props: FrameProps,
    /// Its memory planes: address and pitch of each.
    pub planes: &'a [(u64, usize)],
}

/// The device, where there is one, and the contexts on it.
pub struct Gpu {
    workers: Arc<Workers>,
    contexts: ContextPool<ExecutionContext>,
    /// Set when `auto` has given up a device that failed later.
    given_up: AtomicBool,
}

impl Gpu {
    pub fn new(workers: Arc<Workers>) -> Gpu {
        Gpu { workers, contexts: ContextPool::new(MOST_CONTEXTS), given_up: AtomicBool::new(false) }
    }

    /// Opens the device and makes a context. False: the CPU filters.
    pub fn prepare(&self, plan: &ChainPlan) -> Result<bool> {
        self.on_device(|device| self.context(plan, device)?.prepare(plan)).map(|done| done.is_some())
    }

    /// Makes frame `n` of the result. `None`: the CPU has to.
    pub fn process(
        &self,
        plan: &ChainPlan,
        n: u64,
        frames: &[InputFrame<'_>],
        dst: &mut PlanesMut<'_>,
    ) -> Result<Option<FrameProps>> {
        self.on_device(|device| {
            let mut context = self.context(plan, device)?;
            keep_if_well(context.process(plan, n, frames, dst), context)
        })
    }

    /// Opens the device, and makes a context for frames that lie there.
    pub fn prepare_device(&self, plan: &ChainPlan) -> Result<()> {
        self.lane(plan, self.device()?).map(drop)
    }

    /// Bytes of the device that frames which lie there need, `count` at a time.
    pub fn device_bytes(&self, plan: &ChainPlan, count: usize) -> Result<usize> {
        Ok(ExecutionContext::bytes(plan, self.device()?)?.saturating_mul(count.min(MOST_CONTEXTS)))
    }

    /// As [`Engine::process_device`](super::Engine::process_device).
    ///
    /// # Safety
    /// As there.
    pub unsafe fn process_device(
        &self,
        plan: &ChainPlan,
        n: u64,
        frames: &[DeviceInputFrame<'_>],
        dst: &[(u64, usize)],
        order: &WorkOrder<'_>,
    ) -> Result<FrameProps> {
        let device = self.device()?;
        let check = |info: &StreamInfo, planes: &[(u64, usize)], what: &str| {
            reaches(info, planes, what)?;
            lies_there(device, info, planes, what)
        };
        for frame in frames {
            check(plan.stream(frame.input), frame.planes, "source")?;
        }
        check(&plan.output, dst, "target")?;
        // SAFETY: the caller's promise.
        let stream = unsafe { order.stream_on(device) }?;
        let StreamInfo { format, width, height, .. } = plan.input;
        if plan.stages.is_empty() {
            let frame = frames.first().ok_or_else(|| missing(n))?;
            // SAFETY: the caller's promise.
            let copy = || unsafe { copy_on_device(device, (format, width, height), frame.planes, dst, &stream) };
            return order.around(&stream, copy).map(|()| frame.props.clone());
        }
        let mut context = self.lane(plan, device)?;
        let given = frames.iter().map(|frame| {
            let StreamInfo { format, width, height, .. } = *plan.stream(frame.input);
            (frame.input, frame.props.clone(), DevicePlanes::at(format, width, height, frame.planes))
        });
        let dst = DevicePlanes::at(plan.output.format, plan.output.width, plan.output.height, dst);
        // SAFETY: the caller's promise.
        let work = || unsafe { context.process_device(plan, n, given, &dst, &stream) };
        keep_if_well(order.around(&stream, work), context)
    }

    /// As [`Engine::process_rgba`](super::Engine::process_rgba).
    ///
    /// # Safety
    /// As there.
    pub unsafe fn process_rgba(
        &self,
        plan: &ChainPlan,
        n: u64,
        frames: &[RgbaFrame],
        conversion: &RgbaConversion,
        window: &RgbaWindow,
        order: &WorkOrder<'_>,
    ) -> Result<FrameProps> {
        let device = self.device()?;
        for frame in frames {
            frame.image.check(device, conversion.depth, "the source")?;
        }
        window.image.check(device, conversion.depth, "the target")?;
        // SAFETY: the caller's promise.
        let stream = unsafe { order.stream_on(device) }?;
        let mut context = self.lane(plan, device)?;
        if let Err(error) = context.prepare_rgba(plan, frames.len(), conversion.depth) {
            return keep_if_well(Err(error), context);
        }
        // SAFETY: the caller's promise.
        let work = || unsafe { context.process_rgba(plan, n, frames, conversion, window, &stream) };
        keep_if_well(order.around(&stream, work), context)
    }

    /// A context for frames on the device.
    fn lane(&self, plan: &ChainPlan, device: &Arc<CudaDevice>) -> Result<Lease<'_, ExecutionContext>> {
        self.contexts.take(|| ExecutionContext::new(plan, device))
    }

    /// The device, for frames that lie there.
    pub fn device(&self) -> Result<&Arc<CudaDevice>> {
        let on_cpu = || Error::unsupported("the chain runs on the CPU, which does not reach GPU memory");
        self.workers.device()?.ok_or_else(on_cpu)
    }

    /// Does `work` on the device. `None`: there is none, or `auto` fell back to the CPU.
    fn on_device<R>(&self, work: impl FnOnce(&Arc<CudaDevice>) -> Result<R>) -> Result<Option<R>> {
        if self.given_up.load(Ordering::Relaxed) {
            return Ok(None);
        }
        let Some(device) = self.workers.device()? else { return Ok(None) };
        let error = match work(device) {
            Ok(done) => return Ok(Some(done)),
            Err(error) => error,
        };
        let choice = self.workers.choice();
        if choice == DeviceChoice::Auto && self.given_up.swap(true, Ordering::Relaxed) {
            // Another frame has logged it.
            return Ok(None);
        }
        choice.or_cpu(Err(error))
    }

    /// A context for frames of the host.
    fn context(&self, plan: &ChainPlan, device: &Arc<CudaDevice>) -> Result<Lease<'_, ExecutionContext>> {
        self.contexts.take(|| {
            let mut context = ExecutionContext::new(plan, device)?;
            context.prepare(plan)?;
            Ok(context)
        })
    }
}

/// A context that failed is not used again: its kernels may count on work that was never done.
fn keep_if_well<R>(done: Result<R>, context: Lease<'_, ExecutionContext>) -> Result<R> {
    if done.is_err() {
        context.discard();
    }
    done
}

/// Refuses memory planes that the driver knows cannot hold a picture of `info`.
fn lies_there(device: &CudaDevice, info: &StreamInfo, planes: &[(u64, usize)], what: &str) -> Result<()> {
    for (plane, (address, pitch)) in planes.iter().enumerate().take(info.format.planes()) {
        let (row, rows) = info.format.plane_size(plane, info.width, info.height);
        device.check_memory(*address, ((rows - 1) * pitch + row) as u64, &format!("plane {plane} of the {what}"))?;
    }
    Ok(())
}

/// Refuses memory planes that cannot hold a picture of `info`.
fn reaches(info: &StreamInfo, planes: &[(u64, usize)], what: &str) -> Result<()> {
    let StreamInfo { format, width, height, .. } = *info;
    let align = format.sample().bytes();
    let holds = |(plane, (address, pitch)): (usize, &(u64, usize))| {
        let (row, _) = format.plane_size(plane, width, height);
        *address != 0 && address.is_multiple_of(align as u64) && *pitch >= row && pitch.is_multiple_of(align)
    };
    let fits = planes.len() >= format.planes() && planes.iter().take(format.planes()).enumerate().all(holds);
    let wrong = || Error::bad_argument(format!("the {what} is not a picture of {format}, {width}x{height}"));
    if fits { Ok(()) } else { Err(wrong()) }
}
