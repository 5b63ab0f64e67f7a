//! Runs of one clip side by side, as parts of a film are, and as many of its decoders alone.

use super::clip::{TempOutput, chain_of, drain, job};
use crate::cli::args::{BenchArgs, FilterArgs};
use crate::cli::farm::Gpus;
use crate::cli::transcode::{Prepared, Stop};
use crate::error::{Error, Result};
use crate::pipeline;
use log::LevelFilter;
use serde::Serialize;
use std::sync::Barrier;
use std::thread;
use std::time::Instant;

/// How often each is measured; the best counts.
const ROUNDS: usize = 3;

/// What was measured.
#[derive(Serialize)]
pub struct Report {
    clip: String,
    chain: String,
    encoder: String,
    gpus: usize,
    /// Of one run.
    frames: usize,
    rows: Vec<Row>,
}

/// So many runs side by side, each of the whole clip.
#[derive(Serialize)]
struct Row {
    jobs: usize,
    /// Frames a second of all decoders together, where nothing else is done.
    decode_fps: f64,
    /// The same of the whole runs.
    fps: f64,
    /// Over the whole runs of the first row.
    times_one: f64,
    /// Over the decoders alone.
    of_decoders: f64,
    /// Over what copies of the results from the GPUs alone allow, where they are copied.
    of_download: Option<f64>,
}

/// Measures the clip of `args`, and hands each row to `show`.
///
/// # Errors
/// Of every run.
pub fn measure(args: &BenchArgs, show: &impl Fn(String) -> Result<()>) -> Result<Report> {
    let output = TempOutput::new();
    let job = job(args, &output)?;
    if args.codec != "null" {
        return Err(Error::bad_argument("--jobs measures runs without an encoder: add -c null"));
    }
    let gpus = Gpus::open(&job.run, args.gpus.as_ref())?;
    // It brings the clip into the page cache, and says what there is to say.
    let mut first = Prepared::new(&on(&job, &gpus, 0), &Stop::default(), None)?;
    let frames = drain(&mut first)?;
    let download = download_fps(&first, &gpus)?;
    drop(first);
    log::set_max_level(LevelFilter::Error);

    let mut report = Report {
        clip: job.input()?.display().to_string(),
        chain: chain_of(args).to_owned(),
        encoder: args.codec.clone(),
        gpus: gpus.each().count(),
        frames,
        rows: Vec::new(),
    };
    let Report { clip, chain, .. } = &report;
    show(format!(
        "\n{clip}: {chain}, {frames} frames a run\n{:>5} {:>12} {:>10} {:>9} {:>12} {:>12}\n",
        "jobs", "decoders fps", "fps", "times one", "of decoders", "of download"
    ))?;
    for jobs in args.jobs.iter().copied().map(usize::from) {
        let rounds = if args.quick { 1 } else { ROUNDS };
        let best = |work: &(dyn Fn(Prepared) -> Result<()> + Sync)| -> Result<f64> {
            let times = (0..rounds).map(|_| side_by_side(&job, &gpus, jobs, work)).collect::<Result<Vec<_>>>()?;
            Ok((jobs * frames) as f64 / times.into_iter().fold(f64::INFINITY, f64::min))
        };
        let decode_fps = best(&|mut run| drain(&mut run).map(drop))?;
        let fps = best(&whole)?;
        let one = report.rows.first().map_or(fps / jobs as f64, |row| row.fps / row.jobs as f64);
        let (times_one, of_decoders, of_download) = (fps / one, fps / decode_fps, download.map(|limit| fps / limit));
        let share = of_download.map_or_else(|| "-".to_owned(), |share| format!("{share:.2}"));
        show(format!("{jobs:>5} {decode_fps:>12.0} {fps:>10.0} {times_one:>9.2} {of_decoders:>12.2} {share:>12}\n"))?;
        report.rows.push(Row { jobs, decode_fps, fps, times_one, of_decoders, of_download });
    }
    Ok(report)
}

/// `job` for the run in `slot`.
fn on(job: &FilterArgs, gpus: &Gpus, slot: usize) -> FilterArgs {
    let mut job = job.clone();
    job.run.on.device = gpus.of(slot);
    job
}

/// A whole run.
fn whole(run: Prepared) -> Result<()> {
    let Prepared { mut input, plan, mut chain, mut sink, options, .. } = run;
    pipeline::run(&mut input, &plan, &mut chain, &mut *sink, &options, &mut |_| {}).map(drop)
}

/// The seconds that `work` takes in `jobs` threads at once, from the moment at which all are ready.
fn side_by_side(
    job: &FilterArgs,
    gpus: &Gpus,
    jobs: usize,
    work: &(dyn Fn(Prepared) -> Result<()> + Sync),
) -> Result<f64> {
    let ready = Barrier::new(jobs + 1);
    thread::scope(|scope| {
        let start = |slot| {
            let (job, ready) = (on(job, gpus, slot), &ready);
            scope.spawn(move || {
                let prepared = Prepared::new(&job, &Stop::default(), None);
                // Also one that failed is waited for.
                ready.wait();
                work(prepared?)
            })
        };
        let threads: Vec<_> = (0..jobs).map(start).collect();
        ready.wait();
        let began = Instant::now();
        for thread in threads {
            thread.join().unwrap_or_else(|_| Err(Error::internal("a run panicked")))?;
        }
        Ok(began.elapsed().as_secs_f64())
    })
}

/// Frames a second that copies of the results of `run` from the GPUs alone allow, each over its own link.
#[cfg(feature = "cuda")]
fn download_fps(run: &Prepared, gpus: &Gpus) -> Result<Option<f64>> {
    use crate::device::cuda::limits;
    /// Copies that are timed.
    const COPIES: usize = 500;
    if run.plan.stays {
        return Ok(None);
    }
    let info = &run.plan.output;
    let Some(device) = gpus.each().find_map(|gpu| gpu.device()) else { return Ok(None) };
    let time = limits::host_copies(device, None, info.format, info.width, info.height, COPIES)?;
    Ok(Some(COPIES as f64 / time.as_secs_f64() * gpus.each().count() as f64))
}

#[cfg(not(feature = "cuda"))]
fn download_fps(_: &Prepared, _: &Gpus) -> Result<Option<f64>> {
    Ok(None)
}
