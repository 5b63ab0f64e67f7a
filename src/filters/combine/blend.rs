//! `blend`: a function of two pictures, sample by sample.

use crate::error::Result;
use crate::filters::combine::merge::{self, Consts as Mix, Scale, check_mask, mask_source, names};
use crate::filters::device_struct::{device_struct, generated};
use crate::filters::local::{self, Around, ComponentSource, Lanes, Local, Near, check_alike};
use crate::filters::planes::PlaneSet;
use crate::filters::{Descriptor, Footprint};
use crate::params::{Choice, Name, ParamKind, Params};
use crate::video::StreamInfo;

crate::choices! {
    /// What is made of the two pictures.
    pub enum Mode {
        /// The other picture.
        Mix = "mix",
        /// Their mean.
        Mean = "mean",
        /// Their sum.
        Add = "add",
        /// The picture and a difference.
        AddSigned = "add_signed",
        /// Their difference.
        Subtract = "subtract",
        /// Their product.
        Multiply = "multiply",
        /// Their quotient.
        Divide = "divide",
        /// The darker one.
        Min = "min",
        /// The lighter one.
        Max = "max",
        /// How far they are apart.
        Absdiff = "absdiff",
        /// The inverse of the product of their inverses.
        Screen = "screen",
        /// The picture, lighter or darker.
        SoftLight = "soft_light",
        /// The picture, no farther from the other one than `limit`.
        Limit = "limit",
    }
}

crate::params! {
    /// The parameters of `blend`.
    pub struct BlendParams {
        /// What is made of the two pictures.
        mode: Mode = Mode::Mix, ParamKind::Choice(<Mode as Choice>::WORDS), unit "", aliases [];
        /// The other picture: the name of an input or of a point of the chain.
        with: Name = Name::new("other").expect("a name"), ParamKind::Name, unit "", aliases [];
        /// How much of what `mode` makes there is: 0 changes nothing, 1 leaves nothing of the chain's own.
        weight: f64 = 1.0, ParamKind::Float { min: 0.0, max: 1.0 }, unit "", aliases ["w"];
        /// How far `mode=limit` lets the picture be from the other one.
        limit: f64 = 1.0, ParamKind::Float { min: 0.0, max: 255.0 }, unit "8-bit code values", aliases [];
        /// A picture that says `weight` place by place: black counts nothing, white as `weight` says. `auto` is none.
        mask: Option<Name> = None, ParamKind::Name, unit "", aliases [];
        #[doc = crate::filters::planes::planes_doc!()]
        planes: PlaneSet = PlaneSet::Yuv, ParamKind::Choice(<PlaneSet as Choice>::WORDS), unit "", aliases [];
    }
    presets {}
}

