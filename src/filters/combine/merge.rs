//! `merge`: a mean of the picture and another one.

use crate::error::{Error, Result};
use crate::filters::device_struct::{device_struct, generated};
use crate::filters::local::{self, ComponentSource, Local, Near, check_alike};
use crate::filters::planes::PlaneSet;
use crate::filters::requant::{BLACK, LIMITED_LUMA, white};
use crate::filters::{Descriptor, Filter, Footprint};
use crate::params::{Choice, Name, ParamKind, Params};
use crate::video::{Format, Model, StreamInfo};

crate::params! {
    /// The parameters of `merge`.
    pub struct MergeParams {
        /// The other picture: the name of an input or of a point of the chain.
        with: Name = Name::new("other").expect("a name"), ParamKind::Name, unit "", aliases [];
        /// How much of the other picture there is: 0 changes nothing, 1 leaves nothing of the chain's own.
        weight: f64 = 0.5, ParamKind::Float { min: 0.0, max: 1.0 }, unit "", aliases ["w"];
        /// A picture that says it place by place: black counts nothing, white as `weight` says. `auto` is none.
        mask: Option<Name> = None, ParamKind::Name, unit "", aliases [];
        #[doc = crate::filters::planes::planes_doc!()]
        planes: PlaneSet = PlaneSet::Yuv, ParamKind::Choice(<PlaneSet as Choice>::WORDS), unit "", aliases [];
    }
    presets {}
}

/// What `merge` is.
pub static DESCRIPTOR: Descriptor = Descriptor {
    name: "merge",
    aliases: &[],
    summary: "Mixes the picture with another one, evenly or by a mask",
    definition: "\
`v + k·(w − v)`, where `w` is the other picture's sample and `k` is `weight`, or `weight` times the mask: its luma, grey, or \
each component of RGB, 0 at nominal black and 1 at white. Chroma that has fewer samples than luma takes the mean of four \
samples of the mask, or of the two beside one another.

The other picture has the size and components of the chain's, and its range; the mask has its size.

Accuracy: `k` is an integer in 1/32768; the result is rounded to 16 bits, half up.

Cost: that of a copy, with one or two pictures more to read.",
    schema: MergeParams::SCHEMA,
    accepts: |_| true,
    footprint: Footprint::Point,
    temporal: "",
    changes: &[],
    neutral: &["weight=0"],
    cases: &["weight=0.5", "with=b:weight=1", "with=b:mask=m:weight=1", "with=b:mask=m:weight=0.3:planes=uv"],
    create: local::create::<MergeParams>,
};

device_struct! {
    /// From black to white.
    #[derive(Default)]
    pub struct Scale = "LightScale" {
        pub black: i32,
        /// How far white is above it.
        pub span: i32,
        /// 2^31 / span.
        inverse: u32,
    }
}

device_struct! {
    /// Constants of the function.
    #[derive(Default)]
    pub struct Consts = "MergeConsts" {
        /// In 1/32768.
        weight: u32,
        has_mask: u32,
        /// The mask's.
        scale: Scale,
    }
}

generated! {
    "merge.cuh" after ["../common/plane.cuh"]: Scale, Consts;
}

impl Scale {
    /// That of luma and RGB of a stream.
    pub fn of(info: &StreamInfo) -> Scale {
        let (black, span) = match info {
            info if info.format.is_yc48() => (0x8000, 4096),
            info if info.is_full_range() => (0, white(info.format.bit_depth())),
            _ => (BLACK, LIMITED_LUMA),
        };
        Scale { black, span, inverse: ((1u64 << 31) as f64 / f64::from(span)).round() as u32 }
    }

    /// Where a value lies between them, in 1/32768.
    #[inline(always)]
    pub fn share(&self, value: i32) -> u32 {
        ((value - self.black).clamp(0, self.span) as u32 * self.inverse + (1 << 15)) >> 16
    }
}

