//! `saturation`: more or less colour, and other hues.

use crate::filters::point::{self, Mix, Points, Pointwise, Step};
use crate::filters::{Descriptor, Footprint};
use crate::params::{ParamKind, Params};
use crate::video::{Model, StreamInfo};

/// The most that weights in 1/16384 leave room for.
const MOST: f64 = 2.5;

crate::params! {
    /// The parameters of `saturation`.
    pub struct SaturationParams {
        /// What colour differences are multiplied with: 0 is grey, 1 changes nothing.
        saturation: f64 = 1.0, ParamKind::Float { min: 0.0, max: MOST }, unit "", aliases ["s"];
        /// By how much hues are turned, from red towards yellow.
        hue: f64 = 0.0, ParamKind::Float { min: -180.0, max: 180.0 }, unit "degrees", aliases ["h"];
    }
    presets {}
}

/// What `saturation` is.
pub static DESCRIPTOR: Descriptor = Descriptor {
    name: "saturation",
    aliases: &[],
    summary: "Makes colours stronger or weaker, and turns hues",
    definition: "\
With `b` and `r` for how far Cb and Cr are from their middle, `s` for `saturation` and `h` for `hue`: `b' = s·(b·cos h − \
r·sin h)` and `r' = s·(b·sin h + r·cos h)`. Luma is copied. What passes the ends of the scale stays there.

Accuracy: factors are integers in 1/16384, and their sines and cosines are the same on every machine; the result is rounded \
to 16 bits, half up.

Cost: that of a copy of chroma. Luma stays where it lies, where another filter follows.",
    schema: SaturationParams::SCHEMA,
    accepts: |format| format.model() == Model::Yuv,
    footprint: Footprint::Point,
    temporal: "",
    changes: &[],
    neutral: &["saturation=1", "hue=0"],
    cases: &["saturation=0", "saturation=1.3", "saturation=2.5:hue=45", "hue=-120"],
    create: point::create::<SaturationParams>,
};

impl Pointwise for SaturationParams {
    const DESCRIPTOR: &'static Descriptor = &DESCRIPTOR;

    fn points(&self, _: &StreamInfo) -> Points {
        let mut points = Points::default();
        turned_chroma(self.saturation, self.hue).into_iter().for_each(|mix| points.push(Step::Mix(mix)));
        points
    }
}

/// Cb and Cr, scaled and turned by `hue` degrees. `None` where that changes nothing.
pub(super) fn turned_chroma(saturation: f64, hue: f64) -> Option<Mix> {
    let turn = hue * (std::f64::consts::PI / 180.0);
    let (along, across) = (saturation * libm::cos(turn), saturation * libm::sin(turn));
    Mix::new([[1.0, 0.0, 0.0], [0.0, along, -across], [0.0, across, along]])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::filters::testing::{digest, picture, run_inputs, samples};
    use crate::video::Format;

    /// Of 32768 + 1000 and 32768 − 400, with luma 7.
    fn turned(text: &str) -> (i32, i32, i32) {
        let src = [picture(Format::yuv(1, 1, 16).unwrap(), 2, 2, |c, _, _| [7, 33768, 32368][c])];
        let out = run_inputs(text, &[&src]);
        (samples(&out, 0)[0], samples(&out, 1)[0], samples(&out, 2)[0])
    }

    #[test]
    fn factors_are_the_same_on_every_platform() {
        let of = |step: i32| {
            let (saturation, hue) = (f64::from(step.abs()) / 90.0, f64::from(step) * 0.8);
            // That of hue 0 and saturation 1 is none, which the numbers have as 0.
            turned_chroma(saturation, hue).map_or([0, 0], |mix| [mix.of[1][1], mix.of[1][2]])
        };
        assert_eq!(
            digest((-225..=225).flat_map(of).map(|factor| u64::from(factor.cast_unsigned()))),
            0xd352_228d_c8d3_53b4
        );
    }

    #[test]
    fn colours_are_scaled_and_turned() {
        assert_eq!(turned("saturation=0"), (7, 32768, 32768));
        assert_eq!(turned("saturation=1.5"), (7, 34268, 32168));
        // A quarter turn: b' = −r, r' = b. Half a turn: both change sign.
        assert_eq!(turned("saturation=hue=90"), (7, 33168, 33768));
        assert_eq!(turned("saturation=hue=180"), (7, 31768, 33168));
    }

    #[test]
    fn what_passes_the_ends_stays_there() {
        let src = [picture(Format::yuv(0, 0, 16).unwrap(), 1, 1, |c, _, _| [7, 65535, 0][c])];
        let out = run_inputs("saturation=2.5:hue=-45", &[&src]);
        // (32767 − 32768) · 1.77 is −1.8, and −(32768 + 32767) · 1.77 is far below.
        assert_eq!((samples(&out, 1)[0], samples(&out, 2)[0]), (32766, 0));
    }
}
