//! `curves`: tone curves through points.

mod spline;
#[cfg(test)]
mod tests;

use crate::error::{Error, Result};
use crate::filters::point::{self, Map, Nominal, Points, Pointwise};
use crate::filters::{Descriptor, Footprint};
use crate::params::{Choice, ParamKind, Params};
use crate::video::{Model, StreamInfo};
use spline::{Curve, CurveInterp, CurvePoints};
use std::array::from_fn;

crate::params! {
    /// The parameters of `curves`.
    pub struct CurvesParams {
        /// The curve of luma, grey, or of R, G and B behind their own.
        master: CurvePoints = CurvePoints::default(), CurvePoints::FORM, unit "", aliases ["m", "all"];
        /// The curve of R.
        red: CurvePoints = CurvePoints::default(), CurvePoints::FORM, unit "", aliases ["r"];
        /// The curve of G.
        green: CurvePoints = CurvePoints::default(), CurvePoints::FORM, unit "", aliases ["g"];
        /// The curve of B.
        blue: CurvePoints = CurvePoints::default(), CurvePoints::FORM, unit "", aliases ["b"];
        /// The curve of Cb, which has its middle at 0.5.
        u: CurvePoints = CurvePoints::default(), CurvePoints::FORM, unit "", aliases ["cb"];
        /// The curve of Cr, which has its middle at 0.5.
        v: CurvePoints = CurvePoints::default(), CurvePoints::FORM, unit "", aliases ["cr"];
        /// From point to point by a natural cubic spline, which may swing beyond them, or by monotone cubics (`pchip`), which
        /// do not.
        interp: CurveInterp = CurveInterp::Natural, ParamKind::Choice(<CurveInterp as Choice>::WORDS), unit "", aliases [];
    }
    presets {
        "darker": "The middle darker", [("master", "0/0+0.5/0.4+1/1")];
        "lighter": "The middle lighter", [("master", "0/0+0.4/0.5+1/1")];
        "linear_contrast": "A little more contrast", [("master", "0/0+0.3/0.28+0.7/0.72+1/1")];
        "medium_contrast": "More contrast", [("master", "0/0+0.28/0.22+0.72/0.78+1/1")];
        "strong_contrast": "Much more contrast", [("master", "0/0+0.3/0.2+0.7/0.8+1/1")];
        "faded": "Black and white less far apart, as of an old print", [("master", "0/0.08+0.25/0.26+0.75/0.74+1/0.94")];
        "negative": "Light is dark, and dark is light", [("master", "0/1+1/0")];
    }
    elsewhere {
        ["y", "luma"]: "the curve of luma is master=";
        ["psfile"]: "files of curves are not read: write their points, as master=0/0+0.5/0.6+1/1";
        ["plot"]: "curves are not drawn";
    }
}

/// What `curves` is.
pub static DESCRIPTOR: Descriptor = Descriptor {
    name: "curves",
    aliases: &[],
    summary: "Tone curves through points, for all channels together or each",
    definition: "\
A curve goes through its points `x/y` from left to right: `x` is what a value is and `y` what it becomes, 0 at nominal black and 1 \
at nominal white; of chroma the nominal ends are 0 and 1, and its middle is 0.5. Before the first point and after the last a curve \
is flat, so what lies below black or above white ends there; curves are kept within 0 and 1. Points are joined by `+`, or by spaces \
in quotes as in FFmpeg's `curves`, whose names and meaning they have: `curves=red='0/0.1 1/0.9'`. A component without a curve stays.

On R, G and B `master` is the curve behind their own; on YCbCr it is that of luma, and `u` and `v` are those of chroma: R, G and B have \
theirs behind `matrix=to=rgb`. `natural` is the cubic spline whose curvature is 0 at both ends, as FFmpeg's; `monotone` takes the \
slopes of Fritsch and Butland (*A method for constructing local monotone piecewise cubic interpolants*, 1984).

Accuracy: a table of all 65536 values, computed in 64-bit floats with sums, products and quotients alone; the result is the nearest \
of 16 bits.

Cost: that of a copy, and one look into a table for each sample.",
    schema: CurvesParams::SCHEMA,
    accepts: |format| !format.is_yc48(),
    footprint: Footprint::Point,
    temporal: "",
    changes: &[],
    neutral: &["", "interp=monotone"],
    cases: &["master=0/0+0.3/0.2+0.7/0.8+1/1", "master=0/0.1+0.4/0.6+1/0.9:interp=monotone", "master=0.1/1+0.9/0"],
    create: point::create::<CurvesParams>,
};

impl Pointwise for CurvesParams {
    const DESCRIPTOR: &'static Descriptor = &DESCRIPTOR;

    fn check(&self, input: &StreamInfo) -> Result<()> {
        let is_given = |curves: &[&CurvePoints]| curves.iter().any(|curve| !curve.is_empty());
        let format = input.format;
        match format.model() {
            Model::Rgb if is_given(&[&self.u, &self.v]) => Err(Error::unsupported(format!(
                "u and v are curves of chroma, and {format} has r, g and b: use red=, green= and blue="
            ))),
            Model::Yuv | Model::Gray if is_given(&[&self.red, &self.green, &self.blue]) => Err(Error::unsupported(
                format!("{format} has no r, g and b: use master=, u= and v=, or put matrix=to=rgb before it"),
            )),
            Model::Gray if is_given(&[&self.u, &self.v]) => {
                Err(Error::unsupported(format!("{format} has no chroma: use master=")))
            }
            _ => Ok(()),
        }
    }

    fn points(&self, input: &StreamInfo) -> Points {
        let first = from_fn(|component| match input.format.model() {
            Model::Rgb => self.map(input, component, [&self.red, &self.green, &self.blue][component]),
            Model::Yuv => self.map(input, component, [&self.master, &self.u, &self.v][component]),
            Model::Gray => self.map(input, component, &self.master),
        });
        let mut points = Points::of_maps(first);
        if input.format.model() == Model::Rgb {
            points = points.then(Points::of_maps(from_fn(|component| self.map(input, component, &self.master))));
        }
        points
    }
}

impl CurvesParams {
    /// The curve of a component, if the stream has that and it has one.
    fn map(&self, input: &StreamInfo, component: usize, points: &CurvePoints) -> Option<Map> {
        if points.is_empty() || component >= input.format.components() {
            return None;
        }
        let curve = Curve::new(points, self.interp);
        let nominal = Nominal::of(input, component);
        Some(match input.format.is_chroma(component) {
            // Its 0 is the middle, and its ends are −1 and 1.
            true => nominal.map(move |x| 2.0 * curve.at((x + 1.0) / 2.0) - 1.0),
            false => nominal.map(move |x| curve.at(x)),
        })
    }
}
