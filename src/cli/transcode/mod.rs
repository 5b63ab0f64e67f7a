//! The main job: a video in, a chain, a video (or its hashes, or nothing) out.

mod destination;
mod encoding;
mod partial;
mod passes;
mod pictures;
mod records;
mod tracks;

use crate::cli;
use crate::cli::args::{FilterArgs, Run};
use crate::cli::backend::{Backend, RunGpu};
use crate::cli::farm::Goal;
use crate::cli::progress::Reporter;
use crate::cli::sides::SideFiles;
use crate::cli::{report, setup, signals};
use crate::error::{Error, Kind, Result};
use crate::io::libav::{BurnSink, BurntSubtitles, EncodePass, Input};
use crate::io::refuse_input;
use crate::pipeline::{self, Cancel, ChainPlan, Options, Sink};
use destination::Destination;
use partial::Endable;
use records::RecordsSink;
use std::ffi::OsStr;

pub use destination::output_options;

/// Runs `job`.
///
/// # Errors
/// Of every part; [`Kind::Incomplete`](crate::error::Kind::Incomplete) after an output that is whole but holds only
/// what decoded.
pub fn run(job: &FilterArgs, quiet: bool) -> Result<()> {
    let stop = Stop::new(job.keep_partial);
    signals::install(stop.steps())?;
    let Some(first) = Destination::first_pass(job)? else { return run_once(job, quiet, &stop, None) };
    cli::log::say_once(|| {
        run_once(job, quiet, &stop, Some(&EncodePass::First(first.clone())))?;
        cli::log::repeats();
        run_once(job, quiet, &stop, Some(&EncodePass::Second(first)))
    })
}

/// Runs `job` from its first frame to its last, as `pass` if it makes two.
fn run_once(job: &FilterArgs, quiet: bool, stop: &Stop, pass: Option<&EncodePass>) -> Result<()> {
    let prepared = Prepared::new(job, stop, pass)?;
    let Prepared { mut input, mut sides, plan, mut chain, mut sink, encoding, options } = prepared;
    report::plan(&plan, &chain, &options);

    let expected = setup::expected_frames(&plan.output, input.duration(), &job.run.window());
    let mut reporter = Reporter::new(job.progress.progress, quiet, expected).of_pass(pass);
    let is_first = matches!(pass, Some(EncodePass::First(_)));
    let report = &mut |now| reporter.update(now);
    let (ran, stopped) = if job.keep_partial && !is_first {
        let copied: Vec<_> = input.copied_streams().iter().map(|stream| (stream.index, stream.timebase)).collect();
        let mut input = Endable::new(&mut input, copied, stop.input.clone());
        let ran = pipeline::run_with(&mut input, &mut sides.sources(), &plan, &mut chain, &mut *sink, &options, report);
        (ran, input.ended_early())
    } else {
        let ran = pipeline::run_with(&mut input, &mut sides.sources(), &plan, &mut chain, &mut *sink, &options, report);
        (ran, false)
    };
    if is_first {
        // Damage is reported by the pass that makes the output.
        drop(reporter);
        return ran.map(|(summary, _)| log::debug!("pass 1: {} frames", summary.frames));
    }
    if let Ok((summary, _)) = &ran {
        reporter.finish(summary);
    }
    drop(reporter);
    let (summary, damage) = ran?;
    let label = label(job)?;
    if !stopped {
        passes::judge(job, sink.bytes(), &label);
    }
    if let Some(filter) = input.length().and_then(|frames| plan.unfinished(frames)) {
        log::warn!(
            "{filter}: the film ends before the last of its frames is whole: the nearest frame stands in for what it lacks"
        );
    }
    report::summary(&summary, &label, sink.bytes(), encoding.as_deref());
    if stopped {
        damage.iter().for_each(|damage| log::warn!("{damage}"));
        let kept = format!("{label}: stopped; its first {} frames were kept", summary.frames);
        return Err(Error::new(Kind::Cancelled, kept));
    }
    damage.map_or(Ok(()), Err)
}

/// The error of a run that was stopped before there was anything to keep.
fn stopped() -> Error {
    Error::new(Kind::Cancelled, "stopped; no output was kept")
}

/// How a run is stopped.
#[derive(Default)]
pub struct Stop {
    /// Ends the input.
    input: Cancel,
    /// Ends everything, and no output is kept.
    all: Cancel,
}

impl Stop {
    /// Where a part is to be kept the two are asked one after the other, else together.
    fn new(keep_partial: bool) -> Stop {
        let all = Cancel::default();
        Stop { input: if keep_partial { Cancel::default() } else { all.clone() }, all }
    }

    /// Everything at once, when `cancel` asks.
    pub fn with(cancel: &Cancel) -> Stop {
        Stop { input: cancel.clone(), all: cancel.clone() }
    }

    /// What the signals ask for, each the next.
    fn steps(&self) -> [Cancel; 2] {
        [self.input.clone(), self.all.clone()]
    }
}

