//! NVDEC through libav's `cuda` hwaccel, in the context that the filters use: surfaces are read where they lie.
//!
//! libav works in a stream of ours. What it writes to a surface stands there before the decoder hands the surface out,
//! and so does what it writes into that memory next; the chain orders its reading in between ([`DeviceFrame::stream`]).

use crate::device::cuda::{CudaDevice, DevicePicture, Stream};
use crate::error::{Error, Kind, Result};
use crate::io::libav::logging;
use crate::io::libav::{convert, pixfmt};
use crate::pipeline::DeviceFrame;
use crate::video::{Format, FrameProps};
use ffmpeg::Codec;
use ffmpeg::codec::Id;
use ffmpeg::ffi::{
    self, AVBufferRef, AVCodecContext, AVHWDeviceContext, AVHWDeviceType, AVHWFramesContext, AVPixelFormat,
};
use ffmpeg::format::Pixel;
use ffmpeg::frame::Video;
use ffmpeg_next as ffmpeg;
use std::ffi::{c_int, c_void};
use std::mem::ManuallyDrop;
use std::ptr::{self, NonNull};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Surfaces of one decoder that may be in the pipeline's hands, and that libav is asked for on top of its own: one is
/// being handed out, one waits for a slot, and [`WAITING`] lie between.
const SURFACES: usize = 4;

/// Surfaces that may wait between decoder and chain.
pub(super) const WAITING: usize = SURFACES - 2;

/// Codecs that are defined to the last bit, so that NVDEC gives what software gives. Where the inverse transform is not
/// (MPEG-2, MPEG-4, JPEG), every decoder rounds its own way.
const EXACT: [Id; 5] = [Id::H264, Id::HEVC, Id::VP8, Id::VP9, Id::AV1];

/// AV_HWACCEL_FLAG_UNSAFE_OUTPUT: FFmpeg 6 and later copy each surface without it. Before, the bit means nothing.
const NO_COPY: c_int = 1 << 3;

/// libav's `AVCUDADeviceContext`, which its bindings leave out.
#[repr(C)]
struct CudaContext {
    context: *mut c_void,
    stream: *mut c_void,
    internal: *mut c_void,
}

/// NVDEC for one stream.
pub(super) struct Nvdec {
    codec: Codec,
    device: BufferRef,
    shared: Arc<Shared>,
}

/// What libav's callback and the frames need of it.
struct Shared {
    device: Arc<CudaDevice>,
    stream: Arc<Stream>,
    verdict: Mutex<Verdict>,
    /// Surfaces in the pipeline's hands.
    lent: AtomicUsize,
}

/// What was found out about the stream.
#[derive(Default)]
struct Verdict {
    /// For each layout of surfaces, what software would have decoded to.
    accepted: Vec<(Format, Format)>,
    /// Why the stream is not decoded here. Empty: for a reason that libav logs.
    declined: Option<String>,
}

/// A reference of libav's.
struct BufferRef(NonNull<AVBufferRef>);

// SAFETY: libav counts references atomically.
unsafe impl Send for BufferRef {}

impl Drop for BufferRef {
    fn drop(&mut self) {
        let mut raw = self.0.as_ptr();
        // SAFETY: the reference is ours and is not used again.
        unsafe { ffi::av_buffer_unref(&mut raw) }
    }
}

impl Nvdec {
    /// NVDEC on `device` for a stream of `codec`, which must be an exact one if `exact`. Whether the card takes the
    /// stream shows when it is decoded.
    ///
    /// # Errors
    /// In words, why there is none.
    pub(super) fn open(device: &Arc<CudaDevice>, codec: Id, exact: bool) -> Result<Nvdec, String> {
        let found = decoder(codec).ok_or_else(|| format!("this libav has no NVDEC for {}", codec.name()))?;
        if exact && !EXACT.contains(&codec) {
            return Err(format!("NVDEC may round {} differently (--decoder nvdec takes it as it is)", codec.name()));
        }
        let stream = Arc::new(Stream::new(device).map_err(|e| e.to_string())?);
        let (verdict, lent) = (Mutex::default(), AtomicUsize::new(0));
        let shared = Arc::new(Shared { device: Arc::clone(device), stream, verdict, lent });
        Ok(Nvdec { codec: found, device: libav_device(&shared)?, shared })
    }

