//! The streams besides the video, copied or coded anew: which of them the container holds, and in what form.

use crate::io::libav::demux::streams::{Container, CopiedStream, Media, StreamTags};
use crate::io::libav::encode::choose::EncoderChoice;
use crate::io::libav::encode::timebase::rescale;
use crate::io::libav::mux::capacity;
use crate::io::libav::mux::header::{self, HeaderContents};
use crate::io::libav::recode::{Recode, Treatments};
use crate::io::libav::seek::frame_index::is_discarded;
use crate::io::libav::subtitles;
use crate::video::Rational;
use ffmpeg_next::Packet;
use ffmpeg_next::codec::Parameters;
use ffmpeg_next::ffi::{self, AVCodecID};
use std::ffi::{CStr, c_int, c_uint};
use std::slice;

/// Containers that keep a cover picture as such.
const COVER_ART: [&str; 2] = ["mp4", "ipod"];

/// Containers that keep data streams, besides those of the QuickTime family.
const DATA: [&str; 3] = ["mpegts", "nut", "mxf"];

/// What a picture's file is called in a container that keeps files, and its type.
const PICTURE_FILES: [(&str, &str, &str); 6] = [
    ("mjpeg", "cover.jpg", "image/jpeg"),
    ("png", "cover.png", "image/png"),
    ("gif", "cover.gif", "image/gif"),
    ("bmp", "cover.bmp", "image/bmp"),
    ("tiff", "cover.tiff", "image/tiff"),
    ("webp", "cover.webp", "image/webp"),
];

/// Up to this version, libavformat has a Matroska track state the priming of Opus (and of nothing else), without adding
/// it to the times of the track.
const LIFTS_NOT: c_uint = 59 << 16 | 30 << 8 | 100;

/// How a copied stream lies in the output.
#[derive(Clone, Debug)]
pub(in crate::io::libav) enum Form {
    /// Packet by packet, or nothing but its header (attachments).
    Packets,
    /// A cover picture: one packet without a time.
    Still,
    /// A file inside the container: the bytes of what was a cover picture.
    File(Vec<u8>),
}

/// A stream of the source that goes to the output: copied, or encoded again.
pub(in crate::io::libav) struct StreamCopy {
    /// Its index in the source.
    pub(in crate::io::libav) index: usize,
    /// What messages call it.
    name: String,
    pub(in crate::io::libav) media: Media,
    pub(in crate::io::libav) parameters: Parameters,
    /// Unit of its packets' times.
    pub(in crate::io::libav) timebase: Rational,
    /// Its packets are not the source's, but made of them.
    pub(in crate::io::libav) is_recoded: bool,
    /// The frame rate of a video; 0/0 otherwise.
    pub(in crate::io::libav) frame_rate: Rational,
    pub(in crate::io::libav) tags: StreamTags,
    pub(in crate::io::libav) form: Form,
    /// Samples at its start that only warm the decoder up, where the container counts them apart.
    pub(in crate::io::libav) priming: Option<c_int>,
    /// What is added to its times, in its timebase: readers take the priming from them again.
    pub(in crate::io::libav) lift: i64,
    /// A packet of it came that is heard.
    is_heard: bool,
}

impl StreamCopy {
    fn new(stream: &CopiedStream, form: Form) -> StreamCopy {
        let mut tags = stream.tags.clone();
        match &form {
            // Muxers look for this flag alone.
            Form::Still => tags.disposition = ffi::AV_DISPOSITION_ATTACHED_PIC,
            Form::File(_) => name_file(&mut tags, codec_name(&stream.parameters)),
            Form::Packets => {}
        }
        StreamCopy {
            index: stream.index,
            name: describe(stream),
            media: stream.media,
            parameters: stream.parameters.clone(),
            timebase: stream.timebase,
            is_recoded: false,
            frame_rate: stream.frame_rate,
            tags,
            form,
            priming: None,
            lift: 0,
            is_heard: false,
        }
    }

    /// `stream`, as `recoder` makes it.
    fn recoded(stream: &CopiedStream, recoder: &dyn Recode) -> StreamCopy {
        StreamCopy {
            parameters: recoder.parameters().clone(),
            timebase: recoder.timebase(),
            is_recoded: true,
            ..StreamCopy::new(stream, Form::Packets)
        }
    }

