//! A registered filter cannot be missing from any rung of the tests.

use crate::case::{Case, MEDIUM, SMALL, cases, end_cases, neutral_cases};
#[cfg(unix)]
use crate::walls::is_walled;
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use vramp::filters::{ALL, docs};

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
    assert_eq!(met(end_cases(ALL)), names(), "the ends of options");
    assert_eq!(met(neutral_cases(ALL)), names(), "neutral settings");
    assert_eq!(met(cases(ALL).filter(|case| case.shape() == SMALL)), names(), "earlier frames");
    assert_eq!(met(cases(ALL).filter(|case| case.shape() == MEDIUM)), names(), "threads");
    #[cfg(unix)]
    assert_eq!(met(cases(ALL).filter(is_walled)), names(), "walls");
}

/// What must be said of a filter besides its definition, each at the start of a line of it.
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

/// Every source file below `folder`.
fn sources(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let of = |path: PathBuf| if path.is_dir() { sources(&path) } else { vec![path] };
    entries.flat_map(of).filter(|path| path.extension().is_some_and(|extension| extension == "rs")).collect()
}

/// The modules that filters load are committed.
#[test]
fn every_module_for_cuda_is_there() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let texts = sources(&root.join("src/filters")).into_iter().map(|path| fs::read_to_string(path).unwrap());
    let modules: BTreeSet<String> = texts.flat_map(|text| modules(&text)).collect();
    assert!(!modules.is_empty(), "no source names any module");
    for module in modules {
        let ptx = root.join(format!("cuda/ptx/{module}.ptx"));
        assert!(ptx.is_file(), "{} is not there: run make ptx, and commit it", ptx.display());
    }
}

/// The modules that the source `text` names.
fn modules(text: &str) -> Vec<String> {
    let named = |start: &str| -> Vec<String> {
        let after = text.split(start).skip(1);
        after.filter_map(|rest| Some(rest.split_once('"')?.0.to_owned())).collect()
    };
    [named(".function(\""), named("const MODULE: &'static str = \"")].concat()
}
