//! Frames of samples: cut, silenced, and their channels named.

use crate::error::{Error, Kind, Result};
use ffmpeg_next::ffi::{self, AVChannelLayout, AVChannelOrder, AVSampleFormat};
use ffmpeg_next::frame::Audio;
use std::ffi::{CStr, CString, c_int};
use std::mem::MaybeUninit;
use std::ptr;

/// A channel layout of ours.
pub(super) struct ChannelLayout(AVChannelLayout);

impl Drop for ChannelLayout {
    fn drop(&mut self) {
        // SAFETY: the layout is ours and whole.
        unsafe { ffi::av_channel_layout_uninit(&mut self.0) };
    }
}

impl ChannelLayout {
    /// The usual layout of `channels` channels.
    pub(super) fn of_channels(channels: c_int) -> ChannelLayout {
        let mut layout = MaybeUninit::zeroed();
        // SAFETY: libav fills the layout; zeros are an empty one.
        unsafe {
            ffi::av_channel_layout_default(layout.as_mut_ptr(), channels);
            ChannelLayout(layout.assume_init())
        }
    }

    /// The layout that libav calls `name`, if it knows one.
    pub(super) fn named(name: &str) -> Option<ChannelLayout> {
        let name = CString::new(name).ok()?;
        let mut layout = MaybeUninit::zeroed();
        // SAFETY: the name ends with a zero; zeros are an empty layout, which a failure leaves.
        unsafe {
            let code = ffi::av_channel_layout_from_string(layout.as_mut_ptr(), name.as_ptr());
            (code >= 0).then(|| ChannelLayout(layout.assume_init())).filter(|layout| layout.channels() > 0)
        }
    }

    /// A copy of `layout`; the usual one of as many channels where it does not say which they are.
    ///
    /// # Safety
    /// The layout is alive and whole.
    pub(super) unsafe fn copy(layout: *const AVChannelLayout) -> ChannelLayout {
        // SAFETY: by the caller; the copy begins as an empty layout.
        unsafe {
            if (*layout).order == AVChannelOrder::AV_CHANNEL_ORDER_UNSPEC {
                return ChannelLayout::of_channels((*layout).nb_channels);
            }
            let mut copy = MaybeUninit::zeroed();
            ffi::av_channel_layout_copy(copy.as_mut_ptr(), layout);
            ChannelLayout(copy.assume_init())
        }
    }

    pub(super) fn as_ptr(&self) -> *const AVChannelLayout {
        &self.0
    }

    /// How many channels it has.
    pub(super) fn channels(&self) -> c_int {
        self.0.nb_channels
    }

    /// Its name.
    pub(super) fn name(&self) -> String {
        let mut text = [0u8; 256];
        // SAFETY: the layout is whole; libav writes at most as many bytes as there are, and a zero at the end.
        unsafe { ffi::av_channel_layout_describe(&self.0, text.as_mut_ptr().cast(), text.len()) };
        CStr::from_bytes_until_nul(&text).map_or_else(|_| String::new(), |name| name.to_string_lossy().into_owned())
    }

    /// Whether the two are the same.
    pub(super) fn is(&self, other: *const AVChannelLayout) -> bool {
        // SAFETY: both are alive; libav only reads them.
        unsafe { ffi::av_channel_layout_compare(&self.0, other) == 0 }
    }

    /// Gives a field of libav's a copy.
    ///
    /// # Safety
    /// The field is a layout, whole or of zeros.
    pub(super) unsafe fn store(&self, field: *mut AVChannelLayout) {
        // SAFETY: by the caller.
        unsafe { ffi::av_channel_layout_copy(field, &self.0) };
    }
}

/// A sample format's name.
pub(super) fn format_name(format: AVSampleFormat) -> &'static str {
    // SAFETY: libav gives a static name, or null.
    let name = unsafe { ffi::av_get_sample_fmt_name(format) };
    if name.is_null() {
        return "?";
    }
    // SAFETY: it is a text that ends with a zero.
    unsafe { CStr::from_ptr(name) }.to_str().unwrap_or("?")
}

/// A sample format by libav's number.
pub(super) fn format(number: c_int) -> Option<AVSampleFormat> {
    use AVSampleFormat::*;
    let known = [
        AV_SAMPLE_FMT_U8,
        AV_SAMPLE_FMT_S16,
        AV_SAMPLE_FMT_S32,
        AV_SAMPLE_FMT_FLT,
        AV_SAMPLE_FMT_DBL,
        AV_SAMPLE_FMT_U8P,
        AV_SAMPLE_FMT_S16P,
        AV_SAMPLE_FMT_S32P,
        AV_SAMPLE_FMT_FLTP,
        AV_SAMPLE_FMT_DBLP,
        AV_SAMPLE_FMT_S64,
        AV_SAMPLE_FMT_S64P,
    ];
    known.into_iter().find(|format| *format as c_int == number)
}

/// A frame of `count` samples with room for them.
///
/// # Errors
/// When memory runs out.
pub(super) fn frame(format: c_int, layout: &ChannelLayout, rate: c_int, count: i64) -> Result<Audio> {
    let mut frame = Audio::empty();
    // SAFETY: the frame is ours and empty; libav allocates what its fields say.
    let code = unsafe {
        let raw = frame.as_mut_ptr();
        ((*raw).format, (*raw).sample_rate, (*raw).nb_samples) = (format, rate, count as c_int);
        layout.store(&mut (*raw).ch_layout);
        ffi::av_frame_get_buffer(raw, 0)
    };
    if code < 0 { Err(Error::new(Kind::OutOfMemory, "no memory for sound")) } else { Ok(frame) }
}

/// Silence of `count` samples in the form of `like`.
///
/// # Errors
/// When memory runs out.
pub(super) fn silence_like(like: &Audio, count: i64) -> Result<Audio> {
    // SAFETY: both frames are alive; the new one has room for `count` samples in every plane.
    unsafe {
        let like = &*like.as_ptr();
        let layout = ChannelLayout::copy(&like.ch_layout);
        let mut silence = frame(like.format, &layout, like.sample_rate, count)?;
        let raw = silence.as_mut_ptr();
        let kind = format(like.format).ok_or_else(|| Error::internal("sound has no sample format"))?;
        ffi::av_samples_set_silence((*raw).extended_data, 0, (*raw).nb_samples, layout.channels(), kind);
        Ok(silence)
    }
}

/// Leaves of `frame` the `keep` samples after the first `skip`.
pub(super) fn cut(frame: &mut Audio, skip: i64, keep: i64) {
    // SAFETY: the caller keeps within the frame's samples. Its buffers keep the memory, from wherever the data starts.
    unsafe {
        let raw = frame.as_mut_ptr();
        let Some(kind) = format((*raw).format) else { return };
        let channels = (*raw).ch_layout.nb_channels as usize;
        let bytes = ffi::av_get_bytes_per_sample(kind) as usize;
        let (planes, step) =
            if ffi::av_sample_fmt_is_planar(kind) != 0 { (channels, bytes) } else { (1, bytes * channels) };
        for plane in 0..planes {
            let data = (*raw).extended_data.add(plane);
            *data = (*data).add(skip as usize * step);
            if plane < (*raw).data.len() && !ptr::eq(data, &(*raw).data[plane]) {
                (*raw).data[plane] = *data;
            }
        }
        (*raw).nb_samples = keep as c_int;
    }
}
