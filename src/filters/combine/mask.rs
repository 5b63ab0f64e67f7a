//! `mask`: a mask of the picture, from its luma, a value or its edges.

use crate::filters::combine::merge::Scale;
use crate::filters::device_struct::{device_struct, generated};
use crate::filters::local::{self, Around, Lanes, Local, Near};
use crate::filters::{Descriptor, Footprint};
use crate::params::{Choice, ParamKind, Params};
use crate::video::StreamInfo;

crate::choices! {
    /// What a mask is made of.
    pub enum Of {
        /// How light a sample is.
        Luma = "luma",
        /// How far it is from a value.
        Distance = "distance",
        /// How steep the picture is there.
        Edges = "edges",
    }
}

const CODE: ParamKind = ParamKind::Float { min: 0.0, max: 255.0 };

crate::params! {
    /// The parameters of `mask`.
    pub struct MaskParams {
        /// What is measured: `luma` is the sample itself, `distance` how far it is from `value`, `edges` how steep it is there.
        of: Of = Of::Luma, ParamKind::Choice(<Of as Choice>::WORDS), unit "", aliases [];
        /// White begins here. 0 is no bound.
        low: f64 = 128.0, CODE, unit "8-bit code values", aliases [];
        /// White ends here. 255 is no bound.
        high: f64 = 255.0, CODE, unit "8-bit code values", aliases [];
        /// How far from black to white it is at either bound: below `low`, and above `high`. 0 is a threshold.
        soft: f64 = 0.0, CODE, unit "8-bit code values", aliases [];
        /// The value that `of=distance` is from.
        value: f64 = 128.0, CODE, unit "8-bit code values", aliases [];
        /// Whether grey follows a smooth step in between, with no corner at its ends, rather than a straight line.
        smooth: bool = false, ParamKind::Bool, unit "", aliases [];
        /// Whether black and white change places.
        invert: bool = false, ParamKind::Bool, unit "", aliases [];
    }
    presets {
        "shadows": "Dark parts", [("low", "0"), ("high", "50"), ("soft", "40"), ("smooth", "on")];
        "highlights": "Light parts", [("low", "200"), ("soft", "30"), ("smooth", "on")];
        "lines": "Edges and drawn lines", [("of", "edges"), ("low", "40"), ("soft", "28")];
        "flat": "What has no edges and no texture", [("of", "edges"), ("low", "0"), ("high", "2"), ("soft", "4")];
    }
}

/// What `mask` is.
pub static DESCRIPTOR: Descriptor = Descriptor {
    name: "mask",
    aliases: &[],
    summary: "Makes a mask of the picture: a window of luma, a distance from a value, edges, or a threshold of them",
    definition: "\
A number `x` becomes white from `low` to `high`, black more than `soft` outside, and grey in between, in proportion to `x` or by \
the smooth step `3·t² − 2·t³`. `x` is in 8-bit code values: the sample, its distance from `value`, or a quarter of \
`max(g, (7·g + 4·h) / 8)`, where `g` and `h` are the larger and the smaller of Sobel's two sums, of the differences to both sides and \
up and down (weights 1, 2, 1), without their signs: the length of the gradient, within 3 %. A step of 20 is an edge of 20. Beyond \
a border its nearest sample is read.

White and black are the stream's nominal ones. Luma has the mask and chroma its middle; RGB has a mask for each component. The \
stream stays what it is, so that any filter takes the mask: `keep=src,mask=preset=flat,keep=flat,use=src,deband=mask=flat`.

Accuracy: gradients are integers, rounded half up to 16 bits; then a table of all 65536 values, computed in 64-bit floats, has the \
nearest of 16 bits.

Cost: one look into a table for each sample of luma; edges read each sample's eight neighbours.",
    schema: MaskParams::SCHEMA,
    accepts: |_| true,
    footprint: Footprint::Window("one sample in every direction for edges, none for all else"),
    temporal: "",
    changes: &[],
    neutral: &[],
    cases: &[
        "low=60:high=180:soft=30:smooth=on",
        "of=distance:value=90:low=0:high=20:soft=10:invert=on",
        "of=edges:low=0:high=2:soft=4:invert=on",
        "of=edges:low=30:soft=20",
    ],
    create: local::create::<MaskParams>,
};

