//! `tmedian`: the middle one of a place's samples in time.

use crate::filters::device_struct::{device_struct, generated};
use crate::filters::local::{self, Around, Lanes, Local, Near, middle_of};
use crate::filters::planes::PlaneSet;
use crate::filters::{Descriptor, Footprint, Reach};
use crate::params::{Choice, ParamKind, Params};
use crate::video::StreamInfo;

crate::params! {
    /// The parameters of `tmedian`.
    pub struct TmedianParams {
        /// How many frames before and after are read; 0 changes nothing.
        radius: i64 = 1, ParamKind::Int { min: 0, max: 3 }, unit "frames", aliases ["r"];
        #[doc = crate::filters::planes::planes_doc!()]
        planes: PlaneSet = PlaneSet::Yuv, ParamKind::Choice(<PlaneSet as Choice>::WORDS), unit "", aliases [];
    }
    presets {}
}

/// What `tmedian` is.
pub static DESCRIPTOR: Descriptor = Descriptor {
    name: "tmedian",
    aliases: &[],
    summary: "Removes what is there in single frames, such as dirt and dropouts: the middle one of a place's samples in time",
    definition: "\
Of the `2·radius + 1` samples at a place in the frame, in those before it and in those after it, in order of their values, \
the middle one. Beyond the ends of a film the nearest frame is repeated, also in one that is shorter than the window. \
What moves fast is there in single frames too.

Accuracy: a result is one of the samples, so nothing is rounded.

Cost: minima and maxima alone, and the reading of `2·radius + 1` frames for each.",
    schema: TmedianParams::SCHEMA,
    accepts: |_| true,
    footprint: Footprint::Point,
    temporal: "`radius` frames before and after",
    changes: &[],
    neutral: &["radius=0"],
    cases: &["radius=1", "radius=2", "radius=3", "radius=1:planes=uv"],
    create: local::create::<TmedianParams>,
};

device_struct! {
    /// Constants of the function.
    #[derive(Default)]
    pub struct Consts = "TmedianConsts" {
        radius: u32,
    }
}

generated! {
    "tmedian.cuh" after ["../common/plane.cuh"]: Consts;
}

impl Local for TmedianParams {
    type Consts = Consts;
    const MODULE: &'static str = "tmedian";
    const ORDERS: bool = true;
    const DESCRIPTOR: &'static Descriptor = &DESCRIPTOR;

    fn kernel(&self) -> String {
        format!("tmedian_{}", self.radius.max(1))
    }

    fn planes(&self) -> PlaneSet {
        self.planes
    }

    fn reach(&self) -> Reach {
        Reach { before: self.radius as u32, after: self.radius as u32 }
    }

    fn consts(&self, _: &[StreamInfo], _: usize) -> Option<Consts> {
        (self.radius > 0).then_some(Consts { radius: self.radius as u32 })
    }

    fn sample(consts: &Consts, near: &impl Near<u16>) -> u16 {
        let mut values: Vec<u16> = (0..=2 * consts.radius as usize).map(|frame| near.at(frame, 0, 0)).collect();
        values.sort_unstable();
        values[values.len() / 2]
    }

    #[inline(always)]
    fn lanes<V: Lanes>(consts: &Consts, around: &impl Around<V>) -> V {
        let at = |frame: usize| around.at(frame, 0, 0);
        match consts.radius {
            1 => middle_of::<V, 3>(at),
            2 => middle_of::<V, 4>(at),
            _ => middle_of::<V, 5>(at),
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::filters::testing::run_window;

    /// 5 9 1: the middle is 5. With 7 and 8 around them, of 7 5 9 1 8 it is 7.
    #[test]
    fn the_middle_in_time() {
        assert_eq!(run_window("tmedian", &[5, 9, 1]), 5);
        assert_eq!(run_window("tmedian=2", &[7, 5, 9, 1, 8]), 7);
        assert_eq!(run_window("tmedian=3", &[1, 2, 3, 60, 50, 40, 30]), 30);
    }
}
