//! libav's encoders of text subtitles.

use crate::error::{Error, Kind, Result};
use crate::io::libav;
use ffmpeg::codec::Parameters;
use ffmpeg_next as ffmpeg;
use ffmpeg_next::ffi::{self, AVCodecContext, AVCodecID, AVRational, AVSubtitle, AVSubtitleRect, AVSubtitleType};
use std::ffi::{CString, c_int};
use std::ptr;

/// The longest subtitle.
const MOST: usize = 1 << 20;

/// An encoder of one codec.
pub(super) struct Encoder {
    context: *mut AVCodecContext,
    buffer: Vec<u8>,
}

// SAFETY: a context may be used by one thread after another.
unsafe impl Send for Encoder {}

impl Drop for Encoder {
    fn drop(&mut self) {
        // SAFETY: the context is ours, and so is its header, which `avcodec_free_context` frees.
        unsafe { ffi::avcodec_free_context(&mut self.context) };
    }
}

impl Encoder {
    /// An encoder to `codec` of lines in ASS that belong to `header`.
    ///
    /// # Errors
    /// When libav has none, or memory runs out.
    pub(super) fn open(codec: AVCodecID, header: &[u8]) -> Result<Encoder> {
        let failed = |code| libav::error("an encoder of subtitles", ffmpeg::Error::from(code));
        // SAFETY: the context is made here and freed when it is dropped; the header is copied, with a zero behind it.
        unsafe {
            let found = ffi::avcodec_find_encoder(codec);
            if found.is_null() {
                return Err(failed(ffi::AVERROR_ENCODER_NOT_FOUND));
            }
            let context = ffi::avcodec_alloc_context3(found);
            let copy = ffi::av_mallocz(header.len() + 1).cast::<u8>();
            if context.is_null() || copy.is_null() {
                return Err(Error::new(Kind::OutOfMemory, "no memory for an encoder of subtitles"));
            }
            let encoder = Encoder { context, buffer: vec![0; MOST] };
            ptr::copy_nonoverlapping(header.as_ptr(), copy, header.len());
            (*context).subtitle_header = copy;
            (*context).subtitle_header_size = header.len() as c_int;
            (*context).time_base = AVRational { num: 1, den: 1000 };
            let code = ffi::avcodec_open2(context, found, ptr::null_mut());
            if code < 0 { Err(failed(code)) } else { Ok(encoder) }
        }
    }

    /// What a container's header says of its stream.
    ///
    /// # Errors
    /// When memory runs out.
    pub(super) fn parameters(&self) -> Result<Parameters> {
        let mut parameters = Parameters::new();
        // SAFETY: both are alive.
        let code = unsafe { ffi::avcodec_parameters_from_context(parameters.as_mut_ptr(), self.context) };
        if code < 0 { Err(libav::error("an encoder of subtitles", ffmpeg::Error::from(code))) } else { Ok(parameters) }
    }

    /// `line`, a line in ASS as Matroska has it.
    ///
    /// # Errors
    /// When the encoder refuses it.
    pub(super) fn encode(&mut self, line: &CString) -> Result<&[u8], ffmpeg::Error> {
        // SAFETY: all zeros are an empty rectangle and an empty subtitle. The encoder only reads them and the line, and
        // writes no more than the buffer has.
        unsafe {
            let mut rect: AVSubtitleRect = std::mem::zeroed();
            rect.type_ = AVSubtitleType::SUBTITLE_ASS;
            rect.ass = line.as_ptr().cast_mut();
            let mut rects = [&raw mut rect];
            let mut subtitle: AVSubtitle = std::mem::zeroed();
            (subtitle.num_rects, subtitle.rects) = (1, rects.as_mut_ptr());
            let (buffer, size) = (self.buffer.as_mut_ptr(), MOST as c_int);
            match ffi::avcodec_encode_subtitle(self.context, buffer, size, &subtitle) {
                code if code < 0 => Err(ffmpeg::Error::from(code)),
                length => Ok(&self.buffer[..length as usize]),
            }
        }
    }
}
