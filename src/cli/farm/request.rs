//! From a command line to a plan, and back to a job.

use crate::cli::args::{Cli, CutArgs, FilterArgs};
use crate::cli::farm::planned;
use crate::cli::given::GivenOptions;
use crate::cli::parse;
use crate::cli::transcode::output_options;
use crate::device::DeviceChoice;
use crate::error::{Error, Kind, Result};
use crate::farm::{Cutting, FilmPlan, Folder, Identity, InputFile, OtherFile, OutputFile, PinnedEncoder};
use crate::filters::{self, Filter};
use crate::io::libav::{DecoderChoice, EncoderChoice, choose_encoder};
use crate::params::{Spelling, print_chain};
use crate::pipeline::Cancel;
use clap::{ArgMatches, Args, Command, CommandFactory, FromArgMatches};
use std::ffi::{OsStr, OsString};
use std::fs;
use std::path::Path;

/// Options that say where, when and how a run goes, and nothing of its result, by clap's names for them.
const NOT_OF_THE_PLAN: [&str; 23] = [
    "input",
    "output",
    "overwrite",
    "progress",
    "keep_partial",
    "quiet",
    "verbose",
    "color",
    "device",
    "gpu_memory",
    "threads",
    "cpu_level",
    "slots",
    "decoder",
    "decoder_threads",
    "segments",
    "segment",
    "cuts",
    "fast",
    "restart",
    "jobs",
    "gpus",
    "keep_parts",
];

/// Containers that parts are joined in: they have a time for every frame, and a header that is known before the first.
const CONTAINERS: [&str; 5] = ["matroska", "webm", "mp4", "mov", "ipod"];

/// Codecs that are joined: each packet is a frame, and needs nothing of the part before.
const CODECS: [&str; 14] = [
    "h264",
    "hevc",
    "av1",
    "vp9",
    "ffv1",
    "prores",
    "dnxhd",
    "mjpeg",
    "utvideo",
    "huffyuv",
    "ffvhuff",
    "rawvideo",
    "mpeg4",
    "mpeg2video",
];

/// The plan of `job`, and its folder: the one that is there, or a new one.
///
/// # Errors
/// When the request is wrong, the film cannot be worked on in parts, or the plan that is there is another.
pub fn plan(job: &FilterArgs, asked: &CutArgs, matches: &ArgMatches, cancel: &Cancel) -> Result<(Folder, FilmPlan)> {
    check(job)?;
    let folder = Folder::beside(job.output()?);
    if asked.restart {
        folder.clear()?;
    }
    let request = request(job, asked, matches, &folder)?;
    let unread = |e: Error| match e.kind() {
        Kind::CorruptInput | Kind::Unsupported => Error::new(e.kind(), format!("{e}: --restart drops it")),
        _ => e,
    };
    if let Some(mut plan) = folder.known_plan().map_err(unread)? {
        let there = || format!("{} holds another plan", folder.path().display());
        plan.check_request(&request)
            .map_err(|e| Error::bad_argument(format!("{}: {e}: add --restart, or name another output", there())))?;
        if plan.follow(&request) {
            folder.write(&plan, cancel)?;
        }
        plan.output.overwrite = job.overwrite;
        folder.make()?;
        return Ok((folder, plan));
    }
    let plan = planned::complete(request, job, &folder, cancel)?;
    for why in &plan.encoder.why {
        log::debug!("{}: {why}", plan.encoder.name);
    }
    if !plan.reproducible {
        log::warn!("the film's bytes may differ from machine to machine: {}", plan.encoder.why.join("; "));
    }
    folder.write(&plan, cancel)?;
    Ok((folder, plan))
}

/// Refuses what cannot be done in parts.
pub fn check(job: &FilterArgs) -> Result<()> {
    let others = [
        (
            "--two-pass and --target-size",
            "they measure the whole film first: use --crf",
            job.rate.two_pass || job.rate.target_size.is_some(),
        ),
        ("--records", "records are of a whole run", job.records.is_some()),
        ("--preview", "it makes one picture", job.preview.is_some()),
        ("--keep-partial", "parts that are whole are kept anyway", job.keep_partial),
        ("--strict", "it decodes everything from the start", job.run.strict),
    ];
    match others.iter().find(|(.., given)| *given) {
        Some((option, why, _)) => Err(Error::bad_argument(format!("{option} does not go with parts: {why}"))),
        None => Ok(()),
    }
}

