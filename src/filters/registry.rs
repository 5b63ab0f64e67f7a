//! The list of filters. Adding one is one line here.

use crate::error::{Error, Result};
use crate::filters::colour::{matrix, tonemap, transfer};
use crate::filters::fields::{separate, weave};
use crate::filters::remap::{crop, hflip, pad, rotate, transpose, vflip};
use crate::filters::resample::{format, scale, shift};
use crate::filters::{
    Descriptor, Filter, banding, bilateral, boxblur, deband, depth, diff, gauss, gradient, levels, localtone, median,
    merge, names, overlay, range, saturation, select, stats, tmedian, tsoften, unsharp, zones,
};
use crate::params::{Call, did_you_mean, parse_chain};

/// Every filter.
pub static ALL: &[&Descriptor] = &[
    &deband::DESCRIPTOR,
    &gradient::DESCRIPTOR,
    &bilateral::DESCRIPTOR,
    &boxblur::DESCRIPTOR,
    &gauss::DESCRIPTOR,
    &depth::DESCRIPTOR,
    &range::DESCRIPTOR,
    &crop::DESCRIPTOR,
    &pad::DESCRIPTOR,
    &hflip::DESCRIPTOR,
    &vflip::DESCRIPTOR,
    &rotate::DESCRIPTOR,
    &transpose::DESCRIPTOR,
    &scale::DESCRIPTOR,
    &format::DESCRIPTOR,
    &shift::DESCRIPTOR,
    &median::DESCRIPTOR,
    &unsharp::DESCRIPTOR,
    &tmedian::DESCRIPTOR,
    &tsoften::DESCRIPTOR,
    &merge::DESCRIPTOR,
    &diff::DESCRIPTOR,
    &overlay::DESCRIPTOR,
    &saturation::DESCRIPTOR,
    &levels::DESCRIPTOR,
    &tonemap::DESCRIPTOR,
    &localtone::DESCRIPTOR,
    &matrix::DESCRIPTOR,
    &transfer::DESCRIPTOR,
    &names::KEEP,
    &names::USE,
    &stats::DESCRIPTOR,
    &banding::DESCRIPTOR,
    &separate::DESCRIPTOR,
    &weave::DESCRIPTOR,
    &select::DESCRIPTOR,
];

/// The filter called `name` or by an alias of it.
pub fn find(name: &str) -> Option<&'static Descriptor> {
    ALL.iter().copied().find(|d| d.names().any(|known| known == name))
}

/// The filter called `name`, as [`find`].
///
/// # Errors
/// For an unknown filter, with the nearest right name.
pub fn find_or_suggest(name: &str) -> Result<&'static Descriptor> {
    find(name).ok_or_else(|| {
        let near = did_you_mean(name, ALL.iter().flat_map(|d| d.names()));
        Error::bad_argument(format!("no filter is called '{name}'{near} ('vramp filters' lists them)"))
    })
}

/// Makes the filter that `call` asks for.
///
/// # Errors
/// For an unknown filter (with the nearest right name) or wrong arguments.
pub fn create(call: &Call) -> Result<Box<dyn Filter>> {
    let filter = find_or_suggest(&call.name)?;
    match filter.aliases.iter().find(|alias| alias.name == call.name) {
        Some(alias) => zones::create(filter, &alias.translate(call)?),
        None => zones::create(filter, call),
    }
}

/// Makes every filter of the chain written in `text`.
///
/// # Errors
/// As [`parse_chain`] and [`create`].
pub fn chain(text: &str) -> Result<Vec<Box<dyn Filter>>> {
    parse_chain(text)?.iter().map(create).collect()
}
