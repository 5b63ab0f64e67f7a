//! `--segments`: plan, parts and join on this machine, going on where it was.

use crate::cli::args::Cli;
use crate::cli::farm::make::{self, Here};
use crate::cli::farm::pool::Pool;
use crate::cli::farm::{join, look, request};
use crate::cli::{log as messages, signals};
use crate::error::{Error, Kind, Result};
use crate::farm::{FilmPlan, Folder, Ranges};
use crate::pipeline::Cancel;
use clap::ArgMatches;

/// So often parts are made again that the join found damaged.
const ROUNDS: u32 = 3;

/// Runs the command line `cli`, which has `--segments`.
///
/// # Errors
/// When the film cannot be worked on in parts; when a part fails. The same command goes on.
pub fn run(cli: &Cli, matches: &ArgMatches) -> Result<()> {
    let stops = [Cancel::default(), Cancel::default()];
    signals::install(stops.clone())?;
    if look::is_asked(&cli.job) {
        return messages::say_once(|| look::run(cli, matches, &stops));
    }
    check_place(cli)?;
    messages::say_once(|| all(cli, matches, &stops))
}

/// Plans, makes what is missing, and joins.
fn all(cli: &Cli, matches: &ArgMatches, stops: &[Cancel; 2]) -> Result<()> {
    let (asked, job) = (&cli.segments, &cli.job);
    let (folder, plan) = request::plan(job, &asked.cut, matches, &stops[0])?;
    // The join is prepared as the plan was.
    messages::repeats();
    let run = &job.run;
    let here = Here { on: run.on.clone(), decoder: run.decoder, decoder_threads: run.decoder_threads };
    let progress = (job.progress.progress, cli.messages.quiet);
    for _ in 0..ROUNDS {
        let missing = folder.missing(&plan);
        let (workers, usual) = make::workers(&plan, &folder, &here, asked.gpus.as_ref(), &stops[0])?;
        // Nobody asked for more than there are.
        let jobs = asked.jobs.map_or(usual.min(plan.parts.len()), usize::from);
        say(&folder, &plan, missing.len(), jobs);
        Pool::new(&plan.parts, workers, jobs, progress, stops).run(&missing).map_err(goes_on)?;
        let Some(missing) = join::whole(&folder, &plan, &stops[0])? else {
            return if asked.keep_parts { Ok(()) } else { request::clear(&folder) };
        };
        log::info!("made again: {missing}");
    }
    let missing = Ranges::from_iter(folder.missing(&plan));
    Err(Error::new(Kind::Io, format!("parts that were whole are damaged: {missing}: look at the disk")))
}

fn goes_on(error: Error) -> Error {
    match error.kind() {
        Kind::Cancelled => Error::new(Kind::Cancelled, format!("{error}: the same command resumes")),
        kind => Error::new(kind, format!("{error} (the same command resumes)")),
    }
}

/// Refuses an output that may not be replaced, before the plan is made, which finds out by itself where it is new.
pub fn check_place(cli: &Cli) -> Result<()> {
    let output = cli.job.output()?;
    if !cli.job.overwrite && std::path::Path::new(output).exists() {
        return Err(Error::bad_argument(format!("{} exists: give -y to replace it", output.display())));
    }
    Ok(())
}

fn say(folder: &Folder, plan: &FilmPlan, missing: usize, jobs: usize) {
    let (count, there) = (plan.count() as usize, plan.count() as usize - missing);
    if jobs > count {
        log::info!("parts are fewer than jobs: --segment makes shorter ones");
    }
    let jobs = jobs.min(missing).max(1);
    match there {
        _ if missing == 0 => log::info!("{} are there", self::count(count)),
        0 => log::info!("{}, {jobs} at a time; stopped, the same command resumes", self::count(count)),
        _ => log::info!("{there} of {} are there in {}: {jobs} at a time", self::count(count), folder.path().display()),
    }
}

/// "1 part", "7 parts".
pub fn count(parts: usize) -> String {
    if parts == 1 { "1 part".to_owned() } else { format!("{parts} parts") }
}
