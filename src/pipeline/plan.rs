//! Negotiation: from a stream, a chain and a wanted output to the kernels that run and the storage between them.

use crate::error::{Error, Result};
use crate::filters::depth::{Depth, Dither};
use crate::filters::{Filter, Setup};
use crate::video::{Format, StreamInfo};

/// What the sink wants of the last picture.
#[derive(Clone, Copy, Debug)]
pub struct Target {
    /// Storage format; `None` keeps the components at the depth the chain ends with, planar.
    pub format: Option<Format>,
    /// How a lower depth is reached; `None` rounds.
    pub dither: Dither,
}

impl Default for Target {
    fn default() -> Self {
        Self { format: None, dither: Dither::None }
    }
}

/// One kernel of a plan.
#[derive(Debug)]
pub struct Stage {
    /// The filter.
    pub filter: Box<dyn Filter>,
    /// What its kernel is built for.
    pub setup: Setup,
}

/// A chain that fits a stream and a target.
#[derive(Debug)]
pub struct Plan {
    /// The stream the chain gets.
    pub input: StreamInfo,
    /// The stream it gives; `format` is the storage the sink gets.
    pub output: StreamInfo,
    /// The kernels in order. None: pictures pass untouched.
    pub stages: Vec<Stage>,
    /// Calls left out because they would change no sample.
    pub skipped: Vec<String>,
}

/// Plans `filters` for `input`, ending in `target`.
///
/// Between filters samples are v16 (YC48 stays YC48). The first kernel widens and the last narrows, so no stage is
/// added for storage alone, but one: a `depth` where rounding a shift is not the right narrowing (full range, dither,
/// an empty chain).
///
/// # Errors
/// When a filter does not take the stream, or the target's components are not the chain's.
pub fn plan(filters: Vec<Box<dyn Filter>>, input: &StreamInfo, target: Target) -> Result<Plan> {
    let mut info = input.clone();
    let mut skipped = Vec::new();
    let mut kept: Vec<(Box<dyn Filter>, StreamInfo, StreamInfo)> = Vec::new();
    for filter in filters {
        let descriptor = filter.descriptor();
        if !(descriptor.accepts)(info.format) {
            return Err(Error::unsupported(format!("{} does not take {}", descriptor.name, info.format)));
        }
        let output = filter.output(&info).map_err(|e| e.context(descriptor.name))?;
        if filter.is_identity(&info) {
            skipped.push(crate::params::print_chain(&[filter.call()], crate::params::Spelling::FFmpeg));
        } else {
            kept.push((filter, info, output.clone()));
        }
        info = output;
    }

    let untouched = kept.is_empty() && info.format == input.format;
    let format = match target.format {
        Some(format) => format,
        None if untouched || info.format.is_yc48() => info.format,
        None => info.format.to_planar(info.format.bit_depth())?,
    };
    if needs_depth(&kept, &info, format, target.dither)? {
        let filter: Box<dyn Filter> = Box::new(Depth::to(format.bit_depth(), target.dither));
        let output = filter.output(&info)?;
        kept.push((filter, info, output.clone()));
        info = output;
    }

    let mid = if input.format.is_yc48() { Format::YC48 } else { input.format.to_v16() };
    let last = kept.len().saturating_sub(1);
    let stages = kept.into_iter().enumerate().map(|(i, (filter, input_info, output_info))| {
        let src = if i == 0 { input.format } else { mid };
        let dst = if i == last { format } else { mid };
        Stage { filter, setup: Setup { input: input_info, output: output_info, src, dst } }
    });
    Ok(Plan { input: input.clone(), stages: stages.collect(), output: StreamInfo { format, ..info }, skipped })
}

/// Whether a `depth` stage must end the chain to reach `format`.
fn needs_depth(
    kept: &[(Box<dyn Filter>, StreamInfo, StreamInfo)],
    info: &StreamInfo,
    format: Format,
    dither: Dither,
) -> Result<bool> {
    let components = |f: Format| (f.model(), f.subsampling_w(), f.subsampling_h(), f.is_yc48());
    if components(info.format) != components(format) {
        return Err(Error::unsupported(format!("the chain ends in {} and cannot be stored as {format}", info.format)));
    }
    let lower = format.bit_depth() < info.format.bit_depth();
    let depth_changes = format.bit_depth() != info.format.bit_depth();
    let stored_by_shift =
        !(depth_changes && info.color.range.is_full()) && (dither == Dither::None || !narrows(kept, lower));
    Ok(if kept.is_empty() { format != info.format } else { !stored_by_shift })
}

/// Whether the end of the chain loses bits: it ends in fewer bits than the stream has, or its filters leave v16
/// values between the stream's codes.
fn narrows(kept: &[(Box<dyn Filter>, StreamInfo, StreamInfo)], lower: bool) -> bool {
    let ends_in_depth =
        kept.last().is_some_and(|(filter, ..)| filter.descriptor().name == crate::filters::depth::DESCRIPTOR.name);
    lower || !ends_in_depth
}
