//! `transfer`: other transfer characteristics of SDR.

use super::gamut::Gamut;
use super::light::LightSteps;
use super::matrix::Sums;
use super::recipe::RgbStep;
use super::table::{Codes, Octaves};
use super::{BT709, Grade, Graded, UNSPECIFIED, check_matrix, has_colours};
use crate::error::{Error, Result};
use crate::filters::curve::Transfer;
use crate::filters::{Change, Descriptor, Footprint};
use crate::params::{Call, Choice, ParamKind, Params};
use crate::video::{StreamInfo, code_point_name};

/// H.273's code points.
const GAMMA22: u8 = 4;
const GAMMA28: u8 = 5;
const LINEAR: u8 = 8;
const SRGB: u8 = 13;

/// Octaves of light below white that codes are looked up by.
const CODE_OCTAVES: u32 = 32;

crate::choices! {
    /// Transfer characteristics.
    pub enum Shown {
        /// ITU-R BT.1886, a power of 2.4: how BT.601, BT.709 and BT.2020 are shown.
        Bt1886 = "bt1886",
        /// IEC 61966-2-1.
        Srgb = "srgb",
        /// A power of 2.2.
        Gamma22 = "gamma22",
        /// A power of 2.8.
        Gamma28 = "gamma28",
        /// Codes are light.
        Linear = "linear",
    }
    spelled by others;
}

/// FFmpeg's and zimg's names.
fn others(word: &str, text: &str) -> bool {
    let other: &[&str] = match word {
        "bt1886" => &["bt709", "709", "smpte170m", "601", "bt2020_10", "2020_10", "bt2020_12", "2020_12"],
        "srgb" => &["iec61966_2_1"],
        "gamma22" => &["bt470m", "470m"],
        "gamma28" => &["bt470bg", "470bg"],
        _ => &[],
    };
    other.iter().any(|other| text.replace('-', "_").eq_ignore_ascii_case(other))
}

crate::params! {
    /// The parameters of `transfer`.
    pub struct TransferParams {
        /// What codes become; `auto` keeps them.
        to: Option<Shown> = None, ParamKind::Choice(<Shown as Choice>::WORDS), unit "", aliases ["transfer", "t"];
        /// What codes are; `auto` is what the stream states, and BT.1886 where it states nothing.
        from: Option<Shown> = None, ParamKind::Choice(<Shown as Choice>::WORDS), unit "", aliases ["transferin", "tin"];
        /// The matrix of Y'CbCr; `auto` is what the stream states.
        matrix: Option<Sums> = None, ParamKind::Choice(<Sums as Choice>::WORDS), unit "", aliases ["m", "matrixin"];
    }
    presets {}
}

/// What `transfer` is.
pub static DESCRIPTOR: Descriptor = Descriptor {
    name: "transfer",
    aliases: &[],
    summary: "Converts between the transfer characteristics of SDR: BT.1886, sRGB, powers, linear light",
    definition: "\
Components become R'G'B' of 16 bits as in `matrix`, R'G'B' becomes light by the transfer that the stream has, and light is \
encoded by the new one. Light is that of the display: what is tagged BT.601, BT.709 or BT.2020 is shown by BT.1886, a power of \
2.4. HDR becomes SDR by `tonemap`. Sources: ITU-R BT.1886, IEC 61966-2-1, ITU-T H.273.

Accuracy: black and white are exact. Light is a float of 32 bits, looked up in tables of 4096 pieces by codes, and of 256 an \
octave by light: a result is within one code of 12 bits of the exact one, but in the darkest 1/2000 of the scale.

Cost: six look-ups a pixel.",
    schema: TransferParams::SCHEMA,
    accepts: has_colours,
    footprint: Footprint::Window("on chroma that is subsampled: two samples in every direction"),
    temporal: "",
    changes: &[Change::Colour],
    neutral: &["", "to=auto"],
    cases: &["to=srgb:matrix=bt709", "to=linear:from=gamma28:matrix=bt601"],
    create: Graded::<TransferParams>::create,
};

fn tag_of(shown: Shown) -> u8 {
    match shown {
        Shown::Bt1886 => BT709,
        Shown::Srgb => SRGB,
        Shown::Gamma22 => GAMMA22,
        Shown::Gamma28 => GAMMA28,
        Shown::Linear => LINEAR,
    }
}

impl TransferParams {
    /// What is done to light; `None`: codes of R'G'B' stay.
    fn light(&self, source: &StreamInfo, output: &StreamInfo) -> Option<LightSteps> {
        let from = Transfer::of_tag(source.color.transfer)?;
        let to = Transfer::of_tag(output.color.transfer)?;
        Some(LightSteps {
            linear: Codes::new(|code| from.light(code)),
            system: None,
            luminance: [0.0; 3],
            desaturation: None,
            gain: None,
            matrix: None,
            gamut: Gamut::Clip,
            code: Octaves::new(CODE_OCTAVES, |light| to.code(light)),
        })
    }
}

impl Grade for TransferParams {
    const DESCRIPTOR: &'static Descriptor = &DESCRIPTOR;

    fn call(&self) -> Call {
        self.to_call(DESCRIPTOR.name)
    }

    fn source(&self, input: &StreamInfo) -> Result<StreamInfo> {
        let mut source = input.clone();
        if self.to.is_none() {
            return Ok(source);
        }
        if let Some(matrix) = self.matrix {
            source.color.matrix = matrix.tag();
        }
        check_matrix(&source, "matrix=")?;
        if let Some(from) = self.from {
            source.color.transfer = tag_of(from);
        }
        let tag = source.color.transfer;
        if source.color.is_hdr() {
            return Err(Error::unsupported("the stream is HDR, and this converts SDR: use tonemap"));
        }
        if tag == UNSPECIFIED {
            source.color.transfer = BT709;
        } else if Transfer::of_tag(tag).is_none() {
            let name = code_point_name("transfer", tag).unwrap_or("unknown");
            return Err(Error::unsupported(format!(
                "the stream's transfer is {name} ({tag}), which is not linearised"
            )));
        }
        Ok(source)
    }

    fn output(&self, source: &StreamInfo) -> Result<StreamInfo> {
        let mut output = source.clone();
        // Several tags are shown alike.
        let is = Transfer::of_tag(source.color.transfer);
        if let Some(to) = self.to.map(tag_of).filter(|to| Transfer::of_tag(*to) != is) {
            output.color.transfer = to;
        }
        Ok(output)
    }

    fn work(&self, source: &StreamInfo, output: &StreamInfo) -> RgbStep {
        self.light(source, output).into()
    }
}
