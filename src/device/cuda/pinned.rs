//! Page-locked memory of the host, which the device reads and writes by itself.

use super::CudaDevice;
use super::context::Context;
use super::driver::{self, Code, check};
use crate::error::{Error, Kind, Result};
use crate::video::HostAllocator;
use cust::memory::{cuda_free_locked, cuda_malloc_locked};
use std::alloc::{Layout, alloc, dealloc};
use std::ffi::c_void;
use std::ptr::NonNull;
use std::sync::Arc;

/// CU_POINTER_ATTRIBUTE_MEMORY_TYPE
const POINTER_MEMORY_TYPE: u32 = 2;
/// CU_MEMORYTYPE_HOST
const MEMORY_TYPE_HOST: u32 = 1;
/// CU_MEMHOSTREGISTER_PORTABLE: for every context of the process, as the driver's own blocks are.
const PORTABLE: u32 = 1;

/// What blocks of the process begin on and end with, so that no two share a page that is locked: the pages of all systems are
/// of this size or smaller.
const PAGE: usize = 64 << 10;
/// A large page of x86-64. A block of such pages is cleared and locked sooner.
const LARGE_PAGE: usize = 2 << 20;

/// Gives out page-locked host memory: the device copies from and to it at full speed and while the host does
/// something else.
#[derive(Clone)]
pub struct PinnedAllocator {
    context: Arc<Context>,
}

impl PinnedAllocator {
    /// Memory that `device` reaches.
    pub fn new(device: &CudaDevice) -> PinnedAllocator {
        PinnedAllocator { context: Arc::clone(device.context()) }
    }
}

// SAFETY: a block is memory of the process or the driver that nobody else has; it is cleared here, and freed by the keeper alone.
unsafe impl HostAllocator for PinnedAllocator {
    fn allocate(&self, bytes: usize) -> Result<(NonNull<u8>, Box<dyn Send + Sync>)> {
        self.context.enter()?;
        let (start, owner) = match registered(bytes) {
            Some((start, layout)) => (start, Owner::Process(layout)),
            None => (of_the_driver(bytes)?, Owner::Driver),
        };
        Ok((start, Box::new(PinnedBlock { context: Arc::clone(&self.context), start, owner })))
    }
}

/// A block of the process's memory, cleared and then locked. For a picture of 25 MB this takes 6 ms, of which 1 in the driver,
/// whose block takes 15 ms, and 12 of them keep every other call waiting (one NVIDIA H200). None where the driver locks no such
/// memory, as in WSL.
fn registered(bytes: usize) -> Option<(NonNull<u8>, Layout)> {
    let align = if bytes < LARGE_PAGE { PAGE } else { LARGE_PAGE };
    let layout = Layout::from_size_align(bytes.max(1), align).ok()?.pad_to_align();
    // SAFETY: the size is not zero.
    let start = NonNull::new(unsafe { alloc(layout) })?;
    ask_for_large_pages(start, bytes);
    // SAFETY: the block was allocated with this size, and no device knows it yet.
    unsafe { start.as_ptr().write_bytes(0, bytes) };
    // SAFETY: these bytes are one block of ours, which stays until it is taken back from the driver.
    let code = unsafe { driver::cuMemHostRegister_v2(start.as_ptr().cast(), bytes.max(1), PORTABLE) };
    if let Err(error) = check(code, "locking memory of the process") {
        log::debug!("{error}");
        // SAFETY: allocated above with this layout, and nobody has it.
        unsafe { dealloc(start.as_ptr(), layout) };
        return None;
    }
    Some((start, layout))
}

/// Asks for large pages where the system gives them on request. Without them the block is the same.
#[cfg(target_os = "linux")]
fn ask_for_large_pages(start: NonNull<u8>, bytes: usize) {
    use rustix::mm::{Advice, madvise};
    if bytes >= LARGE_PAGE {
        // SAFETY: the block begins on a page, and nobody has looked at its memory yet.
        let _ = unsafe { madvise(start.as_ptr().cast(), bytes, Advice::LinuxHugepage) };
    }
}

#[cfg(not(target_os = "linux"))]
fn ask_for_large_pages(_: NonNull<u8>, _: usize) {}

/// A block that the driver allocates.
fn of_the_driver(bytes: usize) -> Result<NonNull<u8>> {
    let out_of_memory = |why: &dyn std::fmt::Display| {
        Error::new(Kind::OutOfMemory, format!("no page-locked memory for a picture of {bytes} bytes: {why}"))
    };
    // SAFETY: the size is not zero.
    let start = unsafe { cuda_malloc_locked::<u8>(bytes.max(1)) }.map_err(|e| out_of_memory(&Code::from(e)))?;
    let start = NonNull::new(start).ok_or_else(|| out_of_memory(&"the driver gave none"))?;
    // SAFETY: the block was allocated with this size.
    unsafe { start.as_ptr().write_bytes(0, bytes) };
    Ok(start)
}

/// Who allocated a block.
enum Owner {
    /// The process, with this layout.
    Process(Layout),
    /// The driver.
    Driver,
}

struct PinnedBlock {
    context: Arc<Context>,
    start: NonNull<u8>,
    owner: Owner,
}

// SAFETY: a block owns plain bytes.
unsafe impl Send for PinnedBlock {}
// SAFETY: it gives no access to them.
unsafe impl Sync for PinnedBlock {}

impl Drop for PinnedBlock {
    fn drop(&mut self) {
        // A context that is gone may have left the memory locked: it stays.
        if !self.context.enter_to_drop() {
            return;
        }
        let start = self.start.as_ptr();
        let freed = match self.owner {
            // SAFETY: locked by `registered`; a picture is dropped only after copies to and from it.
            Owner::Process(layout) => check(unsafe { driver::cuMemHostUnregister(start.cast()) }, "unlocking memory")
                // SAFETY: allocated by `registered` with this layout; the driver has let go of it.
                .map(|()| unsafe { dealloc(start, layout) }),
            Owner::Driver => {
                // SAFETY: allocated by `of_the_driver`; as above.
                unsafe { cuda_free_locked(start) }.map_err(|e| Code::from(e).error("freeing page-locked memory"))
            }
        };
        if let Err(error) = freed {
            log::debug!("{error}");
        }
    }
}

/// Whether the driver knows `address` as page-locked host memory. Other memory is copied in two steps, slowly.
pub fn is_pinned(context: &Context, address: *const u8) -> bool {
    let mut kind = 0u32;
    let data = (&raw mut kind).cast::<c_void>();
    // SAFETY: the driver writes one number; an address that it does not know is an error, not a fault.
    let code = || unsafe { driver::cuPointerGetAttribute(data, POINTER_MEMORY_TYPE, address.addr() as u64) };
    context.enter().is_ok() && code() == 0 && kind == MEMORY_TYPE_HOST
}
