//! What machines say of their work, a line each time: for `vramp status`, and for leaving machines out that
//! only fail. What is done is not decided by it.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// What happened to a part.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum PartEvent {
    /// It is made.
    Done,
    /// It was not made.
    Failed,
    /// It was made once more, with the bytes that are there.
    Same,
}

/// A line.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PartRecord {
    /// The part.
    pub part: u32,
    /// What happened.
    pub event: PartEvent,
    /// When, in seconds since 1970.
    pub at: u64,
    /// How long it took, in seconds.
    pub seconds: f64,
    /// How many frames were made.
    pub frames: u32,
    /// The submission to an engine that this belongs to: its number, where it has one.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub submission: Option<u64>,
    /// Why it failed.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub error: Option<String>,
}

/// So often a machine may fail before it is left out.
const FAILURES: usize = 2;

/// The machines of `records` that failed at least twice in submission number `submission`, and made nothing: where one fails at
/// once, it would take all that waits. No times are compared: machines have clocks of their own.
pub fn blamed(records: &[(String, Vec<PartRecord>)], submission: u64) -> Vec<String> {
    let is_blamed = |records: &[PartRecord]| {
        let recent: Vec<_> = records.iter().filter(|record| record.submission == Some(submission)).collect();
        recent.len() >= FAILURES && recent.iter().all(|record| record.event == PartEvent::Failed)
    };
    records.iter().filter(|(_, records)| is_blamed(records)).map(|(host, _)| host.clone()).collect()
}

/// The parts that a machine made and no other has compared yet, by what `records` say, with the machine's name: one of each machine,
/// then a second of each, and so on, so that the first of them are of as many machines as there are.
pub fn unaudited(records: &[(String, Vec<PartRecord>)]) -> Vec<(u32, String)> {
    let all = || records.iter().flat_map(|(host, records)| records.iter().map(move |record| (host, record)));
    let same = |part: u32| all().any(|(_, record)| record.part == part && record.event == PartEvent::Same);
    let mut made: BTreeMap<u32, (u64, &String)> = BTreeMap::new();
    for (host, PartRecord { part, at, .. }) in all().filter(|(_, record)| record.event == PartEvent::Done) {
        let last = made.entry(*part).or_insert((*at, host));
        *last = (*last).max((*at, host));
    }
    let mut of_host: BTreeMap<&String, usize> = BTreeMap::new();
    let mut dealt = Vec::new();
    for (part, (_, host)) in made.into_iter().filter(|(part, _)| !same(*part)) {
        let turn = of_host.entry(host).or_default();
        dealt.push((*turn, host, part));
        *turn += 1;
    }
    dealt.sort_unstable();
    dealt.into_iter().map(|(_, host, part)| (part, host.clone())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(part: u32, event: PartEvent, at: u64, submission: Option<u64>) -> PartRecord {
        PartRecord { part, event, at, seconds: 1.0, frames: 0, submission, error: None }
    }

    #[test]
    fn who_only_fails_is_blamed() {
        // Of submission 10, or of one before it, by machines of which one believes that it is 1970.
        let record = |event, submission| record(0, event, 5, Some(submission));
        let (good, bad) = (|of| record(PartEvent::Done, of), |of| record(PartEvent::Failed, of));
        let records = [
            ("once".to_owned(), vec![bad(10)]),
            ("twice".to_owned(), vec![good(1), bad(10), bad(10)]),
            ("long-ago".to_owned(), vec![bad(1), bad(2), bad(10)]),
            ("mostly".to_owned(), vec![bad(10), bad(10), good(10), bad(10)]),
        ];
        assert_eq!(blamed(&records, 10), ["twice"]);
    }

    #[test]
    fn machines_are_audited_in_turn() {
        let done = |part, at| record(part, PartEvent::Done, at, None);
        let records = [
            ("a".to_owned(), vec![done(0, 1), done(2, 3), done(3, 4), done(6, 1)]),
            (
                "b".to_owned(),
                vec![done(1, 2), record(4, PartEvent::Failed, 2, None), record(3, PartEvent::Same, 5, None)],
            ),
            // Made again, after the first was damaged.
            ("c".to_owned(), vec![done(6, 9)]),
        ];
        let dealt = unaudited(&records);
        let dealt: Vec<_> = dealt.iter().map(|(part, host)| (*part, host.as_str())).collect();
        assert_eq!(dealt, [(0, "a"), (1, "b"), (6, "c"), (2, "a")]);
    }
}
