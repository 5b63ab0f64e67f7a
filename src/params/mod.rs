//! One description per parameter: the struct, its default, validation, help, documentation and every host's table
//! come from a single [`params!`](crate::params!) block.

mod chain;
mod control;
#[cfg(test)]
mod tests;
mod value;

pub use chain::{
    Arg, Call, FileCall, MAX_CHAIN_BYTES, MAX_CHAIN_FILTERS, Spelling, parse_chain, parse_chain_file, parse_values,
    print_chain,
};
pub use control::Control;
pub use value::{Choice, Name, ParamValue, refuse};

use crate::error::{Error, Result};
use std::fmt;

/// What values a parameter takes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ParamKind {
    /// `on`/`off`, `true`/`false`, `yes`/`no`, `1`/`0`.
    Bool,
    /// An integer from `min` to `max`, both allowed.
    Int {
        /// Smallest.
        min: i64,
        /// Largest.
        max: i64,
    },
    /// A finite number from `min` to `max`, both allowed.
    Float {
        /// Smallest.
        min: f64,
        /// Largest.
        max: f64,
    },
    /// One of these words.
    Choice(&'static [&'static str]),
    /// Text of a form of its own, which this says.
    Text(&'static str),
    /// A [`Name`].
    Name,
}

/// One parameter.
#[derive(Clone, Copy, Debug)]
pub struct Param {
    /// The name in a chain, in help and in every host.
    pub name: &'static str,
    /// Other names it answers to.
    pub aliases: &'static [&'static str],
    /// Its kind of value.
    pub kind: ParamKind,
    /// Whether it takes `auto` as well: to follow from something else, which `doc` says.
    pub auto: bool,
    /// The default as a chain would write it.
    pub default: fn() -> String,
    /// The unit of the value; empty when there is none.
    pub unit: &'static str,
    /// What user interfaces call it; empty where its name says it, which [`Param::label`] then writes out.
    pub label: &'static str,
    /// What it does.
    pub doc: &'static str,
}

/// As the end of "it takes …".
impl fmt::Display for ParamKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ParamKind::Bool => write!(f, "on or off"),
            ParamKind::Int { min, max } => write!(f, "a whole number from {min} to {max}"),
            ParamKind::Float { min, max } => write!(f, "a number from {min} to {max}"),
            ParamKind::Choice(words) => write!(f, "one of {}", words.join(", ")),
            ParamKind::Text(form) => f.write_str(form),
            ParamKind::Name => write!(f, "a name of letters, digits and '_' that begins with a letter"),
        }
    }
}

impl Param {
    /// What user interfaces call it: a few words that begin with a capital letter.
    pub fn label(&self) -> String {
        if !self.label.is_empty() {
            return self.label.to_owned();
        }
        let words = self.name.trim_end_matches('_').replace('_', " ");
        let mut letters = words.chars();
        letters.next().map(|first| first.to_uppercase().chain(letters).collect()).unwrap_or_default()
    }

    /// The end of "it takes …", with the unit.
    pub fn takes(&self) -> String {
        let auto = if self.auto { "auto, or " } else { "" };
        format!("{auto}{}", self.values())
    }

    /// The same for a host that leaves out what is `auto`.
    pub fn values(&self) -> String {
        let unit = if self.unit.is_empty() { String::new() } else { format!(" ({})", self.unit) };
        format!("{}{unit}", self.kind)
    }
}

/// A named set of arguments.
#[derive(Clone, Copy, Debug)]
pub struct Preset {
    /// The name, as in `preset=NAME`.
    pub name: &'static str,
    /// What it is for, in one line.
    pub doc: &'static str,
    /// The arguments it stands for, as a chain writes them.
    pub args: &'static [(&'static str, &'static str)],
}

/// All parameters of a filter.
#[derive(Clone, Copy, Debug)]
pub struct Schema {
    /// The parameters, in positional order.
    pub params: &'static [Param],
    /// The presets.
    pub presets: &'static [Preset],
    /// Options that other programs' filters of the kind have.
    pub elsewhere: &'static [Elsewhere],
}

/// An option of other programs' filters that is none here.
#[derive(Clone, Copy, Debug)]
pub struct Elsewhere {
    /// The names that it has there.
    pub names: &'static [&'static str],
    /// What to do here, as the end of a message.
    pub here: &'static str,
}

/// An argument with the parameter that it is for.
#[derive(Clone, Copy, Debug)]
pub struct Argument<'c> {
    /// The parameter.
    pub param: &'static Param,
    /// What the call calls it, which may be an alias: messages use the caller's word.
    pub name: &'c str,
    /// The value as text.
    pub text: &'c str,
}

/// The argument that names a preset; no parameter may have this name.
pub const PRESET_KEY: &str = "preset";

