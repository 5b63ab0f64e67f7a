//! libav's decoders of subtitles.

use crate::error::Result;
use crate::io::libav;
use crate::video::Rational;
use ffmpeg::Packet;
use ffmpeg::codec::Parameters;
use ffmpeg_next as ffmpeg;
use ffmpeg_next::ffi::{self, AVCodecContext, AVSubtitle, AVSubtitleRect};
use std::ffi::{CStr, c_int};
use std::{ptr, slice};

/// What a stream of subtitles holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::io::libav) enum SubtitleKind {
    Text,
    Pictures,
}

impl SubtitleKind {
    /// Of a codec; `None` when libav does not say.
    pub(in crate::io::libav) fn of(parameters: &Parameters) -> Option<SubtitleKind> {
        // SAFETY: the parameters are alive, and descriptors are static.
        let properties = unsafe { ffi::avcodec_descriptor_get((*parameters.as_ptr()).codec_id).as_ref()?.props };
        match properties {
            _ if properties & ffi::AV_CODEC_PROP_BITMAP_SUB as c_int != 0 => Some(SubtitleKind::Pictures),
            _ if properties & ffi::AV_CODEC_PROP_TEXT_SUB as c_int != 0 => Some(SubtitleKind::Text),
            _ => None,
        }
    }
}

/// A decoder.
pub(super) struct Decoder(*mut AVCodecContext);

// SAFETY: a context may be used by one thread after another.
unsafe impl Send for Decoder {}

impl Drop for Decoder {
    fn drop(&mut self) {
        // SAFETY: the context is ours.
        unsafe { ffi::avcodec_free_context(&mut self.0) };
    }
}

/// What a packet shows.
pub(super) struct Subtitle {
    subtitle: AVSubtitle,
}

impl Drop for Subtitle {
    fn drop(&mut self) {
        // SAFETY: the decoder made it, and it is not used again.
        unsafe { ffi::avsubtitle_free(&mut self.subtitle) };
    }
}

/// A picture of up to 256 colours.
pub(super) struct Paletted<'a> {
    pub(super) x: usize,
    pub(super) y: usize,
    pub(super) width: usize,
    pub(super) height: usize,
    pub(super) stride: usize,
    pub(super) indices: &'a [u8],
    /// Alpha, red, green, blue.
    pub(super) palette: Vec<[u8; 4]>,
    pub(super) forced: bool,
}

impl Decoder {
    /// A decoder of a stream of `parameters`, whose packets have times in `timebase`.
    ///
    /// # Errors
    /// When libav has none.
    pub(super) fn open(parameters: &Parameters, timebase: Rational) -> Result<Decoder> {
        let failed = |code| libav::error("a decoder of subtitles", ffmpeg::Error::from(code));
        // SAFETY: the context is made here and freed when it is dropped; the parameters are alive.
        unsafe {
            let codec = ffi::avcodec_find_decoder((*parameters.as_ptr()).codec_id);
            if codec.is_null() {
                return Err(failed(ffi::AVERROR_DECODER_NOT_FOUND));
            }
            let decoder = Decoder(ffi::avcodec_alloc_context3(codec));
            if decoder.0.is_null() {
                return Err(failed(-ffmpeg::error::ENOMEM));
            }
            let code = ffi::avcodec_parameters_to_context(decoder.0, parameters.as_ptr());
            (*decoder.0).pkt_timebase = ffi::AVRational { num: timebase.num, den: timebase.den };
            let code = if code < 0 { code } else { ffi::avcodec_open2(decoder.0, codec, ptr::null_mut()) };
            if code < 0 { Err(failed(code)) } else { Ok(decoder) }
        }
    }

    /// The header of a script in ASS that the lines belong to.
    pub(super) fn header(&self) -> &[u8] {
        // SAFETY: the context is alive, and libav keeps as many bytes as it says.
        unsafe {
            match (*self.0).subtitle_header_size {
                1.. if !(*self.0).subtitle_header.is_null() => {
                    slice::from_raw_parts((*self.0).subtitle_header, (*self.0).subtitle_header_size as usize)
                }
                _ => &[],
            }
        }
    }

