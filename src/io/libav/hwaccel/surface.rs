//! A decoded frame in GPU memory, from libav to the pipeline.

use super::nvdec::Shared;
use super::share;
use crate::device::cuda::DevicePicture;
use crate::error::{Error, Result};
use crate::io::libav::format::pixfmt;
use crate::pipeline::DeviceFrame;
use crate::video::{Format, FrameProps};
use ffmpeg::ffi::AVHWFramesContext;
use ffmpeg::format::Pixel;
use ffmpeg::frame::Video;
use ffmpeg_next as ffmpeg;
use std::sync::Arc;
use std::sync::atomic::Ordering;

/// Surfaces of one decoder that the pipeline may hold, and that libav is asked for on top of its own: one is
/// being handed out, one waits for a slot, and [`WAITING`] lie between.
pub(super) const SURFACES: usize = 4;

/// Frames before a part of the source that may be kept as surfaces: so many more has a decoder that is to begin at one.
pub(in crate::io::libav) const LEAD: usize = 8;

/// Surfaces that may wait between decoder and chain.
pub(in crate::io::libav) const WAITING: usize = SURFACES - 2;

/// A decoded frame on the device: what it holds, and which part of it is shown.
pub(in crate::io::libav) struct Surface {
    shared: Arc<Shared>,
    /// How samples are stored.
    pub(in crate::io::libav) storage: Format,
    /// What software would have decoded to.
    pub(in crate::io::libav) pixel: Pixel,
    /// Width and height of the part that is shown, and its place.
    pub(in crate::io::libav) size: (usize, usize),
    place: (usize, usize),
}

impl Surface {
    /// The surface that `frame` is. `None`: its samples are in host memory.
    pub(in crate::io::libav) fn of(frame: &Video) -> Option<Surface> {
        if frame.format() != Pixel::CUDA {
            return None;
        }
        // SAFETY: frames in CUDA memory come from decoders of ours only, with their frames' context and its device.
        let (shared, layout, crop) = unsafe {
            let raw = &*frame.as_ptr();
            let frames = &*raw.hw_frames_ctx.as_ref()?.data.cast::<AVHWFramesContext>();
            (
                Arc::clone(&share::<Shared>(frames.device_ctx)),
                Pixel::from(frames.sw_format),
                (raw.crop_left, raw.crop_top),
            )
        };
        let storage = pixfmt::native(layout)?.format;
        let nominal = shared.nominal(storage)?;
        // For surfaces libav cuts right and bottom alone. In host memory it cuts at the left as far as rows then still
        // begin at a multiple of 32 bytes.
        let unit = (32 << nominal.subsampling_w()) / nominal.sample().bytes();
        let place = (crop.0 - crop.0 % unit, crop.1);
        let size = ((frame.width() as usize).checked_sub(place.0)?, (frame.height() as usize).checked_sub(place.1)?);
        Some(Surface { pixel: pixfmt::pixel(nominal)?, shared, storage, size, place })
    }

    /// The frame for the pipeline: `frame` is the one this surface is of.
    ///
    /// # Errors
    /// When the pipeline holds all surfaces already, or the frame has no memory.
    pub(in crate::io::libav) fn wrap(self, frame: Video, props: FrameProps) -> Result<DeviceFrame> {
        let Surface { shared, storage, size: (width, height), place: (left, top), .. } = self;
        let lease = SurfaceLease::new(&shared)?;
        let mut planes = Vec::with_capacity(storage.planes());
        for plane in 0..storage.planes() {
            // SAFETY: the frame is alive.
            let (data, pitch) = unsafe { ((*frame.as_ptr()).data[plane], (*frame.as_ptr()).linesize[plane]) };
            let pitch = usize::try_from(pitch).ok().filter(|_| !data.is_null());
            let pitch = pitch.ok_or_else(|| Error::corrupt("a decoded frame has no samples"))?;
            let (across, down) = storage.plane_size(plane, left, top);
            planes.push(((data.addr() + down * pitch + across) as u64, pitch));
        }
        let (device, stream) = (&shared.device, Arc::clone(&shared.stream));
        let keep = Box::new((frame, lease));
        // SAFETY: a decoded surface holds every row of its format and size, and is written again only after libav has the
        // frame back, in the stream that goes along.
        let picture = unsafe { DevicePicture::foreign(device, storage, width, height, &planes, keep) };
        Ok(DeviceFrame { props, picture, stream })
    }
}

/// One surface that the pipeline holds.
struct SurfaceLease(Arc<Shared>);

impl SurfaceLease {
    fn new(shared: &Arc<Shared>) -> Result<SurfaceLease> {
        let lease = SurfaceLease(Arc::clone(shared));
        if shared.held.fetch_add(1, Ordering::Relaxed) < SURFACES {
            return Ok(lease);
        }
        Err(Error::internal(format!(
            "all {SURFACES} surfaces of NVDEC are held: let a frame go before the next is taken"
        )))
    }
}

impl Drop for SurfaceLease {
    fn drop(&mut self) {
        self.0.held.fetch_sub(1, Ordering::Relaxed);
    }
}
