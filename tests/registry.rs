//! What holds for every filter in the registry, and so for every one that is added.

use std::collections::HashSet;
use vramp::filters::{ALL, Descriptor, create, docs, find};
use vramp::params::{Call, PRESET_KEY, Spelling, parse_chain, print_chain};

/// The call of `filter` with `args` as FFmpeg writes them.
fn call(filter: &Descriptor, args: &str) -> Call {
    let text = if args.is_empty() { filter.name.to_owned() } else { format!("{}={args}", filter.name) };
    parse_chain(&text).unwrap().remove(0)
}

/// Names as a chain can hold them; those of one list must differ.
fn assert_names<'a>(names: impl IntoIterator<Item = &'a str>, whose: &str) {
    let mut seen = HashSet::new();
    for name in names {
        assert!(seen.insert(name), "{whose}: '{name}' stands for two things");
        let as_key = parse_chain(&format!("f={name}=1")).ok();
        assert_eq!(as_key.and_then(|chain| chain[0].args[0].key.clone()).as_deref(), Some(name), "{whose}");
    }
}

#[test]
fn names_are_unambiguous() {
    assert_names(ALL.iter().flat_map(|d| [d.name].into_iter().chain(d.aliases.iter().copied())), "filters");
    for filter in ALL {
        let params = filter.schema.params.iter();
        let names = params.flat_map(|p| [p.name].into_iter().chain(p.aliases.iter().copied())).chain([PRESET_KEY]);
        assert_names(names, filter.name);
        let mut presets = HashSet::new();
        assert!(filter.schema.presets.iter().all(|preset| presets.insert(preset.name)), "{}", filter.name);
        assert!(filter.aliases.iter().chain([&filter.name]).all(|name| find(name).unwrap().name == filter.name));
    }
    assert!(find("no such filter").is_none());
}

#[test]
fn everything_is_described() {
    for filter in ALL {
        assert!(!filter.summary.is_empty() && !filter.definition.is_empty(), "{}", filter.name);
        assert!(!filter.summary.contains('\n'), "{}: the summary is one line", filter.name);
        for param in filter.schema.params {
            assert!(!param.doc.is_empty(), "{} {}", filter.name, param.name);
        }
        let help = docs::help(filter);
        assert!(filter.schema.params.iter().all(|param| help.contains(&format!("\n  {}", param.name))), "{help}");
    }
}

#[test]
fn defaults_are_values() {
    for filter in ALL {
        for param in filter.schema.params {
            let explicit = call(filter, &format!("{}='{}'", param.name, (param.default)()));
            let made = create(&explicit).unwrap_or_else(|error| panic!("{error}"));
            assert_eq!(made.call(), call(filter, ""), "{} {}: the default is left out", filter.name, param.name);
        }
    }
}

#[test]
fn presets_cases_and_neutral_settings_are_accepted_and_print_back() {
    for filter in ALL {
        let presets = filter.schema.presets.iter().map(|preset| format!("{PRESET_KEY}={}", preset.name));
        let settings = filter.cases.iter().chain(filter.neutral).map(|args| (*args).to_owned()).chain(presets);
        for args in settings {
            let made = create(&call(filter, &args)).unwrap_or_else(|error| panic!("{args}: {error}"));
            assert_eq!(made.descriptor().name, filter.name);
            for spelling in [Spelling::FFmpeg, Spelling::Plain] {
                let printed = print_chain(&[made.call()], spelling);
                let again = create(&parse_chain(&printed).unwrap()[0]).unwrap();
                assert_eq!(again.call(), made.call(), "{printed}");
            }
        }
    }
}

#[test]
fn wrong_arguments_are_refused() {
    for filter in ALL {
        assert!(create(&call(filter, "no-such-option=1")).is_err(), "{}", filter.name);
        assert!(create(&call(filter, "preset=no-such-preset")).is_err(), "{}", filter.name);
        for param in filter.schema.params {
            let error = create(&call(filter, &format!("{}='?'", param.name))).unwrap_err();
            let message = error.message();
            assert!(
                message.contains(filter.name) && message.contains(param.name) && message.contains('?'),
                "{message}"
            );
            assert!(message.contains(&param.takes()), "{message}");
        }
    }
}
