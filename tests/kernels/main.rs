//! Every registered filter, by itself: the fast kernels against the reference, on every format and shape they take,
//! inside guarded memory; neutral settings; and what results may depend on. A filter enters by its line in the
//! registry.

mod case;
mod check;
#[cfg(feature = "cuda")]
mod cuda;
mod data;
mod faulty;
mod memory;
mod registry;
mod rungs;
#[cfg(unix)]
mod walls;

use case::{Case, MEDIUM, SMALL, Turn, cases, end_cases, neutral_cases};
use check::{Execs, check_history, check_kernels, check_neutral, check_threads};
use std::collections::HashSet;
use vramp::filters::ALL;

/// Runs `check` on every case and reports the first failures. `VRAMP_FILTER=NAME,NAME` takes these filters alone.
fn all(cases: impl IntoIterator<Item = Case>, check: impl Fn(&Case, &Execs) -> Result<(), String>) {
    const SHOWN: usize = 10;
    let execs = Execs::new();
    let wanted = std::env::var("VRAMP_FILTER").ok();
    let is_wanted =
        |case: &Case| wanted.as_ref().is_none_or(|names| names.split(',').any(|name| name == case.filter.name));
    let failures = cases
        .into_iter()
        .filter(is_wanted)
        .filter_map(|case| check(&case, &execs).err().map(|fault| format!("{case}: {fault}")));
    let failures: Vec<String> = failures.take(SHOWN).collect();
    assert!(failures.is_empty(), "the first failures:\n{}", failures.join("\n"));
}

#[test]
fn fast_kernels_equal_the_reference() {
    all(cases(ALL), check_kernels);
}

#[test]
fn options_work_at_the_ends_of_what_they_take() {
    all(end_cases(ALL), check_kernels);
}

#[test]
fn neutral_settings_are_the_identity() {
    all(neutral_cases(ALL), check_neutral);
}

#[test]
fn results_do_not_depend_on_earlier_frames() {
    all(cases(ALL).filter(|case| case.shape() == SMALL), check_history);
}

#[test]
fn results_do_not_depend_on_threads() {
    all(cases(ALL).filter(|case| case.shape() == MEDIUM), check_threads);
}

/// The dimensions that take turns all have their turn with every argument of every filter.
#[test]
fn every_dimension_is_covered() {
    for filter in ALL.iter().filter(|filter| filter.has_kernels()) {
        for args in filter.cases {
            let one = [*filter];
            let cases: Vec<Case> = cases(&one).filter(|case| case.args == *args).collect();
            let count = |what: &dyn Fn(&Case) -> String| cases.iter().map(what).collect::<HashSet<_>>().len();
            let formats = case::formats(filter).count();
            assert_eq!(count(&|case| case.input.format.to_string()), formats, "{filter:?} {args}");
            assert_eq!(count(&|case| format!("{:?}", case.shape())), case::SHAPES.len());
            assert_eq!(count(&|case| format!("{:?}", case.input.color.range)), case::RANGES.len());
            assert_eq!(count(&|case| format!("{:?}", case.field_order)), case::FIELD_ORDERS.len());
            assert_eq!(count(&|case| format!("{:?}", case.content)), data::CONTENTS.len());
            // Own storage and v16 on the way in; v16, its own, and others on the way out.
            let same = |a, b| if a == b { "same".to_owned() } else { "other".to_owned() };
            assert_eq!(count(&|case| same(case.src, case.input.format)), 2, "{filter:?} {args}");
            assert_eq!(count(&|case| same(case.dst, case.input.format.to_v16())), 2, "{filter:?} {args}");
            assert_eq!(count(&|case| same(case.dst, case.input.format)), 2, "{filter:?} {args}");
        }
    }
}

#[test]
fn turns_repeat() {
    let turns = |seed| {
        let mut turn = Turn::new(seed);
        [(); 8].map(|()| *turn.pick(&[0, 1, 2, 3, 4]))
    };
    assert_eq!(turns(1), turns(1));
    assert_ne!(turns(1), turns(2));
}
