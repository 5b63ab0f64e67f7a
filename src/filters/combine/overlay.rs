//! `overlay`: another picture upon the picture.

use crate::error::Result;
use crate::filters::combine::merge::{self, Consts, check_mask, mask_source};
use crate::filters::local::{self, ComponentSource, Local, Near, check_samples};
use crate::filters::{Descriptor, Footprint};
use crate::params::{Name, ParamKind, Params};
use crate::video::{FrameProps, StreamInfo};

/// Where a picture may lie.
const PLACE: ParamKind = ParamKind::Int { min: -65536, max: 65536 };

/// Times of a film.
const TIME: ParamKind = ParamKind::Float { min: 0.0, max: 1e9 };

crate::params! {
    /// The parameters of `overlay`.
    pub struct OverlayParams {
        /// The picture that is laid upon the chain's: the name of an input or of a point of the chain.
        with: Name = Name::new("other").expect("a name"), ParamKind::Name, unit "", aliases [];
        /// Where its left edge lies; what is outside is cut off. Whole samples of chroma count: it is rounded down to them.
        x: i64 = 0, PLACE, unit "samples of luma", aliases [];
        /// Where its upper edge lies.
        y: i64 = 0, PLACE, unit "samples of luma", aliases [];
        /// How much it covers: 0 nothing, 1 all.
        opacity: f64 = 1.0, ParamKind::Float { min: 0.0, max: 1.0 }, unit "", aliases [];
        /// A picture of its size that says it place by place: black covers nothing, white as `opacity` says. `auto` is the alpha of the file that `with` names, NAME_alpha, where it has one.
        alpha: Option<Name> = None, ParamKind::Name, unit "", aliases [];
        /// When it begins; `auto` is with the film.
        start: Option<f64> = None, TIME, unit "seconds", aliases [];
        /// When it is over; `auto` is with the film.
        end: Option<f64> = None, TIME, unit "seconds", aliases [];
    }
    presets {}
}

/// What `overlay` is.
pub static DESCRIPTOR: Descriptor = Descriptor {
    name: "overlay",
    aliases: &[],
    summary: "Lays another picture upon the picture, at a place, for a time, opaque or not",
    definition: "\
Where the other picture lies, a sample `v` becomes `v + k·(w − v)`, where `w` is the other picture's sample and `k` is \
`opacity`, or `opacity` times the alpha picture, as `merge` takes a mask. Everywhere else, and in frames that are shown \
before `start` or from `end` on, the picture is copied. A frame without a time has the one that its number and the frame \
rate give.

The other picture may have any size, and has the components of the chain's, and its range. One of another file is given \
them by `matrix`, `format`, `range` and `depth`: a logo of RGB lies upon a film of YCbCr. Its colours are those before alpha, \
not multiplied by it.

Accuracy: `k` is an integer in 1/32768; the result is rounded to 16 bits, half up.

Cost: that of a copy, with one or two pictures more to read.",
    schema: OverlayParams::SCHEMA,
    accepts: |_| true,
    footprint: Footprint::Point,
    temporal: "",
    changes: &[],
    neutral: &["opacity=0"],
    cases: &[
        "x=5:y=-2:opacity=0.5",
        "x=-3:y=1",
        "with=b:x=2:y=3:alpha=m",
        "with=b:alpha=m:opacity=0.7:start=0.2:end=0.66",
        "x=2000",
    ],
    create: local::create::<OverlayParams>,
};

impl OverlayParams {
    /// Where the other picture lies in a component of `first`.
    fn origin(&self, first: &StreamInfo, component: usize) -> (isize, isize) {
        let format = first.format;
        let shrink = |at: i64, by: u8, step: u8| (at >> by << by >> step) as isize;
        let (w, h) = (format.subsampling_w(), format.subsampling_h());
        let (step_w, step_h) = if format.is_chroma(component) { (w, h) } else { (0, 0) };
        (shrink(self.x, w, step_w), shrink(self.y, h, step_h))
    }
}

