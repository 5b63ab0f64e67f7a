//! From arguments to the parts of a run: input, calls, plan.

use crate::cli::args::{DEFAULT_PRESET, Run};
use crate::cli::backend::{Backend, RunGpu};
use crate::error::{Error, Result};
use crate::filters::colour::tonemap;
use crate::filters::{self, Change, Filter, deband, depth, gradient, range};
use crate::io::libav::{CopyChoice, Input, InputOptions, Position, Wanted, Window, negotiate};
use crate::params::{Arg, Call, Choice, PRESET_KEY};
use crate::pipeline::{Cancel, ChainPlan, Draft, SideInput, Target, plan_with};
use crate::video::{Format, Model, StreamInfo};

/// What --sdr and --deband ask for, the calls of every --chain, in order, and what --range asks for at their end. Each has
/// been tried, so that a wrong one is reported before any file is opened.
pub fn calls(run: &Run) -> Result<Vec<Call>> {
    let mut calls = Vec::new();
    if run.colour.sdr {
        calls.push(Call { name: tonemap::DESCRIPTOR.name.to_owned(), args: Vec::new() });
    }
    calls.extend(run.deband.iter().map(|preset| gradient_call(preset)));
    calls.extend(run.chain_calls()?);
    if let Some(to) = &run.range {
        let arg = Arg { key: None, value: to.clone() };
        calls.push(Call { name: range::DESCRIPTOR.name.to_owned(), args: vec![arg] });
    }
    create(&calls)?;
    Ok(calls)
}

/// `gradient` with a preset of `--deband`.
fn gradient_call(preset: &str) -> Call {
    let named = (preset != DEFAULT_PRESET).then(|| Arg { key: Some(PRESET_KEY.to_owned()), value: preset.to_owned() });
    Call { name: gradient::DESCRIPTOR.name.to_owned(), args: named.into_iter().collect() }
}

/// The depth that is asked for: 10 bits hold what `--deband` makes of fewer, for outputs that take them.
fn wanted_depth(run: &Run, source: Format, output: &Accepted<'_>) -> Option<u8> {
    let takes = |depth| output.formats.is_none_or(|formats| formats.iter().any(|format| format.bit_depth() == depth));
    let debanded = run.deband.is_some() && run.format.is_none() && source.bit_depth() < DEBANDED && takes(DEBANDED);
    run.depth.or(debanded.then_some(DEBANDED))
}

/// The depth of what `calls` make of `source`, where neither they nor `run` say one: 10 bits where they take bands away.
pub fn debanded_depth(run: &Run, calls: &[Call], source: Format) -> Option<u8> {
    let names: Vec<_> = calls.iter().filter_map(|call| Some(filters::find(&call.name)?.name)).collect();
    let says_one = run.depth.is_some() || run.format.is_some() || run.dither.is_some();
    let is_open = !says_one && !names.contains(&depth::DESCRIPTOR.name) && source.bit_depth() < DEBANDED;
    (is_open && names.iter().any(|name| DEBANDERS.contains(name))).then_some(DEBANDED)
}

/// Bits that what was 8 bits is given once its bands are gone: 8 have no room between the steps.
const DEBANDED: u8 = 10;

/// The filters that take bands away.
const DEBANDERS: [&str; 2] = [deband::DESCRIPTOR.name, gradient::DESCRIPTOR.name];

fn create(calls: &[Call]) -> Result<Vec<Box<dyn Filter>>> {
    calls.iter().map(filters::create).collect()
}

/// How to open the input of `run`, whose frames may go to `gpu`; `copy` says which other streams are copied.
pub fn input_options(run: &Run, copy: CopyChoice, gpu: &RunGpu, cancel: &Cancel) -> InputOptions {
    let mut options = InputOptions {
        window: run.window(),
        strict: run.strict,
        decoder: run.decoder,
        threads: run.decoder_threads,
        cancel: cancel.clone(),
        copy,
        rate: run.pictures.fps,
        missing: run.pictures.missing.into(),
        script: run.script.options(),
        // What this input has no use for may be meant for the others.
        lenient: !run.inputs.is_empty(),
        ..InputOptions::default()
    };
    gpu.let_decode(&mut options);
    options
}

/// How many frames `part` of a video will have. Where the container does not state a number, or positions in time hide it, it is
/// estimated from the rate.
pub fn expected_frames(info: &StreamInfo, duration: Option<f64>, part: &Window) -> Option<u64> {
    let estimate = || {
        let rate = info.frame_rate.value()?;
        let seconds = |position: Position| match position {
            Position::Frame(number) => number as f64 / rate,
            Position::Time(seconds) => seconds,
        };
        let ends = [part.end.map(seconds), duration];
        let end = ends.into_iter().flatten().reduce(f64::min)?;
        let length = (end - part.start.map_or(0.0, seconds)).max(0.0);
        Some(((length * rate).ceil() as u64).min(part.frames.unwrap_or(u64::MAX)))
    };
    info.frame_count.or_else(estimate).or(part.frames)
}

