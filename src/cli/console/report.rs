//! What `--verbose` prints: the plan before the run, and where the time went after it.

use crate::cli::backend::Backend;
use crate::cli::progress::per_frame;
use crate::cli::{log, print};
use crate::filters::Setup;
use crate::params::{Spelling, print_chain};
use crate::pipeline::{Busy, Chain, ChainPlan, Options, Stage, Summary};
use crate::video::Picture;
use ::log::{LevelFilter, debug, info, max_level, warn};
use serde::Serialize;
use std::time::Duration;

/// Warns that damage makes results that may not be reproducible.
pub fn damage_varies() {
    warn!(
        "what a damaged input decodes to may differ from run to run: in software with --decoder-threads 1 it does not"
    );
}

/// Prints how `plan` will run.
pub fn plan(plan: &ChainPlan, chain: &Backend, options: &Options) {
    for skipped in &plan.skipped {
        debug!("{skipped} is left out: it would change no sample");
    }
    for (name, calls) in &plan.fitted {
        debug!("the picture '{name}' is made like the chain's by {calls}");
    }
    let (width, height) = (plan.output.width, plan.output.height);
    debug!("frames: {} in, {} out, {width}x{height}", plan.input.format, plan.output.format);
    for (number, stage) in plan.stages.iter().enumerate() {
        debug!("stage {}: {}", number + 1, stage_line(stage));
    }
    if plan.stages.is_empty() {
        debug!("no stages: frames pass untouched");
    }
    debug!("{chain}");
    let (picture, work) = (Picture::bytes(plan.output.format, width, height).unwrap_or(0), chain.work());
    let pictures = |count: usize| print::size((picture * count + work.host_bytes) as u64);
    let slots = options.slots;
    match work.device_bytes {
        0 => debug!("{slots} slots between stages, {} of pictures", pictures(options.pictures())),
        _ => {
            let memory = pictures(options.pictures() + slots);
            debug!("{slots} slots between stages and as many on the GPU, {memory} of page-locked pictures");
        }
    }
}

/// What a stage computes, and between which storage.
fn stage_line(stage: &Stage) -> String {
    let (calls, Setup { src, dst, .. }) = (stage.filter.calls(), &stage.setup);
    let folded = match calls.len() {
        1 => String::new(),
        count => format!(" ({count} filters folded into one kernel)"),
    };
    format!("{}{folded}, {src} to {dst}", print_chain(&calls, Spelling::FFmpeg))
}

/// What a run did, as a JSON line.
#[derive(Serialize)]
struct Done<'a> {
    output: &'a str,
    frames: u64,
    size: u64,
    elapsed: f64,
    fps: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    encoding: Option<&'a str>,
}

/// Prints what a run did: the details for `--verbose`, and last one line, unless `--quiet` is given. `encoding` are the
/// words for what encoded.
pub fn summary(summary: &Summary, output: &str, bytes: u64, encoding: Option<&str>) {
    details(summary);
    let (frames, elapsed) = (summary.frames, summary.wall.as_secs_f64());
    let fps = if elapsed > 0.0 { frames as f64 / elapsed } else { 0.0 };
    if !log::is_json() {
        let size = if bytes > 0 { format!(", {}", print::size(bytes)) } else { String::new() };
        let encoding = encoding.map_or_else(String::new, |words| format!("; {words}"));
        let noun = if frames == 1 { "frame" } else { "frames" };
        info!("{output}: {frames} {noun}{size} in {elapsed:.1} s ({fps:.1} a second){encoding}");
    } else if max_level() >= LevelFilter::Info {
        log::json(&Done { output, frames, size: bytes, elapsed, fps, encoding });
    }
}

fn details(summary: &Summary) {
    let seconds = summary.wall.as_secs_f64();
    let share = |busy: Duration| if seconds > 0.0 { 100.0 * busy.as_secs_f64() / seconds } else { 0.0 };
    let Busy { decode, upload, chain, download, encode } = summary.busy;
    let stages: &[(&str, Duration)] = match summary.device_bytes {
        0 => &[("decode", decode), ("chain", chain), ("encode", encode)],
        _ => &[("decode", decode), ("upload", upload), ("kernels", chain), ("download", download), ("encode", encode)],
    };
    let stages: Vec<_> = stages.iter().map(|(name, busy)| format!("{name} {:.0} %", share(*busy))).collect();
    debug!("busy: {} of the time", stages.join(", "));
    for (number, filter) in summary.filters.iter().enumerate() {
        debug!("stage {}, {}: {:.2} ms a frame", number + 1, filter.name, per_frame(filter.busy, summary.frames));
    }
    let memory = print::size(summary.picture_bytes as u64);
    debug!("{memory} of pictures in the end, {} of them between chain and encoder", summary.pictures);
    if summary.device_bytes > 0 {
        debug!("{} of GPU memory", print::size(summary.device_bytes as u64));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::filters::chain;
    use crate::pipeline::{Target, plan};
    use crate::video::StreamInfo;

    #[test]
    fn folded_filters_are_named() {
        let input = StreamInfo::bare("yuv420p".parse().unwrap(), 8, 8);
        let lines = |text: &str| {
            let plan = plan(chain(text).unwrap(), &input, Target::default()).unwrap();
            plan.stages.iter().map(stage_line).collect::<Vec<_>>()
        };
        assert_eq!(lines("levels=gain=2"), ["levels=gain=2, yuv420p to yuv420p"]);
        let folded = "levels=gain=2,range=to=full (2 filters folded into one kernel), yuv420p to yuv420p16";
        assert_eq!(lines("levels=gain=2,range=full,box=2")[..1], [folded]);
    }
}
