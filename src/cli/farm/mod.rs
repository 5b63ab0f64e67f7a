//! A film in parts: `--segments` on this machine, `vramp plan`, `part`, `join`, `status` and `submit` on many.

mod audit;
mod engine;
mod goal;
mod gpus;
mod join;
mod look;
mod make;
mod planned;
mod pool;
mod request;
mod segments;
mod status;
mod submit;
mod workers;

pub use goal::Goal;
pub use gpus::Gpus;
pub use segments::run as run_segments;

use crate::cli::args::{JoinArgs, PartArgs, PlanArgs, StatusArgs, SubmitArgs};
use crate::cli::{print, signals};
use crate::error::Result;
use crate::farm::{FilmPlan, Folder, Ranges};
use crate::pipeline::Cancel;
use clap::ArgMatches;
use segments::count;
use std::fs;
use std::path::Path;

/// Runs `vramp plan`.
///
/// # Errors
/// When the request is wrong, the film cannot be worked on in parts, or another plan is there.
pub fn plan(args: &PlanArgs, matches: &ArgMatches) -> Result<()> {
    let cancel = Cancel::default();
    signals::install([cancel.clone()])?;
    let (folder, plan) = request::plan(&args.job, &args.cut, matches, &cancel)?;
    let (all, folder) = (Ranges::from_iter(0..plan.count()), folder.path().display());
    let frames = plan.input.frames;
    log::info!(
        "{folder}: {frames} frames in {}: vramp part {folder} {all}, then vramp join {folder}",
        count(plan.parts.len())
    );
    Ok(())
}

/// Runs `vramp part`.
///
/// # Errors
/// Of the first part that is not made; the others are tried all the same.
pub fn part(args: &PartArgs, quiet: bool) -> Result<()> {
    make::run(args, quiet)
}

/// Runs `vramp join`.
///
/// # Errors
/// [`Kind::PartsMissing`](crate::error::Kind::PartsMissing) where parts are missing, whose numbers are printed.
pub fn join(args: &JoinArgs) -> Result<()> {
    let cancel = Cancel::default();
    signals::install([cancel.clone()])?;
    let (folder, mut plan) = opened(&args.folder)?;
    plan.output.overwrite |= args.overwrite;
    let missing = match args.so_far {
        true => join::so_far(&folder, &plan, &cancel)?,
        false => join::whole(&folder, &plan, &cancel)?,
    };
    match missing {
        None => Ok(()),
        Some(missing) => {
            print::text(&format!("{missing}\n"))?;
            Err(join::missing(&missing))
        }
    }
}

/// Runs `vramp status`.
///
/// # Errors
/// When there is no plan.
pub fn status(args: &StatusArgs) -> Result<()> {
    let (folder, plan) = opened(&args.folder)?;
    status::run(&folder, &plan, args.json)
}

/// Runs `vramp submit`.
///
/// # Errors
/// When the film is there, or the engine is not; when it refuses.
pub fn submit(args: &SubmitArgs) -> Result<()> {
    submit::run(args)
}

/// The folder at `path` and its plan.
fn opened(path: &Path) -> Result<(Folder, FilmPlan)> {
    // The run may go on in the folder that the plan was made in.
    let folder = Folder::at(&fs::canonicalize(path).unwrap_or_else(|_| path.to_owned()));
    let plan = folder.plan()?;
    Ok((folder, plan))
}