/// What an output takes.
pub struct Accepted<'a> {
    /// In these formats; `None`: in any.
    pub formats: Option<&'a [Format]>,
    /// Those that its encoder reads in GPU memory.
    pub on_gpu: &'a [Format],
    /// Frames that NVDEC leaves on the GPU can be left there.
    pub anywhere: bool,
    /// It loses nothing, so that RGB stays RGB.
    pub lossless: bool,
}

impl Accepted<'_> {
    /// Frames of any format, as they are.
    pub const ANYTHING: Accepted<'static> = Accepted { formats: None, on_gpu: &[], anywhere: false, lossless: true };
}

/// Plans `calls` for `input` and `sides`, ending in a format that `output` takes. Logs what had to be converted.
pub fn plan_for(
    input: &mut Input,
    sides: &[SideInput],
    calls: &[Call],
    output: &Accepted<'_>,
    run: &Run,
) -> Result<ChainPlan> {
    let dither = dither(run)?;
    let depth = wanted_depth(run, input.info().format, output);
    let wanted = Wanted { format: run.format, depth, keep_rgb: output.lossless };
    let draft = Draft::of(create(calls)?, input.info(), sides)?;
    let end = draft.end()?;
    let anything = [match (wanted.format, wanted.depth) {
        (Some(format), _) => format,
        (None, Some(depth)) => end.format.to_planar(depth)?,
        (None, None) => end.format,
    }];
    let (source, accepted) = (input.info().format, output.formats.unwrap_or(&anything));
    let negotiated = negotiate(&end, source, accepted, &wanted)?;
    for note in &negotiated.notes {
        log::warn!("{note}");
    }
    // Results stay on the GPU where the encoder reads the same samples there, or nobody reads them.
    let same = |format: &&Format| match run.format {
        Some(asked) => **format == asked,
        None => format.bit_depth() == negotiated.target.bit_depth() && format.holds(negotiated.target),
    };
    let there = output.on_gpu.iter().find(same).copied();
    let target = Target { format: Some(there.unwrap_or(negotiated.target)), dither, ..Target::default() };
    let plan = match negotiated.convert_source {
        None => draft.plan(target)?,
        Some(filtered) => {
            input.convert_to(filtered)?;
            let plan = plan_with(create(calls)?, input.info(), sides, target);
            plan.map_err(|error| of_converted(&error, source, filtered, accepted))?
        }
    };
    let surfaces = input.surfaces();
    let stays = there.is_some() || output.anywhere && surfaces.is_some();
    let plan = if stays { plan.staying() } else { plan };
    match surfaces {
        Some(storage) => plan.resident(storage),
        None => Ok(plan),
    }
}

/// `error` of a chain that does not fit the frames that those of `source` are converted to, for an output that takes
/// `accepted`.
fn of_converted(error: &Error, source: Format, filtered: Format, accepted: &[Format]) -> Error {
    let rgb = || accepted.iter().filter(|format| format.model() == Model::Rgb);
    let instead = match (source.model(), rgb().find(|format| **format == source).or(rgb().next())) {
        (Model::Rgb, Some(format)) => format!("; add --format {format} to filter RGB"),
        (Model::Rgb, None) => "; to filter RGB name an encoder that takes it, as ffv1 or libx264rgb".to_owned(),
        _ => String::new(),
    };
    let why = format!("the source is {source} and is filtered as {filtered} for this output{instead}");
    Error::new(error.kind(), format!("{error}: {why}"))
}

/// The plan of `calls`, as [`plan_for`], and its chain: on `gpu` where that can do it.
pub fn chain(
    input: &mut Input,
    sides: &[SideInput],
    calls: &[Call],
    output: &Accepted<'_>,
    run: &Run,
    gpu: &RunGpu,
) -> Result<(ChainPlan, Backend)> {
    let (plan, chain) = built(input, sides, calls, output, run, gpu)?;
    if plan.changes(Change::Grading) {
        let left_out = input.forget_grading();
        if !left_out.is_empty() {
            log::info!("{}: left out, since the result is not graded so", left_out.join(", "));
        }
    }
    Ok((plan, chain))
}

