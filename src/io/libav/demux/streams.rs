//! What an input gives an output besides frames: streams to copy, chapters, tags.

use crate::error::{Error, Result};
use crate::io::libav::decode::props::bytes;
use crate::io::libav::demux::demuxer::Demuxer;
use crate::video::{Rational, SideData};
use ffmpeg::ffi;
use ffmpeg::format::stream::{Disposition, Stream};
use ffmpeg::media;
use ffmpeg_next as ffmpeg;
use std::ffi::CStr;
use std::{ptr, slice};

/// Which streams besides the filtered one are copied.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CopyChoice {
    /// Sound.
    pub audio: bool,
    /// Subtitles.
    pub subtitles: bool,
    /// Attachments, cover art, further video streams, data.
    pub others: bool,
}

impl CopyChoice {
    /// Every stream.
    pub const ALL: CopyChoice = CopyChoice { audio: true, subtitles: true, others: true };
    /// The filtered stream alone.
    pub const NONE: CopyChoice = CopyChoice { audio: false, subtitles: false, others: false };

    fn takes(self, media: Media) -> bool {
        match media {
            Media::Audio => self.audio,
            Media::Subtitle => self.subtitles,
            Media::Attachment | Media::Video | Media::Data => self.others,
        }
    }
}

impl Default for CopyChoice {
    fn default() -> Self {
        Self::ALL
    }
}

/// What a copied stream holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Media {
    /// Sound.
    Audio,
    /// Text or picture subtitles.
    Subtitle,
    /// A file inside the container (fonts).
    Attachment,
    /// A still picture inside the container (cover art), or a second video stream.
    Video,
    /// Anything else (time code, telemetry).
    Data,
}

/// The words and flags a container keeps about a stream.
#[derive(Clone, Debug, Default)]
pub struct StreamTags {
    /// Metadata, in order.
    pub metadata: Vec<(String, String)>,
    /// libav's disposition flags.
    pub disposition: i32,
    /// Stream-level side data (rotation, mastering display, content light, stereo layout), by libav's
    /// `AVPacketSideDataType`.
    pub side_data: Vec<SideData>,
}

/// A stream that is copied packet by packet.
#[derive(Clone)]
pub struct CopiedStream {
    /// Its index in the input. Those of added files follow the input's own.
    pub index: usize,
    /// The file that it is added from, and its index there; `None`: the input.
    pub added_from: Option<(String, usize)>,
    /// What it holds.
    pub media: Media,
    /// The codec's parameters, a copy of the input's.
    pub parameters: ffmpeg::codec::Parameters,
    /// The unit of its packets' times.
    pub timebase: Rational,
    /// The mean frame rate of a video, if the container states it.
    pub frame_rate: Rational,
    /// Tags.
    pub tags: StreamTags,
}

/// One chapter.
#[derive(Clone, Debug)]
pub struct Chapter {
    /// Its number in the container.
    pub id: i64,
    /// The unit of `start` and `end`.
    pub timebase: Rational,
    /// Start.
    pub start: i64,
    /// End.
    pub end: i64,
    /// Metadata (its title).
    pub metadata: Vec<(String, String)>,
}

/// What the container itself says.
#[derive(Clone, Debug, Default)]
pub struct Container {
    /// libav's name of the input format.
    pub format: String,
    /// Metadata.
    pub metadata: Vec<(String, String)>,
    /// Chapters.
    pub chapters: Vec<Chapter>,
    /// Tags of the stream that is filtered.
    pub video: StreamTags,
}

/// The video stream that libav finds best, cover art apart.
///
/// # Errors
/// When there is none.
pub(in crate::io::libav) fn best_video(input: &Demuxer) -> Result<Stream<'_>> {
    let is_video = |stream: &Stream| stream.parameters().medium() == media::Type::Video && !is_still(stream);
    let best = input.streams().best(media::Type::Video).filter(is_video);
    best.or_else(|| input.streams().find(is_video)).ok_or_else(|| {
        let media: Vec<&str> = input.streams().map(|stream| Media::of(&stream).name()).collect();
        match media.is_empty() {
            true => Error::corrupt("holds no streams"),
            false => Error::corrupt(format!("holds no video, only {}", media.join(", "))),
        }
    })
}

/// True for a picture that belongs to the whole source (cover art), rather than a video.
pub(in crate::io::libav) fn is_still(stream: &Stream) -> bool {
    stream.disposition().contains(Disposition::ATTACHED_PIC)
}

/// What a container states of a stream's frames.
pub(in crate::io::libav) struct Stated {
    pub(in crate::io::libav) timebase: Rational,
    pub(in crate::io::libav) frame_rate: Rational,
    pub(in crate::io::libav) frames: Option<u64>,
    pub(in crate::io::libav) sar: Rational,
}

impl Stated {
    pub(in crate::io::libav) fn of(input: &Demuxer, stream: &Stream) -> Stated {
        // SAFETY: both are alive, and libav only reads them; a frame is optional.
        let (frame_rate, sar) = unsafe {
            let (input, stream) = (input.as_ptr().cast_mut(), stream.as_ptr().cast_mut());
            (ffi::av_guess_frame_rate(input, stream, ptr::null_mut()), (*stream).sample_aspect_ratio)
        };
        Stated {
            timebase: stream.time_base().into(),
            frame_rate: frame_rate.into(),
            frames: u64::try_from(stream.frames()).ok().filter(|frames| *frames > 0),
            sar: sar.into(),
        }
    }
}