/// What `blend` is.
pub static DESCRIPTOR: Descriptor = Descriptor {
    name: "blend",
    aliases: &[],
    summary: "Blends the picture with another one: sums, differences, products, limits, by a mask",
    definition: "\
`v + k·(f − v)`, where `f` is what `mode` makes of the sample `v` and the other picture's `w`, and `k` is `weight`, or `weight` \
times the mask as in `merge`. With `z` for nominal black of luma and RGB and the middle of chroma, `m` for the middle of the \
scale (128 of eight bits), and `a` and `b` for `v` and `w` as parts of the range from black to white, from 0 to 1:

| mode | `f` |
|---|---|
| `mix` | `w` |
| `mean` | `(v + w) / 2` |
| `add` | `v + w − z` |
| `subtract` | `v − w + m`: a difference, stored about `m` |
| `add_signed` | `v + w − m`, where one of both is a difference |
| `multiply` | `z + (v − z)·b` |
| `divide` | `z + (v − z)/b`, a `b` below 1/32768 counting as that |
| `min`, `max` | the smaller and the larger of `v` and `w` |
| `absdiff` | `z + abs(v − w)` |
| `screen` | `v + (1 − a)·b`, on the scale of `v` |
| `soft_light` | `v + (2·b − 1)·(a − a²)`, on the scale of `v` |
| `limit` | `v`, moved into `w − limit` to `w + limit` |

`multiply`, `divide` and `screen` are of light, so chroma takes part by the other picture's luma `b`, the mean of the samples \
that it covers: it is multiplied with `b`, divided by it, or multiplied with `1 − b`, as a grey picture in RGB would have it. \
`soft_light` leaves chroma alone. What passes the ends of the scale stays there.

A filter's result is limited by its input so: `keep=src,median=2,blend=limit:with=src:limit=3`. Where a difference is to be \
scaled, `diff` has an amount.

The other picture has the size and components of the chain's, and its range; the mask has its size.

Accuracy: integers throughout. `b` and `k` are in 1/32768, and every step is rounded half up to 16 bits.

Cost: that of a copy, with one or two pictures more to read; `divide` takes a division a sample.",
    schema: BlendParams::SCHEMA,
    accepts: |_| true,
    footprint: Footprint::Point,
    temporal: "",
    changes: &[],
    neutral: &["weight=0"],
    cases: &[
        "mode=mix:weight=0.5",
        "mode=mean",
        "mode=add:weight=0.7",
        "mode=add_signed",
        "mode=subtract:planes=y",
        "mode=multiply",
        "mode=divide",
        "mode=min",
        "mode=max",
        "mode=absdiff",
        "mode=screen",
        "mode=soft_light",
        "mode=limit:limit=3",
        "mode=multiply:with=b:mask=m:weight=0.4",
        "mode=limit:with=b:mask=m:limit=0.5",
    ],
    create: local::create::<BlendParams>,
};

device_struct! {
    /// Constants of the function.
    #[derive(Default)]
    pub struct Consts = "BlendConsts" {
        /// How much there is of what the mode makes.
        mix: Mix,
        /// The place of the mode's word among all.
        mode: u32,
        is_chroma: u32,
        /// Nominal black, or the middle of chroma.
        zero: i32,
        limit: i32,
        /// Luma from black to white.
        scale: Scale,
    }
}

generated! {
    "blend.cuh" after ["../common/plane.cuh", "merge.cuh"]: Consts;
}

const MIDDLE: i32 = 0x8000;

impl Consts {
    /// What `mode` makes of `v` and `w`; of light, `w` is luma.
    #[inline(always)]
    fn made(&self, mode: Mode, v: i32, w: i32) -> i32 {
        let Consts { zero, limit, scale, .. } = *self;
        let times = |value: i32, share: i32| (value * share + (1 << 14)) >> 15;
        let b = scale.share(w) as i32;
        let is_chroma = self.is_chroma != 0;
        let made = match mode {
            Mode::Mix => w,
            Mode::Mean => (v + w + 1) >> 1,
            Mode::Add => v + w - zero,
            Mode::AddSigned => v + w - MIDDLE,
            Mode::Subtract => v - w + MIDDLE,
            Mode::Multiply => zero + times(v - zero, b),
            Mode::Divide => {
                let (distance, b) = ((v - zero).unsigned_abs(), (b as u32).max(1));
                let quotient = ((distance << 15) + b / 2) / b;
                zero + quotient.min(0xffff) as i32 * (v - zero).signum()
            }
            Mode::Min => v.min(w),
            Mode::Max => v.max(w),
            Mode::Absdiff => zero + (v - w).abs(),
            Mode::Screen if is_chroma => zero + times(v - zero, 32768 - b),
            Mode::Screen => v + times(scale.span - (v - zero), b),
            Mode::SoftLight => {
                let a = scale.share(v) as i32;
                // (2b − 1)·(a − a²) in 1/2^30, then in 1/2^16, so that the product with the span has 31 bits.
                let more = (2 * b - 32768) * (a - times(a, a));
                v + ((((more + (1 << 13)) >> 14) * scale.span + (1 << 15)) >> 16)
            }
            Mode::Limit => v.max(w - limit).min(w + limit),
        };
        made.clamp(0, 0xffff)
    }

