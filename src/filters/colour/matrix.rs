//! `matrix`: other coefficients of Y'CbCr, R'G'B' and back, and other primaries.

use super::gamut::Gamut;
use super::light::LightSteps;
use super::primaries::Primaries;
use super::recipe::RgbStep;
use super::table::{Codes, Octaves};
use super::{BT709, BT2020, Grade, Graded, UNSPECIFIED, check_matrix, has_colours};
use crate::error::{Error, Result};
use crate::filters::curve::Transfer;
use crate::filters::{Alias, Change, Descriptor, Footprint};
use crate::params::{Call, Choice, ParamKind, Params};
use crate::video::{ChromaLocation, Format, Model, Range, StreamInfo, code_point_name};

/// H.273's code points.
const IDENTITY: u8 = 0;
const BT470BG: u8 = 5;
const SMPTE170M: u8 = 6;
const P3: u8 = 12;

/// Octaves of light below white that codes are looked up by.
const CODE_OCTAVES: u32 = 32;

crate::choices! {
    /// What a picture is made of.
    pub enum Coefficients {
        /// ITU-R BT.709.
        Bt709 = "bt709",
        /// ITU-R BT.601.
        Bt601 = "bt601",
        /// ITU-R BT.2020, non-constant luminance.
        Bt2020 = "bt2020",
        /// R, G and B.
        Rgb = "rgb",
    }
    spelled by of_coefficients;
}

crate::choices! {
    /// Matrices of Y'CbCr.
    pub enum Sums {
        /// ITU-R BT.709.
        Bt709 = "bt709",
        /// ITU-R BT.601.
        Bt601 = "bt601",
        /// ITU-R BT.2020, non-constant luminance.
        Bt2020 = "bt2020",
    }
    spelled by of_coefficients;
}

impl Sums {
    /// H.273's code point.
    pub(super) fn tag(self) -> u8 {
        match self {
            Sums::Bt709 => BT709,
            Sums::Bt601 => SMPTE170M,
            Sums::Bt2020 => BT2020,
        }
    }
}

crate::choices! {
    /// Primaries.
    pub enum To {
        /// ITU-R BT.709.
        Bt709 = "bt709",
        /// ITU-R BT.601 of 525 lines.
        Bt601_525 = "bt601_525",
        /// ITU-R BT.601 of 625 lines.
        Bt601_625 = "bt601_625",
        /// ITU-R BT.2020.
        Bt2020 = "bt2020",
        /// P3, D65.
        P3 = "p3",
    }
    spelled by of_primaries;
}

/// FFmpeg's and zimg's names.
fn of_coefficients(word: &str, text: &str) -> bool {
    let other: &[&str] = match word {
        "bt709" => &["709"],
        "bt601" => &["601", "smpte170m", "170m", "bt470bg", "470bg"],
        "bt2020" => &["2020", "bt2020nc", "2020_ncl"],
        _ => &["gbr"],
    };
    other.iter().any(|other| text.eq_ignore_ascii_case(other))
}

fn of_primaries(word: &str, text: &str) -> bool {
    let other: &[&str] = match word {
        "bt709" => &["709"],
        "bt601_525" => &["smpte170m", "170m"],
        "bt601_625" => &["bt470bg", "470bg"],
        "bt2020" => &["2020"],
        _ => &["smpte432"],
    };
    other.iter().any(|other| text.eq_ignore_ascii_case(other))
}

