//! `vramp part`: makes parts, one behind the other or several at a time.

use crate::cli::args::{FilterArgs, GpuList, PartArgs, RunsOn, TrackArgs, sound::SoundArgs};
use crate::cli::farm::audit;
use crate::cli::farm::goal::PlannedEncoder;
use crate::cli::farm::gpus::Gpus;
use crate::cli::farm::pool::Pool;
use crate::cli::farm::workers::{MakePart, PartWorkers, Processes, Threads};
use crate::cli::farm::{Goal, opened, request};
use crate::cli::progress::Reporter;
use crate::cli::transcode::{Prepared, Stop};
use crate::cli::{log as messages, print, report, signals};
use crate::device::DeviceChoice;
use crate::error::{Error, Kind, Result};
use crate::farm::{FilmPlan, Folder, PartEvent, PartRecord, Ranges, host, parts_of_task, submission, task};
use crate::io::libav::{DecoderChoice, Keep, PartJob, Position};
use crate::pipeline::{self, Cancel, Progress, Summary};
use std::ffi::OsString;
use std::sync::{Arc, OnceLock};
use std::time::{Instant, SystemTime, UNIX_EPOCH};

/// What makes parts on this machine.
#[derive(Clone)]
pub struct Here {
    pub on: RunsOn,
    pub decoder: DecoderChoice,
    pub decoder_threads: usize,
}

impl Here {
    /// The same as options of `vramp part`.
    fn options(&self) -> Vec<OsString> {
        let RunsOn { device, gpu_memory, threads, cpu_level, slots } = &self.on;
        let mut options = vec![
            format!("--device={device}"),
            format!("--threads={threads}"),
            format!("--slots={slots}"),
            format!("--decoder={}", self.decoder),
            format!("--decoder-threads={}", self.decoder_threads),
        ];
        options.extend(gpu_memory.map(|mebibytes| format!("--gpu-memory={mebibytes}")));
        options.extend(cpu_level.map(|level| format!("--cpu-level={}", level.name())));
        options.into_iter().map(OsString::from).collect()
    }
}

/// Makes the parts that `args` name.
///
/// # Errors
/// Of the first that is not made.
pub fn run(args: &PartArgs, quiet: bool) -> Result<()> {
    let stops = [Cancel::default(), Cancel::default()];
    let many = args.jobs > 1 || args.gpus.is_some();
    // One part at a time has nobody else to end.
    signals::install(stops.clone().into_iter().take(if many { 2 } else { 1 }))?;
    let (folder, plan) = opened(&args.folder)?;
    let asked = asked(args, &folder, &plan)?;
    // One that is not there is refused before any is made.
    asked.iter().try_for_each(|number| plan.part(*number).map(drop))?;
    request::check_files(&plan, &folder)?;
    let here = Here { on: args.on.clone(), decoder: args.decoder, decoder_threads: args.decoder_threads };
    messages::say_once(|| {
        if !many {
            let maker = Maker::new(&plan, &folder, &here, &stops[0])?;
            if args.audit {
                audit::check(&plan)?;
            }
            return one_by_one(&maker, &asked, args, quiet);
        }
        let (workers, _) = workers(&plan, &folder, &here, args.gpus.as_ref(), &stops[0])?;
        let pool = Pool::new(&plan.parts, workers, args.jobs.into(), (args.progress.progress, quiet), &stops);
        pool.going_on().run(&asked)
    })
}

/// The parts that `args` and the environment name.
fn asked(args: &PartArgs, folder: &Folder, plan: &FilmPlan) -> Result<Vec<u32>> {
    let task = || task(|name| std::env::var(name).ok());
    Ok(match &args.parts {
        Some(parts) => parts.parse::<Ranges>()?.numbers().to_vec(),
        None if args.missing => {
            let mut missing = folder.missing(plan);
            // What this machine makes of a part in dispute is known.
            let disputes = folder.disputes();
            let this = host();
            missing.retain(|part| disputes.get(part).is_none_or(|dispute| !dispute.hosts().contains(&this.as_str())));
            // Tasks begin with different ones.
            let turn = task().map_or(0, |task| task as usize % missing.len().max(1));
            missing.rotate_left(turn);
            missing
        }
        None if args.audit => audit::choose(folder, plan, task()?),
        None => parts_of_task(task()?, args.per_task, plan.count()).numbers().to_vec(),
    })
}

