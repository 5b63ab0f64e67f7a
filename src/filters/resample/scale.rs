//! `scale`: another size.

use super::kernel::{ResamplingKernel, Shape};
use super::taps::FINE;
use super::{Resample, Resampled, Sampling, antiring_doc, kernel_doc};
use crate::error::{Error, Result};
use crate::filters::siting::Siting;
use crate::filters::{Alias, Change, Descriptor, Footprint};
use crate::params::{Choice, ParamKind, Params};
use crate::video::{Rational, StreamInfo};

/// The longest side of a picture.
const LONGEST: i64 = 65_536;

crate::params! {
    /// The parameters of `scale`.
    pub struct ScaleParams {
        /// Width of the result. 0 keeps it; -1 follows from the height, so that the picture keeps its shape, and -2 does so in whole samples of chroma.
        w: i64 = 0, ParamKind::Int { min: -2, max: LONGEST }, unit "samples", aliases ["width"];
        /// Height of the result. 0 keeps it; -1 follows from the width, and -2 does so in whole samples of chroma.
        h: i64 = 0, ParamKind::Int { min: -2, max: LONGEST }, unit "rows", aliases ["height"];
        /// Both sides times this, in whole samples of chroma, instead of `w` and `h`.
        factor: Option<f64> = None, ParamKind::Float { min: 0.01, max: 32.0 }, unit "", aliases [];
        #[doc = kernel_doc!()]
        kernel: Shape = Shape::Spline36, ParamKind::Choice(<Shape as Choice>::WORDS), unit "", aliases ["filter", "flags", "algo", "interp_algo"];
        /// The b of `bicubic`: how much it blurs.
        b: f64 = 0.0, ParamKind::Float { min: -10.0, max: 10.0 }, unit "", aliases [];
        /// The c of `bicubic`: how much it sharpens.
        c: f64 = 0.5, ParamKind::Float { min: -10.0, max: 10.0 }, unit "", aliases [];
        /// Half as many samples as `lanczos` spans.
        taps: i64 = 3, ParamKind::Int { min: 2, max: 8 }, unit "samples", aliases [];
        /// Left end of the part of the source that is shown. Fractions count, to 1/65536.
        src_left: f64 = 0.0, ParamKind::Float { min: 0.0, max: LONGEST as f64 }, unit "samples", aliases [];
        /// Its upper end.
        src_top: f64 = 0.0, ParamKind::Float { min: 0.0, max: LONGEST as f64 }, unit "rows", aliases [];
        /// Its width. `auto` is all from `src_left` on.
        src_width: Option<f64> = None, ParamKind::Float { min: 1.0, max: LONGEST as f64 }, unit "samples", aliases [];
        /// Its height. `auto` is all from `src_top` on.
        src_height: Option<f64> = None, ParamKind::Float { min: 1.0, max: LONGEST as f64 }, unit "rows", aliases [];
        #[doc = antiring_doc!()]
        antiring: f64 = 0.0, ParamKind::Float { min: 0.0, max: 1.0 }, unit "", aliases [];
        /// Whether luma, grey and RGB are weighed as light, by the stream's transfer, and not as codes: fine bright detail keeps its brightness when it is reduced.
        linear: bool = false, ParamKind::Bool, unit "", aliases [];
        /// Where chroma sits in the source. `auto` is what the stream says; where it says nothing, left, and top left in 4:2:0 of BT.2020, PQ or HLG.
        chroma_in: Option<Siting> = None, ParamKind::Choice(<Siting as Choice>::WORDS), unit "", aliases ["chromalin", "cin"];
        /// Where it sits in the result. `auto` is where it sits in the source.
        chroma_out: Option<Siting> = None, ParamKind::Choice(<Siting as Choice>::WORDS), unit "", aliases ["chromal"];
        /// The kernel of chroma. `auto` is that of luma.
        chroma_kernel: Option<Shape> = None, ParamKind::Choice(<Shape as Choice>::WORDS), unit "", aliases [];
    }
    presets {}
    elsewhere {
        ["s", "size", "output_res"]: "write w=1280:h=720";
        ["param_a", "param_b", "param0", "param1", "param"]: "bicubic has 'b' and 'c' here, and lanczos 'taps'";
        ["force_original_aspect_ratio", "force_divisible_by"]: "w=-2 or h=-2 keeps the shape in whole samples of chroma";
        ["format"]: "the filter 'format' changes chroma subsampling, and 'depth' the depth";
        ["dither", "d"]: "the filter 'depth' dithers, and so does the option --dither";
        ["range", "r", "rangein", "in_range", "out_range"]: "the filter 'range' converts it";
        ["interl", "interlaced"]: "the stream says whether frames have fields, and each is then scaled by itself";
    }
}