    /// The sample that `mode` makes, as much of it as there is to be.
    #[inline(always)]
    fn blend(&self, mode: Mode, near: &impl Near<u16>) -> u16 {
        let (v, w) = (near.at(0, 0, 0), near.at(1, 0, 0));
        let made = self.made(mode, v.into(), w.into()) as u16;
        let mask = if self.mix.has_mask() { near.at(2, 0, 0) } else { 0 };
        self.mix.mix(v, made, mask)
    }
}

/// Modes of light, whose chroma follows the other picture's luma.
const OF_LIGHT: [Mode; 3] = [Mode::Multiply, Mode::Divide, Mode::Screen];

impl Local for BlendParams {
    type Consts = Consts;
    const MODULE: &'static str = "blend";
    const DESCRIPTOR: &'static Descriptor = &DESCRIPTOR;

    fn kernel(&self) -> String {
        if self.mask.is_some() { "blend_by_mask" } else { "blend" }.to_owned()
    }

    fn planes(&self) -> PlaneSet {
        self.planes
    }

    fn mixes(&self) -> bool {
        true
    }

    fn others(&self) -> Vec<String> {
        names(&self.with, self.mask.as_ref())
    }

    fn check(&self, inputs: &[StreamInfo]) -> Result<()> {
        check_alike(&inputs[0], &inputs[1], self.with.as_str())?;
        check_mask(inputs, 0, self.mask.as_ref())
    }

    fn sources(&self, inputs: &[StreamInfo], component: usize) -> Vec<ComponentSource> {
        let of_luma = inputs[0].format.is_chroma(component) && OF_LIGHT.contains(&self.mode);
        let other = match of_luma {
            true => mask_source(&inputs[0], &inputs[1], 1, component, (0, 0)),
            false => ComponentSource::of(1, component),
        };
        let mask = inputs.get(2).map(|mask| mask_source(&inputs[0], mask, 2, component, (0, 0)));
        [ComponentSource::of(0, component), other].into_iter().chain(mask).collect()
    }

    fn consts(&self, inputs: &[StreamInfo], component: usize) -> Option<Consts> {
        let is_chroma = inputs[0].format.is_chroma(component);
        if is_chroma && self.mode == Mode::SoftLight {
            return None;
        }
        let scale = Scale::of(&inputs[0]);
        // A step of eight bits is 219th of the range from black to white in limited range.
        let step = if inputs[0].format.is_yc48() { f64::from(scale.span) / 219.0 } else { 256.0 };
        Some(Consts {
            mix: merge::Consts::new(self.weight, inputs.get(2))?,
            mode: Mode::ALL.iter().position(|mode| *mode == self.mode)? as u32,
            is_chroma: is_chroma.into(),
            zero: if is_chroma { MIDDLE } else { scale.black },
            limit: libm::round(self.limit * step) as i32,
            scale,
        })
    }

    #[inline(always)]
    fn sample(consts: &Consts, near: &impl Near<u16>) -> u16 {
        consts.blend(Mode::ALL[consts.mode as usize], near)
    }

    /// A loop for each mode, which the compiler makes vectors of.
    #[inline(always)]
    fn lanes<V: Lanes>(consts: &Consts, around: &impl Around<V>) -> V {
        macro_rules! by_mode {
            ($($mode:ident)+) => {
                match Mode::ALL[consts.mode as usize] {
                    $( Mode::$mode => V::from_fn(|lane| consts.blend(Mode::$mode, &around.lane(lane))), )+
                }
            };
        }
        by_mode!(Mix Mean Add AddSigned Subtract Multiply Divide Min Max Absdiff Screen SoftLight Limit)
    }
}

#[cfg(test)]
mod tests {
    use crate::filters::testing::{gray16, picture, run_inputs, samples};
    use crate::video::{Format, Picture};

    /// Of two samples of 16-bit grey, limited range: black is 4096 and white 60160, 56064 above it.
    fn grey(text: &str, v: i32, w: i32) -> i32 {
        let flat = |value| [picture(gray16(), 3, 1, move |_, _, _| value)];
        samples(&run_inputs(&format!("blend={text}:with=b"), &[&flat(v), &flat(w)]), 0)[1]
    }

