//! `diff`: the difference of two pictures, and its opposite.

use crate::filters::device_struct::{device_struct, generated};
use crate::filters::local::{self, Local, Near};
use crate::filters::planes::PlaneSet;
use crate::filters::{Descriptor, Footprint};
use crate::params::{Choice, Name, ParamKind, Params};
use crate::video::StreamInfo;

crate::choices! {
    /// What is done with a difference.
    pub enum Op {
        /// It is made.
        Make = "make",
        /// It is added.
        Add = "add",
    }
}

crate::params! {
    /// The parameters of `diff`.
    pub struct DiffParams {
        /// The other picture: the name of an input or of a point of the chain.
        with: Name = Name::new("other").expect("a name"), ParamKind::Name, unit "", aliases [];
        /// `make`: the picture less the other one. `add`: the picture and the difference that the other one is.
        op: Op = Op::Make, ParamKind::Choice(<Op as Choice>::WORDS), unit "", aliases ["mode"];
        /// What differences are multiplied with.
        amount: f64 = 1.0, ParamKind::Float { min: 0.0, max: 64.0 }, unit "", aliases ["a"];
        #[doc = crate::filters::planes::planes_doc!()]
        planes: PlaneSet = PlaneSet::Yuv, ParamKind::Choice(<PlaneSet as Choice>::WORDS), unit "", aliases [];
    }
    presets {}
}

/// What `diff` is.
pub static DESCRIPTOR: Descriptor = Descriptor {
    name: "diff",
    aliases: &[],
    summary: "Makes the difference of two pictures, or adds one that was made before",
    definition: "\
A difference is stored about the middle `m` of the scale, 128 of eight bits: `make` gives `m + amount·(v − w)`, where `w` is \
the other picture's sample, and `add` gives `v + amount·(w − m)`. What passes the ends of the scale stays there, so that \
differences of more than half the scale are lost. YC48 has its middle at 0.

The other picture has the size and components of the chain's, and its range.

Accuracy: `amount` is rounded to 1/256, and the result to 16 bits, half up.

Cost: that of a copy, with one picture more to read.",
    schema: DiffParams::SCHEMA,
    accepts: |_| true,
    footprint: Footprint::Point,
    temporal: "",
    changes: &[],
    neutral: &["op=add:amount=0"],
    cases: &["op=make", "op=add", "with=b:op=make:amount=8.5", "with=b:op=add:amount=0.3:planes=y"],
    create: local::create::<DiffParams>,
};

device_struct! {
    /// Constants of the function.
    #[derive(Default)]
    pub struct Consts = "DiffConsts" {
        adds: u32,
        /// In 1/256.
        amount: i32,
    }
}

generated! {
    "diff.cuh" after ["../common/plane.cuh"]: Consts;
}

impl Local for DiffParams {
    type Consts = Consts;
    const MODULE: &'static str = "diff";
    const DESCRIPTOR: &'static Descriptor = &DESCRIPTOR;

    fn planes(&self) -> PlaneSet {
        self.planes
    }

    fn others(&self) -> Vec<String> {
        vec![self.with.as_str().to_owned()]
    }

    fn consts(&self, _: &[StreamInfo], _: usize) -> Option<Consts> {
        let (adds, amount) = (self.op == Op::Add, (self.amount * 256.0).round() as i32);
        (!adds || amount != 0).then_some(Consts { adds: adds.into(), amount })
    }

    #[inline(always)]
    fn sample(consts: &Consts, near: &impl Near<u16>) -> u16 {
        const MIDDLE: i32 = 0x8000;
        let (own, other) = (i32::from(near.at(0, 0, 0)), i32::from(near.at(1, 0, 0)));
        let (from, difference) = if consts.adds != 0 { (own, other - MIDDLE) } else { (MIDDLE, own - other) };
        (from + ((difference * consts.amount + 128) >> 8)).clamp(0, 0xffff) as u16
    }
}

#[cfg(test)]
mod tests {
    use crate::filters::testing::{gray16, picture, run_inputs, samples};

    fn diff(text: &str, own: i32, other: i32) -> i32 {
        let flat = |value| [picture(gray16(), 3, 1, move |_, _, _| value)];
        samples(&run_inputs(&format!("diff=with=b:{text}"), &[&flat(own), &flat(other)]), 0)[1]
    }

    #[test]
    fn differences_are_about_the_middle() {
        assert_eq!(diff("op=make", 1000, 1003), 32765);
        assert_eq!(diff("op=make", 65535, 0), 65535);
        assert_eq!(diff("op=make:amount=0.5", 1001, 1000), 32769);
        assert_eq!(diff("op=add", 1000, 32765), 997);
        assert_eq!(diff("op=add", 2, 32765), 0);
        assert_eq!(diff("op=add:amount=64", 1000, 32769), 1064);
    }

    #[test]
    fn a_difference_is_added_back() {
        for (own, other) in [(0, 32767), (300, 299), (40000, 10000), (65535, 40000)] {
            assert_eq!(diff("op=add", other, diff("op=make", own, other)), own);
        }
    }
}