impl Consts {
    /// For a weight from 0 to 1, and a mask; `None` where there is nothing of the other picture.
    pub fn new(weight: f64, mask: Option<&StreamInfo>) -> Option<Consts> {
        let scale = mask.map_or(Scale { black: 0, span: 1, inverse: 1 << 31 }, Scale::of);
        let weight = (weight * 32768.0).round() as u32;
        (weight > 0).then(|| Consts { weight, has_mask: mask.is_some().into(), scale })
    }

    /// Whether a mask is read.
    #[inline(always)]
    pub fn has_mask(&self) -> bool {
        self.has_mask != 0
    }

    /// Both samples, mixed by the mask's where there is one.
    #[inline(always)]
    pub fn mix(&self, own: u16, other: u16, mask: u16) -> u16 {
        let mut weight = self.weight;
        if self.has_mask() {
            weight = (self.scale.share(mask.into()) * weight + (1 << 14)) >> 15;
        }
        ((u32::from(own) * (32768 - weight) + u32::from(other) * weight + (1 << 14)) >> 15) as u16
    }

    /// The sample of the first source and that of the second, mixed by the third where there is a mask.
    #[inline(always)]
    pub fn mix_near(&self, near: &impl Near<u16>) -> u16 {
        let mask = if self.has_mask() { near.at(2, 0, 0) } else { 0 };
        self.mix(near.at(0, 0, 0), near.at(1, 0, 0), mask)
    }
}

/// Where a mask's samples for `component` of `first` come from, when its first one lies at `origin`.
pub fn mask_source(
    first: &StreamInfo,
    mask: &StreamInfo,
    input: usize,
    component: usize,
    origin: (isize, isize),
) -> ComponentSource {
    let is_chroma = first.format.is_chroma(component);
    let shrink = if is_chroma { (first.format.subsampling_w(), first.format.subsampling_h()) } else { (0, 0) };
    let component = if mask.format.model() == Model::Rgb { component } else { 0 };
    ComponentSource { origin, shrink, ..ComponentSource::of(input, component) }
}

/// The kernel that mixes with a mask or without.
pub fn kernel(mask: Option<&Name>) -> String {
    if mask.is_some() { "merge_by_mask" } else { "merge" }.to_owned()
}

/// The filter that mixes the components that `has` names with those of a picture like it, by `mask` alone.
pub fn by_mask(mask: &Name, has: impl Fn(usize) -> bool, format: Format) -> Box<dyn Filter> {
    let all = |set: &PlaneSet| (0..format.components()).all(|component| set.has(format, component) == has(component));
    let planes = PlaneSet::ALL.iter().copied().find(all).unwrap_or(PlaneSet::Yuv);
    local::of(MergeParams { weight: 1.0, mask: Some(mask.clone()), planes, ..MergeParams::default() })
}

/// The names of the other picture and of its mask.
pub fn names(with: &Name, mask: Option<&Name>) -> Vec<String> {
    std::iter::once(with).chain(mask).map(|name| name.as_str().to_owned()).collect()
}

/// Refuses a mask, the third of `inputs`, that has not the size of `inputs[like]`, or is of RGB for what is not.
///
/// # Errors
/// With what does not fit.
pub fn check_mask(inputs: &[StreamInfo], like: usize, name: Option<&Name>) -> Result<()> {
    let Some(name) = name.map(Name::as_str) else { return Ok(()) };
    let (first, like, mask) = (&inputs[0], &inputs[like], &inputs[2]);
    if (mask.width, mask.height) != (like.width, like.height) {
        return Err(Error::unsupported(format!(
            "the mask '{name}' has {}x{}, and what it is for has {}x{}: they must be of one size",
            mask.width, mask.height, like.width, like.height
        )));
    }
    if mask.format.model() == Model::Rgb && first.format.model() != Model::Rgb {
        return Err(Error::unsupported(format!(
            "the mask '{name}' is {}: one for {} has luma or grey",
            mask.format, first.format
        )));
    }
    Ok(())
}

