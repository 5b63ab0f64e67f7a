//! `--segments` where nothing is encoded: the frames of a film are hashed, or only made, in parts side by side. There is no plan, as
//! nothing of it is worth keeping.

use crate::cli::args::{Cli, FilterArgs, HashName};
use crate::cli::farm::gpus::Gpus;
use crate::cli::farm::planned;
use crate::cli::farm::pool::Pool;
use crate::cli::farm::segments::{check_place, count};
use crate::cli::farm::workers::{MakePart, Threads};
use crate::cli::farm::{Goal, request};
use crate::cli::transcode::{Prepared, Stop};
use crate::compare::diagnosis::Entry;
use crate::device::DeviceChoice;
use crate::error::{Error, Kind, Result};
use crate::farm::PlannedPart;
use crate::io::hash::{HashFormat, RecordSink};
use crate::io::libav::Position;
use crate::io::part::digest;
use crate::io::{Hash, HashSink, NullSink};
use crate::pipeline::{self, Cancel, Progress};
use crate::video::StreamInfo;
use clap::ArgMatches;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

/// Where nobody says how long a part is, each job has so many: one that is slow holds the end up by little.
const PARTS_A_JOB: f64 = 4.0;

/// But they are not shorter than this, in seconds: each opens the film, and a decoder.
const SHORTEST: f64 = 10.0;

/// Whether `job` encodes nothing.
pub fn is_asked(job: &FilterArgs) -> bool {
    matches!(job.container.as_deref(), Some("null" | "framemd5" | "framehash"))
}

/// What becomes of the frames of `job`; `None` where nothing does.
fn hash(job: &FilterArgs) -> Result<Option<Hash>> {
    match (job.container.as_deref(), job.hash) {
        (Some("null"), None) => Ok(None),
        (Some("framemd5"), None | Some(HashName::Md5)) | (Some("framehash"), Some(HashName::Md5)) => {
            Ok(Some(Hash::Md5))
        }
        (Some("framehash"), None | Some(HashName::Sha256)) => Ok(Some(Hash::Sha256)),
        _ => Err(Error::bad_argument("--hash goes with -f framehash")),
    }
}

/// Runs the command line `cli`, whose output is a hash file or none.
///
/// # Errors
/// When the film cannot be worked on in parts, a part fails, or the hash file cannot be written.
pub fn run(cli: &Cli, matches: &ArgMatches, stops: &[Cancel; 2]) -> Result<()> {
    let (asked, job, began) = (&cli.segments, &cli.job, Instant::now());
    let hash = hash(job)?;
    request::check(job)?;
    if hash.is_some() && job.output()? != "-" {
        check_place(cli)?;
    }
    let gpus = Gpus::open(&job.run, asked.gpus.as_ref())?;
    let jobs = asked.jobs.map_or_else(|| gpus.jobs(gpus.is_empty()), usize::from);
    let own_length = matches.value_source("segment") == Some(clap::parser::ValueSource::CommandLine);
    let length = own_length.then_some(asked.cut.segment);

    let look = PartLook::at(job, hash, &stops[0])?;
    let (parts, info) = look.list(length, jobs, asked.cut.cuts.into())?;
    let jobs = jobs.min(parts.len());
    log::info!("{}, {jobs} at a time", count(parts.len()));
    let look = Looker { look, parts: parts.clone(), found: Arc::new(Mutex::new(parts.iter().map(|_| None).collect())) };
    let (found, numbers) = (Arc::clone(&look.found), Vec::from_iter(0..parts.len() as u32));
    let progress = (job.progress.progress, cli.messages.quiet);
    Pool::new(&parts, Box::new(Threads::new(look, gpus)), jobs, progress, stops).run(&numbers)?;

    let found = std::mem::take(&mut *found.lock().unwrap_or_else(PoisonError::into_inner));
    let (mut frames, mut damage) = (0_u64, None);
    let mut file =
        hash.map(|hash| HashSink::create(job.output()?, hash, job.overwrite, &info, &stops[0])).transpose()?;
    for found in found.into_iter().flatten() {
        frames += found.frames;
        damage = damage.or(found.damage);
        if let Some(file) = &mut file {
            found.entries.into_iter().try_for_each(|entry| file.entry(entry))?;
        }
    }
    if let Some(file) = &mut file {
        pipeline::Sink::finish(file)?;
    }
    let seconds = began.elapsed().as_secs_f64();
    let label = if hash.is_none() { "no output".into() } else { job.output()?.display().to_string() };
    log::info!("{label}: {frames} frames in {seconds:.1} s ({:.1} a second)", frames as f64 / seconds.max(1e-3));
    damage.map_or(Ok(()), Err)
}

