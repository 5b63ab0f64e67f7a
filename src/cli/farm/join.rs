//! `vramp join`: parts become the film.

use crate::cli::args::FilterArgs;
use crate::cli::farm::segments::count;
use crate::cli::farm::{Goal, audit, request};
use crate::cli::print;
use crate::cli::transcode::{Prepared, Stop};
use crate::error::{Error, Kind, Result};
use crate::farm::{FilmPlan, Folder, Ranges, Verified, verify};
use crate::pipeline::{Cancel, Item, Source};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Instant;

/// Joins every part of `plan`. Gives those that are missing, if any are: then nothing is written.
///
/// # Errors
/// When parts do not go together, or the film cannot be written.
pub fn whole(folder: &Folder, plan: &FilmPlan, cancel: &Cancel) -> Result<Option<Ranges>> {
    request::check_files(plan, folder)?;
    let (parts, missing) = verified(folder, plan, plan.count(), cancel)?;
    if !missing.is_empty() {
        return Ok(Some(missing));
    }
    write(folder, plan, parts, request::job(plan, folder)?, cancel)?;
    Ok(None)
}

/// Joins the parts before the first that is missing to a file beside the film's. Gives the missing ones.
///
/// # Errors
/// As [`whole`]; when the first part is missing.
pub fn so_far(folder: &Folder, plan: &FilmPlan, cancel: &Cancel) -> Result<Option<Ranges>> {
    request::check_files(plan, folder)?;
    let all = Ranges::from_iter(folder.missing(plan));
    let count = all.numbers().first().copied().unwrap_or(plan.count());
    let (parts, damaged) = verified(folder, plan, count, cancel)?;
    if count == 0 || !damaged.is_empty() {
        return Ok(Some(all.numbers().iter().chain(damaged.numbers()).copied().collect()));
    }
    let mut job = request::job(plan, folder)?;
    let output = beside(&folder.resolve(&plan.output.path));
    job.run.frames = Some(parts.iter().map(|part| part.times.len() as u64).sum());
    job.overwrite = true;
    job.paths = vec![job.input()?.to_owned(), output];
    write(folder, plan, parts, job, cancel)?;
    Ok(Some(all).filter(|all| !all.is_empty()))
}

/// "out.so-far.mkv"
fn beside(output: &Path) -> OsString {
    let ending = output.extension().map(|ending| ending.to_string_lossy().into_owned()).unwrap_or_default();
    output.with_extension(format!("so-far.{ending}")).into()
}

/// The error for parts that are missing.
pub fn missing(missing: &Ranges) -> Error {
    Error::new(Kind::PartsMissing, format!("{} missing: {missing}", count(missing.numbers().len())))
}

/// Reads the first `count` parts. Gives what they hold, and those that are not there or in dispute; a damaged one is removed.
fn verified(folder: &Folder, plan: &FilmPlan, count: u32, cancel: &Cancel) -> Result<(Vec<Verified>, Ranges)> {
    let (mut parts, mut missing, disputes) = (Vec::new(), Vec::new(), folder.disputes());
    for number in 0..count {
        if cancel.is_requested() {
            return Err(Error::new(Kind::Cancelled, "stopped; nothing was joined"));
        }
        if disputes.contains_key(&number) {
            log::warn!("{}", audit::undecided(folder, number));
            missing.push(number);
            continue;
        }
        let path = folder.part(number);
        match verify(&path, &Folder::expected(plan, number)?) {
            Ok(part) => parts.push(part),
            Err(_) if !path.exists() => missing.push(number),
            Err(error) if error.kind() == Kind::CorruptInput => {
                log::warn!("part {number}: {error}: it is removed, and must be made again");
                folder.remove(number)?;
                missing.push(number);
            }
            Err(error) => return Err(error.context(format!("part {number}"))),
        }
    }
    Ok((parts, missing.into_iter().collect()))
}

/// All `parts` as one.
fn together(parts: Vec<Verified>) -> Result<Verified> {
    let mut parts = parts.into_iter().enumerate();
    let (_, mut all) = parts.next().ok_or_else(|| Error::internal("a film without parts"))?;
    for (number, part) in parts {
        if part.extradata != all.extradata {
            let line =
                format!("parts 0 and {number} have unlike headers: their encoders differ: make one of them again");
            return Err(Error::unsupported(line));
        }
        if all.times.last() >= part.times.first() {
            return Err(Error::corrupt(format!("part {number} begins before the one before it ends")));
        }
        all.delay = all.delay.max(part.delay);
        all.times.extend(part.times);
    }
    Ok(all)
}

/// Writes the film of `parts` as `job` has it.
fn write(folder: &Folder, plan: &FilmPlan, parts: Vec<Verified>, job: FilterArgs, cancel: &Cancel) -> Result<()> {
    let began = Instant::now();
    let files: Vec<PathBuf> = (0..parts.len()).map(|number| folder.part(number as u32)).collect();
    let film = together(parts)?;
    let job = request::idle(job);
    let prepared = Prepared::for_goal(&job, &Stop::with(cancel), &Goal::Join(&files, &film))?;
    let Prepared { mut input, mut sink, .. } = prepared;
    let unit = input.info().timebase;
    if unit != plan.timebase() {
        return Err(Error::corrupt(format!(
            "{}: its times are in another unit than the plan's",
            input.path().display()
        )));
    }
    input.leave_frames_out()?;
    while let Some(item) = input.next()? {
        if cancel.is_requested() {
            return Err(Error::new(Kind::Cancelled, "stopped; nothing was joined"));
        }
        if let Item::Packet(packet) = item {
            sink.packet(packet)?;
        }
    }
    sink.finish()?;
    let (frames, size) = (film.times.len(), print::size(sink.bytes()));
    let (parts, seconds) = (count(files.len()), began.elapsed().as_secs_f64());
    let output = job.output()?.display();
    log::info!("{output}: {frames} frames of {parts}, {size}, joined in {seconds:.1} s");
    let damage = sink.damage().or_else(|| input.damage());
    damage.map_or(Ok(()), Err)
}
