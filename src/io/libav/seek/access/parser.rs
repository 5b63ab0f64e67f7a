//! libav's parser: what a packet's headers say of its picture.

use crate::error::{Error, Kind, Result};
use crate::io::libav;
use ffmpeg::codec::Parameters;
use ffmpeg::codec::context::Context;
use ffmpeg::ffi::{self, AVCodecParserContext, AVPictureStructure};
use ffmpeg_next as ffmpeg;
use std::ptr::{self, NonNull};

/// A parser of packets that hold whole pictures.
pub(super) struct Parser {
    parser: NonNull<AVCodecParserContext>,
    context: Context,
}

// SAFETY: neither belongs to a thread, and both are used through one owner.
unsafe impl Send for Parser {}

impl Parser {
    /// A parser for a stream of `parameters`.
    ///
    /// # Errors
    /// When libav has none, or memory runs out.
    pub(super) fn new(parameters: &Parameters) -> Result<Parser> {
        let context = Context::from_parameters(parameters.clone()).map_err(|e| libav::error("a parser", e))?;
        // SAFETY: libav answers for any codec, with null for those it does not parse.
        let parser = unsafe { ffi::av_parser_init(ffi::AVCodecID::from(parameters.id()) as i32) };
        let mut parser = NonNull::new(parser).ok_or_else(|| Error::new(Kind::OutOfMemory, "libav has no parser"))?;
        // SAFETY: it is ours.
        unsafe { parser.as_mut() }.flags |= ffi::PARSER_FLAG_COMPLETE_FRAMES;
        Ok(Parser { parser, context })
    }

    /// The number of the frame in `bytes` by which it is shown; `None` for a field, or what is not understood.
    pub(super) fn frame(&mut self, bytes: &[u8]) -> Option<i32> {
        let (mut out, mut out_size) = (ptr::null_mut(), 0);
        let size = i32::try_from(bytes.len()).ok()?;
        let none = ffi::AV_NOPTS_VALUE;
        // SAFETY: parser and context are ours and of one codec; the bytes are a packet's, which libav pads. The
        // structure is read as a number, since an enum of another value is undefined.
        unsafe {
            let parser = self.parser.as_ptr();
            (&raw mut (*parser).picture_structure).cast::<u32>().write(0);
            let context = self.context.as_mut_ptr();
            let (data, position) = (bytes.as_ptr(), 0);
            ffi::av_parser_parse2(parser, context, &mut out, &mut out_size, data, size, none, none, position);
            let structure = (&raw const (*parser).picture_structure).cast::<u32>().read();
            let is_frame = structure == AVPictureStructure::AV_PICTURE_STRUCTURE_FRAME as u32;
            is_frame.then(|| (*parser).output_picture_number)
        }
    }
}

impl Drop for Parser {
    fn drop(&mut self) {
        // SAFETY: it is ours and not used again.
        unsafe { ffi::av_parser_close(self.parser.as_ptr()) };
    }
}
