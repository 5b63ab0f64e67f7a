//! The effects of the library, and their parameters as hosts see them.

use std::ffi::{CString, c_int};
use std::sync::LazyLock;
use vramp::error::Result;
use vramp::filters::{self, Descriptor};
use vramp::params::{Arg, Call, Param, ParamKind, Spelling, print_chain};
use vramp::video::{Format, StreamInfo};

/// The chain effect's text until the host sets another.
const DEFAULT_CHAIN: &str = "deband";

/// Every effect, in an order that later versions add to.
pub static EFFECTS: LazyLock<Vec<Effect>> = LazyLock::new(|| {
    let fitting = filters::ALL.iter().copied().filter(|filter| fits(filter));
    std::iter::once(Effect::chain()).chain(fitting.map(Effect::filter)).collect()
});

/// Where every effect filters: hosts hold RGB, and filters are made for video.
pub static COLOURS: LazyLock<Control> = LazyLock::new(|| Control {
    name: c"working_colours".to_owned(),
    label: c"Working colours".to_owned(),
    hint: text(
        "YCbCr (BT.709) is what the filters' thresholds are made for. RGB filters the host's own components, as the command \
         does with RGB video.",
    ),
    shape: Shape::Choice { words: words(&["ycbcr", "rgb"]), labels: words(&["YCbCr (video)", "RGB"]), first: 0 },
});
/// Whether the host's values are light.
pub static LINEAR: LazyLock<Control> = LazyLock::new(|| Control {
    name: c"input_is_linear".to_owned(),
    label: c"Input is linear".to_owned(),
    hint: text(
        "For scene-linear images, as in Natron and Nuke: filters see them through the curve of sRGB, which is undone.",
    ),
    shape: Shape::Switch(false),
});

/// An effect.
pub struct Effect {
    /// The name by which projects know it. Hosts make file names of it.
    pub identifier: CString,
    /// What menus call it.
    pub label: CString,
    /// What it does.
    pub description: CString,
    /// Whether it may read frames around the one that it makes.
    pub reads_around: bool,
    kind: EffectKind,
}

enum EffectKind {
    /// Any chain, as text.
    Chain(Control),
    /// One filter, with its parameters.
    Filter(&'static Descriptor, Vec<Setting>),
}

/// A filter's parameter.
struct Setting {
    param: &'static Param,
    /// Whether it follows from something else, where it can.
    auto: Option<Control>,
    value: Control,
}

/// A parameter in the host.
pub struct Control {
    /// Its name in projects.
    pub name: CString,
    /// What users see.
    pub label: CString,
    /// What it does.
    pub hint: CString,
    /// Its values.
    pub shape: Shape,
}

/// The values of a [`Control`], and the one it has at first.
pub enum Shape {
    /// On or off.
    Switch(bool),
    /// A whole number.
    Int { min: c_int, max: c_int, first: c_int },
    /// A number.
    Number { min: f64, max: f64, first: f64 },
    /// One of some words: as a chain writes them, and as users see them.
    Choice { words: Vec<CString>, labels: Vec<CString>, first: usize },
    /// As a chain writes it.
    Text(CString),
}

/// Whether a host can have `filter` as an effect: it makes a picture of the same size and kind of one clip.
fn fits(filter: &Descriptor) -> bool {
    let is_alike = filter.changes.is_empty() && filter.has_kernels() && filter.stands_alone();
    is_alike && !measures(filter).unwrap_or(true)
}

/// Whether the filter's result is what it measures, for which hosts have no place.
fn measures(filter: &Descriptor) -> Result<bool> {
    let made = filters::create(&Call { name: filter.name.to_owned(), args: Vec::new() })?;
    Ok(made.spec(&[StreamInfo::bare(Format::yuv(0, 0, 16)?, 64, 64)])?.measures)
}

impl Effect {
    fn chain() -> Effect {
        let control = Control {
            name: c"chain".to_owned(),
            label: c"Chain".to_owned(),
            hint: text("The filters in order, as in deband(range 16, sample 2) > gauss(0.5)"),
            shape: Shape::Text(text(DEFAULT_CHAIN)),
        };
        Effect {
            identifier: c"org.vramp.chain".to_owned(),
            label: c"vramp chain".to_owned(),
            description: c"Runs a chain of vramp's filters".to_owned(),
            reads_around: true,
            kind: EffectKind::Chain(control),
        }
    }

