//! `vflip`: top and bottom exchanged.

use super::{Axis, Geometry, Remap, Remapped};
use crate::error::Result;
use crate::filters::{Descriptor, Footprint};
use crate::params::Params;
use crate::video::StreamInfo;

crate::params! {
    /// `vflip` needs nothing.
    pub struct VflipParams {}
    presets {}
}

/// What `vflip` is.
pub static DESCRIPTOR: Descriptor = Descriptor {
    name: "vflip",
    aliases: &[],
    summary: "Turns the picture upside down, without mirroring it: top becomes bottom",
    definition: "\
Sample (i, j) of the result is sample (i, h − 1 − j) of the source, in every component.

Rows of the top field become rows of the bottom field where the picture has an even number of rows: interlaced frames are \
marked so. Interlaced 4:2:0 whose number of rows is no multiple of four, so that luma and chroma would change fields apart, is \
refused. Chroma that sits at the top of its luma samples then sits at their bottom, and is marked so. Metadata about \
places in the picture (pan-scan, active format, regions of interest) is dropped.

Accuracy: samples are moved, not computed.

Cost: that of a copy of the picture.",
    schema: VflipParams::SCHEMA,
    accepts: |_| true,
    footprint: Footprint::Point,
    temporal: "",
    changes: &[],
    neutral: &[],
    cases: &[""],
    create: Remapped::<VflipParams>::create,
};

impl Remap for VflipParams {
    const DESCRIPTOR: &'static Descriptor = &DESCRIPTOR;

    fn geometry(&self, input: &StreamInfo) -> Result<Geometry> {
        Ok(Geometry::of(input, Axis::From(0), Axis::Mirrored))
    }
}
