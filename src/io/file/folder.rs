//! Hidden folders beside an output, and many files that take their names only once all of them are whole.

use super::{STANDARD_STREAM, create_beside, exists, follow_links, give_name, remove, sync_folder, unfinished};
use crate::error::{Error, Result};
use std::ffi::OsStr;
use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, ErrorKind, Write};
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};

/// A folder for files that are needed while an output is made. It lies beside the output, and goes with all that is in it when
/// it is dropped.
#[derive(Debug)]
pub struct TempFolder {
    path: PathBuf,
    /// Locked as long as the folder is ours.
    _lock: File,
}

impl TempFolder {
    /// Creates the folder for the output `path`: in the system's place for temporary files if that is no regular file.
    ///
    /// # Errors
    /// When it cannot be made.
    pub fn create(path: &OsStr) -> Result<TempFolder> {
        let is_stream = path == STANDARD_STREAM || fs::metadata(path).is_ok_and(|meta| !meta.is_file());
        let target = if is_stream { std::env::temp_dir().join("output") } else { follow_links(Path::new(path)) };
        TempFolder::beside(&target).map_err(|e| Error::io(target.display(), &e))
    }

    fn beside(target: &Path) -> io::Result<TempFolder> {
        let (path, lock) = create_beside(target, "", |folder| {
            DirBuilder::new().mode(0o700).create(folder)?;
            File::open(folder)
        })?;
        unfinished().push(path.clone());
        Ok(TempFolder { path, _lock: lock })
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }
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

/// Files that are written in a hidden folder. [`TempFiles::commit`] gives them their names; dropping it removes all.
#[derive(Debug)]
pub struct TempFiles {
    folder: TempFolder,
    /// Where the files go.
    into: PathBuf,
    overwrite: bool,
    /// Those that are written, in order.
    names: Vec<String>,
}

impl TempFiles {
    /// Files that go to the folder `into`; `name` says what they are. Existing files are replaced only with `overwrite`.
    ///
    /// # Errors
    /// When `into` does not exist, or cannot be written.
    pub fn create(into: &Path, name: &str, overwrite: bool) -> Result<TempFiles> {
        let failed = |e: io::Error| Error::io(into.display(), &e);
        let into = fs::canonicalize(into).map_err(failed)?;
        let folder = TempFolder::beside(&into.join(name)).map_err(failed)?;
        Ok(TempFiles { folder, into, overwrite, names: Vec::new() })
    }

    /// Writes a whole file, which will be called `name`.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn write(&mut self, name: &str, bytes: &[u8]) -> Result<()> {
        let create = || OpenOptions::new().write(true).create_new(true).open(self.folder.path.join(name));
        create().and_then(|mut file| file.write_all(bytes)).map_err(|e| Error::io(name, &e))?;
        self.names.push(name.to_owned());
        Ok(())
    }

    /// Has the disk keep every file, and gives each its name. What fails leaves none that was not there before.
    ///
    /// # Errors
    /// When one cannot be kept or renamed.
    pub fn commit(&mut self) -> Result<()> {
        // Before the first has its name: a name without its samples would look finished after a power cut.
        for name in &self.names {
            let file = File::open(self.folder.path.join(name));
            file.and_then(|file| file.sync_all()).map_err(|e| Error::io(self.into.join(name).display(), &e))?;
        }
        for (done, name) in self.names.iter().enumerate() {
            let target = self.into.join(name);
            if let Err(error) = give_name(&self.folder.path.join(name), &target, self.overwrite) {
                let made = self.names[..done].iter().filter(|_| !self.overwrite);
                // They are whole, but not all of them: as if none had been written.
                made.for_each(|name| drop(fs::remove_file(self.into.join(name))));
                return Err(match error.kind() {
                    ErrorKind::AlreadyExists => exists(target.as_os_str()),
                    _ => Error::io(target.display(), &error),
                });
            }
        }
        if let Some(name) = self.names.first() {
            sync_folder(&self.into.join(name));
        }
        self.names.clear();
        Ok(())
    }
}
