//! The same work done by the `ffmpeg` program's own filters, in the same run.

mod table;

use super::kernels::{chosen, thread_word};
use super::timing::{Effort, PictureRing, ramps};
use super::{Machine, ffmpeg};
use crate::cli::args::BenchArgs;
use crate::device::cpu::{CpuExec, CpuLevel};
use crate::error::{Error, Result};
use crate::filters;
use crate::pipeline::{ChainPlan, CpuChain, Target, plan};
use crate::video::{Format, Picture, StreamInfo};
use serde::Serialize;
use std::time::Duration;
use table::{PAIRS, Pair};

/// ffmpeg's times, and ours beside them.
#[derive(Serialize)]
pub struct Report {
    width: usize,
    height: usize,
    /// ffmpeg's version.
    ffmpeg: String,
    rows: Vec<Row>,
}

/// One of ffmpeg's filters, and one of ours for the same work.
#[derive(Serialize)]
struct Row {
    /// Theirs, as ffmpeg's command line has it.
    peer: &'static str,
    chain: &'static str,
    src: &'static str,
    dst: &'static str,
    /// Of each of both.
    threads: usize,
    peer_ms: f64,
    ms: f64,
    /// The peer's time over ours.
    times_faster: f64,
}

/// Measures the peers of the filters that `args` choose, and hands what is to be read to `show`.
///
/// # Errors
/// When ffmpeg has no peer of any of them, cannot be run, or fails.
pub fn measure(args: &BenchArgs, show: &impl Fn(String) -> Result<()>) -> Result<Report> {
    let pairs = pairs(args)?;
    let ffmpeg = ffmpeg::version()?;
    let (width, height) = args.size;
    let picture = ramps(Format::yuv(1, 1, 8)?, width, height)?;

    let column = pairs.iter().map(|pair| ours_of(*pair).len()).max().unwrap_or(0);
    let about = "ms a frame beside ffmpeg's own filters of 8-bit 4:2:0 (x: times as fast)";
    let head = line("", "", threads().into_iter().map(thread_word), column);
    show(format!("\n{width}x{height}, ffmpeg {ffmpeg}: {about}\n{head}"))?;
    let mut rows = Vec::new();
    for pair in pairs {
        let measured = measure_pair(pair, &picture, args.quick)?;
        show(table(pair, &measured, column))?;
        rows.extend(measured);
    }
    Ok(Report { width, height, ffmpeg, rows })
}

/// The pairs of the filters that `args` choose.
fn pairs(args: &BenchArgs) -> Result<Vec<Pair>> {
    let chosen = chosen(args)?;
    let mut pairs = Vec::new();
    for pair in PAIRS {
        let filter = pair.filter()?;
        if chosen.iter().any(|chosen| chosen.name == filter.name) {
            pairs.push(*pair);
        }
    }
    if pairs.is_empty() {
        let names: Vec<_> = chosen.iter().map(|filter| filter.name).collect();
        return Err(Error::bad_argument(format!("--peers: ffmpeg has no filter like {}", names.join(", "))));
    }
    Ok(pairs)
}

/// Measures both on one thread and on all, in turns: a turn is the median of a few frames, and a time that of the turns.
fn measure_pair(pair: Pair, picture: &Picture, quick: bool) -> Result<Vec<Row>> {
    let (frames, turns) = if quick { (10, 3) } else { (30, 9) };
    let [a_turn, all] = [frames, turns].map(|runs| Effort { runs, time: Duration::ZERO });
    let Pair { theirs, ours, src, dst } = pair;
    let (width, height) = (picture.width(), picture.height());
    let mut ring = PictureRing::new(src.parse()?, dst.parse()?, width, height)?;
    let plan = planned(pair, width, height)?;
    ring.give(plan.output.width, plan.output.height)?;
    let chain = |threads| CpuChain::new(&plan, CpuExec::new(threads, CpuLevel::detect())?);
    let mut chains = threads().into_iter().map(chain).collect::<Result<Vec<_>>>()?;

    let jobs = 2 * chains.len();
    let times = all.medians_of(jobs, |job, _| {
        let chain = &mut chains[job / 2];
        if job % 2 == 0 {
            return ffmpeg::median(theirs, chain.exec().threads(), picture, frames);
        }
        let run =
            |_, props: &_, src: &Picture, dst: &mut Picture| chain.run(props, &src.planes(), &mut dst.planes_mut());
        Ok(Duration::from_secs_f64(ring.medians(a_turn, 1, run)[0] / 1e3))
    })?;

    let row = |(chain, times): (&CpuChain, &[f64])| {
        let (threads, peer_ms, ms) = (chain.exec().threads(), times[0], times[1]);
        Row { peer: theirs, chain: ours, src, dst, threads, peer_ms, ms, times_faster: peer_ms / ms }
    };
    Ok(chains.iter().zip(times.chunks(2)).map(row).collect())
}

/// Ours, for pictures of this size.
fn planned(pair: Pair, width: usize, height: usize) -> Result<ChainPlan> {
    let info = StreamInfo::bare(pair.src.parse()?, width, height);
    let target = Target { format: Some(pair.dst.parse()?), ..Target::default() };
    plan(filters::chain(pair.ours)?, &info, target)
}

/// How many threads both get: one, and all where there are more.
fn threads() -> Vec<usize> {
    let all = Machine::this().processors;
    if all > 1 { vec![1, all] } else { vec![1] }
}

/// A line for theirs and one for ours.
fn table(pair: Pair, rows: &[Row], column: usize) -> String {
    let theirs = rows.iter().map(|row| format!("{:.3}", row.peer_ms));
    let ours = rows.iter().map(|row| format!("{:.3} ({:.1}x)", row.ms, row.times_faster));
    line("ffmpeg", pair.theirs, theirs, column) + &line("vramp", &ours_of(pair), ours, column)
}

/// Whose, what, and a cell a number of threads.
fn line(whose: &str, what: &str, cells: impl Iterator<Item = String>, column: usize) -> String {
    let cells: String = cells.map(|cell| format!("  {cell:>16}")).collect();
    format!("{whose:6}  {what:column$}{cells}\n")
}

/// Ours, and between which formats.
fn ours_of(pair: Pair) -> String {
    format!("{}, {} to {}", pair.ours, pair.src, pair.dst)
}