/// The plan and its chain.
fn built(
    input: &mut Input,
    sides: &[SideInput],
    calls: &[Call],
    output: &Accepted<'_>,
    run: &Run,
    gpu: &RunGpu,
) -> Result<(ChainPlan, Backend)> {
    let mut plan = plan_for(input, sides, calls, output, run)?;
    if !input.can_surround(plan.reach()) {
        input.decode_in_software("the chain reads more frames before --start than NVDEC keeps")?;
        plan = plan_for(input, sides, calls, output, run)?;
    }
    if let Some(chain) = Backend::new(&plan, input, &run.on, gpu)? {
        return Ok((plan, chain));
    }
    input.decode_in_software("the chain does not run on the GPU")?;
    let plan = plan_for(input, sides, calls, &Accepted { on_gpu: &[], ..*output }, run)?;
    let chain = Backend::new(&plan, input, &run.on, &RunGpu::default())?;
    Ok((plan, chain.ok_or_else(|| Error::internal("a plan for the CPU has frames on a GPU"))?))
}

fn dither(run: &Run) -> Result<depth::Dither> {
    let Some(word) = &run.dither else { return Ok(depth::Dither::None) };
    let at = depth::Dither::WORDS.iter().position(|known| known == word);
    at.map(|at| depth::Dither::ALL[at]).ok_or_else(|| Error::bad_argument(format!("dither '{word}' is not known")))
}

/// Says what in `plan` is likely not meant.
pub fn warn(plan: &ChainPlan, run: &Run) {
    for stage in &plan.stages {
        if let Some(warning) = stage.filter.warning() {
            log::warn!("{}: {warning}", stage.filter.descriptor().name);
        }
        if let Some(note) = stage.filter.note(&stage.setup) {
            log::warn!("{}: {note}", stage.filter.descriptor().name);
        }
    }
    warn_of_narrowing(plan, run);
}

/// Says once that 8 bits bring back the bands that a filter took away.
fn warn_of_narrowing(plan: &ChainPlan, run: &Run) {
    let debands = plan.stages.iter().any(|stage| DEBANDERS.contains(&stage.filter.descriptor().name));
    if debands && plan.output.format.bit_depth() == 8 && dither(run) == Ok(depth::Dither::None) {
        log::warn!("the result is narrowed to 8 bits, where banding comes back: add --depth 10, or --dither blue");
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::args::Cli;
    use clap::Parser;

    fn run_of(line: &str) -> Run {
        let args = ["vramp", "a", "b"].into_iter().chain(line.split_whitespace());
        Cli::try_parse_from(args).unwrap().job.run
    }

    #[test]
    fn deband_is_the_first_filter_and_asks_for_ten_bits() {
        let text =
            |line: &str| crate::params::print_chain(&calls(&run_of(line)).unwrap(), crate::params::Spelling::FFmpeg);
        assert_eq!(text("--chain box=1,gauss --deband"), "gradient,box=1,gauss");
        assert_eq!(text("--deband=film --range full"), "gradient=preset=film,range=full");
        let eight: Format = "yuv420p".parse().unwrap();
        let ten: Format = "yuv420p10".parse().unwrap();
        let depth = |line: &str, source: Format, formats: Option<&[Format]>| {
            wanted_depth(&run_of(line), source, &Accepted { formats, lossless: false, ..Accepted::ANYTHING })
        };
        assert_eq!(depth("--deband", eight, Some(&[eight, ten])), Some(10));
        assert_eq!(depth("--deband", eight, None), Some(10));
        assert_eq!(depth("--deband --depth 8", eight, None), Some(8));
        assert_eq!(depth("--deband --format yuv420p12", eight, None), None);
        assert_eq!(depth("--deband", eight, Some(&[eight])), None, "the encoder takes 8 bits alone");
        assert_eq!(depth("--deband", "yuv420p12".parse().unwrap(), None), None, "the source has more");
        assert_eq!(depth("", eight, None), None);
    }

    #[test]
    fn expected_frames_follow_the_container_or_are_estimated() {
        let expect = |frame_count, duration, line: &str| {
            let info = StreamInfo { frame_count, ..StreamInfo::bare(Format::gray(8).unwrap(), 1, 1) };
            let args = ["vramp", "a", "b"].into_iter().chain(line.split_whitespace());
            expected_frames(&info, duration, &Cli::try_parse_from(args).unwrap().job.run.window())
        };
        assert_eq!(expect(Some(100), Some(9.0), "--frames 7"), Some(100), "the input has counted the part already");
        assert_eq!(expect(None, None, ""), None);
        assert_eq!(expect(None, None, "--frames 7"), Some(7));
        assert_eq!(expect(None, Some(4.0), ""), Some(100));
        assert_eq!(expect(None, Some(4.0), "--start #90 --frames 20"), Some(10));
        assert_eq!(expect(None, Some(4.0), "--start 1 --end 2"), Some(25));
        assert_eq!(expect(None, Some(4.0), "--end #500"), Some(100));
        assert_eq!(expect(None, Some(4.0), "--start 9"), Some(0));
    }
}
