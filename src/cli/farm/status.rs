//! `vramp status`: how far a film in parts is, who works on it, and what failed where.

use crate::cli::print;
use crate::error::Result;
use crate::farm::{FilmPlan, Folder, PartEvent, PartRecord, Ranges, made_wrong, unaudited};
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, SystemTime};

/// A temporary file that was not written for so long is of a process that is gone.
const FRESH: Duration = Duration::from_secs(120);

/// The rate is that of so many seconds before the last part.
const RECENT: u64 = 900;

/// Columns of the bar.
const BAR: usize = 40;

/// How far a film is.
#[derive(Serialize)]
struct Status {
    id: String,
    folder: String,
    output: String,
    reproducible: bool,
    parts: u32,
    done: usize,
    frames: u64,
    frames_done: u64,
    /// Frames a second of all machines, and seconds left at that rate.
    fps: Option<f64>,
    eta: Option<f64>,
    /// Parts that are not there, as ranges.
    missing: String,
    running: Vec<Running>,
    /// Parts that failed and are not there, with the last reason.
    failed: Vec<Failed>,
    /// Parts of which machines made other bytes, so that nobody knows yet who is right.
    disputed: Vec<Disputed>,
    hosts: Vec<Host>,
}

/// A part in dispute.
#[derive(Serialize)]
struct Disputed {
    part: u32,
    hosts: Vec<String>,
}

/// A part at work.
#[derive(Serialize)]
struct Running {
    part: u32,
    host: String,
    /// Seconds since it was written last.
    idle: u64,
    bytes: u64,
}

/// A part that failed.
#[derive(Serialize)]
struct Failed {
    part: u32,
    host: String,
    error: String,
}

/// A machine.
#[derive(Serialize)]
struct Host {
    host: String,
    done: usize,
    failed: usize,
    /// Parts of others that it compared, and found the same.
    same: usize,
    /// Parts that it made, and two other runs agree that they are others.
    wrong: usize,
    /// What else a machine made that makes parts wrong and nobody has compared, as ranges.
    doubtful: String,
    /// Frames a second of its parts, as if it made one after the other.
    fps: f64,
}

/// Prints how far the film of `plan` is.
///
/// # Errors
/// When it cannot be printed.
pub fn run(folder: &Folder, plan: &FilmPlan, as_json: bool) -> Result<()> {
    let status = Status::of(folder, plan);
    if as_json { print::json(&status) } else { print::text(&status.text()) }
}

impl Status {
    fn of(folder: &Folder, plan: &FilmPlan) -> Status {
        let missing: BTreeSet<u32> = folder.missing(plan).into_iter().collect();
        let lacking: u64 = missing.iter().filter_map(|part| Some(u64::from(plan.part(*part).ok()?.frames))).sum();
        let records = folder.records();
        let frames_done = plan.input.frames - lacking;
        let fps = rate(records.iter().flat_map(|(_, records)| records));
        Status {
            id: plan.id.clone(),
            folder: folder.path().display().to_string(),
            output: folder.resolve(&plan.output.path).display().to_string(),
            reproducible: plan.reproducible,
            parts: plan.count(),
            done: plan.count() as usize - missing.len(),
            frames: plan.input.frames,
            frames_done,
            fps,
            eta: fps.filter(|fps| *fps > 0.0).map(|fps| lacking as f64 / fps),
            missing: Ranges::from_iter(missing.iter().copied()).to_string(),
            running: running(folder, &missing),
            failed: failed(&records, &missing),
            disputed: disputed(folder),
            hosts: hosts(&records),
        }
    }

    fn text(&self) -> String {
        let share = self.frames_done as f64 / self.frames.max(1) as f64;
        let full = (share * BAR as f64) as usize;
        let mut text = format!("{}\n", self.output);
        text += &format!("[{}{}] {:.0} %  ", "#".repeat(full), "-".repeat(BAR - full), (share * 100.0).floor());
        text += &format!("{} of {} parts, {} of {} frames", self.done, self.parts, self.frames_done, self.frames);
        if self.done < self.parts as usize {
            let rate = self.fps.map_or_else(String::new, |fps| format!(", {fps:.1} fps"));
            let left = self.eta.map_or_else(String::new, |eta| format!(", about {} left", print::clock(eta)));
            text += &format!("{rate}{left}\nmissing: {}\n", self.missing);
        } else {
            text += ": vramp join makes the film\n";
        }
        for Running { part, host, idle, bytes } in &self.running {
            text += &format!("at work: part {part} on {host}, {}, written {idle} s ago\n", print::size(*bytes));
        }
        for Failed { part, host, error } in &self.failed {
            text += &format!("failed: part {part} on {host}: {error}\n");
        }
        for Disputed { part, hosts } in &self.disputed {
            text += &format!("in dispute: part {part}, of {}: another machine settles it\n", hosts.join(" and "));
        }
        for Host { host, done, failed, same, wrong, doubtful, fps } in &self.hosts {
            let count = |count: &usize, what| if *count > 0 { format!(", {count} {what}") } else { String::new() };
            let (same, wrong) = (count(same, "compared"), count(wrong, "wrong"));
            text += &format!("{host}: {done} parts, {failed} failures{same}{wrong}, {fps:.1} fps a part\n");
            if !doubtful.is_empty() {
                text += &format!("in doubt: {doubtful} of {host}: vramp part {} {doubtful} --audit\n", self.folder);
            }
        }
        text
    }
}

