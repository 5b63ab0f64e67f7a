//! `vramp part`: makes parts, one behind the other.

use crate::cli::args::{FilterArgs, PartArgs, TrackArgs, sound::SoundArgs};
use crate::cli::farm::{Goal, opened, request};
use crate::cli::progress::Reporter;
use crate::cli::transcode::{Prepared, Stop};
use crate::cli::{log as messages, print, report, signals};
use crate::error::{Error, Kind, Result};
use crate::farm::{Event, Folder, Plan, Ranges, Record, host, parts_of_task, task};
use crate::io::libav::{PartJob, Position};
use crate::pipeline::{self, Cancel};
use std::time::{Instant, SystemTime, UNIX_EPOCH};

/// Makes the parts that `args` name.
///
/// # Errors
/// Of the first that is not made.
pub fn run(args: &PartArgs, quiet: bool) -> Result<()> {
    let cancel = Cancel::default();
    signals::install([cancel.clone()])?;
    let (folder, plan) = opened(&args.folder)?;
    let asked = match &args.parts {
        Some(parts) => parts.parse()?,
        None => parts_of_task(task(|name| std::env::var(name).ok())?, args.per_task, plan.count()),
    };
    // One that is not there is refused before any is made.
    asked.numbers().iter().try_for_each(|number| plan.part(*number).map(drop))?;
    request::check_files(&plan, &folder)?;
    let mut maker = Maker { job: job(args, &plan, &folder)?, args, plan, folder, cancel, identified: false };
    messages::say_once(|| maker.parts(&asked, quiet))
}

/// The job of `plan` without what belongs to the whole film, to run here.
fn job(args: &PartArgs, plan: &Plan, folder: &Folder) -> Result<FilterArgs> {
    let mut job = request::job(plan, folder)?;
    (job.run.on, job.run.decoder, job.run.decoder_threads) = (args.on.clone(), args.decoder, args.decoder_threads);
    (job.no_audio, job.no_subtitles, job.no_extras) = (true, true, true);
    (job.sound, job.tracks) = (SoundArgs::default(), TrackArgs::default());
    Ok(job)
}

/// What parts are made with.
struct Maker<'a> {
    job: FilterArgs,
    args: &'a PartArgs,
    plan: Plan,
    folder: Folder,
    cancel: Cancel,
    /// The encoder is that of the plan.
    identified: bool,
}

impl Maker<'_> {
    /// Makes `parts`, also behind one that fails: its error is the last to be said.
    fn parts(&mut self, parts: &Ranges, quiet: bool) -> Result<()> {
        let mut failed = None;
        for number in parts.numbers() {
            match self.part(*number, quiet) {
                Err(error) if error.kind() == Kind::Cancelled => return Err(error),
                Err(error) if failed.is_none() => failed = Some(error),
                Err(error) => log::warn!("{error}"),
                Ok(()) => {}
            }
            // What is to be said of the chain and the encoder is so of every part.
            messages::repeats();
        }
        failed.map_or(Ok(()), Err)
    }

    /// Makes part `number`, unless it is there.
    fn part(&mut self, number: u32, quiet: bool) -> Result<()> {
        if self.folder.has(&self.plan, number) {
            log::info!("part {number}: it is there");
            return Ok(());
        }
        let began = Instant::now();
        let mut made = self.make(number, true, quiet);
        // What the plan says of places may be wrong in a way that only times show: another program wrote them.
        if let Err(error) = &made
            && error.kind() == Kind::CorruptInput
            && self.plan.part(number)?.seek.is_some()
        {
            log::debug!("{error}: once more, from the start of the input");
            made = self.make(number, false, quiet);
        }
        let made =
            made.map_err(|e| if e.message().starts_with("part ") { e } else { e.context(format!("part {number}")) });
        self.record(number, began, &made);
        self.identified |= made.is_ok();
        made
    }

    fn make(&self, number: u32, at_place: bool, quiet: bool) -> Result<()> {
        let part = self.plan.part(number)?;
        let mut job = self.job.clone();
        job.run.start = (part.start > 0).then_some(Position::Frame(part.start));
        (job.run.end, job.run.frames) = (None, Some(part.frames.into()));
        let made = PartJob {
            path: self.folder.part(number),
            writer: host(),
            plan: self.plan.key(),
            number,
            frames: part.frames,
            times: part.digest(),
            origin: self.plan.input.origin,
            place: part.seek.as_ref().filter(|_| at_place).and_then(|seek| seek.place()),
        };
        let expected = self.plan.fingerprint().filter(|_| !self.identified);
        let prepared = Prepared::for_goal(&job, &Stop::with(&self.cancel), &Goal::Part(&made, expected))?;
        let Prepared { mut input, mut sides, plan, mut chain, mut sink, options, .. } = prepared;
        report::plan(&plan, &chain, &options);
        let mut reporter = Reporter::new(self.args.progress.progress, quiet, Some(part.frames.into()));
        let update = &mut |now| reporter.update(now);
        let ran = pipeline::run_with(&mut input, &mut sides.sources(), &plan, &mut chain, &mut *sink, &options, update);
        if let Ok((summary, _)) = &ran {
            reporter.finish(summary);
        }
        drop(reporter);
        log::debug!("part {number}: {} of the input were read", print::size(input.bytes_read()));
        let (summary, damage) = ran?;
        // The frames are as many as planned, and shown when planned: what a decoder made up for damage is in any run.
        damage.iter().for_each(|damage| log::warn!("{damage}"));
        let (size, seconds) = (print::size(sink.bytes()), summary.wall.as_secs_f64());
        log::info!("part {number}: {} frames, {size} in {seconds:.1} s", summary.frames);
        Ok(())
    }

    /// Puts down what became of part `number`.
    fn record(&self, number: u32, began: Instant, made: &Result<()>) {
        let error = made.as_ref().err();
        if error.is_some_and(|error| error.kind() == Kind::Cancelled) {
            return;
        }
        let frames = self.plan.part(number).map_or(0, |part| part.frames);
        self.folder.record(&Record {
            part: number,
            event: if error.is_some() { Event::Failed } else { Event::Done },
            at: SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_secs()),
            seconds: began.elapsed().as_secs_f64(),
            frames: if error.is_some() { 0 } else { frames },
            error: error.map(Error::to_string),
        });
    }
}