impl Media {
    fn name(self) -> &'static str {
        match self {
            Media::Audio => "audio",
            Media::Subtitle => "subtitles",
            Media::Attachment => "an attachment",
            Media::Video => "a still picture",
            Media::Data => "data",
        }
    }

    /// The word for it before a codec's name.
    pub(in crate::io::libav) fn word(self) -> &'static str {
        match self {
            Media::Audio => "audio",
            Media::Subtitle => "subtitle",
            Media::Attachment => "attachment",
            Media::Video => "video",
            Media::Data => "data",
        }
    }

    fn of(stream: &Stream) -> Media {
        match stream.parameters().medium() {
            media::Type::Audio => Media::Audio,
            media::Type::Subtitle => Media::Subtitle,
            media::Type::Attachment => Media::Attachment,
            media::Type::Video => Media::Video,
            _ => Media::Data,
        }
    }
}

impl CopiedStream {
    /// Its language, as the container writes it.
    pub(in crate::io::libav) fn language(&self) -> Option<&str> {
        let tag = self.tags.metadata.iter().find(|(key, _)| key.eq_ignore_ascii_case("language"));
        tag.map(|(_, value)| value.as_str())
    }

    /// The streams of `input` but `video` that `choice` takes.
    pub(in crate::io::libav) fn choose(input: &Demuxer, video: usize, choice: CopyChoice) -> Vec<CopiedStream> {
        let streams = input.streams().filter(|stream| stream.index() != video && choice.takes(Media::of(stream)));
        streams.map(|stream| CopiedStream::of(&stream)).collect()
    }

    /// `stream` of an input.
    pub(in crate::io::libav) fn of(stream: &Stream) -> CopiedStream {
        CopiedStream {
            index: stream.index(),
            added_from: None,
            media: Media::of(stream),
            parameters: stream.parameters().clone(),
            timebase: stream.time_base().into(),
            frame_rate: stream.avg_frame_rate().into(),
            tags: StreamTags::of(stream),
        }
    }
}

impl StreamTags {
    fn of(stream: &Stream) -> StreamTags {
        StreamTags {
            metadata: pairs(stream.metadata()),
            // SAFETY: the stream is alive. Read here, since ffmpeg-next drops the flags it has no name for.
            disposition: unsafe { (*stream.as_ptr()).disposition },
            side_data: stream_side_data(stream),
        }
    }
}

impl Container {
    /// What `input` says about itself and its stream `video`.
    pub(in crate::io::libav) fn of(input: &Demuxer, video: &Stream) -> Container {
        Container {
            format: input.format().name().to_owned(),
            metadata: film_tags(input),
            chapters: chapters(input),
            video: StreamTags::of(video),
        }
    }
}

/// What `input` says of the whole film.
pub(in crate::io::libav) fn film_tags(input: &Demuxer) -> Vec<(String, String)> {
    pairs(input.metadata())
}

/// The chapters of `input`.
pub(in crate::io::libav) fn chapters(input: &Demuxer) -> Vec<Chapter> {
    let chapters = input.chapters().map(|chapter| Chapter {
        id: chapter.id(),
        timebase: chapter.time_base().into(),
        start: chapter.start(),
        end: chapter.end(),
        metadata: pairs(chapter.metadata()),
    });
    chapters.collect()
}

/// The entries of a dictionary. Bytes that are not UTF-8 become U+FFFD: files may hold any.
fn pairs(dictionary: ffmpeg::DictionaryRef) -> Vec<(String, String)> {
    let mut pairs = Vec::new();
    let mut entry = ptr::null_mut();
    loop {
        // SAFETY: libav's own iteration: the entry before, or null at the start; keys and values end with a zero and
        // live as long as the dictionary, which the argument borrows.
        unsafe {
            entry = ffi::av_dict_get(dictionary.as_ptr(), c"".as_ptr(), entry, ffi::AV_DICT_IGNORE_SUFFIX);
            if entry.is_null() {
                return pairs;
            }
            let text = |start| CStr::from_ptr(start).to_string_lossy().into_owned();
            pairs.push((text((*entry).key), text((*entry).value)));
        }
    }
}

/// Stream-level side data, by libav's `AVPacketSideDataType`.
fn stream_side_data(stream: &Stream) -> Vec<SideData> {
    // SAFETY: the stream is alive; libav keeps `nb_side_data` entries, each with `size` bytes. The kind is read as a
    // number, since a newer libav can have kinds that this build has no name for.
    unsafe {
        let raw = &*stream.as_ptr();
        let blocks = match raw.nb_side_data {
            1.. => slice::from_raw_parts(raw.side_data, raw.nb_side_data as usize),
            _ => &[],
        };
        let copy = |block: &ffi::AVPacketSideData| SideData {
            kind: (&raw const block.type_).cast::<i32>().read(),
            bytes: bytes(block.data, block.size).into(),
        };
        blocks.iter().map(copy).collect()
    }
}

/// A packet of a copied stream: what a [`crate::pipeline::Packet`] of a libav input holds.
pub struct CopiedPacket {
    /// The stream's index in the input.
    pub stream: usize,
    /// The packet, in its stream's timebase.
    pub packet: ffmpeg::Packet,
    /// For a stream that is [decoded](super::super::Input::decode_beside): from when to when it is wanted, where that is known to
    /// matter, in microseconds of the source's clock.
    pub kept: (Option<i64>, Option<i64>),
}
