//! The streams that pass a run by: which of them the container holds, and in what form.

use crate::io::libav::header::{self, Contents};
use crate::io::libav::streams::{CopiedPacket, CopiedStream, Media, StreamTags};
use crate::video::Rational;
use ffmpeg_next::codec::Parameters;
use ffmpeg_next::ffi;
use std::ffi::{CStr, c_int};

/// Containers that keep a cover picture as such.
const COVER_ART: [&str; 2] = ["mp4", "ipod"];

/// What a picture's file is called in a container that keeps files, and its type.
const PICTURE_FILES: [(&str, &str, &str); 6] = [
    ("mjpeg", "cover.jpg", "image/jpeg"),
    ("png", "cover.png", "image/png"),
    ("gif", "cover.gif", "image/gif"),
    ("bmp", "cover.bmp", "image/bmp"),
    ("tiff", "cover.tiff", "image/tiff"),
    ("webp", "cover.webp", "image/webp"),
];

/// What a muxer that takes everything says of what no reader will find.
const UNREADABLE: &str = "private data stream";

/// How a copied stream lies in the output.
#[derive(Clone, Debug)]
pub(super) enum Form {
    /// Packet by packet, or nothing but its header (attachments).
    Packets,
    /// A cover picture: one packet without a time.
    Still,
    /// A file inside the container: the bytes of what was a cover picture.
    File(Vec<u8>),
}

/// A copied stream on its way to the output.
pub(super) struct Passage {
    /// Its index in the source.
    pub(super) index: usize,
    pub(super) media: Media,
    pub(super) parameters: Parameters,
    /// Unit of its packets' times.
    pub(super) timebase: Rational,
    pub(super) tags: StreamTags,
    pub(super) form: Form,
    /// Samples before time 0 that only warm the decoder up, where the container counts them apart.
    pub(super) priming: Option<c_int>,
}

impl Passage {
    fn new(stream: &CopiedStream, form: Form) -> Passage {
        let mut tags = stream.tags.clone();
        match &form {
            // Muxers look for this flag alone.
            Form::Still => tags.disposition = ffi::AV_DISPOSITION_ATTACHED_PIC,
            Form::File(_) => name_file(&mut tags, codec_name(&stream.parameters)),
            Form::Packets => {}
        }
        Passage {
            index: stream.index,
            media: stream.media,
            parameters: stream.parameters.clone(),
            timebase: stream.timebase,
            tags,
            form,
            priming: None,
        }
    }

    /// "stream 2 (subtitle subrip)"
    fn describe(&self) -> String {
        describe(self.index, self.media, &self.parameters)
    }

    /// The sampling rate, for sound.
    fn sample_rate(&self) -> Option<c_int> {
        // SAFETY: the parameters are alive.
        let rate = unsafe { (*self.parameters.as_ptr()).sample_rate };
        (self.media == Media::Audio && rate > 0).then_some(rate)
    }
}

/// The streams among `copied` that the container of `contents` holds. Each of the others is reported, with the reason.
pub(super) fn admit(contents: Contents<'_>, copied: &[CopiedStream]) -> Vec<Passage> {
    let container = contents.choice.container();
    let mut candidates = Vec::new();
    for stream in copied {
        match form(contents, stream) {
            Ok(form) => candidates.push(Passage::new(stream, form)),
            Err(reason) => report(&describe(stream.index, stream.media, &stream.parameters), container, &reason),
        }
    }
    if objection(contents, &candidates).is_none() {
        return candidates;
    }
    let mut admitted = Vec::new();
    for passage in candidates {
        admitted.push(passage);
        if let Some(reason) = objection(contents, &admitted)
            && let Some(refused) = admitted.pop()
        {
            report(&refused.describe(), container, &reason);
        }
    }
    admitted
}

fn report(stream: &str, container: &str, reason: &str) {
    log::warn!("{container} cannot hold {stream}, which is left out: {reason}");
}

