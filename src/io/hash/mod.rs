//! Hash files: every frame of a video as its hashes, written, read back, and compared with another video's.
//!
//! docs/HASHES.md describes the files and the report.

mod digest;
mod ffmpeg;
mod hash_pool;
mod layout;
mod lines;
mod record;
mod sink;
mod stream_difference;
mod streams;
mod verification;

pub use crate::compare::diagnosis::{Difference, DifferenceKind, Entry, Span, Times};
pub use digest::Hash;
pub use lines::name;
pub use record::{HashFile, HashFormat, StatedTags, Tags, Trait};
pub use sink::{HashHead, HashSink, RecordSink, Restart};
pub use stream_difference::{How, Packets, StreamDifference, compare_streams};
pub use streams::{CodedPacket, CodedStream, Streams};
pub use verification::{Verification, compare};
