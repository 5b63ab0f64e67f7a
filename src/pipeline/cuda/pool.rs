//! Pictures in GPU memory that circulate between the chain and what gets its results there: an encoder, or nothing.

use crate::device::cuda::{CudaDevice, DevicePicture};
use crate::error::{Error, Result};
use crate::video::Format;
use crossbeam_channel::{Receiver, Sender, unbounded};
use std::sync::Arc;

/// Dropping a picture returns its memory. The pool grows while an encoder holds more, as far as the budget goes.
pub struct DevicePool {
    device: Arc<CudaDevice>,
    format: Format,
    width: usize,
    height: usize,
    free: Receiver<DevicePicture>,
    recycle: Sender<DevicePicture>,
}

/// A picture of the pool's that is in use.
struct PooledPicture {
    picture: Option<DevicePicture>,
    recycle: Sender<DevicePicture>,
}

impl Drop for PooledPicture {
    fn drop(&mut self) {
        if let Some(picture) = self.picture.take() {
            // A pool that is gone takes its memory with it.
            let _ = self.recycle.send(picture);
        }
    }
}

impl DevicePool {
    /// Allocates `count` pictures.
    ///
    /// # Errors
    /// When the device's memory or the budget does not cover them.
    pub fn new(
        device: &Arc<CudaDevice>,
        count: usize,
        format: Format,
        width: usize,
        height: usize,
    ) -> Result<DevicePool> {
        let (recycle, free) = unbounded();
        for _ in 0..count {
            let picture = DevicePicture::alloc(device, format, width, height)?;
            recycle.send(picture).map_err(|_| Error::internal("a new picture pool has no reader"))?;
        }
        Ok(DevicePool { device: Arc::clone(device), format, width, height, free, recycle })
    }

    /// A picture whose samples are whatever its last user left.
    ///
    /// # Errors
    /// When none is free, and memory or the budget runs out.
    pub fn take(&self) -> Result<DevicePicture> {
        let DevicePool { device, format, width, height, .. } = self;
        let free = self.free.try_recv().or_else(|_| DevicePicture::alloc(device, *format, *width, *height))?;
        let planes: Vec<_> = (0..format.planes()).map(|plane| free.plane(plane)).collect();
        let pooled = Box::new(PooledPicture { picture: Some(free), recycle: self.recycle.clone() });
        // SAFETY: the planes are the picture's that `pooled` holds, and nobody else has it.
        Ok(unsafe { DevicePicture::foreign(device, *format, *width, *height, &planes, pooled) })
    }
}
