//! The CUDA backend's device: context, memory, kernels, streams.
//!
//! A driver is looked for when the first function here is called; without one every function here returns an error that
//! says so. The types keep what they need alive and free it when they are dropped; a failure while dropping is noted
//! in the log. Any of them may be used from any thread.

mod context;
mod driver;
mod graph;
mod kept;
pub mod limits;
mod memory;
mod module;
mod picture;
mod shim;
mod stream;

pub use context::{DeviceInfo, count, driver_version, is_present, list};
pub use graph::Graph;
pub use kept::KeptContext;
pub use memory::{DeviceBuffer, MemoryState, PinnedAllocator, mebibytes};
pub use module::{Function, KernelImage, LaunchConfig, Module, NativeCode};
pub use picture::{DevicePicture, DevicePlane, DevicePlanes, copy_on_device, is_pinned, is_pinned_at};
pub use stream::{Event, Stream};

use crate::error::Result;
use context::Primary;
use std::collections::HashMap;
use std::ffi::c_void;
use std::fmt;
use std::sync::{Arc, Mutex, OnceLock, PoisonError, Weak};

/// A module that is loaded, or being loaded by the first who asked for it.
type LoadedModule = Arc<OnceLock<Result<Arc<Module>>>>;

/// An open device.
pub struct CudaDevice {
    modules: Mutex<HashMap<&'static str, LoadedModule>>,
    primary: Arc<Primary>,
    compute: (u32, u32),
    l2_cache: usize,
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
        let primary = Arc::new(Primary::open(ordinal)?);
        primary.info().check()?;
        let (compute, l2_cache) = (compute.min(primary.info().compute), l2_cache.min(primary.info().l2_cache));
        Ok(Arc::new(CudaDevice { modules: Mutex::default(), primary, compute, l2_cache }))
    }

    /// The device `ordinal` that others in this process opened through here, or else a new one.
    ///
    /// # Errors
    /// As [`CudaDevice::open`].
    pub fn shared(ordinal: usize) -> Result<Arc<CudaDevice>> {
        static OPEN: Mutex<Vec<(usize, Weak<CudaDevice>)>> = Mutex::new(Vec::new());
        let mut open = OPEN.lock().unwrap_or_else(PoisonError::into_inner);
        open.retain(|(_, device)| device.strong_count() > 0);
        if let Some(device) =
            open.iter().find(|(number, _)| *number == ordinal).and_then(|(_, device)| device.upgrade())
        {
            return Ok(device);
        }
        let device = CudaDevice::open(ordinal)?;
        open.push((ordinal, Arc::downgrade(&device)));
        Ok(device)
    }

    /// What the driver reports about the device.
    pub fn info(&self) -> &DeviceInfo {
        self.primary.info()
    }

    /// The compute capability that kernels may count on, (major, minor).
    pub fn compute(&self) -> (u32, u32) {
        self.compute
    }

    /// Bytes of the cache that all multiprocessors share, as far as kernels shall count on it.
    pub fn l2_cache(&self) -> usize {
        self.l2_cache
    }

    /// Whether the embedded module `module` runs on this device: some are for later ones only.
    pub fn runs(&self, module: &str) -> bool {
        let can = |image: &KernelImage| self.compute >= image.compute && module::check_ptx(self.info(), image).is_ok();
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
        self.primary.set_budget(bytes);
    }

    /// What is free and what is held.
    ///
    /// # Errors
    /// When the device has failed.
    pub fn memory(&self) -> Result<MemoryState> {
        self.primary.memory()
    }

    /// Refuses a plan that the device's free memory or the budget does not cover, before anything is allocated.
    /// `what` (a plural) begins the message.
    ///
    /// # Errors
    /// When `bytes` are not free, with the figures.
    pub fn require(&self, bytes: usize, what: &str) -> Result<()> {
        self.primary.require(bytes, what)
    }

    /// Makes its context current on the calling thread, for a library that asks for that.
    ///
    /// # Errors
    /// When the device has failed.
    pub fn enter(&self) -> Result<()> {
        self.primary.enter()
    }

    /// The driver's handle of the primary context, for libraries that share it.
    pub fn as_raw(&self) -> *mut c_void {
        self.primary.context().as_raw().cast()
    }

    fn primary(&self) -> &Arc<Primary> {
        &self.primary
    }
}

impl fmt::Debug for CudaDevice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "CudaDevice({})", self.info())
    }
}
