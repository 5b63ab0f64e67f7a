//! What is measured: filters with options whose kernels loop differently, and how pictures are stored.

use crate::cli::bench::bars::window;
use crate::error::{Error, Result};
use crate::filters;
use crate::params::{Call, did_you_mean, parse_chain};
use crate::video::Format;

/// Source and result storage: a chain's first kernel reads what a film is, later ones 16 bits, and so with results.
const FORMATS: [(&str, &str); 4] =
    [("yuv420p", "yuv420p16"), ("yuv420p", "yuv420p"), ("yuv420p16", "yuv420p16"), ("yuv420p16", "yuv420p")];

/// Filters whose kernels can work in several ways, and options.
const OPTIONS: [(&str, &[&str]); 6] = [
    ("deband", &["range=8", "range=15", "range=31", "sample=1"]),
    ("domain", &["passes=3"]),
    ("gradient", &["range=64"]),
    ("bilateral", &["radius=2", "radius=4", "radius=6", "radius=8", "radius=12", "radius=16"]),
    (
        "box",
        &[
            "radius=1",
            "radius=2",
            "radius=3",
            "radius=4",
            "radius=6",
            "radius=8",
            "radius=12",
            "radius=16",
            "radius=24",
            "radius=48",
            "radius=100",
        ],
    ),
    (
        "gauss",
        &[
            "sigma=0.6",
            "sigma=1",
            "sigma=1.3",
            "sigma=2",
            "sigma=2.6",
            "sigma=4",
            "sigma=5.3",
            "sigma=8",
            "sigma=16",
            "sigma=32",
            "sigma=60",
        ],
    ),
];

/// Radii of `convolve`.
const RADII: [usize; 10] = [1, 2, 3, 4, 6, 8, 12, 16, 24, 30];

/// What `names` ask to measure, filters alone or with options; all where there are none.
///
/// # Errors
/// When one is no filter whose kernels have a choice.
pub fn calls(names: &[String]) -> Result<Vec<Call>> {
    let all = ["deband", "domain", "gradient", "bilateral", "box", "gauss", "convolve"];
    let mut calls = Vec::new();
    let words: Vec<&str> = if names.is_empty() { all.to_vec() } else { names.iter().map(String::as_str).collect() };
    for word in words {
        let chain = parse_chain(word)?;
        for call in &chain {
            filters::create(call)?;
            let name = filters::find_or_suggest(&call.name)?.name;
            if !all.contains(&name) {
                let hint = did_you_mean(&call.name, all.into_iter());
                return Err(Error::bad_argument(format!(
                    "'{}' works in one way on a GPU: tune {}{hint}",
                    call.name,
                    all.join(", ")
                )));
            }
            match call.args.is_empty() {
                true => calls.extend(of(name)?),
                false => calls.push(call.clone()),
            }
        }
    }
    Ok(calls)
}

/// The cases of a filter.
fn of(name: &str) -> Result<Vec<Call>> {
    if name == "convolve" {
        let product = |radius: usize| format!("convolve=kernel='{}'", vec!["1"; (2 * radius + 1).pow(2)].join(" "));
        let texts = RADII.map(convolution).into_iter().chain([2, 12].map(product));
        return Ok(texts.map(|text| parse_chain(&text)).collect::<Result<Vec<_>>>()?.concat());
    }
    let options = OPTIONS.iter().find(|(filter, _)| *filter == name).map_or(&[][..], |(_, options)| options);
    let chains = options.iter().map(|options| parse_chain(&format!("{name}={options}")));
    Ok(chains.collect::<Result<Vec<_>>>()?.concat())
}

/// A convolution of that radius whose kernel is no product of a column and a row.
pub fn convolution(radius: usize) -> String {
    format!("convolve=kernel='{}'", window(radius))
}

/// How pictures are stored.
///
/// # Errors
/// Of no name in the list.
pub fn formats() -> Result<Vec<(Format, Format)>> {
    FORMATS.iter().map(|(src, dst)| Ok((src.parse()?, dst.parse()?))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_case_is_a_filter() {
        let all = calls(&[]).unwrap();
        assert!(all.len() > 40);
        all.iter().for_each(|call| drop(filters::create(call).unwrap()));
        assert_eq!(formats().unwrap().len(), FORMATS.len());
    }

    #[test]
    fn names_choose_and_options_narrow() {
        let names = |words: &[&str]| {
            let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
            calls(&words).map(|calls| calls.len()).map_err(|error| error.message().to_owned())
        };
        assert_eq!((names(&["bilateral"]), names(&["gauss=sigma=3", "deband"])), (Ok(6), Ok(5)));
        assert!(names(&["median"]).unwrap_err().contains("works in one way"));
        assert!(names(&["gaus"]).unwrap_err().contains("gauss"));
        assert!(names(&["gauss=sigma=-1"]).is_err());
    }
}
