//! What must hold of everything in the registry.

use crate::case::{create, formats};
use std::collections::HashSet;
use vramp::filters::{ALL, Descriptor, Filter, chain, find};
use vramp::params::{Arg, Call, PRESET_KEY, ParamKind, Spelling, parse_chain, print_chain};
use vramp::pipeline::{Target, plan};
use vramp::video::StreamInfo;

/// Every name and alias, each once, and each one that no spelling of a chain has to quote.
fn check_names<'a>(names: impl Iterator<Item = &'a str>, of: &str) {
    let mut seen = HashSet::new();
    for name in names {
        assert!(seen.insert(name), "{of}: '{name}' is there twice");
        let plain = name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
        assert!(plain && name.starts_with(|c: char| c.is_ascii_alphabetic()), "{of}: '{name}' is no plain name");
    }
}

fn with_aliases(name: &'static str, aliases: &'static [&'static str]) -> impl Iterator<Item = &'static str> {
    std::iter::once(name).chain(aliases.iter().copied())
}

#[test]
fn names_are_unique() {
    check_names(ALL.iter().flat_map(|filter| filter.names()), "filters");
    for filter in ALL {
        let params = filter.schema.params.iter().flat_map(|param| with_aliases(param.name, param.aliases));
        let elsewhere = filter.schema.elsewhere.iter().flat_map(|option| option.names.iter().copied());
        check_names(params.chain([PRESET_KEY]).chain(elsewhere), filter.name);
        check_names(filter.schema.presets.iter().map(|preset| preset.name), filter.name);
    }
}

#[test]
fn filters_are_found_by_every_name() {
    for filter in ALL {
        for name in filter.names() {
            assert_eq!(find(name).map(|found| found.name), Some(filter.name));
        }
    }
    assert!(find("nosuchfilter").is_none());
}

/// What a message advises to write must be right.
#[test]
fn aliases_that_are_others_names_take_one_unnamed_value() {
    let made = |text: &str| vramp::filters::chain(text).map(|_| ()).map_err(|error| error.message().to_owned());
    let aliases = ALL.iter().flat_map(|filter| filter.aliases.iter().map(move |alias| (filter, alias)));
    let foreign: Vec<_> = aliases.filter_map(|(filter, alias)| Some((filter, alias.name, alias.foreign?))).collect();
    assert_eq!(
        foreign.iter().map(|(_, name, _)| *name).collect::<Vec<_>>(),
        ["f3kdb", "boxblur", "gblur", "convolution"]
    );
    for (filter, name, of) in foreign {
        let message =
            format!("{name}: {}'s second value is another option here: name options, as in {}", of.program, of.example);
        for two in ["2:1", "10:5:y", "2:1:planes=y"] {
            assert_eq!(made(&format!("{name}={two}")), Err(message.clone()));
        }
        assert_eq!(made(&format!("{name}(2, 1)")), Err(message.clone()));
        assert_eq!(made(of.example), Ok(()));
        for one in ["2", "2:planes=y"] {
            assert_eq!(made(&format!("{name}={one}")), Ok(()));
        }
        assert_eq!(made(&format!("{}=2:1", filter.name)), Ok(()), "its own name has its own order");
    }
}

#[test]
fn options_of_ffmpeg_are_documented() {
    for (text, words) in [
        ("boxblur=luma_radius=2", "'radius'"),
        ("boxblur=lr=2:lp=1", "'radius'"),
        ("box=luma_power=2", "'passes'"),
        ("boxblur=lp=2", "'passes'"),
        ("boxblur=cr=2", "planes=uv"),
        ("gblur=sigmaV=2", "as high as it is wide"),
        ("gblur=steps=2", "leave them out"),
        ("bilateral=sigmaR=0.1", "sigma_r=25.5"),
        ("convolve=rdiv=0.1", "'divisor'"),
    ] {
        let message = vramp::filters::chain(text).unwrap_err().message().to_owned();
        assert!(message.contains(words) && !message.contains("did you mean"), "{text}: {message}");
    }
    let message = vramp::filters::chain("gblur=planes=2").unwrap_err().message().to_owned();
    assert!(message.ends_with("rb, gb"), "no letter is near a number: {message}");
}

/// Filters that do something, whatever their parameters: leave no picture as it is, or measure it.
pub const ALWAYS_CHANGES: [&str; 13] = [
    "hflip",
    "vflip",
    "transpose",
    "separate_fields",
    "weave",
    "stats",
    "banding",
    "tonemap",
    "mask",
    "edges",
    "minmax",
    "rgauss",
    "domain",
];

#[test]
fn everything_is_described() {
    for filter in ALL {
        let name = filter.name;
        assert!(!filter.summary.is_empty() && !filter.summary.contains('\n'), "{name}: summary");
        assert!(!filter.definition.trim().is_empty(), "{name}: definition");
        assert!(!filter.cases.is_empty(), "{name}: cases");
        let changes = !filter.has_kernels() || ALWAYS_CHANGES.contains(&name);
        assert_eq!(filter.neutral.is_empty(), changes, "{name}: neutral settings");
        assert!(formats(filter).next().is_some(), "{name}: accepts no format");
        for param in filter.schema.params {
            assert!(!param.doc.trim().is_empty(), "{name}: doc of {}", param.name);
            if let ParamKind::Choice(words) = param.kind {
                check_names(words.iter().copied(), param.name);
            }
        }
        for preset in filter.schema.presets {
            assert!(!preset.doc.is_empty() && !preset.args.is_empty(), "{name}: preset {}", preset.name);
        }
    }
}

/// A filter written out in either spelling is the same filter.
fn check_round_trip(filter: &dyn Filter) {
    let call = filter.call();
    for spelling in [Spelling::FFmpeg, Spelling::Plain] {
        let text = print_chain(std::slice::from_ref(&call), spelling);
        let again = parse_chain(&text).unwrap_or_else(|e| panic!("{text}: {e}"));
        let again = (filter.descriptor().create)(&again[0]).unwrap_or_else(|e| panic!("{text}: {e}"));
        assert_eq!(again.call(), call, "{text}");
    }
}

#[test]
fn cases_neutrals_and_presets_build() {
    for filter in ALL {
        for args in filter.cases.iter().chain(filter.neutral) {
            check_round_trip(&*create(filter, args).unwrap_or_else(|e| panic!("{} [{args}]: {e}", filter.name)));
        }
        for preset in filter.schema.presets {
            let args = format!("{PRESET_KEY}={}", preset.name);
            check_round_trip(&*create(filter, &args).unwrap_or_else(|e| panic!("{} [{args}]: {e}", filter.name)));
        }
    }
}

fn with_arg(filter: &'static Descriptor, key: &str, value: String) -> vramp::error::Result<Box<dyn Filter>> {
    let args = vec![Arg { key: Some(key.to_owned()), value }];
    (filter.create)(&Call { name: filter.name.to_owned(), args })
}

#[test]
fn defaults_are_values_and_change_nothing() {
    for filter in ALL {
        let bare = create(filter, "").unwrap_or_else(|e| panic!("{}: {e}", filter.name)).call();
        assert!(bare.args.is_empty(), "{bare:?} has arguments that are defaults");
        for param in filter.schema.params {
            for name in with_aliases(param.name, param.aliases) {
                let value = (param.default)();
                let made = with_arg(filter, name, value).unwrap_or_else(|e| panic!("{} {name}: {e}", filter.name));
                assert_eq!(made.call(), bare, "{name}");
            }
        }
    }
}

#[test]
fn values_outside_are_refused_by_name() {
    for filter in ALL {
        for param in filter.schema.params {
            let outside = match param.kind {
                ParamKind::Int { min, max } => vec![(min - 1).to_string(), (max + 1).to_string(), "x".to_owned()],
                ParamKind::Float { min, max } => {
                    vec![(min - 1.0).to_string(), (max + 1.0).to_string(), "NaN".to_owned()]
                }
                ParamKind::Bool | ParamKind::Choice(_) | ParamKind::Text(_) => {
                    vec!["nosuchword".to_owned(), String::new()]
                }
                ParamKind::Name => ["", "2nd", "_a", "a-b", "a b", "ä"].map(str::to_owned).to_vec(),
            };
            for value in outside {
                let error = with_arg(filter, param.name, value.clone()).expect_err(param.name);
                assert!(error.message().contains(param.name), "{value}: {error}");
            }
        }
    }
}

/// The kernels that a chain becomes.
fn planned(text: &str) -> Result<Vec<&'static str>, String> {
    let input = StreamInfo::bare("yuv420p".parse().unwrap(), 16, 16);
    let plan = plan(chain(text).unwrap(), &input, Target::default()).map_err(|error| error.message().to_owned())?;
    Ok(plan.stages.iter().map(|stage| stage.filter.descriptor().name).collect())
}

#[test]
fn points_of_a_chain_have_names() {
    assert_eq!(planned("keep=a,median,merge=with=a").unwrap(), ["median", "merge"]);
    assert_eq!(planned("keep=a,median,keep=b,use=a,unsharp,diff=with=b").unwrap(), ["median", "unsharp", "diff"]);
    assert_eq!(planned("keep=other,median,overlay=x=3").unwrap(), ["median", "overlay"]);
    let kernels = |name| find(name).unwrap().has_kernels();
    assert_eq!(["keep", "use", "merge", "median"].map(kernels), [false, false, true, true]);
    let alone = |name| find(name).unwrap().stands_alone();
    assert_eq!(["keep", "use", "merge", "median"].map(alone), [false, false, false, true]);
}

#[test]
fn names_that_stand_for_nothing_are_refused() {
    for (text, start) in [
        ("merge=with=a", "merge: no picture is called 'a' here"),
        ("use=a", "use: no picture is called 'a' here"),
        ("keep=a,median", "nothing in the chain reads the picture 'a'"),
        ("keep=a,median,keep=a,merge=a", "keep: two pictures are called 'a'"),
    ] {
        let message = planned(text).unwrap_err();
        assert!(message.starts_with(start), "{text}: {message}");
    }
}
