//! Memory that a GPU reaches by itself.

use super::abi;
use super::call::{call, can_give, give};
use super::device::device_choice;
use std::collections::BTreeMap;
use std::ffi::{c_char, c_void};
use std::ptr::NonNull;
use std::sync::{Mutex, PoisonError};
use vramp::device::DeviceChoice;
use vramp::device::cuda::{CudaDevice, PinnedAllocator};
use vramp::error::{Error, Result};
use vramp::video::{Heap, HostAllocator};

/// What frees a block.
type Keeper = Box<dyn Send + Sync>;

/// The blocks that callers hold, by their address.
static BLOCKS: Mutex<BTreeMap<usize, Keeper>> = Mutex::new(BTreeMap::new());

/// Memory that the chosen device copies from and to by itself, or the heap's where the CPU filters.
fn allocate(choice: DeviceChoice, bytes: usize) -> Result<(NonNull<u8>, Keeper)> {
    let pinned = |ordinal| PinnedAllocator::new(&*CudaDevice::shared(ordinal)?).allocate(bytes);
    match choice.ordinal().map(pinned) {
        None => Heap.allocate(bytes),
        // The chain says so too, once: blocks are many.
        Some(Err(error)) if choice == DeviceChoice::Auto => {
            log::debug!("memory of the heap: {error}");
            Heap.allocate(bytes)
        }
        Some(pinned) => pinned,
    }
}

/// `vramp_alloc` of the header.
///
/// # Safety
/// As the header says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn vramp_alloc(device: *const c_char, bytes: usize, memory: *mut *mut c_void) -> i32 {
    call(|| {
        can_give(memory, "memory")?;
        if bytes == 0 {
            return Err(Error::bad_argument("bytes is 0"));
        }
        // SAFETY: the caller's promise.
        let choice = unsafe { device_choice(device) }?;
        let (start, keeper) = allocate(choice, bytes)?;
        BLOCKS.lock().unwrap_or_else(PoisonError::into_inner).insert(start.as_ptr().addr(), keeper);
        // SAFETY: the caller's promise.
        unsafe { give(memory, start.as_ptr().cast(), "memory") }.map(|()| abi::OK)
    })
}

/// `vramp_free` of the header.
#[unsafe(no_mangle)]
pub extern "C" fn vramp_free(memory: *mut c_void) -> i32 {
    call(|| {
        if memory.is_null() {
            return Ok(abi::OK);
        }
        let keeper = BLOCKS.lock().unwrap_or_else(PoisonError::into_inner).remove(&memory.addr());
        let unknown = || Error::bad_argument(format!("{memory:p} is no memory of vramp_alloc, or was freed"));
        keeper.map(|_| abi::OK).ok_or_else(unknown)
    })
}
