//! Arguments: from a filter's parameters to those of a function of the host's, and from what a script gives back to a
//! call in a chain. A parameter that takes `auto` is left out for it; one that is something else then is -1.

#[cfg(test)]
mod tests;

use vramp::device::DeviceChoice;
use vramp::error::{Error, Result};
use vramp::filters::planes::PlaneSet;
use vramp::filters::{self, Descriptor, Wiring};
use vramp::params::{Arg, Call, Choice, Name, PRESET_KEY, Param, ParamKind, did_you_mean};
use vramp::video::Format;

/// The chain that the function of any chain runs.
pub const CHAIN: &str = "chain";
/// What the chain calls the clips that it reads beside the first.
pub const NAMES: &str = "names";
/// Where the filter runs.
const DEVICE: &str = "device";
/// The bit depth of the result.
const DEPTH: &str = "depth";

/// The value that a filter works out by itself.
const AUTO: &str = "auto";

/// The arguments that a host passes: values of the types in the signature.
pub trait ScriptArgs {
    /// The integers called `key`.
    fn ints(&self, key: &str) -> Option<Vec<i64>>;
    /// The number called `key`.
    fn float(&self, key: &str) -> Option<f64>;
    /// The text called `key`, whatever its bytes are.
    fn data(&self, key: &str) -> Option<Vec<u8>>;

    /// Whether the planes are a list of their numbers, as in every filter of VapourSynth, and not a word.
    fn lists_planes(&self) -> bool {
        true
    }
    /// Whether there is anything called `key`.
    fn has(&self, key: &str) -> bool;
    /// Every name.
    fn keys(&self) -> Vec<String>;

    /// The integer called `key`.
    fn int(&self, key: &str) -> Option<i64> {
        self.ints(key)?.first().copied()
    }

    /// The text called `key`.
    fn text(&self, key: &str) -> Result<Option<String>> {
        let text = self.data(key).map(String::from_utf8).transpose();
        text.map_err(|_| Error::bad_argument(format!("{key} must be UTF-8 text")))
    }
}

/// What an argument is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Type {
    /// On or off.
    Bool,
    /// A whole number.
    Int,
    /// A number.
    Float,
    /// Text.
    Text,
    /// Some of the picture's planes.
    Planes,
    /// Another clip.
    Clip,
}

/// The arguments of a filter's function behind the clip, all of which may be left out.
pub fn arguments(filter: &Descriptor) -> Vec<(&'static str, Type)> {
    let pictures = pictures(filter);
    let of = |param: &Param| (param.name, if pictures.contains(&param.name) { Type::Clip } else { type_of(param) });
    let preset = (!filter.schema.presets.is_empty()).then_some((PRESET_KEY, Type::Text));
    let depth = (!sets_depth(filter)).then_some((DEPTH, Type::Int));
    filter.schema.params.iter().map(of).chain(preset).chain([(DEVICE, Type::Text)]).chain(depth).collect()
}

/// Those that the function of any chain has as well.
pub const COMMON: [(&str, Type); 2] = [(DEVICE, Type::Text), (DEPTH, Type::Int)];

/// False for filters that only name a point of a chain, or go on from one: they need a chain around them.
pub fn has_function(filter: &Descriptor) -> bool {
    filter.has_kernels()
}

/// The parameters of a filter that name the pictures it reads beside its own, which are clips here: those whose value a
/// filter that is made with them reads.
pub fn pictures(filter: &Descriptor) -> Vec<&'static str> {
    let is_text = |param: &&Param| {
        !matches!(param.kind, ParamKind::Bool | ParamKind::Int { .. } | ParamKind::Float { .. } | ParamKind::Choice(_))
    };
    let texts: Vec<_> = filter.schema.params.iter().filter(is_text).map(|param| param.name).collect();
    let reads = |set: u32| {
        let given = texts.iter().enumerate().filter(|(i, _)| set >> i & 1 == 1);
        let args = given.map(|(_, name)| named(name, (*name).to_owned())).collect();
        match (filter.create)(&Call { name: filter.name.to_owned(), args }).ok()?.wiring() {
            Wiring::Reads(names) => Some(names),
            Wiring::Keep(_) | Wiring::Use(_) => None,
        }
    };
    // One may need another beside it.
    let read: Vec<_> = (1..1 << texts.len().min(6)).filter_map(reads).flatten().collect();
    texts.into_iter().filter(|name| read.iter().any(|read| read == name)).collect()
}

/// True when the filter has a depth of its own to set.
fn sets_depth(filter: &Descriptor) -> bool {
    filter.schema.find(DEPTH).is_some()
}

/// True for the option `planes`.
fn names_planes(param: &Param) -> bool {
    param.kind == ParamKind::Choice(PlaneSet::WORDS)
}

fn type_of(param: &Param) -> Type {
    match param.kind {
        _ if names_planes(param) => Type::Planes,
        ParamKind::Bool => Type::Bool,
        ParamKind::Int { .. } => Type::Int,
        ParamKind::Float { .. } => Type::Float,
        ParamKind::Choice(_) | ParamKind::Text(_) | ParamKind::Name => Type::Text,
    }
}

