//! `unsharp`: more of what a blur takes away.

use crate::filters::device_struct::{device_struct, generated};
use crate::filters::local::{self, Local, Near};
use crate::filters::planes::PlaneSet;
use crate::filters::{Descriptor, Footprint};
use crate::params::{Choice, ParamKind, Params};
use crate::video::StreamInfo;

crate::params! {
    /// The parameters of `unsharp`.
    pub struct UnsharpParams {
        /// How much of the difference from the blurred picture is added: 0 changes nothing, less blurs.
        amount: f64 = 0.5, ParamKind::Float { min: -1.0, max: 4.0 }, unit "", aliases ["a"];
        /// How far the blur reaches: 1 is 3×3 samples, 2 is 5×5.
        radius: i64 = 1, ParamKind::Int { min: 1, max: 2 }, unit "samples", aliases ["r"];
        #[doc = crate::filters::planes::planes_doc!()]
        planes: PlaneSet = PlaneSet::Y, ParamKind::Choice(<PlaneSet as Choice>::WORDS), unit "", aliases [];
    }
    presets {}
}

/// What `unsharp` is.
pub static DESCRIPTOR: Descriptor = Descriptor {
    name: "unsharp",
    aliases: &[],
    summary: "Sharpens: adds a part of the difference from a blurred picture, or blurs with a negative amount",
    definition: "\
`v + amount·(v − b)`, where `b` is the mean of the samples around a place with binomial weights: rows and columns of \
1, 2, 1, or of 1, 4, 6, 4, 1 with radius 2. Beyond the border the nearest sample is replicated, and what passes the ends of the \
scale stays there.

Accuracy: integers of 16 bits and four more for `b`; `amount` is rounded to 1/256. The result is the nearest of 16 bits to \
that, half up.

Cost: 9 or 25 products for each sample.",
    schema: UnsharpParams::SCHEMA,
    accepts: |_| true,
    footprint: Footprint::Window("`radius` samples in every direction, on every plane"),
    temporal: "",
    changes: &[],
    neutral: &["amount=0"],
    cases: &["amount=0.5", "amount=1.5:radius=2", "amount=-0.7:planes=uv", "amount=4:radius=2:planes=yuv"],
    create: local::create::<UnsharpParams>,
};

device_struct! {
    /// Constants of the function.
    #[derive(Default)]
    pub struct Consts = "UnsharpConsts" {
        radius: u32,
        /// In 1/256.
        amount: i32,
    }
}

generated! {
    "unsharp.cuh" after ["../common/plane.cuh"]: Consts;
}

impl Local for UnsharpParams {
    type Consts = Consts;
    const MODULE: &'static str = "unsharp";
    const DESCRIPTOR: &'static Descriptor = &DESCRIPTOR;

    fn kernel(&self) -> String {
        format!("unsharp_{}", self.radius)
    }

    fn planes(&self) -> PlaneSet {
        self.planes
    }

    fn radius(&self) -> usize {
        self.radius as usize
    }

    fn consts(&self, _: &[StreamInfo], _: usize) -> Option<Consts> {
        let amount = (self.amount * 256.0).round() as i32;
        (amount != 0).then_some(Consts { radius: self.radius as u32, amount })
    }

    #[inline(always)]
    fn sample(consts: &Consts, near: &impl Near<u16>) -> u16 {
        let blurred = match consts.radius {
            1 => blur([1, 2, 1], near),
            _ => blur([1, 4, 6, 4, 1], near),
        };
        let own = i32::from(near.at(0, 0, 0));
        let more = ((16 * own - blurred) * consts.amount + (1 << 11)) >> 12;
        (own + more).clamp(0, 0xffff) as u16
    }
}

/// 16 times the weighted mean, rounded half up.
#[inline(always)]
fn blur<const N: usize>(weights: [i32; N], near: &impl Near<u16>) -> i32 {
    let mut sum = 0;
    for (y, down) in weights.into_iter().enumerate() {
        for (x, across) in weights.into_iter().enumerate() {
            let from_middle = |at: usize| at as isize - (N / 2) as isize;
            sum += down * across * i32::from(near.at(0, from_middle(x), from_middle(y)));
        }
    }
    // The weights add up to 16, or to 256.
    if N == 3 { sum } else { (sum + 8) >> 4 }
}

#[cfg(test)]
mod tests {
    use crate::filters::chain;
    use crate::filters::testing::{gray16, picture, run, samples};

    /// A sample of 1600 among 0: the blur has 4/16 of it in the middle, 2/16 beside it and 1/16 at the corners: 400, 200,
    /// 100. Half the difference more is 1600 + 600, and 0 less 100 stays 0.
    #[test]
    fn a_point_is_sharpened() {
        let src = picture(gray16(), 5, 5, |_, x, y| if (x, y) == (2, 2) { 1600 } else { 0 });
        let out = samples(&run(&*chain("unsharp=0.5").unwrap()[0], &src, gray16()), 0);
        assert_eq!((out[12], out[11], out[6]), (2200, 0, 0));
        // All of the difference less is the blur itself.
        let out = samples(&run(&*chain("unsharp=-1").unwrap()[0], &src, gray16()), 0);
        assert_eq!((out[12], out[11], out[6], out[0]), (400, 200, 100, 0));
        // 36/256, 24/256 and 1/256 of 1600 are 225, 150 and 6.25.
        let out = samples(&run(&*chain("unsharp=-1:2").unwrap()[0], &src, gray16()), 0);
        assert_eq!((out[12], out[11], out[0]), (225, 150, 6));
    }
}
