//! What is computed for one stream: everything that kernels need.

use super::light::Light;
use super::siting::{Site, sites};
use super::ycbcr::{Decode, Encode};
use crate::video::{Model, StreamInfo};

/// From components over R'G'B' to components.
#[derive(Clone, Debug)]
pub struct Recipe {
    /// The source is R, G, B.
    pub takes_rgb: bool,
    /// Where the source's chroma lies, across and down.
    pub read_at: [Site; 2],
    /// To R'G'B'.
    pub decode: Decode,
    /// In between; `None`: codes stay what they are.
    pub light: Option<Light>,
    /// From R'G'B'.
    pub encode: Encode,
    /// Where the result's chroma lies.
    pub made_at: [Site; 2],
    /// The result is R, G, B.
    pub gives_rgb: bool,
}

impl Recipe {
    /// From streams like `input` to those like `output`.
    pub fn new(input: &StreamInfo, output: &StreamInfo, light: Option<Light>) -> Recipe {
        let is_rgb = |info: &StreamInfo| info.format.model() == Model::Rgb;
        Recipe {
            takes_rgb: is_rgb(input),
            read_at: sites(input),
            decode: Decode::new(input),
            light,
            encode: Encode::new(output),
            made_at: sites(output),
            gives_rgb: is_rgb(output),
        }
    }

    /// What R'G'B' becomes.
    pub fn made(&self, codes: [u16; 3]) -> [u16; 3] {
        self.light.as_ref().map_or(codes, |light| light.apply(codes))
    }
}
