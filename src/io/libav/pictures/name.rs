//! Names with a number in them (`shot_%04d.png`), and the order in which people count.

use crate::error::{Error, Result};
use std::cmp::Ordering;
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};

/// Longer numbers are typing mistakes, and do not fit.
const MOST_DIGITS: usize = 18;

/// The names of a sequence: a folder, and what surrounds the number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::io::libav) struct NumberedName {
    folder: PathBuf,
    before: String,
    /// Digits at least, filled up with zeros.
    digits: usize,
    after: String,
}

impl NumberedName {
    /// Reads `%d`, `%4d` or `%04d` in the file's name, and `%%` as a percent sign. `None` where there is no number.
    ///
    /// # Errors
    /// When there are two numbers, or one in a folder's name.
    pub(in crate::io::libav) fn parse(path: &OsStr) -> Result<Option<NumberedName>> {
        let path = Path::new(path);
        let Some(name) = path.file_name().and_then(OsStr::to_str) else { return Ok(None) };
        let wrong = |why| Err(Error::bad_argument(format!("{}: {why}", path.display())));
        let folder = folder_of(path);
        if folder.to_str().is_some_and(|folder| number_in(folder).is_some()) {
            return wrong("the number belongs in the file's name, not in a folder's");
        }
        let Some((at, end, digits)) = number_in(name) else { return Ok(None) };
        if digits > MOST_DIGITS {
            return wrong("a number has 18 digits at most");
        }
        if number_in(&name[end..]).is_some() {
            return wrong("a name has one number");
        }
        let plain = |text: &str| text.replace("%%", "%");
        Ok(Some(NumberedName { folder, before: plain(&name[..at]), digits, after: plain(&name[end..]) }))
    }

    /// The folder, "." for the current one.
    pub(in crate::io::libav) fn folder(&self) -> &Path {
        &self.folder
    }

    /// The name of number `number`.
    pub(in crate::io::libav) fn name(&self, number: u64) -> String {
        format!("{}{number:0digits$}{}", self.before, self.after, digits = self.digits)
    }

    /// The path of number `number`.
    pub(in crate::io::libav) fn path(&self, number: u64) -> PathBuf {
        in_folder(&self.folder, &self.name(number))
    }

    /// The number of `name`, where this is how it would be written.
    pub(in crate::io::libav) fn number(&self, name: &str) -> Option<u64> {
        let digits = name.strip_prefix(self.before.as_str())?.strip_suffix(self.after.as_str())?;
        let number = digits.parse().ok().filter(|_| digits.len() <= MOST_DIGITS + 1)?;
        (self.name(number) == name).then_some(number)
    }

    /// The numbers that there are, in order.
    ///
    /// # Errors
    /// When the folder cannot be read.
    pub(in crate::io::libav) fn found(&self) -> Result<Vec<u64>> {
        let names = names_in(&self.folder)?;
        let mut numbers: Vec<u64> = names.iter().filter_map(|name| self.number(name)).collect();
        numbers.sort_unstable();
        Ok(numbers)
    }
}

/// The place, the end and the digits of the first number that `text` asks for.
fn number_in(text: &str) -> Option<(usize, usize, usize)> {
    let mut from = 0;
    while let Some(at) = text[from..].find('%').map(|at| from + at) {
        let rest = &text[at + 1..];
        let digits = rest.len() - rest.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        if rest[digits..].starts_with('d') {
            return Some((at, at + digits + 2, rest[..digits].parse().unwrap_or(usize::from(digits == 0))));
        }
        from = at + if rest.starts_with('%') { 2 } else { 1 };
    }
    None
}

/// The folder that `path` lies in.
pub(in crate::io::libav) fn folder_of(path: &Path) -> PathBuf {
    path.parent().filter(|folder| *folder != Path::new("")).unwrap_or(Path::new(".")).to_owned()
}

/// `name` in `folder`, written without a leading "./".
pub(in crate::io::libav) fn in_folder(folder: &Path, name: &str) -> PathBuf {
    if folder == Path::new(".") { PathBuf::from(name) } else { folder.join(name) }
}