    #[test]
    fn modes_are_what_they_are_called() {
        assert_eq!(grey("mix", 1000, 3001), 3001);
        // A quarter of the distance from 1000 to 3001 is 500.25.
        assert_eq!(grey("mix:weight=0.25", 1000, 3001), 1500);
        assert_eq!((grey("mean", 1000, 3001), grey("mean", 65535, 65535)), (2001, 65535));
        assert_eq!((grey("add", 5000, 4196), grey("add", 60000, 30000), grey("add", 5000, 96)), (5100, 65535, 1000));
        assert_eq!((grey("subtract", 1000, 1003), grey("subtract", 65535, 0)), (32765, 65535));
        assert_eq!((grey("add_signed", 1000, 32765), grey("add_signed", 2, 32765)), (997, 0));
        assert_eq!((grey("min", 7, 9), grey("max", 7, 9)), (7, 9));
        assert_eq!((grey("absdiff", 7000, 9000), grey("absdiff", 9000, 7000)), (6096, 6096));
        assert_eq!([9000, 7000, 8000].map(|v| grey("limit:limit=2", v, 8000)), [8512, 7488, 8000]);
    }

    /// 32128 is halfway from black to white.
    #[test]
    fn products_are_of_light() {
        assert_eq!((grey("multiply", 60160, 32128), grey("multiply", 5096, 32128)), (32128, 4596));
        assert_eq!((grey("multiply", 20000, 60160), grey("multiply", 20000, 4096)), (20000, 4096));
        // What lies below black stays as far below it, in proportion.
        assert_eq!(grey("multiply", 4000, 32128), 4048);
        assert_eq!((grey("divide", 5096, 32128), grey("divide", 20000, 60160)), (6096, 20000));
        assert_eq!(
            (grey("divide", 4000, 32128), grey("divide", 4096, 4096), grey("divide", 4100, 4096)),
            (3904, 4096, 65535)
        );
        assert_eq!(
            (grey("screen", 32128, 32128), grey("screen", 20000, 4096), grey("screen", 4096, 60160)),
            (46144, 20000, 60160)
        );
        // a = ½: ½ ± ¼ at the ends of b, and itself in the middle.
        assert_eq!([4096, 32128, 60160].map(|w| grey("soft_light", 32128, w)), [18112, 32128, 46144]);
        assert_eq!([4096, 60160].map(|v| grey("soft_light", v, 60160)), [4096, 60160]);
    }

    /// A mask of limited range: 126 is 110/219 of it.
    #[test]
    fn a_mask_weighs_what_a_mode_makes() {
        let row = |values: [i32; 3]| picture(Format::gray(8).unwrap(), 3, 1, move |_, x, _| values[x]);
        let inputs: [&[Picture]; 3] = [&[row([20; 3])], &[row([239; 3])], &[row([16, 126, 235])]];
        assert_eq!(samples(&run_inputs("blend=max:with=b:mask=m", &inputs), 0), [20, 130, 239]);
    }

    /// Chroma of 4:2:0 takes the other picture's luma, the mean of four samples: here that halfway from black to white.
    #[test]
    fn chroma_is_multiplied_with_luma() {
        let format = Format::yuv(1, 1, 16).unwrap();
        let own = || [picture(format, 2, 2, |c, _, _| [60160, 40768, 30768][c])];
        let other = || [picture(format, 2, 2, |c, x, _| [[4096, 60160][x], 1, 2][c])];
        let of = |mode: &str| {
            let out = run_inputs(&format!("blend={mode}:with=b"), &[&own(), &other()]);
            (samples(&out, 1)[0], samples(&out, 2)[0])
        };
        assert_eq!(of("multiply"), (36768, 31768));
        assert_eq!(of("divide"), (48768, 28768));
        assert_eq!(of("screen"), (36768, 31768));
        assert_eq!(of("soft_light"), (40768, 30768));
    }
}