/// Who makes parts of `plan` here, and how many at a time where nobody says: threads on GPUs, processes without one.
///
/// # Errors
/// When a GPU that was asked for by name cannot be used.
pub fn workers(
    plan: &FilmPlan,
    folder: &Folder,
    here: &Here,
    gpus: Option<&GpuList>,
    cancel: &Cancel,
) -> Result<(Box<dyn PartWorkers>, usize)> {
    let maker = Maker::new(plan, folder, here, cancel)?;
    let gpus = Gpus::open(&maker.job.run, gpus)?;
    let jobs = gpus.jobs(!plan.encoder.name.contains("nvenc"));
    Ok(match gpus.is_empty() {
        true => (Box::new(Processes::new(folder, here.options())?), jobs),
        false => (Box::new(Threads::new(maker, gpus)), jobs),
    })
}

/// Makes `parts`, also behind one that fails: its error is the last to be said.
fn one_by_one(maker: &Maker, parts: &[u32], args: &PartArgs, quiet: bool) -> Result<()> {
    let mut failed = None;
    for number in parts {
        let frames = maker.plan.part(*number)?.frames;
        let mut reporter = Reporter::new(args.progress.progress, quiet, Some(frames.into()));
        let report = &mut |now| reporter.update(now);
        let made = if args.audit { audit::part(maker, *number, report) } else { maker.part(*number, None, report) };
        match made {
            Err(error) if error.kind() == Kind::Cancelled => return Err(error),
            Err(error) if failed.is_none() => failed = Some(error),
            Err(error) => log::warn!("{error}"),
            Ok(Some(summary)) => reporter.finish(&summary),
            Ok(None) => {}
        }
        // What is to be said of the chain and the encoder is so of every part.
        messages::repeats();
    }
    failed.map_or(Ok(()), Err)
}

/// What parts are made with.
pub struct Maker {
    job: FilterArgs,
    pub plan: FilmPlan,
    pub folder: Folder,
    cancel: Cancel,
    encoder: PlannedEncoder,
}

impl MakePart for Maker {
    fn make(&self, part: u32, on: DeviceChoice, report: &mut dyn FnMut(Progress)) -> Result<()> {
        self.part(part, Some(on), report).map(drop)
    }
}

impl Maker {
    /// For parts of `plan`: its job without what belongs to the whole film, to run `here`.
    fn new(plan: &FilmPlan, folder: &Folder, here: &Here, cancel: &Cancel) -> Result<Maker> {
        let mut job = request::job(plan, folder)?;
        (job.run.on, job.run.decoder, job.run.decoder_threads) = (here.on.clone(), here.decoder, here.decoder_threads);
        (job.no_audio, job.no_subtitles, job.no_extras) = (true, true, true);
        (job.sound, job.tracks) = (SoundArgs::default(), TrackArgs::default());
        let encoder = PlannedEncoder::new(plan.fingerprint());
        Ok(Maker { job, plan: plan.clone(), folder: folder.clone(), cancel: cancel.clone(), encoder })
    }

    /// Makes part `number` on the device `on`, if not on that of the job, unless it is there. Where it is in dispute, that may
    /// settle it.
    pub fn part(
        &self,
        number: u32,
        on: Option<DeviceChoice>,
        report: &mut dyn FnMut(Progress),
    ) -> Result<Option<Summary>> {
        if self.folder.has(&self.plan, number) {
            log::info!("part {number}: it is there");
            return Ok(None);
        }
        request::look_again(&self.plan, &self.folder)?;
        let (began, dispute) = (Instant::now(), self.folder.disputes().remove(&number));
        let keep = dispute.as_ref().map_or(Keep::Always, |dispute| Keep::Among(dispute.settled_by(&host())));
        let made = self.make_and_keep(number, keep, on, report);
        // Whoever asked for it has it, whatever stopped this machine.
        if made.is_err() && self.folder.has(&self.plan, number) {
            log::info!("part {number}: another machine has made it meanwhile");
            return Ok(None);
        }
        let settled = made.and_then(|(summary, sum)| {
            let wrong = dispute.map_or(Ok(Vec::new()), |dispute| audit::settle(&self.folder, number, &dispute, sum))?;
            Ok((summary, wrong))
        });
        match settled {
            Ok((summary, wrong)) => {
                self.record(number, began, Ok(PartEvent::Done), wrong);
                Ok(Some(summary))
            }
            Err(error) => {
                self.record(number, began, Err(&error), Vec::new());
                Err(error)
            }
        }
    }