crate::params! {
    /// The parameters of `matrix`.
    pub struct MatrixParams {
        /// What the picture becomes; `auto` keeps what it is.
        to: Option<Coefficients> = None, ParamKind::Choice(<Coefficients as Choice>::WORDS), unit "", aliases ["matrix", "m", "space"];
        /// The matrix of Y'CbCr; `auto` is what the stream states. RGB needs none.
        from: Option<Sums> = None, ParamKind::Choice(<Sums as Choice>::WORDS), unit "",
            aliases ["matrixin", "min", "ispace"];
        /// The primaries that the picture gets; `auto` keeps them.
        primaries: Option<To> = None, ParamKind::Choice(<To as Choice>::WORDS), unit "", aliases ["p"];
        /// The primaries that it has; `auto` is what the stream states, and BT.709 where it states nothing.
        primaries_from: Option<To> = None, ParamKind::Choice(<To as Choice>::WORDS), unit "", aliases ["primariesin", "pin", "iprimaries"];
    }
    presets {}
    elsewhere {
        ["transfer", "t", "transferin", "tin", "trc", "itrc"]: "transfer=to=… converts it, and tonemap makes SDR of HDR";
        ["range", "r", "rangein", "rin"]: "range=… converts it";
        ["chromal", "c", "chromalin", "cin"]: "chroma stays where it is";
        ["npl"]: "tonemap has it, as 'target'";
        ["all", "iall"]: "'to' and 'primaries' are apart here, as in matrix=to=bt709:primaries=bt709";
        ["colormatrix", "colorprim", "colorspace"]: "they are 'to' and 'primaries' here, as in matrix=to=bt709:primaries=bt709";
    }
}

/// What `matrix` is.
pub static DESCRIPTOR: Descriptor = Descriptor {
    name: "matrix",
    aliases: &[Alias::own("colorspace")],
    summary: "Converts between the matrices of BT.601, BT.709 and BT.2020, RGB, and their primaries",
    definition: "\
Components become R'G'B' of 16 bits and that becomes components again, in integers. Chroma that is subsampled is read between \
its samples at each place of luma, by where the stream says that it lies, and made of R'G'B' around it: `[1 2 1]/4` where it lies \
on luma, `[1 1]/2` where it lies between. RGB becomes 4:4:4, and 4:2:0 and 4:2:2 become RGB as well.

Other primaries need light: R'G'B' is linearised as a display shows it (BT.1886 where the transfer is that of BT.601, BT.709 or \
BT.2020), multiplied with the matrix from primaries to primaries, clipped to 0 and 1, and encoded again. The white of all of them \
is D65. Sources: ITU-T H.273, ITU-R BT.601, BT.709, BT.2020, BT.2087.

Accuracy: black, white and greys are exact. R'G'B' to Y'CbCr and back is within 8 of 65535, which is one code at every depth up \
to 13 bits. With other primaries a result is within one code of 12 bits of the exact one, but in the darkest 1/2000 of the scale.

Cost: with a matrix alone that of two copies and little more; with primaries six look-ups a pixel.",
    schema: MatrixParams::SCHEMA,
    accepts: has_colours,
    footprint: Footprint::Window("on chroma that is subsampled: two samples in every direction"),
    temporal: "",
    changes: &[Change::Colour, Change::Layout],
    neutral: &["", "to=auto"],
    cases: &[
        "to=bt709:from=bt601",
        "to=rgb:from=bt2020",
        "to=bt601:from=bt2020",
        "to=bt709:from=bt2020:primaries=bt709:primaries_from=bt2020",
        "to=bt2020:from=bt601:primaries=bt2020:primaries_from=p3",
    ],
    create: Graded::<MatrixParams>::create,
};

/// H.273's code point of primaries.
fn tag_of(primaries: To) -> u8 {
    match primaries {
        To::Bt709 => BT709,
        To::Bt601_525 => SMPTE170M,
        To::Bt601_625 => BT470BG,
        To::Bt2020 => BT2020,
        To::P3 => P3,
    }
}

impl MatrixParams {
    /// Whether samples change.
    fn changes(&self) -> bool {
        self.to.is_some() || self.primaries.is_some()
    }