/// The output as messages name it.
fn label(job: &FilterArgs) -> Result<String> {
    Ok(match job.output()? {
        _ if job.container.as_deref() == Some("null") => "no output".to_owned(),
        standard if standard == "-" => "standard output".to_owned(),
        path => path.display().to_string(),
    })
}

/// The parts of a run, ready to go.
pub struct Prepared {
    pub input: Input,
    pub sides: SideFiles,
    pub plan: ChainPlan,
    pub chain: Backend,
    pub sink: Box<dyn Sink>,
    /// The encoder and what it was asked for, where there is one.
    pub encoding: Option<String>,
    pub options: Options,
}

impl Prepared {
    /// Opens, negotiates and allocates everything. What the arguments alone show to be wrong is reported before any file
    /// is opened.
    pub fn new(job: &FilterArgs, stop: &Stop, pass: Option<&EncodePass>) -> Result<Prepared> {
        Prepared::for_goal(job, stop, &Goal::Run(pass))
    }

    /// The same where the result may be less than the whole of a file.
    pub fn for_goal(job: &FilterArgs, stop: &Stop, goal: &Goal<'_>) -> Result<Prepared> {
        let pass = goal.pass();
        let cancel = &stop.all;
        let run = &job.run;
        let calls = setup::calls(run)?;
        let (input_path, output_path) = (job.input()?, job.output()?);
        refuse_input(output_path, input_path)?;
        SideFiles::refuse_as_output(run, output_path)?;
        tracks::check_output(job, output_path)?;
        check_records(job, input_path, output_path)?;
        let burn = job.subtitles.burn(run.strict)?;
        if let Some(file) = burn.as_ref().and_then(|burn| burn.file.as_ref()) {
            refuse_input(output_path, file)?;
        }
        let mut destination = Destination::choose(job, input_path, output_path, pass, cancel)?;
        let gpu = RunGpu::open(&run.on, run.decoder, &calls)?;
        let mut options = setup::input_options(run, job.copied(), &gpu, &stop.input);
        options.fit_changes = true;
        if matches!(destination, Destination::Media(..)) {
            options.add.clone_from(&job.tracks.add);
        }
        goal.ask(&mut options);
        let opened = Input::open(input_path, options);
        // Of what was not read to its end libav says that it is no video.
        let mut input = opened.map_err(|error| if stop.input.is_requested() { stopped() } else { error })?;
        log::debug!("{}", input.describe());
        if matches!(destination, Destination::Media(..)) {
            tracks::chapters(job, &mut input, cancel)?;
        }
        let burnt = burn.map(|burn| burn.read(input_path, cancel)).transpose()?;
        if let Some(stream) = burnt.as_ref().and_then(BurntSubtitles::stream) {
            destination.leave_out(stream);
        }
        // Subtitles are drawn in host memory.
        let on_gpu = if burnt.is_some() { None } else { destination.accepted_on(&gpu) };
        let on_gpu = on_gpu.unwrap_or_default();
        let depth = run.depth.or_else(|| destination.depth(job, &calls, input.info().format));
        let run = &pictures::complete(Run { depth, ..run.clone() }, destination.encoder(), &mut input);
        let mut calls = setup::calls(run)?;
        job.sound.delay(&mut input)?;
        let sides = SideFiles::open(run, &input, &mut calls, cancel)?;
        let mut accepted = destination.takes(&on_gpu);
        accepted.anywhere &= burnt.is_none();
        let (plan, chain) = setup::chain(&mut input, sides.streams(), &calls, &accepted, run, &gpu)?;
        if job.records.is_some() {
            records::check(&plan)?;
        }
        if plan.stays {
            destination.read_on(&gpu);
        }
        setup::warn(&plan, run);
        if matches!(destination, Destination::Media(..)) {
            tracks::say_rotation(job, &input, &plan);
        }
        let created = cli::log::silenced(|| destination.create(output_path, job, &plan, &mut input, stop, goal));
        let (mut sink, encoding) = created?;
        if let Some(subtitles) = burnt {
            sink = Box::new(BurnSink::new(subtitles, &input, &plan.output, sink)?);
        }
        if let Some(path) = &job.records
            && !matches!(pass, Some(EncodePass::First(_)))
        {
            sink = Box::new(RecordsSink::create(path, job.overwrite, &plan, sink, cancel)?);
        }
        let options = Options { slots: usize::from(run.on.slots), cancel: cancel.clone() };
        Ok(Prepared { input, sides, plan, chain, sink, encoding, options })
    }
}

/// Refuses to write records over an input, or where the output goes.
fn check_records(job: &FilterArgs, input: &OsStr, output: &OsStr) -> Result<()> {
    let Some(path) = &job.records else { return Ok(()) };
    refuse_input(path, input)?;
    SideFiles::refuse_as_output(&job.run, path)?;
    if path == output && job.container.as_deref() != Some("null") {
        let path = path.display();
        return Err(Error::bad_argument(format!("--records {path} is where the output goes: name another file")));
    }
    Ok(())
}
