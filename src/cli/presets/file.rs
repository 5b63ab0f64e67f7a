//! What a preset's file holds: the main command's options, by clap's own description of them.

use crate::cli::args::FilterArgs;
use crate::cli::given::{self, GivenOptions};
use crate::error::{Error, Result};
use crate::params::did_you_mean;
use clap::{Arg, ArgAction, Args, Command};
use std::ffi::OsString;
use toml::{Table, Value};

/// The key that is no option: a line for the list of presets.
const DESCRIPTION: &str = "description";

/// Options of one run, not of all that use a preset.
const OF_ONE_RUN: [&str; 4] = ["output", "overwrite", "records", "preview"];

/// A preset's text, understood.
#[derive(Debug)]
pub struct PresetFile {
    /// What it is for, in a line.
    pub description: String,
    /// Its options.
    pub options: GivenOptions,
}

/// The options that a preset may hold.
pub fn command() -> Command {
    FilterArgs::augment_args(Command::new(env!("CARGO_PKG_NAME")))
}

/// Reads a preset.
///
/// # Errors
/// When `text` is no TOML, or has a key or a value that is no option's.
pub fn parse(text: &str) -> Result<PresetFile> {
    let table: Table = text.parse().map_err(|error| syntax(text, &error))?;
    let command = command();
    let (mut description, mut options) = (String::new(), GivenOptions::default());
    for (key, value) in table {
        match value {
            Value::String(text) if key == DESCRIPTION => description = text,
            _ if key == DESCRIPTION => return Err(Error::bad_argument("description takes a text in quotes")),
            value => {
                let arg = find(&command, &key)?;
                options.set(arg.get_id().as_str(), values(arg, &value).map_err(|error| error.context(key))?);
            }
        }
    }
    Ok(PresetFile { description, options })
}

/// What is wrong with the TOML, in one line.
fn syntax(text: &str, error: &toml::de::Error) -> Error {
    let before = error.span().and_then(|span| text.get(..span.start)).unwrap_or_default();
    let (line, what) = (before.matches('\n').count() + 1, error.message().replace('\n', ", "));
    Error::bad_argument(format!("line {line}: {what}"))
}

/// The option that `key` names.
fn find<'a>(command: &'a Command, key: &str) -> Result<&'a Arg> {
    let names = |arg: &'a Arg| arg.get_long_and_visible_aliases().unwrap_or_default();
    let of_one_run = |arg: &Arg| OF_ONE_RUN.contains(&arg.get_id().as_str());
    match given::options(command).find(|arg| names(arg).contains(&key)) {
        Some(arg) if of_one_run(arg) => {
            Err(Error::bad_argument(format!("{key} belongs to one run: give it on the command line")))
        }
        Some(arg) => Ok(arg),
        None => {
            let held = given::options(command).filter(|arg| !of_one_run(arg)).flat_map(names);
            let hint = did_you_mean(key, held.chain([DESCRIPTION]));
            Err(Error::bad_argument(format!("no option is called '{key}'{hint}")))
        }
    }
}

/// What `value` gives `arg`: nothing where it says false.
fn values(arg: &Arg, value: &Value) -> Result<Vec<Option<OsString>>> {
    let takes_value = arg.get_action().takes_values();
    let may_stand_alone = !takes_value || arg.get_num_args().is_some_and(|number| number.min_values() == 0);
    let repeats = matches!(arg.get_action(), ArgAction::Append);
    match value {
        Value::Boolean(true) if may_stand_alone => Ok(vec![None]),
        Value::Boolean(false) if may_stand_alone => Ok(Vec::new()),
        _ if !takes_value => Err(Error::bad_argument("it takes true or false")),
        Value::Array(values) if repeats => values.iter().map(|value| Ok(Some(scalar(value)?.into()))).collect(),
        Value::Table(pairs) if repeats => {
            pairs.iter().map(|(key, value)| Ok(Some(format!("{key}={}", scalar(value)?).into()))).collect()
        }
        value => Ok(vec![Some(scalar(value)?.into())]),
    }
}

fn scalar(value: &Value) -> Result<String> {
    match value {
        Value::String(text) => Ok(text.clone()),
        Value::Integer(number) => Ok(number.to_string()),
        Value::Float(number) => Ok(number.to_string()),
        Value::Boolean(word) => Ok(word.to_string()),
        Value::Datetime(time) => Ok(time.to_string()),
        Value::Array(_) | Value::Table(_) => Err(Error::bad_argument("it takes one value")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn args(text: &str) -> String {
        let args = parse(text).unwrap().options.to_args(&command());
        args.iter().map(|arg| arg.to_str().unwrap()).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn every_kind_of_value_becomes_an_option() {
        assert_eq!(args("crf = 18"), "--crf=18");
        assert_eq!(args("crf = 18.5\nencoder = 'libx265'"), "--codec=libx265 --crf=18.5");
        assert_eq!(args("no-audio = true\nno-extras = false"), "--no-audio");
        assert_eq!(args("deband = true"), "--deband");
        assert_eq!(args("deband = 'film'"), "--deband=film");
        assert_eq!(args("chain = ['box=1', 'gauss']"), "--chain=box=1 --chain=gauss");
        assert_eq!(args("chain = 'box=1'"), "--chain=box=1");
        assert_eq!(args("start = 00:01:02.5"), "--start=00:01:02.5");
        assert_eq!(args("[option]\nbf = 3\naq-mode = '2'"), "--option=aq-mode=2 --option=bf=3");
    }

    #[test]
    fn errors_are_one_line() {
        for (text, words) in [
            ("crff = 18", "no option is called 'crff'; did you mean 'crf'?"),
            ("no_audio = true", "did you mean 'no-audio'?"),
            ("descripton = 'x'", "did you mean 'description'?"),
            ("help = true", "no option is called 'help'"),
            ("output = 'x.mkv'", "output belongs to one run"),
            ("overwrite = true", "overwrite belongs to one run"),
            ("no-audio = 'yes'", "no-audio: it takes true or false"),
            ("crf = [1, 2]", "crf: it takes one value"),
            ("chain = [['a']]", "chain: it takes one value"),
            ("description = 3", "description takes a text"),
            ("crf = 1\ncodec = ", "line 2: "),
            ("crf = 1\n\ncrf = 2", "line 3: "),
        ] {
            let error = parse(text).unwrap_err();
            assert!(error.message().contains(words) && !error.message().contains('\n'), "{text}: {error}");
        }
    }
}
