//! Subtitles drawn into the picture: text by libass, pictures (PGS, VobSub, DVB) from their own bitmaps.
//!
//! `track` reads a stream of subtitles whole, `text` and `pictures` draw what is shown at a time on a `canvas`, and
//! `blend` lays that over the output's samples, in integers. `burn` is the sink that does so between chain and encoder.

mod blend;
mod burn;
mod canvas;
mod colour;
mod decoder;
mod libass;
mod pictures;
mod scale;
mod text;
mod track;

pub use burn::{Burn, BurnSink, BurntSubtitles};
pub use track::WhichSubtitles;
