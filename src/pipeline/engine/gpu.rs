//! An engine's frames on its workers' CUDA device, and the fallback to the CPU where `auto` has no device.

use super::context_pool::{ContextPool, Lease};
use super::workers::Workers;
use crate::device::DeviceChoice;
use crate::device::cuda::{CudaDevice, DevicePlanes, Stream, copy_on_device};
use crate::error::{Error, Result};
use crate::pipeline::ChainPlan;
use crate::pipeline::cuda::ExecutionContext;
use crate::pipeline::feeder::InputFrame;
use crate::video::{FrameProps, PlanesMut, StreamInfo};
use std::ffi::c_void;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Frames in flight on the device at a time, each with memory of its own there; more callers wait. One is uploaded,
/// one is filtered, one goes, and the others are being copied to and from page-locked memory, which takes longer.
const MOST_CONTEXTS: usize = 8;

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

    /// As [`Engine::process_device`](super::Engine::process_device).
    ///
    /// # Safety
    /// As there.
    pub unsafe fn process_device(
        &self,
        plan: &ChainPlan,
        props: &FrameProps,
        src: &[(u64, usize)],
        dst: &[(u64, usize)],
        stream: *mut c_void,
    ) -> Result<()> {
        reaches(&plan.input, src, "source")?;
        reaches(&plan.output, dst, "target")?;
        let on_cpu = || Error::unsupported("this chain runs on the CPU, and a frame in GPU memory came to it");
        let device = self.workers.device()?.ok_or_else(on_cpu)?;
        // SAFETY: the caller's promise.
        let order = unsafe { Stream::borrowed(device, stream) };
        let StreamInfo { format, width, height, .. } = plan.input;
        if plan.stages.is_empty() {
            // SAFETY: the caller's promise.
            return unsafe { copy_on_device(device, (format, width, height), src, dst, &order) };
        }
        let mut context = self.contexts.take(|| ExecutionContext::new(plan, device))?;
        let src = DevicePlanes::at(format, width, height, src);
        let dst = DevicePlanes::at(plan.output.format, plan.output.width, plan.output.height, dst);
        // SAFETY: the caller's promise.
        keep_if_well(unsafe { context.process_device(plan, props, &src, &dst, &order) }, context)
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
