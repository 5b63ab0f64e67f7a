//! `gauss`: a Gaussian blur.

#[cfg(feature = "cuda")]
mod cuda;
#[cfg(feature = "cuda")]
mod far;
mod fast;
mod plan;
mod reference;
#[cfg(test)]
mod tests;
mod tuning;
mod weights;

use crate::filters::planes::PlaneSet;
use crate::filters::{Alias, Descriptor, Footprint, planned};
use crate::params::{Choice, ParamKind, Params};
use plan::Plan;

crate::params! {
    /// The parameters of `gauss`.
    pub struct GaussParams {
        /// Standard deviation of the Gaussian, in samples of the plane at hand.
        sigma: f64 = 0.5, ParamKind::Float { min: 0.1, max: 64.0 }, unit "samples", aliases ["s"];
        /// Where the Gaussian is cut off; `auto` is three sigmas, rounded up.
        radius: Option<i64> = None, ParamKind::Int { min: 0, max: 192 }, unit "samples", aliases ["r"];
        #[doc = crate::filters::planes::planes_doc!()]
        planes: PlaneSet = PlaneSet::Yuv, ParamKind::Choice(<PlaneSet as Choice>::WORDS), unit "", aliases [];
    }
    presets {}
    elsewhere {
        ["sigmaV"]: "the Gaussian is as high as it is wide here, by 'sigma'";
        ["steps"]: "FFmpeg comes nearer to the Gaussian by steps, and it is exact here: leave them out";
    }
}

/// What `gauss` is.
pub static DESCRIPTOR: Descriptor = Descriptor {
    name: "gauss",
    aliases: &[Alias::foreign("FFmpeg", "gblur", "gauss=sigma=2:radius=6")],
    summary: "Blurs with a Gaussian of any width, in integers that keep flat areas flat",
    definition: include_str!("definition.md"),
    schema: GaussParams::SCHEMA,
    accepts: |_| true,
    footprint: Footprint::Window("`radius` samples in each direction, on every plane"),
    temporal: "",
    changes: &[],
    neutral: &["sigma=0.1", "sigma=9:radius=0"],
    cases: &[
        "sigma=1",
        "sigma=2.5",
        "sigma=3",
        "sigma=64",
        "sigma=0.5:planes=yu",
        "sigma=5:radius=4",
        "sigma=6:radius=16",
        "sigma=7:planes=v",
    ],
    create: |call| Ok(Box::new(Gauss { params: GaussParams::from_call(call)? })),
};

/// `gauss` with its parameters set.
#[derive(Debug)]
struct Gauss {
    params: GaussParams,
}

planned!(Gauss);
