//! `levels`: gain, offset and gamma.

use crate::error::{Error, Result};
use crate::filters::planes::PlaneSet;
use crate::filters::point::{self, Map, Nominal, Points, Pointwise};
use crate::filters::{Descriptor, Footprint};
use crate::params::{Choice, ParamKind, Params};
use crate::video::StreamInfo;
use std::array::from_fn;

crate::params! {
    /// The parameters of `levels`.
    pub struct LevelsParams {
        /// What values are multiplied with.
        gain: f64 = 1.0, ParamKind::Float { min: 0.0, max: 16.0 }, unit "", aliases [];
        /// What is added then, in parts of the range from black to white.
        offset: f64 = 0.0, ParamKind::Float { min: -1.0, max: 1.0 }, unit "", aliases [];
        /// More makes the middle lighter, less makes it darker.
        gamma: f64 = 1.0, ParamKind::Float { min: 0.1, max: 10.0 }, unit "", aliases [];
        #[doc = crate::filters::planes::planes_doc!()]
        planes: PlaneSet = PlaneSet::Y, ParamKind::Choice(<PlaneSet as Choice>::WORDS), unit "", aliases [];
        /// What becomes black, with all below it. `auto` is nominal black, 16 in limited range and 0 in full range.
        in_black: Option<f64> = None, ParamKind::Float { min: 0.0, max: 254.0 }, unit "8-bit codes", aliases ["min_in"];
        /// What becomes white, with all above it. `auto` is nominal white, 235 in limited range and 255 in full range.
        in_white: Option<f64> = None, ParamKind::Float { min: 1.0, max: 255.0 }, unit "8-bit codes", aliases ["max_in"];
        /// What black becomes. `auto` is nominal black.
        out_black: Option<f64> = None, ParamKind::Float { min: 0.0, max: 255.0 }, unit "8-bit codes", aliases ["min_out"];
        /// What white becomes; below `out_black` the picture is inverted. `auto` is nominal white.
        out_white: Option<f64> = None, ParamKind::Float { min: 0.0, max: 255.0 }, unit "8-bit codes", aliases ["max_out"];
    }
    presets {}
    elsewhere {
        ["rimin", "gimin", "bimin"]: "it is in_black=, in 8-bit codes and with planes=r, g or b (rimin=0.1 is in_black=25.5:planes=r)";
        ["rimax", "gimax", "bimax"]: "it is in_white=, in 8-bit codes and with planes=r, g or b (rimax=0.9 is in_white=229.5:planes=r)";
        ["romin", "gomin", "bomin"]: "it is out_black=, in 8-bit codes and with planes=r, g or b";
        ["romax", "gomax", "bomax"]: "it is out_white=, in 8-bit codes and with planes=r, g or b";
    }
}

/// What `levels` is.
pub static DESCRIPTOR: Descriptor = Descriptor {
    name: "levels",
    aliases: &[],
    summary: "Black, white and gamma, in and out, and gain and offset, of each plane",
    definition: "\
With `x` for a value, 0 at nominal black and 1 at nominal white, `z = gain·x + offset` becomes `z^(1/gamma)`, and of a \
negative `z` that of its opposite with the sign again, so that what lies below black stays below it. Chroma has 0 in its \
middle and ±1 at its nominal ends. What passes the ends of the scale stays there.

`in_black` and `in_white` say what 0 and 1 are in place of the nominal ends, and `out_black` and `out_white` what they become, as \
the levels of image editors do; 8-bit codes mean the same of every depth. What lies below is black where either black is given, and \
what lies above is white where either white is: nothing passes an end that is given. Chroma has no such ends. `levels=in_black=20:\
in_white=230:gamma=1.1` stretches a flat picture.

Planes with settings of their own take \
filters of their own, as in `levels=gain=1.1:planes=r,levels=gain=0.9:planes=b`.

Accuracy: a table of all 65536 values, computed in 64-bit floats with functions that are the same on every machine; the \
result is the nearest of 16 bits.

Cost: one look into a table for each sample.",
    schema: LevelsParams::SCHEMA,
    accepts: |format| !format.is_yc48(),
    footprint: Footprint::Point,
    temporal: "",
    changes: &[],
    neutral: &["gain=1"],
    cases: &[
        "gain=1.2:offset=-0.05",
        "gamma=2.2",
        "gain=0.8:gamma=0.5:planes=uv",
        "offset=0.3:planes=yuv",
        "in_black=30:in_white=220:gamma=1.3",
        "out_black=40:out_white=200",
    ],
    create: point::create::<LevelsParams>,
};

impl Pointwise for LevelsParams {
    const DESCRIPTOR: &'static Descriptor = &DESCRIPTOR;

    fn check(&self, input: &StreamInfo) -> Result<()> {
        if !self.has_ends() {
            return Ok(());
        }
        let of_chroma = |c: &usize| input.format.is_chroma(*c) && self.planes.has(input.format, *c);
        if (0..input.format.components()).any(|component| of_chroma(&component)) {
            return Err(Error::unsupported(
                "in_black, in_white, out_black and out_white are for luma, grey, R, G and B: chroma has no black, and gain \
                 scales it",
            ));
        }
        let ends = self.ends(input);
        if ends.in_white <= ends.in_black {
            return Err(Error::unsupported(format!(
                "in_black={} must lie below in_white={}",
                code(input, ends.in_black),
                code(input, ends.in_white)
            )));
        }
        Ok(())
    }

