//! `median`: the middle one of the samples around a place.

#[cfg(feature = "cuda")]
use crate::error::Result;
use crate::filters::device_struct::{device_struct, generated};
use crate::filters::local::{self, Around, Lanes, Local, MOST_RADIUS, Near, middle_of, middle_of_three as middle};
use crate::filters::planes::PlaneSet;
#[cfg(feature = "cuda")]
use crate::filters::rank;
use crate::filters::rank::Rank;
use crate::filters::window::{self, Windowed};
#[cfg(feature = "cuda")]
use crate::filters::{CudaKernel, window::Plan};
use crate::filters::{Descriptor, Footprint};
use crate::params::{Choice, ParamKind, Params};
use crate::simd::lanes::unknown;
use crate::video::StreamInfo;

crate::params! {
    /// The parameters of `median`.
    pub struct MedianParams {
        /// How far the window reaches: 1 is 3×3 samples, 2 is 5×5, 7 is 15×15, and 0 changes nothing.
        radius: i64 = 1, ParamKind::Int { min: 0, max: 7 }, unit "samples", aliases ["r"];
        #[doc = crate::filters::planes::planes_doc!()]
        planes: PlaneSet = PlaneSet::Yuv, ParamKind::Choice(<PlaneSet as Choice>::WORDS), unit "", aliases [];
    }
    presets {}
}

/// What `median` is.
pub static DESCRIPTOR: Descriptor = Descriptor {
    name: "median",
    aliases: &[],
    summary: "Removes single wrong samples: every sample becomes the middle one of those around it",
    definition: "\
Of the `(2·radius + 1)²` samples around a place, in order of their values, the middle one (J. W. Tukey, *Exploratory Data \
Analysis*, 1977). Beyond the border the nearest sample is replicated.

Accuracy: a result is one of the samples, so nothing is rounded.

Cost: minima and maxima alone, 30 for each sample at radius 1 and about 250 at radius 2. Larger windows cost as `rank` does: \
a comparison and an addition for each sample of the window and each bit of a sample.",
    schema: MedianParams::SCHEMA,
    accepts: |_| true,
    footprint: Footprint::Window("`radius` samples in every direction, on every plane"),
    temporal: "",
    changes: &[],
    neutral: &["radius=0"],
    cases: &["radius=1", "radius=2", "radius=1:planes=y", "radius=2:planes=uv", "radius=3", "radius=7:planes=y"],
    create: |call| match MedianParams::from_call(call)?.radius as usize {
        0..=MOST_RADIUS => local::create::<MedianParams>(call),
        _ => window::create::<MedianParams>(call),
    },
};

device_struct! {
    /// Constants of the function.
    #[derive(Default)]
    pub struct Consts = "MedianConsts" {
        radius: u32,
    }
}

generated! {
    "median.cuh" after ["../common/plane.cuh"]: Consts;
}

impl Windowed for MedianParams {
    type Op = Rank;
    const DESCRIPTOR: &'static Descriptor = &DESCRIPTOR;

    fn planes(&self) -> PlaneSet {
        self.planes
    }

    fn op(&self, _: &StreamInfo, _: usize) -> Option<Rank> {
        Some(Rank::new(self.radius as usize, 50.0))
    }

    #[cfg(feature = "cuda")]
    fn cuda_memory(_: &Plan<Rank>, _: &crate::device::cuda::CudaDevice) -> usize {
        0
    }

    #[cfg(feature = "cuda")]
    fn cuda(plan: Plan<Rank>, device: &crate::device::cuda::CudaDevice) -> Result<Box<dyn CudaKernel>> {
        rank::cuda::kernel(&plan, device)
    }
}

impl Local for MedianParams {
    type Consts = Consts;
    const MODULE: &'static str = "median";
    const PAIRS: Option<&'static str> = Some("median_pairs");
    const ORDERS: bool = true;
    const DESCRIPTOR: &'static Descriptor = &DESCRIPTOR;

    fn kernel(&self) -> String {
        format!("median_{}", self.radius.max(1))
    }

    fn planes(&self) -> PlaneSet {
        self.planes
    }

    fn radius(&self) -> usize {
        // Of what changes nothing, every plane is copied by the smallest kernel.
        self.radius.max(1) as usize
    }

    fn consts(&self, _: &[StreamInfo], _: usize) -> Option<Consts> {
        (self.radius > 0).then_some(Consts { radius: self.radius as u32 })
    }

    fn sample(consts: &Consts, near: &impl Near<u16>) -> u16 {
        let reach = -(consts.radius as isize)..=consts.radius as isize;
        let row = |dy| reach.clone().map(move |dx| near.at(0, dx, dy));
        let mut values: Vec<u16> = reach.clone().flat_map(row).collect();
        values.sort_unstable();
        values[values.len() / 2]
    }

    #[inline(always)]
    fn lanes<V: Lanes>(consts: &Consts, around: &impl Around<V>) -> V {
        match consts.radius {
            1 => of_nine(around),
            _ => middle_of::<V, 14>(|i| around.at(0, i as isize % 5 - 2, i as isize / 5 - 2)),
        }
    }
}

/// With each column in order, the middle of the largest low, the middle one of the middle ones and the smallest high.
#[inline(always)]
fn of_nine<V: Lanes>(near: &impl Near<V>) -> V {
    let (left, own, right) = (in_order(near, unknown(-1)), in_order(near, 0), in_order(near, unknown(1)));
    let low = left.0.max(own.0).max(right.0);
    let high = left.2.min(own.2).min(right.2);
    middle(low, middle(left.1, own.1, right.1), high)
}

/// The low, the middle one and the high of a column.
#[inline(always)]
fn in_order<V: Lanes>(near: &impl Near<V>, dx: isize) -> (V, V, V) {
    let (a, b, c) = (near.at(0, dx, -1), near.at(0, dx, 0), near.at(0, dx, 1));
    (a.min(b).min(c), middle(a, b, c), a.max(b).max(c))
}

#[cfg(test)]
mod tests {
    use crate::filters::chain;
    use crate::filters::testing::{gray16, picture, run, samples};

    /// 1 2 3 / 4 90 6 / 7 8 9: of the middle's nine the fifth is 6. The corner's nine are 1 1 2 1 1 2 4 4 90: the fifth is 2.
    #[test]
    fn the_middle_of_nine() {
        let values = [1, 2, 3, 4, 90, 6, 7, 8, 9];
        let src = picture(gray16(), 3, 3, |_, x, y| values[3 * y + x]);
        let out = samples(&run(&*chain("median").unwrap()[0], &src, gray16()), 0);
        assert_eq!((out[4], out[0]), (6, 2));
    }

    /// 5×5 samples 1 to 25 in any order have 13 in the middle.
    #[test]
    fn the_middle_of_twenty_five() {
        let src = picture(gray16(), 5, 5, |_, x, y| (((5 * y + x) * 7 + 3) % 25 + 1) as i32);
        let out = samples(&run(&*chain("median=2").unwrap()[0], &src, gray16()), 0);
        assert_eq!(out[12], 13);
    }
}
