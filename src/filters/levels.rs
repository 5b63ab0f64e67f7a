//! `levels`: gain, offset and gamma.

use crate::filters::device_struct::{device_struct, generated};
use crate::filters::local::{self, Local, Near};
use crate::filters::planes::PlaneSet;
use crate::filters::requant::{BLACK, LIMITED_CHROMA, LIMITED_LUMA, NEUTRAL, white};
use crate::filters::{Descriptor, Footprint};
use crate::params::{Choice, ParamKind, Params};
use crate::video::StreamInfo;

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
    }
    presets {}
}

/// What `levels` is.
pub static DESCRIPTOR: Descriptor = Descriptor {
    name: "levels",
    aliases: &[],
    summary: "Changes brightness and contrast: gain, offset and gamma of each plane",
    definition: "\
With `x` for a value, 0 at nominal black and 1 at nominal white, `z = gain·x + offset` becomes `z^(1/gamma)`, and of a \
negative `z` that of its opposite with the sign again, so that what lies below black stays below it. Chroma has 0 in its \
middle and ±1 at its nominal ends. What passes the ends of the scale stays there. Planes with settings of their own take \
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
    cases: &["gain=1.2:offset=-0.05", "gamma=2.2", "gain=0.8:gamma=0.5:planes=uv", "offset=0.3:planes=yuv"],
    create: local::create::<LevelsParams>,
};

device_struct! {
    /// Constants of the function: nothing but that there is a table.
    #[derive(Default)]
    pub struct Consts = "LevelsConsts" {
        by_table: u32,
    }
}

generated! {
    "levels.cuh" after ["../common/plane.cuh"]: Consts;
}

impl Local for LevelsParams {
    type Consts = Consts;
    const MODULE: &'static str = "levels";

    fn descriptor() -> &'static Descriptor {
        &DESCRIPTOR
    }

    fn planes(&self) -> PlaneSet {
        self.planes
    }

    fn consts(&self, _: &[StreamInfo], _: usize) -> Option<Consts> {
        let LevelsParams { gain, offset, gamma, .. } = *self;
        ((gain, offset, gamma) != (1.0, 0.0, 1.0)).then_some(Consts { by_table: 1 })
    }

    fn table(&self, inputs: &[StreamInfo], component: usize) -> Vec<u16> {
        let input = &inputs[0];
        let white = white(input.format.bit_depth());
        // Where 0 is, and how far away 1 is.
        let (zero, one) = match (input.format.is_chroma(component), input.is_full_range()) {
            (false, true) => (0.0, f64::from(white)),
            (false, false) => (f64::from(BLACK), f64::from(LIMITED_LUMA)),
            (true, true) => (f64::from(NEUTRAL), f64::from(white) / 2.0),
            (true, false) => (f64::from(NEUTRAL), f64::from(LIMITED_CHROMA) / 2.0),
        };
        let level = |value: u16| {
            let z = self.gain * ((f64::from(value) - zero) / one) + self.offset;
            let curved = if self.gamma == 1.0 { z } else { libm::copysign(libm::pow(z.abs(), 1.0 / self.gamma), z) };
            libm::floor(zero + curved * one + 0.5).clamp(0.0, 65535.0) as u16
        };
        (0..=u16::MAX).map(level).collect()
    }

    #[inline(always)]
    fn sample(_: &Consts, near: &impl Near<u16>) -> u16 {
        near.look_up(near.at(0, 0, 0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
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
            [params.table(std::slice::from_ref(&input), 0), params.table(std::slice::from_ref(&input), 1)].concat()
        };
        assert_eq!(digest((1..30).flat_map(of).map(u64::from)), 0xcfc9_0256_e9ae_a744);
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