/// What is asked for, as a plan without what is found out.
fn request(job: &FilterArgs, asked: &CutArgs, matches: &ArgMatches, folder: &Folder) -> Result<FilmPlan> {
    let (input, output) = (job.input()?, job.output()?);
    let Identity { bytes, hash } = Identity::of(Path::new(input))?;
    let choice = choose(job, output)?;
    let files = files(job)?.into_iter().map(|path| {
        let Identity { bytes, hash } = Identity::of_all(Path::new(&path))?;
        Ok(OtherFile { path: text(&path)?, bytes, hash })
    });
    let files: Vec<_> = files.collect::<Result<_>>()?;
    // Names of files are meant from there: it moves with the output where it lies beside or below it.
    let from = match folder.stored(Path::new(".")) {
        Err(error) if !files.is_empty() => return Err(error),
        from => from.unwrap_or_default(),
    };
    let name = Path::new(output).file_name().ok_or_else(|| Error::bad_argument("the output is no file"))?;
    Ok(FilmPlan {
        version: 0,
        vramp: env!("CARGO_PKG_VERSION").to_owned(),
        id: String::new(),
        reproducible: false,
        input: InputFile {
            path: folder.stored(Path::new(input))?,
            bytes,
            hash,
            opening: None,
            timebase: (0, 1),
            frames: 0,
            origin: 0,
        },
        files,
        output: OutputFile {
            path: format!("../{}", text(name)?),
            container: choice.container().to_owned(),
            overwrite: job.overwrite,
        },
        options: options(job, matches)?,
        from,
        cutting: Cutting { segment: asked.segment, cuts: asked.cuts.into(), fast: asked.fast },
        format: String::new(),
        encoder: PinnedEncoder {
            name: choice.encoder().to_owned(),
            library: String::new(),
            threads: 0,
            options: Vec::new(),
            why: Vec::new(),
            fingerprint: None,
        },
        parts: Vec::new(),
    })
}

/// The encoder of `job`, if what it makes can be joined.
fn choose(job: &FilterArgs, output: &OsStr) -> Result<EncoderChoice> {
    let nowhere = matches!(job.container.as_deref(), Some("framemd5" | "framehash" | "null")) || job.hash.is_some();
    if nowhere || output == "-" {
        return Err(Error::bad_argument(
            "parts are joined to a video file: name one that ends in .mkv, .mp4, .mov or .webm",
        ));
    }
    let choice = choose_encoder(output, &output_options(job, job.input()?, &Cancel::default()))?;
    let (container, codec) = (choice.container(), choice.codec());
    if choice.is_pictures() || !CONTAINERS.contains(&container) {
        return Err(Error::unsupported(format!("parts are not joined in {container}: use mkv, mp4, mov or webm")));
    }
    if !CODECS.contains(&codec) {
        return Err(Error::unsupported(format!("parts of {codec} are not joined: use {}", CODECS.join(", "))));
    }
    Ok(choice)
}

/// Files beside the input that a run of `job` reads.
fn files(job: &FilterArgs) -> Result<Vec<OsString>> {
    let named = job.run.named_inputs()?.into_iter().map(|(_, path)| path.to_owned());
    let tracks = job.tracks.files().map(OsStr::to_owned);
    let burnt = job.subtitles.burn(job.run.strict)?.and_then(|burn| burn.file);
    let filters = filters(job)?;
    let tables = filters.iter().filter_map(|filter| filter.file()).map(|path| path.as_os_str().to_owned());
    Ok(named.chain(tracks).chain(burnt).chain(tables).collect())
}

/// The filters of every --chain.
fn filters(job: &FilterArgs) -> Result<Vec<Box<dyn Filter>>> {
    job.run.chain_calls()?.iter().map(filters::create).collect()
}