impl Local for MergeParams {
    type Consts = Consts;
    const MODULE: &'static str = "merge";
    const DESCRIPTOR: &'static Descriptor = &DESCRIPTOR;

    fn kernel(&self) -> String {
        kernel(self.mask.as_ref())
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
        let mask = inputs.get(2).map(|mask| mask_source(&inputs[0], mask, 2, component, (0, 0)));
        [ComponentSource::of(0, component), ComponentSource::of(1, component)].into_iter().chain(mask).collect()
    }

    fn consts(&self, inputs: &[StreamInfo], _: usize) -> Option<Consts> {
        Consts::new(self.weight, inputs.get(2))
    }

    #[inline(always)]
    fn sample(consts: &Consts, near: &impl Near<u16>) -> u16 {
        consts.mix_near(near)
    }
}

#[cfg(test)]
mod tests {
    use crate::filters::chain;
    use crate::filters::testing::{gray16, picture, run_inputs, samples};
    use crate::video::{Format, StreamInfo};

    #[test]
    fn weights_mix() {
        let flat = |value| picture(gray16(), 3, 1, move |_, _, _| value);
        // A quarter of the distance from 1000 to 3001 is 1500.25; from 65535 to 0 it is 49151.25.
        let merge = |a, b| samples(&run_inputs("merge=with=b:weight=0.25", &[&[flat(a)], &[flat(b)]]), 0)[1];
        assert_eq!((merge(1000, 3001), merge(65535, 0)), (1500, 49151));
    }

    /// Masks of limited range: 16 counts nothing, 235 everything; 125.5 would be half, and 126 is 110/219 of it.
    #[test]
    fn masks_weigh() {
        let eight = Format::gray(8).unwrap();
        let row = |values: [i32; 3]| picture(eight, 3, 1, move |_, x, _| values[x]);
        let out =
            run_inputs("merge=with=b:mask=m:weight=1", &[&[row([0; 3])], &[row([219; 3])], &[row([16, 126, 235])]]);
        assert_eq!(samples(&out, 0), [0, 110, 219]);
    }

    /// Chroma takes the mean of the mask's four samples, of which the middle column and row of 3×3 have but their own.
    #[test]
    fn chroma_takes_the_mean_of_a_mask() {
        let format = Format::yuv(1, 1, 16).unwrap();
        let flat = |value| picture(format, 3, 3, move |_, _, _| value);
        let white = 235 << 8;
        let mask =
            picture(format, 3, 3, |c, x, y| if (c, x, y) == (0, 0, 0) || (c == 0 && x == 2) { white } else { 4096 });
        let out = run_inputs("merge=with=b:mask=m:weight=1", &[&[flat(0)], &[flat(40000)], &[mask]]);
        // One of four is white, then all of one column.
        assert_eq!(samples(&out, 1), [10000, 40000, 0, 40000]);
    }

    #[test]
    fn what_is_not_alike_is_refused() {
        let info = |format: &str, width| StreamInfo::bare(format.parse().unwrap(), width, 8);
        let refused = |text: &str, others: &[StreamInfo]| {
            let inputs = [&[info("yuv420p", 16)], others].concat();
            chain(text).unwrap()[0].spec(&inputs).unwrap_err().message().to_owned()
        };
        assert_eq!(
            refused("merge=with=b", &[info("yuv420p", 8)]),
            "the picture 'b' has 8x8, and the chain's has 16x8: they must be of one size: scale makes 'b' like it"
        );
        assert_eq!(
            refused("merge=with=b", &[info("yuv444p", 16)]),
            "the picture 'b' is yuv444p of limited range, and the chain's is yuv420p of limited range: they must be alike: \
             format makes 'b' like it"
        );
        assert!(refused("merge=with=b:mask=m", &[info("yuv420p", 16), info("gbrp", 16)]).contains("has luma or grey"));
        assert!(
            refused("merge=with=b:mask=m", &[info("yuv420p", 16), info("gray8", 8)]).starts_with("the mask 'm' has")
        );
    }
}
