//! What kernels measure, until it is on the host.

use crate::device::cuda::{CudaDevice, DevicePicture, PinnedAllocator, Stream};
use crate::error::Result;
use crate::filters::Measure;
use crate::video::{Format, FreeList, Home, Picture, Record};
use std::sync::Arc;

/// Where a kernel measures.
pub struct Measurer {
    filter: &'static str,
    measure: Measure,
    /// The kernel's memory, as a picture of one row.
    there: DevicePicture,
    pinned: PinnedAllocator,
    free: FreeList<Picture>,
}

/// A measurement of one frame, which is there when the stream has reached it.
pub struct PendingRecord {
    filter: &'static str,
    measure: Measure,
    bytes: Option<Picture>,
    home: Home<Picture>,
}

impl Measurer {
    pub fn new(filter: &'static str, measure: Measure, device: &Arc<CudaDevice>) -> Result<Measurer> {
        let there = DevicePicture::alloc(device, Format::gray(8)?, measure.bytes, 1)?;
        Ok(Measurer { filter, measure, there, pinned: PinnedAllocator::new(device), free: FreeList::new() })
    }

    /// Clears the kernel's memory. Gives its address.
    pub fn clear(&self, stream: &Stream) -> Result<u64> {
        self.there.clear(stream)?;
        Ok(self.there.plane(0).0)
    }

    /// Starts the copy of what was measured.
    pub fn fetch(&self, stream: &Stream) -> Result<PendingRecord> {
        let format = self.there.format();
        let new = || Picture::alloc_in(&self.pinned, format, self.there.width(), 1);
        let mut bytes = self.free.take().map_or_else(new, Ok)?;
        // SAFETY: both stay until the stream has been waited for, which whoever collects does, and this one's owner before
        // it is dropped.
        unsafe { self.there.download(&mut bytes, stream) }?;
        let (measure, home) = (self.measure.clone(), self.free.home());
        Ok(PendingRecord { filter: self.filter, measure, bytes: Some(bytes), home })
    }
}

impl PendingRecord {
    /// The record. The stream has been waited for.
    pub fn collect(&self) -> Record {
        let mut record = Record { filter: self.filter, values: Vec::new() };
        if let Some(bytes) = &self.bytes {
            (self.measure.collect)(bytes.row_bytes(0, 0), &mut record);
        }
        record
    }
}

impl Drop for PendingRecord {
    fn drop(&mut self) {
        if let Some(bytes) = self.bytes.take() {
            self.home.give(bytes);
        }
    }
}
