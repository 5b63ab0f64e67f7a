//! libav's hardware codecs on the context that the filters use: no frame is copied between them.
//!
//! libav works in a stream of ours. What it writes to a surface stands there before the decoder hands the surface out,
//! and so does what it writes into that memory next; the chain orders its reading in between
//! ([`DeviceFrame::stream`](crate::pipeline::DeviceFrame)).

mod encode;
mod engines;
mod names;
mod nvcuvid;
mod nvdec;
mod readback;
mod surface;

pub(super) use encode::{EncoderSurfaces, FORMATS, reads_surfaces};
pub use engines::nvdec_engines;
pub(super) use nvdec::Nvdec;
pub use readback::Readback;
pub(super) use surface::{LEAD, Surface, WAITING};

use crate::device::cuda::{CudaDevice, Stream};
use crate::io::libav::logging;
use crate::io::libav::reference::BufferRef;
use ffmpeg_next::ffi::{self, AVCodec, AVHWDeviceContext, AVHWDeviceType};
use std::ffi::{c_int, c_void};
use std::mem::ManuallyDrop;
use std::ptr::NonNull;
use std::sync::Arc;

/// libav's `AVCUDADeviceContext`, which its bindings leave out.
#[repr(C)]
struct CudaContext {
    context: *mut c_void,
    stream: *mut c_void,
    internal: *mut c_void,
}

/// libav's view of `device`, working in `stream`. It keeps `share`, which must hold both.
///
/// # Errors
/// In words, why there is none.
fn libav_device<T: Send + Sync>(device: &CudaDevice, stream: &Stream, share: Arc<T>) -> Result<BufferRef, String> {
    // SAFETY: gives a reference, or null.
    let raw = unsafe { ffi::av_hwdevice_ctx_alloc(AVHWDeviceType::AV_HWDEVICE_TYPE_CUDA) };
    let reference = BufferRef(NonNull::new(raw).ok_or("this libav is built without CUDA")?);
    // SAFETY: the reference is of a new AVHWDeviceContext, whose own part is libav's CUDA context. What goes in lives as
    // long as it: `free` drops the share that holds the device and the stream.
    let (code, heard) = unsafe {
        let context = (*raw).data.cast::<AVHWDeviceContext>();
        let cuda = (*context).hwctx.cast::<CudaContext>();
        (*cuda).context = device.as_raw();
        (*cuda).stream = stream.as_raw().cast();
        (*context).user_opaque = Arc::into_raw(share).cast_mut().cast();
        (*context).free = Some(free::<T>);
        logging::listen(|| ffi::av_hwdevice_ctx_init(raw))
    };
    if code < 0 { Err(heard.reason().unwrap_or("libav cannot use the device").to_owned()) } else { Ok(reference) }
}

/// Called by libav when the last reference to the device goes.
unsafe extern "C" fn free<T>(context: *mut AVHWDeviceContext) {
    // SAFETY: `libav_device` put the share there, and libav calls once.
    drop(unsafe { Arc::from_raw((*context).user_opaque.cast::<T>().cast_const()) });
}

/// What a device keeps.
///
/// # Safety
/// `device` is from [`libav_device`] with a share of this type, and lives on.
unsafe fn share<T>(device: *const AVHWDeviceContext) -> ManuallyDrop<Arc<T>> {
    // SAFETY: by the caller; the count is the device's, hence ManuallyDrop.
    ManuallyDrop::new(unsafe { Arc::from_raw((*device).user_opaque.cast::<T>().cast_const()) })
}

/// Whether `codec` works with a CUDA device, set up by `method` (AV_CODEC_HW_CONFIG_METHOD_*).
fn with_device(codec: &AVCodec, method: c_int) -> bool {
    // SAFETY: the codec is from libav's registry; the list ends with null.
    let config = |index| unsafe { ffi::avcodec_get_hw_config(codec, index).as_ref() };
    (0..)
        .map_while(config)
        .any(|config| config.device_type == AVHWDeviceType::AV_HWDEVICE_TYPE_CUDA && config.methods & method != 0)
}
