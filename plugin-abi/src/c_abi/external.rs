//! Memory and timelines of other APIs, for frames in GPU memory, and those frames.

use super::abi::{self, Frame, Handle, InputFrame, Order, Planes, Point};
use super::call::{call, can_give, give, read, read_all};
use super::chain::{CHAINS, Opaque, describe_made};
use super::handles::Handles;
use std::ffi::c_void;
use std::sync::Arc;
use vramp::device::cuda::{self, CudaDevice, ExternalHandle, ExternalMemory, ExternalSemaphore};
use vramp::error::{Error, Result};
use vramp::pipeline::{StreamOrder, TimelinePoint, WorkOrder};

/// The memory and the semaphores that callers hold.
static MEMORY: Handles<ExternalMemory> = Handles::new("imported memory");
static SEMAPHORES: Handles<ExternalSemaphore> = Handles::new("imported semaphore");

/// What the header's struct describes.
///
/// # Safety
/// As [`read`].
unsafe fn described(handle: *const Handle) -> Result<(ExternalHandle, Handle)> {
    // SAFETY: the caller's promise.
    let read = unsafe { read(handle) }?;
    let external = match read.kind {
        abi::HANDLE_FD => {
            let fd = i32::try_from(read.handle);
            ExternalHandle::Fd(fd.map_err(|_| Error::bad_argument(format!("{} is no file descriptor", read.handle)))?)
        }
        abi::HANDLE_WIN32 => ExternalHandle::Win32(std::ptr::with_exposed_provenance_mut(read.handle as usize)),
        other => return Err(Error::bad_argument(format!("there is no kind of handle {other}"))),
    };
    if read.flags & !abi::MEMORY_DEDICATED as u32 != 0 || read.reserved != 0 {
        return Err(Error::bad_argument("vramp_handle: there are no such flags, or reserved is not 0"));
    }
    Ok((external, read))
}

/// Imports with `import` what `handle` describes, for the device of `chain`, and gives what `holder` makes of it.
///
/// # Safety
/// As the header says.
unsafe fn imported<T>(
    chain: *const Opaque,
    handle: *const Handle,
    holders: &Handles<T>,
    import: impl FnOnce(&CudaDevice, ExternalHandle, &Handle) -> Result<T>,
) -> Result<*mut c_void> {
    let chain = CHAINS.get(chain)?;
    // SAFETY: the caller's promise.
    let (external, handle) = unsafe { described(handle) }?;
    Ok(holders.insert(import(chain.device()?, external, &handle)?))
}

/// `vramp_memory_import` of the header.
///
/// # Safety
/// As the header says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn vramp_memory_import(
    chain: *mut Opaque,
    handle: *const Handle,
    memory: *mut *mut c_void,
    address: *mut *mut c_void,
) -> i32 {
    call(|| {
        can_give(memory, "memory")?;
        can_give(address, "address")?;
        let mut start = 0;
        let import = |device: &CudaDevice, external, handle: &Handle| {
            let is_dedicated = handle.flags != 0;
            // SAFETY: the caller's promise.
            let memory = unsafe { ExternalMemory::import(device, external, handle.bytes, is_dedicated) }?;
            start = memory.address();
            Ok(memory)
        };
        // SAFETY: the caller's promise.
        unsafe {
            let made = imported(chain, handle, &MEMORY, import)?;
            give(address, std::ptr::with_exposed_provenance_mut(start as usize), "address")?;
            give(memory, made, "memory").map(|()| abi::OK)
        }
    })
}

/// `vramp_memory_destroy` of the header.
#[unsafe(no_mangle)]
pub extern "C" fn vramp_memory_destroy(memory: *mut c_void) -> i32 {
    call(|| if memory.is_null() { Ok(abi::OK) } else { MEMORY.remove(memory).map(|_| abi::OK) })
}

