//! What `--verbose` tells: the plan before the run, and where the time went after it.

use crate::cli::backend::Backend;
use crate::cli::print;
use crate::cli::progress::per_frame;
use crate::pipeline::{Busy, Chain, Options, Plan, Summary};
use crate::video::Picture;
use std::time::Duration;

/// Tells that damage makes results that may not be had again.
pub fn damage_varies() {
    log::warn!(
        "what a damaged input decodes to may differ from run to run: in software with --decoder-threads 1 it does not"
    );
}

/// Tells how `plan` will run.
pub fn plan(plan: &Plan, chain: &Backend, options: &Options) {
    for skipped in &plan.skipped {
        log::debug!("{skipped} is left out: it would change no sample");
    }
    let (width, height) = (plan.output.width, plan.output.height);
    log::debug!("frames: {} in, {} out, {width}x{height}", plan.input.format, plan.output.format);
    for (number, stage) in plan.stages.iter().enumerate() {
        log::debug!("stage {}: {}, {} to {}", number + 1, stage.filter.call(), stage.setup.src, stage.setup.dst);
    }
    if plan.stages.is_empty() {
        log::debug!("no stages: frames pass untouched");
    }
    log::debug!("{chain}");
    let (picture, work) = (Picture::bytes(plan.output.format, width, height).unwrap_or(0), chain.work());
    let pictures = |count: usize| print::size((picture * count + work.host_bytes) as u64);
    let slots = options.slots;
    match work.device_bytes {
        0 => log::debug!("{slots} slots between stages, {} of pictures", pictures(options.pictures())),
        _ => {
            let memory = pictures(options.pictures() + slots);
            log::debug!("{slots} slots between stages and as many on the GPU, {memory} of page-locked pictures");
        }
    }
}

/// Tells what a run did: one line, and the details for `--verbose`.
pub fn summary(summary: &Summary, output: &str, bytes: u64) {
    let seconds = summary.wall.as_secs_f64();
    let rate = if seconds > 0.0 { summary.frames as f64 / seconds } else { 0.0 };
    let size = if bytes > 0 { format!(", {}", print::size(bytes)) } else { String::new() };
    log::info!("{output}: {} frames{size} in {seconds:.1} s ({rate:.1} a second)", summary.frames);

    let share = |busy: Duration| if seconds > 0.0 { 100.0 * busy.as_secs_f64() / seconds } else { 0.0 };
    let Busy { decode, upload, chain, download, encode } = summary.busy;
    let stages: &[(&str, Duration)] = match summary.device_bytes {
        0 => &[("decode", decode), ("chain", chain), ("encode", encode)],
        _ => &[("decode", decode), ("upload", upload), ("kernels", chain), ("download", download), ("encode", encode)],
    };
    let stages: Vec<_> = stages.iter().map(|(name, busy)| format!("{name} {:.0} %", share(*busy))).collect();
    log::debug!("busy: {} of the time", stages.join(", "));
    for filter in &summary.filters {
        log::debug!("{}: {:.2} ms a frame", filter.name, per_frame(filter.busy, summary.frames));
    }
    let memory = print::size(summary.picture_bytes as u64);
    log::debug!("{memory} of pictures in the end, {} of them between chain and encoder", summary.pictures);
    if summary.device_bytes > 0 {
        log::debug!("{} of GPU memory", print::size(summary.device_bytes as u64));
    }
}
