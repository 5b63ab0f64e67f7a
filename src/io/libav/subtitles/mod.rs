//! Subtitles drawn into the picture (text by libass; PGS, VobSub and DVB from their own bitmaps), and text in another codec.
//!
//! `track` reads a stream of subtitles whole, `text` and `pictures` draw what is shown at a time on a `canvas`, and
//! `blend` lays that over the output's samples, in integers. `burn` is the sink that does so between chain and encoder.
//! `convert` makes text of one codec that of another, cue by cue, before the container.

mod blend;
mod burn;
mod canvas;
mod colour;
mod convert;
mod cues;
mod decoder;
mod encoder;
mod libass;
mod pictures;
mod request;
mod scale;
mod text;
mod track;

pub use burn::{Burn, BurnSink, BurntSubtitles};
pub(in crate::io::libav) use convert::treatment;
pub(in crate::io::libav) use decoder::SubtitleKind;
pub use request::{SubtitleChoice, SubtitleOptions, SubtitleRule, TextCodec};
pub use track::WhichSubtitles;
