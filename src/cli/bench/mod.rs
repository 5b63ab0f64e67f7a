//! `vramp bench`: how fast the filters are, against a plain copy; and how well the stages of a run overlap.

pub mod bars;
mod clip;
mod ffmpeg;
#[cfg(feature = "cuda")]
pub mod gpu;
mod jobs;
pub mod kernels;
mod peers;
pub mod timing;

use crate::cli::args::BenchArgs;
use crate::cli::print;
use crate::device::DeviceChoice;
use crate::device::cpu::CpuLevel;
use crate::error::{Error, Result};
use serde::Serialize;
use std::cell::Cell;

/// What `--json` prints.
#[derive(Serialize)]
struct Report {
    version: &'static str,
    machine: Machine,
    /// On a GPU: the filters, and the copies there and back.
    #[cfg(feature = "cuda")]
    #[serde(skip_serializing_if = "Option::is_none")]
    gpu: Option<gpu::Report>,
    /// On the CPU: the filters.
    #[serde(skip_serializing_if = "Option::is_none")]
    filters: Option<kernels::Report>,
    /// With `--peers`: ffmpeg's own filters.
    #[serde(skip_serializing_if = "Option::is_none")]
    peers: Option<peers::Report>,
    /// With `--bars`: what filters may take.
    #[serde(skip_serializing_if = "Option::is_none")]
    bars: Option<bars::Report>,
    /// The same on a GPU.
    #[cfg(feature = "cuda")]
    #[serde(skip_serializing_if = "Option::is_none")]
    gpu_bars: Option<gpu::bars::Report>,
    /// With `--clip`: the stages of a run.
    #[serde(skip_serializing_if = "Option::is_none")]
    clip: Option<clip::Report>,
    /// With `--jobs`: runs side by side.
    #[serde(skip_serializing_if = "Option::is_none")]
    jobs: Option<jobs::Report>,
}

impl Report {
    fn new() -> Report {
        Report {
            version: env!("CARGO_PKG_VERSION"),
            machine: Machine::this(),
            #[cfg(feature = "cuda")]
            gpu: None,
            filters: None,
            peers: None,
            bars: None,
            #[cfg(feature = "cuda")]
            gpu_bars: None,
            clip: None,
            jobs: None,
        }
    }
}

/// What the times hold on.
#[derive(Serialize)]
struct Machine {
    processors: usize,
    cpu_level: &'static str,
}

impl Machine {
    fn this() -> Machine {
        Machine {
            processors: std::thread::available_parallelism().map_or(1, usize::from),
            cpu_level: CpuLevel::detect().name(),
        }
    }
}

/// Runs `vramp bench`.
pub fn run(args: &BenchArgs) -> Result<()> {
    if args.peers && args.device != DeviceChoice::Cpu {
        return Err(Error::bad_argument("--peers compares on the CPU: leave --device out"));
    }
    let mut report = Report::new();
    if cfg!(debug_assertions) {
        log::warn!("this is an unoptimised build: its times mean little (cargo build --release)");
    }
    let Machine { processors, cpu_level } = &report.machine;
    let head = Cell::new(format!("{processors} processors, {cpu_level}\n"));
    // Each part is printed when it is measured: a full run takes minutes. The first one brings the head along.
    let show = |text: String| if args.json { Ok(()) } else { print::text(&(head.take() + &text)) };
    if !args.jobs.is_empty() {
        report.jobs = Some(jobs::measure(args, &show)?);
    } else if args.clip.is_some() {
        let clip = clip::measure(args)?;
        show(clip.to_string())?;
        report.clip = Some(clip);
    } else if args.peers {
        report.peers = Some(peers::measure(args, &show)?);
    } else if args.bars {
        measure_bars(args, &mut report, &show)?;
    } else {
        measure_filters(args, &mut report, &show)?;
    }
    if args.json { print::json(&report) } else { Ok(()) }
}

/// Measures the bars on the device that `args` choose.
fn measure_bars(args: &BenchArgs, report: &mut Report, show: &impl Fn(String) -> Result<()>) -> Result<()> {
    #[cfg(feature = "cuda")]
    if let Some(device) = args.device.open()? {
        report.gpu_bars = Some(gpu::bars::measure(&device, args, show)?);
        return Ok(());
    }
    #[cfg(not(feature = "cuda"))]
    args.device.open()?;
    report.bars = Some(bars::measure(args, show)?);
    Ok(())
}

/// Measures the filters on the device that `args` choose.
fn measure_filters(args: &BenchArgs, report: &mut Report, show: &impl Fn(String) -> Result<()>) -> Result<()> {
    #[cfg(feature = "cuda")]
    if let Some(device) = args.device.open()? {
        report.gpu = Some(gpu::measure(&device, args, show)?);
        return Ok(());
    }
    #[cfg(not(feature = "cuda"))]
    args.device.open()?;
    report.filters = Some(kernels::measure(args, show)?);
    Ok(())
}
