//! NVDEC for one stream: whether the card takes it is libav's to find out, while it decodes.

use super::surface::{LEAD, SURFACES};
use super::{BufferRef, libav_device, nvcuvid, share, with_device};
use crate::device::cuda::{CudaDevice, Stream};
use crate::error::{Error, Kind, Result};
use crate::io::libav::format::convert;
use crate::io::libav::format::pixfmt;
use crate::io::libav::logging;
use crate::video::Format;
use ffmpeg::Codec;
use ffmpeg::codec::Id;
use ffmpeg::ffi::{self, AVCodecContext, AVHWFramesContext, AVPixelFormat};
use ffmpeg::format::Pixel;
use ffmpeg_next as ffmpeg;
use std::ffi::c_int;
use std::ptr::{self, NonNull};
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Codecs that are defined to the last bit, so that NVDEC gives what software gives. Where the inverse transform is not
/// (MPEG-2, MPEG-4, JPEG), every decoder rounds differently.
const EXACT: [Id; 5] = [Id::H264, Id::HEVC, Id::VP8, Id::VP9, Id::AV1];

/// The version of libavcodec (60.31, of FFmpeg 6.1) from which on its AV1 decoder exports HDR metadata that the stream holds.
const AV1_TELLS: u32 = (60 << 16) | (31 << 8);

/// AV_HWACCEL_FLAG_UNSAFE_OUTPUT: FFmpeg 6 and later copy each surface without it. Before, the bit means nothing.
const NO_COPY: c_int = 1 << 3;

/// NVDEC for one stream.
pub(in crate::io::libav) struct Nvdec {
    codec: Codec,
    device: BufferRef,
    shared: Arc<Shared>,
    /// Surfaces on top of libav's own.
    extra: usize,
}

/// What libav's callback and the frames need of it.
pub(super) struct Shared {
    pub(super) device: Arc<CudaDevice>,
    pub(super) stream: Arc<Stream>,
    verdict: Mutex<Capability>,
    /// Surfaces that the pipeline holds.
    pub(super) held: AtomicUsize,
    /// Pictures that had faults, by NVDEC's word.
    faults: AtomicU64,
}

/// What was found out about the stream.
#[derive(Default)]
struct Capability {
    /// For each layout of surfaces, what software would have decoded to.
    accepted: Vec<(Format, Format)>,
    /// Why the stream is not decoded here. Empty: for a reason that libav logs.
    declined: Option<String>,
}

impl Nvdec {
    /// NVDEC on `device` for a stream of `codec`, which must be an exact one if `exact`. Whether the card takes the
    /// stream shows when it is decoded. With `lead` there is room for frames before the part that is run.
    ///
    /// # Errors
    /// In words, why there is none.
    pub(in crate::io::libav) fn open(
        device: &Arc<CudaDevice>,
        codec: Id,
        exact: bool,
        lead: bool,
    ) -> Result<Nvdec, String> {
        let found = decoder(codec).ok_or_else(|| format!("this libav has no NVDEC for {}", codec.name()))?;
        if exact && !EXACT.contains(&codec) {
            return Err(format!("NVDEC may round {} differently (--decoder nvdec takes it as it is)", codec.name()));
        }
        // SAFETY: a plain call.
        if exact && codec == Id::AV1 && unsafe { ffi::avcodec_version() } < AV1_TELLS {
            return Err("this libav's AV1 decoder would lose HDR metadata (--decoder nvdec takes it as it is)".into());
        }
        let stream = Arc::new(Stream::new(device).map_err(|e| e.to_string())?);
        if let Err(why) = nvcuvid::listen_in() {
            log::debug!("NVDEC is not asked about faults in pictures: {why}");
        }
        let (verdict, held, faults) = (Mutex::default(), AtomicUsize::new(0), AtomicU64::new(0));
        let shared = Arc::new(Shared { device: Arc::clone(device), stream, verdict, held, faults });
        let device = libav_device(&shared.device, &shared.stream, Arc::clone(&shared))?;
        Ok(Nvdec { codec: found, device, shared, extra: if lead { SURFACES + LEAD } else { SURFACES } })
    }

    /// The decoder that can use it.
    pub(in crate::io::libav) fn codec(&self) -> Codec {
        self.codec
    }

