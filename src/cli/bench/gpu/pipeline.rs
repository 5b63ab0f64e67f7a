//! Frames from the host to the GPU, through a chain and back, against the copies alone: what the pipeline adds.
//!
//! The source hands out page-locked pictures that are ready, and the sink drops what it gets.

use super::super::kernels::{cases, chosen, plan_for};
use super::super::timing::{copy, ramps};
use crate::cli::args::BenchArgs;
use crate::device::cuda::{CudaDevice, PinnedAllocator, limits};
use crate::error::{Error, Result};
use crate::pipeline::{self, Busy, ChainPlan, CudaChain, Frame, Item, Options, Packet, Sink, Source};
use crate::video::{Format, FrameProps, Picture, PicturePool, StreamInfo};
use serde::Serialize;
use std::fmt;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// So many bytes are copied in a measurement, both directions together.
const BYTES: usize = 40_000_000_000;

/// How often everything is measured; the least time counts.
const ROUNDS: usize = 3;

/// Numbers of slots to measure, the default first.
fn slots(quick: bool) -> Vec<usize> {
    let usual = Options::default().slots;
    if quick { vec![usual] } else { vec![usual, 1, 2, 8] }
}

/// What was measured.
#[derive(Serialize)]
pub struct Report {
    src: String,
    dst: String,
    #[serde(skip)]
    size: (usize, usize),
    rows: Vec<Row>,
}

/// One chain with one number of slots.
#[derive(Serialize)]
struct Row {
    chain: String,
    slots: usize,
    /// Frames a second of the copies alone.
    limit_fps: f64,
    /// Frames a second of the pipeline.
    fps: f64,
    /// The second over the first.
    of_limit: f64,
    /// Share of the time in which there were copies to the GPU, kernels, and copies back.
    upload: f64,
    kernels: f64,
    download: f64,
}

/// Measures the first case of every filter that `args` choose.
pub fn measure(device: &Arc<CudaDevice>, args: &BenchArgs) -> Result<Report> {
    let (width, height) = args.size;
    let (src, dst) = (Format::yuv(1, 1, 8)?, Format::yuv(1, 1, 10)?);
    let mut rows = Vec::new();
    for filter in chosen(args)? {
        for call in cases(filter, true)? {
            let Some(plan) = plan_for(std::slice::from_ref(&call), src, dst, width, height)? else { continue };
            for slots in slots(args.quick) {
                rows.push(measure_chain(device, &plan, call.to_string(), slots, args.quick)?);
            }
        }
    }
    Ok(Report { src: src.to_string(), dst: dst.to_string(), size: args.size, rows })
}

fn measure_chain(device: &Arc<CudaDevice>, plan: &ChainPlan, chain: String, slots: usize, quick: bool) -> Result<Row> {
    let StreamInfo { width, height, format: src, .. } = plan.input;
    let dst = plan.output.format;
    let bytes = |format| Picture::bytes(format, width, height).unwrap_or(BYTES);
    let frames = (BYTES / (bytes(src) + bytes(dst)) / if quick { 10 } else { 1 }).clamp(100, 10_000);
    let (mut limit, mut wall, mut busy) = (Duration::MAX, Duration::MAX, Busy::default());
    for _ in 0..if quick { 1 } else { ROUNDS } {
        limit = limit.min(limits::host_copies(device, Some(src), dst, width, height, frames)?);
        let (took, work) = through_the_pipeline(device, plan, slots, frames)?;
        if took < wall {
            (wall, busy) = (took, work);
        }
    }
    let fps = |time: Duration| frames as f64 / time.as_secs_f64();
    let share = |time: Duration| time.as_secs_f64() / wall.as_secs_f64();
    Ok(Row {
        chain,
        slots,
        limit_fps: fps(limit),
        fps: fps(wall),
        of_limit: fps(wall) / fps(limit),
        upload: share(busy.upload),
        kernels: share(busy.chain),
        download: share(busy.download),
    })
}

/// The time that `frames` frames take.
fn through_the_pipeline(
    device: &Arc<CudaDevice>,
    plan: &ChainPlan,
    slots: usize,
    frames: usize,
) -> Result<(Duration, Busy)> {
    let mut chain = CudaChain::new(plan, device, slots)?;
    chain.prepare(plan)?;
    let (mut ready, mut nowhere) = (Ready::new(device, &plan.input, 2 * slots + 4, frames)?, Nowhere::default());
    let options = Options { slots, ..Options::default() };
    let (summary, _) = pipeline::run(&mut ready, plan, &mut chain, &mut nowhere, &options, &mut |_| {})?;
    // Between the first and the last frame lies no set-up, and the time of all but one.
    let between = nowhere.last.zip(nowhere.first).map_or(summary.wall, |(last, first)| last - first);
    Ok((between.mul_f64(frames as f64 / (frames - 1) as f64), summary.busy))
}

/// Pictures that are ready.
struct Ready {
    info: StreamInfo,
    pool: PicturePool,
    frames: u64,
    next: u64,
}

impl Ready {
    fn new(device: &CudaDevice, info: &StreamInfo, pictures: usize, frames: usize) -> Result<Ready> {
        let StreamInfo { format, width, height, .. } = *info;
        let pool = PicturePool::new_in(Arc::new(PinnedAllocator::new(device)), pictures, format, width, height)?;
        let model = ramps(format, width, height)?;
        let mut taken = (0..pictures).map(|_| pool.take()).collect::<Result<Vec<_>>>()?;
        taken.iter_mut().for_each(|picture| copy(&model, picture));
        Ok(Ready { info: info.clone(), pool, frames: frames as u64, next: 0 })
    }
}

impl Source for Ready {
    fn info(&self) -> &StreamInfo {
        &self.info
    }

    fn next(&mut self) -> Result<Option<Item>> {
        if self.next == self.frames {
            return Ok(None);
        }
        let props = FrameProps { frame_index: self.next, ..FrameProps::default() };
        self.next += 1;
        Ok(Some(Item::Frame(Frame { props, picture: self.pool.take()? })))
    }

    fn damage(&self) -> Option<Error> {
        None
    }
}

/// Drops what it gets, and keeps the times of the first and the last frame.
#[derive(Default)]
struct Nowhere {
    first: Option<Instant>,
    last: Option<Instant>,
}

impl Sink for Nowhere {
    fn frame(&mut self, _: Frame) -> Result<()> {
        let now = Instant::now();
        self.first.get_or_insert(now);
        self.last = Some(now);
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

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (width, height) = self.size;
        writeln!(
            f,
            "\nhost to GPU to host, {} to {}, {width}x{height}; the limit is that of the copies alone, both ways at once",
            self.src, self.dst
        )?;
        let name = self.rows.iter().map(|row| row.chain.chars().count()).max().unwrap_or(0);
        for row in &self.rows {
            let Row { chain, slots, limit_fps, fps, of_limit, .. } = row;
            let [upload, kernels, download] = [row.upload, row.kernels, row.download].map(|share| 100.0 * share);
            writeln!(
                f,
                "{chain:name$}  {slots} slots  {fps:7.0} of {limit_fps:7.0} fps, {:5.1} %  \
                 (busy: upload {upload:.0} %, kernels {kernels:.0} %, download {download:.0} %)",
                100.0 * of_limit
            )?;
        }
        Ok(())
    }
}
