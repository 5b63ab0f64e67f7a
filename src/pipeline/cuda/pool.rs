//! Pictures in GPU memory that circulate between the chain and what gets its results there: an encoder, or nothing.

use crate::device::cuda::{CudaDevice, DeviceBuffer, DevicePicture};
use crate::error::Result;
use crate::video::{Format, FreeList};
use std::sync::Arc;

/// Dropping a picture returns its memory. The pool grows while an encoder holds more, as far as the budget goes.
pub struct DevicePool {
    device: Arc<CudaDevice>,
    shape: (Format, usize, usize),
    free: FreeList<DeviceBuffer>,
}

impl DevicePool {
    /// Allocates `count` pictures.
    ///
    /// # Errors
    /// When the device's memory or the budget does not cover them.
    pub fn new(device: &Arc<CudaDevice>, count: usize, shape: (Format, usize, usize)) -> Result<DevicePool> {
        let pool = DevicePool { device: Arc::clone(device), shape, free: FreeList::new() };
        // They go back together.
        let pictures: Vec<_> = (0..count).map(|_| pool.take()).collect::<Result<_>>()?;
        drop(pictures);
        Ok(pool)
    }

    /// A picture whose samples are whatever its last user left.
    ///
    /// # Errors
    /// When none is free, and memory or the budget runs out.
    pub fn take(&self) -> Result<DevicePicture> {
        let (format, width, height) = self.shape;
        DevicePicture::pooled(&self.device, format, width, height, &self.free)
    }
}
