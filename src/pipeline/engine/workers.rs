//! What engines filter with: the CPU's threads and the device, each made when the first frame needs it.

use crate::device::DeviceChoice;
use crate::device::cpu::{CpuExec, CpuLevel};
#[cfg(feature = "cuda")]
use crate::device::cuda::CudaDevice;
use crate::error::Result;
use std::sync::{Arc, OnceLock};

/// The CPU's threads and the device, for one engine after another, or several at once: what takes long to make outlives
/// the engine.
pub struct Workers {
    threads: usize,
    exec: OnceLock<Result<Arc<CpuExec>>>,
    #[cfg(feature = "cuda")]
    choice: DeviceChoice,
    #[cfg(feature = "cuda")]
    device: OnceLock<Result<Arc<CudaDevice>>>,
}

impl Workers {
    /// Workers on `device`. On the CPU so many `threads` share a frame (0: one for each processor); a caller that filters
    /// several frames at once wants 1.
    ///
    /// # Errors
    /// When a device was asked for that this build does not know.
    pub fn new(device: DeviceChoice, threads: usize) -> Result<Workers> {
        #[cfg(not(feature = "cuda"))]
        device.open()?;
        Ok(Workers {
            threads,
            exec: OnceLock::new(),
            #[cfg(feature = "cuda")]
            choice: device,
            #[cfg(feature = "cuda")]
            device: OnceLock::new(),
        })
    }

    /// The CPU's threads.
    pub(super) fn exec(&self) -> Result<&Arc<CpuExec>> {
        let exec = || CpuExec::new(self.threads, CpuLevel::detect()).map(Arc::new);
        self.exec.get_or_init(exec).as_ref().map_err(Clone::clone)
    }
}

#[cfg(feature = "cuda")]
impl Workers {
    /// Workers on an open device, and on no other: in the context of a caller, say.
    pub fn on(device: Arc<CudaDevice>, threads: usize) -> Workers {
        let choice = DeviceChoice::Cuda(device.info().ordinal);
        Workers { threads, exec: OnceLock::new(), choice, device: OnceLock::from(Ok(device)) }
    }

    pub(super) fn choice(&self) -> DeviceChoice {
        self.choice
    }

    /// The device, opened by the first who asks. `None`: the CPU filters.
    pub(super) fn device(&self) -> Result<Option<&Arc<CudaDevice>>> {
        let Some(ordinal) = self.choice.ordinal() else { return Ok(None) };
        let mut is_first = false;
        let opened = self.device.get_or_init(|| {
            is_first = true;
            CudaDevice::shared(ordinal)
        });
        match opened {
            // The first has logged it: not inside, where a logger could not call this again.
            Err(_) if self.choice == DeviceChoice::Auto && !is_first => Ok(None),
            opened => self.choice.or_cpu(opened.as_ref().map_err(Clone::clone)),
        }
    }
}
