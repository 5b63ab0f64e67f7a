//! Which files make a sequence: those of a pattern, of a folder, or of a glob.

use super::name::{NumberedName, folder_of, in_folder, names_in, natural, split_number};
use crate::error::{Error, Kind, Result};
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};

/// What pictures are called; names of one line mean the same.
const EXTENSIONS: [&[&str]; 12] = [
    &["png"],
    &["jpg", "jpeg"],
    &["tif", "tiff"],
    &["exr"],
    &["dpx"],
    &["bmp"],
    &["webp"],
    &["tga"],
    &["ppm", "pgm", "pnm"],
    &["jp2", "j2k", "j2c"],
    &["jxl"],
    &["sgi", "rgb"],
];

/// More numbers in a row than these are no sequence with gaps, but times of day, say.
const MOST_HELD: u64 = 1 << 20;

/// So many gaps are named in an error.
const MOST_NAMED: usize = 5;

/// What is done about numbers that a sequence leaves out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Missing {
    /// Nothing is read.
    #[default]
    Refuse,
    /// The picture before lasts.
    Hold,
    /// The next one follows at once.
    Skip,
}

/// The files of a sequence, one a frame.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::io::libav) struct PictureList {
    files: Vec<PathBuf>,
}

impl PictureList {
    /// The sequence that `path` names: a folder, a pattern (`a_%04d.png`) or a glob (`a*.png`). `None` for anything else, and
    /// for a file that is called so.
    ///
    /// # Errors
    /// When it names no picture, pictures of several kinds, or a sequence with gaps that `missing` does not allow.
    pub(in crate::io::libav) fn find(path: &OsStr, missing: Missing) -> Result<Option<PictureList>> {
        let Some(text) = path.to_str().filter(|text| *text != "-" && !text.contains("://")) else { return Ok(None) };
        let files = match fs::metadata(path) {
            Ok(meta) if meta.is_dir() => in_order(pictures_in(Path::new(path))?),
            Ok(_) => return Ok(None),
            Err(_) => match NumberedName::parse(path)? {
                Some(name) => name.found()?.into_iter().map(|number| name.path(number)).collect(),
                None if text.contains(['*', '?', '[']) => in_order(matches(text)?),
                None => return Ok(None),
            },
        };
        if files.is_empty() {
            return Err(Error::new(Kind::Io, format!("{text}: No such file: no picture has such a name")));
        }
        check_kinds(text, &files)?;
        let files = match (gaps(&files), missing) {
            (gaps, _) if gaps.is_empty() => files,
            (_, Missing::Skip) => files,
            (gaps, Missing::Hold) if count(&gaps) <= MOST_HELD => held(&files),
            (gaps, Missing::Hold | Missing::Refuse) => return Err(incomplete(text, &gaps)),
        };
        Ok(Some(PictureList { files }))
    }

    /// The files, one for each frame.
    pub(in crate::io::libav) fn files(&self) -> &[PathBuf] {
        &self.files
    }
}

/// The pictures in `folder`, hidden files left out.
fn pictures_in(folder: &Path) -> Result<Vec<PathBuf>> {
    let mut names = names_in(folder)?;
    names.retain(|name| !name.starts_with('.') && kind(Path::new(name)).is_some());
    if names.is_empty() {
        return Err(Error::new(Kind::Io, format!("{}: Is a directory, and no picture is in it", folder.display())));
    }
    Ok(names.iter().map(|name| in_folder(folder, name)).collect())
}

fn matches(glob: &str) -> Result<Vec<PathBuf>> {
    let paths = glob::glob(glob).map_err(|e| Error::bad_argument(format!("{glob}: {}", e.msg)))?;
    Ok(paths.flatten().filter(|path| path.is_file()).collect())
}

fn in_order(mut files: Vec<PathBuf>) -> Vec<PathBuf> {
    files.sort_by_cached_key(|file| Natural(file.to_string_lossy().into_owned()));
    files
}

#[derive(PartialEq, Eq)]
struct Natural(String);

impl Ord for Natural {
    fn cmp(&self, other: &Natural) -> std::cmp::Ordering {
        natural(&self.0, &other.0)
    }
}

impl PartialOrd for Natural {
    fn partial_cmp(&self, other: &Natural) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

/// What kind of picture `path` is called.
fn kind(path: &Path) -> Option<&'static str> {
    let extension = path.extension()?.to_str()?.to_ascii_lowercase();
    EXTENSIONS.iter().find(|names| names.contains(&extension.as_str())).map(|names| names[0])
}

