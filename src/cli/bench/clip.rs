//! A whole run on a clip, and each of its stages alone.

use super::timing::CpuClock;
use crate::cli::args::{BenchArgs, Cli, Job};
use crate::cli::transcode::Prepared;
use crate::error::{Error, Result};
use crate::pipeline::{self, Cancel, Chain, Frame, Item, Source};
use crate::video::Picture;
use clap::Parser;
use log::LevelFilter;
use serde::Serialize;
use std::fmt;
use std::path::PathBuf;
use std::time::Instant;

/// Decoded and filtered frames are kept in at most this much memory, which limits how many are measured.
const MEMORY: usize = 2 << 30;

/// How often everything is measured; the least time counts.
const ROUNDS: usize = 3;

/// What was measured.
#[derive(Serialize)]
pub struct Report {
    clip: String,
    chain: String,
    encoder: String,
    device: String,
    frames: usize,
    /// Threads of each stage; 0 is all processors.
    threads: usize,
    decode: Cost,
    filter: Cost,
    encode: Cost,
    /// Everything at once, as `vramp` runs it.
    whole: Cost,
    /// Wall time of the whole over that of its slowest stage alone: 1 is perfect overlap.
    over_slowest: f64,
    /// Wall time of the whole over what the machine allows: its slowest stage alone, or the processor time of all
    /// stages spread over all processors, whichever is more.
    over_possible: Option<f64>,
}

/// What a piece of work took.
#[derive(Clone, Copy, Serialize)]
struct Cost {
    seconds: f64,
    /// Of all threads together, where the system tells.
    processor_seconds: Option<f64>,
}

fn cost(work: impl FnOnce() -> Result<()>) -> Result<Cost> {
    let (start, clock) = (Instant::now(), CpuClock::start());
    work()?;
    Ok(Cost { seconds: start.elapsed().as_secs_f64(), processor_seconds: clock.elapsed() })
}

impl Cost {
    /// The less disturbed of two measurements.
    fn least(self, other: Cost) -> Cost {
        if self.seconds <= other.seconds { self } else { other }
    }
}

/// Measures the clip of `args`.
pub fn measure(args: &BenchArgs) -> Result<Report> {
    let output = Scratch::new();
    let mut job = job(args, &output)?;
    // The first pass brings the clip into the page cache, says how many frames there are, and warns of what there is
    // to warn of, which need not be repeated.
    let frames = collect(Prepared::new(&job, Cancel::default())?)?.len();
    job.frames = Some(frames as u64);
    log::set_max_level(LevelFilter::Error);

    let mut best = round(&job)?;
    for _ in 1..if args.quick { 1 } else { ROUNDS } {
        let again = round(&job)?;
        best = std::array::from_fn(|i| best[i].least(again[i]));
    }
    let [decode, filter, encode, whole] = best;
    let stages = [decode, filter, encode];
    let slowest = stages.iter().map(|stage| stage.seconds).fold(f64::MIN_POSITIVE, f64::max);
    let processors = std::thread::available_parallelism().map_or(1, usize::from) as f64;
    let work: Option<f64> = stages.iter().map(|stage| stage.processor_seconds).sum();
    Ok(Report {
        clip: job.input()?.display().to_string(),
        chain: args.chain.clone(),
        encoder: args.codec.clone(),
        device: args.device.to_string(),
        frames,
        threads: args.threads,
        decode,
        filter,
        encode,
        whole,
        over_slowest: whole.seconds / slowest,
        over_possible: work.map(|work| whole.seconds / slowest.max(work / processors)),
    })
}

