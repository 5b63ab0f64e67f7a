//! `hflip`: left and right exchanged.

use super::{Axis, Geometry, Remap, Remapped};
use crate::error::Result;
use crate::filters::{Descriptor, Footprint};
use crate::params::Params;
use crate::video::StreamInfo;

crate::params! {
    /// `hflip` needs nothing.
    pub struct HflipParams {}
    presets {}
}

/// What `hflip` is.
pub static DESCRIPTOR: Descriptor = Descriptor {
    name: "hflip",
    aliases: &[],
    summary: "Mirrors the picture: left becomes right",
    definition: "\
Sample (i, j) of the result is sample (w − 1 − i, j) of the source, in every component.

Chroma that sits above the left one of its luma samples then sits above the right one, where no standard has a word for it: \
samples are kept as they are, half a chroma sample off where a player takes them for left-sited, and the chroma location \
is not stated any more. Metadata about places in the picture (pan-scan, active format, regions of interest) is \
dropped.

Accuracy: samples are moved, not computed.

Cost: that of a copy of the picture.",
    schema: HflipParams::SCHEMA,
    accepts: |_| true,
    footprint: Footprint::Point,
    temporal: "",
    changes: &[],
    neutral: &[],
    cases: &[""],
    create: Remapped::<HflipParams>::create,
};

impl Remap for HflipParams {
    const DESCRIPTOR: &'static Descriptor = &DESCRIPTOR;

    fn geometry(&self, input: &StreamInfo) -> Result<Geometry> {
        Ok(Geometry::of(input, Axis::Mirrored, Axis::From(0)))
    }
}