    /// How many frames of a video are decoded before one that is shown earlier.
    pub(in crate::io::libav) fn reordering(&self) -> usize {
        // SAFETY: the parameters are alive.
        usize::try_from(unsafe { (*self.parameters.as_ptr()).video_delay }).unwrap_or(0)
    }

    /// Its codec.
    pub(in crate::io::libav) fn codec(&self) -> AVCodecID {
        // SAFETY: the parameters are alive.
        unsafe { (*self.parameters.as_ptr()).codec_id }
    }

    /// What messages call it, if it is text that is copied: containers hold it as UTF-8.
    pub(in crate::io::libav) fn copied_text(&self) -> Option<String> {
        use AVCodecID::{AV_CODEC_ID_ASS, AV_CODEC_ID_SUBRIP, AV_CODEC_ID_TEXT, AV_CODEC_ID_WEBVTT};
        let texts = [AV_CODEC_ID_ASS, AV_CODEC_ID_SUBRIP, AV_CODEC_ID_TEXT, AV_CODEC_ID_WEBVTT];
        (!self.is_recoded && texts.contains(&self.codec())).then(|| self.name.clone())
    }

    /// The sampling rate, for sound.
    fn sample_rate(&self) -> Option<c_int> {
        // SAFETY: the parameters are alive.
        let rate = unsafe { (*self.parameters.as_ptr()).sample_rate };
        (self.media == Media::Audio && rate > 0).then_some(rate)
    }

    /// Whether readers of `container` skip what is before its start: edit lists say that in MP4, and in Matroska what warms a
    /// decoder up.
    pub(in crate::io::libav) fn is_skipped(&self, container: &str) -> bool {
        // SAFETY: libav's version is a number.
        let is_stated =
            || self.codec() == AVCodecID::AV_CODEC_ID_OPUS || unsafe { ffi::avformat_version() } > LIFTS_NOT;
        let is_copied = self.media == Media::Audio && !self.is_recoded;
        is_copied && (capacity::is_quicktime(container) || capacity::is_matroska(container) && is_stated())
    }

    /// Whether `packet` is sound that is not to be heard and that readers of `container` would play: behind the start all of it, and
    /// what an edit list hides before it but for the last packet, which warms the decoder up.
    pub(in crate::io::libav) fn is_hidden(&mut self, packet: &Packet, container: &str) -> bool {
        if self.media != Media::Audio || self.is_recoded {
            return false;
        }
        if !is_discarded(packet) {
            self.is_heard = true;
            return false;
        }
        let is_last = packet.pts().is_none_or(|pts| pts + 2 * packet.duration() > 0);
        self.is_heard || !is_last && !self.is_skipped(container)
    }

    /// Has Matroska state what warms the decoder up: as much as the source states, and all that is before 0, where the
    /// stream starts at `start`.
    fn prime(&mut self, start: i64) {
        let Some(rate) = self.sample_rate() else { return };
        let sample = Rational::new(1, rate);
        // SAFETY: the parameters are alive; libav's version is a number.
        let (stated, codec, version) = unsafe {
            let parameters = &*self.parameters.as_ptr();
            (parameters.initial_padding, parameters.codec_id, ffi::avformat_version())
        };
        let before_zero = c_int::try_from(rescale(-start, self.timebase, sample)).unwrap_or(0);
        self.priming = Some(stated.max(before_zero)).filter(|samples| *samples > 0);
        self.state_pre_skip();
        if version <= LIFTS_NOT && codec == AVCodecID::AV_CODEC_ID_OPUS {
            self.lift = rescale(self.priming.unwrap_or(0).into(), sample, self.timebase);
        }
    }

    /// Has the header of Opus say the priming, too: players that find two numbers refuse the file.
    fn state_pre_skip(&mut self) {
        let Some(samples) = self.priming.and_then(|samples| u16::try_from(samples).ok()) else { return };
        // SAFETY: the parameters are ours, and libav keeps as many bytes as it says.
        unsafe {
            let parameters = &mut *self.parameters.as_mut_ptr();
            if parameters.codec_id != AVCodecID::AV_CODEC_ID_OPUS || parameters.extradata.is_null() {
                return;
            }
            let size = usize::try_from(parameters.extradata_size).unwrap_or(0);
            let header = slice::from_raw_parts_mut(parameters.extradata, size);
            if header.starts_with(OPUS_HEAD) && size >= PRE_SKIP + 2 {
                header[PRE_SKIP..PRE_SKIP + 2].copy_from_slice(&samples.to_le_bytes());
            }
        }
    }
}

