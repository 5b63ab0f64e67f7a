//! Where the frames of a run go: which formats that accepts, and the sink for it.

use super::{Stop, encoding, passes, tracks};
use crate::cli::args::{FilterArgs, HashName, TimestampChoice};
use crate::cli::backend::RunGpu;
use crate::cli::farm::Goal;
use crate::cli::setup::Accepted;
use crate::error::{Error, Result};
use crate::io::libav::{
    Analysis, EncodePass, EncoderChoice, FirstPass, Input, Output, OutputOptions, PictureOutput, SameFrames,
    SubtitleOptions, Timestamps, choose_encoder,
};
use crate::io::{Hash, HashSink, NullSink};
use crate::params::Call;
use crate::pipeline::{Cancel, ChainPlan, Sink};
use crate::video::Format;
use std::ffi::OsStr;
use std::sync::Arc;

/// Where frames go.
pub enum Destination {
    /// A file that libav writes.
    Media(Box<EncoderChoice>, Box<OutputOptions>),
    /// One hash a frame.
    Hash(Hash),
    /// Nowhere.
    Null {
        /// They are brought back from a GPU all the same.
        download: bool,
    },
}

impl Destination {
    /// The first pass, where `job` encodes and makes two.
    pub fn first_pass(job: &FilterArgs) -> Result<Option<Arc<FirstPass>>> {
        let asked = job.rate.two_pass || job.rate.target_size.is_some();
        let encodes =
            !matches!(job.container.as_deref(), Some("framemd5" | "framehash" | "null")) && job.hash.is_none();
        if !asked || !encodes {
            return Ok(None);
        }
        let choice = choose_encoder(job.output()?, &output_options(job, job.input()?, &Cancel::default()))?;
        passes::first(job, &choice)
    }

    pub fn choose(
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
    pub fn encoder(&self) -> Option<&EncoderChoice> {
        match self {
            Destination::Media(choice, _) => Some(choice),
            Destination::Hash(_) | Destination::Null { .. } => None,
        }
    }

    /// What it accepts, in GPU memory the formats `on_gpu`.
    pub fn takes<'a>(&'a self, on_gpu: &'a [Format]) -> Accepted<'a> {
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
    pub fn depth(&self, job: &FilterArgs, calls: &[Call], format: Format) -> Option<u8> {
        match self {
            Destination::Media(choice, _) => encoding::depth(job, choice, calls, format),
            Destination::Hash(_) | Destination::Null { .. } => None,
        }
    }

    /// The formats that its encoder reads on `gpu`, if it does.
    pub fn accepted_on(&self, gpu: &RunGpu) -> Option<Vec<Format>> {
        match self {
            Destination::Media(choice, _) => gpu.accepted(choice),
            Destination::Hash(_) | Destination::Null { .. } => None,
        }
    }

    /// Has its encoder read frames on `gpu`.
    pub fn read_on(&mut self, gpu: &RunGpu) {
        if let Destination::Media(_, options) = self {
            gpu.let_encode(options);
        }
    }

    /// Leaves the source's stream `index` out, which is drawn into the picture.
    pub fn leave_out(&mut self, index: usize) {
        if let Destination::Media(_, options) = self {
            options.subtitles.burnt = Some(index);
        }
    }

    /// The sink, and the words for how it encodes.
    pub fn create(
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
