//! Memory and timelines of VapourSynth's, imported once and kept for later frames.

use super::ffi::ExportedMemory;
use std::sync::{Arc, Mutex, PoisonError};
use vramp::device::cuda::{CudaDevice, ExternalHandle, ExternalMemory, ExternalSemaphore};
use vramp::error::{Error, Result};

/// Allocations that are kept: each is a block of 128 MiB at most, or one large plane. VapourSynth may have freed it.
const MOST_MEMORY: usize = 256;
/// Timelines that are kept. Those of the core itself are few.
const MOST_SEMAPHORES: usize = 64;

/// What was used last, by its key; the last entry is the newest.
pub struct Recent<K, T> {
    most: usize,
    kept: Mutex<Vec<(K, Arc<T>)>>,
}

impl<K: PartialEq + Copy, T> Recent<K, T> {
    /// Keeps `most`.
    pub const fn new(most: usize) -> Recent<K, T> {
        Recent { most, kept: Mutex::new(Vec::new()) }
    }

    /// What is kept under `key`, or else what `make` makes.
    ///
    /// # Errors
    /// Those of `make`.
    pub fn get(&self, key: K, make: impl FnOnce() -> Result<T>) -> Result<Arc<T>> {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(place) = kept.iter().position(|(known, _)| *known == key) {
            kept[place..].rotate_left(1);
        } else {
            kept.push((key, Arc::new(make()?)));
        }
        let found = kept.last().map(|(_, value)| Arc::clone(value));
        let oldest = (kept.len() > self.most).then(|| kept.remove(0));
        // What goes waits for the device: not while others wait for the list.
        drop(kept);
        drop(oldest);
        found.ok_or_else(|| Error::internal("a list that keeps nothing"))
    }
}

/// The imports of one filter.
pub struct Imports {
    memory: Recent<u64, ExternalMemory>,
    semaphores: Recent<usize, ExternalSemaphore>,
}

/// A handle that VapourSynth made, closed in the end: what is imported is a duplicate.
struct OwnHandle(Owned);

#[cfg(unix)]
type Owned = std::os::fd::OwnedFd;
#[cfg(windows)]
type Owned = std::os::windows::io::OwnedHandle;

impl OwnHandle {
    /// # Safety
    /// The handle must be the caller's, and none other's.
    #[cfg(unix)]
    unsafe fn new(handle: isize) -> Result<OwnHandle> {
        let fd = std::ffi::c_int::try_from(handle).ok().filter(|fd| *fd >= 0);
        let fd = fd.ok_or_else(|| Error::internal("VapourSynth exported no file descriptor"))?;
        // SAFETY: the caller's promise.
        Ok(OwnHandle(unsafe { std::os::fd::FromRawFd::from_raw_fd(fd) }))
    }

    /// # Safety
    /// As above.
    #[cfg(windows)]
    unsafe fn new(handle: isize) -> Result<OwnHandle> {
        let raw = std::ptr::with_exposed_provenance_mut(handle as usize);
        // SAFETY: the caller's promise.
        Ok(OwnHandle(unsafe { std::os::windows::io::FromRawHandle::from_raw_handle(raw) }))
    }

    fn external(&self) -> ExternalHandle {
        #[cfg(unix)]
        return ExternalHandle::Fd(std::os::fd::AsRawFd::as_raw_fd(&self.0));
        #[cfg(windows)]
        return ExternalHandle::Win32(std::os::windows::io::AsRawHandle::as_raw_handle(&self.0));
    }
}

impl Imports {
    /// None yet.
    pub const fn new() -> Imports {
        Imports { memory: Recent::new(MOST_MEMORY), semaphores: Recent::new(MOST_SEMAPHORES) }
    }

    /// The memory of a plane, whose handle is closed.
    ///
    /// # Errors
    /// When the driver does not take it.
    ///
    /// # Safety
    /// It must be what VapourSynth exported.
    pub unsafe fn memory(&self, device: &CudaDevice, exported: &ExportedMemory) -> Result<Arc<ExternalMemory>> {
        // SAFETY: the caller's promise.
        let handle = unsafe { OwnHandle::new(exported.handle) }?;
        self.memory.get(exported.memory_id, || {
            // SAFETY: as above.
            unsafe { ExternalMemory::import(device, handle.external(), exported.memory_size, false) }
        })
    }

    /// The timeline with Vulkan's handle `semaphore`, which `export` exports.
    ///
    /// # Errors
    /// When the driver does not take it.
    ///
    /// # Safety
    /// `export` must give a handle of it that is nobody else's.
    pub unsafe fn semaphore(
        &self,
        device: &CudaDevice,
        semaphore: usize,
        export: impl FnOnce() -> Result<isize>,
    ) -> Result<Arc<ExternalSemaphore>> {
        // SAFETY: the caller's promise.
        self.semaphores.get(semaphore, || unsafe { import_semaphore(device, export()?) })
    }
}

/// Imports a timeline, whose handle is closed.
///
/// # Errors
/// When the driver does not take it.
///
/// # Safety
/// The handle must be one of a timeline, and nobody else's.
pub unsafe fn import_semaphore(device: &CudaDevice, handle: isize) -> Result<ExternalSemaphore> {
    // SAFETY: the caller's promise.
    unsafe { ExternalSemaphore::import(device, OwnHandle::new(handle)?.external()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_latest_are_kept() {
        let (recent, mut made) = (Recent::new(2), Vec::new());
        for key in [1, 2, 1, 3, 1, 2, 3] {
            let value = recent.get(key, || {
                made.push(key);
                Ok(key * 10)
            });
            assert_eq!(*value.unwrap(), key * 10);
        }
        assert_eq!(made, [1, 2, 3, 2, 3]);
        let failed = Recent::<u8, u8>::new(2).get(1, || Err(Error::internal("no")));
        assert_eq!(failed.err(), Some(Error::internal("no")));
    }
}
