//! `rank`: the sample of any rank around a place.

#[cfg(feature = "cuda")]
pub(super) mod cuda;
mod op;

pub use op::Rank;

#[cfg(feature = "cuda")]
use crate::error::Result;
use crate::filters::planes::PlaneSet;
use crate::filters::window::{self, Windowed};
#[cfg(feature = "cuda")]
use crate::filters::{CudaKernel, window::Plan};
use crate::filters::{Descriptor, Footprint};
use crate::params::{Choice, ParamKind, Params};
use crate::video::StreamInfo;

crate::params! {
    /// The parameters of `rank`.
    pub struct RankParams {
        /// Which sample of those around a place, in order of their values: 0 is the smallest, 50 the middle one, 100 the
        /// largest.
        percent: f64 = 50.0, ParamKind::Float { min: 0.0, max: 100.0 }, unit "percent", aliases ["percentile"];
        /// How far the window reaches: 1 is 3×3 samples, 7 is 15×15, and 0 changes nothing.
        radius: i64 = 1, ParamKind::Int { min: 0, max: 7 }, unit "samples", aliases ["r"];
        #[doc = crate::filters::planes::planes_doc!()]
        planes: PlaneSet = PlaneSet::Yuv, ParamKind::Choice(<PlaneSet as Choice>::WORDS), unit "", aliases [];
    }
    presets {}
}

/// What `rank` is.
pub static DESCRIPTOR: Descriptor = Descriptor {
    name: "rank",
    aliases: &[],
    summary: "Every sample becomes the one of a given rank among those around it: median, quartile, any percentile",
    definition: "\
Of the `n = (2·radius + 1)²` samples around a place, in order of their values, that of number `floor(percent·(n − 1)/100 + \
1/2)`, counted from 0. Beyond the border the nearest sample is replicated.

Accuracy: a result is one of the samples, so nothing is rounded.

Cost: a comparison and an addition for each sample of the window and each bit of a sample: films of 8 bits take half of what \
those of 16 do. `median` is faster at radius 1 and 2, and `erode` and `dilate` are at 0 and 100 percent.",
    schema: RankParams::SCHEMA,
    accepts: |_| true,
    footprint: Footprint::Window("`radius` samples in every direction, on every plane"),
    temporal: "",
    changes: &[],
    neutral: &["radius=0"],
    cases: &["percent=25:radius=1", "percent=90:radius=2:planes=y", "percent=10:radius=4", "percent=75:radius=5:planes=uv"],
    create: window::create::<RankParams>,
};

impl Windowed for RankParams {
    type Op = Rank;
    const DESCRIPTOR: &'static Descriptor = &DESCRIPTOR;

    fn planes(&self) -> PlaneSet {
        self.planes
    }

    fn op(&self, _: &StreamInfo, _: usize) -> Option<Rank> {
        (self.radius > 0).then(|| Rank::new(self.radius as usize, self.percent))
    }

    #[cfg(feature = "cuda")]
    fn cuda_memory(_: &Plan<Rank>, _: &crate::device::cuda::CudaDevice) -> usize {
        0
    }

    #[cfg(feature = "cuda")]
    fn cuda(plan: Plan<Rank>, device: &crate::device::cuda::CudaDevice) -> Result<Box<dyn CudaKernel>> {
        cuda::kernel(&plan, device)
    }
}

#[cfg(test)]
mod tests {
    use crate::filters::chain;
    use crate::filters::testing::{gray16, picture, run, samples};
    use crate::video::Format;

    fn of(text: &str) -> Vec<i32> {
        let values = [1, 2, 3, 4, 90, 6, 7, 8, 9];
        let src = picture(gray16(), 3, 3, |_, x, y| values[3 * y + x]);
        samples(&run(&*chain(text).unwrap()[0], &src, gray16()), 0)
    }

    /// In order, 1 2 3 4 6 7 8 9 90. A quarter of 8 is the third, 3; 94 percent of 8 are 7.52, the last.
    #[test]
    fn a_percentage_of_nine() {
        let middle = |percent: &str| of(&format!("rank={percent}"))[4];
        assert_eq!(["0", "25", "50", "93", "94", "100"].map(middle), [1, 3, 6, 9, 90, 90]);
    }

    #[test]
    fn half_is_the_median() {
        assert_eq!(of("rank"), of("median"));
        assert_eq!(of("rank=radius=2"), of("median=2"));
        assert_eq!(of("rank=radius=6"), of("median=6"));
    }

    /// 15×15 samples 1 to 225 in any order have 113 in the middle.
    #[test]
    fn the_middle_of_the_largest_window() {
        let src = picture(gray16(), 15, 15, |_, x, y| (((15 * y + x) * 7 + 3) % 225 + 1) as i32);
        assert_eq!(samples(&run(&*chain("median=7").unwrap()[0], &src, gray16()), 0)[112], 113);
    }

    /// Every storage has low bits that are 0, which are not searched.
    #[test]
    fn every_depth_is_searched_to_its_last_bit() {
        for depth in [8, 10, 12, 16] {
            let format = Format::gray(depth).unwrap();
            let top = (1usize << depth) - 1;
            let src = picture(format, 520, 70, |_, x, y| ((x * 7919 + y * 104_729) % top) as i32);
            for text in ["rank=50:3", "rank=77:1", "median=4"] {
                run(&*chain(text).unwrap()[0], &src, format);
            }
        }
    }
}