/// The call of `filter` on a clip of `format` that `values` ask for.
///
/// # Errors
/// For values that a parameter does not take.
pub fn call(filter: &Descriptor, format: Format, values: &impl ScriptArgs) -> Result<Call> {
    let mut args = Vec::new();
    if let Some(preset) = values.text(PRESET_KEY)? {
        let names = filter.schema.presets.iter().map(|preset| preset.name);
        args.push(named(PRESET_KEY, word(PRESET_KEY, &preset, &names.collect::<Vec<_>>())?));
    }
    let pictures = pictures(filter);
    for param in filter.schema.params {
        let given = if pictures.contains(&param.name) {
            values.has(param.name).then(|| param.name.to_owned())
        } else {
            value(param, format, values)?
        };
        args.extend(given.map(|value| named(param.name, value)));
    }
    Ok(Call { name: filter.name.to_owned(), args })
}

fn named(key: &str, value: String) -> Arg {
    Arg { key: Some(key.to_owned()), value }
}

/// What `values` have for `param`, as a chain writes it.
fn value(param: &Param, format: Format, values: &impl ScriptArgs) -> Result<Option<String>> {
    let name = param.name;
    Ok(match param.kind {
        _ if names_planes(param) && values.lists_planes() => {
            values.ints(name).map(|list| planes(&list, format)).transpose()?
        }
        ParamKind::Bool => values.int(name).map(|value| if value == 0 { "off" } else { "on" }.to_owned()),
        ParamKind::Int { .. } if minus_one_is_auto(param) && values.int(name) == Some(-1) => Some(AUTO.to_owned()),
        ParamKind::Int { min, max } => match values.int(name) {
            Some(value) if !(min..=max).contains(&value) => return Err(refusal(param, value)),
            value => value.map(|value| value.to_string()),
        },
        ParamKind::Float { min, max } => match values.float(name) {
            Some(value) if !(min..=max).contains(&value) => return Err(refusal(param, value)),
            value => value.map(|value| value.to_string()),
        },
        ParamKind::Choice(words) => values.text(name)?.map(|text| word(name, &text, words)).transpose()?,
        // The filter reads it.
        ParamKind::Text(_) => values.text(name)?,
        ParamKind::Name => match values.text(name)? {
            Some(text) if Name::new(&text).is_none() => {
                return Err(refusal(param, format!("'{}'", text.escape_debug())));
            }
            text => text,
        },
    })
}

/// True for a number that takes `auto` and is something else when it is left out: −1, which it does not take, says so.
fn minus_one_is_auto(param: &Param) -> bool {
    let takes_it = matches!(param.kind, ParamKind::Int { min, .. } if min <= -1);
    param.auto && (param.default)() != AUTO && !takes_it
}

fn refusal(param: &Param, value: impl std::fmt::Display) -> Error {
    Error::bad_argument(format!("{} must be {}, not {value}", param.name, param.values()))
}

/// `text`, which must be one of `words`.
fn word(name: &str, text: &str, words: &[&str]) -> Result<String> {
    if words.contains(&text) {
        return Ok(text.to_owned());
    }
    let near = did_you_mean(text, words.iter().copied());
    Err(Error::bad_argument(format!("{name} must be one of {}, not '{}'{near}", words.join(", "), text.escape_debug())))
}

/// The word for the planes of `list`.
fn planes(list: &[i64], format: Format) -> Result<String> {
    let count = format.components();
    if list.is_empty() {
        return Err(Error::bad_argument("planes is empty"));
    }
    for (i, plane) in list.iter().enumerate() {
        if !(0..count as i64).contains(plane) {
            return Err(Error::bad_argument(format!("planes has {plane}, but {format} has planes 0 to {}", count - 1)));
        }
        if list[..i].contains(plane) {
            return Err(Error::bad_argument(format!("planes has {plane} twice")));
        }
    }
    let is_meant = |set: &PlaneSet| (0..count).all(|i| set.has(format, i) == list.contains(&(i as i64)));
    let found = PlaneSet::ALL.iter().position(is_meant);
    found.map(|i| PlaneSet::WORDS[i].to_owned()).ok_or_else(|| Error::internal("these planes have no word"))
}

/// The device to run on.
///
/// # Errors
/// For one that is not known.
pub fn device(values: &impl ScriptArgs) -> Result<DeviceChoice> {
    values.text(DEVICE)?.map_or(Ok(DeviceChoice::Auto), |text| text.parse())
}

/// The end of the chain that gives the bit depth of `values`, if they have one: the filter `depth`.
///
/// # Errors
/// For a depth that there is not.
pub fn last_call(format: Format, values: &impl ScriptArgs) -> Result<Option<Call>> {
    let filter = &filters::depth::DESCRIPTOR;
    let Some(bits) = filter.schema.find(DEPTH) else { return Err(Error::internal("the filter depth sets no depth")) };
    let value = value(&Param { name: DEPTH, ..*bits }, format, values)?;
    Ok(value.map(|value| Call { name: filter.name.to_owned(), args: vec![named(DEPTH, value)] }))
}