/// What `scale` is.
pub static DESCRIPTOR: Descriptor = Descriptor {
    name: "scale",
    aliases: &[Alias::own("resize"), Alias::own("zscale"), Alias::own("scale_cuda")],
    summary: "Makes the picture larger or smaller, with chroma where it belongs",
    definition: include_str!("scale.md"),
    schema: ScaleParams::SCHEMA,
    accepts: |_| true,
    footprint: Footprint::Window("the kernel's radius in each direction, times the reduction"),
    temporal: "",
    changes: &[Change::Size, Change::Aspect, Change::Colour],
    neutral: &["", "w=0:h=0", "factor=1:kernel=mitchell"],
    cases: &[
        "factor=2:kernel=lanczos",
        "factor=0.5:kernel=lanczos",
        "factor=2:kernel=bicubic",
        "factor=0.5:kernel=bicubic",
        "factor=1.5",
        "w=64:h=36",
        "w=48:h=-2:kernel=mitchell:antiring=0.8",
        "w=18:h=90:kernel=spline64",
        "factor=0.7:kernel=area:chroma_kernel=bilinear",
        "factor=3:kernel=point",
        "factor=1.2:kernel=gauss:linear=on:antiring=1",
        "w=20:h=20:src_left=0.3:src_top=0.25:kernel=lanczos:taps=5",
        "factor=0.4:kernel=hermite:linear=on",
        "chroma_in=left:chroma_out=bottom",
    ],
    create: Resampled::<ScaleParams>::create,
};

impl Resample for ScaleParams {
    const DESCRIPTOR: &'static Descriptor = &DESCRIPTOR;

    fn sampling(&self, input: &StreamInfo) -> Result<Sampling> {
        if self.linear && input.format.is_yc48() {
            return Err(Error::unsupported("YC48 has a scale of its own: leave out linear=on"));
        }
        let kernel = |shape| ResamplingKernel { shape, b: self.b, c: self.c, taps: self.taps };
        let mut sampling = Sampling::of(input, kernel(self.kernel));
        let (left, wide) = part("src_left", "src_width", self.src_left, self.src_width, input.width)?;
        let (top, high) = part("src_top", "src_height", self.src_top, self.src_height, input.height)?;
        sampling.start = [[left, top]; 3];
        sampling.size = [wide, high];
        sampling.chroma_kernel = kernel(self.chroma_kernel.unwrap_or(self.kernel));
        sampling.antiring = self.antiring;
        sampling.linear = self.linear;
        let output = &mut sampling.output;
        (output.width, output.height) = self.size(input, sampling.size)?;
        if self.states_both_sides() {
            output.sar = aspect(input.sar, sampling.size, [output.width, output.height]);
        }
        sampling.siting_in = self.chroma_in.unwrap_or(sampling.siting_in);
        sampling.siting_out = self.chroma_out.unwrap_or(sampling.siting_in);
        if input.format.subsampling_w() > 0 && self.chroma_in.or(self.chroma_out).is_some() {
            output.color.chroma_location = sampling.siting_out.location();
        }
        Ok(sampling)
    }
}

impl ScaleParams {
    /// True when no side follows from the other, so that the picture's shape may change.
    fn states_both_sides(&self) -> bool {
        self.w >= 0 && self.h >= 0 && self.factor.is_none()
    }

