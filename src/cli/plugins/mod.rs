//! `vramp plugins`: which hosts of the plugin library there are, and where it is installed; and its installation.

mod hosts;

use crate::cli::args::PluginsArgs;
use crate::cli::print;
use crate::error::{Error, Kind, Result};
use hosts::{PluginInterface, interfaces};
use serde::Serialize;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::{fs, io, process};

/// What precedes the version in a plugin library's file.
const MARK: &[u8] = plugin_mark!().as_bytes();

/// Runs `vramp plugins`.
///
/// # Errors
/// When the library to install is none, no host is found, or none of a host's folders can be written.
pub fn run(args: &PluginsArgs) -> Result<()> {
    if let Some(library) = &args.install {
        install(library, args.overwrite)?;
    }
    let all = interfaces()?.iter().map(InterfaceState::of).collect::<Vec<_>>();
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
        let file = |name: &String| {
            let path = folders.iter().map(|folder| folder.join(name)).find(|path| path.exists());
            FileState { name: name.clone(), version: path.as_deref().and_then(version), path }
        };
        let host = |host: &hosts::Host| HostState { name: host.name.clone(), program: host.program() };
        InterfaceState {
            name: interface.name.clone(),
            hosts: interface.hosts.iter().map(host).collect(),
            files: interface.files.iter().map(file).collect(),
            folder: folders.iter().find(|folder| can_be_written(folder)).cloned(),
        }
    }
}

/// The version of the plugin library at `path`, read from the file: nothing of it is run.
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

/// Copies `library` for every interface that has a host on this machine. Other versions of it are replaced; what is none of
/// ours only with `overwrite`, and otherwise nothing is written at all.
fn install(library: &Path, overwrite: bool) -> Result<()> {
    let Some(fresh) = version(library) else {
        let what = format!("{} is no plugin library of vramp: 'make plugin' builds it", library.display());
        return Err(Error::bad_argument(what));
    };
    let targets = targets()?;
    for target in &targets {
        match version(target) {
            Some(old) => log::info!("{}: version {old} is replaced by {fresh}", target.display()),
            None if !overwrite && fs::symlink_metadata(target).is_ok() => {
                let what = format!("{} exists and is none of vramp's: give -y to replace it", target.display());
                return Err(Error::bad_argument(what));
            }
            None => {}
        }
    }
    targets.iter().try_for_each(|target| replace(library, target).map_err(|e| Error::io(target.display(), &e)))
}

/// The files that an installation writes: those of every interface that has a host on this machine.
fn targets() -> Result<Vec<PathBuf>> {
    let interfaces = interfaces()?;
    let mut found =
        interfaces.iter().filter(|interface| interface.hosts.iter().any(|host| host.program().is_some())).peekable();
    if found.peek().is_none() {
        let names: Vec<&str> =
            interfaces.iter().flat_map(|interface| &interface.hosts).map(|host| host.name.as_str()).collect();
        return Err(Error::unsupported(format!("no host is found: install one of {}", names.join(", "))));
    }
    let mut targets = Vec::new();
    for interface in found {
        let folders = interface.folders();
        let folder = folders.iter().find(|folder| can_be_written(folder)).ok_or_else(|| {
            let list: Vec<String> = folders.iter().map(|folder| folder.display().to_string()).collect();
            Error::new(Kind::Io, format!("{}: cannot write to {}: install as root", interface.name, list.join(" or ")))
        })?;
        targets.extend(interface.files.iter().map(|file| folder.join(file)));
    }
    Ok(targets)
}

/// Puts a copy of `library` at `target` in one step. A host that has the old file open keeps it, and a link there is replaced:
/// two names of one file would be one plugin to a host.
fn replace(library: &Path, target: &Path) -> io::Result<()> {
    let folder = target.parent().unwrap_or(Path::new("/"));
    fs::create_dir_all(folder)?;
    // Hosts read every .so of a folder.
    let temporary = target.with_extension(format!("{}.part", process::id()));
    let copied = fs::copy(library, &temporary).and_then(|_| fs::rename(&temporary, target));
    copied.inspect_err(|_| drop(fs::remove_file(&temporary)))
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
