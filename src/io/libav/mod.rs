//! Decode, encode and mux through libav.

mod streams;

pub use streams::{Chapter, Container, CopiedPacket, CopiedStream, Media, StreamTags};
