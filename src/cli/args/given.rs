//! Options as they were given, taken out of what clap parsed: to be joined with those of presets, or handed to another
//! process.

use clap::parser::ValueSource;
use clap::{Arg, ArgAction, ArgMatches, Command};
use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};

/// Options by clap's names for them, with the value of each time they were given; flags have none.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct GivenOptions(BTreeMap<String, Vec<Option<OsString>>>);

impl GivenOptions {
    /// The options of `command` that `matches` has from the command line.
    pub fn of(command: &Command, matches: &ArgMatches) -> GivenOptions {
        let typed = |arg: &&Arg| matches.value_source(arg.get_id().as_str()) == Some(ValueSource::CommandLine);
        let given = options(command).filter(typed).map(|arg| (arg.get_id().to_string(), values(arg, matches)));
        GivenOptions(given.collect())
    }

    /// The values of option `id`; `None` where it was not given.
    pub fn get(&self, id: &str) -> Option<&[Option<OsString>]> {
        self.0.get(id).map(Vec::as_slice)
    }

    /// Gives option `id` these values, whatever it had.
    pub fn set(&mut self, id: &str, values: Vec<Option<OsString>>) {
        self.0.insert(id.to_owned(), values);
    }

    /// Takes option `id` away.
    pub fn remove(&mut self, id: &str) -> Vec<Option<OsString>> {
        self.0.remove(id).unwrap_or_default()
    }

    /// Every option and its values.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &[Option<OsString>])> {
        self.0.iter().map(|(id, values)| (id.as_str(), values.as_slice()))
    }

    /// The same options with other values.
    pub fn map(&self, change: impl Fn(&OsStr) -> OsString) -> GivenOptions {
        let changed = |values: &[Option<OsString>]| values.iter().map(|v| v.as_deref().map(&change)).collect();
        GivenOptions(self.iter().map(|(id, values)| (id.to_owned(), changed(values))).collect())
    }

    /// The same options for a command line of `command`.
    pub fn to_args(&self, command: &Command) -> Vec<OsString> {
        let spelled = options(command).filter_map(|arg| Some((name(arg)?, self.get(arg.get_id().as_str())?)));
        spelled.flat_map(|(name, values)| values.iter().map(move |value| join(&name, value.as_ref()))).collect()
    }
}

/// The options of `command` that have a name.
pub fn options(command: &Command) -> impl Iterator<Item = &Arg> {
    command.get_arguments().filter(|arg| !arg.is_positional())
}

/// "--crf", or "-i" where there is nothing longer.
fn name(arg: &Arg) -> Option<String> {
    let long = arg.get_long().map(|long| format!("--{long}"));
    long.or_else(|| arg.get_short().map(|short| format!("-{short}")))
}

/// `name=value`, which holds for values with leading dashes too.
fn join(name: &str, value: Option<&OsString>) -> OsString {
    let mut arg = OsString::from(name);
    if let Some(value) = value {
        arg.push("=");
        arg.push(value);
    }
    arg
}

fn values(arg: &Arg, matches: &ArgMatches) -> Vec<Option<OsString>> {
    let id = arg.get_id().as_str();
    match arg.get_action() {
        ArgAction::SetTrue => vec![None],
        ArgAction::Count => vec![None; usize::from(matches.get_count(id))],
        _ => matches.get_raw(id).into_iter().flatten().map(|value| Some(value.to_owned())).collect(),
    }
}
