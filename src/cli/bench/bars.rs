//! How much of the processor a frame takes on one thread, and how much it may: a share of what ffmpeg's filter takes, or
//! milliseconds. Other programs on the machine do not count: it is the time of the process that is compared, not the clock's.
//! The bars of a GPU are in a table beside that of the CPU (`gpu/bars.rs` measures them).

#[cfg(feature = "cuda")]
mod on_gpu;
mod table;

#[cfg(feature = "cuda")]
pub use on_gpu::ON_GPU;
pub use table::Bar;
#[cfg(feature = "cuda")]
pub use table::window;

use super::ffmpeg;
use super::timing::{CpuClock, PictureRing, ramps};
use crate::cli::args::BenchArgs;
use crate::device::cpu::{CpuExec, CpuLevel};
use crate::error::{Error, Result};
use crate::filters;
use crate::pipeline::{CpuChain, Target, plan};
use crate::video::{FrameProps, StreamInfo};
use serde::Serialize;
use std::path::PathBuf;
use std::time::{Duration, Instant};
use table::{CUBE, Most, ON_CPU};

/// What was measured.
#[derive(Serialize)]
pub struct Report {
    /// ffmpeg's version.
    ffmpeg: String,
    rows: Vec<Row>,
}

/// One filter, and how much it may take.
#[derive(Serialize)]
pub struct Row {
    chain: &'static str,
    src: &'static str,
    dst: &'static str,
    width: usize,
    height: usize,
    /// Frames that are made at a time.
    batch: usize,
    /// Vectors that it is held to.
    level: Option<&'static str>,
    /// Theirs, as ffmpeg's command line has it; or a copy.
    peer: Option<&'static str>,
    peer_ms: Option<f64>,
    ms: f64,
    /// Over the peer's time; milliseconds where there is none.
    value: f64,
    most: f64,
    holds: bool,
}

/// Measures the bars of the filters that `args` name, or all, and hands what is to be read to `show`.
///
/// # Errors
/// When there is none, ffmpeg cannot be run, or either fails.
pub fn measure(args: &BenchArgs, show: &impl Fn(String) -> Result<()>) -> Result<Report> {
    let bars = chosen(ON_CPU, args)?;
    let version = ffmpeg::version()?;
    show(format!("\nffmpeg {version}: processor milliseconds a frame on one thread, the least of alternate turns\n"))?;
    show(head("ffmpeg"))?;
    let cube = CubeFile::new()?;
    let mut rows = Vec::new();
    let is_possible = |bar: &Bar| bar.level.is_none_or(|level| level <= CpuLevel::detect());
    for bar in bars.into_iter().filter(is_possible) {
        let row = measure_bar(bar, &cube, args.quick)?;
        show(row.text())?;
        rows.push(row);
    }
    Ok(Report { ffmpeg: version, rows })
}

/// The bars of the filters that `args` name, or all.
///
/// # Errors
/// When there is none.
pub fn chosen(bars: &[Bar], args: &BenchArgs) -> Result<Vec<Bar>> {
    let named = args.filter.iter().map(|name| Ok(filters::find_or_suggest(name)?.name)).collect::<Result<Vec<_>>>()?;
    let mut chosen = Vec::new();
    for bar in bars {
        let name = bar.chain()?[0].descriptor().name;
        if named.is_empty() || named.contains(&name) {
            chosen.push(*bar);
        }
    }
    if chosen.is_empty() {
        return Err(Error::bad_argument(format!("--bars: there is none for {}", named.join(", "))));
    }
    Ok(chosen)
}

/// A turn lasts at least so long.
const TURN: Duration = Duration::from_millis(400);

/// How often each gets its turn.
const TURNS: usize = 5;

fn measure_bar(bar: Bar, cube: &CubeFile, quick: bool) -> Result<Row> {
    let picture = ramps(bar.src.parse()?, bar.size.0, bar.size.1)?;
    let theirs = if let Most::Share { theirs, .. } = bar.most {
        Some(theirs.replace(CUBE, &cube.0.to_string_lossy()))
    } else {
        None
    };
    let mut run = ours_of(&bar)?;
    let (mut peer, mut own) = (f64::INFINITY, f64::INFINITY);
    // The first turn pays for page faults.
    run(1)?;
    for _ in 0..if quick { 1 } else { TURNS } {
        let mut frames = 4;
        own = own.min(loop {
            let took = run(frames)?;
            if took >= TURN || quick {
                break took.as_secs_f64() * 1e3 / frames as f64;
            }
            frames *= 2;
        });
        if let Some(theirs) = &theirs {
            // What the program itself takes is in both runs.
            let frames = if quick { 8 } else { (TURN.as_secs_f64() * 1e3 / own) as usize + 8 };
            let few = ffmpeg::processor_time(theirs, &picture, frames / 4)?;
            let many = ffmpeg::processor_time(theirs, &picture, frames / 4 + frames)?;
            peer = peer.min(many.saturating_sub(few).as_secs_f64() * 1e3 / frames as f64);
        }
    }
    Ok(Row::new(&bar, own, peer))
}

