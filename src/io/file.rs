//! Output files that exist under their final name only once they are whole.

use crate::error::{Error, Kind, Result};
use crate::pipeline::Cancel;
use crossbeam_channel::{RecvTimeoutError, bounded};
use std::ffi::{OsStr, OsString};
use std::fs::{self, DirEntry, File, OpenOptions, TryLockError};
use std::io::{self, ErrorKind, Write};
use std::os::fd::{AsRawFd, RawFd};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

mod folder;

pub use folder::{TempFiles, TempFolder};

/// The name that stands for standard output (and, for inputs, standard input).
const STANDARD_STREAM: &str = "-";

/// Longer names get a temporary name without them: file systems stop at 255 bytes.
const LONGEST_NAME_KEPT: usize = 200;

/// What follows the finished file's name in those of temporary files, before the writer, its process and a number.
const UNFINISHED_MARK: &str = ".vramp-";

/// How the names of temporary files end.
const UNFINISHED_END: &str = ".part";

/// How often a wait for a pipe's reader looks for a stop request.
const LOOK: Duration = Duration::from_millis(50);

/// Temporary files that are neither committed nor removed yet.
static UNFINISHED: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

fn unfinished() -> MutexGuard<'static, Vec<PathBuf>> {
    UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Removes a temporary file, or a folder of them.
fn remove(path: &Path) -> io::Result<()> {
    match fs::symlink_metadata(path)?.is_dir() {
        true => fs::remove_dir_all(path),
        false => fs::remove_file(path),
    }
}

/// Removes every temporary file of this process: for an end that runs no destructors.
pub fn remove_unfinished() {
    for path in unfinished().drain(..) {
        // The process ends; there is nobody left to act on a failure.
        let _ = remove(&path);
    }
}

/// A file under a temporary name beside its final one. [`TempFile::commit`] renames it; dropping it removes it.
///
/// Standard output (`-`) and existing things that are not regular files (`/dev/null`, a named pipe) cannot be renamed
/// into place, and are written directly.
#[derive(Debug)]
pub struct TempFile {
    name: OsString,
    place: OutputState,
}

/// Where a library writes that writes by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outlet<'a> {
    /// To this descriptor, which is open and stays so: a named pipe opened again would wait for another reader.
    Stream(RawFd),
    /// To this file, which it opens.
    File(&'a Path),
}

#[derive(Debug)]
enum OutputState {
    Stdout,
    Direct(File),
    Beside {
        path: PathBuf,
        file: File,
        target: PathBuf,
        overwrite: bool,
    },
    /// After the rename.
    Final {
        path: PathBuf,
    },
}

impl TempFile {
    /// Creates the temporary file for `path`; an existing file is replaced only with `overwrite`, and only by
    /// [`TempFile::commit`]. A named pipe is waited for until somebody reads it, or `cancel` asks to stop.
    ///
    /// # Errors
    /// When the file exists and may not be replaced, its folder cannot be written, or the wait was stopped.
    pub fn create(path: &(impl AsRef<OsStr> + ?Sized), overwrite: bool, cancel: &Cancel) -> Result<TempFile> {
        Self::create_by(path, "", overwrite, cancel)
    }

    /// The same for `writer`, whose name the temporary file's name has, and which only removes what itself has left: where
    /// machines share a folder, locks do not always reach from one to another.
    ///
    /// # Errors
    /// As [`TempFile::create`].
    pub fn create_by(
        path: &(impl AsRef<OsStr> + ?Sized),
        writer: &str,
        overwrite: bool,
        cancel: &Cancel,
    ) -> Result<TempFile> {
        let path = path.as_ref();
        let name = path.to_owned();
        if path == STANDARD_STREAM {
            return Ok(TempFile { name, place: OutputState::Stdout });
        }
        let failed = |e| Error::io(path.display(), &e);
        let target = follow_links(Path::new(path));
        // The system follows more links than have a place to lead to: /dev/stdout may be a pipe without a name.
        let place = match fs::metadata(path) {
            Ok(meta) if meta.is_dir() => return Err(failed(ErrorKind::IsADirectory.into())),
            Ok(meta) if !meta.is_file() => {
                OutputState::Direct(open_direct(Path::new(path), cancel).map_err(|e| e.context(path.display()))?)
            }
            Ok(_) if !overwrite => return Err(exists(path)),
            _ => {
                let (temporary, file) = create_beside(&target, writer, create_file).map_err(failed)?;
                unfinished().push(temporary.clone());
                OutputState::Beside { path: temporary, file, target, overwrite }
            }
        };
        Ok(TempFile { name, place })
    }

