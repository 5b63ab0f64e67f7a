//! Installs the library, and what editors need beside it.

use super::controls::Effect;
use super::hosts::{Content, PluginFile, PluginInterface, interfaces};
use super::{can_be_written, version};
use crate::cli::args::PluginsArgs;
use crate::error::{Error, Kind, Result};
use std::path::{Path, PathBuf};
use std::{fs, io, process};

/// Effects that every installation has.
pub const EFFECTS: [&str; 2] = ["deband", "chain"];

/// A file to write.
struct DescriptionFile {
    path: PathBuf,
    /// `None` for a copy of the library.
    text: Option<String>,
}

/// Writes the files of every interface that has a host on this machine, or of all below `args.into`. Other versions of them
/// are replaced; what is none of ours only with `overwrite`, and otherwise nothing is written at all.
///
/// # Errors
/// When `library` is none, an effect is none of frei0r's, no host is found, or no folder can be written.
pub fn install(library: &Path, args: &PluginsArgs) -> Result<()> {
    let Some(fresh) = version(library) else {
        let what = format!("{} is no plugin library of vramp: 'make plugin' builds it", library.display());
        return Err(Error::bad_argument(what));
    };
    let named = EFFECTS.into_iter().chain(args.effects.iter().map(String::as_str));
    let effects = named.map(Effect::named).collect::<Result<Vec<_>>>()?;
    let targets = targets(&effects, args.into.as_deref())?;
    for DescriptionFile { path, .. } in &targets {
        match version(path) {
            Some(old) => log::info!("{}: version {old} is replaced by {fresh}", path.display()),
            None if !args.overwrite && fs::symlink_metadata(path).is_ok() => {
                let what = format!("{} exists and is none of vramp's: give -y to replace it", path.display());
                return Err(Error::bad_argument(what));
            }
            None => {}
        }
    }
    targets.iter().try_for_each(|target| target.write(library).map_err(|e| Error::io(target.path.display(), &e)))
}

/// The files that an installation writes.
fn targets(effects: &[Effect], into: Option<&Path>) -> Result<Vec<DescriptionFile>> {
    let mut targets = Vec::new();
    for (interface, folder) in folders(into)? {
        for PluginFile { name, content, effect } in interface.files(effects) {
            let (path, text) = (folder.join(name), content.text(effect)?);
            let is_users = content == Content::KdenlivePresets && path.exists();
            if (content == Content::Library || text.is_some()) && !is_users {
                targets.push(DescriptionFile { path, text });
            }
        }
    }
    Ok(targets)
}

/// Each interface that is installed, and its folder.
fn folders(into: Option<&Path>) -> Result<Vec<(PluginInterface, PathBuf)>> {
    let interfaces = interfaces()?;
    if let Some(into) = into {
        let packaged = |interface: PluginInterface| {
            let folder = into.join(interface.packaged.as_ref()?);
            Some((interface, folder))
        };
        return Ok(interfaces.into_iter().filter_map(packaged).collect());
    }
    if !interfaces.iter().any(PluginInterface::is_wanted) {
        let mut names: Vec<&str> =
            interfaces.iter().flat_map(|interface| &interface.hosts).map(|host| host.name.as_str()).collect();
        let mut seen = Vec::new();
        names.retain(|name| {
            !seen.contains(name) && {
                seen.push(*name);
                true
            }
        });
        return Err(Error::unsupported(format!("no host is found: install one of {}", names.join(", "))));
    }
    let folder = |interface: PluginInterface| {
        let folders = interface.folders();
        if let Some(folder) = folders.iter().find(|folder| can_be_written(folder)) {
            return Ok((interface, folder.clone()));
        }
        let name = &interface.name;
        if folders.is_empty() {
            let what =
                format!("{name}: no folder for them beside the program: write the files with --into, and copy them");
            return Err(Error::new(Kind::Io, what));
        }
        let list: Vec<String> = folders.iter().map(|folder| folder.display().to_string()).collect();
        let other = interface.variable.as_ref().map(|variable| format!(", or name a folder in {variable}"));
        let remedy = format!("install as root{}", other.unwrap_or_default());
        Err(Error::new(Kind::Io, format!("{name}: cannot write to {}: {remedy}", list.join(" or "))))
    };
    let found: Vec<_> = interfaces.into_iter().filter(PluginInterface::is_wanted).map(folder).collect();
    if !found.iter().any(Result::is_ok) {
        return found.into_iter().collect();
    }
    // What can be installed is; the rest is reported.
    let writable = |found: Result<_>| found.inspect_err(|error| log::warn!("{error}")).ok();
    Ok(found.into_iter().filter_map(writable).collect())
}

impl DescriptionFile {
    /// Puts the file there in one step. A host that has the old one open keeps it, and a link there is replaced: two names of
    /// one library would be one plugin to a host.
    fn write(&self, library: &Path) -> io::Result<()> {
        fs::create_dir_all(self.path.parent().unwrap_or(Path::new("/")))?;
        // Hosts read every .so of a folder.
        let temporary = self.path.with_extension(format!("{}.part", process::id()));
        let written = match &self.text {
            Some(text) => fs::write(&temporary, text),
            None => fs::copy(library, &temporary).map(drop),
        };
        let placed = written.and_then(|()| fs::rename(&temporary, &self.path));
        placed.inspect_err(|_| drop(fs::remove_file(&temporary)))
    }
}
