//! `vramp verify`: whether a video is the one that a hash file was made of.

mod args;
mod hints;
mod json;
mod ranges;
mod text;

pub use args::{TagsChoice, VerifyArgs};

use crate::cli::alpha::{self, AlphaArgs};
use crate::cli::args::Run;
use crate::cli::hash::{Examined, ignored_alpha, take_asked};
use crate::cli::{print, setup, signals};
use crate::error::{Error, Kind, Result};
use crate::io::hash::{HashFile, HashFormat, RecordSink, StatedTags, Verification, compare, compare_streams, name};
use crate::io::libav::CopyChoice;
use crate::pipeline::Cancel;

/// Runs `vramp verify`.
///
/// # Errors
/// [`Kind::Mismatch`] when the video is another; of every part.
pub fn run(args: &VerifyArgs, quiet: bool) -> Result<()> {
    if args.file == "-" && args.input == "-" {
        return Err(Error::bad_argument("FILE and IN cannot both be standard input"));
    }
    setup::calls(&args.run)?;
    let file = HashFile::read(&args.file)?;
    let of_file = |error: Error| error.context(name(&args.file));
    if file.cut {
        log::warn!("{}: its last line has no end: the text may be cut off", name(&args.file));
    }
    let run = take_asked(&args.run, &file).map_err(of_file)?;
    let calls = setup::calls(&run).map_err(of_file)?;
    let cancel = Cancel::default();
    signals::install([cancel.clone()])?;

    let streams = file.streams.as_deref().filter(|_| !args.no_streams);
    let copy = if streams.is_some() { CopyChoice::ALL } else { CopyChoice::NONE };
    let mut examined = Examined::open(&args.input, &run, &calls, copy, cancel)?;
    let info = examined.plan.output.clone();
    let found = StatedTags { presentation: Some(examined.presentation()), ..StatedTags::of(&info) };
    let alpha_ignored = ignores_alpha(args, &file, &examined, &found)?;
    let apart = file.stated.apart(&found);
    let tags = file.stated.tags(&found, args.tags());
    let (report, hint) = if apart.is_empty() {
        let mut sink = RecordSink::new(file.layout, file.hash, &info)?.keeping(Some(examined.streams(file.hash)));
        let damage = match examined.run(&mut sink, args.progress, quiet) {
            // The hash file asks for a part after the video's end.
            Err(error) if error.kind() == Kind::BadArgument && !asks_for_part(&args.run) => Some(error),
            ran => ran?.1,
        };
        // What decodes decides, also when the same was lost where the hash file was made.
        damage.iter().for_each(|damage| log::warn!("{damage}"));
        let times = args.times(&file);
        let frames = compare(&file, info.timebase, sink.frames(), times);
        let offset = frames.offset as f64 * file.stated.timebase.value().unwrap_or(0.0);
        let streams = streams.zip(sink.streams());
        let streams = streams.map(|(expected, found)| compare_streams(expected, found, times, offset));
        let report = Verification { traits: tags, streams: streams.unwrap_or_default(), ..frames };
        let frames = sink.frames();
        let hint = hints::hint(&file, &found, frames, &report);
        (report, hint)
    } else {
        (Verification::apart(&file, apart.into_iter().chain(tags).collect()), None)
    };
    if let Some((from, to)) = examined.conversion().filter(|_| hints::may_be_unconverted(&file, &found, &report)) {
        return Err(Error::unsupported(format!(
            "no frame of {} is the same, but vramp converts {from} to {to}: ffmpeg's text needs -pix_fmt {to} \
             (where chroma is resampled on the way, 'vramp hash' must make it)",
            name(&args.input)
        )));
    }
    if args.json {
        print::json(&json::Verdict::new(args, &file, &report, alpha_ignored))?;
    } else {
        print::text(&text::lines(&file, &report))?;
    }
    verdict(args, &report, hint, alpha_ignored)
}

/// Whether the hash file or the video is without its alpha, because the file or an option says so.
fn ignores_alpha(args: &VerifyArgs, file: &HashFile, examined: &Examined, found: &StatedTags) -> Result<bool> {
    let without = ignored_alpha(file);
    let given = args.alpha.ignore_alpha || without;
    let is_ffmpegs = file.layout == HashFormat::Ffmpeg;
    if examined.has_alpha() && is_ffmpegs && file.stated.size == found.size && file.stated.bytes != found.bytes {
        let format = examined.plan.output.format;
        return Err(Error::unsupported(format!(
            "{} is of frames with their alpha, which ffmpeg hashes and vramp does not: give ffmpeg -pix_fmt {format}",
            name(&args.file)
        )));
    }
    Ok(examined.ignores_alpha(AlphaArgs { ignore_alpha: given })? || without)
}

/// Whether the part is that of the command line, and not of the hash file.
fn asks_for_part(run: &Run) -> bool {
    (run.start, run.end, run.frames) != (None, None, None)
}

/// The end of the command.
fn verdict(args: &VerifyArgs, report: &Verification, hint: Option<String>, alpha_ignored: bool) -> Result<()> {
    let alpha = alpha::remark(alpha_ignored);
    let (file, input) = (name(&args.file), name(&args.input));
    if report.is_match() {
        log::info!("{input}: {} frames, as {file} says{alpha}", report.expected);
        return Ok(());
    }
    let hint = hint.map(|hint| format!("; {hint}")).unwrap_or_default();
    let message = match report.found {
        None => format!("{input} is not what {file} is of: {}{alpha}", text::traits(report)),
        Some(found) => format!("{input} is not what {file} says: {}{alpha}{hint}", text::summary(report, found)),
    };
    Err(Error::new(Kind::Mismatch, message))
}
