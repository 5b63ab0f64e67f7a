//! `box`: the mean of a rectangle around every sample.

#[cfg(feature = "cuda")]
mod cuda;
mod fast;
pub(in crate::filters) mod mean;
mod plan;
mod reference;
#[cfg(test)]
mod tests;
mod tuning;

use crate::filters::planes::PlaneSet;
use crate::filters::{Alias, Descriptor, Footprint, planned};
use crate::params::{Choice, ParamKind, Params};
use plan::Plan;

/// How far a window may reach, in each direction.
const RADIUS: ParamKind = ParamKind::Int { min: 0, max: 512 };

crate::params! {
    /// The parameters of `box`.
    pub struct BoxParams {
        /// How far the window reaches to each side, in samples of the plane at hand.
        radius: i64 = 2, RADIUS, unit "samples", aliases ["r"];
        /// How far it reaches to the left and right; `auto` is `radius`.
        radius_w: Option<i64> = None, RADIUS, unit "samples", aliases ["rw", "hradius"], label "Radius across";
        /// How far it reaches up and down; `auto` is `radius`.
        radius_h: Option<i64> = None, RADIUS, unit "samples", aliases ["rh", "vradius"], label "Radius down";
        /// How often the mean is taken. Two passes weigh as a tent does, three nearly as a Gaussian.
        passes: i64 = 1, ParamKind::Int { min: 1, max: 8 }, unit "", aliases ["power"];
        #[doc = crate::filters::planes::planes_doc!()]
        planes: PlaneSet = PlaneSet::Yuv, ParamKind::Choice(<PlaneSet as Choice>::WORDS), unit "", aliases [];
    }
    presets {
        "soft": "Three small passes: round, and close to a Gaussian of sigma 2", [("radius", "2"), ("passes", "3")];
    }
    elsewhere {
        ["luma_radius", "lr"]: "FFmpeg's is 'radius' here, of all planes";
        ["luma_power", "lp"]: "FFmpeg's is 'passes' here, of all planes";
        ["chroma_radius", "cr", "chroma_power", "cp"]:
            "filter planes apart, as in box=radius=4:planes=y,box=radius=2:planes=uv";
        ["alpha_radius", "ar", "alpha_power", "ap"]: "there is no alpha in a chain";
        ["hpasses", "vpasses"]: "'passes' is of both directions here";
    }
}

/// What `box` is.
pub static DESCRIPTOR: Descriptor = Descriptor {
    name: "box",
    aliases: &[Alias::foreign("FFmpeg", "boxblur", "box=radius=2:passes=1"), Alias::own("mean")],
    summary: "Blurs: every sample becomes the mean of the rectangle around it, at a cost that hardly grows with it",
    definition: include_str!("definition.md"),
    schema: BoxParams::SCHEMA,
    accepts: |_| true,
    footprint: Footprint::Window(
        "`passes` times `radius_w` samples to each side and `radius_h` up and down, on every plane",
    ),
    temporal: "",
    changes: &[],
    neutral: &["radius=0", "radius=0:passes=3"],
    cases: &[
        "radius=1",
        "radius=3",
        "radius=8",
        "radius=15",
        "radius=16",
        "radius=100",
        "radius=2:passes=2",
        "radius=2:passes=2:planes=y",
        "radius=8:passes=3:planes=u",
        "radius_w=512:radius_h=5:passes=3",
        "radius_w=0:radius_h=512:planes=yu",
        "radius_w=128:radius_h=20:planes=yv",
        "radius_w=130:radius_h=130:planes=v",
        "radius_w=9:radius_h=0:planes=uv",
    ],
    create: |call| Ok(Box::new(BoxBlur { params: BoxParams::from_call(call)? })),
};

/// `box` with its parameters set.
#[derive(Debug)]
struct BoxBlur {
    params: BoxParams,
}

planned!(BoxBlur);
