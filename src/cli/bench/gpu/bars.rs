//! How long a frame takes on the device, and how long it may: milliseconds, or so many copies of as many bytes.

use super::RING_BYTES;
use super::ring::{DeviceRing, ring_frames};
use crate::cli::args::BenchArgs;
use crate::cli::bench::bars::{Bar, ON_GPU, Row, chosen, head};
use crate::cli::bench::timing::Effort;
use crate::device::cuda::{CudaDevice, limits};
use crate::error::{Error, Result};
use crate::pipeline::{Target, plan};
use crate::video::{Format, Picture, StreamInfo};
use serde::Serialize;
use std::sync::Arc;

/// What was measured.
#[derive(Serialize)]
pub struct Report {
    device: String,
    rows: Vec<Row>,
}

/// Measures the bars of the filters that `args` name, or all, and hands what is to be read to `show`.
///
/// # Errors
/// When there is none, and of the device.
pub fn measure(device: &Arc<CudaDevice>, args: &BenchArgs, show: &impl Fn(String) -> Result<()>) -> Result<Report> {
    let bars = chosen(ON_GPU, args)?;
    show(format!("{}: milliseconds a frame, medians of recorded runs\n", device.info()))?;
    show(head("a copy"))?;
    let mut rows = Vec::new();
    for bar in bars {
        let row = measure_bar(device, &bar, args.quick).map_err(|e| e.context(bar.ours))?;
        show(row.text())?;
        rows.push(row);
    }
    Ok(Report { device: device.info().name.clone(), rows })
}

fn measure_bar(device: &Arc<CudaDevice>, bar: &Bar, quick: bool) -> Result<Row> {
    let (src, dst) = (bar.src.parse::<Format>()?, bar.dst.parse::<Format>()?);
    let (width, height) = bar.size;
    let target = Target { format: Some(dst), ..Target::default() };
    let plan = plan(bar.chain()?, &StreamInfo::bare(src, width, height), target)?;
    let (out_width, out_height) = (plan.output.width, plan.output.height);
    let bytes_of = |format, width, height| Picture::bytes(format, width, height).unwrap_or(usize::MAX / 4);
    // A picture that is cut is not read whole, and one that grows is read once.
    let written = bytes_of(dst, out_width, out_height);
    let read = bytes_of(src, width, height).min(bytes_of(src, out_width, out_height));
    let count = ring_frames(device, bytes_of(src, width, height) + written, RING_BYTES)?;
    let copies = limits::device_copies(device, (read + written) / 2, count)?;
    let mut ring = DeviceRing::new(device, src, bar.size, count)?;
    ring.give(device, dst, (out_width, out_height))?;
    let graph =
        ring.record(device, &plan, bar.batch)?.ok_or_else(|| Error::internal("it does not give the same twice"))?;
    let run = |which: usize, _| match copies.get(which) {
        Some(copies) => copies.run(),
        None => graph.run(),
    };
    let times = Effort::new(quick).medians_of(copies.len() + 1, run)?;
    let ms = |which: usize| times[which] / count as f64;
    Ok(Row::new(bar, ms(copies.len()), (0..copies.len()).map(ms).fold(f64::INFINITY, f64::min)))
}
