//! `vramp submit`: hands the missing parts and the join to an engine.

use crate::cli::args::{FarmEngine, SubmitArgs};
use crate::cli::farm::engine::slurm::{self, Batch, Slurm};
use crate::cli::farm::engine::{MissingParts, commands, openjd};
use crate::cli::farm::{audit, opened, request};
use crate::cli::own_program::own_program;
use crate::cli::print;
use crate::error::{Error, Kind, Result};
use crate::farm::{Dispute, FilmPlan, Folder, PartEvent, Ranges, blamed};
use std::io::{ErrorKind, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{SystemTime, UNIX_EPOCH};

/// The size of arrays that Slurm allows where it is not configured.
const ARRAY_SIZE: u32 = 1001;

/// Hands what is missing of the film in `args` to its engine, or prints it.
///
/// # Errors
/// When the film is there, or the engine is not; when it refuses.
pub fn run(args: &SubmitArgs) -> Result<()> {
    let (folder, plan) = opened(&args.folder)?;
    let output = folder.resolve(&plan.output.path);
    if output.exists() && !plan.output.overwrite {
        let line = format!("{} is there: nothing to submit (vramp plan -y makes it again)", output.display());
        return Err(Error::bad_argument(line));
    }
    if args.engine != FarmEngine::Slurm && !args.arguments.is_empty() {
        return Err(Error::bad_argument(format!("{}: options after -- are for --engine slurm", args.arguments[0])));
    }
    if args.engine != FarmEngine::Slurm && (args.audit.is_some() || args.copies > 0) {
        let line =
            "--audit and --copies are for --engine slurm; elsewhere run vramp part DIR with --audit or --missing";
        return Err(Error::bad_argument(line));
    }
    args.audit.map_or(Ok(()), |_| audit::check(&plan))?;
    let missing = Ranges::from_iter(folder.missing(&plan));
    let work = |per_task| -> Result<MissingParts> {
        Ok(MissingParts {
            program: program(args)?,
            folder: text(folder.path())?,
            film: output.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default(),
            missing: missing.clone(),
            per_task,
        })
    };
    match args.engine {
        FarmEngine::Commands => print::text(&commands::list(&work(args.per_task.unwrap_or(1))?)?),
        FarmEngine::Openjd if args.per_task.is_some() => {
            Err(Error::bad_argument("--per-task: a task of --engine openjd makes one part"))
        }
        FarmEngine::Openjd => print::json(&openjd::template(&work(1)?)),
        FarmEngine::Slurm => {
            request::check_files(&plan, &folder)?;
            let count = missing.numbers().len();
            let per_task = slurm::per_task(args.round, count, plan.cutting.segment, args.per_task);
            submit(&job(args, &folder, &plan, work(per_task)?)?, args)
        }
    }
}

/// The film of `plan` for Slurm.
fn job<'a>(args: &'a SubmitArgs, folder: &Folder, plan: &FilmPlan, work: MissingParts) -> Result<Slurm<'a>> {
    let now = || SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_secs());
    let submission = args.submission.unwrap_or_else(now);
    let log = text(&folder.log())?;
    // Machines that Slurm does not know may have made parts too; it refuses their names.
    let known = |machine: &String| {
        let asked = Command::new("scontrol").args(["show", "node", machine]).stdin(Stdio::null()).output();
        asked.is_ok_and(|asked| asked.status.success())
    };
    let (records, disputes) = (folder.records(), folder.disputes());
    disputes.keys().for_each(|part| log::warn!("{}", audit::undecided(folder, *part)));
    let mut excluded = blamed(&records, submission);
    if work.missing.numbers().iter().all(|part| disputes.contains_key(part)) {
        // Others settle it.
        excluded.extend(disputes.values().flat_map(Dispute::hosts).map(str::to_owned));
    }
    excluded.sort_unstable();
    excluded.dedup();
    excluded.retain(known);
    let next = args.round + 1;
    let again = (next <= slurm::ROUNDS).then(|| {
        let mut again = vec![work.program.clone(), "submit".to_owned(), work.folder.clone()];
        again.extend(["--engine=slurm".to_owned(), format!("--round={next}"), format!("--submission={submission}")]);
        again.extend(args.per_task.map(|parts| format!("--per-task={parts}")));
        again.extend(args.audit.map(|share| format!("--audit={share}")));
        again.extend((args.copies > 0).then(|| format!("--copies={}", args.copies)));
        again.extend(args.program.as_ref().map(|program| format!("--program={program}")));
        if !args.arguments.is_empty() {
            again.push("--".to_owned());
            again.extend_from_slice(&args.arguments);
        }
        again
    });
    let same = |number: &u32| {
        records.iter().flat_map(|(_, records)| records).any(|r| r.part == *number && r.event == PartEvent::Same)
    };
    let audited = (0..plan.count()).filter(same).count() as u32;
    let job = Slurm {
        work,
        log,
        processors: plan.encoder.threads,
        arguments: &args.arguments,
        excluded,
        array_size: array_size(),
        submission,
        copies: args.copies,
        audits: args.audit.map_or(0, |share| share.of(plan.count()).saturating_sub(audited)),
        again,
    };
    job.check()?;
    Ok(job)
}

