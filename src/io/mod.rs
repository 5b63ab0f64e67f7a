//! The doors for video: libav decode, encode and mux, and the sinks that only look at frames.

#[cfg(feature = "transcode")]
pub mod libav;
