//! What `--verbose` tells: the plan before the run, and where the time went after it.

use crate::cli::print;
use crate::cli::progress::per_frame;
use crate::pipeline::{CpuChain, Options, Plan, Summary};
use crate::video::Picture;
use std::time::Duration;

/// Tells how `plan` will run.
pub fn plan(plan: &Plan, chain: &CpuChain, options: &Options) {
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
    let exec = chain.exec();
    log::debug!("CPU: {} level, {} filter threads", exec.level(), exec.threads());
    let picture = Picture::bytes(plan.output.format, width, height).unwrap_or(0);
    let memory = print::size((picture * options.pictures() + chain.bytes()) as u64);
    log::debug!("{} slots between stages, {memory} of pictures", options.slots);
}

/// Tells what a run did: one line, and the details for `--verbose`.
pub fn summary(summary: &Summary, output: &str, bytes: u64) {
    let seconds = summary.wall.as_secs_f64();
    let rate = if seconds > 0.0 { summary.frames as f64 / seconds } else { 0.0 };
    let size = if bytes > 0 { format!(", {}", print::size(bytes)) } else { String::new() };
    log::info!("{output}: {} frames{size} in {seconds:.1} s ({rate:.1} a second)", summary.frames);

    let share = |busy: Duration| if seconds > 0.0 { 100.0 * busy.as_secs_f64() / seconds } else { 0.0 };
    log::debug!(
        "busy: decode {:.0} %, chain {:.0} %, encode {:.0} % of the time",
        share(summary.busy.decode),
        share(summary.busy.chain),
        share(summary.busy.encode)
    );
    for filter in &summary.filters {
        log::debug!("{}: {:.2} ms a frame", filter.name, per_frame(filter.busy, summary.frames));
    }
    let memory = print::size(summary.picture_bytes as u64);
    log::debug!("{memory} of pictures in the end, {} of them between chain and encoder", summary.pictures);
}
