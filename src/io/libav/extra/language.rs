//! Languages of tracks, by the codes of ISO 639 that containers and people use for them.

use crate::error::{Error, Result};
use std::fmt;
use std::str::FromStr;

/// A language, or what stands for none (`und`). It is printed as it was written.
#[derive(Clone, Debug)]
pub struct Language {
    /// Its code in ISO 639-3.
    code: String,
    written: String,
}

impl PartialEq for Language {
    fn eq(&self, other: &Language) -> bool {
        self.code == other.code
    }
}

impl Eq for Language {}

impl fmt::Display for Language {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.written)
    }
}

/// Codes of ISO 639-2 that it has beside those of ISO 639-3: the bibliographic ones, which Matroska states.
const BIBLIOGRAPHIC: [(&str, &str); 20] = [
    ("alb", "sqi"),
    ("arm", "hye"),
    ("baq", "eus"),
    ("bur", "mya"),
    ("chi", "zho"),
    ("cze", "ces"),
    ("dut", "nld"),
    ("fre", "fra"),
    ("geo", "kat"),
    ("ger", "deu"),
    ("gre", "ell"),
    ("ice", "isl"),
    ("mac", "mkd"),
    ("mao", "mri"),
    ("may", "msa"),
    ("per", "fas"),
    ("rum", "ron"),
    ("slo", "slk"),
    ("tib", "bod"),
    ("wel", "cym"),
];

/// Codes that name no language: not determined, several, none.
const NONE: [&str; 3] = ["und", "mul", "zxx"];

impl FromStr for Language {
    type Err = Error;

    /// Reads a code of ISO 639-1 (`de`), 639-2 (`deu`, `ger`) or 639-3.
    fn from_str(text: &str) -> Result<Language> {
        let code = text.to_ascii_lowercase();
        let common = BIBLIOGRAPHIC.iter().find(|(own, _)| *own == code).map(|(_, common)| *common);
        let listed = || isolang::Language::from_639_1(&code).or_else(|| isolang::Language::from_639_3(&code));
        let found =
            common.or_else(|| NONE.into_iter().find(|none| *none == code)).or_else(|| Some(listed()?.to_639_3()));
        found.map(|code| Language { code: code.to_owned(), written: text.to_owned() }).ok_or_else(|| {
            Error::bad_argument(format!("'{text}' is no language: write a code of ISO 639, as en, eng, de, deu"))
        })
    }
}

impl Language {
    /// Its code in Matroska (bibliographic), or in other containers (terminological).
    pub(in crate::io::libav) fn code(&self, in_matroska: bool) -> &str {
        let own = BIBLIOGRAPHIC.iter().find(|(_, common)| in_matroska && *common == self.code);
        own.map_or(self.code.as_str(), |(own, _)| own)
    }

    /// Whether a track's tag means this language; none is `und`. A region behind the code (`pt-BR`) makes no difference.
    pub(in crate::io::libav) fn is(&self, tag: &str) -> bool {
        let tag = if tag.is_empty() { NONE[0] } else { tag };
        tag.split(['-', '_']).next().and_then(|code| code.parse().ok()).as_ref() == Some(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_code_of_a_language_means_it() {
        for code in ["de", "deu", "ger", "DE"] {
            let german: Language = code.parse().unwrap();
            assert_eq!(german.to_string(), code);
            assert_eq!((german.code(true), german.code(false)), ("ger", "deu"), "{code}");
            assert!(german.is("ger") && german.is("de-AT") && german.is("deu"));
            assert!(!german.is("eng") && !german.is(""));
        }
        let japanese: Language = "ja".parse().unwrap();
        assert_eq!((japanese.code(true), japanese.code(false)), ("jpn", "jpn"));
        let undetermined: Language = "und".parse().unwrap();
        assert_eq!(undetermined.code(true), "und");
        assert!(undetermined.is("") && undetermined.is("und") && !undetermined.is("eng"));
        for wrong in ["", "x", "english", "qq", "a1"] {
            assert!(wrong.parse::<Language>().is_err(), "{wrong}");
        }
    }
}
