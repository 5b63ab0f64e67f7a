//! `vramp part --audit`: parts that are there are made once more, on another machine, and compared. Nothing else finds a machine whose
//! memory fails while it filters: what it makes is whole, and wrong.

use crate::cli::farm::make::Maker;
use crate::error::{Error, Kind, Result};
use crate::farm::{FilmPlan, Folder, PartEvent, host, submission, unaudited};
use crate::pipeline::{Progress, Summary};
use std::fs;
use std::time::Instant;

/// Refuses plans whose parts differ from machine to machine anyway.
///
/// # Errors
/// With the reason.
pub fn check(plan: &FilmPlan) -> Result<()> {
    match plan.reproducible {
        true => Ok(()),
        false => Err(Error::unsupported(format!(
            "--audit: parts of this plan may differ without a fault: {}",
            plan.encoder.why.join("; ")
        ))),
    }
}

/// The part that task `task` of an engine compares: one that another machine made, and nobody has compared yet. None where there is
/// none.
pub fn choose(folder: &Folder, plan: &FilmPlan, task: u32) -> Vec<u32> {
    let mut parts = unaudited(&folder.records());
    let this = host();
    parts.retain(|(part, host)| *host != this && folder.has(plan, *part));
    // Tasks begin at different ones, of different machines, and take what no other has.
    let first = task as usize % parts.len().max(1);
    parts.rotate_left(first);
    let submission = submission(|name| std::env::var(name).ok());
    let is_free = |part: &u32| submission.is_none_or(|submission| folder.claim(*part, submission));
    let chosen = parts.iter().map(|(part, _)| *part).find(is_free);
    if chosen.is_none() {
        log::warn!("no part is left that another machine made: {this} compares nothing");
    }
    Vec::from_iter(chosen)
}

/// Makes part `number` once more, where it is there, and removes it where it has other bytes.
///
/// # Errors
/// [`Kind::Mismatch`] then; when it cannot be made.
pub fn part(maker: &Maker, number: u32, report: &mut dyn FnMut(Progress)) -> Result<Option<Summary>> {
    let Maker { plan, folder, .. } = maker;
    if !folder.has(plan, number) {
        log::info!("part {number}: it is not there, and cannot be compared");
        return Ok(None);
    }
    let (path, again, began) = (folder.part(number), folder.again(number), Instant::now());
    let summary = maker.make_at(again.clone(), number, None, report)?;
    let read = |path| fs::read(path).map_err(|error| Error::io(format!("part {number}"), &error));
    let is_same = read(&path).and_then(|there| Ok(there == read(&again)?));
    // It was made to be compared, and nobody misses it.
    let _ = fs::remove_file(&again);
    if is_same? {
        maker.record(number, began, Ok(PartEvent::Same));
        log::info!("part {number}: the same bytes");
        return Ok(Some(summary));
    }
    let (maker_name, this) = (folder.maker(number).unwrap_or_else(|| "its machine".to_owned()), host());
    let line = format!("part {number}: {this} makes other bytes than {maker_name} did: look at the memory of both");
    let error = Error::new(Kind::Mismatch, format!("{line}. The part is removed"));
    maker.record(number, began, Err(&error));
    folder.remove(number)?;
    Err(error)
}