    /// Makes part `number`, of which is kept what `keep` says. Gives its hash, too.
    ///
    /// # Errors
    /// When it cannot be made.
    pub fn make_and_keep(
        &self,
        number: u32,
        keep: Keep,
        on: Option<DeviceChoice>,
        report: &mut dyn FnMut(Progress),
    ) -> Result<(Summary, u128)> {
        let mut made = self.attempt(number, &keep, true, on, report);
        if let Err(error) = &made
            && error.kind() == Kind::CorruptInput
        {
            // It may have been replaced after it was looked at.
            request::look_again(&self.plan, &self.folder)?;
            // What the plan says of places may be wrong in a way that only times show: another program wrote them.
            if self.plan.part(number)?.seek.is_some() {
                log::debug!("{error}: once more, from the start of the input");
                made = self.attempt(number, &keep, false, on, report);
            }
        }
        made.map_err(|e| if e.message().starts_with("part ") { e } else { e.context(format!("part {number}")) })
    }

    fn attempt(
        &self,
        number: u32,
        keep: &Keep,
        at_place: bool,
        on: Option<DeviceChoice>,
        report: &mut dyn FnMut(Progress),
    ) -> Result<(Summary, u128)> {
        let part = self.plan.part(number)?;
        let mut job = self.job.clone();
        job.run.on.device = on.unwrap_or(job.run.on.device);
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
            opening: self.plan.input.opening(),
            contents: part.contents(),
            keep: keep.clone(),
            sum: Arc::new(OnceLock::new()),
        };
        let prepared = Prepared::for_goal(&job, &Stop::with(&self.cancel), &Goal::Part(&made, &self.encoder))?;
        let Prepared { mut input, mut sides, plan, mut chain, mut sink, options, .. } = prepared;
        report::plan(&plan, &chain, &options);
        let ran = pipeline::run_with(&mut input, &mut sides.sources(), &plan, &mut chain, &mut *sink, &options, report);
        log::debug!("part {number}: {} bytes of the input were read", input.bytes_read());
        let (summary, damage) = ran?;
        // The frames are as many as planned, and shown when planned: what a decoder made up for damage is in any run.
        damage.iter().for_each(|damage| log::warn!("{damage}"));
        let (size, seconds) = (print::size(sink.bytes()), summary.wall.as_secs_f64());
        log::info!("part {number}: {} frames, {size} in {seconds:.1} s", summary.frames);
        let sum = made.sum.get().copied().ok_or_else(|| Error::internal("a part without a hash"))?;
        Ok((summary, sum))
    }

    /// Puts down what became of part `number`, and that the machines `wrong` made it wrong.
    pub fn record(
        &self,
        number: u32,
        began: Instant,
        became: std::result::Result<PartEvent, &Error>,
        wrong: Vec<String>,
    ) {
        let error = became.err();
        let failed = match error.map(Error::kind) {
            Some(Kind::Cancelled) => return,
            // Whoever finds that two differ did not fail.
            Some(Kind::Mismatch) => PartEvent::Differs,
            _ => PartEvent::Failed,
        };
        let frames = self.plan.part(number).map_or(0, |part| part.frames);
        self.folder.record(&PartRecord {
            part: number,
            event: became.unwrap_or(failed),
            at: SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_secs()),
            seconds: began.elapsed().as_secs_f64(),
            frames: if error.is_some() { 0 } else { frames },
            submission: submission(|name| std::env::var(name).ok()),
            wrong,
            error: error.map(Error::to_string),
        });
    }
}
