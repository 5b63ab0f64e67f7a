//! The hosts of the plugin library, as hosts.json lists them, and what this machine has of them.

use super::bundle::info as bundle_info;
use super::controls::{Effect, kdenlive_effect, kdenlive_presets, shotcut_meta, shotcut_ui};
use crate::error::{Error, Result};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::env;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// An interface through which hosts load plugins.
#[derive(Debug, Deserialize)]
pub struct PluginInterface {
    /// Its name.
    pub name: String,
    /// What its files are called and what is in them; `{effect}` in a name makes it a file an effect. Libraries are copies:
    /// hosts load files with one content in one place once.
    files: BTreeMap<String, Content>,
    /// The hosts that load it so.
    pub hosts: Vec<Host>,
    /// The environment variable that names folders instead of the usual ones.
    pub variable: Option<String>,
    /// Programs that print the folder.
    ask: Vec<Vec<String>>,
    /// The usual folders, where each host looks, best first. Those that are relative are beside a host's program, and there
    /// with the host.
    folders: Vec<PathBuf>,
    /// Where packages have it, under their prefix; none where only a user has it.
    pub packaged: Option<PathBuf>,
}

/// What is in a file of an interface.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Content {
    /// The plugin library.
    Library,
    /// An effect's controls in Kdenlive.
    Kdenlive,
    /// Its presets there, to which Kdenlive adds those that the user saves.
    KdenlivePresets,
    /// Its name in Shotcut.
    ShotcutMeta,
    /// Its controls in Shotcut.
    ShotcutUi,
    /// What a bundle of OpenFX says of itself.
    Bundle,
}

impl Content {
    /// The text of `effect`'s file; `None` where it has none, and for the library.
    ///
    /// # Errors
    /// As [`kdenlive_presets`].
    pub fn text(self, effect: Effect) -> Result<Option<String>> {
        Ok(match self {
            Content::Library => None,
            Content::Kdenlive => Some(kdenlive_effect(effect)),
            Content::KdenlivePresets => kdenlive_presets(effect)?,
            Content::ShotcutMeta => Some(shotcut_meta(effect)),
            Content::ShotcutUi => Some(shotcut_ui(effect)),
            Content::Bundle => Some(bundle_info()),
        })
    }
}

/// A file of an interface.
pub struct PluginFile {
    /// Its name in the interface's folder.
    pub name: String,
    /// What is in it.
    pub content: Content,
    /// The effect that it is of.
    pub effect: Effect,
}

/// A host.
#[derive(Debug, Deserialize)]
pub struct Host {
    /// Its name.
    pub name: String,
    /// Any of these files shows that it is there, beside the folders of programs or in one of them.
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
    /// The files of these effects.
    pub fn files(&self, effects: &[Effect]) -> Vec<PluginFile> {
        let mut files: Vec<PluginFile> = Vec::new();
        for effect in effects {
            for (template, content) in &self.files {
                let name = template.replace("{effect}", effect.name());
                if files.iter().all(|file| file.name != name) {
                    files.push(PluginFile { name, content: *content, effect: *effect });
                }
            }
        }
        files
    }

    /// Whether its state says something: editors' files matter where the editor is, and its presets are its own.
    pub fn is_listed(&self) -> bool {
        self.holds(Content::Library) || self.is_wanted() && !self.holds(Content::KdenlivePresets)
    }

    /// Whether one of its files is `content`.
    pub fn holds(&self, content: Content) -> bool {
        self.files.values().any(|held| *held == content)
    }

    /// Whether any of its hosts is on this machine.
    pub fn is_wanted(&self) -> bool {
        self.hosts.iter().any(|host| host.program().is_some())
    }

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
            None => self.folders.iter().flat_map(|folder| self.places(folder)).collect(),
        }
    }

    /// What one of the usual folders is on this machine.
    fn places(&self, folder: &Path) -> Vec<PathBuf> {
        if folder.starts_with("~") || folder.is_absolute() {
            return at_home(folder).into_iter().collect();
        }
        // A program that is a link finds its files where the file is.
        let programs = self.hosts.iter().filter_map(|host| host.program()?.canonicalize().ok());
        programs.filter_map(|program| program.parent()?.join(folder).canonicalize().ok()).collect()
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
