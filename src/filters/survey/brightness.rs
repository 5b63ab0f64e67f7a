//! How bright a sample is: the light of its luma, and the level that a survey looks at.

use super::LevelScale;
use crate::filters::colour::Decode;
use crate::filters::localtone::LightScale;
use crate::filters::requant::NEUTRAL;
use crate::video::{Model, StreamInfo};

/// H.273's code points.
const UNSPECIFIED: u8 = 2;
const BT2020: u8 = 9;

/// What a sample's light and level are made of.
#[derive(Clone, Copy)]
pub struct Brightness {
    pub scale: LightScale,
    /// `None`: levels are light, as they are of grey.
    pub codes: Option<Brightest>,
}

/// The largest of R', G' and B'.
#[derive(Clone, Copy)]
pub struct Brightest {
    pub decode: Decode,
    pub is_rgb: bool,
    /// How many times chroma is halved, across and down. A sample has that of its place, as it is.
    pub halved: (u8, u8),
}

impl Brightness {
    /// Of samples of `info`, whose matrix is BT.2020's where it states none.
    pub fn new(scale: LevelScale, info: &StreamInfo) -> Brightness {
        let mut stated = info.clone();
        if stated.color.matrix == UNSPECIFIED {
            stated.color.matrix = BT2020;
        }
        let format = info.format;
        let codes = (scale == LevelScale::Code && format.model() != Model::Gray).then(|| Brightest {
            decode: Decode::new(&stated),
            is_rgb: format.model() == Model::Rgb,
            halved: (format.subsampling_w(), format.subsampling_h()),
        });
        Brightness { scale: LightScale::new(info), codes }
    }

    /// The level of light, on a scale of 16 bits.
    #[inline(always)]
    pub fn level_of_light(light: u16) -> u16 {
        light << 2
    }
}

impl Brightest {
    /// What chroma adds to luma in the largest of R', G' and B', as `Decode` counts.
    #[inline(always)]
    pub fn of_chroma(&self, cb: u16, cr: u16) -> i32 {
        let (cb, cr) = (i32::from(cb) - NEUTRAL, i32::from(cr) - NEUTRAL);
        let [r, g, b] = self.decode.chroma.map(|[of_cb, of_cr]| cb * of_cb + cr * of_cr);
        r.max(g).max(b)
    }

    /// The largest code where luma, or the largest of R, G and B, is `light`.
    #[inline(always)]
    pub fn code(&self, light: u16, of_chroma: i32) -> u16 {
        let light = (i32::from(light) - self.decode.black) * self.decode.gain;
        Decode::code(light.saturating_add(of_chroma))
    }
}
