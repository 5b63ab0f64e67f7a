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

pub use diagnose::{Difference, Report, Span, Times, What, compare, is_resampled};
pub use digest::Hash;
pub use lines::name;
pub use record::{Entry, HashFile, Layout, Stated, Tags, Trait};
pub use sink::{HashSink, RecordSink, Restart};
