//! The filters' kernels on a GPU, against a copy on the same device; and whole frames there and back.

pub mod bars;
mod pipeline;
pub mod ring;

use super::kernels::{Subject, work};
use super::timing::Effort;
use crate::cli::args::BenchArgs;
use crate::device::cuda::{CudaDevice, Space, driver_version, limits};
use crate::device::tuning::Key;
use crate::error::Result;
use crate::pipeline::ChainPlan;
use crate::video::{Format, Picture};
use ring::{DeviceRing, ring_frames};
use serde::Serialize;
use std::fmt;
use std::sync::Arc;

/// Frames are taken in turn from at least this much memory, and from four times the device's cache where that is more.
const RING_BYTES: usize = 800_000_000;

/// What was measured.
#[derive(Serialize)]
pub struct Report {
    device: String,
    compute_capability: String,
    /// The newest CUDA version that the driver knows.
    driver: String,
    width: usize,
    height: usize,
    formats: Vec<FormatReport>,
    pipeline: pipeline::Report,
}

/// The times of one pair of formats.
#[derive(Serialize)]
struct FormatReport {
    src: String,
    dst: String,
    #[serde(skip)]
    size: (usize, usize),
    /// Bytes of a frame that are read, and of one that are written.
    bytes: usize,
    /// A copy on the device that reads and writes as much.
    copy: Speed,
    rows: Vec<Row>,
    /// A chain's time over the sum of its filters' alone; where a chain was asked for.
    times_sum: Option<f64>,
}

/// One filter's time.
#[derive(Serialize)]
struct Row {
    /// The chain, and how many frames at a time where these are several.
    chain: String,
    #[serde(flatten)]
    speed: Speed,
    times_copy: f64,
    /// How its kernels work that can work in several ways.
    ways: Vec<ChosenWay>,
}

/// What a kernel chose.
#[derive(Clone, Serialize)]
struct ChosenWay {
    kernel: String,
    /// The storage, size and loops that it chose for: of one kernel several, where it takes several frames at a time.
    case: String,
    way: String,
    /// By what: the default, or which tuning.
    by: String,
}

impl ChosenWay {
    /// What the kernels that were built on `device` chose since the last call.
    fn taken(device: &CudaDevice) -> Vec<ChosenWay> {
        let met = device.tuning().take_met().into_iter().filter(|(_, space)| space.ways.len() > 1);
        let way = |(key, space): (Key, Space)| ChosenWay {
            kernel: key.kernel,
            case: key.case,
            way: space.ways[space.taken].clone(),
            by: space.origin.to_string(),
        };
        met.map(way).collect()
    }
}

/// The time of a frame, and the bytes read and written in it a second.
#[derive(Clone, Copy, Serialize)]
struct Speed {
    ms: f64,
    gb_per_s: f64,
}

impl Speed {
    fn new(ms: f64, bytes: usize) -> Speed {
        Speed { ms, gb_per_s: bytes as f64 / ms / 1e6 }
    }
}

/// Measures, and hands each table to `show`.
pub fn measure(device: &Arc<CudaDevice>, args: &BenchArgs, show: &impl Fn(String) -> Result<()>) -> Result<Report> {
    let (info, driver) = (device.info(), driver_version()?);
    show(format!("{info}, CUDA {}.{} in the driver\n", driver.0, driver.1))?;
    let mut formats = Vec::new();
    for (src, dst, calls) in work(args)? {
        let report = measure_format(device, &calls, src, dst, args)?;
        show(report.to_string())?;
        formats.push(report);
    }
    let pipeline = pipeline::measure(device, args)?;
    show(pipeline.to_string())?;
    Ok(Report {
        device: info.name.clone(),
        compute_capability: format!("{}.{}", info.compute.0, info.compute.1),
        driver: format!("{}.{}", driver.0, driver.1),
        width: args.size.0,
        height: args.size.1,
        formats,
        pipeline,
    })
}

/// How many frames kernels of `plan`, which is of one part, gain by taking at a time.
pub fn gainful_batch(plan: &ChainPlan) -> usize {
    plan.stages.iter().map(|stage| stage.filter.cuda_batch(&stage.setup)).max().unwrap_or(1)
}

