//! The lines of a hash file, which may be anything.

use crate::error::{Error, Result};
use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};

/// The longest line that is read: a chain of the greatest length, every character of it escaped, fits.
const LONGEST: u64 = 1 << 19;

const BYTE_ORDER_MARK: &[u8] = "\u{feff}".as_bytes();

/// Lines, without their ends: LF or CR LF, as a checkout may have made them.
pub struct Lines {
    source: Box<dyn BufRead>,
    /// The number of the last one.
    number: usize,
    /// Whether the last one has no end.
    cut: bool,
}

/// What messages call the file at `path`.
pub fn name(path: &OsStr) -> String {
    if path == "-" { "standard input".to_owned() } else { path.display().to_string() }
}

/// The error of a file that is no hash file.
pub fn no_text_of_hashes() -> Error {
    Error::corrupt("not a hash file ('vramp hash' or ffmpeg's framemd5 and framehash make them)")
}

impl Lines {
    pub fn open(path: &OsStr) -> Result<Lines> {
        if path == "-" {
            return Ok(Lines::new(io::stdin().lock()));
        }
        let failed = |e| Error::io(path.display(), &e);
        let file = File::open(path).map_err(failed)?;
        if file.metadata().map_err(failed)?.is_dir() {
            return Err(failed(io::ErrorKind::IsADirectory.into()));
        }
        Ok(Lines::new(BufReader::new(file)))
    }

    pub fn new(source: impl BufRead + 'static) -> Lines {
        Lines { source: Box::new(source), number: 0, cut: false }
    }

    /// The next line; `None` at the end. A line without an end is one.
    ///
    /// # Errors
    /// When the source fails, or the line is too long or no text.
    pub fn next(&mut self) -> Result<Option<String>> {
        let mut line = Vec::new();
        let read = self.source.by_ref().take(LONGEST).read_until(b'\n', &mut line);
        if read.map_err(|e| Error::new(crate::error::Kind::Io, e.to_string()))? == 0 {
            return Ok(None);
        }
        self.number += 1;
        let whole = line.pop_if(|last| *last == b'\n').is_some();
        if whole {
            line.pop_if(|last| *last == b'\r');
        } else if line.len() as u64 == LONGEST {
            return Err(no_text_of_hashes());
        }
        self.cut = !whole;
        // Editors and shells may put a byte order mark first.
        if self.number == 1 && line.starts_with(BYTE_ORDER_MARK) {
            line.drain(..BYTE_ORDER_MARK.len());
        }
        String::from_utf8(line).map(Some).map_err(|_| no_text_of_hashes())
    }

    /// Whether the last line has no end: a file that was written whole has one.
    pub fn is_cut(&self) -> bool {
        self.cut
    }

    /// The error that the last line is not what should be there.
    pub fn wrong(&self, what: &str) -> Error {
        let number = self.number;
        Error::corrupt(match self.cut {
            true => format!("line {number}, the last, is cut off: make the text again"),
            false => format!("line {number}: {what}"),
        })
    }
}

/// `#key: value`, as `#key` alone with an empty value.
pub fn header(line: &str) -> Option<(&str, &str)> {
    let line = line.strip_prefix('#')?;
    Some(line.split_once(": ").unwrap_or((line.trim_end_matches(':'), "")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_end_as_they_may() {
        let mut lines = Lines::new(&b"a\r\n\nb\xc3\xa9"[..]);
        assert_eq!(lines.next().unwrap().as_deref(), Some("a"));
        assert_eq!(lines.next().unwrap().as_deref(), Some(""));
        assert_eq!(lines.next().unwrap().as_deref(), Some("bé"));
        assert_eq!(lines.next().unwrap(), None);
        assert!(lines.is_cut() && lines.wrong("x").message().starts_with("line 3, the last, is cut off"));
        let mut lines = Lines::new(&b"a\n"[..]);
        while lines.next().unwrap().is_some() {}
        assert_eq!((lines.is_cut(), lines.wrong("x").message()), (false, "line 1: x"));
    }

    #[test]
    fn what_is_no_text_is_refused_in_time() {
        assert!(Lines::new(&b"\xff\n"[..]).next().is_err());
        assert!(Lines::new(BufReader::new(io::repeat(0))).next().is_err());
    }

    #[test]
    fn headers_are_split_once() {
        assert_eq!(header("#chain: a(b: c)"), Some(("chain", "a(b: c)")));
        assert_eq!(header("#chain: "), Some(("chain", "")));
        assert_eq!(header("#chain:"), Some(("chain", "")));
        assert_eq!(header("0, 1"), None);
    }
}