impl Local for OverlayParams {
    type Consts = Consts;
    const MODULE: &'static str = "merge";
    const DESCRIPTOR: &'static Descriptor = &DESCRIPTOR;

    fn kernel(&self) -> String {
        merge::kernel(self.alpha.as_ref())
    }

    fn mixes(&self) -> bool {
        true
    }

    fn others(&self) -> Vec<String> {
        merge::names(&self.with, self.alpha.as_ref())
    }

    fn check(&self, inputs: &[StreamInfo]) -> Result<()> {
        check_samples(&inputs[0], &inputs[1], self.with.as_str())?;
        check_mask(inputs, 1, self.alpha.as_ref())
    }

    fn sources(&self, inputs: &[StreamInfo], component: usize) -> Vec<ComponentSource> {
        let origin = self.origin(&inputs[0], component);
        let alpha = inputs.get(2).map(|alpha| mask_source(&inputs[0], alpha, 2, component, origin));
        [ComponentSource::of(0, component), ComponentSource { origin, ..ComponentSource::of(1, component) }]
            .into_iter()
            .chain(alpha)
            .collect()
    }

    fn consts(&self, inputs: &[StreamInfo], _: usize) -> Option<Consts> {
        Consts::new(self.opacity, inputs.get(2))
    }

    fn applies(&self, input: &StreamInfo, props: &FrameProps) -> bool {
        let by_rate = || input.frame_rate.value().map_or(0.0, |rate| props.frame_index as f64 / rate);
        let time = props.seconds(input.timebase).unwrap_or_else(by_rate);
        self.start.is_none_or(|start| start <= time) && self.end.is_none_or(|end| time < end)
    }

    #[inline(always)]
    fn sample(consts: &Consts, near: &impl Near<u16>) -> u16 {
        consts.mix_near(near)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::filters::testing::{gray16, picture, run_inputs, samples};
    use crate::video::Format;

    #[test]
    fn it_lies_where_it_is_put() {
        let base = [picture(gray16(), 4, 3, |_, _, _| 9)];
        let small = [picture(gray16(), 2, 2, |_, x, y| (10 + 2 * y + x) as i32)];
        let laid = |text: &str| samples(&run_inputs(&format!("overlay=with=b:{text}"), &[&base, &small]), 0);
        assert_eq!(laid("x=1:y=1"), [9, 9, 9, 9, 9, 10, 11, 9, 9, 12, 13, 9]);
        assert_eq!(laid("x=3:y=-1"), [9, 9, 9, 12, 9, 9, 9, 9, 9, 9, 9, 9]);
        assert_eq!(laid("x=-2:y=0"), [9; 12]);
        assert_eq!(laid("x=4:y=9"), [9; 12]);
    }

    /// At (3, 1) of 4:2:0 it lies at (2, 0): chroma at (1, 0).
    #[test]
    fn whole_samples_of_chroma_count() {
        let format = Format::yuv(1, 1, 16).unwrap();
        let base = [picture(format, 4, 4, |_, _, _| 9)];
        let small = [picture(format, 2, 2, |c, _, _| 10 + c as i32)];
        let out = run_inputs("overlay=with=b:x=3:y=1", &[&base, &small]);
        assert_eq!(samples(&out, 0), [9, 9, 10, 10, 9, 9, 10, 10, 9, 9, 9, 9, 9, 9, 9, 9]);
        assert_eq!(samples(&out, 1), [9, 11, 9, 9]);
    }

    #[test]
    fn it_has_its_time() {
        let params = OverlayParams { start: Some(1.0), end: Some(2.0), ..OverlayParams::default() };
        let info = StreamInfo::bare(gray16(), 4, 4);
        let at = |frame_index, pts| params.applies(&info, &FrameProps { frame_index, pts, ..FrameProps::default() });
        // 25 frames a second, and times in 25ths.
        assert_eq!([24, 25, 49, 50].map(|n| at(n, None)), [false, true, true, false]);
        assert_eq!([24, 25, 49, 50].map(|pts| at(0, Some(pts))), [false, true, true, false]);
    }
}