impl Schema {
    /// The parameter called `name` or by an alias of it.
    pub fn find(&self, name: &str) -> Option<&'static Param> {
        self.params.iter().find(|p| p.name == name || p.aliases.contains(&name))
    }

    /// Every argument of `call`: the preset's first, then the call's own in their order.
    ///
    /// # Errors
    /// For unknown names (with the nearest right one), unknown presets, too many positional values, positional ones
    /// behind named ones, and repeats.
    pub fn resolve<'c>(&self, call: &'c Call) -> Result<Vec<Argument<'c>>> {
        let filter = &call.name;
        let mut resolved: Vec<Argument<'c>> = Vec::new();
        let mut presets = call.args.iter().filter(|arg| arg.key.as_deref() == Some(PRESET_KEY));
        if let Some(arg) = presets.next() {
            for (name, value) in self.preset(filter, &arg.value)?.args {
                let param =
                    self.find(name).ok_or_else(|| Error::internal(format!("preset of {filter} names '{name}'")))?;
                resolved.push(Argument { param, name, text: value });
            }
        }
        if presets.next().is_some() {
            return Err(Error::bad_argument(format!("{filter}: '{PRESET_KEY}' is given twice")));
        }
        let mut seen: Vec<&str> = Vec::new();
        let mut named = false;
        let own = call.args.iter().filter(|arg| arg.key.as_deref() != Some(PRESET_KEY));
        for (position, arg) in own.enumerate() {
            let param = match &arg.key {
                Some(key) => self.find(key).ok_or_else(|| {
                    Error::bad_argument(format!("{filter} has no option '{key}'{}", self.instead(key)))
                })?,
                None if named => return Err(unnamed(filter, &arg.value)),
                None => self.params.get(position).ok_or_else(|| {
                    Error::bad_argument(format!(
                        "{filter} takes {} options: '{}' is one too many",
                        self.params.len(),
                        excerpt(&arg.value)
                    ))
                })?,
            };
            if seen.contains(&param.name) {
                return Err(Error::bad_argument(format!("{filter}: option '{}' is given twice", param.name)));
            }
            seen.push(param.name);
            named = arg.key.is_some();
            resolved.push(Argument { param, name: arg.key.as_deref().unwrap_or(param.name), text: &arg.value });
        }
        Ok(resolved)
    }

    /// What to write instead of `key`, which is no option, as the end of a message; nothing where that is not known.
    fn instead(&self, key: &str) -> String {
        match self.elsewhere.iter().find(|option| option.names.contains(&key)) {
            Some(option) => format!(": {}", option.here),
            None => {
                let names = self.params.iter().flat_map(|p| std::iter::once(p.name).chain(p.aliases.iter().copied()));
                did_you_mean(key, names)
            }
        }
    }

    fn preset(&self, filter: &str, name: &str) -> Result<&'static Preset> {
        self.presets.iter().find(|p| p.name == name).ok_or_else(|| {
            let names: Vec<_> = self.presets.iter().map(|p| p.name).collect();
            let known = if names.is_empty() { "none".to_owned() } else { names.join(", ") };
            let near = did_you_mean(name, names.into_iter());
            Error::bad_argument(format!("{filter} has no preset '{}': it has {known}{near}", excerpt(name)))
        })
    }
}

/// "; did you mean 'NAME'?" for the name nearest to `word`, or nothing when none is near. Case and what joins the parts of
/// a name count only between names that are as near without them. A name that shares nothing with `word` is never near.
pub fn did_you_mean<'a>(word: &str, names: impl Iterator<Item = &'a str>) -> String {
    let bare = |name: &str| name.to_lowercase().replace(['_', '-'], "");
    let distance = strsim::damerau_levenshtein;
    names
        .map(|name| (distance(&bare(word), &bare(name)), distance(word, name), name))
        .filter(|(bare, _, name)| *bare <= 1 + name.len() / 4 && *bare < name.len())
        .min_by_key(|(bare, written, _)| (*bare, *written))
        .map_or_else(String::new, |(.., name)| format!("; did you mean '{name}'?"))
}

/// The error for `value`, which has no name and follows options that have one.
pub(crate) fn unnamed(filter: &str, value: &str) -> Error {
    let value = excerpt(value);
    Error::bad_argument(format!("{filter}: '{value}' follows named options and needs its option's name"))
}

/// `text` for a message: on one line, and cut when it is long.
pub(crate) fn excerpt(text: &str) -> String {
    const LONGEST: usize = 40;
    let cut = if text.chars().nth(LONGEST).is_some() { "…" } else { "" };
    text.chars().take(LONGEST).map(printable).chain(cut.chars()).collect()
}

/// A control character would break the one line of a message.
fn printable(c: char) -> char {
    if c.is_control() { ' ' } else { c }
}

/// A filter's parameters as a struct, made by [`params!`](crate::params!).
pub trait Params: Sized + Clone + PartialEq + Default {
    /// The description the struct came from.
    const SCHEMA: &'static Schema;

