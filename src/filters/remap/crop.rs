//! `crop`: a part of the picture.

use super::map::units;
use super::{Axis, Geometry, Remap, Remapped};
use crate::error::{Error, Result};
use crate::filters::{Change, Descriptor, Footprint};
use crate::params::{ParamKind, Params};
use crate::video::StreamInfo;

/// The longest side of a picture.
pub(super) const LONGEST: i64 = 65_536;

crate::params! {
    /// What `crop` needs.
    pub struct CropParams {
        /// Width of what stays. `auto` is all from `x` on.
        w: Option<i64> = None, ParamKind::Int { min: 1, max: LONGEST }, unit "samples", aliases ["width", "out_w"];
        /// Height of what stays. `auto` is all from `y` on.
        h: Option<i64> = None, ParamKind::Int { min: 1, max: LONGEST }, unit "rows", aliases ["height", "out_h"];
        /// First column that stays. `auto` takes away as much on both sides.
        x: Option<i64> = None, ParamKind::Int { min: 0, max: LONGEST }, unit "samples", aliases ["left"];
        /// First row that stays. `auto` takes away as much above and below.
        y: Option<i64> = None, ParamKind::Int { min: 0, max: LONGEST }, unit "rows", aliases ["top"];
        /// Whether columns and rows become multiples of what chroma needs, instead of being refused.
        round: bool = false, ParamKind::Bool, unit "", aliases [];
    }
    presets {}
}

/// What `crop` is.
pub static DESCRIPTOR: Descriptor = Descriptor {
    name: "crop",
    aliases: &[],
    summary: "Keeps a part of the picture",
    definition: "\
Sample (i, j) of the result is sample (x + i, y + j) of the source. What is left out on both sides alike (`auto`) is rounded \
down to whole samples of chroma.

`x` and `y` are whole samples of chroma: even columns in 4:2:2, even columns and rows in 4:2:0, and multiples of four rows \
where 4:2:0 is interlaced, so that chroma stays in the field of its luma. Others are refused, with the next that are \
allowed; `round=on` takes the next below, and makes `w` and `h` multiples too. A part that reaches beyond the picture is \
refused.

The sample aspect ratio stays. An odd `y` exchanges the fields of interlaced frames, and they are marked so. Metadata about \
places in the picture (pan-scan, active format, regions of interest) is dropped.

Accuracy: samples are moved, not computed.

Cost: that of a copy of what stays.",
    schema: CropParams::SCHEMA,
    accepts: |_| true,
    footprint: Footprint::Point,
    temporal: "",
    changes: &[Change::Size],
    neutral: &["", "x=0:y=0"],
    cases: &["x=2:y=2", "12:2:4:0", "w=7:round=on:x=3:y=1", "w=60:x=2", "w=60:h=2:y=auto"],
    create: Remapped::<CropParams>::create,
};

impl Remap for CropParams {
    const DESCRIPTOR: &'static Descriptor = &DESCRIPTOR;

    fn geometry(&self, input: &StreamInfo) -> Result<Geometry> {
        let (across, down) = units(input);
        let side = |size: usize, unit, names, kept, first| {
            Extent { input, size: size as i64, unit, names, round: self.round }.part(kept, first)
        };
        let (x, w) = side(input.width, across, ["w", "x"], self.w, self.x)?;
        let (y, h) = side(input.height, down, ["h", "y"], self.h, self.y)?;
        Ok(Geometry { size: (w as usize, h as usize), ..Geometry::of(input, Axis::From(x), Axis::From(y)) })
    }
}

/// One direction of a picture.
struct Extent<'a> {
    input: &'a StreamInfo,
    size: i64,
    /// Samples that offsets are multiples of.
    unit: i64,
    /// What its options are called.
    names: [&'static str; 2],
    round: bool,
}

impl Extent<'_> {
    /// Where the part of `kept` samples from `first` on begins, and its length.
    fn part(&self, kept: Option<i64>, first: Option<i64>) -> Result<(i64, i64)> {
        let below = |value: i64| value / self.unit * self.unit;
        let kept = if self.round { kept.map(|kept| below(kept).max(self.unit.min(self.size))) } else { kept };
        let first = match first {
            Some(first) if self.round => below(first),
            Some(first) => first,
            None => below((self.size - kept.unwrap_or(self.size)).max(0) / 2),
        };
        let [length_name, first_name] = self.names;
        let of = format_args!("{} pictures of {}x{}", self.input.format, self.input.width, self.input.height);
        if first % self.unit != 0 {
            let (low, high) = (below(first), below(first) + self.unit);
            return Err(Error::bad_argument(format!(
                "{first_name}={first} would split samples of chroma in {of}: use {first_name}={low} or \
                 {first_name}={high}, or add round=on"
            )));
        }
        if first >= self.size {
            let most = below(self.size - 1);
            return Err(Error::bad_argument(format!(
                "{first_name}={first} lies beyond {of}: {first_name} goes up to {most}"
            )));
        }
        let length = kept.unwrap_or(self.size - first);
        if first + length > self.size {
            let most = self.size - first;
            return Err(Error::bad_argument(format!(
                "{length_name}={length} from {first} on reaches beyond {of}: {length_name} goes up to {most} there"
            )));
        }
        Ok((first, length))
    }
}
