//! `vramp plugins`: which hosts of the plugin library there are, and where it is installed; and its installation.

mod bundle;
mod controls;
mod hosts;
mod install;

use crate::cli::args::PluginsArgs;
use crate::cli::print;
use crate::error::Result;
use controls::Effect;
use hosts::{Content, PluginFile, PluginInterface, interfaces};
use install::{EFFECTS, install};
use serde::Serialize;
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

/// What precedes the version in a plugin library's file.
const MARK: &[u8] = plugin_mark!().as_bytes();

/// Runs `vramp plugins`.
///
/// # Errors
/// When the library to install is none, no host is found, or none of a host's folders can be written.
pub fn run(args: &PluginsArgs) -> Result<()> {
    if let Some(library) = &args.install {
        install(library, args)?;
    }
    let all =
        interfaces()?.iter().filter(|interface| interface.is_listed()).map(InterfaceState::of).collect::<Vec<_>>();
    if args.json { print::json(&all) } else { print::text(&table(&all)) }
}

/// What a plugin interface has on this machine.
#[derive(Serialize)]
struct InterfaceState {
    name: String,
    hosts: Vec<HostState>,
    /// Where the plugin goes.
    folder: Option<PathBuf>,
    files: Vec<FileState>,
}

#[derive(Serialize)]
struct HostState {
    name: String,
    program: Option<PathBuf>,
}

#[derive(Serialize)]
struct FileState {
    name: String,
    path: Option<PathBuf>,
    /// Of the library there; null where the file is none of ours.
    version: Option<String>,
}

impl InterfaceState {
    fn of(interface: &PluginInterface) -> InterfaceState {
        let folders = interface.folders();
        let file = |file: PluginFile| {
            let path = folders.iter().map(|folder| folder.join(&file.name)).find(|path| path.exists());
            let is_listed = path.is_some() || EFFECTS.contains(&file.effect.name());
            let version = path.as_deref().and_then(version);
            is_listed.then_some(FileState { name: file.name, version, path })
        };
        // What lies beside a library says nothing more.
        let is_main = |file: &PluginFile| file.content == Content::Library || !interface.holds(Content::Library);
        let files = interface.files(&every_effect()).into_iter().filter(is_main);
        let host = |host: &hosts::Host| HostState { name: host.name.clone(), program: host.program() };
        InterfaceState {
            name: interface.name.clone(),
            hosts: interface.hosts.iter().map(host).collect(),
            files: files.filter_map(file).collect(),
            folder: folders.iter().find(|folder| can_be_written(folder)).cloned(),
        }
    }
}

/// The effects of every installation, and the others that there can be.
fn every_effect() -> Vec<Effect> {
    let others = crate::filters::ALL.iter().map(|filter| filter.name).filter(|name| !EFFECTS.contains(name));
    EFFECTS.into_iter().chain(others).filter_map(|name| Effect::named(name).ok()).collect()
}

/// The version of the plugin library, or of a file beside it, at `path`, read from the file: nothing of it is run.
fn version(path: &Path) -> Option<String> {
    let bytes = fs::read(path).ok()?;
    let starts = bytes.windows(MARK.len()).enumerate().filter(|(_, window)| *window == MARK);
    let line = |(start, _)| bytes[start + MARK.len()..].split(|byte| *byte == b'\n').next();
    let mut lines = starts.filter_map(line).filter_map(|line| std::str::from_utf8(line).ok());
    // This program has the mark too, and no version behind it.
    lines.find(|line| line.starts_with(|c: char| c.is_ascii_digit()) && !line.contains(' ')).map(str::to_owned)
}

/// Whether files can be made in `folder`, or in the one in which it would be made.
fn can_be_written(folder: &Path) -> bool {
    let there = folder.ancestors().find(|folder| folder.is_dir());
    there.is_some_and(|folder| rustix::fs::access(folder, rustix::fs::Access::WRITE_OK).is_ok())
}

/// What there is, in lines.
fn table(all: &[InterfaceState]) -> String {
    let mut text = String::new();
    for InterfaceState { name, hosts, folder, files } in all {
        let is_there = |host: &&HostState| host.program.is_some();
        let found =
            hosts.iter().filter_map(|host| Some(format!("{} ({})", host.name, host.program.as_ref()?.display())));
        let missing = hosts.iter().filter(|host| !is_there(host)).map(|host| host.name.clone());
        let folder = folder.as_ref().map_or_else(|| "none that can be written".to_owned(), |f| f.display().to_string());
        let mut lines = vec![
            ("found".to_owned(), join(found)),
            ("not found".to_owned(), join(missing)),
            ("plugins go to".to_owned(), folder),
        ];
        lines.extend(files.iter().map(|file| (file.name.clone(), file.describe())));
        let width = lines.iter().map(|(label, _)| label.len()).max().unwrap_or(0);
        text += &format!("{name}\n");
        for (label, value) in lines {
            writeln!(text, "  {label:width$}  {value}").expect("a String takes everything");
        }
    }
    text
}

fn join(names: impl Iterator<Item = String>) -> String {
    let list = names.collect::<Vec<_>>().join(", ");
    if list.is_empty() { "-".to_owned() } else { list }
}

impl FileState {
    fn describe(&self) -> String {
        match (&self.path, &self.version) {
            (None, _) => "not installed".to_owned(),
            (Some(path), None) => format!("{}, which is none of vramp's", path.display()),
            (Some(path), Some(version)) => format!("{}, version {version}", path.display()),
        }
    }
}
