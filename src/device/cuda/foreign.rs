//! Memory and streams that a caller made: whether they are of a device's context, as far as the driver knows.

use super::driver::{self, check};
use super::{CudaDevice, Stream, context};
use crate::error::{Error, Result};
use cust::sys::CUcontext;
use std::ffi::{c_uint, c_void};
use std::ptr;

/// CU_POINTER_ATTRIBUTE_CONTEXT, _MEMORY_TYPE, _IS_MANAGED, _RANGE_START_ADDR and _RANGE_SIZE
const ATTRIBUTES: [c_uint; 5] = [1, 2, 8, 11, 12];
/// CU_MEMORYTYPE_DEVICE
const MEMORY_TYPE_DEVICE: u32 = 2;

/// The calling thread's context (`CUcontext`), if it has one.
pub fn current_context() -> Option<*mut c_void> {
    context::start().ok()?;
    let mut context: CUcontext = ptr::null_mut();
    // SAFETY: the driver writes a handle.
    let code = unsafe { driver::cuCtxGetCurrent(&mut context) };
    (code == 0 && !context.is_null()).then_some(context.cast())
}

/// The context (`CUcontext`) that the memory at `address` was allocated in. Memory of pools and mappings is of none.
pub fn context_of(address: u64) -> Option<*mut c_void> {
    context::start().ok()?;
    let mut context: CUcontext = ptr::null_mut();
    let to = (&raw mut context).cast();
    // SAFETY: the driver writes a handle; an address that it does not know is an error, not a fault.
    let code = unsafe { driver::cuPointerGetAttribute(to, ATTRIBUTES[0], address) };
    (code == 0 && !context.is_null()).then_some(context.cast())
}

impl CudaDevice {
    /// Refuses the `bytes` bytes at `address`, called `what`, where the driver knows that kernels in this context would fault
    /// there: it is no memory of the GPU, another context's, or shorter. Memory of pools and mappings is not looked into.
    ///
    /// # Errors
    /// With what is wrong with it.
    pub fn check_memory(&self, address: u64, bytes: u64, what: &str) -> Result<()> {
        self.context().enter()?;
        let mut context: CUcontext = ptr::null_mut();
        let (mut kind, mut is_managed) = (0u32, 0u32);
        let (mut start, mut length) = (0u64, 0usize);
        let mut values: [*mut c_void; 5] = [
            (&raw mut context).cast(),
            (&raw mut kind).cast(),
            (&raw mut is_managed).cast(),
            (&raw mut start).cast(),
            (&raw mut length).cast(),
        ];
        // SAFETY: each attribute has room for its value. Of an address that the driver does not know all are 0.
        let code = unsafe { driver::cuPointerGetAttributes(5, ATTRIBUTES.as_ptr(), values.as_mut_ptr(), address) };
        check(code, "asking for the memory of a picture")?;
        let wrong = |why: &str| Err(Error::bad_argument(format!("{what} {why}")));
        if kind == 0 {
            return wrong("is no memory of the GPU");
        }
        if kind != MEMORY_TYPE_DEVICE || is_managed != 0 || context.is_null() {
            return Ok(());
        }
        if context != self.context().as_raw() {
            return wrong("lies in another CUDA context than the chain's");
        }
        let end = start.saturating_add(length as u64);
        if address < start || address.checked_add(bytes).is_none_or(|last| last > end) {
            return wrong(&format!("reaches beyond its memory, which has {length} bytes"));
        }
        Ok(())
    }

    /// The caller's stream `raw` (`CUstream`; null is the default stream), which must be one of this context.
    ///
    /// # Errors
    /// When it is of another context.
    ///
    /// # Safety
    /// `raw` must be null or a stream's handle, until what is given is dropped.
    pub unsafe fn stream_of(&self, raw: *mut c_void) -> Result<Stream> {
        self.context().enter()?;
        if !raw.is_null() {
            let mut context: CUcontext = ptr::null_mut();
            // SAFETY: the caller's promise; the driver writes a handle.
            check(unsafe { driver::cuStreamGetCtx(raw.cast(), &mut context) }, "asking for the context of a stream")?;
            if context != self.context().as_raw() {
                return Err(Error::bad_argument("the stream is of another CUDA context than the chain's"));
            }
        }
        // SAFETY: the caller's promise; it is of this context.
        Ok(unsafe { Stream::borrowed(self, raw) })
    }
}