    /// Width and height of what becomes of the part of `input` that is so large.
    fn size(&self, input: &StreamInfo, [wide, high]: [i64; 2]) -> Result<(usize, usize)> {
        let (wide, high) = (wide as f64 / FINE as f64, high as f64 / FINE as f64);
        let across = Side { name: "w", had: input.width, unit: unit(input, input.format.subsampling_w(), false) };
        let down = Side { name: "h", had: input.height, unit: unit(input, input.format.subsampling_h(), true) };
        if let Some(factor) = self.factor {
            if (self.w, self.h) != (0, 0) {
                return Err(Error::bad_argument("factor= gives both sides: leave out w= and h="));
            }
            let scaled = |side: Side, size: f64| match factor {
                1.0 => side.check(size.round() as i64, input),
                _ => side.check(side.nearest(size * factor), input),
            };
            return Ok((scaled(across, wide)?, scaled(down, high)?));
        }
        let kept = |size: f64| (size.round() as i64).max(1);
        // A side that follows from the other: -1 to a sample, -2 to a sample of chroma.
        let follows = |side: Side, asked: i64, size: f64| match asked {
            -1 => kept(size),
            _ => side.nearest(size),
        };
        let (w, h) = match (self.w, self.h) {
            (0.., 0..) => (self.w, self.h),
            (0.., asked) => {
                let w = if self.w == 0 { kept(wide) } else { self.w };
                (self.w, follows(down, asked, w as f64 * high / wide))
            }
            (asked, 0..) => {
                let h = if self.h == 0 { kept(high) } else { self.h };
                (follows(across, asked, h as f64 * wide / high), self.h)
            }
            _ => (0, 0),
        };
        let stated = |asked: i64, size: f64| if asked == 0 { kept(size) } else { asked };
        Ok((across.check(stated(w, wide), input)?, down.check(stated(h, high), input)?))
    }
}

/// One direction of the result.
#[derive(Clone, Copy)]
struct Side {
    name: &'static str,
    /// The source's.
    had: usize,
    /// Lengths are multiples of it.
    unit: i64,
}

impl Side {
    /// The nearest multiple of the unit.
    fn nearest(&self, size: f64) -> i64 {
        ((size / self.unit as f64 + 0.5).floor() as i64).max(1).saturating_mul(self.unit)
    }

    /// `size`, if it can be. What stays as it is may be odd, as sources are.
    fn check(&self, size: i64, input: &StreamInfo) -> Result<usize> {
        let Side { name, had, unit } = *self;
        if size > LONGEST {
            return Err(Error::bad_argument(format!("{name}={size} is too large: sides go up to {LONGEST}")));
        }
        if size % unit != 0 && size != had as i64 {
            let below = size / unit * unit;
            let fields = if unit == 4 { "interlaced " } else { "" };
            let lower = if below > 0 { format!("{name}={below} or ") } else { String::new() };
            return Err(Error::bad_argument(format!(
                "{name}={size} does not fit {fields}{}, whose sides are multiples of {unit}: use {lower}{name}={}",
                input.format,
                below + unit
            )));
        }
        Ok(size as usize)
    }
}

/// What sides of the result are multiples of: whole samples of chroma, and whole rows of both fields.
fn unit(input: &StreamInfo, subsampling: u8, down: bool) -> i64 {
    let fields = down && input.field_order.is_interlaced();
    1 << (subsampling + u8::from(fields))
}

/// Where the part of a side begins and how long it is, in [`FINE`] parts of a sample.
fn part(first: &str, length: &str, start: f64, size: Option<f64>, side: usize) -> Result<(i64, i64)> {
    let fine = |value: f64| (value * FINE as f64).round() as i64;
    let (start, whole) = (fine(start), side as i64 * FINE);
    let size = size.map_or(whole - start, fine);
    if start >= whole || start + size > whole || size <= 0 {
        return Err(Error::bad_argument(format!(
            "{first} and {length} reach beyond the source, which has {side}: their sum goes up to {side}"
        )));
    }
    Ok((start, size))
}

/// The aspect of a sample of the result, so that the picture is shown in the shape that it had.
fn aspect(sar: Rational, [wide, high]: [i64; 2], [w, h]: [usize; 2]) -> Rational {
    if sar.value().is_none() {
        return sar;
    }
    let num = i128::from(sar.num) * i128::from(wide) * h as i128;
    let den = i128::from(sar.den) * i128::from(high) * w as i128;
    let common = gcd(num.abs(), den.abs()).max(1);
    let (mut num, mut den) = (num / common, den / common);
    // The nearest that the field holds, where the shape is a fraction of many digits.
    while num.abs().max(den.abs()) > i128::from(i32::MAX) {
        (num, den) = (num / 2, (den / 2).max(1));
    }
    Rational::new(num as i32, den as i32)
}

fn gcd(a: i128, b: i128) -> i128 {
    if b == 0 { a } else { gcd(b, a % b) }
}
