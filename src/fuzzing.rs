//! What reads foreign bytes, one function a target: any input gives a value or an error of one line, and never panics.
//!
//! `make fuzz` runs each for a minute (fuzz/fuzz_targets); the test below runs each over its corpus.

use crate::device::tuning::Table;
use crate::error::{Error, Result};
use crate::farm::FilmPlan;
use crate::filters::convolve::kernel::KernelRows;
use crate::filters::{create, find};
use crate::io::part::{PartReader, PartWriter, glance};
use crate::params::{Arg, Call, MAX_CHAIN_BYTES, Spelling, parse_chain, parse_chain_file, parse_values, print_chain};
use std::io::Cursor;

/// A target, by the name of its binary and of its folder of inputs.
pub type FuzzTarget = (&'static str, fn(&[u8]));

/// Every target.
pub const TARGETS: &[FuzzTarget] = &[
    ("chain", chain),
    ("chain_file", chain_file),
    ("chapters", chapters),
    ("ending", ending),
    ("expr", expr),
    ("hash_file", hash_file),
    ("kernel", kernel),
    ("list", list),
    ("lut", lut),
    ("packets", packets),
    ("part", part),
    ("plan", plan),
    ("preset", preset),
    ("tuning", tuning),
];

const MEMORY: &str = "memory takes everything";

/// Fails on an error that a terminal would not show as one line.
fn one_line(error: &Error) {
    assert!(!error.message().contains('\n') && error.message().chars().count() < 1000, "{error}");
}

/// Filters whose arguments name files, which are not to be opened here; what they read has targets of its own.
const READERS: [&str; 2] = ["convolve", "lut3d"];

/// A chain prints to a text that parses to the same chain, and the call that a filter writes down makes the same filter.
pub fn chain(bytes: &[u8]) {
    let Ok(text) = str::from_utf8(bytes) else { return };
    match parse_chain(text) {
        Ok(chain) => {
            for spelling in [Spelling::FFmpeg, Spelling::Plain] {
                let printed = print_chain(&chain, spelling);
                // Quoting may lengthen a text over the limit.
                if printed.len() <= MAX_CHAIN_BYTES {
                    assert_eq!(parse_chain(&printed).expect(&printed), chain);
                }
            }
            chain.iter().filter(|call| find(&call.name).is_some_and(|f| !READERS.contains(&f.name))).for_each(made);
        }
        Err(error) => one_line(&error),
    }
}

/// A chain file: the first line is the values of its parameters, and the rest its text.
pub fn chain_file(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let (values, text) = text.split_once('\n').unwrap_or(("", &text));
    let read = parse_values(values).and_then(|values| parse_chain_file("fuzzed", text, &values));
    if let Err(error) = read {
        one_line(&error);
    }
}

/// Chapters as XML or as OGM's text.
pub fn chapters(bytes: &[u8]) {
    if let Err(error) = crate::io::libav::fuzz_chapters(&String::from_utf8_lossy(bytes)) {
        one_line(&error);
    }
}

/// The end of a source, as far as its container states where that is.
pub fn ending(bytes: &[u8]) {
    crate::io::libav::fuzz_ending(bytes);
}

/// An expression of `expr`.
pub fn expr(bytes: &[u8]) {
    let arg = Arg { key: Some("expr".to_owned()), value: String::from_utf8_lossy(bytes).into_owned() };
    made(&Call { name: "expr".to_owned(), args: vec![arg] });
}

/// Makes the filter of `call`, and the same once again of the call that it writes down.
fn made(call: &Call) {
    match create(call) {
        Ok(filter) => {
            let call = filter.call();
            assert_eq!(create(&call).expect("a filter's own call").call(), call);
        }
        Err(error) => one_line(&error),
    }
}

/// A hash file of either layout.
pub fn hash_file(bytes: &[u8]) {
    if let Err(error) = crate::io::hash::HashFile::read_from(Cursor::new(bytes.to_vec())) {
        one_line(&error);
    }
}

/// A file with the numbers of a kernel for `convolve`.
pub fn kernel(bytes: &[u8]) {
    if let Err(why) = KernelRows::of_text(&String::from_utf8_lossy(bytes)) {
        one_line(&Error::bad_argument(why));
    }
}

/// A list of files that libav reads one after the other.
pub fn list(bytes: &[u8]) {
    if let Err(error) = crate::io::libav::fuzz_list(&String::from_utf8_lossy(bytes)) {
        one_line(&error);
    }
}

/// A table of colours: the first byte says of which format the others are.
pub fn lut(bytes: &[u8]) {
    if let Err(error) = crate::filters::colour::lut3d::fuzz(bytes) {
        one_line(&error);
    }
}

/// Packets of a stream, in which the index of frames looks for places to begin at.
pub fn packets(bytes: &[u8]) {
    crate::io::libav::fuzz_packets(bytes);
}

/// The file of a part: its packets are written as they were read.
pub fn part(bytes: &[u8]) {
    let _ = glance(Cursor::new(bytes));
    let copied = || -> Result<Vec<u8>> {
        let (mut reader, header) = PartReader::begin(bytes)?;
        let mut writer = PartWriter::begin(Vec::new(), &header).expect(MEMORY);
        while let Some(packet) = reader.packet()? {
            writer.packet(&packet).expect(MEMORY);
        }
        Ok(writer.finish().expect(MEMORY))
    };
    match copied() {
        Ok(copy) => assert_eq!(copy, bytes),
        Err(error) => one_line(&error),
    }
}

/// The plan of a film in parts is written as it was read.
pub fn plan(bytes: &[u8]) {
    match FilmPlan::parse(bytes) {
        Ok(plan) => assert_eq!(FilmPlan::parse(&plan.text().expect("a plan is text")).as_ref(), Ok(&plan)),
        Err(error) => one_line(&error),
    }
}

/// A preset's TOML.
pub fn preset(bytes: &[u8]) {
    if let Err(error) = crate::cli::presets::file::parse(&String::from_utf8_lossy(bytes)) {
        one_line(&error);
    }
}

/// A tuning file: what was understood is written so that all of it is.
pub fn tuning(bytes: &[u8]) {
    let (table, note) = Table::parse(&String::from_utf8_lossy(bytes));
    assert!(note.is_none_or(|note| !note.contains('\n')));
    let text = table.to_string();
    let (again, note) = Table::parse(&text);
    assert_eq!((again.to_string(), note), (text, None));
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::path::Path;

    /// Whole inputs, and each cut short and with one bit flipped at places throughout.
    #[test]
    fn every_target_reads_its_corpus() {
        let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz/corpus");
        for (name, target) in TARGETS {
            let inputs: Vec<_> = fs::read_dir(corpus.join(name)).expect(name).flatten().collect();
            assert!(!inputs.is_empty(), "{name} has no corpus");
            for input in inputs {
                let bytes = fs::read(input.path()).expect(name);
                target(&bytes);
                for at in (0..bytes.len()).step_by(bytes.len().div_ceil(64).max(1)) {
                    target(&bytes[..at]);
                    let mut flipped = bytes.clone();
                    flipped[at] ^= 1 << (at % 8);
                    target(&flipped);
                }
            }
        }
    }

    /// A target without a binary would not be fuzzed.
    #[test]
    fn every_target_has_a_binary() {
        let fuzz = Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz");
        let manifest = fs::read_to_string(fuzz.join("Cargo.toml")).expect("fuzz/Cargo.toml");
        for (name, _) in TARGETS {
            assert!(fuzz.join(format!("fuzz_targets/{name}.rs")).is_file(), "{name}");
            assert!(manifest.contains(&format!("name = \"{name}\"")), "{name}");
        }
    }
}
