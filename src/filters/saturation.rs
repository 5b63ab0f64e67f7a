//! `saturation`: more or less colour, and other hues.

use crate::filters::device_struct::{device_struct, generated};
use crate::filters::local::{self, ComponentSource, Local, Near};
use crate::filters::{Descriptor, Footprint};
use crate::params::{ParamKind, Params};
use crate::video::{Model, StreamInfo};

/// The most that integers of 32 bits hold the sums of.
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

Cost: that of a copy of chroma, which is read twice.",
    schema: SaturationParams::SCHEMA,
    accepts: |format| format.model() == Model::Yuv,
    footprint: Footprint::Point,
    temporal: "",
    changes: &[],
    neutral: &["saturation=1", "hue=0"],
    cases: &["saturation=0", "saturation=1.3", "saturation=2.5:hue=45", "hue=-120"],
    create: local::create::<SaturationParams>,
};

device_struct! {
    /// Constants of the function: what a component has of each chroma, in 1/16384.
    #[derive(Default)]
    pub struct Consts = "SaturationConsts" {
        of_cb: i32,
        of_cr: i32,
    }
}

generated! {
    "saturation.cuh" after ["../common/plane.cuh"]: Consts;
}

impl Local for SaturationParams {
    type Consts = Consts;
    const MODULE: &'static str = "saturation";

    fn descriptor() -> &'static Descriptor {
        &DESCRIPTOR
    }

    fn sources(&self, _: &[StreamInfo], _: usize) -> Vec<ComponentSource> {
        vec![ComponentSource::of(0, 1), ComponentSource::of(0, 2)]
    }

    fn consts(&self, _: &[StreamInfo], component: usize) -> Option<Consts> {
        let turn = self.hue * (std::f64::consts::PI / 180.0);
        let factor = |part: f64| libm::round(self.saturation * part * 16384.0) as i32;
        let (along, across) = (factor(libm::cos(turn)), factor(libm::sin(turn)));
        let is_neutral = (along, across) == (16384, 0);
        let own = match component {
            1 => Consts { of_cb: along, of_cr: -across },
            _ => Consts { of_cb: across, of_cr: along },
        };
        (component > 0 && !is_neutral).then_some(own)
    }

    #[inline(always)]
    fn sample(consts: &Consts, near: &impl Near<u16>) -> u16 {
        const MIDDLE: i32 = 0x8000;
        let chroma = |source| i32::from(near.at(source, 0, 0)) - MIDDLE;
        let sum = consts.of_cb * chroma(0) + consts.of_cr * chroma(1);
        (MIDDLE + ((sum + (1 << 13)) >> 14)).clamp(0, 0xffff) as u16
    }
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
            let consts = SaturationParams { saturation, hue }.consts(&[], 1).unwrap_or_default();
            [consts.of_cb, consts.of_cr]
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
