//! The same work done by the `ffmpeg` program, when it is there, in the same run.

use super::timing::{Effort, Ring, ramps};
use crate::cli::args::BenchArgs;
use crate::device::cpu::{CpuExec, CpuLevel};
use crate::error::{Error, Result};
use crate::filters;
use crate::pipeline::{CpuChain, Target, plan};
use crate::video::{Format, Picture, StreamInfo};
use serde::Serialize;
use std::fmt;
use std::io::Write;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// Theirs, on 8 bits in and out.
const THEIRS: &str = "deband";

/// Ours: chain, source and result storage.
const OURS: [(&str, &str, &str); 3] = [
    ("deband=sample=1", "yuv420p", "yuv420p16"),
    ("deband=sample=2", "yuv420p", "yuv420p16"),
    ("deband=sample=1", "yc48", "yc48"),
];

/// ffmpeg's time, and ours beside it; one thread each.
#[derive(Serialize)]
pub struct Report {
    width: usize,
    height: usize,
    /// The peer's filter as its command line has it.
    peer: &'static str,
    peer_ms: f64,
    ours: Vec<Ours>,
}

/// One of our filters.
#[derive(Serialize)]
struct Ours {
    chain: &'static str,
    src: &'static str,
    dst: &'static str,
    ms: f64,
    /// The peer's time over ours.
    times_faster: f64,
}

/// Measures.
///
/// # Errors
/// When the ffmpeg program cannot be run.
pub fn measure(args: &BenchArgs) -> Result<Report> {
    let (width, height) = args.size;
    let picture = ramps(Format::yuv(1, 1, 8)?, width, height)?;
    let frames = if args.quick { 30 } else { 120 };
    // Source, scheduling and sink cost the same without the filter. The best of a few runs is the least disturbed.
    let best = |filter| (0..3).map(|_| ffmpeg(filter, &picture, frames)).collect::<Result<Vec<_>>>();
    let least = |times: Vec<Duration>| times.into_iter().min().unwrap_or_default().as_secs_f64();
    let peer_ms = (least(best(THEIRS)?) - least(best("null")?)) * 1e3 / f64::from(frames);
    let one = |(chain, src, dst)| {
        let ms = ours(args, chain, src, dst)?;
        Ok(Ours { chain, src, dst, ms, times_faster: peer_ms / ms })
    };
    Ok(Report { width, height, peer: THEIRS, peer_ms, ours: OURS.into_iter().map(one).collect::<Result<_>>()? })
}

fn ours(args: &BenchArgs, chain: &str, src: &str, dst: &str) -> Result<f64> {
    let (width, height) = args.size;
    let (src, dst) = (src.parse()?, dst.parse()?);
    let chain = filters::chain(chain)?;
    let target = Target { format: Some(dst), ..Target::default() };
    let plan = plan(chain, &StreamInfo::bare(src, width, height), target)?;
    let mut chain = CpuChain::new(&plan, CpuExec::new(1, CpuLevel::detect())?)?;
    let (effort, mut ring) = (Effort::new(args.quick), Ring::new(src, dst, width, height)?);
    let mut run =
        |_, props: &_, src: &Picture, dst: &mut Picture| chain.run(props, &src.planes(), &mut dst.planes_mut());
    Ok(ring.medians(effort, 1, &mut run)[0])
}

/// Wall time of ffmpeg running `filter` on one thread over `picture`, shown `frames` times.
fn ffmpeg(filter: &str, picture: &Picture, frames: u32) -> Result<Duration> {
    let failed = |e| Error::io("the ffmpeg program", &e);
    let size = format!("{}x{}", picture.width(), picture.height());
    let mut command = Command::new("ffmpeg");
    command.args(["-v", "error", "-filter_threads", "1", "-f", "rawvideo", "-pix_fmt", "yuv420p", "-s", &size]);
    command.args(["-i", "pipe:0", "-vf", &format!("loop=loop=-1:size=1,{filter}"), "-frames:v", &frames.to_string()]);
    command.args(["-c:v", "wrapped_avframe", "-f", "null", "-"]);
    command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::piped());
    let start = Instant::now();
    let mut child = command.spawn().map_err(failed)?;
    if let Some(mut input) = child.stdin.take() {
        // A child that stopped early says why below.
        let _ = input.write_all(&bytes(picture));
    }
    let output = child.wait_with_output().map_err(failed)?;
    let took = start.elapsed();
    if output.status.success() {
        return Ok(took);
    }
    let said = String::from_utf8_lossy(&output.stderr);
    Err(Error::unsupported(format!("the ffmpeg program failed: {}", said.lines().next().unwrap_or("no message"))))
}

/// A picture's rows, one after the other.
fn bytes(picture: &Picture) -> Vec<u8> {
    let format = picture.format();
    let rows = |plane| 0..format.plane_size(plane, picture.width(), picture.height()).1;
    (0..format.planes()).flat_map(|plane| rows(plane).flat_map(move |y| picture.row_bytes(plane, y))).copied().collect()
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Report { width, height, peer, peer_ms, ours } = self;
        writeln!(f, "\n{width}x{height}, 1 thread: ffmpeg -vf {peer} (8-bit 4:2:0) {peer_ms:.2} ms")?;
        ours.iter().try_for_each(|Ours { chain, src, dst, ms, times_faster }| {
            writeln!(f, "  {chain}, {src} to {dst}: {ms:.2} ms, {times_faster:.1} times as fast")
        })
    }
}
