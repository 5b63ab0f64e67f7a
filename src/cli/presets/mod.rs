//! Presets of options: `--preset NAME` and `--preset FILE.toml`, and `vramp presets`, which lists them.

pub(crate) mod file;
mod store;

use crate::cli::args::{Cli, PresetsArgs};
use crate::cli::given::{self, GivenOptions};
use crate::cli::{parse, print};
use crate::error::{Error, Result};
use crate::params::did_you_mean;
use clap::{ArgMatches, Command, CommandFactory};
use serde::Serialize;
use std::ffi::OsString;
use std::path::PathBuf;
use store::StoredPreset;

/// clap's name of the option that names presets.
const PRESET: &str = "preset";

/// clap's name of the option whose values are joined, key by key: the last of two values of a key holds.
const JOINED: &str = "option";

/// Options that ask for the same thing in other terms: one on the command line replaces a preset's other one.
const RATES: [&str; 2] = ["crf", "bitrate"];

/// The command line of `matches` with the options of the presets that it names, and without their names; `None` where it
/// names none.
///
/// # Errors
/// When a preset cannot be read, or holds what is no option.
pub fn expand(matches: &ArgMatches) -> Result<Option<Vec<OsString>>> {
    let mut all = Cli::command();
    all.build();
    let (command, matches, mut args) = match matches.subcommand() {
        None => (&all, matches, vec![all.get_name().into()]),
        Some((name @ ("batch" | "plan"), matches)) => {
            let command = all.find_subcommand(name).ok_or_else(|| Error::internal("a command is not described"))?;
            (command, matches, vec![all.get_name().into(), name.into()])
        }
        Some(_) => return Ok(None),
    };
    let mut typed = GivenOptions::of(command, matches);
    let mut options = GivenOptions::default();
    let (mut presets, mut encoders) = (0, Vec::new());
    for word in typed.remove(PRESET).into_iter().flatten() {
        match word.to_str().map_or(Ok(None), store::find)? {
            Some(found) => {
                lay(command, load(&found)?, &mut options);
                presets += 1;
            }
            None => encoders.push(Some(word)),
        }
    }
    if presets == 0 {
        return Ok(None);
    }
    if !encoders.is_empty() {
        typed.set(PRESET, encoders);
    }
    lay(command, typed, &mut options);
    args.extend(options.to_args(command));
    args.push("--".into());
    args.extend(matches.get_raw("paths").into_iter().flatten().map(OsString::from));
    Ok(Some(args))
}

/// Lays the options `over` others: each replaces what was there, and what it excludes.
fn lay(command: &Command, over: GivenOptions, under: &mut GivenOptions) {
    for (id, values) in over.iter() {
        excluded(command, id).iter().for_each(|other| drop(under.remove(other)));
        let mut joined = if id == JOINED { under.remove(id) } else { Vec::new() };
        joined.extend_from_slice(values);
        under.set(id, joined);
    }
}

/// The options that cannot stand beside option `id`.
fn excluded(command: &Command, id: &str) -> Vec<String> {
    let conflicts = |one: &clap::Arg, other: &clap::Arg| {
        command.get_arg_conflicts_with(one).iter().any(|conflict| conflict.get_id() == other.get_id())
    };
    let Some(own) = given::options(command).find(|arg| arg.get_id() == id) else { return Vec::new() };
    let both_rates = |other: &str| RATES.contains(&id) && RATES.contains(&other) && id != other;
    let others = given::options(command)
        .filter(|other| both_rates(other.get_id().as_str()) || conflicts(own, other) || conflicts(other, own));
    others.map(|other| other.get_id().to_string()).collect()
}

/// The options of a preset, each of them one that the command takes.
fn load(found: &StoredPreset) -> Result<GivenOptions> {
    checked(found).map(|preset| preset.options).map_err(|error| error.context(found.label()))
}

fn checked(found: &StoredPreset) -> Result<file::PresetFile> {
    let preset = file::parse(&found.text()?)?;
    let inner = preset.options.get(PRESET).into_iter().flatten().flatten();
    for word in inner.filter_map(|word| word.to_str()) {
        if store::find(word)?.is_some() {
            return Err(Error::bad_argument(format!("preset: '{word}' is a preset of options, which hold no others")));
        }
    }
    let command = [OsString::from(env!("CARGO_PKG_NAME"))];
    parse(&[&command[..], &preset.options.to_args(&file::command())].concat())?;
    Ok(preset)
}

/// A line of the list.
#[derive(Serialize)]
struct Line {
    name: String,
    description: String,
    file: Option<PathBuf>,
    error: Option<String>,
}

/// Runs `vramp presets`.
///
/// # Errors
/// When presets cannot be read, or there is none of the name that is asked for.
pub fn run(args: &PresetsArgs) -> Result<()> {
    let mut all = store::all()?;
    if let Some(name) = &args.name {
        let hint = did_you_mean(name, all.keys().map(String::as_str));
        let missing = || Error::bad_argument(format!("there is no preset '{name}'{hint} (vramp presets lists them)"));
        let found = all.remove(name).ok_or_else(missing)?;
        return print::text(&found.text().map_err(|error| error.context(found.label()))?);
    }
    let lines: Vec<_> = all.values().map(line).collect();
    if args.json { print::json(&lines) } else { print::text(&list(&lines)) }
}

fn line(found: &StoredPreset) -> Line {
    let clash = || Err(store::clash(found));
    let preset = if store::is_encoders_own(&found.name) { clash() } else { checked(found) };
    let (name, file) = (found.name.clone(), found.file.clone());
    match preset {
        Ok(preset) => Line { name, description: preset.description, file, error: None },
        Err(error) => Line { name, description: String::new(), file, error: Some(error.message().to_owned()) },
    }
}

fn list(lines: &[Line]) -> String {
    let width = lines.iter().map(|line| line.name.len()).max().unwrap_or(0);
    let mut text = String::new();
    for Line { name, description, file, error } in lines {
        let words = error.as_ref().map_or_else(|| description.clone(), |error| format!("not valid: {error}"));
        let from = file.as_ref().map_or_else(String::new, |file| format!(" ({})", file.display()));
        text.push_str(&format!("{name:width$}  {words}{from}\n"));
    }
    if let Some(folder) = store::folder() {
        text.push_str(&format!("\nvramp presets NAME prints one; your own are NAME.toml in {}\n", folder.display()));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn qualities_of_presets_that_ship_are_those_measured() {
        let docs = include_str!("../../../docs/ENCODING.md");
        let measured = docs.lines().find(|line| line.starts_with("| `--crf` |")).unwrap();
        let mut held = 0;
        for (name, _) in store::SHIPPED {
            let preset = checked(&StoredPreset { name: name.to_owned(), file: None }).unwrap();
            let value = |id| preset.options.get(id).and_then(|values| values[0].as_ref()?.to_str());
            let Some(crf) = value("crf") else { continue };
            let quality = format!("{} {crf}", value("codec").unwrap());
            assert!(measured.contains(&quality), "{name}: {quality}");
            held += 1;
        }
        assert_eq!(held, 3);
    }
}