/// `vramp_semaphore_import` of the header.
///
/// # Safety
/// As the header says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn vramp_semaphore_import(
    chain: *mut Opaque,
    handle: *const Handle,
    semaphore: *mut *mut c_void,
) -> i32 {
    call(|| {
        can_give(semaphore, "semaphore")?;
        let import = |device: &CudaDevice, external, handle: &Handle| {
            if handle.bytes != 0 || handle.flags != 0 {
                return Err(Error::bad_argument("a semaphore has no bytes, and no flags of memory"));
            }
            // SAFETY: the caller's promise.
            unsafe { ExternalSemaphore::import(device, external) }
        };
        // SAFETY: the caller's promise.
        unsafe { give(semaphore, imported(chain, handle, &SEMAPHORES, import)?, "semaphore").map(|()| abi::OK) }
    })
}

/// `vramp_semaphore_destroy` of the header.
#[unsafe(no_mangle)]
pub extern "C" fn vramp_semaphore_destroy(semaphore: *mut c_void) -> i32 {
    call(|| if semaphore.is_null() { Ok(abi::OK) } else { SEMAPHORES.remove(semaphore).map(|_| abi::OK) })
}

/// `vramp_cuda_device` of the header.
///
/// # Safety
/// As the header says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn vramp_cuda_device(uuid: *const [u8; 16], number: *mut u32) -> i32 {
    call(|| {
        can_give(number, "number")?;
        can_give(uuid.cast_mut(), "uuid")?;
        // SAFETY: the caller's promise.
        let found = cuda::with_uuid(unsafe { &*uuid })?;
        let found = found.ok_or_else(|| Error::unsupported("no CUDA device has this identity"))?;
        // SAFETY: as above.
        unsafe { give(number, found as u32, "number") }.map(|()| abi::OK)
    })
}

/// Values of timelines, with the semaphores that they keep.
type Points = Vec<(Arc<ExternalSemaphore>, u64)>;

/// The points at `points`.
///
/// # Safety
/// As [`read_all`].
unsafe fn points(points: *const Point, count: u32) -> Result<Points> {
    // SAFETY: the caller's promise.
    let list = unsafe { read_all(points, count) }?;
    let point = |point: Point| match point.reserved {
        0 => Ok((SEMAPHORES.get(point.semaphore)?, point.value)),
        _ => Err(Error::bad_argument("vramp_point: reserved is not 0")),
    };
    list.into_iter().map(point).collect()
}

fn borrowed(points: &Points) -> Vec<TimelinePoint<'_>> {
    points.iter().map(|(semaphore, value)| TimelinePoint { semaphore, value: *value }).collect()
}

/// `vramp_process_cuda` of the header.
///
/// # Safety
/// As the header says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn vramp_process_cuda(
    chain: *mut Opaque,
    frame: *const Frame,
    src: *const Planes,
    dst: *const Planes,
    stream: *mut c_void,
) -> i32 {
    call(|| {
        let chain = CHAINS.get(chain)?;
        // SAFETY: the caller's promise.
        unsafe {
            let work = chain.one(frame, src, dst, "vramp_process_frames_cuda")?;
            chain.process_cuda(&work, &StreamOrder::In(stream).into()).map(|_| abi::OK)
        }
    })
}

/// `vramp_process_frames_cuda` of the header.
///
/// # Safety
/// As the header says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn vramp_process_frames_cuda(
    chain: *mut Opaque,
    frame: u64,
    frames: *const InputFrame,
    count: u32,
    dst: *const Planes,
    order: *const Order,
    result: *mut Frame,
) -> i32 {
    call(|| {
        let chain = CHAINS.get(chain)?;
        // SAFETY: the caller's promise.
        unsafe {
            let order = if order.is_null() { Order::default() } else { read(order)? };
            if order.reserved != 0 {
                return Err(Error::bad_argument("vramp_order: reserved is not 0"));
            }
            let (waits, signals) = (points(order.waits, order.wait_count)?, points(order.signals, order.signal_count)?);
            let (waits, signals) = (borrowed(&waits), borrowed(&signals));
            let order = WorkOrder { stream: StreamOrder::In(order.stream), waits: &waits, signals: &signals };
            let make = || chain.process_cuda(&chain.many(frame, frames, count, dst)?, &order);
            describe_made(result, make).map(|()| abi::OK)
        }
    })
}