    fn filter(filter: &'static Descriptor) -> Effect {
        Effect {
            identifier: text(&format!("org.vramp.{}", filter.name)),
            label: text(&format!("vramp {}", filter.name)),
            description: text(&plain(filter.summary)),
            // Some read others only where a number of them is set.
            reads_around: !filter.temporal.is_empty()
                || filter.schema.params.iter().any(|param| param.unit == "frames"),
            kind: EffectKind::Filter(filter, filter.schema.params.iter().map(Setting::of).collect()),
        }
    }

    /// Its parameters, in their order.
    pub fn controls(&self) -> Vec<&Control> {
        let own: Vec<_> = match &self.kind {
            EffectKind::Chain(control) => vec![control],
            EffectKind::Filter(_, settings) => {
                settings.iter().flat_map(|setting| setting.auto.iter().chain([&setting.value])).collect()
            }
        };
        own.into_iter().chain([&*COLOURS, &*LINEAR]).collect()
    }

    /// The chain that it runs, where `read` gives each parameter's value as a chain writes it.
    ///
    /// # Errors
    /// As `read`.
    pub fn program(&self, read: impl Fn(&Control) -> Result<String>) -> Result<String> {
        let (filter, settings) = match &self.kind {
            EffectKind::Chain(control) => return read(control),
            EffectKind::Filter(filter, settings) => (filter, settings),
        };
        let mut args = Vec::new();
        for Setting { param, auto, value } in settings {
            let is_auto = auto.as_ref().map(&read).transpose()?.is_some_and(|auto| auto == "on");
            let value = if is_auto { "auto".to_owned() } else { read(value)? };
            if !value.is_empty() && value != (param.default)() {
                args.push(Arg { key: Some(param.name.to_owned()), value });
            }
        }
        Ok(print_chain(&[Call { name: filter.name.to_owned(), args }], Spelling::Plain))
    }
}

impl Setting {
    fn of(param: &'static Param) -> Setting {
        let first = (param.default)();
        let shape = Shape::of(param, &first);
        let has_own_auto = matches!(shape, Shape::Choice { .. } | Shape::Text(_));
        let unit = if param.unit.is_empty() { String::new() } else { format!(" ({})", param.unit) };
        let hint = plain(&format!("{} It takes {}.", param.doc, param.takes()));
        let value = Control { name: text(param.name), label: text(&(param.label() + &unit)), hint: text(&hint), shape };
        let auto = (param.auto && !has_own_auto).then(|| Control {
            name: text(&format!("{}_auto", param.name)),
            label: text(&format!("{}: automatic", param.label())),
            hint: text(&plain(param.doc)),
            shape: Shape::Switch(first == "auto"),
        });
        Setting { param, auto, value }
    }
}

impl Shape {
    fn of(param: &Param, first: &str) -> Shape {
        let narrow = |value: i64| c_int::try_from(value).ok();
        let choice = |known: &[&str]| {
            let auto = (param.auto && !known.contains(&"auto")).then_some("auto");
            let all: Vec<&str> = auto.into_iter().chain(known.iter().copied()).collect();
            let place = all.iter().position(|word| *word == first).unwrap_or(0);
            Shape::Choice { words: words(&all), labels: words(&all), first: place }
        };
        match param.kind {
            ParamKind::Bool if param.auto => choice(&["off", "on"]),
            ParamKind::Bool => Shape::Switch(first == "on"),
            ParamKind::Int { min, max } => match (narrow(min), narrow(max)) {
                (Some(min), Some(max)) => Shape::Int { min, max, first: first.parse().unwrap_or(min) },
                _ => Shape::Text(text(first)),
            },
            ParamKind::Float { min, max } => Shape::Number { min, max, first: first.parse().unwrap_or(min) },
            ParamKind::Choice(known) => choice(known),
            ParamKind::Text(_) | ParamKind::Name => Shape::Text(text(first)),
        }
    }

    /// A host's number as a chain writes the value. Curves between keyframes overshoot: what is beyond is the nearest.
    pub fn int_text(&self, value: c_int) -> String {
        match self {
            Shape::Switch(_) => if value != 0 { "on" } else { "off" }.to_owned(),
            Shape::Int { min, max, .. } => value.clamp(*min, *max).to_string(),
            Shape::Choice { words, .. } => {
                let place = usize::try_from(value).unwrap_or(0).min(words.len() - 1);
                words[place].to_string_lossy().into_owned()
            }
            Shape::Number { .. } | Shape::Text(_) => String::new(),
        }
    }