impl Host {
    fn of(host: &str, records: &[PartRecord], wrong: usize, doubtful: String) -> Host {
        let count = |event| records.iter().filter(|record| record.event == event).count();
        let done = || records.iter().filter(|record| record.event == PartEvent::Done);
        let (frames, seconds) = done()
            .fold((0, 0.0), |(frames, seconds), record| (frames + u64::from(record.frames), seconds + record.seconds));
        let fps = if seconds > 0.0 { frames as f64 / seconds } else { 0.0 };
        Host {
            host: host.to_owned(),
            done: count(PartEvent::Done),
            failed: count(PartEvent::Failed),
            same: count(PartEvent::Same),
            wrong,
            doubtful,
            fps,
        }
    }
}

/// The parts in dispute.
fn disputed(folder: &Folder) -> Vec<Disputed> {
    let disputed = folder.disputes().into_iter();
    let named = |hosts: Vec<&str>| hosts.into_iter().map(str::to_owned).collect();
    disputed.map(|(part, dispute)| Disputed { part, hosts: named(dispute.hosts()) }).collect()
}

/// The machines of `records`.
fn hosts(records: &[(String, Vec<PartRecord>)]) -> Vec<Host> {
    let (wrong, unaudited) = (made_wrong(records), unaudited(records));
    let of = |(host, records): &(String, Vec<PartRecord>)| {
        let wrong = wrong.get(host).copied().unwrap_or(0);
        let is_doubtful = |(_, maker): &&(u32, String)| wrong > 0 && maker == host;
        let doubtful = Ranges::from_iter(unaudited.iter().filter(is_doubtful).map(|(part, _)| *part));
        Host::of(host, records, wrong, doubtful.to_string())
    };
    records.iter().map(of).collect()
}

/// Frames a second that came of parts lately, on all machines together.
fn rate<'a>(records: impl Iterator<Item = &'a PartRecord>) -> Option<f64> {
    let done: Vec<_> = records.filter(|record| record.event == PartEvent::Done).collect();
    let last = done.iter().map(|record| record.at).max()?;
    let recent: Vec<_> = done.into_iter().filter(|record| record.at + RECENT >= last).collect();
    let frames: u64 = recent.iter().map(|record| u64::from(record.frames)).sum();
    let begun = recent.iter().map(|record| record.at as f64 - record.seconds).reduce(f64::min)?;
    let seconds = last as f64 - begun;
    (seconds > 0.0).then(|| frames as f64 / seconds)
}

/// Who writes a part now.
fn running(folder: &Folder, missing: &BTreeSet<u32>) -> Vec<Running> {
    let now = SystemTime::now();
    let fresh = |(part, host, written, bytes): (u32, String, SystemTime, u64)| {
        let idle = now.duration_since(written).unwrap_or_default();
        (idle < FRESH && missing.contains(&part)).then_some(Running { part, host, idle: idle.as_secs(), bytes })
    };
    let mut running: Vec<_> = folder.unfinished().into_iter().filter_map(fresh).collect();
    running.sort_by_key(|running| running.part);
    running
}

/// The last failure of each part that is not there.
fn failed(records: &[(String, Vec<PartRecord>)], missing: &BTreeSet<u32>) -> Vec<Failed> {
    let mut last: BTreeMap<u32, (u64, Failed)> = BTreeMap::new();
    for (host, record) in records.iter().flat_map(|(host, records)| records.iter().map(move |record| (host, record))) {
        let is_failure = record.event == PartEvent::Failed && missing.contains(&record.part);
        let Some(error) = record.error.clone().filter(|_| is_failure) else { continue };
        if last.get(&record.part).is_none_or(|(at, _)| *at <= record.at) {
            last.insert(record.part, (record.at, Failed { part: record.part, host: host.clone(), error }));
        }
    }
    last.into_values().map(|(_, failed)| failed).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(at: u64, seconds: f64, frames: u32) -> PartRecord {
        PartRecord {
            part: 0,
            event: PartEvent::Done,
            at,
            seconds,
            frames,
            submission: None,
            wrong: Vec::new(),
            error: None,
        }
    }

    #[test]
    fn the_rate_is_that_of_the_last_minutes() {
        // Two machines at a time, 100 frames in 10 s each; an hour before, something slow.
        let records = [record(1000, 100.0, 10), record(5000, 10.0, 100), record(5000, 10.0, 100)];
        assert_eq!(rate(records.iter()), Some(20.0));
        assert_eq!(rate([].iter()), None);
    }

    #[test]
    fn the_last_failure_of_a_missing_part_counts() {
        let failure = |part, at, error: &str| PartRecord {
            part,
            event: PartEvent::Failed,
            error: Some(error.to_owned()),
            ..record(at, 1.0, 0)
        };
        let records = [
            ("a".to_owned(), vec![failure(1, 5, "late"), failure(2, 1, "there by now")]),
            ("b".to_owned(), vec![failure(1, 3, "early")]),
        ];
        let failed = failed(&records, &BTreeSet::from([1, 3]));
        assert_eq!(
            failed.iter().map(|f| (f.part, f.host.as_str(), f.error.as_str())).collect::<Vec<_>>(),
            [(1, "a", "late")]
        );
    }
}
