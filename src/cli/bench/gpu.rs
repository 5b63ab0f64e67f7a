//! The filters' kernels on a GPU, against a copy on the same device; and whole frames there and back.

pub mod bars;
mod pipeline;

use super::kernels::{Subject, work};
use super::timing::{Effort, RING_PICTURES, ramps};
use crate::cli::args::BenchArgs;
use crate::device::cuda::{CudaDevice, DeviceBuffer, DevicePicture, Graph, Stream, driver_version, limits};
use crate::error::Result;
use crate::filters::{CudaJob, CudaKernel, Measure};
use crate::pipeline::{Between, ChainPlan};
use crate::video::{Format, FrameProps, Picture};
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
    chain: String,
    #[serde(flatten)]
    speed: Speed,
    times_copy: f64,
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
    let count = ring_frames(device, bytes)?;
    let copies = limits::device_copies(device, bytes / 2, count)?;
    let mut ring = PictureRing::new(device, src, (width, height), count)?;
    let plans = work.iter().map(|subject| Ok((subject, subject.plan(src, dst, args.size)?)));
    let plans: Vec<_> = plans.collect::<Result<_>>()?;
    let of_size = |(subject, plan)| Some((subject, plan?));
    let plans: Vec<(&Subject, ChainPlan)> = plans.into_iter().filter_map(of_size).collect();
    let size = |plan: &ChainPlan| (plan.output.width, plan.output.height);
    plans.iter().try_for_each(|(_, plan)| ring.give(device, dst, size(plan)))?;
    let (mut subjects, mut graphs) = (Vec::new(), Vec::new());
    for (subject, plan) in &plans {
        if let Some(graph) = ring.record(device, plan)? {
            subjects.push(subject);
            graphs.push(graph);
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
        let whole = measured.iter().find(|(subject, _)| subject.is_whole)?.1.ms;
        let parts = measured.iter().filter(|(subject, _)| !subject.is_whole);
        Some(whole / parts.map(|(_, speed)| speed.ms).sum::<f64>())
    });
    let row =
        |(subject, speed): (&&Subject, Speed)| Row { chain: subject.name(), speed, times_copy: speed.ms / copy.ms };
    let rows: Vec<_> = measured.into_iter().map(row).collect();
    Ok(FormatReport { src: src.to_string(), dst: dst.to_string(), size: args.size, bytes, copy, rows, times_sum })
}

/// How many frames make a ring that no cache holds, as far as memory for it, the copies and the kernels allows.
fn ring_frames(device: &CudaDevice, bytes: usize) -> Result<usize> {
    let wanted = RING_BYTES.max(4 * device.info().l2_cache).min(device.memory()?.free / 4);
    Ok(wanted.div_ceil(bytes).clamp(2, RING_PICTURES))
}

/// Source and result pictures on the device, to take in turn; results of every size that there is.
struct PictureRing {
    sources: Vec<DevicePicture>,
    results: Vec<((usize, usize), Vec<DevicePicture>)>,
}

impl PictureRing {
    fn new(device: &CudaDevice, src: Format, (width, height): (usize, usize), count: usize) -> Result<PictureRing> {
        let model = ramps(src, width, height)?;
        let sources = (0..count).map(|_| DevicePicture::copy_of(device, &model));
        Ok(PictureRing { sources: sources.collect::<Result<_>>()?, results: Vec::new() })
    }

    /// Makes room for results of this size.
    fn give(&mut self, device: &CudaDevice, dst: Format, size: (usize, usize)) -> Result<()> {
        if self.results.iter().all(|(known, _)| *known != size) {
            let results = self.sources.iter().map(|_| DevicePicture::alloc(device, dst, size.0, size.1));
            self.results.push((size, results.collect::<Result<_>>()?));
        }
        Ok(())
    }

    /// Pairs of a source and a result of this size, for which there is room.
    fn pairs(&self, size: (usize, usize)) -> impl Iterator<Item = (&DevicePicture, &DevicePicture)> {
        let results = self.results.iter().filter(move |(known, _)| *known == size).flat_map(|(_, results)| results);
        self.sources.iter().zip(results)
    }

    /// Every picture through the kernels of `plan`, recorded; `None` where that cannot be done again and again.
    fn record(&self, device: &Arc<CudaDevice>, plan: &ChainPlan) -> Result<Option<Graph<(Kernels, &PictureRing)>>> {
        let mut kernels = Kernels::new(device, plan)?;
        if !kernels.kernels.iter().all(|kernel| kernel.repeats()) {
            return Ok(None);
        }
        let size = (plan.output.width, plan.output.height);
        // What is loaded or made at the first launch cannot be recorded.
        let stream = Stream::new(device)?;
        self.pairs(size).take(1).try_for_each(|pair| kernels.enqueue(0, pair, &stream))?;
        stream.synchronize()?;
        Graph::record(device, (kernels, self), |(kernels, ring), stream| {
            let mut pairs = ring.pairs(size).enumerate();
            pairs.try_for_each(|(i, pair)| kernels.enqueue(i as u64, pair, stream))
        })
        .map(Some)
    }
}

/// The kernels of a plan, and the pictures between them.
struct Kernels {
    kernels: Vec<Box<dyn CudaKernel>>,
    /// What each measures into, frame after frame; nobody reads it.
    records: Vec<Option<DeviceBuffer>>,
    between: Between,
}

impl Kernels {
    fn new(device: &Arc<CudaDevice>, plan: &ChainPlan) -> Result<Kernels> {
        let kernels = plan.stages.iter().map(|stage| {
            let name = stage.filter.descriptor().name;
            stage.filter.cuda(&stage.setup, device).map_err(|e| e.context(name))
        });
        let kernels: Vec<_> = kernels.collect::<Result<_>>()?;
        let measures = kernels.iter().map(|kernel| kernel.measure());
        let record = |measure: Measure| DeviceBuffer::new(device, measure.bytes, "a frame's measured values");
        let records = measures.map(|measure| measure.map(record).transpose()).collect::<Result<_>>()?;
        Ok(Kernels { kernels, records, between: Between::new(plan, &plan.parts[0], device)? })
    }

    fn enqueue(&mut self, index: u64, (src, dst): (&DevicePicture, &DevicePicture), stream: &Stream) -> Result<()> {
        let props = FrameProps { frame_index: index, ..FrameProps::default() };
        let (src, dst) = (src.planes(), dst.planes());
        let mut kernels = self.kernels.iter_mut().enumerate();
        kernels.try_for_each(|(i, kernel)| {
            let record = self.records[i].as_ref().map_or(0, DeviceBuffer::address);
            self.between.with_planes(i, &[vec![src]], &dst, |src, dst| {
                kernel.enqueue(&CudaJob { props: &props, phase: 0, src, dst, record, stream })
            })
        })
    }
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
        for Row { chain, speed: Speed { ms, gb_per_s }, times_copy } in &self.rows {
            writeln!(f, "{chain:name$}  {ms:8.4} ms  {gb_per_s:6.0} GB/s  {times_copy:5.2}x")?;
        }
        match self.times_sum {
            Some(times) => writeln!(f, "The chain takes {times:.2} times what its filters take one by one."),
            None => Ok(()),
        }
    }
}