/// How `stream` would lie in the container, or why it cannot.
fn form(contents: Contents<'_>, stream: &CopiedStream) -> Result<Form, String> {
    let container = contents.choice.container();
    let is_cover = stream.media == Media::Video && stream.tags.disposition & ffi::AV_DISPOSITION_ATTACHED_PIC != 0;
    if is_cover {
        return match container {
            // The picture itself comes with its packet.
            "matroska" => Ok(Form::File(vec![0])),
            _ if COVER_ART.contains(&container) => Ok(Form::Still),
            _ => Err("it has no place for cover art".to_owned()),
        };
    }
    if stream.media == Media::Attachment && container != "matroska" {
        return Err("it has no attachments".to_owned());
    }
    let has_codec = matches!(stream.media, Media::Audio | Media::Video | Media::Subtitle);
    // Matroska knows codecs that libav's table of its codecs does not list.
    let table_is_whole = !header::is_matroska(container);
    // SAFETY: the container is static and the parameters are alive.
    let known = unsafe {
        let codec = (*stream.parameters.as_ptr()).codec_id;
        ffi::avformat_query_codec(contents.choice.container, codec, ffi::FF_COMPLIANCE_NORMAL)
    };
    if has_codec && table_is_whole && known == 0 {
        return Err(format!("it has no {}", codec_name(&stream.parameters)));
    }
    Ok(Form::Packets)
}

/// What the container says against the last of `passages`, or nothing.
fn objection(contents: Contents<'_>, passages: &[Passage]) -> Option<String> {
    match header::rehearse(&Contents { passages, ..contents }) {
        Ok(rehearsal) => rehearsal.warnings.into_iter().find(|line| line.contains(UNREADABLE)),
        Err(error) => Some(error.message().to_owned()),
    }
}

/// Gives each passage what only the first packets tell: the picture of a cover that becomes a file, and the priming
/// of sound that starts before 0 in a container that has no earlier times. `offset` is taken from every time.
pub(super) fn complete(
    passages: &mut Vec<Passage>,
    waiting: &[CopiedPacket],
    container: &str,
    offset: impl Fn(Rational) -> i64,
) {
    passages.retain_mut(|passage| {
        let first = waiting.iter().find(|packet| packet.stream == passage.index).map(|packet| &packet.packet);
        if let Form::File(bytes) = &mut passage.form {
            let Some(data) = first.and_then(|packet| packet.data()) else {
                report(&passage.describe(), container, "its picture does not come first");
                return false;
            };
            *bytes = data.to_vec();
        }
        let start = first.and_then(|packet| packet.pts()).map(|pts| pts - offset(passage.timebase));
        if let (Some(start), Some(rate)) = (start, passage.sample_rate())
            && start < 0
            && header::is_matroska(container)
        {
            let samples = super::rhythm::rescale(-start, passage.timebase, Rational::new(1, rate));
            passage.priming = c_int::try_from(samples).ok();
        }
        true
    });
}

fn name_file(tags: &mut StreamTags, codec: &str) {
    let Some((_, file, mime)) = PICTURE_FILES.iter().find(|(name, ..)| *name == codec) else { return };
    for (key, value) in [("filename", file), ("mimetype", mime)] {
        if !tags.metadata.iter().any(|(k, _)| k.eq_ignore_ascii_case(key)) {
            tags.metadata.push((key.to_owned(), (*value).to_owned()));
        }
    }
}

fn describe(index: usize, media: Media, parameters: &Parameters) -> String {
    let media = match media {
        Media::Audio => "audio",
        Media::Subtitle => "subtitle",
        Media::Attachment => "attachment",
        Media::Video => "video",
        Media::Data => "data",
    };
    format!("stream {index} ({media} {})", codec_name(parameters))
}

fn codec_name(parameters: &Parameters) -> &'static str {
    // SAFETY: the parameters are alive; codec names are static.
    unsafe { CStr::from_ptr(ffi::avcodec_get_name((*parameters.as_ptr()).codec_id)) }.to_str().unwrap_or("?")
}
