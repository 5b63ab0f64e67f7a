//! `tsoften`: the mean of a place's samples in time, as far as they are alike.

use crate::filters::device_struct::{device_struct, generated};
use crate::filters::local::{self, Around, Lanes, Local, Near};
use crate::filters::{Descriptor, Footprint, Reach};
use crate::params::{ParamKind, Params};
use crate::video::StreamInfo;

/// Differences, in steps of eight bits.
const STEPS: ParamKind = ParamKind::Float { min: 0.0, max: 255.0 };

crate::params! {
    /// The parameters of `tsoften`.
    pub struct TsoftenParams {
        /// How many frames before and after are read; 0 changes nothing.
        radius: i64 = 2, ParamKind::Int { min: 0, max: 3 }, unit "frames", aliases ["r"];
        /// How far samples of luma, grey, R, G or B may be from the frame's own to count; 0 passes those planes on.
        luma: f64 = 4.0, STEPS, unit "steps of 8 bits", aliases ["luma_threshold", "y"];
        /// The same of chroma.
        chroma: f64 = 8.0, STEPS, unit "steps of 8 bits", aliases ["chroma_threshold", "uv"];
        /// How far a sample may be from the one in the frame next to it, towards the frame at hand, before it and all
        /// beyond it no longer count: a place whose picture changed shows nothing of what was there before.
        scene: f64 = 15.0, STEPS, unit "steps of 8 bits", aliases ["scenechange", "scene_change"];
    }
    presets {}
}

/// What `tsoften` is.
pub static DESCRIPTOR: Descriptor = Descriptor {
    name: "tsoften",
    aliases: &[],
    summary: "Removes noise: the mean of a place's samples in time, as far as they are alike",
    definition: "\
The mean over the frame, `radius` frames before it and as many after it, of the samples `u` at a place. Where `v` is the \
frame's own, a sample counts when `|u − v|` is at most the threshold and when, on the way from the frame to it, no two \
samples that follow one another are further apart than `scene`; `v` itself replaces one that does not count. Beyond the \
ends of a film the nearest frame is repeated, also in one that is shorter than the window. A change of scene is a matter of \
each place, so that no sum over a frame is needed: what is alike on both sides of a cut may be averaged over it.

The filter's kind is known as temporal soften. Steps of 8 bits are 256 of the 65536 values between filters, and 16 of YC48's.

Accuracy: integers; the mean is rounded to 16 bits, half up.

Cost: the reading of `2·radius + 1` frames for each, and little arithmetic.",
    schema: TsoftenParams::SCHEMA,
    accepts: |_| true,
    footprint: Footprint::Point,
    temporal: "`radius` frames before and after",
    changes: &[],
    neutral: &["radius=0", "luma=0:chroma=0"],
    cases: &["radius=1", "radius=2:luma=40:chroma=60:scene=255", "radius=3:luma=20:chroma=0", "radius=3:luma=255:chroma=255:scene=90"],
    create: local::create::<TsoftenParams>,
};

device_struct! {
    /// Constants of the function.
    #[derive(Default)]
    pub struct Consts = "TsoftenConsts" {
        radius: u32,
        threshold: i32,
        scene: i32,
    }
}

generated! {
    "tsoften.cuh" after ["../common/plane.cuh"]: Consts;
}

impl Local for TsoftenParams {
    type Consts = Consts;
    const MODULE: &'static str = "tsoften";
    const DESCRIPTOR: &'static Descriptor = &DESCRIPTOR;

    fn kernel(&self) -> String {
        format!("tsoften_{}", self.radius.max(1))
    }

    fn reach(&self) -> Reach {
        Reach { before: self.radius as u32, after: self.radius as u32 }
    }

