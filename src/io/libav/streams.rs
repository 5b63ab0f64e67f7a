//! What an input tells an output about itself besides frames: streams to copy, chapters, tags.

use crate::video::{Rational, SideData};
use ffmpeg_next as ffmpeg;

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
    /// Stream-level side data: rotation, mastering display, content light, stereo layout.
    pub side_data: Vec<SideData>,
}

/// A stream that is copied packet by packet.
pub struct CopiedStream {
    /// Its index in the input.
    pub index: usize,
    /// What it holds.
    pub media: Media,
    /// The codec's parameters, a copy of the input's.
    pub parameters: ffmpeg::codec::Parameters,
    /// The unit of its packets' times.
    pub timebase: Rational,
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

/// A packet of a copied stream: what a [`crate::pipeline::Packet`] of a libav input holds.
pub struct CopiedPacket {
    /// The stream's index in the input.
    pub stream: usize,
    /// The packet, in its stream's timebase.
    pub packet: ffmpeg::Packet,
}