    /// Where to write, for a library that writes by itself.
    pub fn outlet(&self) -> Outlet<'_> {
        match &self.place {
            OutputState::Stdout => Outlet::Stream(io::stdout().as_raw_fd()),
            OutputState::Direct(file) => Outlet::Stream(file.as_raw_fd()),
            OutputState::Beside { path, .. } | OutputState::Final { path } => Outlet::File(path),
        }
    }

    /// Gives the whole file its final name, once it is on the disk: after a power failure too, what has the name is
    /// whole. Writing ends here.
    ///
    /// # Errors
    /// When the rest cannot be written, or the file cannot be renamed; it is then removed.
    pub fn commit(&mut self) -> Result<()> {
        self.flush().map_err(|e| Error::io(self.name.display(), &e))?;
        let OutputState::Beside { path, file, target, overwrite } = &self.place else { return Ok(()) };
        // Also what a library wrote through a descriptor of its own: the call is about the file.
        file.sync_all().map_err(|e| Error::io(self.name.display(), &e))?;
        match give_name(path, target, *overwrite) {
            Err(e) if e.kind() == ErrorKind::AlreadyExists => return Err(exists(&self.name)),
            result => result.map_err(|e| Error::io(self.name.display(), &e))?,
        }
        unfinished().retain(|other| other != path);
        sync_folder(target);
        self.place = OutputState::Final { path: target.clone() };
        Ok(())
    }
}

/// Has the disk keep the name of `target`. Some file systems cannot; the file is whole with them too.
fn sync_folder(target: &Path) {
    if let Ok(folder) = File::open(folder_of(target)) {
        let _ = folder.sync_all();
    }
}

/// The folder that `target` lies in.
fn folder_of(target: &Path) -> &Path {
    target.parent().filter(|folder| *folder != Path::new("")).unwrap_or(Path::new("."))
}

/// Where `path` leads. A link is followed, so that what it points at is written and the link stays, also when there is
/// nothing at its end yet.
pub fn follow_links(path: &Path) -> PathBuf {
    /// As many as Linux follows.
    const MOST_LINKS: usize = 40;
    if let Ok(whole) = fs::canonicalize(path) {
        return whole;
    }
    let mut end = path.to_owned();
    for _ in 0..MOST_LINKS {
        let Ok(next) = fs::read_link(&end) else { break };
        end = end.parent().unwrap_or(Path::new("")).join(next);
    }
    end
}

/// Renames `path` to `target`. A file that is replaced passes its permissions on; without `overwrite` none is replaced,
/// also one that appears at this moment.
fn give_name(path: &Path, target: &Path, overwrite: bool) -> io::Result<()> {
    if overwrite {
        if let Ok(old) = fs::metadata(target) {
            fs::set_permissions(path, old.permissions())?;
        }
        return fs::rename(path, target);
    }
    match fs::hard_link(path, target) {
        Ok(()) => fs::remove_file(path),
        Err(e) if e.kind() == ErrorKind::AlreadyExists => Err(e),
        // A file system without hard links.
        Err(_) if target.symlink_metadata().is_ok() => Err(ErrorKind::AlreadyExists.into()),
        Err(_) => fs::rename(path, target),
    }
}

fn exists(path: &OsStr) -> Error {
    Error::bad_argument(format!("{} exists: give -y to replace it", path.display()))
}

/// Opens what is no regular file for writing. A named pipe opens when somebody reads it, so a thread waits for that.
fn open_direct(path: &Path, cancel: &Cancel) -> Result<File> {
    let (send, opened) = bounded(1);
    let target = path.to_owned();
    let open = move || drop(send.send(OpenOptions::new().write(true).open(target)));
    let failed = |e| Error::new(Kind::Io, format!("cannot be opened: {e}"));
    thread::Builder::new().name("vramp-open".to_owned()).spawn(open).map_err(failed)?;
    loop {
        match opened.recv_timeout(LOOK) {
            Ok(opened) => return opened.map_err(|e| Error::new(Kind::Io, e.to_string())),
            Err(RecvTimeoutError::Disconnected) => return Err(Error::internal("the thread that opens it ended")),
            Err(RecvTimeoutError::Timeout) if cancel.is_requested() => {
                return Err(Error::new(Kind::Cancelled, "stopped; this pipe has no reader"));
            }
            Err(RecvTimeoutError::Timeout) => {}
        }
    }
}