/// Where the header of Opus has the samples that decoders skip, and what it begins with (RFC 7845).
const PRE_SKIP: usize = 10;
const OPUS_HEAD: &[u8] = b"OpusHead";

/// The streams among `copied` that the container of `contents` holds. The others are reported, one line a reason, but for
/// those that `treatments` leave out.
pub(in crate::io::libav) fn admit(
    contents: HeaderContents<'_>,
    copied: &[CopiedStream],
    treatments: &Treatments,
) -> Vec<StreamCopy> {
    let (mut candidates, mut refused) = (Vec::new(), Refused::default());
    let wanted =
        |stream: &&CopiedStream| !is_made_anew(contents.container, stream) && !treatments.leave_out(stream.index);
    for stream in copied.iter().filter(wanted) {
        if let Some(recoder) = treatments.recoder(stream.index) {
            candidates.push(StreamCopy::recoded(stream, recoder));
            continue;
        }
        match form(contents.choice, stream) {
            Ok(form) => candidates.push(StreamCopy::new(stream, form)),
            Err(reason) => refused.add(reason, describe(stream)),
        }
    }
    if header::rehearse(&HeaderContents { copies: &candidates, ..contents }).is_ok() {
        refused.report();
        return candidates;
    }
    let mut admitted = Vec::new();
    for copy in candidates {
        admitted.push(copy);
        if let Err(refusal) = header::rehearse(&HeaderContents { copies: &admitted, ..contents })
            && let Some(copy) = admitted.pop()
        {
            refused.add(refusal.message().to_owned(), copy.name.clone());
        }
    }
    refused.report();
    admitted
}

/// Whether the container of `contents` holds `stream` as it is, or the reason why it does not.
pub(in crate::io::libav) fn holds(contents: HeaderContents<'_>, stream: &CopiedStream) -> Result<(), String> {
    let copies = [StreamCopy::new(stream, form(contents.choice, stream)?)];
    let rehearsed = header::rehearse(&HeaderContents { copies: &copies, ..contents });
    rehearsed.map(drop).map_err(|refusal| refusal.message().to_owned())
}

/// Whether the container of `contents` holds what `recoder` makes of `stream`, or the reason why it does not.
pub(in crate::io::libav) fn holds_recoded(
    contents: HeaderContents<'_>,
    stream: &CopiedStream,
    recoder: &dyn Recode,
) -> Result<(), String> {
    let copies = [StreamCopy::recoded(stream, recoder)];
    takes(contents.choice, stream.media, &copies[0].parameters)?;
    let rehearsed = header::rehearse(&HeaderContents { copies: &copies, ..contents });
    rehearsed.map(drop).map_err(|refusal| refusal.message().to_owned())
}

/// Streams that are left out, by reason.
#[derive(Default)]
struct Refused(Vec<(String, Vec<String>)>);

impl Refused {
    fn add(&mut self, reason: String, stream: String) {
        match self.0.iter_mut().find(|(known, _)| *known == reason) {
            Some((_, streams)) => streams.push(stream),
            None => self.0.push((reason, vec![stream])),
        }
    }

    fn report(&self) {
        for (reason, streams) in &self.0 {
            log::warn!("left out: {}: {reason}", streams.join(", "));
        }
    }
}

/// Whether a muxer makes the stream itself: a QuickTime track of chapters from the chapters, one of time code from the
/// video's tag.
pub(in crate::io::libav) fn is_made_anew(source: &Container, stream: &CopiedStream) -> bool {
    // SAFETY: the parameters are alive.
    let tag = unsafe { (*stream.parameters.as_ptr()).codec_tag }.to_le_bytes();
    let has_time_code = source.video.metadata.iter().any(|(key, _)| key.eq_ignore_ascii_case("timecode"));
    stream.media == Media::Data && (&tag == b"text" && !source.chapters.is_empty() || &tag == b"tmcd" && has_time_code)
}

