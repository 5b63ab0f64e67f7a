//! `format`: other subsampling, grey, RGB of grey.

use super::kernel::{ResamplingKernel, Shape};
use super::{Resample, Resampled, Sampling, antiring_doc, kernel_doc};
use crate::error::{Error, Result};
use crate::filters::siting::Siting;
use crate::filters::{Change, Descriptor, Footprint};
use crate::params::{Choice, ParamKind, Params};
use crate::video::{ChromaLocation, Format, Model, Range, StreamInfo};

crate::choices! {
    /// The components to have.
    pub enum To {
        /// Chroma at every other column and row.
        Yuv420 = "yuv420",
        /// Chroma at every other column.
        Yuv422 = "yuv422",
        /// Chroma at every place.
        Yuv444 = "yuv444",
        /// No chroma.
        Gray = "gray",
        /// Red, green and blue.
        Rgb = "rgb",
    }
    spelled by is_name_of;
}

fn is_name_of(word: &str, text: &str) -> bool {
    match word {
        "gray" => ["grey", "gray8", "y"].contains(&text),
        "rgb" => text == "gbrp",
        _ => {
            text.strip_suffix('p') == Some(word)
                || text.strip_prefix("yuv").is_some_and(|t| word.ends_with(t) && t.len() == 3)
        }
    }
}

crate::params! {
    /// The parameters of `format`.
    pub struct FormatParams {
        /// The components to have, at the depth that the stream has: the filter `depth` changes that. `auto` keeps them.
        to: Option<To> = None, ParamKind::Choice(<To as Choice>::WORDS), unit "", aliases ["pix_fmts", "pix_fmt"];
        #[doc = kernel_doc!()]
        kernel: Shape = Shape::Spline36, ParamKind::Choice(<Shape as Choice>::WORDS), unit "", aliases [];
        /// The b of `bicubic`: how much it blurs.
        b: f64 = 0.0, ParamKind::Float { min: -10.0, max: 10.0 }, unit "", aliases [];
        /// The c of `bicubic`: how much it sharpens.
        c: f64 = 0.5, ParamKind::Float { min: -10.0, max: 10.0 }, unit "", aliases [];
        /// Half as many samples as `lanczos` spans.
        taps: i64 = 3, ParamKind::Int { min: 2, max: 8 }, unit "samples", aliases [];
        #[doc = antiring_doc!()]
        antiring: f64 = 0.0, ParamKind::Float { min: 0.0, max: 1.0 }, unit "", aliases [];
        /// Where chroma sits in the source. `auto` is what the stream says; where it says nothing, left, and top left in 4:2:0 of BT.2020, PQ or HLG.
        chroma_in: Option<Siting> = None, ParamKind::Choice(<Siting as Choice>::WORDS), unit "", aliases [];
        /// Where it sits in the result. `auto` is where it sits in the source, and in what had chroma at every place, the usual.
        chroma_out: Option<Siting> = None, ParamKind::Choice(<Siting as Choice>::WORDS), unit "", aliases [];
    }
    presets {}
}

/// What `format` is.
pub static DESCRIPTOR: Descriptor = Descriptor {
    name: "format",
    aliases: &[],
    summary: "Gives chroma another subsampling, keeps luma alone, or makes RGB of grey",
    definition: include_str!("format.md"),
    schema: FormatParams::SCHEMA,
    accepts: |format| !format.is_yc48(),
    footprint: Footprint::Window("the kernel's radius in each direction, times the reduction, on chroma"),
    temporal: "",
    changes: &[Change::Layout, Change::Colour],
    neutral: &["", "to=auto:kernel=lanczos"],
    cases: &[
        "yuv444",
        "yuv422",
        "yuv420:kernel=bicubic",
        "gray",
        "yuv444:kernel=lanczos:antiring=1:chroma_in=topleft",
        "yuv420:chroma_out=center:kernel=area",
    ],
    create: Resampled::<FormatParams>::create,
};

impl Resample for FormatParams {
    const DESCRIPTOR: &'static Descriptor = &DESCRIPTOR;

    fn sampling(&self, input: &StreamInfo) -> Result<Sampling> {
        let kernel = ResamplingKernel { shape: self.kernel, b: self.b, c: self.c, taps: self.taps };
        let mut sampling = Sampling::of(input, kernel);
        sampling.antiring = self.antiring;
        let Some(to) = self.to else { return Ok(sampling) };
        let (had, has) = (input.format, to.format(input)?);
        sampling.siting_in = self.chroma_in.unwrap_or(sampling.siting_in);
        let was_subsampled = had.subsampling_w() > 0;
        let follows = if was_subsampled { sampling.siting_in } else { Siting::usual(input, has) };
        sampling.siting_out = self.chroma_out.unwrap_or(follows);
        let output = &mut sampling.output;
        output.format = has;
        output.color.chroma_location = match has.subsampling_w() > 0 {
            // What is not stated stays so.
            true if was_subsampled && self.chroma_in.or(self.chroma_out).is_none() => input.color.chroma_location,
            true => sampling.siting_out.location(),
            false => ChromaLocation(None),
        };
        if had.model() == Model::Gray && has.model() == Model::Rgb {
            // RGB that says nothing has full range, and grey has not.
            output.color.range = if input.is_full_range() { Range::Full } else { Range::Limited };
            output.color.matrix = 0;
        }
        Ok(sampling)
    }
}

impl To {
    /// The format with these components at the depth of `input`.
    fn format(self, input: &StreamInfo) -> Result<Format> {
        let (had, depth) = (input.format, input.format.bit_depth());
        let has = match self {
            To::Yuv420 => Format::yuv(1, 1, depth),
            To::Yuv422 => Format::yuv(1, 0, depth),
            To::Yuv444 => Format::yuv(0, 0, depth),
            To::Gray => Format::gray(depth),
            To::Rgb => Format::rgb(depth),
        }?;
        let shape = |format: Format| (format.model(), format.subsampling_w(), format.subsampling_h());
        if shape(had) == shape(has) {
            return Ok(had);
        }
        if (had.model() == Model::Rgb) != (has.model() == Model::Rgb) && had.model() != Model::Gray {
            return Err(Error::unsupported(format!(
                "{had} becomes {has} by a matrix, which this filter has not: it changes subsampling, and makes grey of YCbCr and RGB of grey"
            )));
        }
        Ok(has)
    }
}
