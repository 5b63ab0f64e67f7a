//! The main job: a video in, a chain, a video (or its hashes, or nothing) out.

use crate::cli;
use crate::cli::args::{HashName, Job, TimestampChoice};
use crate::cli::backend::{Backend, Gpu};
use crate::cli::progress::Reporter;
use crate::cli::setup::Takes;
use crate::cli::{report, setup, signals};
use crate::error::{Error, Result};
use crate::io::libav::{EncoderChoice, Input, Output, OutputOptions, Timestamps, choose_encoder};
use crate::io::{Hash, HashSink, NullSink};
use crate::pipeline::{self, Cancel, Options, Plan, Sink};
use crate::video::Format;
use std::ffi::OsStr;

/// Runs `job`.
///
/// # Errors
/// Of every part; [`Kind::Incomplete`](crate::error::Kind::Incomplete) after an output that is whole but holds only
/// what decoded.
pub fn run(job: &Job, quiet: bool) -> Result<()> {
    let cancel = Cancel::default();
    signals::install(cancel.clone())?;
    let Prepared { mut input, plan, mut chain, mut sink, options } = Prepared::new(job, cancel)?;
    report::plan(&plan, &chain, &options);

    let expected = setup::expected_frames(&plan.input, input.duration(), &job.run);
    let mut reporter = Reporter::new(job.progress.progress, quiet, expected);
    let ran = pipeline::run(&mut input, &plan, &mut chain, &mut *sink, &options, &mut |now| reporter.update(now));
    if let Ok((summary, _)) = &ran {
        reporter.finish(summary);
    }
    drop(reporter);
    let (summary, damage) = ran?;
    report::summary(&summary, &label(job)?, sink.bytes());
    damage.map_or(Ok(()), Err)
}

/// The output as messages name it.
fn label(job: &Job) -> Result<String> {
    Ok(match job.output()? {
        _ if job.container.as_deref() == Some("null") => "no output".to_owned(),
        standard if standard == "-" => "standard output".to_owned(),
        path => path.display().to_string(),
    })
}

/// The parts of a run, ready to go.
pub struct Prepared {
    pub input: Input,
    pub plan: Plan,
    pub chain: Backend,
    pub sink: Box<dyn Sink>,
    pub options: Options,
}

impl Prepared {
    /// Opens, negotiates and allocates everything. What the arguments alone show to be wrong is told before any file
    /// is opened.
    pub fn new(job: &Job, cancel: Cancel) -> Result<Prepared> {
        let run = &job.run;
        let calls = setup::calls(run)?;
        let (input_path, output_path) = (job.input()?, job.output()?);
        setup::check_apart(input_path, output_path)?;
        let mut destination = Destination::choose(job, input_path, output_path, &cancel)?;
        let gpu = Gpu::open(&run.on, run.decoder, &calls)?;
        let mut input = Input::open(input_path, setup::input_options(run, job.copied(), &gpu, &cancel))?;
        log::debug!("{}", input.describe());
        let on_gpu = destination.accepted_on(&gpu).unwrap_or_default();
        let (plan, chain) = setup::chain(&mut input, &calls, &destination.takes(&on_gpu), run, &gpu)?;
        if plan.stays {
            destination.read_on(&gpu);
        }
        setup::warn(&plan, run);
        let sink = cli::log::silenced(|| destination.create(output_path, job, &plan, &input, &cancel))?;
        Ok(Prepared { input, plan, chain, sink, options: Options { slots: usize::from(run.on.slots), cancel } })
    }
}

/// Where frames go.
enum Destination {
    /// A file that libav writes.
    Media(Box<EncoderChoice>, Box<OutputOptions>),
    /// One hash a frame.
    Hash(Hash),
    /// Nowhere.
    Null,
}

impl Destination {
    fn choose(job: &Job, input: &OsStr, output: &OsStr, cancel: &Cancel) -> Result<Destination> {
        let hash = match (job.container.as_deref(), job.hash) {
            (Some("framemd5"), None | Some(HashName::Md5)) | (Some("framehash"), Some(HashName::Md5)) => Hash::Md5,
            (Some("framehash"), None | Some(HashName::Sha256)) => Hash::Sha256,
            (_, Some(_)) => return Err(Error::bad_argument("--hash goes with -f framehash")),
            (Some("null"), None) => {
                say_what_is_ignored(job, "null");
                return Ok(Destination::Null);
            }
            _ => {
                let options = output_options(job, input, cancel);
                let choice = choose_encoder(output, &options)?;
                log::debug!("encoder: {} in {}", choice.encoder(), choice.container());
                return Ok(Destination::Media(Box::new(choice), Box::new(options)));
            }
        };
        say_what_is_ignored(job, "a list of hashes");
        Ok(Destination::Hash(hash))
    }

    /// What it takes, in GPU memory the formats `on_gpu`.
    fn takes<'a>(&'a self, on_gpu: &'a [Format]) -> Takes<'a> {
        match self {
            Destination::Media(choice, _) => {
                Takes { formats: Some(choice.accepted()), on_gpu, lossless: choice.is_lossless() }
            }
            Destination::Hash(_) | Destination::Null => Takes::ANYTHING,
        }
    }

    /// The formats that its encoder reads on `gpu`, if it does.
    fn accepted_on(&self, gpu: &Gpu) -> Option<Vec<Format>> {
        match self {
            Destination::Media(choice, _) => gpu.accepted(choice),
            Destination::Hash(_) | Destination::Null => None,
        }
    }

    /// Has its encoder read frames on `gpu`.
    fn read_on(&mut self, gpu: &Gpu) {
        if let Destination::Media(_, options) = self {
            gpu.let_encode(options);
        }
    }

    fn create(self, path: &OsStr, job: &Job, plan: &Plan, input: &Input, cancel: &Cancel) -> Result<Box<dyn Sink>> {
        Ok(match self {
            Destination::Media(choice, options) => {
                let (container, copied) = (input.container(), input.copied_streams());
                Box::new(Output::create(path, *choice, &options, &plan.output, container, copied)?)
            }
            Destination::Hash(hash) => Box::new(HashSink::create(path, hash, job.overwrite, &plan.output, cancel)?),
            Destination::Null => Box::new(NullSink),
        })
    }
}

/// Warns of arguments that mean nothing to a destination without an encoder.
fn say_what_is_ignored(job: &Job, destination: &str) {
    let given = [
        ("--codec", job.codec.is_some()),
        ("--crf", job.crf.is_some()),
        ("--bitrate", job.bitrate.is_some()),
        ("--preset", job.preset.is_some()),
        ("--tune", job.tune.is_some()),
        ("-x", !job.option.is_empty()),
        ("--timestamps zero", job.timestamps == TimestampChoice::Zero),
    ];
    let ignored: Vec<_> = given.into_iter().filter(|(_, given)| *given).map(|(name, _)| name).collect();
    if !ignored.is_empty() {
        log::warn!("{destination} has no encoder and keeps the source's times: {} ignored", ignored.join(", "));
    }
}

fn output_options(job: &Job, input: &OsStr, cancel: &Cancel) -> OutputOptions {
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
        preset: job.preset.clone(),
        tune: job.tune.clone(),
        options: job.option.clone(),
        overwrite: job.overwrite,
        input: Some(input.to_owned()),
        threads: job.encoder_threads,
        timestamps: if zero { Timestamps::Zero } else { Timestamps::Keep },
        ignore_dolby_vision: job.ignore_dolby_vision,
        cancel: cancel.clone(),
        ..OutputOptions::default()
    }
}
