//! The films of a batch: files, folders and lists.

use crate::error::{Error, Result};
use std::collections::HashSet;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::io::{self, Read};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

/// What the names of videos in a folder end with. Other files are reached by name.
const VIDEOS: [&str; 37] = [
    "264", "265", "3g2", "3gp", "asf", "av1", "avi", "dv", "f4v", "flv", "h264", "h265", "hevc", "ivf", "m2t", "m2ts",
    "m2v", "m4v", "mkv", "mov", "mp4", "mpeg", "mpg", "mts", "mxf", "nut", "obu", "ogm", "ogv", "rm", "rmvb", "ts",
    "vob", "webm", "wmv", "y4m", "vc1",
];

/// A video to filter.
#[derive(Clone, Debug, PartialEq)]
pub struct FoundInput {
    /// Where it is, as it was given or through the folder that was.
    pub path: PathBuf,
    /// Its folder within the one that was given; `None` for one that was named itself.
    pub within: Option<PathBuf>,
}

/// The videos of `given`: themselves, those in folders, and those in lists. One that is there twice counts once.
///
/// # Errors
/// When one is not there or cannot be read, and when there are none.
pub fn gather(given: &[OsString], recursive: bool) -> Result<Vec<FoundInput>> {
    let mut found = Vec::new();
    for path in given {
        match path.as_bytes() {
            [b'@', list @ ..] if !list.is_empty() => {
                for path in read_list(OsStr::from_bytes(list))? {
                    add(&path, recursive, &mut found)?;
                }
            }
            _ => add(Path::new(path), recursive, &mut found)?,
        }
    }
    let mut seen = HashSet::new();
    // What cannot be followed stays as it is.
    found.retain(|film| seen.insert(fs::canonicalize(&film.path).unwrap_or_else(|_| film.path.clone())));
    match found.is_empty() {
        true if given.is_empty() => Err(Error::bad_argument("no input: name videos, folders of them, or @FILE")),
        true => {
            let hint = if recursive { "" } else { " (--recursive looks into their folders too)" };
            Err(Error::bad_argument(format!("there is no video in what was named{hint}")))
        }
        false => Ok(found),
    }
}

fn add(path: &Path, recursive: bool, found: &mut Vec<FoundInput>) -> Result<()> {
    if path == Path::new("-") {
        return Err(Error::bad_argument("- is no file: a batch reads files (@- reads a list from standard input)"));
    }
    let meta = fs::metadata(path).map_err(|error| Error::io(path.display(), &error))?;
    if meta.is_dir() {
        return walk(path, Path::new(""), recursive, found);
    }
    found.push(FoundInput { path: path.to_owned(), within: None });
    Ok(())
}

/// Adds the videos of `folder`, which lies at `within` in the folder that was given, in the order of their names.
fn walk(folder: &Path, within: &Path, recursive: bool, found: &mut Vec<FoundInput>) -> Result<()> {
    let failed = |error| Error::io(folder.display(), &error);
    let mut entries = fs::read_dir(folder).and_then(Iterator::collect::<io::Result<Vec<_>>>).map_err(failed)?;
    entries.retain(|entry| !entry.file_name().as_bytes().starts_with(b"."));
    entries.sort_by_key(fs::DirEntry::file_name);
    for entry in entries {
        let path = entry.path();
        // Links to folders are not followed: they may lead in circles.
        if entry.file_type().map_err(failed)?.is_dir() {
            if recursive {
                walk(&path, &within.join(entry.file_name()), recursive, found)?;
            }
        } else if is_video(&path) && path.is_file() {
            found.push(FoundInput { path, within: Some(within.to_owned()) });
        }
    }
    Ok(())
}

fn is_video(path: &Path) -> bool {
    path.extension().is_some_and(|ending| VIDEOS.iter().any(|video| ending.eq_ignore_ascii_case(video)))
}

/// The paths of a list: one a line, or between zeros as `find -print0` writes them.
fn read_list(list: &OsStr) -> Result<Vec<PathBuf>> {
    let mut text = Vec::new();
    let read = match list == "-" {
        true => io::stdin().read_to_end(&mut text).map(drop),
        false => fs::read(list).map(|read| text = read),
    };
    read.map_err(|error| Error::io(format!("list {}", list.display()), &error))?;
    let separator = if text.contains(&0) { 0 } else { b'\n' };
    let lines = text.split(|byte| *byte == separator).map(|line| line.strip_suffix(b"\r").unwrap_or(line));
    let paths = lines.filter(|line| !line.is_empty() && !line.starts_with(b"#"));
    Ok(paths.map(|line| PathBuf::from(OsString::from_vec(line.to_owned()))).collect())
}
