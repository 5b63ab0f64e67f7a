//! Parsers of values, where clap's own do not serve.

use crate::device::cpu::CpuLevel;
use crate::filters::{self, gradient};
use crate::params::ParamKind;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};

/// A parser of the words that option `param` of `filter` takes: they are stated there and nowhere else.
pub fn choices(filter: &str, param: &str) -> PossibleValuesParser {
    let param = filters::find(filter).and_then(|f| f.schema.find(param)).expect("the option exists");
    let ParamKind::Choice(words) = param.kind else { panic!("{} takes words", param.name) };
    PossibleValuesParser::new(words)
}

/// What `--deband` stands for without a preset.
pub const DEFAULT_PRESET: &str = "default";

/// A parser of what `--deband` takes.
pub fn presets() -> PossibleValuesParser {
    PossibleValuesParser::new(deband_presets())
}

/// The presets of `--deband`.
pub fn deband_presets() -> impl Iterator<Item = &'static str> {
    std::iter::once(DEFAULT_PRESET).chain(gradient::DESCRIPTOR.schema.presets.iter().map(|preset| preset.name))
}

pub fn levels() -> impl TypedValueParser<Value = CpuLevel> {
    let names: Vec<_> = CpuLevel::ALL.iter().map(|level| PossibleValue::new(level.name())).collect();
    PossibleValuesParser::new(names).try_map(|name| name.parse::<CpuLevel>())
}

/// More threads than this is a typing mistake.
const MAX_THREADS: i64 = 1024;

/// A parser of a number of threads.
pub fn threads() -> impl TypedValueParser<Value = usize> {
    clap::value_parser!(u16).range(0..=MAX_THREADS).map(usize::from)
}

/// More MiB than this is a typing mistake.
const MAX_GPU_MEMORY: u64 = 1 << 24;

pub fn gpu_memory() -> impl TypedValueParser<Value = usize> {
    clap::value_parser!(u64).range(1..=MAX_GPU_MEMORY).map(|n| n as usize)
}

pub fn parse_pair(text: &str) -> Result<(String, String), String> {
    let (key, value) = text.split_once('=').ok_or("it must be KEY=VALUE")?;
    Ok((key.to_owned(), value.to_owned()))
}

/// Reads a number of frames.
pub fn parse_count(text: &str) -> Result<u64, &'static str> {
    text.parse().ok().filter(|count| *count > 0).ok_or("it must be a whole number of at least 1")
}

pub fn parse_quality(text: &str) -> Result<f64, &'static str> {
    text.parse().ok().filter(|quality| (0.0..=f64::MAX).contains(quality)).ok_or("it must be a number of at least 0")
}

pub fn parse_size(text: &str) -> Result<(usize, usize), String> {
    let parsed = text.split_once('x').and_then(|(w, h)| Some((w.parse().ok()?, h.parse().ok()?)));
    match parsed {
        Some((w @ 1..=16384, h @ 1..=16384)) => Ok((w, h)),
        _ => Err("it must be WIDTHxHEIGHT, each from 1 to 16384".to_owned()),
    }
}
