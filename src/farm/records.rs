//! What machines say of their work, a line each time: for `vramp status`, and for leaving machines out that
//! only fail. What is done is not decided by it.

use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

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
    /// It was made once more, with other bytes.
    Differs,
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
    /// The machines that made it wrong, where it was in dispute and this settles it.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub wrong: Vec<String>,
    /// Why it failed.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub error: Option<String>,
}

/// So often a machine may fail before it is left out.
const FAILURES: usize = 2;

/// The machines of `records` that failed at least twice in submission number `submission`, and made nothing: where one fails at
/// once, it would take all that waits. And those that made a part wrong. No times are compared: machines have clocks of their own.
pub fn blamed(records: &[(String, Vec<PartRecord>)], submission: u64) -> Vec<String> {
    let only_fails = |records: &[PartRecord]| {
        let recent: Vec<_> = records.iter().filter(|record| record.submission == Some(submission)).collect();
        recent.len() >= FAILURES && recent.iter().all(|record| record.event == PartEvent::Failed)
    };
    let failing = records.iter().filter(|(_, records)| only_fails(records)).map(|(host, _)| host.clone());
    let all = records.iter().flat_map(|(_, records)| records);
    let wrong = all.filter(|record| record.submission == Some(submission)).flat_map(|record| record.wrong.clone());
    failing.chain(wrong).collect::<BTreeSet<_>>().into_iter().collect()
}

/// So many parts each machine made wrong, where it is known.
pub fn made_wrong(records: &[(String, Vec<PartRecord>)]) -> BTreeMap<String, usize> {
    let mut wrong = BTreeMap::new();
    let named = records.iter().flat_map(|(_, records)| records).flat_map(|record| &record.wrong);
    named.for_each(|host| *wrong.entry(host.clone()).or_default() += 1);
    wrong
}

/// The parts that a machine made and no other has compared yet, by what `records` say, with the machine's name: one of each machine,
/// then a second of each, and so on, so that the first of them are of as many machines as there are.
pub fn unaudited(records: &[(String, Vec<PartRecord>)]) -> Vec<(u32, String)> {
    let all = || records.iter().flat_map(|(host, records)| records.iter().map(move |record| (host, record)));
    let is_compared = |record: &PartRecord| record.event == PartEvent::Same || !record.wrong.is_empty();
    let same = |part: u32| all().any(|(_, record)| record.part == part && is_compared(record));
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
        PartRecord { part, event, at, seconds: 1.0, frames: 0, submission, wrong: Vec::new(), error: None }
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
    fn who_makes_parts_wrong_is_blamed_and_who_finds_it_is_not() {
        let differs = || record(0, PartEvent::Differs, 5, Some(10));
        let settled = PartRecord { wrong: vec!["bad".to_owned()], ..record(0, PartEvent::Done, 6, Some(10)) };
        let records = [
            ("bad".to_owned(), vec![record(0, PartEvent::Done, 4, Some(10))]),
            ("finds".to_owned(), vec![differs(), differs()]),
            ("settles".to_owned(), vec![settled]),
        ];
        assert_eq!((blamed(&records, 10), blamed(&records, 11)), (vec!["bad".to_owned()], Vec::new()));
        assert_eq!(made_wrong(&records), BTreeMap::from([("bad".to_owned(), 1)]));
        assert!(unaudited(&records).is_empty(), "two machines agree");
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
