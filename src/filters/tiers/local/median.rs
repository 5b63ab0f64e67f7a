//! The example of docs/FILTER-GUIDE.md, which quotes this file: a median of 3×3, in the fewest words. It is no part of vramp.

use crate::filters::local::{self, Around, Lanes, Local, Near, NoConsts, middle_of};
use crate::filters::planes::PlaneSet;
use crate::filters::{Descriptor, Footprint};
use crate::params::{Choice, ParamKind, Params};
use crate::video::StreamInfo;

crate::params! {
    /// The parameters of `median`.
    pub struct MedianParams {
        /// How far the window reaches: 1 is 3×3 samples, and 0 changes nothing.
        radius: i64 = 1, ParamKind::Int { min: 0, max: 1 }, unit "samples", aliases ["r"];
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
Of the nine samples around a place, in order of their values, the middle one (J. W. Tukey, *Exploratory Data Analysis*, 1977). \
Beyond the border the nearest sample is replicated.

Accuracy: a result is one of the samples, so nothing is rounded.

Cost: minima and maxima alone, 30 for each sample.",
    schema: MedianParams::SCHEMA,
    accepts: |_| true,
    footprint: Footprint::Window("`radius` samples in every direction, on every plane"),
    temporal: "",
    changes: &[],
    neutral: &["radius=0"],
    cases: &["radius=1", "radius=1:planes=y"],
    create: local::create::<MedianParams>,
};

impl Local for MedianParams {
    type Consts = NoConsts;
    const MODULE: &'static str = "median";
    const DESCRIPTOR: &'static Descriptor = &DESCRIPTOR;

    fn planes(&self) -> PlaneSet {
        self.planes
    }

    fn radius(&self) -> usize {
        1
    }

    fn consts(&self, _: &[StreamInfo], _: usize) -> Option<NoConsts> {
        (self.radius > 0).then(NoConsts::default)
    }

    fn sample(_: &NoConsts, near: &impl Near<u16>) -> u16 {
        let mut nine: Vec<u16> = (0..9).map(|i| near.at(0, i % 3 - 1, i / 3 - 1)).collect();
        nine.sort_unstable();
        nine[4]
    }

    #[inline(always)]
    fn lanes<V: Lanes>(_: &NoConsts, around: &impl Around<V>) -> V {
        middle_of::<V, 6>(|i| around.at(0, i as isize % 3 - 1, i as isize / 3 - 1))
    }
}

/// At every level it gives what the filter gives that vramp has.
#[test]
fn the_example_is_the_filter() {
    use crate::filters::chain;
    use crate::filters::testing::{gray16, picture, run, samples};
    let src = picture(gray16(), 67, 5, |_, x, y| ((x * 7919 + y * 104_729) % 65_536) as i32);
    for args in ["", "=radius=0"] {
        let call = crate::params::parse_chain(&format!("median{args}")).unwrap().remove(0);
        let example = run(&*(DESCRIPTOR.create)(&call).unwrap(), &src, gray16());
        let filter = run(&*chain(&call.to_string()).unwrap()[0], &src, gray16());
        assert_eq!(samples(&example, 0), samples(&filter, 0), "{call}");
    }
}
