//! Frames of the host for an encoder that reads nothing but its device's own memory, as VAAPI's do: libav opens
//! the device and copies every frame there.

use crate::error::{Error, Kind, Result};
use crate::io::libav::encode::choose::EncoderChoice;
use crate::io::libav::format::wrap::BorrowedFrame;
use crate::io::libav::logging;
use crate::io::libav::mux::failure;
use crate::io::libav::reference::BufferRef;
use crate::video::StreamInfo;
use ffmpeg_next::ffi::{self, AVCodec, AVCodecContext, AVCodecID, AVHWDeviceType, AVHWFramesContext, AVPixelFormat};
use ffmpeg_next::format::Pixel;
use ffmpeg_next::frame::Video;
use std::ffi::CStr;
use std::ptr::{self, NonNull};

/// Frames that an encoder may hold in the device's memory: as far as any looks ahead.
const POOL: i32 = 32;

/// Codecs whose devices take 10 bits.
const TEN_BITS: [AVCodecID; 3] = [AVCodecID::AV_CODEC_ID_HEVC, AVCodecID::AV_CODEC_ID_VP9, AVCodecID::AV_CODEC_ID_AV1];

/// A device, and the format of frames in its memory.
#[derive(Clone, Copy)]
struct UploadDevice {
    kind: AVHWDeviceType,
    format: AVPixelFormat,
}

impl UploadDevice {
    /// The one whose memory `codec` reads. `None`: it reads the host's.
    fn of(codec: &AVCodec) -> Option<UploadDevice> {
        // SAFETY: the list is libav's, which ends with NONE where there is one.
        let only = unsafe { *codec.pix_fmts.as_ref()? };
        // SAFETY: descriptors are static, and null for what is none.
        let flags = unsafe { ffi::av_pix_fmt_desc_get(only).as_ref()?.flags };
        if flags & u64::from(ffi::AV_PIX_FMT_FLAG_HWACCEL as u32) == 0 {
            return None;
        }
        // SAFETY: the codec is from libav's registry; the list ends with null.
        let config = |index| unsafe { ffi::avcodec_get_hw_config(codec, index).as_ref() };
        let by_frames = ffi::AV_CODEC_HW_CONFIG_METHOD_HW_FRAMES_CTX as i32;
        let mut configs = (0..).map_while(config);
        let found = configs.find(|config| config.pix_fmt == only && config.methods & by_frames != 0)?;
        Some(UploadDevice { kind: found.device_type, format: only })
    }

    fn name(self) -> &'static str {
        // SAFETY: names are static, and null for what is none.
        let name = unsafe { ffi::av_hwdevice_get_type_name(self.kind).as_ref().map(|name| CStr::from_ptr(name)) };
        name.and_then(|name| name.to_str().ok()).unwrap_or("hardware")
    }
}

/// The formats of host memory from which frames go to the device of `codec`; `None` for an encoder that reads the host's.
pub(in crate::io::libav) fn formats(codec: &AVCodec) -> Option<Vec<Pixel>> {
    UploadDevice::of(codec)?;
    Some(if TEN_BITS.contains(&codec.id) { vec![Pixel::NV12, Pixel::P010LE] } else { vec![Pixel::NV12] })
}

/// The memory of an encoder's device.
pub(in crate::io::libav) struct Uploads {
    frames: BufferRef,
    format: AVPixelFormat,
}

impl Uploads {
    /// Opens the device of the encoder of `choice`, for frames of `info` that are stored as `storage`. `None`: it reads the host's
    /// memory.
    ///
    /// # Errors
    /// When there is no such device, with libav's reason, or it does not take such frames.
    pub(in crate::io::libav) fn open(
        choice: &EncoderChoice,
        info: &StreamInfo,
        storage: AVPixelFormat,
    ) -> Result<Option<Uploads>> {
        let Some(device) = UploadDevice::of(choice.codec) else { return Ok(None) };
        Self::on(device, info, storage).map(Some).map_err(|e| e.context(choice.encoder()))
    }

    fn on(device: UploadDevice, info: &StreamInfo, storage: AVPixelFormat) -> Result<Uploads> {
        let UploadDevice { kind, format } = device;
        let mut raw = ptr::null_mut();
        let (code, heard) = logging::listen(|| {
            // SAFETY: libav fills the reference, or fails; null asks for its default device without options.
            unsafe { ffi::av_hwdevice_ctx_create(&mut raw, kind, ptr::null(), ptr::null_mut(), 0) }
        });
        let name = device.name();
        let Some(opened) = NonNull::new(raw).filter(|_| code >= 0).map(BufferRef) else {
            // libav says why only where there is a device that fails.
            let reason = heard.reason().unwrap_or("libav finds none");
            return Err(Error::unsupported(format!("no {name} device can be opened here: {reason}")));
        };
        // SAFETY: the device is open; gives a reference, or null.
        let raw = NonNull::new(unsafe { ffi::av_hwframe_ctx_alloc(opened.0.as_ptr()) }).ok_or_else(out_of_memory)?;
        let frames = BufferRef(raw);
        // SAFETY: the reference is of a new AVHWFramesContext, which is described before it is used.
        let (code, heard) = unsafe {
            let description = (*raw.as_ptr()).data.cast::<AVHWFramesContext>();
            (*description).format = format;
            (*description).sw_format = storage;
            (*description).width = info.width as i32;
            (*description).height = info.height as i32;
            (*description).initial_pool_size = POOL;
            logging::listen(|| ffi::av_hwframe_ctx_init(raw.as_ptr()))
        };
        if code < 0 {
            let reason = heard.reason().map_or_else(|| failure::text(code), str::to_owned);
            let StreamInfo { width, height, format, .. } = info;
            return Err(Error::unsupported(format!("the {name} device takes no {width}x{height} {format}: {reason}")));
        }
        Ok(Uploads { frames, format })
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
            (*context).pix_fmt = self.format;
            (*context).hw_frames_ctx = ffi::av_buffer_ref(self.frames.0.as_ptr());
            if (*context).hw_frames_ctx.is_null() { Err(out_of_memory()) } else { Ok(()) }
        }
    }

    /// A copy of `frame` in the device's memory.
    ///
    /// # Errors
    /// When the device's memory runs out, or the copy fails.
    pub(in crate::io::libav) fn copy(&self, frame: &BorrowedFrame) -> Result<Video> {
        let mut copy = Video::empty();
        // SAFETY: both frames are alive; libav gives the empty one memory, waits for the copy, and takes references of its own.
        let (code, heard) = logging::listen(|| unsafe {
            let copy = copy.as_mut_ptr();
            match ffi::av_hwframe_get_buffer(self.frames.0.as_ptr(), copy, 0) {
                0.. => match ffi::av_hwframe_transfer_data(copy, frame.as_ptr(), 0) {
                    0.. => ffi::av_frame_copy_props(copy, frame.as_ptr()),
                    code => code,
                },
                code => code,
            }
        });
        if code >= 0 {
            return Ok(copy);
        }
        let reason = heard.reason().map_or_else(|| failure::text(code), str::to_owned);
        Err(Error::new(Kind::Device, format!("a frame could not be copied to the encoder's device: {reason}")))
    }
}

fn out_of_memory() -> Error {
    Error::new(Kind::OutOfMemory, "no memory for frames on their way to the encoder")
}
