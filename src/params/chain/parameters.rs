//! Parameters of a chain file: `$name` in its values.

use super::{Arg, MAX_CHAIN_BYTES, is_name};
use crate::error::{Error, Result};
use crate::params::{did_you_mean, excerpt};

/// Values for the parameters of a chain file, and which of its parameters were met.
pub(super) struct Parameters<'t> {
    given: &'t [Arg],
    met: Vec<String>,
    /// Those of the call at hand.
    used: Vec<String>,
    /// Bytes of all values that were put in place.
    bytes: usize,
}

impl<'t> Parameters<'t> {
    /// # Errors
    /// For a value without a name, and for two of one name.
    pub fn new(given: &'t [Arg]) -> Result<Parameters<'t>> {
        for (i, Arg { key, value }) in given.iter().enumerate() {
            let Some(key) = key else {
                let value = excerpt(value);
                return Err(Error::bad_argument(format!("the value '{value}' has no name: write NAME={value}")));
            };
            if given[..i].iter().any(|arg| arg.key.as_ref() == Some(key)) {
                return Err(Error::bad_argument(format!("the parameter '{key}' is given twice")));
            }
        }
        Ok(Parameters { given, met: Vec::new(), used: Vec::new(), bytes: 0 })
    }

    /// Puts the value of the parameter that `text` begins with, at its `$`, behind `value`. Gives what follows it.
    pub fn read<'a>(&mut self, text: &'a str, value: &mut String) -> std::result::Result<&'a str, String> {
        let text = &text[1..];
        if let Some(rest) = text.strip_prefix('$') {
            value.push('$');
            return Ok(rest);
        }
        let (name, default, rest) = match text.strip_prefix('{') {
            Some(inner) => {
                let (inner, rest) = inner.split_once('}').ok_or("this '${' has no '}'")?;
                match inner.split_once(":-") {
                    Some((name, default)) => (name, Some(default), rest),
                    None => (inner, None, rest),
                }
            }
            // A '-' ends a name that is not in braces, so that `$a-$b` is what it looks like.
            None => {
                let end = text.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(text.len());
                (&text[..end], None, &text[end..])
            }
        };
        if !is_name(name) {
            return Err("expected a parameter's name after '$', or '$$' for a '$'".to_owned());
        }
        if !self.met.iter().any(|met| met == name) {
            self.met.push(name.to_owned());
        }
        let given = self.given.iter().find(|arg| arg.key.as_deref() == Some(name)).map(|arg| arg.value.as_str());
        let found = given.or(default).ok_or_else(|| {
            let near = did_you_mean(name, self.given.iter().filter_map(|arg| arg.key.as_deref()));
            format!("the parameter '{name}' has no value: write @FILE({name}=VALUE){near}")
        })?;
        self.bytes += found.len();
        if self.bytes > MAX_CHAIN_BYTES {
            return Err(format!("the values of parameters are longer than {MAX_CHAIN_BYTES} bytes together"));
        }
        if given.is_some() {
            let shown = format!("${name}={}", excerpt(found));
            if !self.used.contains(&shown) {
                self.used.push(shown);
            }
        }
        value.push_str(found);
        Ok(rest)
    }

    /// What was given for the parameters that were met since the last time.
    pub fn take_used(&mut self) -> String {
        std::mem::take(&mut self.used).join(", ")
    }

    /// # Errors
    /// For a value whose parameter the file does not have.
    pub fn check_all_used(&self) -> Result<()> {
        let has = |key: &str| self.met.iter().any(|met| met == key);
        match self.given.iter().filter_map(|arg| arg.key.as_deref()).find(|key| !has(key)) {
            None => Ok(()),
            Some(key) => {
                let known = if self.met.is_empty() { "none".to_owned() } else { self.met.join(", ") };
                let near = did_you_mean(key, self.met.iter().map(String::as_str));
                Err(Error::bad_argument(format!("it has no parameter '{key}': it has {known}{near}")))
            }
        }
    }
}
