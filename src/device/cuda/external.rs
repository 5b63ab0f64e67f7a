//! Memory and timelines of other APIs, as Vulkan has them, imported into a device's context.
//!
//! A handle stays its owner's: the driver takes a file descriptor over, so that it gets a duplicate.

use super::context::Context;
use super::driver::{self, Code, check, outcome};
use super::{CudaDevice, Stream, context};
use crate::error::{Error, Kind, Result};
use std::ffi::{c_int, c_uint, c_void};
use std::ptr;
use std::sync::Arc;

/// CUDA_EXTERNAL_MEMORY_DEDICATED
const DEDICATED: c_uint = 1;
/// CU_DEVICE_ATTRIBUTE_TIMELINE_SEMAPHORE_INTEROP_SUPPORTED
const HAS_TIMELINES: c_int = 114;
/// The first CUDA version that knows timelines.
const TIMELINES_SINCE: (u32, u32) = (11, 2);

/// What another API exported.
#[derive(Clone, Copy, Debug)]
pub enum ExternalHandle {
    /// A file descriptor: what Vulkan calls opaque.
    Fd(c_int),
    /// An NT handle, likewise.
    Win32(*mut c_void),
}

/// CUDA_EXTERNAL_MEMORY_HANDLE_DESC
#[repr(C)]
struct MemoryDesc {
    kind: c_uint,
    handle: RawHandle,
    bytes: u64,
    flags: c_uint,
    reserved: [c_uint; 16],
}

/// CUDA_EXTERNAL_MEMORY_BUFFER_DESC
#[repr(C)]
struct BufferDesc {
    offset: u64,
    bytes: u64,
    flags: c_uint,
    reserved: [c_uint; 16],
}

/// CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC
#[repr(C)]
struct SemaphoreDesc {
    kind: c_uint,
    handle: RawHandle,
    flags: c_uint,
    reserved: [c_uint; 16],
}

/// CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS and CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS, of which timelines use the first field.
#[repr(C)]
struct PointParams {
    value: u64,
    rest: [u64; 17],
}

/// A file descriptor, or an NT handle and no name.
#[repr(C)]
#[derive(Clone, Copy)]
union RawHandle {
    fd: c_int,
    win32: [*mut c_void; 2],
}

const _: () = assert!(size_of::<MemoryDesc>() == 104 && size_of::<BufferDesc>() == 88);
const _: () = assert!(size_of::<SemaphoreDesc>() == 96 && size_of::<PointParams>() == 144);

/// Calls `import` with the handle as the driver takes it, and its number among the driver's kinds, of which `kinds` has the one
/// of file descriptors and the one of NT handles.
///
/// # Safety
/// The handle must be one of its kind.
unsafe fn with_handle<R>(
    handle: ExternalHandle,
    kinds: [c_uint; 2],
    import: impl FnOnce(c_uint, RawHandle) -> Result<R>,
) -> Result<R> {
    match handle {
        #[cfg(unix)]
        ExternalHandle::Fd(fd) => {
            use std::os::fd::{BorrowedFd, IntoRawFd};
            if fd < 0 {
                return Err(Error::bad_argument(format!("{fd} is no file descriptor")));
            }
            // SAFETY: it is used for this call alone, which fails where it is not open.
            let own = unsafe { BorrowedFd::borrow_raw(fd) }.try_clone_to_owned();
            let own = own.map_err(|e| Error::bad_argument(format!("{fd} is no file descriptor: {e}")))?;
            let raw = std::os::fd::AsRawFd::as_raw_fd(&own);
            let imported = import(kinds[0], RawHandle { fd: raw })?;
            // The driver has it now.
            let _ = own.into_raw_fd();
            Ok(imported)
        }
        #[cfg(windows)]
        ExternalHandle::Win32(handle) => import(kinds[1], RawHandle { win32: [handle, ptr::null_mut()] }),
        _ => Err(Error::unsupported("this system has no handles of that kind")),
    }
}

