//! `edges`: how steep a picture is around a place.

use crate::filters::device_struct::{device_struct, generated};
use crate::filters::local::{self, Around, Lanes, Local, Near};
use crate::filters::morph::nought;
use crate::filters::planes::PlaneSet;
use crate::filters::{Descriptor, Footprint};
use crate::params::{Choice, ParamKind, ParamValue, Params};
use crate::video::StreamInfo;

crate::choices! {
    /// What is measured.
    pub enum Operator {
        /// The gradient by Sobel's weights 1, 2, 1.
        Sobel = "sobel",
        /// The gradient by Scharr's weights 3, 10, 3.
        Scharr = "scharr",
        /// The second derivative.
        Laplacian = "laplacian",
        /// The difference of two Gaussians.
        Dog = "dog",
    }
}

crate::params! {
    /// The parameters of `edges`.
    pub struct EdgesParams {
        /// What is measured: the gradient by weights of 1 2 1 (`sobel`) or of 3 10 3 (`scharr`, whose gradients turn truer), the
        /// second derivative (`laplacian`), or the difference of two Gaussians (`dog`), which finds edges in noise.
        operator: Operator = Operator::Sobel, ParamKind::Choice(<Operator as Choice>::WORDS), unit "", aliases ["mode", "type"];
        /// What results are multiplied with: at 1 a step from black to white gives white, of `sobel` and `scharr`.
        scale: f64 = 1.0, ParamKind::Float { min: 0.0, max: 64.0 }, unit "", aliases ["strength"];
        #[doc = crate::filters::planes::planes_doc!()]
        planes: PlaneSet = PlaneSet::Yuv, ParamKind::Choice(<PlaneSet as Choice>::WORDS), unit "", aliases [];
    }
    presets {}
}

/// What `edges` is.
pub static DESCRIPTOR: Descriptor = Descriptor {
    name: "edges",
    aliases: &[],
    summary: "Shows edges, as a picture or a mask: Sobel, Scharr, Laplacian, difference of Gaussians",
    definition: "\
With `g` and `h` the differences of the samples right and left, and below and above, weighted 1 2 1 and divided by 4 (`sobel`) \
or 3 10 3 and divided by 16 (`scharr`), the result is `scale·√(g² + h²)`. `laplacian` is a quarter of the magnitude of the sum \
of the four neighbours less four times the sample. `dog` is the magnitude of the difference of two binomial means, \
of 3×3 and of 5×5 samples: Gaussians of variance 1/2 and 1. Results are above nominal black; of chroma, and of YC48, above \
the middle. Beyond the border the nearest sample is replicated.

As a mask: `keep=film,edges=scale=4:planes=y,keep=lines,use=film,gauss=2,merge=with=film:mask=lines`.

Accuracy: sums are integers; their root and the scale are floats of 32 bits in a fixed order, rounded half up once.

Cost: that of a copy and about 30 operations a sample.",
    schema: EdgesParams::SCHEMA,
    accepts: |_| true,
    footprint: Footprint::Window("one sample in every direction, two of `dog`, on every plane"),
    temporal: "",
    changes: &[],
    neutral: &[],
    cases: &["sobel", "scharr:scale=3", "laplacian:planes=y", "dog:scale=8"],
    create: local::create::<EdgesParams>,
};

device_struct! {
    /// Constants of the function.
    #[derive(Default)]
    pub struct Consts = "EdgesConsts" {
        /// Of the operators by number.
        kind: u32,
        /// What stands for no edge.
        nought: u32,
        /// What sums are multiplied with.
        scale: f32,
    }
}

generated! {
    "edges.cuh" after ["../common/plane.cuh"]: Consts;
}

impl Consts {
    /// The result of a gradient, whose parts are integers that floats hold exactly.
    #[inline(always)]
    fn result(&self, g: i32, h: i32) -> u16 {
        let (g, h) = (g as f32, h as f32);
        let edge = (g * g + h * h).sqrt() * self.scale + 0.5;
        // SAFETY: a number from 0.5 to 65535.
        let edge = unsafe { edge.min(65535.0).to_int_unchecked::<i32>() };
        (edge + self.nought as i32).min(0xffff) as u16
    }
}

