//! Filters by their names.

use crate::error::{Error, Result};
use crate::filters::{ALL, Descriptor, Filter, masked};
use crate::params::{Call, did_you_mean, parse_chain};

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
        Some(alias) => masked::create(filter, &alias.translate(call)?),
        None => masked::create(filter, call),
    }
}

/// `call` for a record of what was done: where its filter reads a file, with the hash of that file, so that the call is
/// refused once the file is another.
///
/// # Errors
/// As [`create`].
pub fn pinned(call: &Call) -> Result<Call> {
    let reads_a_file = find_or_suggest(&call.name)?.schema.find(FILE_HASH).is_some();
    if reads_a_file { Ok(create(call)?.call()) } else { Ok(call.clone()) }
}

/// The parameter of filters that read a file: the hash that the file must have.
const FILE_HASH: &str = "sha256";

/// Makes every filter of the chain written in `text`.
///
/// # Errors
/// As [`parse_chain`] and [`create`].
pub fn chain(text: &str) -> Result<Vec<Box<dyn Filter>>> {
    parse_chain(text)?.iter().map(create).collect()
}