/// The error of a handle that was not taken as `what`.
fn refused(code: Code, what: &str) -> Error {
    match code {
        Code::STUB_LIBRARY => Error::unsupported("the CUDA driver is too old to import memory of other APIs"),
        Code::NOT_SUPPORTED => Error::unsupported(format!("the CUDA driver does not import {what}: {code}")),
        Code::OUT_OF_MEMORY => Error::new(Kind::OutOfMemory, format!("importing {what}: {code}")),
        _ => Error::bad_argument(format!("the CUDA driver does not take the handle as {what}: {code}")),
    }
}

/// Memory of another API, mapped as a whole. While this lives, the memory does, whatever its maker frees.
pub struct ExternalMemory {
    context: Arc<Context>,
    raw: *mut c_void,
    address: u64,
    bytes: u64,
}

// SAFETY: the driver takes calls on its memory from any thread.
unsafe impl Send for ExternalMemory {}
// SAFETY: as above.
unsafe impl Sync for ExternalMemory {}

impl ExternalMemory {
    /// Imports an allocation of `bytes` bytes, which may have been made for one resource alone (`is_dedicated`).
    ///
    /// # Errors
    /// When it is no such handle, or the driver is too old.
    ///
    /// # Safety
    /// The handle must be one of its kind, and the allocation as large as is stated.
    pub unsafe fn import(
        device: &CudaDevice,
        handle: ExternalHandle,
        bytes: u64,
        is_dedicated: bool,
    ) -> Result<ExternalMemory> {
        if bytes == 0 {
            return Err(Error::bad_argument("memory of no bytes cannot be imported"));
        }
        let context = device.context();
        context.enter()?;
        let flags = if is_dedicated { DEDICATED } else { 0 };
        let import = |kind, handle| {
            let (mut raw, desc) = (ptr::null_mut(), MemoryDesc { kind, handle, bytes, flags, reserved: [0; 16] });
            // SAFETY: the description is the driver's; it writes a handle.
            let code = unsafe { driver::cuImportExternalMemory(&mut raw, (&raw const desc).cast()) };
            outcome(code).map_err(|code| refused(code, &format!("memory of {bytes} bytes")))?;
            Ok(raw)
        };
        // SAFETY: the caller's promise. CU_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD and _OPAQUE_WIN32
        let raw = unsafe { with_handle(handle, [1, 2], import) }?;
        let mut memory = ExternalMemory { context: Arc::clone(context), raw, address: 0, bytes };
        let desc = BufferDesc { offset: 0, bytes, flags: 0, reserved: [0; 16] };
        // SAFETY: as above; it writes an address.
        let code =
            unsafe { driver::cuExternalMemoryGetMappedBuffer(&mut memory.address, raw, (&raw const desc).cast()) };
        outcome(code).map_err(|code| refused(code, &format!("memory of {bytes} bytes")))?;
        Ok(memory)
    }

    /// The device's address of the first byte.
    pub fn address(&self) -> u64 {
        self.address
    }

    /// Bytes.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }
}

impl Drop for ExternalMemory {
    fn drop(&mut self) {
        if finish(&self.context) {
            if self.address != 0 {
                // SAFETY: mapped in `import`, and no work uses it any more.
                driver::note(unsafe { driver::cuMemFree_v2(self.address) }, "unmapping imported memory");
            }
            // SAFETY: as above.
            driver::note(unsafe { driver::cuDestroyExternalMemory(self.raw) }, "giving imported memory back");
        }
    }
}

/// A timeline of another API: a number that rises, for which work waits, and to which work raises it.
pub struct ExternalSemaphore {
    context: Arc<Context>,
    raw: *mut c_void,
}

// SAFETY: the driver takes calls on its semaphores from any thread.
unsafe impl Send for ExternalSemaphore {}
// SAFETY: as above.
unsafe impl Sync for ExternalSemaphore {}

