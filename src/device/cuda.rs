//! The CUDA backend's device: context, memory, kernels, streams.
//!
//! A driver is looked for when the first function here is called; without one every function here returns an error that
//! says so. The types keep what they need alive and free it when they are dropped; a failure while dropping is noted
//! in the log. Any of them may be used from any thread.

mod context;
mod driver;
mod external;
mod foreign;
mod graph;
mod kept;
pub mod limits;
mod memory;
mod module;
mod picture;
mod pinned;
mod shim;
mod stream;
mod tuning;

pub use context::{DeviceInfo, count, driver_version, is_present, list, with_uuid};
pub use external::{ExternalHandle, ExternalMemory, ExternalSemaphore};
pub use foreign::{context_of, current_context};
pub use graph::Graph;
pub use kept::KeptContext;
pub use memory::{DeviceBuffer, MemoryState, mebibytes};
pub use module::{Function, KernelImage, LaunchConfig, Module, NativeCode};
pub use picture::{DevicePicture, DevicePlane, DevicePlanes, copy_on_device, is_pinned, is_pinned_at};
pub use pinned::PinnedAllocator;
pub use stream::{Event, Stream};
pub use tuning::{Space, Tuning};

use crate::device::Shared;
use crate::device::tuning::Card;
use crate::error::Result;
use context::{BorrowedContext, Context, block_shared_of};
use std::collections::HashMap;
use std::ffi::c_void;
use std::fmt;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// A module that is loaded, or being loaded by the first who asked for it.
type LoadedModule = Arc<OnceLock<Result<Arc<Module>>>>;

/// An open device, in one of its contexts.
pub struct CudaDevice {
    modules: Mutex<HashMap<&'static str, LoadedModule>>,
    context: Arc<Context>,
    card: Card,
    tuning: Tuning,
}

impl CudaDevice {
    /// Opens the device that the driver numbers `ordinal`. This takes a few tenths of a second.
    ///
    /// # Errors
    /// Without a driver or such a device, and when either is too old for the kernels in this binary.
    pub fn open(ordinal: usize) -> Result<Arc<CudaDevice>> {
        Self::open_as(ordinal, (u32::MAX, 0), usize::MAX)
    }

    /// Opens the device as if its compute capability were no higher than `compute`, and its cache no larger than `l2_cache`
    /// bytes: what is made for others is left alone, as tests of the kernels for such devices want it.
    ///
    /// # Errors
    /// As [`CudaDevice::open`].
    pub fn open_as(ordinal: usize, compute: (u32, u32), l2_cache: usize) -> Result<Arc<CudaDevice>> {
        Self::with(Context::open(ordinal)?, compute, l2_cache)
    }

    fn with(context: Context, compute: (u32, u32), l2_cache: usize) -> Result<Arc<CudaDevice>> {
        context.info().check()?;
        let card = context.info().card()?;
        let card = Card { compute: compute.min(card.compute), l2_cache: l2_cache.min(card.l2_cache), ..card };
        let (context, tuning) = (Arc::new(context), Tuning::default());
        Ok(Arc::new(CudaDevice { modules: Mutex::default(), context, card, tuning }))
    }

    /// The device `ordinal` that others in this process opened through here, or else a new one.
    ///
    /// # Errors
    /// As [`CudaDevice::open`].
    pub fn shared(ordinal: usize) -> Result<Arc<CudaDevice>> {
        static OPEN: Shared<usize, CudaDevice> = Shared::new();
        OPEN.get(ordinal, || CudaDevice::open(ordinal))
    }

    /// The device of a context that the caller made (a `CUcontext`), with kernels, memory and streams in that context; shared
    /// like [`CudaDevice::shared`]. The caller may destroy the context at any time: what is asked for afterwards fails.
    ///
    /// # Errors
    /// When it is no context any more, or its device cannot run the kernels in this binary.
    ///
    /// # Safety
    /// `context` must be the handle of a context that was made in this process.
    pub unsafe fn in_context(context: *mut c_void) -> Result<Arc<CudaDevice>> {
        static OPEN: Shared<BorrowedContext, CudaDevice> = Shared::new();
        // SAFETY: the caller's promise.
        let context = unsafe { BorrowedContext::new(context) }?;
        let ordinal = context.ordinal()?;
        if context.is_primary(ordinal) {
            return CudaDevice::shared(ordinal);
        }
        OPEN.get(context, || Self::with(Context::borrowed(context, ordinal)?, (u32::MAX, 0), usize::MAX))
    }

    /// What the driver reports about the device.
    pub fn info(&self) -> &DeviceInfo {
        self.context.info()
    }

    /// The compute capability that kernels may count on, (major, minor).
    pub fn compute(&self) -> (u32, u32) {
        self.card.compute
    }

    /// Bytes of the cache that all multiprocessors share, as far as kernels shall count on it.
    pub fn l2_cache(&self) -> usize {
        self.card.l2_cache
    }

    /// Bytes of shared memory that a block may have where its kernel asks for more than the usual 48 KiB.
    pub fn block_shared(&self) -> usize {
        let DeviceInfo { compute, block_shared, .. } = *self.info();
        if self.compute() == compute { block_shared } else { block_shared.min(block_shared_of(self.compute())) }
    }

    /// The device as tuning knows it.
    pub fn card(&self) -> &Card {
        &self.card
    }

    /// What kernels built on this device could choose between.
    pub fn tuning(&self) -> &Tuning {
        &self.tuning
    }

    /// Whether the embedded module `module` runs on this device: some are for later ones only.
    pub fn runs(&self, module: &str) -> bool {
        let can =
            |image: &KernelImage| self.compute() >= image.compute && module::check_ptx(self.info(), image).is_ok();
        module::image(module).is_ok_and(can)
    }

    /// The kernel `name` of the embedded module `module`, which is loaded at its first use.
    ///
    /// # Errors
    /// When this build has no such module or kernel, or it cannot be loaded on this device.
    pub fn function(&self, module: &'static str, name: &str) -> Result<Function> {
        let slot = {
            let mut modules = self.modules.lock().unwrap_or_else(PoisonError::into_inner);
            Arc::clone(modules.entry(module).or_default())
        };
        let load = || module::image(module).and_then(|image| Module::load(self, image));
        slot.get_or_init(load).as_ref().map_err(Clone::clone)?.function(name)
    }

    /// Limits what this process may hold on the device, in bytes.
    pub fn set_budget(&self, bytes: usize) {
        self.context.set_budget(bytes);
    }

    /// What is free and what is held.
    ///
    /// # Errors
    /// When the device has failed.
    pub fn memory(&self) -> Result<MemoryState> {
        self.context.memory()
    }

    /// Refuses a plan that the device's free memory or the budget does not cover, before anything is allocated.
    /// `what` (a plural) begins the message.
    ///
    /// # Errors
    /// When `bytes` are not free, with the figures.
    pub fn require(&self, bytes: usize, what: &str) -> Result<()> {
        self.context.require(bytes, what)
    }

    /// Makes its context current on the calling thread, for a library that asks for that.
    ///
    /// # Errors
    /// When the device has failed.
    pub fn enter(&self) -> Result<()> {
        self.context.enter()
    }

    /// The driver's handle of its context, for libraries that share it.
    pub fn as_raw(&self) -> *mut c_void {
        self.context.as_raw().cast()
    }

    fn context(&self) -> &Arc<Context> {
        &self.context
    }
}

impl fmt::Debug for CudaDevice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "CudaDevice({})", self.info())
    }
}