    /// The decoder that can use it.
    pub(super) fn codec(&self) -> Codec {
        self.codec
    }

    /// Has `context` decode here.
    ///
    /// # Errors
    /// When memory runs out.
    ///
    /// # Safety
    /// The context is valid, made for [`Nvdec::codec`] and not open yet.
    pub(super) unsafe fn serve(&self, context: *mut AVCodecContext) -> Result<()> {
        // SAFETY: by the caller; the context owns the new reference.
        unsafe {
            (*context).hw_device_ctx = ffi::av_buffer_ref(self.device.0.as_ptr());
            if (*context).hw_device_ctx.is_null() {
                return Err(Error::new(Kind::OutOfMemory, "no memory for a decoder"));
            }
            (*context).get_format = Some(choose);
            (*context).extra_hw_frames = SURFACES as c_int;
            (*context).hwaccel_flags |= NO_COPY;
            // Each frame thread would take a surface more, and only wait for the card.
            (*context).thread_count = 1;
        }
        Ok(())
    }

    /// Runs a call to the decoder. When the decoder turns the stream down meanwhile, what libav logs tells why.
    pub(super) fn listen<T>(&self, call: impl FnOnce() -> T) -> T {
        let (result, heard) = logging::listen(call);
        if let Some(reason) = &mut self.shared.verdict().declined
            && reason.is_empty()
        {
            *reason = heard.reason().unwrap_or("libav does not say why").to_owned();
        }
        result
    }

    /// Why the stream is not decoded here, if that has turned out.
    pub(super) fn declined(&self) -> Option<String> {
        self.shared.verdict().declined.clone()
    }
}

/// libav's own decoder of `codec`, if it can use NVDEC.
fn decoder(codec: Id) -> Option<Codec> {
    let mut state = ptr::null_mut();
    loop {
        // SAFETY: libav's registry is static; the state is its own cursor.
        let next = unsafe { ffi::av_codec_iterate(&mut state).as_ref() }?;
        // Wrappers (cuvid) decode on their own terms.
        let is_own = next.id == codec.into() && next.wrapper_name.is_null();
        // SAFETY: the codec is from the registry.
        if is_own && unsafe { ffi::av_codec_is_decoder(next) } != 0 && uses_nvdec(next) {
            // SAFETY: as above.
            return Some(unsafe { Codec::wrap(next) });
        }
    }
}

fn uses_nvdec(codec: &ffi::AVCodec) -> bool {
    let with_device = ffi::AV_CODEC_HW_CONFIG_METHOD_HW_DEVICE_CTX as c_int;
    // SAFETY: the codec is from libav's registry; the list ends with null.
    let config = |index| unsafe { ffi::avcodec_get_hw_config(codec, index).as_ref() };
    (0..)
        .map_while(config)
        .any(|config| config.device_type == AVHWDeviceType::AV_HWDEVICE_TYPE_CUDA && config.methods & with_device != 0)
}

/// libav's view of the device.
fn libav_device(shared: &Arc<Shared>) -> Result<BufferRef, String> {
    // SAFETY: gives a reference, or null.
    let raw = unsafe { ffi::av_hwdevice_ctx_alloc(AVHWDeviceType::AV_HWDEVICE_TYPE_CUDA) };
    let reference = BufferRef(NonNull::new(raw).ok_or("this libav is built without CUDA")?);
    // SAFETY: the reference is of a new AVHWDeviceContext, whose own part is libav's CUDA context. What goes in lives as
    // long as it: `free` drops the share that holds the device and the stream.
    let (code, heard) = unsafe {
        let context = (*raw).data.cast::<AVHWDeviceContext>();
        let cuda = (*context).hwctx.cast::<CudaContext>();
        (*cuda).context = shared.device.as_raw();
        (*cuda).stream = shared.stream.as_raw().cast();
        (*context).user_opaque = Arc::into_raw(Arc::clone(shared)).cast_mut().cast();
        (*context).free = Some(free);
        logging::listen(|| ffi::av_hwdevice_ctx_init(raw))
    };
    if code < 0 { Err(heard.reason().unwrap_or("libav cannot use the device").to_owned()) } else { Ok(reference) }
}