    /// The size that pictures lie in, where it is known by now.
    pub(super) fn size(&self) -> Option<(usize, usize)> {
        // SAFETY: the context is alive.
        let (width, height) = unsafe { ((*self.0).width, (*self.0).height) };
        let size = (usize::try_from(width).ok()?, usize::try_from(height).ok()?);
        (size.0 > 0 && size.1 > 0).then_some(size)
    }

    /// Decodes `packet`. `None` when more packets are needed before anything is shown.
    ///
    /// # Errors
    /// When it is damaged.
    pub(super) fn decode(&mut self, packet: &Packet) -> Result<Option<Subtitle>, ffmpeg::Error> {
        let mut got = 0;
        // SAFETY: all zeros are an empty subtitle, which the decoder fills; the packet is only read, and its data is
        // padded, as all that a demuxer gives.
        unsafe {
            let mut shown = Subtitle { subtitle: std::mem::zeroed() };
            let packet = ffmpeg::packet::Ref::as_ptr(packet).cast_mut();
            match ffi::avcodec_decode_subtitle2(self.0, &mut shown.subtitle, &mut got, packet) {
                code if code < 0 => Err(ffmpeg::Error::from(code)),
                _ => Ok((got != 0).then_some(shown)),
            }
        }
    }
}

impl Subtitle {
    /// When it is shown, in microseconds of the stream's own times; `None` where nothing says.
    pub(super) fn start(&self) -> Option<i64> {
        let pts = self.subtitle.pts;
        (pts != ffi::AV_NOPTS_VALUE).then(|| pts + i64::from(self.subtitle.start_display_time) * 1000)
    }

    /// How long, in milliseconds; `None` for until the next.
    pub(super) fn duration(&self) -> Option<i64> {
        let (start, end) = (self.subtitle.start_display_time, self.subtitle.end_display_time);
        (end != u32::MAX && end > start).then(|| i64::from(end) - i64::from(start))
    }

    fn rects(&self) -> impl Iterator<Item = &AVSubtitleRect> {
        let count = if self.subtitle.rects.is_null() { 0 } else { self.subtitle.num_rects as usize };
        // SAFETY: libav keeps so many pointers to so many rectangles.
        (0..count).map(|index| unsafe { &**self.subtitle.rects.add(index) })
    }

    /// Its lines of text, in ASS.
    pub(super) fn lines(&self) -> impl Iterator<Item = &CStr> {
        // SAFETY: texts end with a zero.
        self.rects().filter(|rect| !rect.ass.is_null()).map(|rect| unsafe { CStr::from_ptr(rect.ass) })
    }

    /// Its pictures.
    pub(super) fn pictures(&self) -> impl Iterator<Item = Paletted<'_>> {
        self.rects().filter_map(|rect| {
            let size = |n: c_int| usize::try_from(n).ok();
            let (x, y, width, height) = (size(rect.x)?, size(rect.y)?, size(rect.w)?, size(rect.h)?);
            let (stride, colours) = (size(rect.linesize[0])?, size(rect.nb_colors)?.min(256));
            if rect.data[0].is_null() || rect.data[1].is_null() || width == 0 || height == 0 || stride < width {
                return None;
            }
            // SAFETY: libav keeps `h` rows of `linesize` bytes, and a palette of 32-bit entries, 256 or `nb_colors`.
            let (indices, palette) = unsafe {
                let colours = slice::from_raw_parts(rect.data[1].cast::<[u8; 4]>(), colours);
                (slice::from_raw_parts(rect.data[0], (height - 1) * stride + width), colours)
            };
            let palette = palette.iter().map(|entry| u32::from_ne_bytes(*entry).to_be_bytes()).collect();
            let forced = rect.flags & ffi::AV_SUBTITLE_FLAG_FORCED as c_int != 0;
            Some(Paletted { x, y, width, height, stride, indices, palette, forced })
        })
    }
}