fn create_file(path: &Path) -> io::Result<File> {
    OpenOptions::new().write(true).create_new(true).open(path)
}

/// What `create` makes in the folder of `target`, under a name that no finished file has, locked as long as it is used. What
/// killed runs of the same `writer` left of the same target goes.
fn create_beside(
    target: &Path,
    writer: &str,
    create: impl Fn(&Path) -> io::Result<File>,
) -> io::Result<(PathBuf, File)> {
    let name = target.file_name().ok_or(ErrorKind::InvalidInput)?;
    let name = if name.len() > LONGEST_NAME_KEPT { OsStr::new("long-name") } else { name };
    let mut hidden = OsString::from(".");
    hidden.push(name);
    hidden.push(UNFINISHED_MARK);
    if !writer.is_empty() {
        hidden.push(format!("{writer}-"));
    }
    remove_abandoned(target, &hidden);
    for attempt in 0..u32::MAX {
        let mut unique = hidden.clone();
        unique.push(format!("{}-{attempt}{UNFINISHED_END}", std::process::id()));
        let path = target.with_file_name(unique);
        match create(&path) {
            // Another run may look for abandoned files at this moment: what it locks, it removes.
            Ok(file) => match file.try_lock() {
                Err(TryLockError::WouldBlock) => {}
                _ if !path.exists() => {}
                // Where files cannot be locked, none is removed.
                _ => return Ok((path, file)),
            },
            Err(e) if e.kind() == ErrorKind::AlreadyExists => {}
            Err(e) => return Err(e),
        }
    }
    Err(ErrorKind::AlreadyExists.into())
}

/// Removes temporary files of `target`, whose names begin with `start`, that nobody writes any more: runs that were
/// killed leave them, and hidden as they are, they would fill the disk unseen.
fn remove_abandoned(target: &Path, start: &OsStr) {
    let is_ours = |entry: &DirEntry| {
        let name = entry.file_name();
        let rest = name.as_encoded_bytes().strip_prefix(start.as_encoded_bytes());
        let number = rest.and_then(|rest| rest.strip_suffix(UNFINISHED_END.as_bytes()));
        number.is_some_and(is_unique) && entry.file_type().is_ok_and(|kind| kind.is_file() || kind.is_dir())
    };
    // What cannot be listed, opened or locked is left alone.
    let entries = fs::read_dir(folder_of(target)).into_iter().flatten().flatten();
    for path in entries.filter(is_ours).map(|entry| entry.path()) {
        let abandoned = File::open(&path).is_ok_and(|file| file.try_lock().is_ok() && remove(&path).is_ok());
        if abandoned {
            log::info!("{}: removed; a run that was killed left it", path.display());
        }
    }
}

/// Whether `number` is what makes a temporary file's name unique, written as [`create_beside`] writes it.
fn is_unique(number: &[u8]) -> bool {
    let plain = |text: &str| text.parse::<u32>().is_ok_and(|value| value.to_string() == text);
    let parts = std::str::from_utf8(number).ok().and_then(|number| number.split_once('-'));
    parts.is_some_and(|(process, attempt)| plain(process) && plain(attempt))
}

impl Write for TempFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match &mut self.place {
            OutputState::Stdout => io::stdout().write(bytes),
            OutputState::Direct(file) | OutputState::Beside { file, .. } => file.write(bytes),
            OutputState::Final { .. } => Err(io::Error::other("the file is finished")),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match &mut self.place {
            OutputState::Stdout => io::stdout().flush(),
            OutputState::Direct(file) | OutputState::Beside { file, .. } => file.flush(),
            OutputState::Final { .. } => Ok(()),
        }
    }
}

impl Drop for TempFile {
    fn drop(&mut self) {
        let OutputState::Beside { path, .. } = &self.place else { return };
        unfinished().retain(|other| other != path);
        if let Err(error) = fs::remove_file(path)
            && error.kind() != ErrorKind::NotFound
        {
            log::warn!("{}: could not be removed: {error}", path.display());
        }
    }
}

#[cfg(test)]
mod tests;
