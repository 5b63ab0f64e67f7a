//! `--two-pass` and `--target-size`: how often a job runs, and at which bit rate.

use crate::cli::args::FilterArgs;
use crate::cli::backend::RunGpu;
use crate::cli::setup;
use crate::error::{Error, Result};
use crate::io::libav::{EncodePass, EncoderChoice, FilmSize, FirstPass, OutputOptions, has_two_passes, survey};
use crate::pipeline::Cancel;
use std::ffi::OsStr;
use std::fs;
use std::sync::Arc;

/// An output that misses its size by more than this, in hundredths, gets a warning.
const TOLERANCE: f64 = 3.0;

/// The first pass of `job`, if it makes two: those that ask for it, and those that ask for a size of an encoder that has two.
///
/// # Errors
/// When two passes are asked for that cannot be made.
pub fn first(job: &FilterArgs, choice: &EncoderChoice) -> Result<Option<Arc<FirstPass>>> {
    let rate = &job.rate;
    if rate.two_pass && rate.target_size.is_none() && job.bitrate.is_none() {
        return Err(Error::bad_argument("--two-pass spends a bit rate: add --bitrate or --target-size"));
    }
    if !rate.two_pass && rate.target_size.is_none() {
        return Ok(None);
    }
    let option = if rate.two_pass { "--two-pass" } else { "--target-size" };
    check_readable_again(job, option)?;
    if choice.is_lossless() {
        return Err(Error::bad_argument(format!("{option}: {} is lossless and takes no bit rate", choice.encoder())));
    }
    if !rate.two_pass && !has_two_passes(choice.encoder()) {
        log::info!("{} has no two passes: the size will be met less exactly", choice.encoder());
        return Ok(None);
    }
    FirstPass::new(choice.encoder(), job.output()?).map(Some)
}

/// Refuses inputs that are gone once they were read.
fn check_readable_again(job: &FilterArgs, option: &str) -> Result<()> {
    let named = job.run.named_inputs()?;
    for path in named.iter().map(|(_, path)| *path).chain([job.input()?]) {
        let is_pipe = path == "-" || fs::metadata(path).is_ok_and(|meta| !meta.is_file() && !meta.is_dir());
        if is_pipe {
            let name = if path == "-" { "standard input".into() } else { path.display().to_string() };
            return Err(Error::bad_argument(format!(
                "{option} reads its input twice, and {name} is gone after once: give a file"
            )));
        }
    }
    Ok(())
}

/// Puts the rate that `job` asks for into `options` of `choice`, for one pass or, with `pass`, for that one.
///
/// # Errors
/// When the input cannot be read, or is too much for the size that is asked for.
pub fn ask(
    job: &FilterArgs,
    input: &OsStr,
    choice: &EncoderChoice,
    options: &mut OutputOptions,
    pass: Option<&EncodePass>,
    cancel: &Cancel,
) -> Result<()> {
    options.pass = pass.cloned();
    options.qp = job.rate.qp;
    options.film_grain = job.rate.film_grain;
    let Some(size) = job.rate.target_size else { return Ok(()) };
    // The first pass knows better than the packets what the encoder gets: chains change numbers and lengths.
    let film = match pass {
        Some(EncodePass::Second(first)) => first.film().cloned(),
        _ => None,
    };
    let opened = setup::input_options(&job.run, job.copied(), &RunGpu::default(), cancel);
    let film = film.map_or_else(|| survey(input, &opened, choice, options), Ok)?;
    let rate = film.video_rate(size, choice.container())?;
    let FilmSize { seconds, packet_bytes, attached, .. } = film;
    log::debug!("{size} bytes: {} of other streams leave {rate} bit/s for {seconds:.3} s", packet_bytes + attached);
    options.bitrate = Some(rate.to_string());
    Ok(())
}

/// Warns of an output that misses the size that `job` asks for; `bytes` were counted while it was written.
pub fn judge(job: &FilterArgs, bytes: u64, label: &str) {
    let Some(size) = job.rate.target_size else { return };
    // The index of some containers comes last.
    let file = job.output().ok().and_then(|path| fs::metadata(path).ok()).filter(|meta| meta.is_file());
    let bytes = file.map_or(bytes, |meta| meta.len());
    let off = (bytes as f64 / size as f64 - 1.0) * 100.0;
    if off.abs() > TOLERANCE {
        let side = if off > 0.0 { "more" } else { "less" };
        log::warn!(
            "{label}: {bytes} bytes are {:.1} % {side} than --target-size asks for: the encoder met no such rate",
            off.abs()
        );
    }
}
