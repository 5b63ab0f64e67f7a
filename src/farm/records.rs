//! What machines say of their work, a line each time: for `vramp status`, and for leaving machines out that
//! only fail. What is done is not decided by it.

use serde::{Deserialize, Serialize};

/// What happened to a part.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Event {
    /// It is made.
    Done,
    /// It was not made.
    Failed,
}

/// A line.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Record {
    /// The part.
    pub part: u32,
    /// What happened.
    pub event: Event,
    /// When, in seconds since 1970.
    pub at: u64,
    /// How long it took, in seconds.
    pub seconds: f64,
    /// How many frames were made.
    pub frames: u32,
    /// Why it failed.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub error: Option<String>,
}

/// So often a machine may fail before it is left out.
const FAILURES: usize = 2;

/// The machines of `records` that failed at least twice since the second `since` of 1970, and made nothing: where one fails at
/// once, it would take all that waits.
pub fn blamed(records: &[(String, Vec<Record>)], since: u64) -> Vec<String> {
    let is_blamed = |records: &[Record]| {
        let recent: Vec<_> = records.iter().filter(|record| record.at >= since).collect();
        recent.len() >= FAILURES && recent.iter().all(|record| record.event == Event::Failed)
    };
    records.iter().filter(|(_, records)| is_blamed(records)).map(|(host, _)| host.clone()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_only_fails_is_blamed() {
        let record = |event, at| Record { part: 0, event, at, seconds: 1.0, frames: 0, error: None };
        let (good, bad) = (|at| record(Event::Done, at), |at| record(Event::Failed, at));
        let records = [
            ("once".to_owned(), vec![bad(10)]),
            ("twice".to_owned(), vec![good(1), bad(10), bad(11)]),
            ("long-ago".to_owned(), vec![bad(1), bad(2), bad(10)]),
            ("mostly".to_owned(), vec![bad(10), bad(11), good(12), bad(13)]),
        ];
        assert_eq!(blamed(&records, 10), ["twice"]);
    }
}
