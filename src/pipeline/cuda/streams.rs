//! The streams of a chain.

use crate::device::cuda::{CudaDevice, Stream};
use crate::error::Result;
use std::sync::Arc;

/// The three streams that all frames share.
pub struct CudaStreams {
    pub upload: Stream,
    pub compute: Arc<Stream>,
    pub download: Stream,
}

impl CudaStreams {
    pub fn new(device: &CudaDevice) -> Result<CudaStreams> {
        let stream = || Stream::new(device);
        Ok(CudaStreams { upload: stream()?, compute: Arc::new(stream()?), download: stream()? })
    }

    /// Waits until the device uses no frame any more. A device that failed uses none either.
    pub fn finish(&self) {
        for stream in [&self.upload, &*self.compute, &self.download] {
            if let Err(error) = stream.synchronize() {
                log::debug!("{error}");
            }
        }
    }
}

/// Waits for the streams when it is dropped, unless what it guards is complete: copies may still run. It stands
/// before the memory that they use, so that it is dropped first.
pub struct Guard {
    pub streams: Arc<CudaStreams>,
    pub done: bool,
}

impl Guard {
    pub fn new(streams: &Arc<CudaStreams>) -> Guard {
        Guard { streams: Arc::clone(streams), done: false }
    }
}

impl Drop for Guard {
    fn drop(&mut self) {
        if !self.done {
            self.streams.finish();
        }
    }
}