    /// The same of a number that may be none whole; empty for one that is no number.
    pub fn number_text(&self, value: f64) -> String {
        match self {
            // To a billionth, so that a default is written as it is stated.
            Shape::Number { min, max, .. } if !value.is_nan() => {
                ((value.clamp(*min, *max) * 1e9).round() / 1e9).to_string()
            }
            _ => String::new(),
        }
    }
}

fn text(text: &str) -> CString {
    CString::new(text).unwrap_or_default()
}

fn words(words: &[&str]) -> Vec<CString> {
    words.iter().map(|word| text(word)).collect()
}

/// Documentation as hosts show it.
fn plain(markdown: &str) -> String {
    markdown.replace('`', "'")
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    /// What a control gives until the host sets another value.
    fn first(control: &Control) -> Result<String> {
        Ok(match &control.shape {
            Shape::Switch(first) => control.shape.int_text((*first).into()),
            Shape::Int { first, .. } => control.shape.int_text(*first),
            Shape::Choice { first, .. } => control.shape.int_text(*first as c_int),
            Shape::Number { first, .. } => control.shape.number_text(*first),
            Shape::Text(first) => first.to_string_lossy().into_owned(),
        })
    }

    fn effect(name: &str) -> &'static Effect {
        let identifier = format!("org.vramp.{name}");
        EFFECTS.iter().find(|effect| effect.identifier.to_str() == Ok(&identifier)).unwrap()
    }

    #[test]
    fn every_effects_defaults_are_the_filters() {
        for effect in EFFECTS.iter().skip(1) {
            let name = effect.label.to_str().unwrap().strip_prefix("vramp ").unwrap();
            assert_eq!(effect.program(first).unwrap(), name);
        }
        assert_eq!(EFFECTS[0].program(first).unwrap(), DEFAULT_CHAIN);
    }

    #[test]
    fn effects_are_filters_of_one_clip_that_keep_its_kind() {
        let names: Vec<_> = EFFECTS.iter().map(|effect| effect.identifier.to_str().unwrap()).collect();
        for name in ["deband", "gauss", "median", "unsharp", "levels", "tmedian", "lut3d"] {
            assert!(names.contains(&format!("org.vramp.{name}").as_str()), "{name}: {names:?}");
        }
        for name in ["crop", "merge", "stats", "select", "depth", "keep", "matrix", "range"] {
            assert!(!names.contains(&format!("org.vramp.{name}").as_str()), "{name}");
        }
        assert!(effect("tmedian").reads_around && !effect("deband").reads_around);
    }

    #[test]
    fn names_are_unique_and_hosts_can_store_them() {
        for effect in EFFECTS.iter() {
            assert!(!effect.identifier.to_str().unwrap().contains(':'), "MLT takes that for its own");
            let controls = effect.controls();
            let names: BTreeSet<_> = controls.iter().map(|control| &control.name).collect();
            assert_eq!(names.len(), controls.len(), "{:?}", effect.label);
        }
    }

    #[test]
    fn automatic_is_a_switch_beside_a_number() {
        let read = |control: &Control| match control.name.to_str().unwrap() {
            "radius_auto" => Ok("off".to_owned()),
            "radius" => Ok("7".to_owned()),
            _ => first(control),
        };
        assert_eq!(effect("gauss").program(read).unwrap(), "gauss(radius 7)");
    }

    #[test]
    fn values_beyond_the_ends_are_the_ends() {
        let int = Shape::Int { min: 0, max: 127, first: 15 };
        assert_eq!([-3, 16, 500].map(|value| int.int_text(value)), ["0", "16", "127"]);
        let number = Shape::Number { min: 0.1, max: 64.0, first: 0.5 };
        assert_eq!(
            [0.0, 0.1 + 0.2, 1e9, f64::INFINITY, f64::NAN].map(|value| number.number_text(value)),
            ["0.1", "0.3", "64", "64", ""]
        );
        let choice = Shape::Choice { words: words(&["a", "b"]), labels: words(&["a", "b"]), first: 0 };
        assert_eq!([-1, 0, 1, 9].map(|value| choice.int_text(value)), ["a", "a", "b", "b"]);
    }

    #[test]
    fn a_seed_beyond_hosts_numbers_is_text() {
        let deband = effect("deband");
        let seed = deband.controls().into_iter().find(|control| control.name.as_c_str() == c"seed").unwrap();
        assert!(matches!(seed.shape, Shape::Text(_)));
    }
}
