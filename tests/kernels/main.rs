//! The harness that every filter is held to is tested itself. What it finds of the filters, one by one, is in tests/filters.

#[cfg(unix)]
mod beside;
mod case;
mod check;
#[cfg(feature = "cuda")]
mod cuda;
mod data;
mod faulty;
#[cfg(feature = "cuda")]
#[allow(dead_code)]
mod gpu;
mod memory;
mod registry;
mod rungs;
mod sample;
#[cfg(unix)]
mod walls;

use case::{Case, Turn, sampled_cases};
use sample::Sample;
use std::collections::HashSet;
use vramp::filters::{ALL, Change};
use vramp::video::Format;

/// The dimensions that take turns all have their turn with every argument of every filter.
#[test]
fn every_dimension_is_covered() {
    let sample = if Sample::asked() == Sample::All { Sample::All } else { Sample::Third };
    for filter in ALL.iter().filter(|filter| filter.has_kernels()) {
        for args in filter.cases {
            let one = [*filter];
            let cases: Vec<Case> = sampled_cases(&one, sample).filter(|case| case.args == *args).collect();
            let count = |what: &dyn Fn(&Case) -> String| cases.iter().map(what).collect::<HashSet<_>>().len();
            // What the filter takes with these arguments: a picture may be too small, or its chroma not fit.
            let fits = |format, shape| case::fits(filter, args, format, shape);
            let taken = |format: &Format| case::SHAPES.iter().any(|shape| fits(*format, *shape));
            let formats = case::formats(filter).filter(taken).count();
            let shapes =
                case::SHAPES.iter().filter(|shape| case::formats(filter).any(|format| fits(format, **shape))).count();
            assert!(formats > 0 && shapes > 1, "{filter:?} {args}: {formats} formats, {shapes} shapes");
            // Of few that fit, a sample may miss some.
            let whole = sample == Sample::All || !filter.changes.contains(&Change::Size);
            let (met, met_shapes) =
                (count(&|case| case.input.format.to_string()), count(&|case| format!("{:?}", case.shape())));
            assert!(met == formats || (!whole && 2 * met >= formats), "{filter:?} {args}: {met} of {formats} formats");
            assert!(met_shapes == shapes || (!whole && met_shapes > 0), "{filter:?} {args}: {met_shapes} shapes");
            assert_eq!(count(&|case| format!("{:?}", case.input.color.range)), case::RANGES.len());
            assert_eq!(count(&|case| format!("{:?}", case.field_order)), case::FIELD_ORDERS.len());
            assert_eq!(count(&|case| format!("{:?}", case.content)), data::CONTENTS.len());
            // Own storage and v16 as input; v16, its own, and others as output.
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
