//! `rgauss`: a wide Gaussian blur at constant cost.

#[cfg(feature = "cuda")]
mod cuda;
mod fast;
mod plan;
mod reference;
#[cfg(test)]
mod tests;
mod tuning;

use crate::error::{Error, Result};
use crate::filters::planes::PlaneSet;
use crate::filters::{Descriptor, Filter, Footprint, planned};
use crate::params::{Call, Choice, ParamKind, Params};
use plan::Plan;

/// The smallest sigma: `gauss` takes those below.
const LEAST: f64 = 2.0;

crate::params! {
    /// The parameters of `rgauss`.
    pub struct RgaussParams {
        /// Standard deviation of the Gaussian, in samples of the plane at hand. `gauss` takes those below 2.
        sigma: f64 = 10.0, ParamKind::Float { min: LEAST, max: 512.0 }, unit "samples", aliases ["s"];
        /// How often a box goes over columns, and over rows: more come nearer to a Gaussian, and take longer.
        passes: i64 = 4, ParamKind::Int { min: 3, max: 6 }, unit "", aliases [];
        #[doc = crate::filters::planes::planes_doc!()]
        planes: PlaneSet = PlaneSet::Yuv, ParamKind::Choice(<PlaneSet as Choice>::WORDS), unit "", aliases [];
    }
    presets {}
    elsewhere {
        ["radius", "r"]: "the width follows from 'sigma'; box= takes a radius";
        ["sigmaV"]: "the Gaussian is as high as it is wide here, by 'sigma'";
        ["steps"]: "give 'passes', from 3 to 6";
    }
}

/// What `rgauss` is.
pub static DESCRIPTOR: Descriptor = Descriptor {
    name: "rgauss",
    aliases: &[],
    summary: "Blurs very wide at constant cost: close to a Gaussian of any sigma, in integers",
    definition: include_str!("definition.md"),
    schema: RgaussParams::SCHEMA,
    accepts: |_| true,
    footprint: Footprint::Window("about `√(3·passes)` times `sigma` in each direction, on every plane"),
    temporal: "",
    changes: &[],
    neutral: &[],
    cases: &[
        "sigma=2:passes=6",
        "sigma=20",
        "sigma=200",
        "sigma=7.3:passes=3:planes=yv",
        "sigma=64:passes=5:planes=uv",
    ],
    create,
};

fn create(call: &Call) -> Result<Box<dyn Filter>> {
    let params = RgaussParams::from_call(call).map_err(|error| match below(call) {
        Some(sigma) => Error::bad_argument(format!("{}: gauss=sigma={sigma} takes it", error.message())),
        None => error,
    })?;
    Ok(Box::new(Rgauss { params }))
}

/// The sigma of `call`, where `gauss` would take it.
fn below(call: &Call) -> Option<f64> {
    let is_sigma = |key: &str| ["sigma", "s"].contains(&key);
    let arg = call.args.iter().find(|arg| arg.key.as_deref().is_none_or(is_sigma))?;
    arg.value.parse().ok().filter(|sigma| (0.1..LEAST).contains(sigma))
}

/// `rgauss` with its parameters set.
#[derive(Debug)]
struct Rgauss {
    params: RgaussParams,
}

planned!(Rgauss);
