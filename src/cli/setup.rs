//! From arguments to the parts of a run: input, calls, plan.

use crate::cli::args::Job;
use crate::cli::backend::Gpu;
use crate::error::{Error, Result};
use crate::filters::{self, Filter, deband, depth, range};
use crate::io::libav::{CopyChoice, Input, InputOptions, Wanted, Window, negotiate};
use crate::params::{Arg, Call, Choice, parse_chain};
use crate::pipeline::{Cancel, Plan, Target, plan};
use crate::video::Format;
use std::ffi::OsStr;

/// The calls of every --chain, in order, and what --range asks for at their end. Each has been tried, so that a wrong
/// one is told before any file is opened.
pub fn calls(job: &Job) -> Result<Vec<Call>> {
    let mut calls = Vec::new();
    for text in job.chain_texts()? {
        calls.extend(parse_chain(&text)?);
    }
    if let Some(to) = &job.range {
        let arg = Arg { key: None, value: to.clone() };
        calls.push(Call { name: range::DESCRIPTOR.name.to_owned(), args: vec![arg] });
    }
    create(&calls)?;
    Ok(calls)
}

fn create(calls: &[Call]) -> Result<Vec<Box<dyn Filter>>> {
    calls.iter().map(filters::create).collect()
}

/// How to open the input of `job`, whose frames may go to `gpu`.
pub fn input_options(job: &Job, gpu: &Gpu, cancel: &Cancel) -> InputOptions {
    let mut options = InputOptions {
        window: Window { start: job.start, end: job.end, frames: job.frames },
        strict: job.strict,
        decoder: job.decoder,
        threads: job.decoder_threads,
        cancel: cancel.clone(),
        copy: CopyChoice { audio: !job.no_audio, subtitles: !job.no_subtitles, others: !job.no_extras },
        ..InputOptions::default()
    };
    gpu.let_decode(&mut options);
    options
}

/// Refuses to write over the input, by whatever name.
pub fn check_apart(input: &OsStr, output: &OsStr) -> Result<()> {
    let same = match (std::fs::canonicalize(input), std::fs::canonicalize(output)) {
        (Ok(input), Ok(output)) => input == output && output.is_file(),
        _ => false,
    };
    let refused = || Error::bad_argument(format!("{} is the input, which is never replaced", output.display()));
    if same { Err(refused()) } else { Ok(()) }
}

/// What an output takes.
pub struct Takes<'a> {
    /// In these formats; `None`: in any.
    pub formats: Option<&'a [Format]>,
    /// Those that its encoder reads in GPU memory.
    pub on_gpu: &'a [Format],
    /// It loses nothing, so that RGB stays RGB.
    pub lossless: bool,
}

impl Takes<'_> {
    /// Frames of any format, as they are.
    pub const ANYTHING: Takes<'static> = Takes { formats: None, on_gpu: &[], lossless: true };
}

/// Plans `calls` for `input`, ending in a format that `output` takes. Tells what had to be converted.
pub fn plan_for(input: &mut Input, calls: &[Call], output: &Takes<'_>, job: &Job) -> Result<Plan> {
    let dither = dither(job)?;
    let wanted = Wanted { format: job.format, depth: job.depth, keep_rgb: output.lossless };
    let end = plan(create(calls)?, input.info(), Target::default())?.output;
    let anything = [match (wanted.format, wanted.depth) {
        (Some(format), _) => format,
        (None, Some(depth)) => end.format.to_planar(depth)?,
        (None, None) => end.format,
    }];
    let negotiated = negotiate(&end, input.info().format, output.formats.unwrap_or(&anything), &wanted)?;
    for note in &negotiated.notes {
        log::warn!("{note}");
    }
    if let Some(format) = negotiated.convert_source {
        input.convert_to(format)?;
    }
    // Results stay on the GPU where the encoder reads the same samples there.
    let same = |format: &&Format| match job.format {
        Some(asked) => **format == asked,
        None => format.bit_depth() == negotiated.target.bit_depth() && format.holds(negotiated.target),
    };
    let there = output.on_gpu.iter().find(same).copied();
    let target = Target { format: Some(there.unwrap_or(negotiated.target)), dither };
    let plan = plan(create(calls)?, input.info(), target)?;
    let plan = if there.is_some() { plan.staying() } else { plan };
    match input.surfaces() {
        Some(storage) => plan.resident(storage),
        None => Ok(plan),
    }
}

fn dither(job: &Job) -> Result<depth::Dither> {
    let Some(word) = &job.dither else { return Ok(depth::Dither::None) };
    let at = depth::Dither::WORDS.iter().position(|known| known == word);
    at.map(|at| depth::Dither::ALL[at]).ok_or_else(|| Error::bad_argument(format!("dither '{word}' is not known")))
}

/// Says once that 8 bits bring back the bands that deband took away.
pub fn warn_of_narrowing(plan: &Plan, job: &Job) {
    let debands = plan.stages.iter().any(|stage| stage.filter.descriptor().name == deband::DESCRIPTOR.name);
    if debands && plan.output.format.bit_depth() == 8 && dither(job) == Ok(depth::Dither::None) {
        log::warn!("the result is narrowed to 8 bits, where banding comes back: add --depth 10, or --dither blue");
    }
}