fn check_kinds(what: &str, files: &[PathBuf]) -> Result<()> {
    if let Some(other) = files.iter().find(|file| kind(file).is_none()) {
        let other = other.display();
        return Err(Error::bad_argument(format!("{what}: {other} is not called as a picture is: name pictures alone")));
    }
    let mut kinds: Vec<_> = files.iter().filter_map(|file| kind(file)).collect();
    kinds.sort_unstable();
    kinds.dedup();
    if let [one, _, ..] = kinds[..] {
        let folder = folder_of(&files[0]);
        let (kinds, folder) = (kinds.join(", "), folder.display());
        return Err(Error::bad_argument(format!(
            "{what}: pictures of several kinds ({kinds}): name one, '{folder}/*.{one}'"
        )));
    }
    Ok(())
}

/// A sequence's numbers, where all names are alike around their last one.
fn numbers(files: &[PathBuf]) -> Option<Vec<u64>> {
    let parts: Vec<_> = files.iter().map(|file| split_number(file.to_str()?)).collect::<Option<_>>()?;
    let (before, _, after) = *parts.first()?;
    parts.iter().map(|(b, number, a)| (*b == before && *a == after).then_some(*number)).collect()
}

/// The first and the last of every run of numbers that is left out.
fn gaps(files: &[PathBuf]) -> Vec<(u64, u64)> {
    let numbers = numbers(files).unwrap_or_default();
    let pairs = numbers.windows(2).filter(|pair| pair[0].saturating_add(1) < pair[1]);
    pairs.map(|pair| (pair[0] + 1, pair[1] - 1)).collect()
}

/// How many numbers are left out.
fn count(gaps: &[(u64, u64)]) -> u64 {
    gaps.iter().fold(0, |count, (first, last)| count.saturating_add(last - first + 1))
}

/// Every file as often as it lasts until the next number.
fn held(files: &[PathBuf]) -> Vec<PathBuf> {
    let numbers = numbers(files).unwrap_or_default();
    let lasts = numbers.windows(2).map(|pair| pair[1].saturating_sub(pair[0]).max(1)).chain([1]);
    files.iter().zip(lasts).flat_map(|(file, lasts)| std::iter::repeat_n(file.clone(), lasts as usize)).collect()
}

fn incomplete(what: &str, gaps: &[(u64, u64)]) -> Error {
    let run = |(first, last): &(u64, u64)| if first == last { first.to_string() } else { format!("{first}-{last}") };
    let mut runs: Vec<_> = gaps.iter().take(MOST_NAMED).map(run).collect();
    if gaps.len() > MOST_NAMED {
        runs.push("...".to_owned());
    }
    let count = count(gaps);
    Error::bad_argument(format!(
        "{what}: numbers are missing ({count}: {}): --missing hold repeats the picture before, --missing skip leaves them out",
        runs.join(", ")
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn files(names: &[&str]) -> Vec<PathBuf> {
        in_order(names.iter().map(PathBuf::from).collect())
    }

    #[test]
    fn gaps_are_found_and_held() {
        let some = files(&["a/2.png", "a/10.png", "a/3.png", "a/6.png", "a/7.png"]);
        assert_eq!(gaps(&some), [(4, 5), (8, 9)]);
        let message = incomplete("a", &gaps(&some)).to_string();
        assert!(message.contains("numbers are missing (4: 4-5, 8-9)"), "{message}");
        let names: Vec<_> = held(&some).iter().map(|file| file.display().to_string()).collect();
        let expected = ["2", "3", "3", "3", "6", "7", "7", "7", "10"].map(|n| format!("a/{n}.png"));
        assert_eq!(names, expected);
        assert_eq!(count(&[(1, u64::MAX - 1), (1, u64::MAX - 1)]), u64::MAX);
        assert_eq!(gaps(&files(&["a1.png", "b5.png"])), [], "two sequences, or none");
        assert_eq!(gaps(&files(&["cover.png", "x.png"])), []);
    }

    #[test]
    fn a_sequence_is_of_one_kind() {
        assert!(check_kinds("x", &files(&["1.jpg", "2.JPEG"])).is_ok());
        let message = check_kinds("x", &files(&["s/1.jpg", "s/2.png"])).unwrap_err().to_string();
        assert!(message.contains("(jpg, png): name one, 's/*.jpg'"), "{message}");
        assert!(check_kinds("x", &files(&["1.png", "notes.txt"])).is_err());
    }
}
