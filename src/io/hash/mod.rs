//! What every frame of a video is, as hashes: written, read back, and held against another video's.
//!
//! docs/HASHES.md describes the texts and the report.

mod align;
mod crew;
mod diagnose;
mod digest;
mod ffmpeg;
mod layout;
mod lines;
mod record;
mod sink;
mod streams;

pub use diagnose::{
    Difference, How, Packets, Report, Span, StreamDifference, Times, What, compare, compare_streams, is_resampled,
};
pub use digest::Hash;
pub use lines::name;
pub use record::{Entry, HashFile, Layout, Stated, Tags, Trait};
pub use sink::{Beside, HashSink, RecordSink, Restart};
pub use streams::{Coded, CodedStream, Streams};