/// How `stream` would lie in the container, or why it cannot.
fn form(choice: &EncoderChoice, stream: &CopiedStream) -> Result<Form, String> {
    let container = choice.container();
    if capacity::is_video_alone(choice.container) {
        return Err(format!("{container} holds one video stream and nothing else"));
    }
    if stream.media == Media::Video && stream.tags.disposition & ffi::AV_DISPOSITION_ATTACHED_PIC != 0 {
        return match container {
            // The picture itself comes with its packet.
            "matroska" => Ok(Form::File(vec![0])),
            _ if COVER_ART.contains(&container) => Ok(Form::Still),
            _ => Err(format!("{container} has no place for cover art")),
        };
    }
    if stream.media == Media::Attachment && container != "matroska" {
        return Err(format!("{container} has no place for attached files"));
    }
    if stream.media == Media::Data && !capacity::is_quicktime(container) && !DATA.contains(&container) {
        return Err(format!("{container} has no place for data"));
    }
    takes(choice, stream.media, &stream.parameters)?;
    Ok(Form::Packets)
}

/// Refuses a codec that the container does not hold.
fn takes(choice: &EncoderChoice, media: Media, parameters: &Parameters) -> Result<(), String> {
    let container = choice.container();
    if capacity::is_video_alone(choice.container) {
        return Err(format!("{container} holds one video stream and nothing else"));
    }
    let has_codec = matches!(media, Media::Audio | Media::Video | Media::Subtitle) || container == "mpegts";
    // SAFETY: the parameters are alive.
    let codec = unsafe { (*parameters.as_ptr()).codec_id };
    if has_codec && !capacity::holds_codec(choice.container, codec) {
        let is_drawn = subtitles::SubtitleKind::of(parameters) == Some(subtitles::SubtitleKind::Pictures);
        let hint = if is_drawn { ": --burn-subtitles draws it into the picture" } else { "" };
        return Err(format!("{container} does not hold this codec{hint}"));
    }
    Ok(())
}

/// Gives each copy what only the first packets show: the picture of a cover that becomes a file, and the priming
/// of sound in a container that has no times before 0. `offset` is taken from every time.
pub(in crate::io::libav) fn complete(
    copies: &mut Vec<StreamCopy>,
    waiting: &[(usize, Packet)],
    container: &str,
    offset: impl Fn(Rational) -> i64,
) {
    let mut refused = Refused::default();
    copies.retain_mut(|copy| {
        let first = waiting.iter().find(|(stream, _)| *stream == copy.index).map(|(_, packet)| packet);
        if let Form::File(bytes) = &mut copy.form {
            let Some(data) = first.and_then(|packet| packet.data()) else {
                refused.add("the picture does not come before the video".to_owned(), copy.name.clone());
                return false;
            };
            *bytes = data.to_vec();
        }
        let start = first.and_then(|packet| packet.pts()).map_or(0, |pts| pts - offset(copy.timebase));
        if capacity::is_matroska(container) {
            copy.prime(start);
        }
        true
    });
    refused.report();
}

fn name_file(tags: &mut StreamTags, codec: &str) {
    let Some((_, file, mime)) = PICTURE_FILES.iter().find(|(name, ..)| *name == codec) else { return };
    for (key, value) in [("filename", file), ("mimetype", mime)] {
        if !tags.metadata.iter().any(|(k, _)| k.eq_ignore_ascii_case(key)) {
            tags.metadata.push((key.to_owned(), (*value).to_owned()));
        }
    }
}

/// "stream 2 (subtitle subrip)", "stream 0 of signs.ass (subtitle ass)"
fn describe(stream: &CopiedStream) -> String {
    let codec = format!("({} {})", stream.media.word(), codec_name(&stream.parameters));
    match &stream.added_from {
        None => format!("stream {} {codec}", stream.index),
        Some((file, index)) => format!("stream {index} of {file} {codec}"),
    }
}

pub(in crate::io::libav) fn codec_name(parameters: &Parameters) -> &'static str {
    // SAFETY: the parameters are alive; codec names are static.
    unsafe { CStr::from_ptr(ffi::avcodec_get_name((*parameters.as_ptr()).codec_id)) }.to_str().unwrap_or("?")
}
