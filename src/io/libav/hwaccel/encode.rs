//! Frames in GPU memory for an encoder that reads them there.

use super::{BufferRef, libav_device, with_device};
use crate::device::cuda::{CudaDevice, DevicePicture, Event, Stream};
use crate::error::{Error, Kind, Result};
use crate::io::libav::logging;
use crate::video::StreamInfo;
use ffmpeg_next::ffi::{self, AVCodec, AVCodecContext, AVFrame, AVHWFramesContext, AVPixelFormat};
use std::ffi::{c_int, c_void};
use std::ptr::{self, NonNull};
use std::sync::Arc;

/// Formats in which encoders read GPU memory, and libav arranges planes as vramp does. It reads others too, but cuts
/// 16 bits to 10 without rounding, and wants the chroma of yuv420p in another order.
pub(in crate::io::libav) const FORMATS: [&str; 3] = ["nv12", "p010", "yuv444p"];

/// Whether `codec` is an encoder that reads GPU memory.
pub(in crate::io::libav) fn reads_surfaces(codec: &AVCodec) -> bool {
    with_device(codec, ffi::AV_CODEC_HW_CONFIG_METHOD_HW_FRAMES_CTX as c_int)
}

/// libav's description of frames in GPU memory, which an encoder is opened with and every frame carries.
pub(in crate::io::libav) struct EncoderSurfaces {
    frames: BufferRef,
    place: Arc<EncodeDevice>,
    written: Event,
}

/// Where an encoder works.
struct EncodeDevice {
    device: Arc<CudaDevice>,
    stream: Stream,
}

impl EncoderSurfaces {
    /// For the frames of `info`, which are stored as `storage` in libav's words.
    ///
    /// # Errors
    /// When libav cannot use the device, or memory runs out.
    pub(in crate::io::libav) fn new(
        device: &Arc<CudaDevice>,
        info: &StreamInfo,
        storage: AVPixelFormat,
    ) -> Result<EncoderSurfaces> {
        let place = Arc::new(EncodeDevice { device: Arc::clone(device), stream: Stream::new(device)? });
        let context = libav_device(&place.device, &place.stream, Arc::clone(&place)).map_err(Error::unsupported)?;
        let written = Event::new(device)?;
        // SAFETY: the device is libav's; gives a reference, or null.
        let raw = NonNull::new(unsafe { ffi::av_hwframe_ctx_alloc(context.0.as_ptr()) }).ok_or_else(out_of_memory)?;
        let frames = BufferRef(raw);
        // SAFETY: the reference is of a new AVHWFramesContext, which is described before it is used.
        let (code, heard) = unsafe {
            let description = (*raw.as_ptr()).data.cast::<AVHWFramesContext>();
            (*description).format = AVPixelFormat::AV_PIX_FMT_CUDA;
            (*description).sw_format = storage;
            (*description).width = info.width as i32;
            (*description).height = info.height as i32;
            logging::listen(|| ffi::av_hwframe_ctx_init(raw.as_ptr()))
        };
        if code < 0 {
            let reason = heard.reason().unwrap_or("libav does not say why");
            return Err(Error::unsupported(format!("no encoder reads {} in GPU memory: {reason}", info.format)));
        }
        Ok(EncoderSurfaces { frames, place, written })
    }

    /// Has the encoder of `context` read such frames.
    ///
    /// # Errors
    /// When memory runs out.
    ///
    /// # Safety
    /// The context is valid and not open yet.
    pub(in crate::io::libav) unsafe fn serve(&self, context: *mut AVCodecContext) -> Result<()> {
        // SAFETY: by the caller; the context owns the new reference.
        unsafe {
            (*context).sw_pix_fmt = (*context).pix_fmt;
            (*context).pix_fmt = AVPixelFormat::AV_PIX_FMT_CUDA;
            (*context).hw_frames_ctx = ffi::av_buffer_ref(self.frames.0.as_ptr());
            if (*context).hw_frames_ctx.is_null() { Err(out_of_memory()) } else { Ok(()) }
        }
    }

    /// Points `av` into `picture`, which was written in `stream` and lives until libav releases it.
    ///
    /// # Errors
    /// When memory runs out or the device has failed.
    ///
    /// # Safety
    /// `av` is valid, and has neither buffers nor a frames' context yet.
    pub(in crate::io::libav) unsafe fn wrap(
        &self,
        picture: DevicePicture,
        stream: &Stream,
        av: *mut AVFrame,
    ) -> Result<()> {
        // What libav puts into its stream comes after the picture is written.
        self.written.record(stream)?;
        self.place.stream.wait_for(&self.written)?;
        let (format, width, height) = (picture.format(), picture.width(), picture.height());
        let bytes = DevicePicture::bytes(format, width, height).ok_or_else(out_of_memory)?;
        let planes: Vec<_> = (0..format.planes()).map(|plane| picture.plane(plane)).collect();
        let start = ptr::without_provenance_mut::<u8>(planes[0].0 as usize);
        let keep = Box::into_raw(Box::new(picture));
        // SAFETY: by the caller. The bytes are the device's, which libav only forwards; they are the picture's until
        // `release` gets it back, and marked read only.
        unsafe {
            let flags = ffi::AV_BUFFER_FLAG_READONLY;
            let buffer = ffi::av_buffer_create(start, bytes, Some(release), keep.cast(), flags);
            if buffer.is_null() {
                drop(Box::from_raw(keep));
                return Err(out_of_memory());
            }
            (*av).buf[0] = buffer;
            (*av).format = AVPixelFormat::AV_PIX_FMT_CUDA as i32;
            for (plane, (address, pitch)) in planes.into_iter().enumerate() {
                (*av).data[plane] = ptr::without_provenance_mut(address as usize);
                (*av).linesize[plane] = pitch as i32;
            }
            (*av).hw_frames_ctx = ffi::av_buffer_ref(self.frames.0.as_ptr());
            if (*av).hw_frames_ctx.is_null() { Err(out_of_memory()) } else { Ok(()) }
        }
    }
}

/// Called by libav, on any thread, when it releases a picture.
unsafe extern "C" fn release(keep: *mut c_void, _data: *mut u8) {
    // SAFETY: `keep` is from `Box::into_raw` in `wrap`, and libav frees a buffer once.
    drop(unsafe { Box::from_raw(keep.cast::<DevicePicture>()) });
}

fn out_of_memory() -> Error {
    Error::new(Kind::OutOfMemory, "no memory for a frame on its way to the encoder")
}
