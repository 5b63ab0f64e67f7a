//! The hosts of the plugin library, as hosts.json lists them, and what this machine has of them.

use crate::error::{Error, Result};
use serde::Deserialize;
use std::env;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// An interface through which hosts load plugins.
#[derive(Debug, Deserialize)]
pub struct PluginInterface {
    /// Its name.
    pub name: String,
    /// What the library is called there. Each file is a copy: hosts load files with one content in one place once.
    pub files: Vec<String>,
    /// The hosts that load it so.
    pub hosts: Vec<Host>,
    /// The environment variable that names folders instead of the usual ones.
    variable: Option<String>,
    /// Programs that print the folder.
    ask: Vec<Vec<String>>,
    /// The usual folders, where each host looks, best first.
    folders: Vec<PathBuf>,
}

/// A host.
#[derive(Debug, Deserialize)]
pub struct Host {
    /// Its name.
    pub name: String,
    /// Any of these programs shows that it is there.
    programs: Vec<String>,
}

/// Every interface that vramp has a plugin for.
///
/// # Errors
/// Never, but for a mistake in the list.
pub fn interfaces() -> Result<Vec<PluginInterface>> {
    serde_json::from_str(include_str!("hosts.json")).map_err(|e| Error::internal(format!("hosts.json: {e}")))
}

impl Host {
    /// Its program, if it is on this machine.
    pub fn program(&self) -> Option<PathBuf> {
        let path = env::var_os("PATH").unwrap_or_default();
        let candidates =
            |program: &String| env::split_paths(&path).map(|folder| folder.join(program)).collect::<Vec<_>>();
        self.programs.iter().flat_map(candidates).find(|program| program.is_file())
    }
}

impl PluginInterface {
    /// The folders in which plugins are looked for: those the environment names, the one a program of the host prints, or
    /// the usual ones.
    pub fn folders(&self) -> Vec<PathBuf> {
        let named = self.variable.as_ref().and_then(env::var_os).unwrap_or_default();
        let named: Vec<PathBuf> = env::split_paths(&named).filter(|folder| folder.is_absolute()).collect();
        if !named.is_empty() {
            return named;
        }
        match self.ask.iter().filter_map(|words| words.split_first()).find_map(printed_folder) {
            Some(folder) => vec![folder],
            None => self.folders.iter().filter_map(|folder| at_home(folder)).collect(),
        }
    }
}

/// The folder that a program prints, if it is there and does.
fn printed_folder((program, args): (&String, &[String])) -> Option<PathBuf> {
    let output = Command::new(program).args(args).stdin(Stdio::null()).stderr(Stdio::null()).output().ok()?;
    let folder = PathBuf::from(String::from_utf8(output.stdout).ok()?.trim());
    (output.status.success() && folder.is_absolute()).then_some(folder)
}

/// `folder` with its `~` written out; `None` where nobody has a home.
fn at_home(folder: &Path) -> Option<PathBuf> {
    match folder.strip_prefix("~") {
        Ok(rest) => env::var_os("HOME").map(|home| Path::new(&home).join(rest)),
        Err(_) => Some(folder.to_owned()),
    }
}