/// What the frames of parts are looked at with.
struct PartLook {
    job: FilterArgs,
    hash: Option<Hash>,
    cancel: Cancel,
}

impl PartLook {
    fn at(job: &FilterArgs, hash: Option<Hash>, cancel: &Cancel) -> Result<PartLook> {
        let mut job = job.clone();
        // What is written is written in the end. Hashes are made of frames of the host.
        job.download = hash.is_some();
        job.paths = vec![job.input()?.to_owned(), "-".into()];
        (job.input, job.output, job.container, job.hash) = (None, None, Some("null".to_owned()), None);
        Ok(PartLook { job, hash, cancel: cancel.clone() })
    }

    /// The parts of the film, of `length` seconds or as `jobs` of them at a time have it, and what their frames become.
    fn list(&self, length: Option<f64>, jobs: usize, at: crate::farm::CutAt) -> Result<(Vec<PlannedPart>, StreamInfo)> {
        let job = request::idle(self.job.clone());
        let Prepared { mut input, plan, .. } = Prepared::for_goal(&job, &Stop::with(&self.cancel), &Goal::List)?;
        planned::check_chain(&plan)?;
        let unit = input.info().timebase;
        let list = input.list_frames()?;
        let ticks = list.times.last().zip(list.times.first()).map_or(0, |(last, first)| last - first);
        let seconds = ticks as f64 * unit.value().unwrap_or(0.0);
        let length = length.unwrap_or_else(|| (seconds / (jobs as f64 * PARTS_A_JOB)).max(SHORTEST));
        let starts = crate::farm::cut(&list, unit, length, at);
        Ok((planned::parts(&list, &starts, plan.reach().before), plan.output))
    }
}

/// What a part gave.
struct Found {
    frames: u64,
    entries: Vec<Entry>,
    damage: Option<Error>,
}

/// Looks at parts.
struct Looker {
    look: PartLook,
    parts: Vec<PlannedPart>,
    /// What each of them gave.
    found: Arc<Mutex<Vec<Option<Found>>>>,
}

impl MakePart for Looker {
    fn make(&self, number: u32, on: DeviceChoice, report: &mut dyn FnMut(Progress)) -> Result<()> {
        let part = &self.parts[number as usize];
        let mut found = self.look(part, true, on, report);
        // As for parts of a plan: what lies at a place may be known by its times only.
        if found.as_ref().is_err_and(|error| error.kind() == Kind::CorruptInput) && part.seek.is_some() {
            found = self.look(part, false, on, report);
        }
        self.found.lock().unwrap_or_else(PoisonError::into_inner)[number as usize] = Some(found?);
        Ok(())
    }
}

impl Looker {
    fn look(
        &self,
        part: &PlannedPart,
        at_place: bool,
        on: DeviceChoice,
        report: &mut dyn FnMut(Progress),
    ) -> Result<Found> {
        let mut job = self.look.job.clone();
        job.run.on.device = on;
        job.run.start = (part.start > 0).then_some(Position::Frame(part.start));
        (job.run.end, job.run.frames) = (None, Some(part.frames.into()));
        let place = part.seek.as_ref().filter(|_| at_place).and_then(|seek| seek.place());
        let prepared = Prepared::for_goal(&job, &Stop::with(&self.look.cancel), &Goal::Look(place))?;
        let Prepared { mut input, mut sides, plan, mut chain, options, .. } = prepared;
        let record = self.look.hash.map(|hash| RecordSink::new(HashFormat::Ffmpeg, hash, &plan.output)).transpose()?;
        let (mut record, mut none) = (record, NullSink);
        let sink: &mut dyn pipeline::Sink = match &mut record {
            Some(record) => record,
            None => &mut none,
        };
        let ran = pipeline::run_with(&mut input, &mut sides.sources(), &plan, &mut chain, sink, &options, report);
        let (summary, damage) = ran?;
        if summary.frames != u64::from(part.frames) {
            let line = format!("{} frames of {} from frame {} on", summary.frames, part.frames, part.start);
            return Err(Error::corrupt(format!("the input gives {line}: its packets say something else")));
        }
        let entries = record.map(RecordSink::into_frames);
        // A frame that does not decode is not made up for by one of the next part.
        if let Some(entries) = &entries
            && digest(&entries.iter().filter_map(|entry| entry.pts).collect::<Vec<_>>()) != part.digest()
        {
            let line = format!("frames from frame {} on at other times than its packets say", part.start);
            return Err(Error::corrupt(format!("the input gives {line}: leave --segments out")));
        }
        Ok(Found { frames: summary.frames, entries: entries.unwrap_or_default(), damage })
    }
}