/// Decode, chain and encode alone, then the whole run.
fn round(job: &Job) -> Result<[Cost; 4]> {
    let prepare = || Prepared::new(job, Cancel::default());
    let Prepared { mut input, .. } = prepare()?;
    let decode = cost(|| {
        while next_frame(&mut input)?.is_some() {}
        Ok(())
    })?;

    let frames = collect(prepare()?)?;
    let Prepared { plan, mut chain, mut sink, .. } = prepare()?;
    chain.prepare(&plan)?;
    let pool = chain.pictures(&plan, frames.len())?;
    let mut filtered = Vec::new();
    let filter = cost(|| {
        filtered = chain.filter(&plan, frames, &pool)?;
        Ok(())
    })?;
    let encode = cost(|| {
        filtered.into_iter().try_for_each(|frame| sink.frame(frame))?;
        sink.finish()
    })?;

    let Prepared { mut input, plan, mut chain, mut sink, options } = prepare()?;
    let whole = cost(|| pipeline::run(&mut input, &plan, &mut chain, &mut *sink, &options, &mut |_| {}).map(drop))?;
    Ok([decode, filter, encode, whole])
}

/// The frames of a run's input, as many as there is memory for.
fn collect(run: Prepared) -> Result<Vec<Frame>> {
    let Prepared { mut input, plan, .. } = run;
    let bytes = |format| Picture::bytes(format, plan.output.width, plan.output.height).unwrap_or(MEMORY);
    let limit = (MEMORY / (bytes(plan.input.format) + bytes(plan.output.format))).max(1);
    let mut frames = Vec::new();
    while frames.len() < limit
        && let Some(frame) = next_frame(&mut input)?
    {
        frames.push(frame);
    }
    Ok(frames)
}

/// The run to measure, made as the command line makes it.
fn job(args: &BenchArgs, output: &Scratch) -> Result<Job> {
    let clip = args.clip.clone().ok_or_else(|| Error::bad_argument("no clip: give --clip FILE"))?;
    let (threads, device) = (args.threads.to_string(), args.device.to_string());
    let mut words = vec!["vramp", "-y", "-i", &clip, "-o", output.path(), "--chain", &args.chain];
    words.extend(["--no-audio", "--no-subtitles", "--no-extras", "--threads", &threads, "--device", &device]);
    words.extend(["--decoder-threads", &threads, "--encoder-threads", &threads]);
    match args.codec.as_str() {
        "null" => words.extend(["-f", "null"]),
        codec => words.extend(["-f", "matroska", "-c", codec]),
    }
    if let Some(preset) = &args.preset {
        words.extend(["--preset", preset]);
    }
    let cli = Cli::try_parse_from(words).map_err(|e| Error::internal(format!("bench arguments: {e}")))?;
    Ok(cli.job)
}

fn next_frame(input: &mut dyn Source) -> Result<Option<Frame>> {
    while let Some(item) = input.next()? {
        if let Item::Frame(frame) = item {
            return Ok(Some(frame));
        }
    }
    Ok(None)
}

/// A file to encode to, gone in the end.
struct Scratch(PathBuf);

impl Scratch {
    fn new() -> Scratch {
        Scratch(std::env::temp_dir().join(format!("vramp-bench-{}.mkv", std::process::id())))
    }

    fn path(&self) -> &str {
        self.0.to_str().unwrap_or("vramp-bench.mkv")
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // It is not there when nothing was encoded.
        let _ = std::fs::remove_file(&self.0);
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "\n{}: {} frames, {}, {}; seconds (processor seconds)",
            self.clip, self.frames, self.chain, self.encoder
        )?;
        let stages = [("decode", self.decode), ("chain", self.filter), ("encode", self.encode), ("whole", self.whole)];
        for (name, cost) in stages {
            let processor = cost.processor_seconds.map_or(String::new(), |seconds| format!(" ({seconds:.2})"));
            writeln!(f, "  {name:6} {:8.2}{processor}", cost.seconds)?;
        }
        write!(f, "whole over its slowest stage alone: {:.2}", self.over_slowest)?;
        match self.over_possible {
            Some(ratio) => writeln!(f, "; over what these processors allow: {ratio:.2}"),
            None => writeln!(f),
        }
    }
}
