//! A slot: the device memory and events that one frame on its way needs, made once.

use crate::device::cuda::{CudaDevice, DevicePicture, Event, Stream};
use crate::error::Result;
use crate::pipeline::Plan;
use crate::video::{Picture, StreamInfo};
use std::sync::Arc;

/// The three streams that all slots share.
pub struct Streams {
    pub upload: Stream,
    pub compute: Arc<Stream>,
    pub download: Stream,
}

impl Streams {
    pub fn new(device: &CudaDevice) -> Result<Streams> {
        let stream = || Stream::new(device);
        Ok(Streams { upload: stream()?, compute: Arc::new(stream()?), download: stream()? })
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

/// The moments of a frame's way.
pub struct Marks {
    /// Begin and end of the upload.
    pub upload: [Event; 2],
    /// Before each kernel, and after the last.
    pub kernels: Vec<Event>,
    /// Begin and end of the download.
    pub download: [Event; 2],
}

/// What one frame on its way needs.
pub struct Slot {
    /// Where the source is uploaded to; none for a source that is on the device.
    pub input: Option<DevicePicture>,
    /// Where the last kernel writes to; none where results stay on the device.
    pub output: Option<DevicePicture>,
    /// Page-locked memory for a source that is not; made when the first such frame comes.
    pub staging: Option<Picture>,
    pub marks: Marks,
}

impl Slot {
    pub fn new(device: &CudaDevice, plan: &Plan) -> Result<Slot> {
        let picture = |info: &StreamInfo| DevicePicture::alloc(device, info.format, info.width, info.height);
        let event = || Event::new(device);
        Ok(Slot {
            input: (!plan.resident).then(|| picture(&plan.input)).transpose()?,
            output: (!plan.stays).then(|| picture(&plan.output)).transpose()?,
            staging: None,
            marks: Marks {
                upload: [event()?, event()?],
                kernels: (0..=plan.stages.len()).map(|_| event()).collect::<Result<_>>()?,
                download: [event()?, event()?],
            },
        })
    }

    /// Host memory it holds.
    pub fn host_bytes(&self) -> usize {
        self.staging.as_ref().and_then(|p| Picture::bytes(p.format(), p.width(), p.height())).unwrap_or(0)
    }
}
