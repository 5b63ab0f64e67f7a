//! Decode, encode and mux through libav.

mod choose;
mod color;
mod encode;
mod hdr;
mod header;
mod lend;
mod losses;
mod messages;
mod mux;
mod negotiate;
mod options;
mod output;
mod passage;
mod rhythm;
mod settings;
mod streams;

pub use choose::{EncoderChoice, choose_encoder, video_encoders};
pub use negotiate::{Negotiated, Wanted, negotiate};
pub use options::{OutputOptions, Timestamps};
pub use output::Output;
pub use streams::{Chapter, Container, CopiedPacket, CopiedStream, Media, StreamTags};
