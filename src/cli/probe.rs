//! `vramp probe`: what this machine and this build can do.

use crate::cli::args::ProbeArgs;
use crate::cli::print;
use crate::device::cpu::CpuLevel;
use crate::error::Result;
use crate::filters;
use crate::io::libav;
use serde::Serialize;
use std::collections::BTreeMap;
use std::fmt;

/// Decoders people ask for, by libav's names. Any other one that libav has is used just the same.
const DECODERS: &[&str] = &[
    "h264",
    "hevc",
    "libdav1d",
    "libaom-av1",
    "vp9",
    "vp8",
    "mpeg2video",
    "mpeg4",
    "vc1",
    "theora",
    "prores",
    "dnxhd",
    "ffv1",
    "huffyuv",
    "utvideo",
    "mjpeg",
    "png",
    "rawvideo",
];

/// Encoders people ask for.
const ENCODERS: &[&str] = &[
    "libx264",
    "libx265",
    "libsvtav1",
    "libaom-av1",
    "librav1e",
    "libvpx-vp9",
    "mpeg2video",
    "mpeg4",
    "prores_ks",
    "dnxhd",
    "ffv1",
    "huffyuv",
    "utvideo",
    "mjpeg",
    "png",
    "rawvideo",
];

/// Why there is no GPU backend.
const NO_CUDA: &str = "this build has no CUDA backend yet; filters run on the CPU";

#[derive(Serialize)]
struct Report {
    version: &'static str,
    cpu: Cpu,
    cuda: Cuda,
    libav: BTreeMap<&'static str, String>,
    decoders: Names,
    encoders: Names,
    filters: Vec<&'static str>,
}

#[derive(Serialize)]
struct Cpu {
    /// The level that is used.
    level: &'static str,
    /// Every level this processor has.
    levels: Vec<&'static str>,
    processors: usize,
}

#[derive(Serialize)]
struct Cuda {
    available: bool,
    why: &'static str,
}

#[derive(Serialize)]
struct Names {
    present: Vec<&'static str>,
    missing: Vec<&'static str>,
}

/// Runs `vramp probe`.
pub fn run(args: &ProbeArgs) -> Result<()> {
    let report = Report {
        version: env!("CARGO_PKG_VERSION"),
        cpu: Cpu {
            level: CpuLevel::detect().name(),
            levels: CpuLevel::available().map(CpuLevel::name).collect(),
            processors: std::thread::available_parallelism().map_or(1, usize::from),
        },
        cuda: Cuda { available: false, why: NO_CUDA },
        libav: libav::versions().into_iter().collect(),
        decoders: Names::sorted(DECODERS, libav::has_decoder),
        encoders: Names::sorted(ENCODERS, libav::has_encoder),
        filters: filters::ALL.iter().map(|filter| filter.name).collect(),
    };
    if args.json { print::json(&report) } else { print::text(&report.to_string()) }
}

impl Names {
    fn sorted(names: &[&'static str], has: fn(&str) -> bool) -> Names {
        let (present, missing) = names.iter().partition(|name| has(name));
        Names { present, missing }
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let libav: Vec<_> = self.libav.iter().map(|(name, version)| format!("{name} {version}")).collect();
        writeln!(f, "vramp     {}", self.version)?;
        writeln!(
            f,
            "CPU       {} (has {}), {} processors",
            self.cpu.level,
            self.cpu.levels.join(", "),
            self.cpu.processors
        )?;
        writeln!(f, "CUDA      none: {}", self.cuda.why)?;
        writeln!(f, "libav     {}", libav.join(", "))?;
        writeln!(f, "decoders  {}", self.decoders)?;
        writeln!(f, "encoders  {}", self.encoders)?;
        writeln!(f, "filters   {}", self.filters.join(", "))
    }
}

impl fmt::Display for Names {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.present.join(", "))?;
        if self.missing.is_empty() { Ok(()) } else { write!(f, " (missing: {})", self.missing.join(", ")) }
    }
}