impl ExternalSemaphore {
    /// Imports a timeline semaphore.
    ///
    /// # Errors
    /// When it is no such handle, or driver or device know none.
    ///
    /// # Safety
    /// The handle must be one of its kind.
    pub unsafe fn import(device: &CudaDevice, handle: ExternalHandle) -> Result<ExternalSemaphore> {
        let context = device.context();
        context.enter()?;
        let (major, minor) = context::driver_version()?;
        if (major, minor) < TIMELINES_SINCE {
            return Err(Error::unsupported(format!(
                "timeline semaphores need a driver of CUDA {}.{}, and this one has {major}.{minor}",
                TIMELINES_SINCE.0, TIMELINES_SINCE.1
            )));
        }
        let mut has_timelines = 0;
        let ordinal = device.info().ordinal as c_int;
        // SAFETY: the driver writes a number.
        let code = unsafe { driver::cuDeviceGetAttribute(&mut has_timelines, HAS_TIMELINES, ordinal) };
        check(code, "asking for timeline semaphores")?;
        if has_timelines == 0 {
            return Err(Error::unsupported(format!("{} takes no timeline semaphores", device.info())));
        }
        let import = |kind, handle| {
            let (mut raw, desc) = (ptr::null_mut(), SemaphoreDesc { kind, handle, flags: 0, reserved: [0; 16] });
            // SAFETY: the description is the driver's; it writes a handle.
            let code = unsafe { driver::cuImportExternalSemaphore(&mut raw, (&raw const desc).cast()) };
            outcome(code).map_err(|code| refused(code, "a timeline semaphore"))?;
            Ok(raw)
        };
        // SAFETY: the caller's promise. CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_TIMELINE_SEMAPHORE_FD and _WIN32
        let raw = unsafe { with_handle(handle, [9, 10], import) }?;
        Ok(ExternalSemaphore { context: Arc::clone(context), raw })
    }

    /// Refuses a semaphore of another context than the device's.
    ///
    /// # Errors
    /// When it is one.
    pub fn check(&self, device: &CudaDevice) -> Result<()> {
        match self.context.as_raw() == device.context().as_raw() {
            true => Ok(()),
            false => Err(Error::bad_argument("the semaphore was imported into another CUDA context than the chain's")),
        }
    }

    /// Holds back what is put into `stream` from now on until the timeline has reached `value`.
    ///
    /// # Errors
    /// When the driver refuses it.
    pub fn wait(&self, value: u64, stream: &Stream) -> Result<()> {
        self.context.enter()?;
        let params = PointParams { value, rest: [0; 17] };
        // SAFETY: both handles are alive, and the driver reads one semaphore with its parameters.
        let code =
            unsafe { driver::cuWaitExternalSemaphoresAsync(&self.raw, (&raw const params).cast(), 1, stream.as_raw()) };
        check(code, "waiting for a timeline semaphore")
    }

    /// Raises each timeline to its value when all that is in `stream` is done: all of them, or none.
    ///
    /// # Errors
    /// When the driver refuses it.
    pub fn signal_all<'a>(
        points: impl IntoIterator<Item = (&'a ExternalSemaphore, u64)>,
        stream: &Stream,
    ) -> Result<()> {
        let points: Vec<_> = points.into_iter().collect();
        let Some((first, _)) = points.first() else { return Ok(()) };
        first.context.enter()?;
        let raw: Vec<_> = points.iter().map(|(semaphore, _)| semaphore.raw).collect();
        let params: Vec<_> = points.iter().map(|(_, value)| PointParams { value: *value, rest: [0; 17] }).collect();
        // SAFETY: the handles are alive, and the driver reads as many of both as the count says.
        let code = unsafe {
            driver::cuSignalExternalSemaphoresAsync(
                raw.as_ptr(),
                params.as_ptr().cast(),
                points.len() as c_uint,
                stream.as_raw(),
            )
        };
        check(code, "signalling timeline semaphores")
    }
}

impl Drop for ExternalSemaphore {
    fn drop(&mut self) {
        if finish(&self.context) {
            // SAFETY: imported in `import`, and no work uses it any more.
            driver::note(unsafe { driver::cuDestroyExternalSemaphore(self.raw) }, "giving a semaphore back");
        }
    }
}

/// Waits for all work in the context, which may use what is dropped now. False where the context is gone, or cannot be waited for
/// (it has failed, or somebody records work in it): what work may still use is kept.
fn finish(context: &Context) -> bool {
    // SAFETY: a plain call.
    let wait = || check(unsafe { driver::cuCtxSynchronize() }, "waiting for the GPU");
    context.enter_to_drop() && wait().inspect_err(|e| log::debug!("{e}")).is_ok()
}