    /// Has `context` decode here.
    ///
    /// # Errors
    /// When memory runs out.
    ///
    /// # Safety
    /// The context is valid, made for [`Nvdec::codec`] and not open yet.
    pub(in crate::io::libav) unsafe fn serve(&self, context: *mut AVCodecContext) -> Result<()> {
        // SAFETY: by the caller; the context owns the new reference.
        unsafe {
            (*context).hw_device_ctx = ffi::av_buffer_ref(self.device.0.as_ptr());
            if (*context).hw_device_ctx.is_null() {
                return Err(Error::new(Kind::OutOfMemory, "no memory for a decoder"));
            }
            (*context).get_format = Some(choose);
            (*context).extra_hw_frames = self.extra as c_int;
            (*context).hwaccel_flags |= NO_COPY;
            // Each frame thread would take a surface more, and only wait for the card.
            (*context).thread_count = 1;
        }
        Ok(())
    }

    /// Runs a call to the decoder. When the decoder rejects the stream meanwhile, what libav logs is the reason.
    pub(in crate::io::libav) fn listen<T>(&self, call: impl FnOnce() -> T) -> T {
        let before = nvcuvid::faults();
        let (result, heard) = logging::listen(call);
        self.shared.faults.fetch_add(nvcuvid::faults() - before, Ordering::Relaxed);
        if let Some(reason) = &mut self.shared.verdict().declined
            && reason.is_empty()
        {
            *reason = heard.reason().unwrap_or("libav does not say why").to_owned();
        }
        result
    }

    /// Pictures that had faults so far, as far as NVDEC reports them.
    pub(in crate::io::libav) fn faults(&self) -> u64 {
        self.shared.faults.load(Ordering::Relaxed)
    }

    /// Whether the GPU still works: libav reports its failures as it does those of a stream.
    ///
    /// # Errors
    /// When it has failed.
    pub(in crate::io::libav) fn check(&self) -> Result<()> {
        self.shared.stream.synchronize()
    }

    /// Why the stream is not decoded here, if that has turned out.
    pub(in crate::io::libav) fn declined(&self) -> Option<String> {
        self.shared.verdict().declined.clone()
    }
}

/// libav's own decoder of `codec`, if it can use NVDEC.
fn decoder(codec: Id) -> Option<Codec> {
    let by_device = ffi::AV_CODEC_HW_CONFIG_METHOD_HW_DEVICE_CTX as c_int;
    let mut state = ptr::null_mut();
    loop {
        // SAFETY: libav's registry is static; the state is its own cursor.
        let next = unsafe { ffi::av_codec_iterate(&mut state).as_ref() }?;
        // Wrappers (cuvid) decode on their own terms.
        let is_own = next.id == codec.into() && next.wrapper_name.is_null();
        // SAFETY: the codec is from the registry.
        if is_own && unsafe { ffi::av_codec_is_decoder(next) } != 0 && with_device(next, by_device) {
            // SAFETY: as above.
            return Some(unsafe { Codec::wrap(next) });
        }
    }
}

/// Called by libav with what a stream can be decoded to, the best first and software last; again with less when NVDEC does
/// not start.
unsafe extern "C" fn choose(context: *mut AVCodecContext, offered: *const AVPixelFormat) -> AVPixelFormat {
    // SAFETY: libav calls with a context that `serve` prepared, and a list that ends with NONE and has one format at least.
    unsafe {
        let shared = share::<Shared>((*(*context).hw_device_ctx).data.cast());
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
    fn verdict(&self) -> MutexGuard<'_, Capability> {
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
            // After a failed start the list is given again without it.
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
        let surface = unsafe { surface_format(context) };
        let storage = surface.map(|pixel| (pixel, pixfmt::native(pixel).map(|native| native.format)));
        let storage = match storage {
            Some((_, Some(storage))) if storage.holds(nominal) => storage,
            Some((pixel, None)) => return Err(format!("filters do not read surfaces of {}", convert::name(pixel))),
            _ => return Err(format!("NVDEC does not take {name}")),
        };
        let mut verdict = self.verdict();
        match verdict.accepted.iter().find(|(layout, _)| *layout == storage) {
            // Frames of the two could not be distinguished.
            Some((_, before)) if *before != nominal => Err(format!("the video changes from {before} to {nominal}")),
            Some(_) => Ok(()),
            None => {
                verdict.accepted.push((storage, nominal));
                Ok(())
            }
        }
    }

    /// What software would have decoded a surface of `storage` to.
    pub(super) fn nominal(&self, storage: Format) -> Option<Format> {
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
