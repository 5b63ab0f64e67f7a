//! What is computed for one stream: everything that kernels need.

use super::cube::Cube;
use super::light::LightSteps;
use super::siting::{Site, sites};
use super::tonemap::peaks::Peaks;
use super::ycbcr::{Decode, Encode};
use crate::video::{Model, StreamInfo};
use std::sync::Arc;

/// What is done to R'G'B'.
#[derive(Clone, Debug)]
pub enum RgbStep {
    /// Codes stay what they are.
    Keep,
    /// Its light is worked on.
    Light(Box<LightSteps>),
    /// Codes are looked up in a table of colours.
    Cube(Arc<Cube>),
}

impl From<Option<LightSteps>> for RgbStep {
    fn from(light: Option<LightSteps>) -> RgbStep {
        light.map_or(RgbStep::Keep, |light| RgbStep::Light(Box::new(light)))
    }
}

/// From components over R'G'B' to components.
#[derive(Clone, Debug)]
pub struct Recipe {
    /// The source is R, G, B.
    pub takes_rgb: bool,
    /// Where the source's chroma lies, across and down.
    pub read_at: [Site; 2],
    /// To R'G'B'.
    pub decode: Decode,
    /// In between.
    pub work: RgbStep,
    /// The gain of that light follows the peak of each frame.
    pub peaks: Option<Peaks>,
    /// From R'G'B'.
    pub encode: Encode,
    /// Where the result's chroma lies.
    pub made_at: [Site; 2],
    /// The result is R, G, B.
    pub gives_rgb: bool,
}

impl Recipe {
    /// From streams like `input` to those like `output`.
    pub fn new(input: &StreamInfo, output: &StreamInfo, work: RgbStep) -> Recipe {
        let is_rgb = |info: &StreamInfo| info.format.model() == Model::Rgb;
        Recipe {
            takes_rgb: is_rgb(input),
            read_at: sites(input),
            decode: Decode::new(input),
            work,
            peaks: None,
            encode: Encode::new(output),
            made_at: sites(output),
            gives_rgb: is_rgb(output),
        }
    }

    /// What R'G'B' becomes.
    pub fn made(&self, codes: [u16; 3]) -> [u16; 3] {
        match &self.work {
            RgbStep::Keep => codes,
            RgbStep::Light(light) => light.apply(codes),
            RgbStep::Cube(cube) => cube.apply(codes),
        }
    }
}