/// Called by libav when the last reference to the device goes.
unsafe extern "C" fn free(context: *mut AVHWDeviceContext) {
    // SAFETY: `libav_device` put the share there, and libav calls once.
    drop(unsafe { Arc::from_raw((*context).user_opaque.cast::<Shared>().cast_const()) });
}

/// The share behind a device of ours.
///
/// # Safety
/// `device` is from [`libav_device`] and lives on.
unsafe fn shared(device: *const AVHWDeviceContext) -> ManuallyDrop<Arc<Shared>> {
    // SAFETY: by the caller; the count is the device's, hence ManuallyDrop.
    ManuallyDrop::new(unsafe { Arc::from_raw((*device).user_opaque.cast::<Shared>().cast_const()) })
}

/// Called by libav with what a stream can be decoded to, the best first and software last; again with less when NVDEC does
/// not start.
unsafe extern "C" fn choose(context: *mut AVCodecContext, offered: *const AVPixelFormat) -> AVPixelFormat {
    // SAFETY: libav calls with a context that `serve` prepared, and a list that ends with NONE and has one format at least.
    unsafe {
        let shared = shared((*(*context).hw_device_ctx).data.cast());
        let count = (0..).take_while(|&i| *offered.add(i) != AVPixelFormat::AV_PIX_FMT_NONE).count();
        let offered = std::slice::from_raw_parts(offered, count);
        match shared.judge(context, offered) {
            Ok(()) => AVPixelFormat::AV_PIX_FMT_CUDA,
            Err(reason) => {
                shared.verdict().declined.get_or_insert(reason);
                offered.last().copied().unwrap_or(AVPixelFormat::AV_PIX_FMT_NONE)
            }
        }
    }
}

impl Shared {
    fn verdict(&self) -> MutexGuard<'_, Verdict> {
        self.verdict.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether what `context` is about to decode can be decoded here.
    ///
    /// # Safety
    /// As libav calls `get_format`.
    unsafe fn judge(&self, context: *mut AVCodecContext, offered: &[AVPixelFormat]) -> Result<(), String> {
        let software: Pixel = offered.last().map_or(Pixel::None, |pixel| (*pixel).into());
        let name = convert::name(software);
        if !offered.contains(&AVPixelFormat::AV_PIX_FMT_CUDA) {
            // After a failed start the list comes again without it.
            let is_new = self.verdict().accepted.is_empty();
            return Err(if is_new { format!("libav has no NVDEC for {name}") } else { String::new() });
        }
        let nominal = pixfmt::native(software).ok_or_else(|| format!("NVDEC does not give {name}"))?.format;
        // SAFETY: by the caller.
        let (width, height) = unsafe { ((*context).coded_width, (*context).coded_height) };
        if width % 2 != 0 || height % 2 != 0 {
            // libav places the chroma of such surfaces wrongly.
            return Err(format!("its size {width}x{height} is odd"));
        }
        // SAFETY: by the caller.
        let storage = unsafe { surface_format(context) }.ok_or_else(|| format!("NVDEC does not take {name}"))?;
        let holds = pixfmt::native(storage).map(|native| native.format).filter(|storage| storage.holds(nominal));
        let storage = holds.ok_or_else(|| format!("filters do not read its surfaces ({})", convert::name(storage)))?;
        let mut verdict = self.verdict();
        match verdict.accepted.iter().find(|(layout, _)| *layout == storage) {
            // Frames of the two could not be told apart.
            Some((_, before)) if *before != nominal => Err(format!("the video changes from {before} to {nominal}")),
            Some(_) => Ok(()),
            None => {
                verdict.accepted.push((storage, nominal));
                Ok(())
            }
        }
    }

