//! Which planes a filter works on: the option `planes` of every filter that has it.

use crate::error::{Error, Result};
use crate::filters::Filter;
use crate::params::{Choice, ParamKind};
use crate::video::{Format, Model};

/// What every filter's option `planes` says of itself.
macro_rules! planes_doc {
    () => {
        "Planes to filter; the rest are copied. Planes that the format lacks are ignored, but at least one must exist. On RGB, \
         `yuv` and `y` mean all three."
    };
}
pub(crate) use planes_doc;

crate::choices! {
    /// The planes that a filter works on; the others are copied.
    pub enum PlaneSet {
        /// All of them, of whatever format.
        Yuv = "yuv",
        /// Luma or grey; all of RGB.
        Y = "y",
        /// Cb.
        U = "u",
        /// Cr.
        V = "v",
        /// Chroma.
        Uv = "uv",
        /// Luma and Cb.
        Yu = "yu",
        /// Luma and Cr.
        Yv = "yv",
        /// All of RGB.
        Rgb = "rgb",
        /// R.
        R = "r",
        /// G.
        G = "g",
        /// B.
        B = "b",
        /// R and G.
        Rg = "rg",
        /// R and B.
        Rb = "rb",
        /// G and B.
        Gb = "gb",
    }
    spelled by has_letters;
}

/// True when `text` has the letters of `word`, in whatever order and case.
fn has_letters(word: &str, text: &str) -> bool {
    let sorted = |text: &str| {
        let mut letters: Vec<u8> = text.bytes().map(|letter| letter.to_ascii_lowercase()).collect();
        letters.sort_unstable();
        letters
    };
    sorted(word) == sorted(text)
}

impl PlaneSet {
    /// True when component `component` of `format` is worked on.
    pub fn has(self, format: Format, component: usize) -> bool {
        let is_rgb = format.model() == Model::Rgb;
        let rgb = |set: [bool; 3]| is_rgb && set[component];
        // What is no chroma is filtered as luma is.
        let yuv = |set: [bool; 3]| if is_rgb { set[0] } else { set[component] };
        match self {
            PlaneSet::Yuv => true,
            PlaneSet::Y => yuv([true, false, false]),
            PlaneSet::U => yuv([false, true, false]),
            PlaneSet::V => yuv([false, false, true]),
            PlaneSet::Uv => yuv([false, true, true]),
            PlaneSet::Yu => yuv([true, true, false]),
            PlaneSet::Yv => yuv([true, false, true]),
            PlaneSet::Rgb => is_rgb,
            PlaneSet::R => rgb([true, false, false]),
            PlaneSet::G => rgb([false, true, false]),
            PlaneSet::B => rgb([false, false, true]),
            PlaneSet::Rg => rgb([true, true, false]),
            PlaneSet::Rb => rgb([true, false, true]),
            PlaneSet::Gb => rgb([false, true, true]),
        }
    }
}

/// Refuses a filter whose planes are none of `format`'s: it would silently change nothing.
///
/// # Errors
/// With the planes that there are.
pub fn check(filter: &dyn Filter, format: Format) -> Result<()> {
    let params = filter.descriptor().schema.params;
    let option = params.iter().find(|param| param.kind == ParamKind::Choice(PlaneSet::WORDS)).map(|param| param.name);
    // Without an argument it is the default, which is all planes.
    let args = filter.call().args;
    let Some(arg) = args.iter().find(|arg| option.is_some() && arg.key.as_deref() == option) else { return Ok(()) };
    let set = PlaneSet::ALL.iter().zip(PlaneSet::WORDS).find(|(_, word)| **word == arg.value);
    match set {
        Some((set, word)) if !(0..format.components()).any(|component| set.has(format, component)) => {
            let option = option.unwrap_or_default();
            let there = format.component_names().join(", ");
            Err(Error::unsupported(format!("{option}={word} is no plane of {format}, which has {there}")))
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The components that `planes=word` works on.
    fn components(word: &str, format: &str) -> Vec<usize> {
        let format: Format = format.parse().unwrap();
        let set = PlaneSet::ALL[PlaneSet::WORDS.iter().position(|known| *known == word).unwrap()];
        (0..format.components()).filter(|component| set.has(format, *component)).collect()
    }

    #[test]
    fn words_mean_components_that_the_format_has() {
        for (word, yuv, rgb, gray) in [
            ("yuv", vec![0, 1, 2], vec![0, 1, 2], vec![0]),
            ("y", vec![0], vec![0, 1, 2], vec![0]),
            ("yv", vec![0, 2], vec![0, 1, 2], vec![0]),
            ("uv", vec![1, 2], vec![], vec![]),
            ("r", vec![], vec![0], vec![]),
            ("b", vec![], vec![2], vec![]),
            ("gb", vec![], vec![1, 2], vec![]),
        ] {
            assert_eq!(components(word, "yuv420p"), yuv, "{word}");
            assert_eq!(components(word, "gbrp10"), rgb, "{word}");
            assert_eq!(components(word, "gray8"), gray, "{word}");
        }
    }

    #[test]
    fn letters_come_in_any_order_and_case() {
        let planes =
            |text: &str| crate::filters::chain(&format!("box=planes={text}")).map(|made| made[0].call().to_string());
        for (text, word) in [("vu", "uv"), ("UV", "uv"), ("Y", "y"), ("bgr", "rgb"), ("BG", "gb"), ("uy", "yu")] {
            assert_eq!(planes(text), Ok(format!("box=planes={word}")), "{text}");
        }
        assert_eq!(planes("VYU"), Ok("box".to_owned()), "it is the default");
        for text in ["yy", "yuvy", "yr", "''", "a"] {
            assert!(planes(text).unwrap_err().message().contains("it takes one of yuv, y"), "{text}");
        }
    }

    #[test]
    fn planes_that_are_not_there_are_refused() {
        let check = |text: &str, format: &str| {
            let filter = crate::filters::chain(text).unwrap().remove(0);
            super::check(&*filter, format.parse().unwrap()).map_err(|error| error.to_string())
        };
        for (text, format, there) in [
            ("box=2:planes=rgb", "yuv420p", "y, u, v"),
            ("gauss=2:planes=b", "nv12", "y, u, v"),
            ("bilateral=planes=u", "gbrp", "r, g, b"),
            ("box=2:planes=uv", "gray8", "y"),
            ("gauss=2:planes=rgb", "gray10", "y"),
        ] {
            let word = text.rsplit('=').next().unwrap();
            assert_eq!(check(text, format), Err(format!("planes={word} is no plane of {format}, which has {there}")));
        }
        // One that is there is enough, and RGB is all y.
        for (text, format) in [
            ("box=2:planes=yu", "gray8"),
            ("box=2", "gray8"),
            ("box=2:planes=y", "gbrp"),
            ("gauss=2:planes=yuv", "gbrp10"),
            ("box=2:planes=uv", "nv12"),
            ("deband", "gray8"),
        ] {
            assert_eq!(check(text, format), Ok(()), "{text} {format}");
        }
    }
}
