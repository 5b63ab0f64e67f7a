//! `vramp batch`: one command line for many films, each in a process of its own.

pub(in crate::cli) mod child;
mod display;
mod films;
mod inputs;
mod pattern;
mod queue;

use crate::cli::args::{BatchArgs, Cli, FilterArgs};
use crate::cli::given::GivenOptions;
use crate::cli::{log as messages, print, setup, signals};
use crate::device::DeviceChoice;
use crate::error::{Error, Kind, Result};
use crate::pipeline::Cancel;
use child::ChildSetup;
use clap::{ArgMatches, CommandFactory};
use display::Display;
use films::BatchItem;
use queue::{BatchQueue, QueueOptions};
use serde_json::json;
use std::ffi::OsString;
use std::os::unix::ffi::OsStrExt;
use std::thread;
use std::time::Instant;

/// Processors that an encoder keeps busy: more of them make one film hardly faster.
const PROCESSORS_A_FILM: usize = 8;

/// Runs `vramp batch`; `matches` are those of the whole command line.
///
/// # Errors
/// Before anything is written, when the request is wrong; after all films, with the kind of the first in the list that failed.
pub fn run(args: &BatchArgs, matches: &ArgMatches, quiet: bool) -> Result<()> {
    let job = &args.job;
    check(job)?;
    let typed = typed(matches)?;
    let gpus = gpus(job, &typed);
    let inputs: Vec<OsString> = job.input.iter().chain(&job.paths).cloned().collect();
    let pattern = job.output.as_deref().ok_or_else(|| Error::bad_argument("no pattern: write -o 'out/{name}.mkv'"))?;
    let mut films = films::plan(&inputs, args.recursive, pattern, &ChildSetup::options(typed))?;
    let skipped = if job.overwrite { Vec::new() } else { films.extract_if(.., |film| film.is_done()).collect() };
    report_skipped(&skipped);

    let recipe = ChildSetup::new(gpus)?;
    let jobs = args.jobs.map_or_else(|| default_jobs(gpus), usize::from).min(films.len()).max(1);
    if args.dry_run {
        return dry_run(&films, &skipped, &recipe, jobs);
    }
    let stops = [Cancel::default(), Cancel::default()];
    signals::install(stops.clone())?;
    let began = Instant::now();
    let options = QueueOptions { jobs, fail_fast: args.fail_fast, verbose: verbose(matches), stops };
    if !films.is_empty() {
        log::info!("{}, {jobs} at a time", count(films.len()));
    }
    let display = Display::new(job.progress.progress, quiet, films.len(), jobs);
    let results = BatchQueue::new(&films, &recipe, &options, display).run();
    let stopped = options.stops[0].is_requested();
    conclude(&films, &skipped, &results, stopped, began.elapsed().as_secs_f64())
}

/// Refuses what no film of the batch could do, before the first.
fn check(job: &FilterArgs) -> Result<()> {
    if job.keep_partial {
        let why = "part of a film would count as done, and be skipped the next time";
        return Err(Error::bad_argument(format!("--keep-partial does not go with batch: {why}")));
    }
    setup::calls(&job.run).map(drop)
}

/// The options on the command line.
fn typed(matches: &ArgMatches) -> Result<GivenOptions> {
    let mut all = Cli::command();
    all.build();
    let (name, matches) = matches.subcommand().ok_or_else(|| Error::internal("batch is a command"))?;
    let batch = all.find_subcommand(name).ok_or_else(|| Error::internal("batch is described"))?;
    Ok(GivenOptions::of(batch, matches))
}

fn verbose(matches: &ArgMatches) -> u8 {
    matches.subcommand().map_or(0, |(_, matches)| matches.get_count("verbose"))
}

/// How many GPUs take turns: all where the driver's first would be taken, none where one is named or nothing is filtered.
fn gpus(job: &FilterArgs, typed: &GivenOptions) -> usize {
    let named = typed.get("device").and_then(|values| values.last()?.as_deref()).is_some_and(|name| name != "cuda");
    let any = match job.run.on.device {
        DeviceChoice::Auto => setup::calls(&job.run).is_ok_and(|calls| !calls.is_empty()),
        DeviceChoice::Cpu => false,
        DeviceChoice::Cuda(_) => !named,
    };
    if any { present_gpus() } else { 0 }
}

#[cfg(feature = "cuda")]
fn present_gpus() -> usize {
    crate::device::cuda::count().unwrap_or(0)
}

