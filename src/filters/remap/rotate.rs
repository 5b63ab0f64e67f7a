//! `rotate`: quarter turns.

use super::{Axis, Geometry, Remap, Remapped};
use crate::error::{Error, Result};
use crate::filters::remap::transpose::check_subsampling;
use crate::filters::{Change, Descriptor, Footprint};
use crate::params::{ParamKind, Params};
use crate::video::StreamInfo;

crate::params! {
    /// What `rotate` needs.
    pub struct RotateParams {
        /// How far the picture turns clockwise: 0, 90, 180 or 270.
        angle: i64 = 90, ParamKind::Int { min: 0, max: 270 }, unit "degrees", aliases ["degrees"];
    }
    presets {}
}

/// What `rotate` is.
pub static DESCRIPTOR: Descriptor = Descriptor {
    name: "rotate",
    aliases: &[],
    summary: "Turns the picture clockwise by 90, 180 or 270 degrees",
    definition: "\
Sample (i, j) of the result is, of a source of w×h, (j, h − 1 − i) for 90 degrees, (w − 1 − i, h − 1 − j) for 180 and \
(w − 1 − j, i) for 270, in every component.

For 90 and 270 degrees the same holds as for `transpose`, for 180 as for `hflip` and `vflip`. What a file states \
about how players turn its pictures stays as it is.

Accuracy: samples are moved, not computed.

Cost: that of a copy, and for 90 and 270 degrees a little more.",
    schema: RotateParams::SCHEMA,
    accepts: |_| true,
    footprint: Footprint::Point,
    temporal: "",
    changes: &[Change::Size, Change::Aspect, Change::Colour],
    neutral: &["0"],
    cases: &["90", "180", "270"],
    create: |call| {
        let params = RotateParams::from_call(call)?;
        match params.angle % 90 {
            0 => Ok(Box::new(Remapped::new(params))),
            _ => Err(Error::bad_argument(format!(
                "rotate: option 'angle' cannot be '{}': it takes 0, 90, 180 or 270 (degrees)",
                params.angle
            ))),
        }
    },
};

impl Remap for RotateParams {
    const DESCRIPTOR: &'static Descriptor = &DESCRIPTOR;

    fn geometry(&self, input: &StreamInfo) -> Result<Geometry> {
        if self.angle % 180 == 90 {
            check_subsampling(input)?;
        }
        Ok(match self.angle {
            90 => Geometry::swapped(input, Axis::From(0), Axis::Mirrored),
            180 => Geometry::of(input, Axis::Mirrored, Axis::Mirrored),
            270 => Geometry::swapped(input, Axis::Mirrored, Axis::From(0)),
            _ => Geometry::of(input, Axis::From(0), Axis::From(0)),
        })
    }
}
