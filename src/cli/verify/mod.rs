//! `vramp verify`: whether a video is the one that a text of hashes was made of.

mod args;
mod json;
mod text;

pub use args::VerifyArgs;

use crate::cli::hash::{Examined, take_asked};
use crate::cli::{print, setup, signals};
use crate::error::{Error, Kind, Result};
use crate::io::hash::{HashFile, RecordSink, Report, Stated, compare};
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
    let of_file = |error: Error| error.context(args.file.display());
    let run = take_asked(&args.run, &file).map_err(of_file)?;
    let calls = setup::calls(&run).map_err(of_file)?;
    let cancel = Cancel::default();
    signals::install(cancel.clone())?;

    let mut examined = Examined::open(&args.input, &run, &calls, cancel)?;
    let info = examined.plan.output.clone();
    let traits = file.stated.differences(&Stated::of(&info));
    let report = if traits.is_empty() {
        let mut sink = RecordSink::new(file.layout, file.hash, &info)?;
        let (_, damage) = examined.run(&mut sink, &run, args.progress, quiet)?;
        // What decodes decides, also when the same was lost where the text was made.
        damage.iter().for_each(|damage| log::warn!("{damage}"));
        compare(&file, info.timebase, sink.frames())
    } else {
        Report::of_traits(&file, traits)
    };
    if args.json {
        print::json(&json::Verdict::new(args, &file, &report))?;
    } else {
        print::text(&text::differences(&file, &report))?;
    }
    verdict(args, &report)
}

/// The end of the command.
fn verdict(args: &VerifyArgs, report: &Report) -> Result<()> {
    let (file, input) = (args.file.display(), args.input.display());
    if report.is_match() {
        log::info!("{input}: {} frames, as {file} says", report.found);
        return Ok(());
    }
    let message = match report.first() {
        None => format!("{input} is not what {file} is of: {}", text::traits(report)),
        Some(first) => {
            let counts = if report.expected == report.found {
                format!("{} frames", report.found)
            } else {
                format!("{} frames instead of {}", report.found, report.expected)
            };
            let hint = if report.same == 0 { "; no frame is the same: is it of this input and chain?" } else { "" };
            format!("{input} is not what {file} says: it differs from frame {first} on ({counts}){hint}")
        }
    };
    Err(Error::new(Kind::Mismatch, message))
}
