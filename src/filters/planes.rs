//! Which planes a filter works on: the option `planes` of every filter that has it.

use crate::video::{Format, Model};

crate::choices! {
    /// The planes that a filter works on; the others are passed on.
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::params::Choice;

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
}
