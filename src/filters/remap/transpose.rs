//! `transpose`: columns for rows.

use super::{Axis, Geometry, Remap, Remapped};
use crate::error::{Error, Result};
use crate::filters::{Change, Descriptor, Footprint};
use crate::params::{Choice, ParamKind, Params};
use crate::video::StreamInfo;

crate::choices! {
    /// What is done beside exchanging columns and rows.
    pub enum Dir {
        /// Nothing, which is a quarter turn counterclockwise and a vertical flip.
        CclockFlip = "cclock_flip",
        /// A quarter turn clockwise.
        Clock = "clock",
        /// A quarter turn counterclockwise.
        Cclock = "cclock",
        /// A quarter turn clockwise and a vertical flip.
        ClockFlip = "clock_flip",
    }
    spelled by is_number_of;
}

/// True when `text` is FFmpeg's number of `word`.
fn is_number_of(word: &str, text: &str) -> bool {
    text.parse().is_ok_and(|number: usize| Dir::WORDS.get(number) == Some(&word))
}

crate::params! {
    /// What `transpose` needs.
    pub struct TransposeParams {
        /// Which turn it is, by FFmpeg's words or its numbers: `cclock_flip` (0) only exchanges columns and rows, `clock` (1)
        /// and `cclock` (2) are quarter turns, `clock_flip` (3) is `clock` turned upside down.
        dir: Dir = Dir::CclockFlip, ParamKind::Choice(<Dir as Choice>::WORDS), unit "", aliases [];
    }
    presets {}
}

/// What `transpose` is.
pub static DESCRIPTOR: Descriptor = Descriptor {
    name: "transpose",
    aliases: &[],
    summary: "Exchanges columns and rows, with or without a flip",
    definition: "\
Sample (i, j) of the result is, of a source of w×h, (j, i) for `cclock_flip`, (j, h − 1 − i) for `clock`, (w − 1 − j, i) for \
`cclock` and (w − 1 − j, h − 1 − i) for `clock_flip`, in every component.

The sample aspect ratio is turned over. The chroma location turns with the picture: left becomes top; where no standard has a \
word for the new one, it is not stated any more and samples are kept as they are. 4:2:2 is refused: it would become \
4:4:0. Fields would become columns: the frames are marked progressive. Metadata about places in the picture \
(pan-scan, active format, regions of interest) is dropped.

Accuracy: samples are moved, not computed.

Cost: that of a copy and a little more.",
    schema: TransposeParams::SCHEMA,
    accepts: |_| true,
    footprint: Footprint::Point,
    temporal: "",
    changes: &[Change::Size, Change::Aspect, Change::Colour],
    neutral: &[],
    cases: &["0", "clock", "cclock", "clock_flip"],
    create: Remapped::<TransposeParams>::create,
};

impl Remap for TransposeParams {
    const DESCRIPTOR: &'static Descriptor = &DESCRIPTOR;

    fn geometry(&self, input: &StreamInfo) -> Result<Geometry> {
        check_subsampling(input)?;
        let (columns, rows) = match self.dir {
            Dir::CclockFlip => (Axis::From(0), Axis::From(0)),
            Dir::Clock => (Axis::From(0), Axis::Mirrored),
            Dir::Cclock => (Axis::Mirrored, Axis::From(0)),
            Dir::ClockFlip => (Axis::Mirrored, Axis::Mirrored),
        };
        Ok(Geometry::swapped(input, columns, rows))
    }
}

/// Refuses formats whose chroma would be subsampled as no format is.
pub(super) fn check_subsampling(input: &StreamInfo) -> Result<()> {
    let format = input.format;
    if format.subsampling_w() == format.subsampling_h() {
        return Ok(());
    }
    Err(Error::unsupported(format!(
        "{format} would become 4:4:0, which no format here holds: convert it to 4:4:4 or 4:2:0 first"
    )))
}