/// How many frames at a time are measured: one, and more where kernels gain by them.
fn batches(plan: &ChainPlan) -> &'static [usize] {
    if gainful_batch(plan) > 1 { &[1, 8, 32] } else { &[1] }
}

fn measure_format(
    device: &Arc<CudaDevice>,
    work: &[Subject],
    src: Format,
    dst: Format,
    args: &BenchArgs,
) -> Result<FormatReport> {
    let (width, height) = args.size;
    let bytes_of = |format| Picture::bytes(format, width, height).unwrap_or(usize::MAX / 4);
    let bytes = bytes_of(src) + bytes_of(dst);
    let count = ring_frames(device, bytes, RING_BYTES)?;
    let copies = limits::device_copies(device, bytes / 2, count)?;
    let mut ring = DeviceRing::new(device, src, (width, height), count)?;
    let plans = work.iter().map(|subject| Ok((subject, subject.plan(src, dst, args.size)?)));
    let plans: Vec<_> = plans.collect::<Result<_>>()?;
    let of_size = |(subject, plan)| Some((subject, plan?));
    let plans: Vec<(&Subject, ChainPlan)> = plans.into_iter().filter_map(of_size).collect();
    let size = |plan: &ChainPlan| (plan.output.width, plan.output.height);
    plans.iter().try_for_each(|(_, plan)| ring.give(device, dst, size(plan)))?;
    let (mut subjects, mut graphs) = (Vec::new(), Vec::new());
    for (subject, plan) in &plans {
        for batch in batches(plan).iter().copied() {
            ChosenWay::taken(device);
            if let Some(graph) = ring.record(device, plan, batch)? {
                subjects.push((subject, batch, ChosenWay::taken(device)));
                graphs.push(graph);
            }
        }
    }
    let run = |which: usize, _| match copies.get(which) {
        Some(copies) => copies.run(),
        None => graphs[which - copies.len()].run(),
    };
    let times = Effort::new(args.quick).medians_of(copies.len() + graphs.len(), run)?;
    let speed = |ms: &f64| Speed::new(ms / count as f64, bytes);
    let copy = speed(&times[..copies.len()].iter().copied().fold(f64::INFINITY, f64::min));
    let speeds = times[copies.len()..].iter().map(speed);
    let measured: Vec<(_, Speed)> = subjects.into_iter().zip(speeds).collect();
    let times_sum = args.chain.as_ref().and_then(|_| {
        let alone = || measured.iter().filter(|((_, batch, _), _)| *batch == 1);
        let whole = alone().find(|((subject, ..), _)| subject.is_whole)?.1.ms;
        let parts = alone().filter(|((subject, ..), _)| !subject.is_whole);
        Some(whole / parts.map(|(_, speed)| speed.ms).sum::<f64>())
    });
    let row = |((subject, batch, ways), speed): ((&&Subject, usize, Vec<ChosenWay>), Speed)| Row {
        chain: subject.name() + &if batch > 1 { format!(" ({batch} at a time)") } else { String::new() },
        speed,
        times_copy: speed.ms / copy.ms,
        ways,
    };
    let rows: Vec<_> = measured.into_iter().map(row).collect();
    Ok(FormatReport { src: src.to_string(), dst: dst.to_string(), size: args.size, bytes, copy, rows, times_sum })
}

impl fmt::Display for FormatReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ((width, height), Speed { ms, gb_per_s }) = (self.size, self.copy);
        writeln!(
            f,
            "\n{} to {}, {width}x{height}: a copy of the same {:.1} MB takes {ms:.4} ms ({gb_per_s:.0} GB/s)",
            self.src,
            self.dst,
            self.bytes as f64 / 1e6
        )?;
        let name = self.rows.iter().map(|row| row.chain.chars().count()).max().unwrap_or(0);
        for Row { chain, speed: Speed { ms, gb_per_s }, times_copy, ways } in &self.rows {
            let ways: String = ways.iter().map(|ChosenWay { way, by, .. }| format!("  {way} ({by})")).collect();
            writeln!(f, "{chain:name$}  {ms:8.4} ms  {gb_per_s:6.0} GB/s  {times_copy:5.2}x{ways}")?;
        }
        match self.times_sum {
            Some(times) => writeln!(f, "The chain takes {times:.2} times what its filters take one by one."),
            None => Ok(()),
        }
    }
}
