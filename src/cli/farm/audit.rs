//! `vramp part --audit`: parts that are there are made once more, on another machine, and compared. Nothing else finds a machine whose
//! memory fails while it filters: what it makes is whole, and wrong.

use crate::cli::farm::make::Maker;
use crate::error::{Error, Kind, Result};
use crate::farm::{Dispute, FilmPlan, Folder, PartEvent, host, submission, unaudited};
use crate::io::libav::Keep;
use crate::io::part;
use crate::pipeline::{Progress, Summary};
use std::fs::File;
use std::io::BufReader;
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

/// Makes part `number` once more, where it is there, and puts it into dispute where it has other bytes. Where it is in dispute
/// already, this is one machine more that says what it makes of it.
///
/// # Errors
/// [`Kind::Mismatch`] where machines differ and nobody knows who is right; when it is damaged, or cannot be made.
pub fn part(maker: &Maker, number: u32, report: &mut dyn FnMut(Progress)) -> Result<Option<Summary>> {
    let Maker { plan, folder, .. } = maker;
    if folder.disputes().contains_key(&number) {
        return maker.part(number, None, report);
    }
    if !folder.has(plan, number) {
        log::info!("part {number}: it is not there, and cannot be compared");
        return Ok(None);
    }
    let (there, began) = (sum(folder, number)?, Instant::now());
    let (summary, made) = maker.make_and_keep(number, Keep::Never, None, report)?;
    if made == there {
        maker.record(number, began, Ok(PartEvent::Same), Vec::new());
        log::info!("part {number}: the same bytes");
        return Ok(Some(summary));
    }
    let (other, this) = (folder.maker(number).unwrap_or_else(|| "its machine".to_owned()), host());
    folder.dispute(number, &other, there)?;
    folder.dispute(number, &this, made)?;
    folder.remove(number)?;
    let differs = format!("part {number}: {this} makes other bytes than {other} did: look at the memory of both");
    let error = Error::new(Kind::Mismatch, format!("{differs}. The part is removed, and a third run settles it"));
    maker.record(number, began, Err(&error), Vec::new());
    Err(error)
}

/// The hash of part `number`, which is removed where it is damaged.
fn sum(folder: &Folder, number: u32) -> Result<u128> {
    let path = folder.part(number);
    let file = File::open(&path).map_err(|error| Error::io(path.display(), &error))?;
    part::sum(BufReader::new(file)).map_err(|error| {
        let removed = (error.kind() == Kind::CorruptInput).then(|| folder.remove(number));
        let what = if matches!(removed, Some(Ok(()))) { "the part is removed" } else { "it is not compared" };
        Error::new(error.kind(), format!("part {number}: {error}: {what}"))
    })
}

/// Settles `dispute` over part `number`, of which this machine has made what has the hash `made`: the part is there if another
/// machine made the same before. Gives the machines that made something else.
///
/// # Errors
/// [`Kind::Mismatch`] where none did.
pub fn settle(folder: &Folder, number: u32, dispute: &Dispute, made: u128) -> Result<Vec<String>> {
    let this = host();
    if !dispute.settled_by(&this).contains(&made) {
        folder.dispute(number, &this, made)?;
        return Err(Error::new(Kind::Mismatch, undecided(folder, number)));
    }
    folder.settle(number);
    let wrong = dispute.wrong(made);
    let hosts = wrong.join(" and ");
    log::warn!("part {number}: {hosts} made it wrong: look at the memory, and audit what else was made there");
    Ok(wrong)
}

/// Says that machines differ over part `number`, and what can be done.
pub fn undecided(folder: &Folder, number: u32) -> String {
    let disputes = folder.disputes();
    let hosts = disputes.get(&number).map_or_else(String::new, |dispute| dispute.hosts().join(" and "));
    let files = folder.disputed(number, "*");
    format!(
        "part {number}: {hosts} made unlike bytes, and either may be right: make it on another machine, or remove {} \
         and make it on the one that you trust",
        files.display()
    )
}
