//! What every frame of a video is, as hashes: written, read back, and held against another video's.
//!
//! docs/HASHES.md describes the texts and the report.

mod align;
mod diagnose;
mod digest;
mod ffmpeg;
mod hash_pool;
mod layout;
mod lines;
mod record;
mod sink;
mod streams;

pub use diagnose::{
    Diagnosis, Difference, FaultKind, How, Packets, Span, StreamDifference, Times, compare, compare_streams,
};
pub use digest::Hash;
pub use lines::name;
pub use record::{Entry, HashFile, HashFormat, StatedTags, Tags, Trait};
pub use sink::{HashHead, HashSink, RecordSink, Restart};
pub use streams::{Coded, CodedStream, Streams};
