//! `vramp probe`: what this machine and this build can do.

use crate::cli::args::ProbeArgs;
use crate::cli::print;
use crate::device::cpu::CpuLevel;
#[cfg(feature = "cuda")]
use crate::device::{cuda, tuning};
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

/// Decoders that libav may have for NVIDIA GPUs. Which of them a GPU has, only it knows.
const NVDEC: &[&str] = &["h264", "hevc", "vp8", "vp9", "av1", "mpeg2video", "mpeg4", "vc1", "mjpeg"];

/// Encoders on NVIDIA GPUs.
const NVENC: &[&str] = &["h264_nvenc", "hevc_nvenc", "av1_nvenc"];

#[derive(Serialize)]
struct Report {
    version: &'static str,
    cpu: CpuJson,
    cuda: CudaJson,
    /// What this libav knows of them, whatever the GPU has.
    nvdec: Names,
    nvenc: Names,
    libav: BTreeMap<&'static str, String>,
    decoders: Names,
    encoders: Names,
    filters: Vec<&'static str>,
}

#[derive(Serialize)]
struct CpuJson {
    /// The level that is used.
    level: &'static str,
    /// Every level this processor has.
    levels: Vec<&'static str>,
    processors: usize,
}

/// What there is for `--device cuda`.
#[derive(Serialize)]
struct CudaJson {
    /// Whether a device can be used.
    available: bool,
    /// Why there is no device.
    why: Option<String>,
    /// The newest CUDA version that the driver knows.
    driver: Option<String>,
    devices: Vec<DeviceJson>,
}

/// A GPU.
#[derive(Serialize)]
struct DeviceJson {
    ordinal: usize,
    name: String,
    compute_capability: String,
    /// Bytes.
    memory: usize,
    multiprocessors: usize,
    /// Kernels and cases for which the fastest way was measured, by `vramp tune` and before vramp was shipped.
    tuned: usize,
    shipped: usize,
    /// Why it cannot be used.
    why: Option<String>,
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
        cpu: CpuJson {
            level: CpuLevel::detect().name(),
            levels: CpuLevel::available().map(CpuLevel::name).collect(),
            processors: std::thread::available_parallelism().map_or(1, usize::from),
        },
        cuda: CudaJson::probe(),
        nvdec: Names::sorted(NVDEC, |name| libav::has_hardware_decoder(name, "cuda")),
        nvenc: Names::sorted(NVENC, libav::has_encoder),
        libav: libav::versions().into_iter().collect(),
        decoders: Names::sorted(DECODERS, libav::has_decoder),
        encoders: Names::sorted(ENCODERS, libav::has_encoder),
        filters: filters::ALL.iter().map(|filter| filter.name).collect(),
    };
    if args.json { print::json(&report) } else { print::text(&report.to_string()) }
}

impl CudaJson {
    #[cfg(feature = "cuda")]
    fn probe() -> CudaJson {
        match (cuda::driver_version(), cuda::list()) {
            (Ok((major, minor)), Ok(devices)) => {
                let devices: Vec<_> = devices.into_iter().map(DeviceJson::from).collect();
                let available = devices.iter().any(|device| device.why.is_none());
                CudaJson { available, why: None, driver: Some(format!("{major}.{minor}")), devices }
            }
            (Err(error), _) | (_, Err(error)) => CudaJson::none(error.to_string()),
        }
    }

    #[cfg(not(feature = "cuda"))]
    fn probe() -> CudaJson {
        CudaJson::none("it is left out of this build".to_owned())
    }

    fn none(why: String) -> CudaJson {
        CudaJson { available: false, why: Some(why), driver: None, devices: Vec::new() }
    }
}

#[cfg(feature = "cuda")]
impl From<cuda::DeviceInfo> for DeviceJson {
    fn from(info: cuda::DeviceInfo) -> DeviceJson {
        let (major, minor) = info.compute;
        let why = info.check().err().map(|error| error.to_string());
        let card = info.card().ok();
        let count = |table: &tuning::Table, by_chip| card.as_ref().map_or(0, |card| table.count(card, by_chip));
        DeviceJson {
            why,
            tuned: count(tuning::own(), false),
            shipped: count(tuning::shipped(), true),
            ordinal: info.ordinal,
            compute_capability: format!("{major}.{minor}"),
            memory: info.memory,
            multiprocessors: info.multiprocessors,
            name: info.name,
        }
    }
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
        writeln!(f, "CUDA      {}", self.cuda)?;
        writeln!(f, "NVDEC     libav knows {}", self.nvdec)?;
        writeln!(f, "NVENC     libav knows {}", self.nvenc)?;
        writeln!(f, "libav     {}", libav.join(", "))?;
        writeln!(f, "decoders  {}", self.decoders)?;
        writeln!(f, "encoders  {}", self.encoders)?;
        writeln!(f, "filters   {}", self.filters.join(", "))
    }
}

impl fmt::Display for CudaJson {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(why) = &self.why {
            return write!(f, "none: {why}");
        }
        write!(f, "{} in the driver", self.driver.as_deref().unwrap_or_default())?;
        self.devices.iter().try_for_each(|device| write!(f, "\n  cuda:{}  {device}", device.ordinal))
    }
}

impl fmt::Display for DeviceJson {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let memory = print::size(self.memory as u64);
        write!(f, "{}, compute capability {}, {memory}", self.name, self.compute_capability)?;
        let tuned =
            |count: usize, what: &str| if count > 0 { format!("; {count} cases {what}") } else { String::new() };
        f.write_str(&(tuned(self.tuned, "tuned here") + &tuned(self.shipped, "tuned before")))?;
        self.why.as_ref().map_or(Ok(()), |why| write!(f, "; not used: {why}"))
    }
}

impl fmt::Display for Names {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.present.join(", "))?;
        if self.missing.is_empty() { Ok(()) } else { write!(f, " (missing: {})", self.missing.join(", ")) }
    }
}
