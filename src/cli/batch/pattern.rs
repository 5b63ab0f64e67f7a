//! The names of results: a pattern with words in braces, and what they are for a film.

use crate::error::{Error, Result};
use crate::params::did_you_mean;
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt, OsStringExt};

/// What is in braces.
const WORDS: [&str; 4] = ["name", "ext", "dir", "n"];

/// What the words are for one film.
#[derive(Clone, Debug)]
pub struct PatternValues<'a> {
    /// The file's name without its ending.
    pub name: &'a OsStr,
    /// Its ending, without the dot.
    pub ext: &'a OsStr,
    /// Its folder within the folder that was given, or nothing.
    pub dir: &'a OsStr,
    /// Its number, with as many digits as the last one has.
    pub number: String,
}

impl PatternValues<'_> {
    /// `pattern` with its words replaced. Braces around anything else stay: chains and encoders may mean them.
    pub fn fill(&self, pattern: &OsStr) -> OsString {
        let mut filled = Vec::new();
        let mut rest = pattern.as_bytes();
        while let Some((before, word, after)) = next_word(rest) {
            filled.extend_from_slice(before);
            rest = after;
            let value = match word {
                "name" => self.name.as_bytes(),
                "ext" => self.ext.as_bytes(),
                "dir" => self.dir.as_bytes(),
                "n" => self.number.as_bytes(),
                _ => {
                    filled.extend_from_slice(format!("{{{word}}}").as_bytes());
                    continue;
                }
            };
            filled.extend_from_slice(value);
            // What lies in no folder: the slash behind it would lead elsewhere, in the first place to the root.
            if value.is_empty() && word == "dir" {
                rest = rest.strip_prefix(b"/").unwrap_or(rest);
            }
        }
        filled.extend_from_slice(rest);
        OsString::from_vec(filled)
    }
}

/// The first `{word}` of `text`, between what precedes and what follows it.
fn next_word(text: &[u8]) -> Option<(&[u8], &str, &[u8])> {
    let mut from = 0;
    while let Some(open) = text[from..].iter().position(|byte| *byte == b'{').map(|at| from + at) {
        let inside = &text[open + 1..];
        let length = inside.iter().take_while(|byte| byte.is_ascii_alphanumeric()).count();
        if let (true, Some(b'}'), Ok(word)) = (length > 0, inside.get(length), std::str::from_utf8(&inside[..length])) {
            return Some((&text[..open], word, &inside[length + 1..]));
        }
        from = open + 1;
    }
    None
}

/// Refuses a pattern for results with words that there are not.
///
/// # Errors
/// When there is one.
pub fn check(pattern: &OsStr) -> Result<()> {
    let mut rest = pattern.as_bytes();
    while let Some((_, word, after)) = next_word(rest) {
        if !WORDS.contains(&word) {
            let known = WORDS.map(|word| format!("{{{word}}}")).join(" ");
            let hint = did_you_mean(word, WORDS.into_iter());
            return Err(Error::bad_argument(format!("pattern: {{{word}}} is not known{hint} (there are {known})")));
        }
        rest = after;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fill(pattern: &str, dir: &str) -> String {
        let values =
            PatternValues { name: "Épisode 1".as_ref(), ext: "ts".as_ref(), dir: dir.as_ref(), number: "07".into() };
        values.fill(pattern.as_ref()).into_string().unwrap()
    }

    #[test]
    fn words_are_replaced() {
        assert_eq!(fill("out/{name}.mkv", ""), "out/Épisode 1.mkv");
        assert_eq!(fill("{dir}/{n}-{name}.{ext}.mkv", "s1/x"), "s1/x/07-Épisode 1.ts.mkv");
        assert_eq!(fill("{names}{{name}}{}{", ""), "{names}{Épisode 1}{}{");
    }

    #[test]
    fn no_folder_is_no_root() {
        assert_eq!(fill("{dir}/{name}.mkv", ""), "Épisode 1.mkv");
        assert_eq!(fill("out/{dir}/{name}.mkv", ""), "out/Épisode 1.mkv");
    }

    #[test]
    fn names_need_not_be_unicode() {
        let name = OsStr::from_bytes(b"a\xff{n}");
        let values = PatternValues { name, ext: OsStr::new(""), dir: OsStr::new(""), number: "1".into() };
        assert_eq!(values.fill(OsStr::from_bytes(b"\xfe{name}")).as_bytes(), b"\xfea\xff{n}", "values are not filled");
    }

    #[test]
    fn unknown_words_are_refused() {
        assert!(check("{name}.{ext} {} {a b}".as_ref()).is_ok());
        let error = check("out/{nmae}.mkv".as_ref()).unwrap_err();
        assert!(error.message().contains("{nmae} is not known; did you mean 'name'?"), "{error}");
    }
}
