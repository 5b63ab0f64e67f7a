//! `pad`: a border.

use super::crop::LONGEST;
use super::map::units;
use super::{Axis, Geometry, Remap, Remapped};
use crate::error::{Error, Result};
use crate::filters::{Change, Descriptor, Footprint};
use crate::params::{Argument, ParamKind, ParamValue, Params, refuse};
use crate::video::{Model, StreamInfo};

/// The colour of a border.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Colour {
    /// Black of the stream's own range and format.
    Black,
    /// Codes of 8 bits, by component.
    Codes([u8; 3]),
}

impl Colour {
    const FORM: ParamKind = ParamKind::Text("black, or three codes from 0 to 255, as 16+128+128");
}

impl ParamValue for Colour {
    fn parse(given: &Argument<'_>) -> Result<Colour> {
        if given.text == "black" {
            return Ok(Colour::Black);
        }
        let codes: Option<Vec<u8>> = given.text.split('+').map(|code| code.parse().ok()).collect();
        codes.and_then(|codes| codes.try_into().ok()).map(Colour::Codes).ok_or_else(|| refuse(given))
    }

    fn print(&self) -> String {
        match self {
            Colour::Black => "black".to_owned(),
            Colour::Codes([a, b, c]) => format!("{a}+{b}+{c}"),
        }
    }
}

crate::params! {
    /// What `pad` needs.
    pub struct PadParams {
        /// Width of the result. `auto` is as far as the picture goes, with no columns to its right.
        w: Option<i64> = None, ParamKind::Int { min: 1, max: LONGEST }, unit "samples", aliases ["width"];
        /// Height of the result. `auto` is as far as the picture goes, with no rows below it.
        h: Option<i64> = None, ParamKind::Int { min: 1, max: LONGEST }, unit "rows", aliases ["height"];
        /// Columns left of the picture. `auto` puts it in the middle.
        x: Option<i64> = Some(0), ParamKind::Int { min: 0, max: LONGEST }, unit "samples", aliases ["left"];
        /// Rows above the picture. `auto` puts it in the middle.
        y: Option<i64> = Some(0), ParamKind::Int { min: 0, max: LONGEST }, unit "rows", aliases ["top"];
        /// The border's colour: codes of 8 bits of Y, Cb and Cr, or of R, G and B, in the stream's range.
        color: Colour = Colour::Black, Colour::FORM, unit "", aliases ["colour"];
        /// Whether columns and rows become multiples of what chroma needs, instead of being refused.
        round: bool = false, ParamKind::Bool, unit "", aliases [];
    }
    presets {}
}

/// What `pad` is.
pub static DESCRIPTOR: Descriptor = Descriptor {
    name: "pad",
    aliases: &[],
    summary: "Puts a border of one colour around the picture",
    definition: "\
Sample (x + i, y + j) of the result is sample (i, j) of the source; all others have the border's colour. A code of 8 bits is \
brought to the stream's depth as `depth` does it: shifted in limited range, by the exact ratio in full range. Grey takes \
the first code. Black is code 16 in limited range and 0 in full range, with chroma at 128.

`x` and `y` are whole samples of chroma, as in `crop`: others are refused, with the next that are allowed; `round=on` takes \
the next below. The middle (`auto`) is rounded down to them. A result smaller than the picture at its place is refused.

The sample aspect ratio stays. An odd `y` exchanges the fields of interlaced frames, and they are marked so. Metadata about \
places in the picture (pan-scan, active format, regions of interest) is dropped.

Accuracy: samples are moved, not computed; the colour is the nearest of the stream's codes.

Cost: that of a copy of the result.",
    schema: PadParams::SCHEMA,
    accepts: |_| true,
    footprint: Footprint::Point,
    temporal: "",
    changes: &[Change::Size],
    neutral: &["", "color=1+2+3"],
    cases: &[
        "x=8:y=6:color=81+90+240",
        "w=1037:x=auto",
        "x=3:y=1:round=on:color=255+0+7",
        "h=605:y=auto:color=0+255+254",
    ],
    create: Remapped::<PadParams>::create,
};

impl Remap for PadParams {
    const DESCRIPTOR: &'static Descriptor = &DESCRIPTOR;

    fn geometry(&self, input: &StreamInfo) -> Result<Geometry> {
        let (across, down) = units(input);
        let (x, w) = self.side(input, input.width, across, ["w", "x"], self.w, self.x)?;
        let (y, h) = self.side(input, input.height, down, ["h", "y"], self.h, self.y)?;
        let fill = match self.color {
            Colour::Black => None,
            Colour::Codes(codes) if input.format.model() == Model::Gray => Some([codes[0]; 3]),
            Colour::Codes(codes) => Some(codes),
        };
        let placed = Geometry::of(input, Axis::From(-x), Axis::From(-y));
        Ok(Geometry { size: (w as usize, h as usize), fill, ..placed })
    }
}

impl PadParams {
    /// Where the picture's `size` samples begin in one direction of the result, and the length of that.
    fn side(
        &self,
        input: &StreamInfo,
        size: usize,
        unit: i64,
        [length_name, first_name]: [&str; 2],
        length: Option<i64>,
        first: Option<i64>,
    ) -> Result<(i64, i64)> {
        let size = size as i64;
        let below = |value: i64| value / unit * unit;
        let first = match first {
            Some(first) if self.round => below(first),
            Some(first) => first,
            None => below((length.unwrap_or(size) - size).max(0) / 2),
        };
        let length = length.unwrap_or(first + size);
        if first % unit != 0 {
            let (low, high) = (below(first), below(first) + unit);
            return Err(Error::bad_argument(format!(
                "{first_name}={first} would split samples of chroma in {}: use {first_name}={low} or \
                 {first_name}={high}, or add round=on",
                input.format
            )));
        }
        if first + size > length {
            return Err(Error::bad_argument(format!(
                "the picture's {size} from {first} on do not fit in {length_name}={length}: use {length_name}={} or more",
                first + size
            )));
        }
        Ok((first, length))
    }
}