/// Submits `job`, or prints how.
fn submit(job: &Slurm, args: &SubmitArgs) -> Result<()> {
    if args.dry_run {
        return print::text(&job.text()?);
    }
    let mut ids = Vec::new();
    let mut all = || {
        for array in job.arrays()? {
            ids.push(sbatch(&array)?);
        }
        for more in [Slurm::copies, Slurm::audit] {
            if let Some(batch) = more(job, &ids)? {
                ids.push(sbatch(&batch)?);
            }
        }
        sbatch(&job.join(&ids)?)
    };
    match all() {
        Ok(join) => {
            let (parts, folder) = (job.work.missing.numbers().len(), &job.work.folder);
            let tasks = if parts == 0 { String::new() } else { format!("{parts} parts in job {}, ", ids.join(", ")) };
            let without =
                if job.excluded.is_empty() { String::new() } else { format!(", not on {}", job.excluded.join(", ")) };
            log::info!("round {}: {tasks}join in job {join}{without}: vramp status {folder}", args.round);
            Ok(())
        }
        Err(error) => {
            // Parts without a join are of no use to who believes that nothing was submitted.
            if !ids.is_empty() {
                let _ = Command::new("scancel").args(&ids).stdin(Stdio::null()).output();
            }
            Err(error)
        }
    }
}

/// Calls sbatch; gives the job's number.
fn sbatch(batch: &Batch) -> Result<String> {
    let mut command = Command::new("sbatch");
    command.args(&batch.arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().map_err(|error| match error.kind() {
        ErrorKind::NotFound => Error::unsupported(
            "sbatch is not on this machine: submit where Slurm is, or take --engine commands; --dry-run prints what it would get",
        ),
        _ => Error::io("sbatch", &error),
    })?;
    if let Some(mut stdin) = child.stdin.take() {
        // One that refuses its arguments does not read the script.
        let _ = stdin.write_all(batch.script.as_bytes());
    }
    let output = child.wait_with_output().map_err(|error| Error::io("sbatch", &error))?;
    let said = String::from_utf8_lossy(&output.stdout);
    // "12" or, where there are several, "12;cluster"
    let id = said.trim().split(';').next().unwrap_or_default().to_owned();
    let is_number = !id.is_empty() && id.bytes().all(|byte| byte.is_ascii_digit());
    if output.status.success() && is_number {
        return Ok(id);
    }
    let said = String::from_utf8_lossy(&output.stderr);
    let lines: Vec<_> = said.lines().map(|line| line.trim_start_matches("sbatch: ").trim()).collect();
    Err(Error::new(Kind::Unsupported, format!("sbatch refuses: {} (options for it go after --)", lines.join("; "))))
}

/// The size of arrays that Slurm allows here.
fn array_size() -> u32 {
    let config = Command::new("scontrol").args(["show", "config"]).stdin(Stdio::null()).output();
    let config = config.map(|output| String::from_utf8_lossy(&output.stdout).into_owned()).unwrap_or_default();
    let size = config
        .lines()
        .find_map(|line| line.strip_prefix("MaxArraySize")?.trim_start().strip_prefix('=')?.trim().parse().ok());
    size.unwrap_or(ARRAY_SIZE).max(1)
}

/// vramp on the machines.
fn program(args: &SubmitArgs) -> Result<String> {
    match (&args.program, args.engine) {
        (Some(program), _) => Ok(program.clone()),
        (None, FarmEngine::Openjd) => Ok("vramp".to_owned()),
        (None, FarmEngine::Slurm | FarmEngine::Commands) => text(&own_program()?),
    }
}

/// A path for a script.
fn text(path: &Path) -> Result<String> {
    let text = path.to_str().map(str::to_owned);
    text.ok_or_else(|| Error::unsupported(format!("{}: engines take names in UTF-8 only", path.display())))
}
