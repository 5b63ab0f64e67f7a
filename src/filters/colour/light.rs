//! What is done to light between decoding R'G'B' and encoding it again: tables and 32-bit floats in a fixed order.

use super::gamut::Gamut;
use super::table::{Codes, Octaves};

/// What a gain follows from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GainBasis {
    /// The largest of R, G and B.
    Max,
    /// Luminance.
    Luma,
    /// Each of them by itself.
    Each,
}

/// Mixes colours towards grey that are brighter than white.
#[derive(Clone, Copy, Debug)]
pub struct Desaturation {
    /// How much, from 0 to 1.
    pub strength: f32,
    /// Where white is.
    pub white: f32,
}

/// The steps from codes to codes. What is `None` is left out.
#[derive(Clone, Debug)]
pub struct LightSteps {
    /// The light of codes.
    pub linear: Codes,
    /// What light is multiplied with by its luminance, as a display of HLG does.
    pub system: Option<Octaves>,
    /// How much R, G and B are of luminance.
    pub luminance: [f32; 3],
    /// Towards grey.
    pub desaturation: Option<Desaturation>,
    /// What light is multiplied with by its measure.
    pub gain: Option<(GainBasis, Octaves)>,
    /// To other primaries.
    pub matrix: Option<[[f32; 3]; 3]>,
    /// What becomes of colours that these have not.
    pub gamut: Gamut,
    /// The codes of light, from 0 to 1. Light below the table is 0.
    pub code: Octaves,
}

impl LightSteps {
    /// The code of 16 bits that R'G'B' codes become.
    pub fn apply(&self, codes: [u16; 3]) -> [u16; 3] {
        let rgb = self.graded(codes);
        let rgb = if self.matrix.is_some() { self.gamut.inside(rgb) } else { rgb };
        rgb.map(|c| self.encoded(c))
    }

    /// Their light in the result's primaries, before what it cannot show is brought inside.
    pub fn graded(&self, codes: [u16; 3]) -> [f32; 3] {
        let mut rgb = codes.map(|code| self.linear.at(code));
        if let Some(system) = &self.system {
            let gain = system.at(self.luminance(rgb));
            rgb = rgb.map(|c| c * gain);
        }
        if let Some(Desaturation { strength, white }) = self.desaturation {
            let y = self.luminance(rgb);
            let over = (y - white).max(0.0) / y.max(white) * strength;
            rgb = rgb.map(|c| over.mul_add(y - c, c));
        }
        if let Some((measure, gain)) = &self.gain {
            let [r, g, b] = rgb;
            let gains = match measure {
                GainBasis::Max => [gain.at(r.max(g).max(b)); 3],
                GainBasis::Luma => [gain.at(self.luminance(rgb)); 3],
                GainBasis::Each => rgb.map(|c| gain.at(c)),
            };
            rgb = std::array::from_fn(|i| rgb[i] * gains[i]);
        }
        if let Some(matrix) = &self.matrix {
            rgb = matrix.map(|row| weighed(row, rgb));
        }
        rgb
    }

    fn luminance(&self, rgb: [f32; 3]) -> f32 {
        weighed(self.luminance, rgb)
    }

    fn encoded(&self, light: f32) -> u16 {
        let light = light.clamp(0.0, 1.0);
        if light < self.code.first() { 0 } else { self.code.at(light).mul_add(65535.0, 0.5) as u16 }
    }
}

/// The sum of three products, red first.
fn weighed(weights: [f32; 3], [r, g, b]: [f32; 3]) -> f32 {
    b.mul_add(weights[2], g.mul_add(weights[1], r * weights[0]))
}
