//! The main job: a video in, a chain, a video (or its hashes, or nothing) out.

mod encoding;
mod partial;
mod passes;
mod pictures;
mod records;
mod tracks;

use crate::cli;
use crate::cli::args::{FilterArgs, HashName, Run, TimestampChoice};
use crate::cli::backend::{Backend, RunGpu};
use crate::cli::farm::Goal;
use crate::cli::progress::Reporter;
use crate::cli::setup::Accepted;
use crate::cli::sides::SideFiles;
use crate::cli::{report, setup, signals};
use crate::error::{Error, Kind, Result};
use crate::io::libav::{
    Analysis, BurnSink, BurntSubtitles, EncodePass, EncoderChoice, FirstPass, Input, Output, OutputOptions,
    PictureOutput, SameFrames, SubtitleOptions, Timestamps, choose_encoder,
};
use crate::io::refuse_input;
use crate::io::{Hash, HashSink, NullSink};
use crate::params::Call;
use crate::pipeline::{self, Cancel, ChainPlan, Options, Sink};
use crate::video::Format;
use partial::Endable;
use records::RecordsSink;
use std::ffi::OsStr;
use std::sync::Arc;

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
        let calls = setup::calls(run)?;
        job.sound.delay(&mut input)?;
        let sides = SideFiles::open(run, &input, cancel)?;
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

/// Where frames go.
enum Destination {
    /// A file that libav writes.
    Media(Box<EncoderChoice>, Box<OutputOptions>),
    /// One hash a frame.
    Hash(Hash),
    /// Nowhere; from a GPU all the same where they are brought back for their own sake.
    Null { download: bool },
}

impl Destination {
    /// The first pass, where `job` encodes and makes two.
    fn first_pass(job: &FilterArgs) -> Result<Option<Arc<FirstPass>>> {
        let asked = job.rate.two_pass || job.rate.target_size.is_some();
        let encodes =
            !matches!(job.container.as_deref(), Some("framemd5" | "framehash" | "null")) && job.hash.is_none();
        if !asked || !encodes {
            return Ok(None);
        }
        let choice = choose_encoder(job.output()?, &output_options(job, job.input()?, &Cancel::default()))?;
        passes::first(job, &choice)
    }

    fn choose(
        job: &FilterArgs,
        input: &OsStr,
        output: &OsStr,
        pass: Option<&EncodePass>,
        cancel: &Cancel,
    ) -> Result<Destination> {
        let hash = match (job.container.as_deref(), job.hash) {
            (Some("framemd5"), None | Some(HashName::Md5)) | (Some("framehash"), Some(HashName::Md5)) => Hash::Md5,
            (Some("framehash"), None | Some(HashName::Sha256)) => Hash::Sha256,
            (_, Some(_)) => return Err(Error::bad_argument("--hash goes with -f framehash")),
            (Some("null"), None) => {
                say_what_is_ignored(job, "null");
                return Ok(Destination::Null { download: job.download });
            }
            _ => {
                let mut options = output_options(job, input, cancel);
                let choice = choose_encoder(output, &options)?;
                passes::ask(job, input, &choice, &mut options, pass, cancel)?;
                encoding::complete(&mut options, &choice);
                log::debug!("encoder: {} in {}", choice.encoder(), choice.container());
                say_what_a_film_ignores(job, &choice);
                return Ok(Destination::Media(Box::new(choice), Box::new(options)));
            }
        };
        say_what_is_ignored(job, "a hash file");
        Ok(Destination::Hash(hash))
    }

    /// The encoder, where there is one.
    fn encoder(&self) -> Option<&EncoderChoice> {
        match self {
            Destination::Media(choice, _) => Some(choice),
            Destination::Hash(_) | Destination::Null { .. } => None,
        }
    }

    /// What it accepts, in GPU memory the formats `on_gpu`.
    fn takes<'a>(&'a self, on_gpu: &'a [Format]) -> Accepted<'a> {
        match self {
            Destination::Media(choice, _) => {
                let (formats, lossless) = (Some(choice.accepted()), choice.is_lossless());
                Accepted { formats, on_gpu, lossless, ..Accepted::ANYTHING }
            }
            Destination::Hash(_) => Accepted::ANYTHING,
            Destination::Null { download } => Accepted { anywhere: !download, ..Accepted::ANYTHING },
        }
    }

    /// The bits a sample that it takes by default of a source of `format` that goes through `calls`, where it has an idea.
    fn depth(&self, job: &FilterArgs, calls: &[Call], format: Format) -> Option<u8> {
        match self {
            Destination::Media(choice, _) => encoding::depth(job, choice, calls, format),
            Destination::Hash(_) | Destination::Null { .. } => None,
        }
    }

    /// The formats that its encoder reads on `gpu`, if it does.
    fn accepted_on(&self, gpu: &RunGpu) -> Option<Vec<Format>> {
        match self {
            Destination::Media(choice, _) => gpu.accepted(choice),
            Destination::Hash(_) | Destination::Null { .. } => None,
        }
    }

    /// Has its encoder read frames on `gpu`.
    fn read_on(&mut self, gpu: &RunGpu) {
        if let Destination::Media(_, options) = self {
            gpu.let_encode(options);
        }
    }

    /// Leaves the source's stream `index` out, which is drawn into the picture.
    fn leave_out(&mut self, index: usize) {
        if let Destination::Media(_, options) = self {
            options.subtitles.burnt = Some(index);
        }
    }

