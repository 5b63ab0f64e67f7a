//! Video in and out: libav decode, encode and mux, and the sinks that only look at frames.

mod file;
pub mod hash;
#[cfg(feature = "transcode")]
pub mod libav;
mod null;
pub mod part;
mod same;

pub use file::{Outlet, TempFile, TempFiles, TempFolder, follow_links, remove_unfinished};
pub use hash::{Hash, HashSink};
pub use null::NullSink;
pub use same::refuse_input;
