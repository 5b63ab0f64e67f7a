//! A whole run on a clip, and each of its stages alone.

use super::timing::CpuClock;
use crate::cli::args::{BenchArgs, Cli, FilterArgs};
use crate::cli::transcode::{Prepared, Stop};
use crate::error::{Error, Result};
use crate::pipeline::{self, Chain, ChainPlan, Frame, Item, Packet, Sink, Source};
use crate::video::Picture;
use clap::Parser;
use log::LevelFilter;
use serde::Serialize;
use std::fmt;
use std::path::PathBuf;
use std::time::Instant;

/// Decoded and filtered frames are kept in a quarter of the memory that is free (in this much where the system does not
/// are known), up to a limit. That limits how many are measured.
const MEMORY: usize = 2 << 30;
const MOST_MEMORY: usize = 8 << 30;

/// So many frames of `plan` are kept at most.
fn most_frames(plan: &ChainPlan) -> usize {
    let bytes = |format| Picture::bytes(format, plan.output.width, plan.output.height).unwrap_or(MEMORY);
    (memory() / (bytes(plan.input.format) + bytes(plan.output.format))).max(1)
}

/// Bytes that frames may take.
fn memory() -> usize {
    let available = std::fs::read_to_string("/proc/meminfo").ok().and_then(|text| {
        let line = text.lines().find_map(|line| line.strip_prefix("MemAvailable:"))?;
        line.trim().strip_suffix(" kB")?.parse::<usize>().ok()
    });
    available.map_or(MEMORY, |kilobytes| (kilobytes * 1024 / 4).min(MOST_MEMORY))
}

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
    decode: Elapsed,
    /// Nothing for frames that NVDEC leaves on the GPU, nor for the encoder of those that stay there: such a stage does
    /// not run alone.
    filter: Option<Elapsed>,
    encode: Option<Elapsed>,
    /// Everything at once, as `vramp` runs it.
    whole: Elapsed,
    /// Wall time of the whole over that of its slowest stage alone: 1 is perfect overlap.
    over_slowest: f64,
    /// Wall time of the whole over what the machine allows: its slowest stage alone, or the processor time of all
    /// stages spread over all processors, whichever is more.
    over_possible: Option<f64>,
}

/// What a piece of work took.
#[derive(Clone, Copy, Serialize)]
struct Elapsed {
    seconds: f64,
    /// Of all threads together, where the system reports it.
    processor_seconds: Option<f64>,
}

fn cost(work: impl FnOnce() -> Result<()>) -> Result<Elapsed> {
    let (start, clock) = (Instant::now(), CpuClock::start());
    work()?;
    Ok(Elapsed { seconds: start.elapsed().as_secs_f64(), processor_seconds: clock.elapsed() })
}

impl Elapsed {
    /// The less disturbed of two measurements.
    fn least(self, other: Elapsed) -> Elapsed {
        if self.seconds <= other.seconds { self } else { other }
    }
}