#[cfg(not(feature = "cuda"))]
fn present_gpus() -> usize {
    0
}

fn default_jobs(gpus: usize) -> usize {
    let processors = thread::available_parallelism().map_or(1, usize::from);
    (processors / PROCESSORS_A_FILM).max(gpus).max(1)
}

fn report_skipped(skipped: &[BatchItem]) {
    for film in skipped {
        let (input, output) = (film.input.display(), film.output.display());
        match film.is_outdated() {
            true => log::warn!("{input} is newer than {output}, which stays: -y makes it again"),
            false => log::debug!("{output} exists: {input} is skipped"),
        }
    }
}

/// Prints what would be run, for a shell.
fn dry_run(films: &[BatchItem], skipped: &[BatchItem], recipe: &ChildSetup, jobs: usize) -> Result<()> {
    let mut text = Vec::new();
    for film in skipped {
        text.extend_from_slice(b"# exists: ");
        text.extend_from_slice(&quoted(film.output.as_os_str().as_bytes())?);
        text.push(b'\n');
    }
    for (number, film) in films.iter().enumerate() {
        if let Some((name, gpu)) = recipe.environment(number % jobs) {
            text.extend_from_slice(format!("{name}={gpu} ").as_bytes());
        }
        text.extend_from_slice(env!("CARGO_PKG_NAME").as_bytes());
        for arg in recipe.args(film) {
            text.push(b' ');
            text.extend_from_slice(&quoted(arg.as_bytes())?);
        }
        text.push(b'\n');
    }
    print::bytes(&text)
}

/// `arg` as a shell takes it.
fn quoted(arg: &[u8]) -> Result<Vec<u8>> {
    let quoted = shlex::bytes::try_quote(arg);
    quoted.map(std::borrow::Cow::into_owned).map_err(|error| Error::internal(format!("quoting: {error}")))
}

/// Says what became of all, failures last.
fn conclude(
    films: &[BatchItem],
    skipped: &[BatchItem],
    results: &[Option<Result<()>>],
    stopped: bool,
    seconds: f64,
) -> Result<()> {
    let done = results.iter().flatten().filter(|result| result.is_ok()).count();
    let not_begun = results.iter().filter(|result| result.is_none()).count();
    let failures =
        || films.iter().zip(results).filter_map(|(film, result)| Some((film, result.as_ref()?.as_ref().err()?)));
    // What was stopped did not fail.
    let failed: Vec<_> = failures().filter(|(_, error)| !(stopped && error.kind() == Kind::Cancelled)).collect();
    let cut = failures().count() - failed.len();

    let parts =
        [(done, "done"), (skipped.len(), "skipped, whose result exists"), (cut, "stopped"), (not_begun, "not begun")];
    let parts: Vec<_> = parts.iter().filter(|(n, _)| *n > 0).map(|(n, what)| format!("{n} {what}")).collect();
    if messages::is_json() {
        let failed = failed.iter().map(|(film, error)| {
            json!({ "input": film.input.to_string_lossy(), "error": error.message(), "code": error.kind().exit_code() })
        });
        let failed: Vec<_> = failed.collect();
        messages::json(&json!({
            "done": done, "skipped": skipped.len(), "failed": failed, "not_begun": not_begun + cut, "elapsed": seconds
        }));
    } else {
        if !parts.is_empty() {
            log::info!("{} in {}", parts.join(", "), print::clock(seconds));
        }
        for (film, error) in &failed {
            messages::error(&film.failure(error));
        }
    }
    let again = "the same command does the rest";
    match failed.first() {
        _ if stopped => Err(Error::new(Kind::Cancelled, format!("stopped: {again}"))),
        Some((_, error)) => {
            let all = count(films.len());
            let kept = failed.iter().filter(|(_, error)| error.kind() == Kind::Incomplete).count();
            // Such a result exists, so it is skipped the next time.
            let next = match failed.len() - kept {
                _ if kept == 0 => again.to_owned(),
                0 => "what decoded is kept (--strict keeps nothing)".to_owned(),
                _ => format!("{again}, but for {kept} of which what decoded is kept (--strict keeps nothing)"),
            };
            Err(Error::new(error.kind(), format!("{} of {all} failed: {next}", failed.len())))
        }
        None => Ok(()),
    }
}

fn count(films: usize) -> String {
    if films == 1 { "1 film".to_owned() } else { format!("{films} films") }
}
