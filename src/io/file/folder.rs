//! Many files that take their names only once all of them are whole.

use super::{create_hidden, exists, give_name, remove, unfinished};
use crate::error::{Error, Result};
use std::fs::{self, File, OpenOptions};
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};

/// A hidden folder beside the files that are to be. [`TempFolder::commit`] gives them their names; dropping it removes all.
#[derive(Debug)]
pub struct TempFolder {
    path: PathBuf,
    /// Where the files go.
    into: PathBuf,
    overwrite: bool,
    /// Those that are written, in order.
    names: Vec<String>,
    /// Locked as long as the folder is ours.
    _lock: File,
}

impl TempFolder {
    /// A folder for files that go to the folder `into`; `name` tells what they are. Existing files are replaced only with
    /// `overwrite`.
    ///
    /// # Errors
    /// When `into` does not exist, or cannot be written.
    pub fn create(into: &Path, name: &str, overwrite: bool) -> Result<TempFolder> {
        let failed = |e: io::Error| Error::io(into.display(), &e);
        let target = fs::canonicalize(into).map_err(failed)?;
        let (path, lock) = create_hidden(&target.join(name), create_locked).map_err(failed)?;
        unfinished().push(path.clone());
        Ok(TempFolder { path, into: target, overwrite, names: Vec::new(), _lock: lock })
    }

    /// Writes a whole file, which will be called `name`.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn write(&mut self, name: &str, bytes: &[u8]) -> Result<()> {
        let create = || OpenOptions::new().write(true).create_new(true).open(self.path.join(name));
        create().and_then(|mut file| file.write_all(bytes)).map_err(|e| Error::io(name, &e))?;
        self.names.push(name.to_owned());
        Ok(())
    }

    /// Gives every file its name. What fails leaves none that was not there before.
    ///
    /// # Errors
    /// When one cannot be renamed.
    pub fn commit(&mut self) -> Result<()> {
        for (done, name) in self.names.iter().enumerate() {
            let target = self.into.join(name);
            if let Err(error) = give_name(&self.path.join(name), &target, self.overwrite) {
                let made = self.names[..done].iter().filter(|_| !self.overwrite);
                // They are whole, but not all of them: as if none had been written.
                made.for_each(|name| drop(fs::remove_file(self.into.join(name))));
                return Err(match error.kind() {
                    ErrorKind::AlreadyExists => exists(target.as_os_str()),
                    _ => Error::io(target.display(), &error),
                });
            }
        }
        self.names.clear();
        Ok(())
    }
}

fn create_locked(path: &Path) -> io::Result<File> {
    fs::create_dir(path)?;
    File::open(path)
}

impl Drop for TempFolder {
    fn drop(&mut self) {
        unfinished().retain(|other| *other != self.path);
        if let Err(error) = remove(&self.path)
            && error.kind() != ErrorKind::NotFound
        {
            log::warn!("{}: could not be removed: {error}", self.path.display());
        }
    }
}
