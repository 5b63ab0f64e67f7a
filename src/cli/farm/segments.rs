//! `--segments`: plan, parts and join on this machine, going on where it was.

use crate::cli::args::{Cli, PartArgs};
use crate::cli::farm::pool::{Pool, Worker};
use crate::cli::farm::{join, request};
use crate::cli::given::GivenOptions;
use crate::cli::{log as messages, signals};
use crate::error::{Error, Kind, Result};
use crate::farm::{Folder, Plan, Ranges};
use crate::pipeline::Cancel;
use clap::{ArgMatches, Args, Command, CommandFactory};
use std::thread;

/// Processors that a part keeps busy: as many as encoders have threads.
const PROCESSORS_A_PART: usize = 4;

/// So often parts are made again that the join found damaged.
const ROUNDS: u32 = 3;

/// Runs the command line `cli`, which has `--segments`.
///
/// # Errors
/// When the film cannot be worked on in parts; when a part fails. The same command goes on.
pub fn run(cli: &Cli, matches: &ArgMatches) -> Result<()> {
    let stops = [Cancel::default(), Cancel::default()];
    signals::install(stops.clone())?;
    check_place(cli)?;
    messages::say_once(|| all(cli, matches, &stops))
}

/// Plans, makes what is missing, and joins.
fn all(cli: &Cli, matches: &ArgMatches, stops: &[Cancel; 2]) -> Result<()> {
    let (asked, job) = (&cli.segments, &cli.job);
    let (folder, plan) = request::plan(job, &asked.cut, matches, &stops[0])?;
    // The join is prepared as the plan was.
    messages::repeats();
    let here = GivenOptions::of(&Cli::command(), matches).to_args(&PartArgs::augment_args(Command::new("part")));
    let progress = (job.progress.progress, cli.messages.quiet);
    let jobs = asked.jobs.map_or_else(default_jobs, usize::from);
    for _ in 0..ROUNDS {
        let missing = folder.missing(&plan);
        say(&folder, &plan, missing.len(), jobs);
        let options: Vec<_> =
            here.iter().filter(|arg| !arg.as_encoded_bytes().starts_with(b"--progress")).cloned().collect();
        Pool::new(&plan, Worker::new(&folder, options)?, jobs, progress, stops).run(&missing)?;
        let Some(missing) = join::whole(&folder, &plan, &stops[0])? else {
            return if asked.keep_parts { Ok(()) } else { request::clear(&folder) };
        };
        log::info!("made again: {missing}");
    }
    let missing = Ranges::from_iter(folder.missing(&plan));
    Err(Error::new(Kind::Io, format!("parts that were whole are damaged: {missing}: look at the disk")))
}

/// Refuses an output that may not be replaced, before the plan is made, which finds out by itself where it is new.
fn check_place(cli: &Cli) -> Result<()> {
    let output = cli.job.output()?;
    if !cli.job.overwrite && std::path::Path::new(output).exists() {
        return Err(Error::bad_argument(format!("{} exists: give -y to replace it", output.display())));
    }
    Ok(())
}

fn say(folder: &Folder, plan: &Plan, missing: usize, jobs: usize) {
    let (count, there) = (plan.count() as usize, plan.count() as usize - missing);
    let jobs = jobs.min(missing).max(1);
    match there {
        _ if missing == 0 => log::info!("{} are there", self::count(count)),
        0 => log::info!("{}, {jobs} at a time; stopped, the same command goes on", self::count(count)),
        _ => log::info!("{there} of {} are there in {}: {jobs} at a time", self::count(count), folder.path().display()),
    }
}

/// "1 part", "7 parts".
pub fn count(parts: usize) -> String {
    if parts == 1 { "1 part".to_owned() } else { format!("{parts} parts") }
}

fn default_jobs() -> usize {
    let processors = thread::available_parallelism().map_or(1, usize::from);
    (processors / PROCESSORS_A_PART).max(1)
}