/// Sums of weighted samples: of the operators that have two, right less left and below less above.
#[inline(always)]
fn sums(kind: u32, at: impl Fn(isize, isize) -> i32) -> (i32, i32) {
    match kind {
        0 | 1 => {
            let (one, two) = if kind == 0 { (1, 2) } else { (3, 10) };
            let column = |x: isize| one * (at(x, -1) + at(x, 1)) + two * at(x, 0);
            let row = |y: isize| one * (at(-1, y) + at(1, y)) + two * at(0, y);
            (column(1) - column(-1), row(1) - row(-1))
        }
        2 => (at(-1, 0) + at(1, 0) + at(0, -1) + at(0, 1) - 4 * at(0, 0), 0),
        _ => {
            // 16·(1 2 1)² − (1 4 6 4 1)², by rows: −1, −4, −6 and of the middle ones −4, 0, 8 and −6, 8, 28.
            let ring = at(-2, -2) + at(2, -2) + at(-2, 2) + at(2, 2);
            let fours = at(-1, -2) + at(1, -2) + at(-1, 2) + at(1, 2) + at(-2, -1) + at(2, -1) + at(-2, 1) + at(2, 1);
            let sixes = at(0, -2) + at(0, 2) + at(-2, 0) + at(2, 0);
            let cross = at(0, -1) + at(0, 1) + at(-1, 0) + at(1, 0);
            (28 * at(0, 0) + 8 * cross - 6 * sixes - 4 * fours - ring, 0)
        }
    }
}

impl EdgesParams {
    /// The operator's number, and what its sums are divided by.
    fn divided(&self) -> (u32, f64) {
        match self.operator {
            Operator::Sobel => (0, 4.0),
            Operator::Scharr => (1, 16.0),
            Operator::Laplacian => (2, 4.0),
            Operator::Dog => (3, 256.0),
        }
    }
}

impl Local for EdgesParams {
    type Consts = Consts;
    const MODULE: &'static str = "edges";
    const DESCRIPTOR: &'static Descriptor = &DESCRIPTOR;

    fn kernel(&self) -> String {
        format!("edges_{}", self.operator.print())
    }

    fn planes(&self) -> PlaneSet {
        self.planes
    }

    fn radius(&self) -> usize {
        if self.operator == Operator::Dog { 2 } else { 1 }
    }

    fn consts(&self, inputs: &[StreamInfo], component: usize) -> Option<Consts> {
        let (kind, over) = self.divided();
        Some(Consts { kind, nought: nought(&inputs[0], component).into(), scale: (self.scale / over) as f32 })
    }

    fn sample(consts: &Consts, near: &impl Near<u16>) -> u16 {
        let (g, h) = sums(consts.kind, |dx, dy| near.at(0, dx, dy).into());
        consts.result(g, h)
    }

    #[inline(always)]
    fn lanes<V: Lanes>(consts: &Consts, around: &impl Around<V>) -> V {
        macro_rules! of {
            ($operator:literal) => {
                V::from_fn(|lane| {
                    let near = around.lane(lane);
                    let (g, h) = sums($operator, |dx, dy| near.at(0, dx, dy).into());
                    consts.result(g, h)
                })
            };
        }
        // Written out, so that no vector asks which it is.
        match consts.kind {
            0 => of!(0),
            1 => of!(1),
            2 => of!(2),
            _ => of!(3),
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::filters::chain;
    use crate::filters::testing::{gray16, picture, run, samples};

    /// The edges of a grey picture, above what stands for none.
    fn of(text: &str, size: usize, value: impl Fn(usize, usize) -> i32) -> Vec<i32> {
        let filter = &*chain(text).unwrap()[0];
        let flat = picture(gray16(), size, size, |_, _, _| 700);
        let none = samples(&run(filter, &flat, gray16()), 0)[0];
        let src = picture(gray16(), size, size, |_, x, y| value(x, y));
        samples(&run(filter, &src, gray16()), 0).iter().map(|value| value - none).collect()
    }

    /// A step of 1000: its neighbours' gradients are 4·1000/4; two columns away there is none.
    #[test]
    fn a_step_gives_its_height() {
        let step = |x: usize, _: usize| if x < 4 { 2000 } else { 3000 };
        for text in ["edges", "edges=scharr"] {
            let out = of(text, 8, step);
            assert_eq!(out[16..24], [0, 0, 0, 1000, 1000, 0, 0, 0], "{text}");
        }
        // One neighbour of four differs: 1000/4.
        assert_eq!(of("edges=laplacian:scale=2", 8, step)[16..24], [0, 0, 0, 500, 500, 0, 0, 0]);
    }

    /// A corner of 800 in the upper left: at (3, 3) right less left is −(800 + 2·800)/4 = −600, and so is below less above:
    /// 848.5.
    #[test]
    fn gradients_are_as_long_as_they_are() {
        let out = of("edges", 8, |x, y| if x < 4 && y < 4 { 1800 } else { 1000 });
        assert_eq!(out[3 * 8 + 3], 849);
    }

    /// A single sample of 2560: 28·10 in the middle, 8·10 beside it, 0 at the corners, then 6·10, 4·10, 10.
    #[test]
    fn a_dot_shows_the_difference_of_gaussians() {
        let out = of("edges=dog", 9, |x, y| if (x, y) == (4, 4) { 2560 } else { 0 });
        assert_eq!(out[4 * 9 + 4..4 * 9 + 8], [280, 80, 60, 0]);
        assert_eq!((out[5 * 9 + 5], out[5 * 9 + 6], out[6 * 9 + 6]), (0, 40, 10));
    }
}