device_struct! {
    /// Constants of the function.
    #[derive(Default)]
    pub struct Consts = "MaskConsts" {
        /// Chroma gets its middle. Its table has nothing else, so that kernels on a device need not ask.
        is_chroma: u32,
        of_edges: u32,
    }
}

generated! {
    "mask.cuh" after ["../common/plane.cuh"]: Consts;
}

impl MaskParams {
    /// How white `x` is, from 0 to 1.
    fn white(&self, x: f64) -> f64 {
        let MaskParams { low, high, soft, .. } = *self;
        let inside = |distance: f64| match soft {
            _ if distance <= 0.0 => 1.0,
            0.0 => 0.0,
            _ => (1.0 - distance / soft).max(0.0),
        };
        let above = if low <= 0.0 { 1.0 } else { inside(low - x) };
        let below = if high >= 255.0 { 1.0 } else { inside(x - high) };
        let t = above.min(below);
        let t = if self.smooth { t * t * (3.0 - 2.0 * t) } else { t };
        if self.invert { 1.0 - t } else { t }
    }
}

/// How steep the picture is at a place.
#[inline(always)]
fn steepness(near: &impl Near<u16>) -> u16 {
    let at = |dx, dy| i32::from(near.at(0, dx, dy));
    let side = |dx| at(dx, -1) + 2 * at(dx, 0) + at(dx, 1);
    let end = |dy| at(-1, dy) + 2 * at(0, dy) + at(1, dy);
    let (across, down) = ((side(1) - side(-1)).abs(), (end(1) - end(-1)).abs());
    let (more, less) = (across.max(down), across.min(down));
    let length = more.max((7 * more + 4 * less + 4) >> 3);
    ((length + 2) >> 2).min(0xffff) as u16
}

const MIDDLE: u16 = 0x8000;

impl Local for MaskParams {
    type Consts = Consts;
    const MODULE: &'static str = "mask";
    const DESCRIPTOR: &'static Descriptor = &DESCRIPTOR;

    fn kernel(&self) -> String {
        if self.of == Of::Edges { "mask_edges" } else { "mask_value" }.to_owned()
    }

    fn radius(&self) -> usize {
        usize::from(self.of == Of::Edges)
    }

    fn consts(&self, inputs: &[StreamInfo], component: usize) -> Option<Consts> {
        let is_chroma = inputs[0].format.is_chroma(component);
        Some(Consts { is_chroma: is_chroma.into(), of_edges: (self.of == Of::Edges).into() })
    }

    fn table(&self, inputs: &[StreamInfo], component: usize) -> Vec<u16> {
        let input = &inputs[0];
        if input.format.is_chroma(component) {
            return vec![MIDDLE; 1 << 16];
        }
        let Scale { black, span, .. } = Scale::of(input);
        let (black, span) = (f64::from(black), f64::from(span));
        // YC48 has 219 steps of eight bits from black to white, and the first at 16.
        let (zero, step) =
            if input.format.is_yc48() { (black - 16.0 * span / 219.0, span / 219.0) } else { (0.0, 256.0) };
        let measured = |value: f64| match self.of {
            Of::Luma => (value - zero) / step,
            Of::Distance => ((value - zero) / step - self.value).abs(),
            Of::Edges => value / step,
        };
        (0..=u16::MAX)
            .map(|value| libm::floor(black + self.white(measured(f64::from(value))) * span + 0.5).min(65535.0) as u16)
            .collect()
    }

    #[inline(always)]
    fn sample(consts: &Consts, near: &impl Near<u16>) -> u16 {
        match (consts.is_chroma != 0, consts.of_edges != 0) {
            (true, _) => MIDDLE,
            (false, true) => near.look_up(steepness(near)),
            (false, false) => near.look_up(near.at(0, 0, 0)),
        }
    }