    fn points(&self, input: &StreamInfo) -> Points {
        let of = |component| {
            let is_met = component < input.format.components() && self.planes.has(input.format, component);
            (is_met && !self.is_neutral()).then(|| self.map(input, component))
        };
        Points::of_maps(from_fn(of))
    }
}

/// Black and white as parts of the nominal range: 0 and 1 where nothing is given.
#[derive(Clone, Copy)]
struct Ends {
    in_black: f64,
    in_white: f64,
    out_black: f64,
    out_white: f64,
}

/// Where a code of 8 bits lies in the nominal range.
fn part(input: &StreamInfo, code: f64) -> f64 {
    if input.is_full_range() { code / 255.0 } else { (code - 16.0) / 219.0 }
}

/// The code of 8 bits that lies there.
fn code(input: &StreamInfo, part: f64) -> f64 {
    let code = if input.is_full_range() { part * 255.0 } else { part * 219.0 + 16.0 };
    libm::round(code * 1000.0) / 1000.0
}

impl LevelsParams {
    fn is_neutral(&self) -> bool {
        (self.gain, self.offset, self.gamma) == (1.0, 0.0, 1.0) && !self.has_ends()
    }

    fn has_ends(&self) -> bool {
        [self.in_black, self.in_white, self.out_black, self.out_white].iter().any(Option::is_some)
    }

    fn ends(&self, input: &StreamInfo) -> Ends {
        let at = |code: Option<f64>, auto: f64| code.map_or(auto, |code| part(input, code));
        Ends {
            in_black: at(self.in_black, 0.0),
            in_white: at(self.in_white, 1.0),
            out_black: at(self.out_black, 0.0),
            out_white: at(self.out_white, 1.0),
        }
    }

    fn map(&self, input: &StreamInfo, component: usize) -> Map {
        let LevelsParams { gain, offset, gamma, .. } = *self;
        let Ends { in_black, in_white, out_black, out_white } = self.ends(input);
        // An end that is given is one that nothing passes.
        let lowest = if self.in_black.or(self.out_black).is_some() { 0.0 } else { f64::NEG_INFINITY };
        let highest = if self.in_white.or(self.out_white).is_some() { 1.0 } else { f64::INFINITY };
        Nominal::of(input, component).map(move |x| {
            let z = gain * ((x - in_black) / (in_white - in_black)) + offset;
            out_black + point::gamma(z.clamp(lowest, highest), gamma) * (out_white - out_black)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::filters::point::table;
    use crate::filters::testing::{digest, picture, run_inputs, samples};
    use crate::video::Format;

    /// One sample of eight bits, limited range: from 16 to 235 there are 219 steps.
    fn level(text: &str, value: i32) -> i32 {
        samples(&run_inputs(text, &[&[picture(Format::gray(8).unwrap(), 1, 1, |_, _, _| value)]]), 0)[0]
    }

    #[test]
    fn tables_are_the_same_on_every_platform() {
        let input = StreamInfo::bare(Format::yuv(0, 0, 10).unwrap(), 1, 1);
        let of = |step: u32| {
            let (gain, gamma) = (f64::from(step) / 10.0, f64::from(step) / 8.0);
            let params = LevelsParams { gain, gamma, ..LevelsParams::default() };
            [0, 1].map(|component| params.map(&input, component)).into_iter().flat_map(table)
        };
        assert_eq!(digest((1..30).flat_map(of)), 0xcfc9_0256_e9ae_a744);
    }

    #[test]
    fn values_are_scaled_moved_and_curved() {
        // 16 + 1.5 · 40; what passes white goes to the end of the scale.
        assert_eq!([16, 56, 235].map(|v| level("levels=gain=1.5", v)), [16, 76, 255]);
        // 0.1 of 219 is 21.9: 37.9 and 77.9.
        assert_eq!([16, 56].map(|v| level("levels=offset=0.1", v)), [38, 78]);
        // Half of 219 is 109.5; a quarter's root is a half: 16 + 54.75 becomes 16 + 109.5.
        assert_eq!([16, 235].map(|v| level("levels=gamma=2", v)), [16, 235]);
        // 71 is 55/219 above black: its root is 0.50114 of 219, 109.75.
        assert_eq!(level("levels=gamma=2", 71), 126);
        // Below black what is above it, turned: 16 is 0, and 8 is −8/219, whose root is −0.1911 of 219: −41.9.
        assert_eq!([8, 15].map(|v| level("levels=gamma=2", v)), [0, 1]);
    }

    #[test]
    fn chroma_is_scaled_about_its_middle() {
        let src = [picture(Format::yuv(1, 1, 8).unwrap(), 2, 2, |c, _, _| [50, 138, 118][c])];
        let out = run_inputs("levels=gain=2:planes=uv", &[&src]);
        assert_eq!((samples(&out, 0)[0], samples(&out, 1)[0], samples(&out, 2)[0]), (50, 148, 108));
    }
}
