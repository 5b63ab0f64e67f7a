//! Memory on the device, and the budget that it keeps to.

use super::context::{Context, Usage};
use super::driver::{self, Code, check};
use super::{CudaDevice, Stream};
use crate::error::{Error, Kind, Result};
use cust::memory::{DevicePointer, cuda_free, cuda_malloc};
use std::ptr;
use std::sync::{Arc, MutexGuard, PoisonError};

/// The state of a device's memory, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MemoryState {
    /// What can still be allocated: free on the device, and within the budget.
    pub free: usize,
    /// What this process holds.
    pub used: usize,
    /// What this process may hold, if it was limited.
    pub budget: Option<usize>,
}

/// Bytes in MiB, rounded up: a figure to put into `--gpu-memory`.
pub fn mebibytes(bytes: usize) -> usize {
    bytes.div_ceil(1 << 20)
}

impl Context {
    fn usage(&self) -> MutexGuard<'_, Usage> {
        self.usage.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn set_budget(&self, bytes: usize) {
        self.usage().budget = bytes;
    }

    pub(super) fn memory(&self) -> Result<MemoryState> {
        self.enter()?;
        let (mut free, mut total) = (0, 0);
        // SAFETY: the driver writes two numbers.
        check(unsafe { driver::cuMemGetInfo_v2(&mut free, &mut total) }, "asking for free GPU memory")?;
        let usage = *self.usage();
        let budget = (usage.budget != usize::MAX).then_some(usage.budget);
        Ok(MemoryState { free: free.min(usage.budget.saturating_sub(usage.used)), used: usage.used, budget })
    }

    pub(super) fn require(&self, bytes: usize, what: &str) -> Result<()> {
        if bytes <= self.memory()?.free { Ok(()) } else { Err(self.out_of_memory(bytes, what)) }
    }

    fn out_of_memory(&self, bytes: usize, what: &str) -> Error {
        let need = mebibytes(bytes);
        let state = match self.memory() {
            Ok(MemoryState { free, budget: Some(budget), .. }) => {
                format!("{} MiB are free of a budget of {} MiB", free >> 20, budget >> 20)
            }
            Ok(MemoryState { free, .. }) => format!("{} MiB are free", free >> 20),
            Err(error) => error.to_string(),
        };
        let message = format!("{what} need {need} MiB on {}, where {state}", self.info());
        Error::new(Kind::OutOfMemory, message)
    }

    /// Counts `bytes` as held; the budget is never passed.
    fn take(&self, bytes: usize, what: &str) -> Result<()> {
        let mut usage = self.usage();
        if bytes > usage.budget.saturating_sub(usage.used) {
            drop(usage);
            return Err(self.out_of_memory(bytes, what));
        }
        usage.used += bytes;
        Ok(())
    }

    fn give_back(&self, bytes: usize) {
        self.usage().used -= bytes;
    }
}

/// Memory on a device. It starts zeroed.
pub struct DeviceBuffer {
    context: Arc<Context>,
    start: DevicePointer<u8>,
    bytes: usize,
}

// SAFETY: the address is only given out as a number and used by the driver, which takes calls from any thread.
unsafe impl Send for DeviceBuffer {}
// SAFETY: as above.
unsafe impl Sync for DeviceBuffer {}

impl DeviceBuffer {
    /// Allocates `bytes` bytes for `what` (a plural, for the error message).
    ///
    /// # Errors
    /// When the device's memory or the budget does not cover it, with the figures.
    pub fn new(device: &CudaDevice, bytes: usize, what: &str) -> Result<DeviceBuffer> {
        let context = device.context();
        context.enter()?;
        context.take(bytes, what)?;
        // SAFETY: the size is not zero; the memory is cleared below before anyone reads it.
        let start = unsafe { cuda_malloc::<u8>(bytes.max(1)) }.map_err(|e| {
            context.give_back(bytes);
            match Code::from(e) {
                Code::OUT_OF_MEMORY => context.out_of_memory(bytes, what),
                code => code.error(format!("allocating GPU memory for {what}")),
            }
        })?;
        let buffer = DeviceBuffer { context: Arc::clone(context), start, bytes };
        // SAFETY: the buffer was allocated with this size.
        check(unsafe { driver::cuMemsetD8_v2(buffer.address(), 0, bytes) }, "clearing GPU memory")?;
        settle()?;
        Ok(buffer)
    }

    /// Allocates a copy of `data`.
    ///
    /// # Errors
    /// As [`DeviceBuffer::new`], and when the copy fails.
    pub fn from_bytes(device: &CudaDevice, data: &[u8], what: &str) -> Result<DeviceBuffer> {
        let buffer = Self::new(device, data.len(), what)?;
        // SAFETY: the buffer has `data`'s length, and the call returns when `data` has been read.
        let code = unsafe { driver::cuMemcpyHtoD_v2(buffer.address(), data.as_ptr().cast(), data.len()) };
        check(code, format_args!("copying {what} to the GPU"))?;
        settle()?;
        Ok(buffer)
    }

    /// Copies the buffer's first bytes to the host and waits for them. Streams are not waited for.
    ///
    /// # Errors
    /// When the copy fails.
    ///
    /// # Panics
    /// When `data` is longer than the buffer.
    pub fn read(&self, data: &mut [u8]) -> Result<()> {
        assert!(data.len() <= self.bytes);
        self.context.enter()?;
        // SAFETY: the buffer covers `data`'s length, and the call returns after the copy.
        let code = unsafe { driver::cuMemcpyDtoH_v2(data.as_mut_ptr().cast(), self.address(), data.len()) };
        check(code, "copying from the GPU")
    }

    /// Puts a copy of `bytes` bytes at `offset` into `stream`, to the same place of `dst`.
    ///
    /// # Errors
    /// When the copy is refused.
    ///
    /// # Panics
    /// When either buffer ends before.
    pub fn copy_to(&self, dst: &DeviceBuffer, offset: usize, bytes: usize, stream: &Stream) -> Result<()> {
        assert!(offset + bytes <= self.bytes.min(dst.bytes));
        self.context.enter()?;
        let [from, to] = [self, dst].map(|buffer| buffer.address() + offset as u64);
        // SAFETY: both buffers cover the bytes, and the driver frees neither before the copy is done.
        check(unsafe { driver::cuMemcpyDtoDAsync_v2(to, from, bytes, stream.as_raw()) }, "copying on the GPU")
    }

    /// The device's address of the first byte.
    pub fn address(&self) -> u64 {
        self.start.as_raw()
    }

    /// Bytes.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    pub(super) fn context(&self) -> &Arc<Context> {
        &self.context
    }
}

/// Waits for the default stream, in which memory is cleared and filled when it is made: the calls return before the
/// work is done, and the streams that use the memory do not wait for that one.
fn settle() -> Result<()> {
    // SAFETY: a null handle is the default stream.
    check(unsafe { driver::cuStreamSynchronize(ptr::null_mut()) }, "waiting for the GPU")
}

impl Drop for DeviceBuffer {
    fn drop(&mut self) {
        if self.context.enter_to_drop() {
            // SAFETY: allocated in `new`. The driver waits for work that still uses the memory.
            if let Err(error) = unsafe { cuda_free(self.start) } {
                log::debug!("freeing GPU memory: {}", Code::from(error));
            }
        }
        self.context.give_back(self.bytes);
    }
}