/// The options that decide about the result, as another process takes them.
fn options(job: &FilterArgs, matches: &ArgMatches) -> Result<Vec<String>> {
    let mut all = Cli::command();
    all.build();
    let (command, matches) = match matches.subcommand() {
        Some((name, matches)) => (all.find_subcommand(name).unwrap_or(&all), matches),
        None => (&all, matches),
    };
    let mut given = GivenOptions::of(command, matches);
    NOT_OF_THE_PLAN.iter().for_each(|id| drop(given.remove(id)));
    if !job.run.chain.is_empty() {
        // What the chain's own file and those of its filters say now holds.
        let calls: Vec<_> = filters(job)?.iter().map(|filter| filter.call()).collect();
        let text = print_chain(&calls, Spelling::FFmpeg);
        given.set("chain", vec![Some(text.into())]);
    }
    let described = FilterArgs::augment_args(Command::new(env!("CARGO_PKG_NAME")));
    given.to_args(&described).iter().map(|arg| text(arg)).collect()
}

fn text(name: &OsStr) -> Result<String> {
    let text = name.to_str().map(str::to_owned);
    text.ok_or_else(|| Error::unsupported(format!("{}: a plan holds names in UTF-8 only", name.display())))
}

/// The job that `plan` in `folder` is about, with what it pins.
///
/// # Errors
/// When this build does not understand its options.
pub fn job(plan: &FilmPlan, folder: &Folder) -> Result<FilterArgs> {
    let mut args: Vec<OsString> = vec![env!("CARGO_PKG_NAME").into()];
    args.extend(plan.options.iter().map(OsString::from));
    let (input, output) = (folder.resolve(&plan.input.path), folder.resolve(&plan.output.path));
    args.extend(["--".into(), input.into(), output.into()]);
    let matches = parse(&args).map_err(|e| e.context("the plan's options"))?;
    let cli = Cli::from_arg_matches(&matches).map_err(|e| Error::corrupt(format!("the plan's options: {e}")))?;
    let mut job = cli.job;
    job.overwrite = plan.output.overwrite;
    job.encoder_threads = plan.encoder.threads;
    job.option.extend(plan.encoder.options.iter().cloned());
    Ok(job)
}

/// The same job for work in which no frame is filtered.
pub fn idle(mut job: FilterArgs) -> FilterArgs {
    job.run.on.device = DeviceChoice::Cpu;
    job.run.decoder = DecoderChoice::Software;
    job
}

/// Refuses a plan in `folder` that was made of other files than are there now, and goes to the folder where their names hold.
///
/// # Errors
/// When one has changed or is gone.
pub fn check_files(plan: &FilmPlan, folder: &Folder) -> Result<()> {
    if !plan.files.is_empty() {
        let from = folder.resolve(&plan.from);
        std::env::set_current_dir(&from).map_err(|e| Error::io(from.display(), &e))?;
    }
    look_again(plan, folder)
}

/// Refuses a plan in `folder` where a file is another by now; names hold in this process's folder.
///
/// # Errors
/// As [`check_files`].
pub fn look_again(plan: &FilmPlan, folder: &Folder) -> Result<()> {
    let same = |path: &Path, now: Identity, bytes: u64, hash: &str| match now.bytes == bytes && now.hash == hash {
        true => Ok(()),
        false => Err(Error::corrupt(format!("{}: it is another file than the plan was made of", path.display()))),
    };
    let input = folder.resolve(&plan.input.path);
    same(&input, Identity::of(&input)?, plan.input.bytes, &plan.input.hash)?;
    plan.files.iter().try_for_each(|file| {
        let path = Path::new(&file.path);
        same(path, Identity::of_all(path)?, file.bytes, &file.hash)
    })
}

/// Removes the folder of a film that is whole.
pub fn clear(folder: &Folder) -> Result<()> {
    folder.clear()?;
    if folder.path().exists() {
        let left = fs::read_dir(folder.path()).map_or(0, Iterator::count);
        log::info!("{}: {left} files in it are not vramp's, and stay", folder.path().display());
    }
    Ok(())
}