    /// What software would have decoded a surface of `storage` to.
    fn nominal(&self, storage: Format) -> Option<Format> {
        let verdict = self.verdict();
        verdict.accepted.iter().find(|(layout, _)| *layout == storage).map(|(_, nominal)| *nominal)
    }
}

/// The layout of the surfaces that libav would decode to, or `None` where it knows that NVDEC does not do it.
///
/// # Safety
/// As libav calls `get_format`.
unsafe fn surface_format(context: *mut AVCodecContext) -> Option<Pixel> {
    let mut frames = ptr::null_mut();
    // SAFETY: by the caller; libav gives a reference to an AVHWFramesContext, or fails.
    unsafe {
        let (device, cuda) = ((*context).hw_device_ctx, AVPixelFormat::AV_PIX_FMT_CUDA);
        if ffi::avcodec_get_hw_frames_parameters(context, device, cuda, &mut frames) < 0 {
            return None;
        }
        let frames = BufferRef(NonNull::new(frames)?);
        Some((*(*frames.0.as_ptr()).data.cast::<AVHWFramesContext>()).sw_format.into())
    }
}

/// A decoded frame on the device: what it holds, and which part of it is shown.
pub(super) struct Surface {
    shared: Arc<Shared>,
    /// How samples are stored.
    pub(super) storage: Format,
    /// What software would have decoded to.
    pub(super) pixel: Pixel,
    /// Width and height of the part that is shown, and its place.
    pub(super) size: (usize, usize),
    place: (usize, usize),
}

impl Surface {
    /// The surface that `frame` is. `None`: its samples are in host memory.
    pub(super) fn of(frame: &Video) -> Option<Surface> {
        if frame.format() != Pixel::CUDA {
            return None;
        }
        // SAFETY: frames in CUDA memory come from decoders of ours only, with their frames' context and its device.
        let (shared, layout, crop) = unsafe {
            let raw = &*frame.as_ptr();
            let frames = &*(*raw.hw_frames_ctx.as_ref()?).data.cast::<AVHWFramesContext>();
            (Arc::clone(&shared(frames.device_ctx)), Pixel::from(frames.sw_format), (raw.crop_left, raw.crop_top))
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
    pub(super) fn lend(self, frame: Video, props: FrameProps) -> Result<DeviceFrame> {
        let Surface { shared, storage, size: (width, height), place: (left, top), .. } = self;
        let lease = Lease::new(&shared)?;
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

/// One surface in the pipeline's hands.
struct Lease(Arc<Shared>);

impl Lease {
    fn new(shared: &Arc<Shared>) -> Result<Lease> {
        let lease = Lease(Arc::clone(shared));
        if shared.lent.fetch_add(1, Ordering::Relaxed) < SURFACES {
            return Ok(lease);
        }
        Err(Error::internal(format!(
            "all {SURFACES} surfaces of NVDEC are held: let a frame go before the next is taken"
        )))
    }
}

impl Drop for Lease {
    fn drop(&mut self) {
        self.0.lent.fetch_sub(1, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_decoder_that_can_use_the_card_is_libav_s_own() {
        crate::io::libav::init();
        for (codec, name) in
            [(Id::H264, "h264"), (Id::HEVC, "hevc"), (Id::VP9, "vp9"), (Id::AV1, "av1"), (Id::MPEG2VIDEO, "mpeg2video")]
        {
            let found = decoder(codec);
            println!("{name}: {}", found.map_or("none: this libav is built without NVDEC", |_| "found"));
            assert!(found.is_none_or(|found| found.name() == name));
        }
        assert!(decoder(Id::FFV1).is_none() && decoder(Id::PRORES).is_none());
    }
}
