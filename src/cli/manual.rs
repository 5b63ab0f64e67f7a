//! `vramp man`: manual pages, from the same descriptions as `--help`.

use crate::cli::args::{Cli, ManArgs};
use crate::cli::print;
use crate::error::{Error, Result};
use crate::params::did_you_mean;
use clap::{Command, CommandFactory};
use std::fs;
use std::path::Path;

/// Prints the page that `args` ask for, or writes all of them.
///
/// # Errors
/// When there is no such command, or the folder cannot be written to.
pub fn run(args: &ManArgs) -> Result<()> {
    let all = described();
    let Some(folder) = &args.into else {
        let wanted = args.of.as_deref().map_or_else(|| Ok(&all), |name| find(&all, name))?;
        return print::bytes(&page(wanted)?);
    };
    fs::create_dir_all(folder).map_err(|e| Error::io(folder.display(), &e))?;
    pages(&all).into_iter().try_for_each(|command| write(command, folder))
}

/// The command and its commands, which know their whole names.
fn described() -> Command {
    let mut all = Cli::command().disable_help_subcommand(true);
    all.build();
    all
}

fn pages(all: &Command) -> Vec<&Command> {
    std::iter::once(all).chain(all.get_subcommands()).collect()
}

fn find<'a>(all: &'a Command, name: &str) -> Result<&'a Command> {
    all.find_subcommand(name).ok_or_else(|| {
        let hint = did_you_mean(name, all.get_subcommands().map(Command::get_name));
        Error::bad_argument(format!("vramp has no command '{name}'{hint}"))
    })
}

fn page(command: &Command) -> Result<Vec<u8>> {
    let mut page = Vec::new();
    let man = clap_mangen::Man::new(command.clone());
    man.render(&mut page).map_err(|e| Error::io("manual page", &e))?;
    Ok(page)
}

fn write(command: &Command, folder: &Path) -> Result<()> {
    let file = folder.join(clap_mangen::Man::new(command.clone()).get_filename());
    fs::write(&file, page(command)?).map_err(|e| Error::io(file.display(), &e))
}
