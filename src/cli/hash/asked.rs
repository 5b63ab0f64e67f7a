//! The options that decide what is hashed: written into a hash file, and taken from one.

use crate::cli::args::Run;
use crate::error::{Error, Result};
use crate::filters::pinned;
use crate::io::hash::HashFile;
use crate::io::libav::Position;
use crate::params::{Call, Spelling, print_chain};
use crate::video::Format;
use std::str::FromStr;

/// The options of `run`, whose chain is `calls`, that decide which frames result and what they are.
pub fn asked(run: &Run, calls: &[Call]) -> Vec<(String, String)> {
    let position = |position: Position| match position {
        Position::Frame(number) => format!("#{number}"),
        Position::Time(seconds) => seconds.to_string(),
    };
    // A call that cannot be made is refused where the chain is.
    let calls: Vec<Call> = calls.iter().map(|call| pinned(call).unwrap_or_else(|_| call.clone())).collect();
    let all = [
        // The plain spelling is always one line. --range is one of its filters.
        ("chain", (!calls.is_empty()).then(|| print_chain(&calls, Spelling::Plain))),
        ("depth", run.depth.map(|depth| depth.to_string())),
        ("dither", run.dither.clone()),
        ("format", run.format.map(|format| format.to_string())),
        ("start", run.start.map(position)),
        ("end", run.end.map(position)),
        ("frames", run.frames.map(|frames| frames.to_string())),
    ];
    all.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?))).collect()
}

/// The depth that `--deband` chose, for the hash file, which has its filter in the chain.
pub fn depth_of_deband(run: &Run, output: Format) -> Option<(String, String)> {
    let chosen = run.deband.is_some() && run.depth.is_none() && run.format.is_none();
    chosen.then(|| ("depth".to_owned(), output.bit_depth().to_string()))
}

/// What a hash file of an input has whose alpha was ignored.
const ALPHA: (&str, &str) = ("alpha", "ignored");

/// That the alpha of the input was ignored, for the hash file.
pub fn alpha_ignored() -> (String, String) {
    (ALPHA.0.to_owned(), ALPHA.1.to_owned())
}

/// Whether `file` was made without the alpha of its input.
pub fn ignored_alpha(file: &HashFile) -> bool {
    file.asked(ALPHA.0).is_some()
}

/// `run` with the options that `file` was made with: those of the chain where none of them is given, and those of the
/// part where none of those is.
///
/// # Errors
/// When `file` states what cannot be.
pub fn take_asked(run: &Run, file: &HashFile) -> Result<Run> {
    let mut run = run.clone();
    let filters = run.chain.is_empty()
        && run.deband.is_none()
        && (run.depth, &run.dither, &run.range, run.format) == (None, &None, &None, None);
    let part = (run.start, run.end, run.frames) == (None, None, None);
    for (name, value) in &file.asked {
        match name.as_str() {
            // A chain that is read from a file is not stated so.
            "chain" if value.starts_with('@') => return Err(wrong(name, value)),
            "chain" if filters => run.chain = vec![value.clone()],
            "depth" if filters => run.depth = Some(read(name, value)?),
            "dither" if filters => run.dither = Some(value.clone()),
            "format" if filters => run.format = Some(read(name, value)?),
            "start" if part => run.start = Some(read(name, value)?),
            "end" if part => run.end = Some(read(name, value)?),
            "frames" if part => run.frames = Some(read(name, value)?),
            _ if (name.as_str(), value.as_str()) == ALPHA => continue,
            "chain" | "depth" | "dither" | "format" | "start" | "end" | "frames" => continue,
            _ => return Err(Error::unsupported(format!("it was made with '{name}', which this vramp does not know"))),
        }
        log::info!("--{name} {value}, as it was made");
    }
    Ok(run)
}

fn read<T: FromStr>(name: &str, value: &str) -> Result<T> {
    value.parse().map_err(|_| wrong(name, value))
}

fn wrong(name: &str, value: &str) -> Error {
    Error::corrupt(format!("it cannot have been made with {name} '{value}'"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::args::Cli;
    use crate::cli::setup;
    use crate::io::Hash;
    use crate::io::hash::{HashFormat, StatedTags};
    use crate::video::StreamInfo;
    use clap::Parser;

    fn run(line: &str) -> Run {
        Cli::try_parse_from(["vramp", "a", "b"].into_iter().chain(line.split_whitespace())).unwrap().job.run
    }

    fn stating(asked: &[(&str, &str)]) -> HashFile {
        let asked = asked.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        let stated = StatedTags::of(&StreamInfo::bare("gray8".parse().unwrap(), 1, 1));
        let (software, frames) = (String::new(), Vec::new());
        HashFile {
            layout: HashFormat::Vramp,
            hash: Hash::Xxh3,
            software,
            asked,
            stated,
            cut: false,
            streams: None,
            frames,
        }
    }

    fn of(run: &Run) -> Vec<(String, String)> {
        asked(run, &setup::calls(run).unwrap())
    }

    #[test]
    fn what_was_asked_is_asked_again() {
        let line = "--chain deband=range=16,depth --range full --depth 10 --dither blue --format p010 --start #7 --end 2.04 --frames 3";
        let first = of(&run(line));
        assert_eq!(first.len(), 7);
        assert_eq!(first[0], ("chain".to_owned(), "deband(range 16) > depth > range(full)".to_owned()));
        let file = HashFile { asked: first.clone(), ..stating(&[]) };
        assert_eq!(of(&take_asked(&run(""), &file).unwrap()), first);
        assert_eq!(of(&run("")), []);
    }

    #[test]
    fn what_is_given_comes_before_what_is_stated() {
        let file = stating(&[("chain", "deband"), ("depth", "10"), ("start", "#7")]);
        let taken = take_asked(&run("--chain boxblur"), &file).unwrap();
        assert_eq!(
            (taken.chain, taken.depth, taken.start),
            (vec!["boxblur".to_owned()], None, Some(Position::Frame(7)))
        );
        let taken = take_asked(&run("--frames 2"), &file).unwrap();
        assert_eq!((taken.depth, taken.start, taken.frames), (Some(10), None, Some(2)));
        let none = ["vramp", "a", "b", "--chain", ""];
        let none = Cli::try_parse_from(none).unwrap().job.run;
        assert!(setup::calls(&take_asked(&none, &file).unwrap()).unwrap().is_empty(), "an empty chain is one");
    }

    #[test]
    fn deband_is_stated_as_what_it_did() {
        let ten: Format = "yuv420p10".parse().unwrap();
        let debanded = run("--deband=dark");
        assert_eq!(of(&debanded), [("chain".to_owned(), "gradient(preset dark)".to_owned())]);
        assert_eq!(depth_of_deband(&debanded, ten), Some(("depth".to_owned(), "10".to_owned())));
        assert_eq!(depth_of_deband(&run("--deband --depth 12"), ten), None, "it is stated anyway");
        assert_eq!(depth_of_deband(&run("--chain gradient"), ten), None);
        let taken = take_asked(&debanded, &stating(&[("chain", "box"), ("depth", "8")])).unwrap();
        assert_eq!((taken.chain.len(), taken.depth), (0, None));
    }

    #[test]
    fn what_cannot_be_is_refused() {
        for stated in [
            ("chain", "@/etc/hosts"),
            ("depth", "many"),
            ("format", "yuv9"),
            ("start", "soon"),
            ("alpha", "kept"),
            ("rotate", "90"),
        ] {
            assert!(take_asked(&run(""), &stating(&[stated])).is_err(), "{stated:?}");
        }
    }
}
