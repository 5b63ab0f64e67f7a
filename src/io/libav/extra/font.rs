//! Fonts: files that are added as they are, since no demuxer knows them.

use crate::error::{Error, Result};
use crate::io::libav::demux::streams::{CopiedStream, Media, StreamTags};
use crate::io::libav::mux::tags;
use crate::video::Rational;
use ffmpeg_next::codec::Parameters;
use ffmpeg_next::ffi::{AVCodecID, AVMediaType};
use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::Read;
use std::path::Path;

/// How font files begin, and their media types.
const FONTS: [(&[u8; 4], AVCodecID, &str); 6] = [
    (b"\x00\x01\x00\x00", AVCodecID::AV_CODEC_ID_TTF, "font/ttf"),
    (b"true", AVCodecID::AV_CODEC_ID_TTF, "font/ttf"),
    (b"ttcf", AVCodecID::AV_CODEC_ID_TTF, "font/collection"),
    (b"OTTO", AVCodecID::AV_CODEC_ID_OTF, "font/otf"),
    (b"wOFF", AVCodecID::AV_CODEC_ID_OTF, "font/woff"),
    (b"wOF2", AVCodecID::AV_CODEC_ID_OTF, "font/woff2"),
];

/// The largest file that is taken for a font: the largest of the world's writing systems are a tenth of that.
const LARGEST: u64 = 256 << 20;

/// The font at `path` as an attachment whose number is `index`; `None` where it is none.
///
/// # Errors
/// When it is too large, or cannot be read.
pub(super) fn open(path: &OsStr, index: usize) -> Result<Option<CopiedStream>> {
    let failed = |error| Error::io(path.display(), &error);
    // What cannot be opened as a file may be a URL: the demuxer says what is wrong.
    let Ok(meta) = fs::metadata(path) else { return Ok(None) };
    if !meta.is_file() {
        return Ok(None);
    }
    let mut file = File::open(path).map_err(failed)?;
    let mut bytes = Vec::new();
    file.by_ref().take(4).read_to_end(&mut bytes).map_err(failed)?;
    let Some((_, codec, mime)) = FONTS.iter().find(|(start, ..)| bytes == **start) else { return Ok(None) };
    if meta.len() > LARGEST {
        return Err(Error::unsupported(format!("{}: too large for a font", path.display())));
    }
    file.take(LARGEST).read_to_end(&mut bytes).map_err(failed)?;
    let mut parameters = Parameters::new();
    // SAFETY: the parameters are ours.
    unsafe {
        let raw = parameters.as_mut_ptr();
        ((*raw).codec_type, (*raw).codec_id) = (AVMediaType::AVMEDIA_TYPE_ATTACHMENT, *codec);
        tags::set_extradata(raw, &bytes)?;
    }
    let name = Path::new(path).file_name().unwrap_or(path).to_string_lossy();
    let tag = |key: &str, value: &str| (key.to_owned(), value.to_owned());
    Ok(Some(CopiedStream {
        index,
        media: Media::Attachment,
        parameters,
        timebase: Rational::new(1, 1000),
        frame_rate: Rational::new(0, 1),
        tags: StreamTags { metadata: vec![tag("filename", &name), tag("mimetype", mime)], ..StreamTags::default() },
        added_from: Some((path.display().to_string(), 0)),
    }))
}
