//! The operations of tests/operations.txt: every one is a chain that plans, or waits for a filter that is named.

use std::collections::BTreeMap;
use vramp::filters::{chain, find};
use vramp::pipeline::{Target, plan};
use vramp::video::{ColorInfo, Range, StreamInfo};

/// Groups, and how many operations are in each.
const GROUPS: [(&str, usize); 9] = [
    ("point", 20),
    ("two", 14),
    ("linear", 12),
    ("rank", 9),
    ("edge-aware", 7),
    ("geometry", 11),
    ("colour", 12),
    ("statistics", 5),
    ("local", 3),
];

struct Operation<'t> {
    group: &'t str,
    name: &'t str,
    chain: &'t str,
    /// The filter that it waits for.
    waits: Option<&'t str>,
}

fn operations(text: &str) -> Vec<Operation<'_>> {
    let lines = text.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
    lines
        .map(|line| match line.split(" | ").collect::<Vec<_>>()[..] {
            [group, name, chain] => Operation { group, name, chain, waits: None },
            [group, name, chain, waits] => {
                let waits = waits.strip_prefix("waits ").unwrap_or_else(|| panic!("{line}"));
                Operation { group, name, chain, waits: Some(waits) }
            }
            _ => panic!("{line}"),
        })
        .collect()
}

/// What a chain is planned for.
fn stream() -> StreamInfo {
    // BT.709 has number 1 in all of H.273's tables.
    let color = ColorInfo { range: Range::Limited, matrix: 1, transfer: 1, primaries: 1, ..ColorInfo::default() };
    StreamInfo { color, ..StreamInfo::bare("yuv444p".parse().unwrap(), 64, 48) }
}

#[test]
fn ninety_three_operations_are_chains() {
    let all = operations(include_str!("operations.txt"));
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for operation in &all {
        *counts.entry(operation.group).or_default() += 1;
    }
    assert_eq!(counts, GROUPS.into_iter().collect());
    assert_eq!(all.len(), 93);

    let mut wrong = Vec::new();
    for Operation { name, chain: text, waits, .. } in &all {
        match waits {
            Some(filter) if find(filter).is_some() => {
                wrong.push(format!("{name}: the filter '{filter}' is there now: take the mark off '{text}'"));
            }
            Some(filter) if !text.contains(filter) => wrong.push(format!("{name}: '{text}' has no '{filter}'")),
            Some(_) => {}
            None => {
                let planned = chain(text).and_then(|filters| plan(filters, &stream(), Target::default()));
                wrong.extend(planned.err().map(|error| format!("{name}: '{text}': {error}")));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    let mut missing: Vec<_> = all.iter().filter_map(|operation| operation.waits).collect();
    println!("{} of {} operations wait", missing.len(), all.len());
    missing.dedup();
    println!("for {}", missing.join(", "));
}