    fn consts(&self, inputs: &[StreamInfo], component: usize) -> Option<Consts> {
        let format = inputs[0].format;
        let step = f64::from(format.code_step());
        let steps = |value: f64| (value * step).round() as i32;
        let threshold = steps(if format.is_chroma(component) { self.chroma } else { self.luma });
        let consts = Consts { radius: self.radius as u32, threshold, scene: steps(self.scene) };
        (self.radius > 0 && threshold > 0).then_some(consts)
    }

    #[inline(always)]
    fn sample(consts: &Consts, near: &impl Near<u16>) -> u16 {
        match consts.radius {
            1 => mean::<1>(consts, near),
            2 => mean::<2>(consts, near),
            _ => mean::<3>(consts, near),
        }
    }

    #[inline(always)]
    fn lanes<V: Lanes>(consts: &Consts, around: &impl Around<V>) -> V {
        match consts.radius {
            1 => V::from_fn(|lane| mean::<1>(consts, &around.lane(lane))),
            2 => V::from_fn(|lane| mean::<2>(consts, &around.lane(lane))),
            _ => V::from_fn(|lane| mean::<3>(consts, &around.lane(lane))),
        }
    }
}

#[inline(always)]
fn mean<const RADIUS: usize>(consts: &Consts, near: &impl Near<u16>) -> u16 {
    let own = i32::from(near.at(RADIUS, 0, 0));
    let mut more = 0;
    // Where a flag is zero nothing counts any longer. Without branches, so that vectors are made of it.
    let (mut before, mut after) = (own, own);
    let (mut is_before, mut is_after) = (-1, -1);
    for distance in 1..=RADIUS {
        let nearer = std::mem::replace(&mut before, i32::from(near.at(RADIUS - distance, 0, 0)));
        is_before &= flag((before - nearer).abs() <= consts.scene);
        more += (before - own) & is_before & flag((before - own).abs() <= consts.threshold);
        let nearer = std::mem::replace(&mut after, i32::from(near.at(RADIUS + distance, 0, 0)));
        is_after &= flag((after - nearer).abs() <= consts.scene);
        more += (after - own) & is_after & flag((after - own).abs() <= consts.threshold);
    }
    let count = 2 * RADIUS as i32 + 1;
    let sum = own * count + more + RADIUS as i32;
    // What is divided has 19 bits: half of one more keeps it further from the next quotient than floats are wrong.
    ((sum as f32 + 0.5) * (1.0 / count as f32)) as i32 as u16
}

/// All bits, or none.
#[inline(always)]
fn flag(is_set: bool) -> i32 {
    -i32::from(is_set)
}

#[cfg(test)]
mod tests {
    use crate::filters::testing::run_window;

    /// A step of 8 bits is 256.
    #[test]
    fn what_is_alike_is_averaged() {
        // (1000 + 1030 + 1070) / 3 = 1033.3
        assert_eq!(run_window("tsoften=1:luma=1:scene=1", &[1000, 1030, 1070]), 1033);
        // 1287 is 257 from 1030, so 1030 replaces it: 3060 / 3.
        assert_eq!(run_window("tsoften=1:luma=1:scene=255", &[1000, 1030, 1287]), 1020);
        // One less counts: (1000 + 1030 + 1286) / 3 = 1105.3
        assert_eq!(run_window("tsoften=1:luma=1:scene=255", &[1000, 1030, 1286]), 1105);
    }

    /// 5000 ends the scene, though what lies behind it is like the frame's own: (1000 + 4 * 1010) / 5 = 1008.
    #[test]
    fn nothing_counts_beyond_a_change_of_scene() {
        assert_eq!(run_window("tsoften=2:luma=1:scene=2", &[1000, 1010, 1010, 5000, 2000]), 1008);
        // It does with a threshold that lets it pass: 1110 in the last place.
        assert_eq!(run_window("tsoften=2:luma=1:scene=255", &[1000, 1010, 1010, 5000, 1110]), 1028);
        assert_eq!(run_window("tsoften=2:luma=1:scene=2", &[1000, 1010, 1010, 5000, 1110]), 1008);
    }
}
