//! Which presets are shown.

use crate::error::{Error, Result};
use crate::filters::colour::tonemap;
use crate::filters::{self, Descriptor};

/// A preset of a filter, or its defaults.
pub struct ShownPreset {
    pub filter: &'static str,
    pub preset: Option<&'static str>,
    pub doc: &'static str,
}

/// Every preset of the filters called `names`, or of all, in the order of their lists.
///
/// # Errors
/// For a name that no filter has, and when there are no presets.
pub fn asked(names: &[String]) -> Result<Vec<ShownPreset>> {
    let found = names.iter().map(|name| filters::find_or_suggest(name)).collect::<Result<Vec<_>>>()?;
    let of = |filter: &'static Descriptor| {
        let look = |preset: &crate::params::Preset| ShownPreset {
            filter: filter.name,
            preset: Some(preset.name),
            doc: preset.doc,
        };
        // Films of HDR, which nothing else shows as they are meant, are shown with the defaults.
        let defaults = (filter.name == tonemap::DESCRIPTOR.name).then_some(ShownPreset {
            filter: filter.name,
            preset: None,
            doc: filter.summary,
        });
        filter.schema.presets.iter().map(look).chain(defaults).collect::<Vec<_>>()
    };
    let shown = if names.is_empty() { filters::ALL.to_vec() } else { found };
    let looks: Vec<ShownPreset> = shown.into_iter().filter(|filter| filter.stands_alone()).flat_map(of).collect();
    if looks.is_empty() {
        return Err(Error::bad_argument(format!("{} has no presets to show", names.join(", "))));
    }
    Ok(looks)
}