    /// The sink, and the words for how it encodes.
    fn create(
        self,
        path: &OsStr,
        job: &FilterArgs,
        plan: &ChainPlan,
        input: &mut Input,
        stop: &Stop,
        goal: &Goal<'_>,
    ) -> Result<(Box<dyn Sink>, Option<String>)> {
        Ok(match self {
            Destination::Media(choice, options) if choice.is_pictures() => {
                let first = u64::from(job.numbers.start_number.unwrap_or(1));
                let encoding = encoding::describe(choice.encoder(), choice.is_lossless(), &options, plan.output.format);
                let container = input.container();
                let output = PictureOutput::create(path, &choice, &options, &plan.output, container, first)?;
                (Box::new(output), Some(encoding))
            }
            Destination::Media(choice, options) => {
                let (film, copied) = tracks::described(job, input, &choice, &stop.all)?;
                if let Some(sink) = goal.sink(path, &choice, &options, &plan.output, (&film, &copied))? {
                    sink.ask(input);
                    return Ok((sink.boxed(), None));
                }
                if let Some(EncodePass::First(first)) = &options.pass {
                    let analysis = Analysis::create(path, &choice, &options, first, &plan.output, &film, &copied)?;
                    input.decode_beside(&analysis.decoded_streams());
                    return Ok((Box::new(analysis), None));
                }
                let output = Output::create(path, *choice, &options, &plan.output, &film, &copied)?;
                input.decode_beside(&output.decoded_streams());
                input.begin_early(&output.skipped_streams());
                let (encoder, is_lossless) = (output.choice().encoder(), output.choice().is_lossless());
                let encoding = encoding::describe(encoder, is_lossless, &options, plan.output.format);
                let sink: Box<dyn Sink> = match &options.pass {
                    Some(pass) => Box::new(SameFrames::new(output, pass.first_pass(), stop.input.clone())),
                    None => Box::new(output),
                };
                (sink, Some(encoding))
            }
            Destination::Hash(hash) => {
                (Box::new(HashSink::create(path, hash, job.overwrite, &plan.output, &stop.all)?), None)
            }
            Destination::Null { .. } => (Box::new(NullSink), None),
        })
    }
}

/// Warns of arguments that mean nothing to a destination without an encoder.
fn say_what_is_ignored(job: &FilterArgs, destination: &str) {
    let given = [
        ("--codec", job.codec.is_some()),
        ("--crf", job.crf.is_some()),
        ("--bitrate", job.bitrate.is_some()),
        ("--qp", job.rate.qp.is_some()),
        ("--target-size", job.rate.target_size.is_some()),
        ("--two-pass", job.rate.two_pass),
        ("--film-grain", job.rate.film_grain.is_some()),
        ("--preset", !job.preset.is_empty()),
        ("--tune", job.tune.is_some()),
        ("-x", !job.option.is_empty()),
        ("--audio", !job.sound.audio.is_empty()),
        ("--timestamps zero", job.timestamps == TimestampChoice::Zero),
        ("--start-number", job.numbers.start_number.is_some()),
    ];
    let ignored = named(given);
    if !ignored.is_empty() {
        log::warn!("{destination} has no encoder and keeps the source's times: {ignored} ignored");
    }
    let ignored: Vec<_> = job.tracks.given().collect();
    if !ignored.is_empty() {
        log::warn!("{destination} has no tracks, tags or chapters: {} ignored", ignored.join(", "));
    }
}

/// Warns of arguments that mean nothing to the film that `choice` makes.
fn say_what_a_film_ignores(job: &FilterArgs, choice: &EncoderChoice) {
    if job.numbers.start_number.is_some() && !choice.is_pictures() {
        log::warn!("the output is one film, and no numbered pictures: --start-number ignored");
    }
    let sound = &job.sound;
    let ignored = named([
        ("--loudness", sound.loudness.is_some()),
        ("--audio-downmix", sound.audio_downmix.is_some()),
        ("--audio-delay", !sound.audio_delay.is_empty()),
    ]);
    if sound.leaves_all_out() && !ignored.is_empty() {
        log::warn!("--audio none leaves no sound: {ignored} ignored");
    }
}

/// The names of the options that were given, as a list.
fn named<const N: usize>(options: [(&str, bool); N]) -> String {
    let given: Vec<_> = options.into_iter().filter(|(_, given)| *given).map(|(name, _)| name).collect();
    given.join(", ")
}

/// What `job` asks of an output.
pub fn output_options(job: &FilterArgs, input: &OsStr, cancel: &Cancel) -> OutputOptions {
    let zero = match job.timestamps {
        // A file that is cut begins at its first frame; whoever joins the parts asks to keep.
        TimestampChoice::Auto => job.run.start.is_some(),
        TimestampChoice::Keep => false,
        TimestampChoice::Zero => true,
    };
    OutputOptions {
        container: job.container.clone(),
        codec: job.codec.clone(),
        crf: job.crf,
        bitrate: job.bitrate.clone(),
        preset: job.encoder_preset().map(str::to_owned),
        tune: job.tune.clone(),
        options: job.option.clone(),
        overwrite: job.overwrite,
        input: Some(input.to_owned()),
        threads: job.encoder_threads,
        timestamps: if zero { Timestamps::Zero } else { Timestamps::Keep },
        ignore_dolby_vision: job.ignore_dolby_vision,
        sound: job.sound.options(job.run.strict),
        subtitles: SubtitleOptions { rules: job.subtitles.subtitles.clone(), burnt: None },
        cancel: cancel.clone(),
        ..OutputOptions::default()
    }
}