/// The names in `folder` that are text.
///
/// # Errors
/// When it cannot be read.
pub(in crate::io::libav) fn names_in(folder: &Path) -> Result<Vec<String>> {
    let failed = |e| Error::io(folder.display(), &e);
    let entries = fs::read_dir(folder).map_err(failed)?;
    let mut names = Vec::new();
    for entry in entries {
        names.extend(entry.map_err(failed)?.file_name().into_string());
    }
    Ok(names)
}

/// A name in front of its last number, the number, and what follows. An extension (`.jp2`) has no number.
pub(in crate::io::libav) fn split_number(name: &str) -> Option<(&str, u64, &str)> {
    let stem = name.rfind('.').unwrap_or(name.len());
    let end = name[..stem].rfind(|c: char| c.is_ascii_digit())? + 1;
    let start = name[..end].trim_end_matches(|c: char| c.is_ascii_digit()).len();
    Some((&name[..start], name[start..end].parse().ok()?, &name[end..]))
}

/// Numbers in names by their value, so that `9.png` comes before `10.png`; all else letter by letter.
pub(in crate::io::libav) fn natural(a: &str, b: &str) -> Ordering {
    let (mut left, mut right) = (a, b);
    loop {
        let (Some(x), Some(y)) = (left.chars().next(), right.chars().next()) else {
            return left.len().cmp(&right.len()).then_with(|| a.cmp(b));
        };
        let order = if x.is_ascii_digit() && y.is_ascii_digit() {
            by_value(take_digits(&mut left), take_digits(&mut right))
        } else {
            (left, right) = (&left[x.len_utf8()..], &right[y.len_utf8()..]);
            x.cmp(&y)
        };
        if order.is_ne() {
            return order;
        }
    }
}

/// The digits that `text` begins with, which are taken from it.
fn take_digits<'a>(text: &mut &'a str) -> &'a str {
    let rest = text.trim_start_matches(|c: char| c.is_ascii_digit());
    let digits = &text[..text.len() - rest.len()];
    *text = rest;
    digits
}

fn by_value(a: &str, b: &str) -> Ordering {
    let (a, b) = (a.trim_start_matches('0'), b.trim_start_matches('0'));
    a.len().cmp(&b.len()).then_with(|| a.cmp(b))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(path: &str) -> Option<NumberedName> {
        NumberedName::parse(path.as_ref()).unwrap()
    }

    #[test]
    fn numbers_are_written_and_read() {
        let name = parsed("shots/a_%04d.png").unwrap();
        assert_eq!(name.path(7), Path::new("shots/a_0007.png"));
        assert_eq!(name.path(12345), Path::new("shots/a_12345.png"));
        assert_eq!([name.number("a_0007.png"), name.number("a_12345.png")], [Some(7), Some(12345)]);
        for other in ["a_7.png", "a_00012345.png", "a_.png", "b_0007.png", "a_0007.jpg", "a_-007.png"] {
            assert_eq!(name.number(other), None, "{other}");
        }
        let plain = parsed("%d.png").unwrap();
        assert_eq!((plain.path(7), plain.number("07.png")), ("7.png".into(), None));
        assert_eq!(parsed("50%% of %3d.png").unwrap().name(2), "50% of 002.png");
    }

    #[test]
    fn other_percent_signs_are_letters() {
        for path in ["a.png", "100%.png", "100% done.png", "100%% %x.png", "%%04d.png"] {
            assert_eq!(parsed(path), None, "{path}");
        }
        for path in ["%d_%d.png", "shot%d/a.png", "%999d.png"] {
            assert!(NumberedName::parse(path.as_ref()).is_err(), "{path}");
        }
    }

    #[test]
    fn numbers_count_by_value() {
        let mut names = ["b1", "a10", "a9", "a", "a09", "a9b", "a100000000000000000000000", "a010"];
        names.sort_by(|a, b| natural(a, b));
        assert_eq!(names, ["a", "a09", "a9", "a9b", "a010", "a10", "a100000000000000000000000", "b1"]);
        assert_eq!(split_number("s01_e0020b.jp2"), Some(("s01_e", 20, "b.jp2")));
        assert_eq!(split_number("cover.png"), None);
    }
}
