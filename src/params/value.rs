//! Values as text: parsing against a parameter's description, and printing that parses back.

use crate::error::{Error, Result};
use crate::params::{Argument, ParamKind, did_you_mean, excerpt};

/// A type a parameter can have.
pub trait ParamValue: Sized {
    /// Whether `auto` is a value of the type.
    const AUTO: bool = false;

    /// Reads what is given as a value of its parameter.
    ///
    /// # Errors
    /// With the parameter's name, the text and what is allowed.
    fn parse(given: &Argument<'_>) -> Result<Self>;

    /// The text that parses back to this value.
    fn print(&self) -> String;
}

/// An enum made by [`choices!`](crate::choices!).
pub trait Choice: Copy + PartialEq + 'static {
    /// The words, in the order of [`Choice::ALL`].
    const WORDS: &'static [&'static str];
    /// The variants.
    const ALL: &'static [Self];

    /// Whether `text`, which is not `word`, is another spelling of it.
    fn is_spelled(_word: &str, _text: &str) -> bool {
        false
    }
}

/// The error for what is no value of its parameter: its name, the text, and what is allowed.
pub fn refuse(given: &Argument<'_>) -> Error {
    let Argument { param, name, text } = given;
    Error::bad_argument(format!("option '{name}' cannot be '{}': it takes {}", excerpt(text), param.takes()))
}

impl ParamValue for bool {
    fn parse(given: &Argument<'_>) -> Result<bool> {
        match given.text {
            "1" | "on" | "true" | "yes" => Ok(true),
            "0" | "off" | "false" | "no" => Ok(false),
            _ => Err(refuse(given)),
        }
    }

    fn print(&self) -> String {
        if *self { "on" } else { "off" }.to_owned()
    }
}

impl ParamValue for i64 {
    fn parse(given: &Argument<'_>) -> Result<i64> {
        let ParamKind::Int { min, max } = given.param.kind else { return Err(wrong_kind(given)) };
        match given.text.parse() {
            Ok(value) if (min..=max).contains(&value) => Ok(value),
            _ => Err(refuse(given)),
        }
    }

    fn print(&self) -> String {
        self.to_string()
    }
}

impl ParamValue for f64 {
    fn parse(given: &Argument<'_>) -> Result<f64> {
        let ParamKind::Float { min, max } = given.param.kind else { return Err(wrong_kind(given)) };
        match given.text.parse() {
            // NaN is in no range, so it is refused here too.
            Ok(value) if (min..=max).contains(&value) => Ok(value),
            _ => Err(refuse(given)),
        }
    }

    fn print(&self) -> String {
        self.to_string()
    }
}

/// What a picture is called: ASCII letters, digits and `_`, a letter first. No spelling of a chain has to quote it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Name(String);

impl Name {
    /// The longest, in bytes.
    pub const MOST_BYTES: usize = 64;

    /// `text` as a name, if it is one. `auto` is none, since it stands for no name where one may be left out.
    pub fn new(text: &str) -> Option<Name> {
        let plain = text.bytes().all(|c| c.is_ascii_alphanumeric() || c == b'_');
        let begins = text.starts_with(|c: char| c.is_ascii_alphabetic());
        (plain && begins && text != "auto" && text.len() <= Self::MOST_BYTES).then(|| Name(text.to_owned()))
    }

    /// The name.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl ParamValue for Name {
    fn parse(given: &Argument<'_>) -> Result<Name> {
        let ParamKind::Name = given.param.kind else { return Err(wrong_kind(given)) };
        Name::new(given.text).ok_or_else(|| refuse(given))
    }

    fn print(&self) -> String {
        self.0.clone()
    }
}

impl<T: ParamValue> ParamValue for Option<T> {
    const AUTO: bool = true;

    fn parse(given: &Argument<'_>) -> Result<Option<T>> {
        if given.text == "auto" { Ok(None) } else { T::parse(given).map(Some) }
    }

    fn print(&self) -> String {
        self.as_ref().map_or_else(|| "auto".to_owned(), T::print)
    }
}

impl<T: Choice> ParamValue for T {
    fn parse(given: &Argument<'_>) -> Result<T> {
        let found = T::WORDS.iter().position(|word| *word == given.text || T::is_spelled(word, given.text));
        found.map(|i| T::ALL[i]).ok_or_else(|| {
            let near = did_you_mean(given.text, T::WORDS.iter().copied());
            Error::bad_argument(format!("{}{near}", refuse(given)))
        })
    }

    fn print(&self) -> String {
        let at = T::ALL.iter().position(|value| value == self).expect("ALL holds every variant");
        T::WORDS[at].to_owned()
    }
}

fn wrong_kind(given: &Argument<'_>) -> Error {
    let param = given.param;
    Error::internal(format!("option '{}' is declared {:?}, not its field's type", param.name, param.kind))
}
