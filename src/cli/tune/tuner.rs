//! Measures what was asked for, and keeps it.

use super::cases::{calls, formats};
use super::measure::{Load, Measured, Room, spaces};
use crate::cli::args::TuneArgs;
use crate::cli::bench::gpu::gainful_batch;
use crate::cli::bench::kernels::Subject;
use crate::cli::print;
use crate::device::cuda::{CudaDevice, Space};
use crate::device::tuning::{Entry, Key, Table, path};
use crate::error::{Error, Result};
use crate::io::TempFile;
use crate::params::Call;
use crate::pipeline::{Cancel, ChainPlan, Options};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs;
use std::io::Write;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// A kernel that can work in several ways, in a chain.
struct Job {
    load: Load,
    plan: ChainPlan,
    key: Key,
    space: Space,
}

/// Runs the measurement that `args` ask for.
pub fn run(device: &Arc<CudaDevice>, args: &TuneArgs) -> Result<()> {
    let file = path();
    if file.is_none() && !args.dry_run {
        return Err(Error::bad_argument("there is no place for what is measured: VRAMP_TUNING names a file"));
    }
    print::text(&format!("{}\n", device.card()))?;
    let jobs = jobs(device, args)?;
    if args.dry_run {
        return jobs.iter().try_for_each(|job| print::text(&listed(&job.key, &job.space)));
    }
    let (measured, table) = measure(device, args, jobs)?;
    print::text(&summary(&measured))?;
    match file {
        Some(file) if !measured.is_empty() => keep(&file, &table),
        _ => Ok(()),
    }
}

/// Every case once, those of the same pictures together.
fn jobs(device: &Arc<CudaDevice>, args: &TuneArgs) -> Result<Vec<Job>> {
    let calls = calls(&args.filters)?;
    let (mut jobs, mut known) = (Vec::new(), BTreeSet::new());
    for size in args.size.iter().copied() {
        for (src, dst) in formats()? {
            let alone = Load { src, dst, size, batch: 1 };
            jobs.extend(jobs_of(device, &calls, alone, &mut known)?);
        }
    }
    Ok(jobs)
}

/// The cases of `calls` that are not `known` yet: of frames `alone`, and then of batches.
fn jobs_of(device: &Arc<CudaDevice>, calls: &[Call], alone: Load, known: &mut BTreeSet<Key>) -> Result<Vec<Job>> {
    let mut jobs = Vec::new();
    for call in calls {
        let plan = || Subject::new(vec![call.clone()]).plan(alone.src, alone.dst, alone.size);
        let Some(first) = plan()? else { continue };
        for batch in batches(&first) {
            for (key, space) in spaces(device, &first, batch)? {
                // A kernel for batches may choose for frames alone as well, whose case is known by then.
                if known.insert(key.clone()) {
                    let load = Load { batch, ..alone };
                    jobs.extend(plan()?.map(|plan| Job { load, plan, key, space }));
                }
            }
        }
    }
    jobs.sort_by_key(|job| job.load.batch);
    Ok(jobs)
}

/// How many frames at a time are measured: one, and as many as a run takes with the usual slots.
fn batches(plan: &ChainPlan) -> BTreeSet<usize> {
    [1, gainful_batch(plan).clamp(1, Options::default().slots)].into()
}

/// A line of a dry run.
fn listed(key: &Key, space: &Space) -> String {
    let Space { ways, taken, origin, .. } = space;
    let others: Vec<_> = ways.iter().enumerate().filter(|(way, _)| way != taken).map(|(_, way)| way.as_str()).collect();
    format!("{} {}: {} ({origin}); or {}\n", key.kernel, key.case, ways[*taken], others.join(", "))
}

/// Measures, and prints a line for each case.
fn measure(device: &Arc<CudaDevice>, args: &TuneArgs, jobs: Vec<Job>) -> Result<(Vec<Measured>, Table)> {
    let (begin, whole) = (Instant::now(), Duration::from_secs(args.seconds.into()));
    let (mut table, mut measured, mut room): (_, _, Option<Room>) = (Table::default(), Vec::new(), None);
    let count = jobs.len();
    for (number, Job { load, plan, key, space }) in jobs.into_iter().enumerate() {
        // What earlier cases left of the time, shared out.
        let time = whole.saturating_sub(begin.elapsed()) / (count - number) as u32;
        if room.as_ref().is_none_or(|room| room.load() != load) {
            // One at a time: each takes a quarter of the memory.
            drop(room.take());
            room = Some(Room::new(device, load)?);
        }
        let code = space.code()?;
        let Some(room) = &room else { continue };
        let Some(one) = room.measure(&plan, key, space, time)? else { continue };
        print::text(&format!("[{}/{count}] {}", number + 1, line(&one)))?;
        let way = one.space.ways[one.best].clone();
        let entry = Entry { code, way, ms: one.best_ms(), default_ms: one.default_ms() };
        table.set(device.card(), one.key.clone(), entry);
        measured.push(one);
    }
    Ok((measured, table))
}

/// A case in a line.
fn line(one: &Measured) -> String {
    let (ms, copies) = (one.best_ms(), one.best_ms() / one.copy_ms);
    let won = &one.space.ways[one.best];
    let head = format!("{} {}: {won} {ms:.4} ms, {copies:.2}x a copy", one.key.kernel, one.key.case);
    match one.best {
        0 => format!("{head} (the default)\n"),
        _ => format!("{head}, {:+.1} % over {}\n", gain(one), one.space.ways[0]),
    }
}

/// By how many percent the default takes longer.
fn gain(one: &Measured) -> f64 {
    100.0 * (one.default_ms() / one.best_ms() - 1.0)
}

/// A line for each kernel: its cases, in how many another way won, and what is gained.
fn summary(measured: &[Measured]) -> String {
    let mut kernels: BTreeMap<&str, Vec<f64>> = BTreeMap::new();
    measured.iter().for_each(|one| kernels.entry(&one.key.kernel).or_default().push(gain(one)));
    let mut text = format!("\n{:<12}{:>8}{:>10}{:>14}{:>14}\n", "kernel", "cases", "changed", "mean gain", "most");
    for (kernel, gains) in kernels {
        let changed = gains.iter().filter(|gain| **gain != 0.0).count();
        let mean = gains.iter().sum::<f64>() / gains.len() as f64;
        let most = gains.iter().copied().fold(0.0, f64::max);
        let _ = writeln!(text, "{kernel:<12}{:>8}{changed:>10}{mean:>12.1} %{most:>12.1} %", gains.len());
    }
    text
}

/// Adds the entries of `table` to the file, which is replaced whole.
fn keep(file: &Path, table: &Table) -> Result<()> {
    let failed = |error| Error::io(file.display(), &error);
    if let Some(folder) = file.parent() {
        fs::create_dir_all(folder).map_err(|error| Error::io(folder.display(), &error))?;
    }
    let (mut all, _) = Table::read(file);
    all.merge(table);
    let mut writer = TempFile::create(file, true, &Cancel::default())?;
    writer.write_all(all.to_string().as_bytes()).map_err(failed)?;
    writer.commit()?;
    print::text(&format!("\nwritten to {}\n", file.display()))
}