    /// Sets a parameter to what is given for it.
    ///
    /// # Errors
    /// When the text is not a value of the parameter; the message has the name, the text and what is allowed.
    fn set(&mut self, given: &Argument<'_>) -> Result<()>;

    /// The value of the parameter `name` as text.
    fn get(&self, name: &str) -> String;

    /// Reads a call.
    ///
    /// # Errors
    /// As [`Schema::resolve`] and [`Params::set`].
    fn from_call(call: &Call) -> Result<Self> {
        let mut params = Self::default();
        for given in Self::SCHEMA.resolve(call)? {
            params.set(&given).map_err(|e| e.context(&call.name))?;
        }
        Ok(params)
    }

    /// The shortest call of filter `name` that reads back as these parameters.
    fn to_call(&self, name: &str) -> Call {
        let differs = |param: &&Param| self.get(param.name) != (param.default)();
        let arg = |param: &Param| Arg { key: Some(param.name.to_owned()), value: self.get(param.name) };
        Call { name: name.to_owned(), args: Self::SCHEMA.params.iter().filter(differs).map(arg).collect() }
    }
}

/// Declares a filter's parameters.
///
/// ```
/// use vramp::params::{Call, ParamKind, Params, parse_chain};
///
/// vramp::params! {
///     /// What `lift` needs.
///     pub struct Lift {
///         /// Added to every sample.
///         amount: i64 = 3, ParamKind::Int { min: 0, max: 9 }, unit "code values", aliases ["a"];
///         /// Whether chroma is lifted too.
///         chroma: bool = false, ParamKind::Bool, unit "", aliases [];
///     }
///     presets {
///         "high": "As far as it goes", [("amount", "9")];
///     }
/// }
///
/// let lift = Lift::from_call(&parse_chain("lift=a=7:chroma=on").unwrap()[0]).unwrap();
/// assert_eq!((lift.amount, lift.chroma), (7, true));
/// let error = Lift::from_call(&parse_chain("lift=amuont=7").unwrap()[0]).unwrap_err();
/// assert_eq!(error.message(), "lift has no option 'amuont'; did you mean 'amount'?");
/// ```
#[macro_export]
macro_rules! params {
    (
        $(#[doc = $struct_doc:literal])+
        $vis:vis struct $name:ident {
            $(
                $(#[doc = $doc:expr])+
                $field:ident : $ty:ty = $default:expr, $kind:expr, unit $unit:literal, aliases [$($alias:literal),*]
                $(, label $label:literal)?;
            )*
        }
        presets { $( $preset:literal : $preset_doc:literal, [$(($key:literal, $value:literal)),* $(,)?]; )* }
        $( elsewhere { $( [$($theirs:literal),+] : $here:literal; )+ } )?
    ) => {
        $(#[doc = $struct_doc])+
        #[derive(Clone, Debug, PartialEq)]
        $vis struct $name {
            $( $(#[doc = $doc])+ pub $field: $ty, )*
        }

        impl Default for $name {
            fn default() -> Self {
                Self { $( $field: $default, )* }
            }
        }

        impl $crate::params::Params for $name {
            const SCHEMA: &'static $crate::params::Schema = &$crate::params::Schema {
                params: &[$(
                    $crate::params::Param {
                        name: stringify!($field),
                        aliases: &[$($alias),*],
                        kind: $kind,
                        auto: <$ty as $crate::params::ParamValue>::AUTO,
                        default: || <$ty as $crate::params::ParamValue>::print(&$default),
                        unit: $unit,
                        label: concat!($($label)?),
                        doc: concat!($($doc, "\n"),+).trim_ascii(),
                    },
                )*],
                presets: &[$(
                    $crate::params::Preset { name: $preset, doc: $preset_doc, args: &[$(($key, $value)),*] },
                )*],
                elsewhere: &[$($(
                    $crate::params::Elsewhere { names: &[$($theirs),+], here: $here },
                )+)?],
            };

            fn set(&mut self, given: &$crate::params::Argument<'_>) -> $crate::error::Result<()> {
                match given.param.name {
                    $( stringify!($field) => {
                        self.$field = $crate::params::ParamValue::parse(given)?;
                        Ok(())
                    } )*
                    other => Err($crate::error::Error::internal(format!("no field '{other}'"))),
                }
            }

            fn get(&self, name: &str) -> String {
                match name {
                    $( stringify!($field) => $crate::params::ParamValue::print(&self.$field), )*
                    _ => String::new(),
                }
            }
        }
    };
}

/// Declares the words of a [`ParamKind::Choice`] as an enum; a function behind it says what else is taken for a word.
#[macro_export]
macro_rules! choices {
    (
        $(#[doc = $enum_doc:literal])+
        $vis:vis enum $name:ident { $( $(#[doc = $doc:literal])+ $variant:ident = $word:literal, )+ }
        $( spelled by $spelled:path; )?
    ) => {
        $(#[doc = $enum_doc])+
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        $vis enum $name { $( $(#[doc = $doc])+ $variant, )+ }

        impl $crate::params::Choice for $name {
            const WORDS: &'static [&'static str] = &[$($word),+];
            const ALL: &'static [Self] = &[$(Self::$variant),+];

            $( fn is_spelled(word: &str, text: &str) -> bool {
                $spelled(word, text)
            } )?
        }
    };
}