/// Measures the clip of `args`.
pub fn measure(args: &BenchArgs) -> Result<Report> {
    let output = TempOutput::new();
    let mut job = job(args, &output)?;
    // The first pass brings the clip into the page cache, says how many frames there are, and warns of what there is
    // to warn of, which need not be repeated.
    let mut first = Prepared::new(&job, &Stop::default(), None)?;
    let frames = drain(&mut first)?.min(most_frames(&first.plan));
    drop(first);
    job.run.frames = Some(frames as u64);
    log::set_max_level(LevelFilter::Error);

    let mut best = round(&job)?;
    for _ in 1..if args.quick { 1 } else { ROUNDS } {
        best = best.least(round(&job)?);
    }
    let Round { decode, filter, encode, whole } = best;
    let stages: Vec<Elapsed> = [Some(decode), filter, encode].into_iter().flatten().collect();
    let slowest = stages.iter().map(|stage| stage.seconds).fold(f64::MIN_POSITIVE, f64::max);
    let processors = std::thread::available_parallelism().map_or(1, usize::from) as f64;
    let work: Option<f64> = stages.iter().map(|stage| stage.processor_seconds).sum();
    Ok(Report {
        clip: job.input()?.display().to_string(),
        chain: chain_of(args).to_owned(),
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

/// What the stages took alone, and the whole run.
struct Round {
    decode: Elapsed,
    filter: Option<Elapsed>,
    encode: Option<Elapsed>,
    whole: Elapsed,
}

impl Round {
    fn least(self, other: Round) -> Round {
        let least = |a: Option<Elapsed>, b: Option<Elapsed>| a.zip(b).map(|(a, b)| a.least(b));
        Round {
            decode: self.decode.least(other.decode),
            filter: least(self.filter, other.filter),
            encode: least(self.encode, other.encode),
            whole: self.whole.least(other.whole),
        }
    }
}

fn round(job: &FilterArgs) -> Result<Round> {
    let prepare = || Prepared::new(job, &Stop::default(), None);
    let mut alone = prepare()?;
    let decode = cost(|| drain(&mut alone).map(drop))?;
    drop(alone);

    let run = prepare()?;
    let (mut filter, mut encode) = (None, None);
    if !run.plan.stays {
        let mut filtered = Vec::new();
        if run.plan.resident {
            filtered = filter_as_decoded(run)?;
        } else {
            filter = Some(filter_alone(run, &mut filtered)?);
        }
        let Prepared { mut sink, .. } = prepare()?;
        encode = Some(cost(|| {
            filtered.into_iter().try_for_each(|frame| sink.frame(frame))?;
            sink.finish()
        })?);
    }

    let Prepared { mut input, plan, mut chain, mut sink, options, .. } = prepare()?;
    let whole = cost(|| pipeline::run(&mut input, &plan, &mut chain, &mut *sink, &options, &mut |_| {}).map(drop))?;
    Ok(Round { decode, filter, encode, whole })
}

/// What the chain of `run` takes for all of its frames, which it leaves in `filtered`.
fn filter_alone(run: Prepared, filtered: &mut Vec<Frame>) -> Result<Elapsed> {
    let Prepared { mut input, plan, mut chain, .. } = run;
    let mut frames = Vec::new();
    while let Some(frame) = next_frame(&mut input)? {
        frames.push(frame);
    }
    chain.prepare(&plan)?;
    let pool = chain.pictures(&plan, frames.len())?;
    cost(|| {
        *filtered = chain.filter(&plan, frames, &mut [], &pool)?;
        Ok(())
    })
}

/// The filtered frames of a run whose decoder leaves them on the GPU, where only a few find room at a time.
fn filter_as_decoded(run: Prepared) -> Result<Vec<Frame>> {
    let Prepared { mut input, plan, mut chain, options, .. } = run;
    let mut kept = KeepSink(Vec::new());
    pipeline::run(&mut input, &plan, &mut chain, &mut kept, &options, &mut |_| {})?;
    Ok(kept.0)
}

/// Keeps the frames it gets.
struct KeepSink(Vec<Frame>);

impl Sink for KeepSink {
    fn frame(&mut self, frame: Frame) -> Result<()> {
        self.0.push(frame);
        Ok(())
    }

    fn packet(&mut self, _: Packet) -> Result<()> {
        Ok(())
    }

    fn finish(&mut self) -> Result<()> {
        Ok(())
    }

    fn bytes(&self) -> u64 {
        0
    }
}

/// Decodes every frame of a run's input, and counts them.
pub fn drain(run: &mut Prepared) -> Result<usize> {
    let mut frames = 0;
    #[cfg(feature = "cuda")]
    let mut stream = None;
    while let Some(item) = run.input.next()? {
        match item {
            Item::Packet(_) => continue,
            Item::Frame(_) => {}
            #[cfg(feature = "cuda")]
            Item::DeviceFrame(frame) => stream = Some(frame.stream),
        }
        frames += 1;
    }
    #[cfg(feature = "cuda")]
    if let Some(stream) = stream {
        stream.synchronize()?;
    }
    Ok(frames)
}

/// The chain of the run.
pub fn chain_of(args: &BenchArgs) -> &str {
    args.chain.as_deref().unwrap_or("deband")
}

/// The run to measure, made as the command line makes it.
pub fn job(args: &BenchArgs, output: &TempOutput) -> Result<FilterArgs> {
    let clip = args.clip.clone().ok_or_else(|| Error::bad_argument("no clip: give --clip FILE"))?;
    if args.download && args.codec != "null" {
        return Err(Error::bad_argument("--download goes with -c null: an encoder of the CPU gets every frame anyway"));
    }
    let (threads, device, decoder) = (args.threads.to_string(), args.device.to_string(), args.decoder.to_string());
    let mut words = vec!["vramp", "-y", "-i", &clip, "-o", output.path(), "--chain", chain_of(args)];
    words.extend([
        "--no-audio",
        "--no-subtitles",
        "--no-extras",
        "--threads",
        &threads,
        "--device",
        &device,
        "--decoder",
        &decoder,
    ]);
    words.extend(["--decoder-threads", &threads, "--encoder-threads", &threads]);
    match args.codec.as_str() {
        "null" => words.extend(["-f", "null"]),
        codec => words.extend(["-f", "matroska", "-c", codec]),
    }
    if let Some(preset) = &args.preset {
        words.extend(["--preset", preset]);
    }
    let cli = Cli::try_parse_from(words).map_err(|e| Error::internal(format!("bench arguments: {e}")))?;
    Ok(FilterArgs { download: args.download, ..cli.job })
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
pub struct TempOutput(PathBuf);

impl TempOutput {
    pub fn new() -> TempOutput {
        TempOutput(std::env::temp_dir().join(format!("vramp-bench-{}.mkv", std::process::id())))
    }

    fn path(&self) -> &str {
        self.0.to_str().unwrap_or("vramp-bench.mkv")
    }
}

impl Drop for TempOutput {
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
        let (decode, whole) = (Some(self.decode), Some(self.whole));
        let stages = [("decode", decode), ("chain", self.filter), ("encode", self.encode), ("whole", whole)];
        for (name, cost) in stages.into_iter().filter_map(|(name, cost)| Some((name, cost?))) {
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