    /// What is done to light; `None`: codes of R'G'B' stay.
    fn light(&self, source: &StreamInfo, output: &StreamInfo) -> Option<LightSteps> {
        self.primaries?;
        let from = Primaries::of_tag(source.color.primaries)?;
        let to = Primaries::of_tag(output.color.primaries)?;
        if from == to {
            return None;
        }
        let transfer = Transfer::of_tag(source.color.transfer).unwrap_or(Transfer::BT1886);
        Some(LightSteps {
            linear: Codes::new(|code| transfer.light(code)),
            system: None,
            luminance: [0.0; 3],
            desaturation: None,
            gain: None,
            matrix: Some(from.to(to).map(|row| row.map(|weight| weight as f32))),
            gamut: Gamut::Clip,
            code: Octaves::new(CODE_OCTAVES, |light| transfer.code(light)),
        })
    }
}

impl Grade for MatrixParams {
    const DESCRIPTOR: &'static Descriptor = &DESCRIPTOR;

    fn call(&self) -> Call {
        self.to_call(DESCRIPTOR.name)
    }

    fn source(&self, input: &StreamInfo) -> Result<StreamInfo> {
        let mut source = input.clone();
        if !self.changes() {
            return Ok(source);
        }
        let is_rgb = input.format.model() == Model::Rgb;
        // What the stream states may be another tag of the same.
        let is_601 = self.from == Some(Sums::Bt601) && input.color.matrix == BT470BG;
        if let Some(from) = self.from.filter(|_| !is_rgb && !is_601) {
            source.color.matrix = from.tag();
        }
        check_matrix(&source, "from=")?;
        if let Some(primaries) = self.primaries_from {
            source.color.primaries = tag_of(primaries);
        }
        let (primaries, transfer) = (source.color.primaries, source.color.transfer);
        if self.primaries.is_none() {
            return Ok(source);
        }
        if primaries == UNSPECIFIED {
            source.color.primaries = BT709;
        } else if Primaries::of_tag(primaries).is_none() {
            let name = code_point_name("primaries", primaries).unwrap_or("unknown");
            return Err(Error::unsupported(format!(
                "the stream's primaries are {name} ({primaries}), which are not converted: add primaries_from="
            )));
        }
        if source.color.is_hdr() {
            return Err(Error::unsupported("primaries of HDR are converted where it becomes SDR: use tonemap"));
        }
        if transfer != UNSPECIFIED && Transfer::of_tag(transfer).is_none() {
            let name = code_point_name("transfer", transfer).unwrap_or("unknown");
            return Err(Error::unsupported(format!(
                "the stream's transfer is {name} ({transfer}), which is not linearised"
            )));
        }
        Ok(source)
    }

    fn output(&self, source: &StreamInfo) -> Result<StreamInfo> {
        let mut output = source.clone();
        let depth = source.format.bit_depth();
        let is_rgb = source.format.model() == Model::Rgb;
        let matrix = match self.to {
            Some(Coefficients::Bt709) => BT709,
            // One tag for both: where the stream has the other, it stays.
            Some(Coefficients::Bt601) if source.color.matrix == BT470BG => BT470BG,
            Some(Coefficients::Bt601) => SMPTE170M,
            Some(Coefficients::Bt2020) => BT2020,
            Some(Coefficients::Rgb) => IDENTITY,
            None => source.color.matrix,
        };
        output.color.matrix = matrix;
        match self.to {
            Some(Coefficients::Rgb) if !is_rgb => {
                output.format = Format::rgb(depth)?;
                output.color.range = Range::Full;
                output.color.chroma_location = ChromaLocation(None);
            }
            Some(to) if to != Coefficients::Rgb && is_rgb => {
                output.format = Format::yuv(0, 0, depth)?;
                output.color.range = Range::Limited;
            }
            _ => {}
        }
        if let Some(primaries) = self.primaries {
            output.color.primaries = tag_of(primaries);
        }
        Ok(output)
    }

    fn work(&self, source: &StreamInfo, output: &StreamInfo) -> RgbStep {
        self.light(source, output).into()
    }
}
