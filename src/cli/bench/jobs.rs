//! Runs of one clip side by side, as parts of a film are, and as many of its decoders alone.

use super::clip::{TempOutput, chain_of, drain, job};
use crate::cli::args::{BenchArgs, FilterArgs};
use crate::cli::farm::Gpus;
use crate::cli::transcode::{Prepared, Stop};
use crate::device::DeviceChoice;
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
    /// On several GPUs, over as many runs for each, on the first one alone.
    times_one_gpu: Option<f64>,
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
    let mut first = Prepared::new(&on(&job, gpus.of(0)), &Stop::default(), None)?;
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
        "\n{clip}: {chain}, {frames} frames a run\n{:>5} {:>12} {:>10} {:>9} {:>12} {:>13} {:>12}\n",
        "jobs", "decoders fps", "fps", "times one", "of decoders", "times one GPU", "of download"
    ))?;
    for jobs in args.jobs.iter().copied().map(usize::from) {
        let rounds = if args.quick { 1 } else { ROUNDS };
        let best = |jobs: usize, device_of: DeviceOf<'_>, work: Work<'_>| -> Result<f64> {
            let times = (0..rounds).map(|_| side_by_side(&job, jobs, device_of, work)).collect::<Result<Vec<_>>>()?;
            Ok((jobs * frames) as f64 / times.into_iter().fold(f64::INFINITY, f64::min))
        };
        let decode_fps = best(jobs, &|slot| gpus.of(slot), &|mut run| drain(&mut run).map(drop))?;
        let fps = best(jobs, &|slot| gpus.of(slot), &whole)?;
        let is_even = report.gpus > 1 && jobs.is_multiple_of(report.gpus);
        let one_gpu = is_even.then(|| best(jobs / report.gpus, &|_| gpus.of(0), &whole)).transpose()?;
        let one = report.rows.first().map_or(fps / jobs as f64, |row| row.fps / row.jobs as f64);
        let (times_one, of_decoders) = (fps / one, fps / decode_fps);
        let (times_one_gpu, of_download) = (one_gpu.map(|one| fps / one), download.map(|limit| fps / limit));
        let [gpu, share] =
            [times_one_gpu, of_download].map(|ratio| ratio.map_or("-".to_owned(), |ratio| format!("{ratio:.2}")));
        show(format!(
            "{jobs:>5} {decode_fps:>12.0} {fps:>10.0} {times_one:>9.2} {of_decoders:>12.2} {gpu:>13} {share:>12}\n"
        ))?;
        report.rows.push(Row { jobs, decode_fps, fps, times_one, of_decoders, times_one_gpu, of_download });
    }
    Ok(report)
}

/// The device of the run in a slot.
type DeviceOf<'a> = &'a (dyn Fn(usize) -> DeviceChoice + Sync);

/// What is done with a run.
type Work<'a> = &'a (dyn Fn(Prepared) -> Result<()> + Sync);

/// `job` on `device`.
fn on(job: &FilterArgs, device: DeviceChoice) -> FilterArgs {
    let mut job = job.clone();
    job.run.on.device = device;
    job
}

/// A whole run.
fn whole(run: Prepared) -> Result<()> {
    let Prepared { mut input, plan, mut chain, mut sink, options, .. } = run;
    pipeline::run(&mut input, &plan, &mut chain, &mut *sink, &options, &mut |_| {}).map(drop)
}

/// The seconds that `work` takes in `jobs` threads at once, from the moment at which all are ready.
fn side_by_side(job: &FilterArgs, jobs: usize, device_of: DeviceOf<'_>, work: Work<'_>) -> Result<f64> {
    let ready = Barrier::new(jobs + 1);
    thread::scope(|scope| {
        let start = |slot| {
            let (job, ready) = (on(job, device_of(slot)), &ready);
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