/// Runs a bar's chain for so many frames, and says what processor time that took.
fn ours_of(bar: &Bar) -> Result<impl FnMut(usize) -> Result<Duration>> {
    let (width, height) = bar.size;
    let info = StreamInfo::bare(bar.src.parse()?, width, height);
    let target = Target { format: Some(bar.dst.parse()?), ..Target::default() };
    let plan = plan(bar.chain()?, &info, target)?;
    let mut ring = PictureRing::new(bar.src.parse()?, bar.dst.parse()?, width, height)?;
    ring.give(plan.output.width, plan.output.height)?;
    let mut chain = CpuChain::new(&plan, CpuExec::new(1, bar.level.unwrap_or_else(CpuLevel::detect))?)?;
    Ok(move |frames| {
        let (start, clock) = (Instant::now(), CpuClock::start());
        for index in 0..frames {
            let (src, dst) = ring.pair(index);
            let props = FrameProps { frame_index: index as u64, ..FrameProps::default() };
            chain.run(&props, &src.planes(), &mut dst.planes_mut());
        }
        Ok(clock.elapsed().map_or_else(|| start.elapsed(), Duration::from_secs_f64))
    })
}

impl Row {
    /// What became of `bar`: a frame took `ms`, and `peer_ms` of what it is compared with.
    pub fn new(bar: &Bar, ms: f64, peer_ms: f64) -> Row {
        let Bar { ours: chain, src, dst, size: (width, height), batch, most, level } = *bar;
        let (peer, peer_ms, value, most) = match most {
            Most::Share { theirs, share } => (Some(theirs), Some(peer_ms), ms / peer_ms, share),
            #[cfg(feature = "cuda")]
            Most::Copies(times) => (Some("a copy of as many bytes"), Some(peer_ms), ms / peer_ms, times),
            Most::Milliseconds(most) => (None, None, ms, most),
        };
        let level = level.map(CpuLevel::name);
        Row { chain, src, dst, width, height, batch, level, peer, peer_ms, ms, value, most, holds: value <= most }
    }

    /// Three lines to read, or two.
    pub fn text(&self) -> String {
        let Row { chain, src, dst, width, height, batch, level, peer, peer_ms, ms, value, most, holds } = self;
        let level = level.map_or(String::new(), |level| format!(", {level}"));
        let together = if *batch > 1 { format!(", {batch} at a time") } else { String::new() };
        let name = format!("{chain}, {src} to {dst}, {width}x{height}{level}{together}");
        let peer = peer.map_or(String::new(), |peer| format!("  beside {peer}\n"));
        let (theirs, ratio) = match peer_ms {
            Some(theirs) => (milliseconds(*theirs), format!("{value:.3}")),
            None => (String::new(), String::new()),
        };
        let (most, verdict) = match peer_ms {
            Some(_) => (format!("{most}"), if *holds { "holds" } else { "over" }),
            None => (format!("{most} ms"), if *holds { "holds" } else { "over" }),
        };
        format!("{name}\n{peer}") + &line(&milliseconds(*ms), &theirs, &ratio, &most, verdict)
    }
}

/// The names of the columns, beside a peer of this name.
pub fn head(peer: &str) -> String {
    line("vramp", peer, "ratio", "bar", "")
}

/// Three digits at least that say something.
fn milliseconds(ms: f64) -> String {
    if ms < 1.0 { format!("{ms:.4}") } else { format!("{ms:.2}") }
}

fn line(ours: &str, theirs: &str, ratio: &str, most: &str, verdict: &str) -> String {
    format!("  {ours:>9} {theirs:>9} {ratio:>7} {most:>7}  {verdict}\n")
}

/// A table of 33 colours a side for both, gone in the end.
struct CubeFile(PathBuf);

impl CubeFile {
    fn new() -> Result<CubeFile> {
        const SIDE: usize = 33;
        let at = |i: usize| (i as f64 / (SIDE - 1) as f64).sqrt();
        let node = |i: usize| format!("{} {} {}\n", at(i % SIDE), at(i / SIDE % SIDE), at(i / SIDE / SIDE));
        let nodes: String = (0..SIDE.pow(3)).map(node).collect();
        let path = std::env::temp_dir().join(format!("vramp-bench-{}.cube", std::process::id()));
        std::fs::write(&path, format!("LUT_3D_SIZE {SIDE}\n{nodes}")).map_err(|e| Error::io(path.display(), &e))?;
        Ok(CubeFile(path))
    }
}

impl Drop for CubeFile {
    fn drop(&mut self) {
        // A file less in the folder of temporary files is all that could be missed.
        let _ = std::fs::remove_file(&self.0);
    }
}
