//! `vramp bench`: how fast the filters are, against a plain copy; and how well the stages of a run overlap.

mod clip;
mod kernels;
mod peers;
mod timing;

use crate::cli::args::BenchArgs;
use crate::cli::print;
use crate::device::cpu::CpuLevel;
use crate::error::Result;
use serde::Serialize;
use std::cell::Cell;

/// What `--json` prints.
#[derive(Serialize)]
struct Report {
    version: &'static str,
    machine: Machine,
    /// Without `--clip`: the filters.
    #[serde(skip_serializing_if = "Option::is_none")]
    filters: Option<kernels::Report>,
    /// With `--peers`: other programs' filters.
    #[serde(skip_serializing_if = "Option::is_none")]
    peers: Option<peers::Report>,
    /// With `--clip`: the stages of a run.
    #[serde(skip_serializing_if = "Option::is_none")]
    clip: Option<clip::Report>,
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
    let mut report =
        Report { version: env!("CARGO_PKG_VERSION"), machine: Machine::this(), filters: None, peers: None, clip: None };
    if cfg!(debug_assertions) {
        log::warn!("this is an unoptimised build: its times mean little (cargo build --release)");
    }
    let Machine { processors, cpu_level } = &report.machine;
    let head = Cell::new(format!("{processors} processors, {cpu_level}\n"));
    // Each part is printed when it is measured: a full run takes minutes. The first one brings the head along.
    let show = |text: String| if args.json { Ok(()) } else { print::text(&(head.take() + &text)) };
    if args.clip.is_some() {
        let clip = clip::measure(args)?;
        show(clip.to_string())?;
        report.clip = Some(clip);
    } else {
        report.filters = Some(kernels::measure(args, &show)?);
        if args.peers {
            let peers = peers::measure(args)?;
            show(peers.to_string())?;
            report.peers = Some(peers);
        }
    }
    if args.json { print::json(&report) } else { Ok(()) }
}