    /// Edges are measured in vectors, and looked up one by one.
    #[inline(always)]
    fn lanes<V: Lanes>(consts: &Consts, around: &impl Around<V>) -> V {
        if consts.is_chroma != 0 {
            return V::from_fn(|_| MIDDLE);
        }
        let measured = match consts.of_edges != 0 {
            true => V::from_fn(|lane| steepness(&around.lane(lane))),
            false => around.at(0, 0, 0),
        };
        V::from_fn(|lane| around.look_up(measured.lane(lane)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::filters::chain;
    use crate::filters::testing::{digest, gray16, picture, run, run_inputs, samples};
    use crate::video::Format;

    /// What the mask of `text` is of grey of eight bits, limited range: black is 16 and white 235.
    fn of(text: &str, values: [i32; 5]) -> Vec<i32> {
        let src = picture(Format::gray(8).unwrap(), 5, 1, |_, x, _| values[x]);
        samples(&run_inputs(&format!("mask={text}"), &[&[src]]), 0)
    }

    #[test]
    fn a_window_of_luma_is_white() {
        assert_eq!(of("luma", [0, 127, 128, 129, 255]), [16, 16, 235, 235, 235]);
        // Ten codes outside, half of white: 16 + 219/2, rounded up.
        assert_eq!(of("low=100:high=150:soft=20", [80, 90, 100, 160, 170]), [16, 126, 235, 126, 16]);
        // A quarter of the ramp: 3/16 − 2/64 of 219 are 34.2, and 16 is black.
        assert_eq!(of("low=100:soft=20:smooth=on", [80, 85, 90, 95, 100]), [16, 50, 126, 201, 235]);
        assert_eq!(of("low=0:high=40:invert=on", [0, 40, 41, 100, 255]), [16, 16, 235, 235, 235]);
    }

    #[test]
    fn distances_are_from_a_value() {
        assert_eq!(of("distance:low=0:high=10:value=100", [89, 90, 100, 110, 111]), [16, 235, 235, 235, 16]);
    }

    /// A step of 40 codes from column 1 to column 2, seen from both, is an edge of 40; a diagonal one is less steep.
    #[test]
    fn edges_are_as_high_as_their_steps() {
        let step = [60, 60, 100, 100, 100];
        assert_eq!(of("edges:low=40", step), [16, 235, 235, 16, 16]);
        assert_eq!(of("edges:low=40.1", step), [16; 5]);
        assert_eq!(of("preset=flat", step), [235, 16, 16, 235, 235]);
        // Both sums are 3·4000: 11/8 of it are 16500, and a quarter 4125; white of 16 bits is 60160.
        let src = picture(gray16(), 3, 3, |_, x, y| if x + y > 2 { 24000 } else { 20000 });
        let at = |low: f64| samples(&run(&*chain(&format!("mask=edges:low={low}")).unwrap()[0], &src, gray16()), 0)[4];
        assert_eq!((at(4125.0 / 256.0), at(4126.0 / 256.0)), (60160, 4096));
    }

    #[test]
    fn chroma_has_its_middle() {
        let src = [picture(Format::yuv(1, 1, 8).unwrap(), 4, 2, |c, _, _| [200, 30, 240][c])];
        let out = run_inputs("mask=luma", &[&src]);
        assert_eq!((samples(&out, 0)[0], samples(&out, 1)[0], samples(&out, 2)[1]), (235, 128, 128));
    }

    #[test]
    fn tables_are_the_same_on_every_platform() {
        let input = StreamInfo::bare(Format::gray(10).unwrap(), 4, 4);
        let params = MaskParams { low: 60.3, high: 180.7, soft: 33.3, smooth: true, ..MaskParams::default() };
        let table = params.table(&[input], 0);
        assert_eq!(digest(table.into_iter().map(u64::from)), 0x88a4_87a6_920c_dc80);
    }
}
