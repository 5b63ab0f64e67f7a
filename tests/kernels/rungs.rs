//! A registered filter cannot be missing from any rung of the tests.

use crate::case::{Case, MEDIUM, SMALL, cases, end_cases, neutral_cases};
use crate::registry::ALWAYS_CHANGES;
#[cfg(unix)]
use crate::walls::is_walled;
use std::collections::BTreeSet;
use vramp::filters::{ALL, Descriptor, docs};

fn names() -> BTreeSet<&'static str> {
    ALL.iter().filter(|filter| filter.has_kernels()).map(|filter| filter.name).collect()
}

/// The filters that `cases` are of.
fn met(cases: impl Iterator<Item = Case>) -> BTreeSet<&'static str> {
    cases.map(|case| case.filter.name).collect()
}

#[test]
fn every_filter_is_on_every_rung() {
    assert_eq!(met(cases(ALL)), names(), "fast kernels, and CUDA's, against the reference");
    let having = |what: fn(&Descriptor) -> bool| {
        ALL.iter().filter(move |filter| filter.has_kernels() && what(filter)).map(|filter| filter.name)
    };
    assert_eq!(met(end_cases(ALL)), having(|filter| !filter.schema.params.is_empty()).collect(), "the ends of options");
    let neutral = having(|filter| !ALWAYS_CHANGES.contains(&filter.name)).collect();
    assert_eq!(met(neutral_cases(ALL)), neutral, "neutral settings");
    assert_eq!(met(cases(ALL).filter(|case| case.shape() == SMALL)), names(), "earlier frames");
    assert_eq!(met(cases(ALL).filter(|case| case.shape() == MEDIUM)), names(), "threads");
    #[cfg(unix)]
    assert_eq!(met(cases(ALL).filter(is_walled)), names(), "walls");
}

/// What must be documented of a filter besides its definition, each at the start of a line of it.
#[test]
fn every_filter_states_its_accuracy_and_its_cost() {
    let text = docs::markdown(ALL);
    for filter in ALL {
        let section = text.split("\n## ").find(|section| section.starts_with(&format!("{}\n", filter.name)));
        let section = section.unwrap_or_else(|| panic!("docs/filters.md has no section on {}", filter.name));
        for start in ["\nAccuracy: ", "\nCost: "] {
            let said = section.split_once(start).map_or("", |(_, said)| said.split("\n\n").next().unwrap_or(""));
            assert!(said.len() > 20, "{}: its definition has no paragraph '{}'", filter.name, start.trim());
        }
    }
}
