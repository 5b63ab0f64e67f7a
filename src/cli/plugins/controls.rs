//! What editors show of an effect: files that give its parameters their names, units and limits. Without one Kdenlive hides
//! every parameter that is text, and shows the rest as 0 to 1.

mod kdenlive;
mod shotcut;

pub use kdenlive::{effect as kdenlive_effect, presets as kdenlive_presets};
pub use shotcut::{meta as shotcut_meta, ui as shotcut_ui};

use crate::error::{Error, Result};
use crate::filters::{Change, Descriptor, Wiring, create, find_or_suggest};
use crate::params::{Call, Control, Param, ParamKind};

/// The effect that runs a chain.
pub const CHAIN: &str = "chain";
/// The chain of an effect that is new.
const DEFAULT_CHAIN: &str = "deband";
/// What it is.
const CHAIN_DOC: &str = "Filters in order, as in deband(range 16, sample 2) > gauss(0.5)";
/// Most values that are listed one by one.
const MOST_LISTED: i64 = 256;
/// Up to so many whole numbers are choices rather than amounts.
const CHOICES: i64 = 8;

/// Parameters that decide nothing where colours are RGB, as they are in these editors, or that need more than the frame at hand.
const OF_VIDEO: &[&str] = &[
    "adapt",
    "window",
    "peak",
    "percentile",
    "y",
    "cb",
    "cr",
    "dither_y",
    "dither_c",
    "field",
    "keep_tv_range",
    "planes",
    "y_1",
    "cb_1",
    "cr_1",
    "y_2",
    "cb_2",
    "cr_2",
];
/// The same of filters that weigh chroma apart.
const CHROMA: &str = "_c";

/// An effect of frei0r.
#[derive(Clone, Copy)]
pub enum Effect {
    /// Any chain, as text.
    Chain,
    /// One filter, with its parameters.
    Filter(&'static Descriptor),
}

/// How an editor shows a parameter.
enum Widget {
    /// A box to tick; whether it is ticked at first.
    Tick(bool),
    /// A slider from `least` to `most` whose ends are 0 and 1 to the effect.
    Slider { least: f64, most: f64, first: f64, whole: bool },
    /// One of these, each with what the effect gets for it.
    List { first: String, values: Vec<(String, String)> },
    /// Text.
    Line(String),
}

impl Effect {
    /// The effect called `name`.
    ///
    /// # Errors
    /// For an unknown filter, and for one that hosts of frei0r have no room for.
    pub fn named(name: &str) -> Result<Effect> {
        if name == CHAIN {
            return Ok(Effect::Chain);
        }
        let filter = find_or_suggest(name)?;
        let refuse = |why: &str| Err(Error::unsupported(format!("{} is no effect of frei0r: {why}", filter.name)));
        if filter.changes.iter().any(|change| matches!(change, Change::Size | Change::Rate)) {
            return refuse("it changes the size or the number of frames");
        }
        let reads_one = |filter: &dyn crate::filters::Filter| match filter.wiring() {
            Wiring::Reads(others) => others.is_empty(),
            _ => false,
        };
        let made = create(&Call { name: filter.name.to_owned(), args: Vec::new() });
        if !filter.temporal.is_empty() || !made.is_ok_and(|made| reads_one(&*made)) {
            return refuse("it reads more than the frame it makes");
        }
        Ok(Effect::Filter(filter))
    }

    /// Its name in file names.
    pub fn name(self) -> &'static str {
        match self {
            Effect::Chain => CHAIN,
            Effect::Filter(filter) => filter.name,
        }
    }

    fn summary(self) -> &'static str {
        match self {
            Effect::Chain => "Runs a chain of vramp's filters",
            Effect::Filter(filter) => filter.summary,
        }
    }

    /// The parameters that an editor shows.
    fn parameters(self) -> Vec<&'static Param> {
        let matters = |param: &&Param| !OF_VIDEO.contains(&param.name) && !param.name.ends_with(CHROMA);
        match self {
            Effect::Chain => Vec::new(),
            Effect::Filter(filter) => filter.schema.params.iter().filter(matters).collect(),
        }
    }
}

impl Widget {
    fn of(param: &Param) -> Widget {
        let first = (param.default)();
        let number = |text: &str| text.parse().unwrap_or_default();
        let auto = |more: bool| (param.auto && more).then(|| "auto".to_owned()).into_iter();
        match (Control::of(param), param.kind) {
            (Control::Switch, _) => Widget::Tick(first == "on"),
            // Kdenlive's sliders begin with 0.
            (control @ Control::Int { min, max }, _) if max - min < if min == 0 { CHOICES } else { MOST_LISTED } => {
                let stored = |value: i64| control.number_of(&value.to_string()).unwrap_or_default().to_string();
                let values = (min..=max).map(|value| (value.to_string(), stored(value))).collect();
                Widget::List { first: stored(number(&first) as i64), values }
            }
            (Control::Int { min, max }, _) => {
                Widget::Slider { least: min as f64, most: max as f64, first: number(&first), whole: true }
            }
            (Control::Float { min, max }, _) => {
                Widget::Slider { least: min, most: max, first: number(&first), whole: false }
            }
            (Control::Text, ParamKind::Choice(words)) => {
                Widget::words(first, auto(!words.contains(&"auto")).chain(words.iter().map(|word| word.to_string())))
            }
            (Control::Text, ParamKind::Int { min, max }) if max - min < MOST_LISTED => {
                Widget::words(first, auto(true).chain((min..=max).map(|value| value.to_string())))
            }
            (Control::Text, _) => Widget::Line(first),
        }
    }

    /// A list of what a chain writes.
    fn words(first: String, words: impl Iterator<Item = String>) -> Widget {
        Widget::List { first, values: words.map(|word| (word.clone(), word)).collect() }
    }
}

/// Every preset of every filter as a call, with what it is for: what can be chosen for a chain.
fn calls_with_presets() -> impl Iterator<Item = (String, String)> {
    let named = |filter: &'static Descriptor| {
        filter.schema.presets.iter().map(move |preset| {
            (format!("{} {}", filter.name, preset.name), format!("{}(preset {})", filter.name, preset.name))
        })
    };
    crate::filters::ALL.iter().copied().filter(|filter| Effect::named(filter.name).is_ok()).flat_map(named)
}

/// What a parameter is, and which values it has, in one line.
fn explained(param: &Param) -> String {
    let words: Vec<&str> = param.doc.split_whitespace().collect();
    format!("{} It takes {}.", words.join(" "), param.takes())
}

/// What states the version in a file, as in the library.
pub fn mark() -> String {
    format!("{}{}", plugin_mark!(), env!("CARGO_PKG_VERSION"))
}
