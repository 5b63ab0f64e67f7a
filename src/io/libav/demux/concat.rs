//! Lists of files that follow each other (ffconcat): checked here, joined by libav's concat demuxer.

use crate::error::{Error, Result};
use crate::io::libav::demux::demuxer::{self, Demuxer};
use crate::pipeline::Cancel;
use ffmpeg_next::codec::Id;
use ffmpeg_next::ffi::AVMediaType;
use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::Read;
use std::path::{Path, PathBuf};

/// What such lists are called; their first words are looked at too.
const EXTENSIONS: [&str; 3] = ["ffconcat", "concat", "txt"];

/// A longer text is no list that somebody wrote.
const MOST_BYTES: u64 = 1 << 20;

/// Codecs whose packets say what their decoder needs, also behind a joint.
const SELF_CONTAINED: [Id; 3] = [Id::H264, Id::AV1, Id::VP9];

/// The list in the file at `path`, with its paths made absolute, as libav reads it. `None` where it is no list.
///
/// # Errors
/// When a line is not understood, or a file is missing, or not like the first in its streams.
pub(in crate::io::libav) fn read(path: &Path, cancel: &Cancel) -> Result<Option<String>> {
    let Some(text) = list_at(path) else { return Ok(None) };
    let folder = fs::canonicalize(path.parent().filter(|p| *p != Path::new("")).unwrap_or(Path::new(".")));
    let folder = folder.map_err(|e| Error::io(path.display(), &e))?;
    let (list, files) = resolve(&text, &folder).map_err(|e| e.context(path.display()))?;
    if check_alike(&files, cancel).map_err(|e| e.context(path.display()))? {
        log::warn!("{}: the chapters of its files are left out", path.display());
    }
    Ok(Some(list))
}

/// The text of the list in the file at `path`.
fn list_at(path: &Path) -> Option<String> {
    let is_called_so = path.extension().and_then(OsStr::to_str).is_some_and(|e| EXTENSIONS.contains(&e));
    is_called_so.then(|| text_of(path)).flatten().filter(|text| is_list(text))
}

fn text_of(path: &Path) -> Option<String> {
    let mut text = String::new();
    File::open(path).ok()?.take(MOST_BYTES).read_to_string(&mut text).ok()?;
    Some(text.trim_start_matches('\u{feff}').to_owned())
}

/// Whether the first line that says something is one of a list.
fn is_list(text: &str) -> bool {
    let first = lines(text).next().map(|(_, line)| line);
    first.is_some_and(|line| line.starts_with("ffconcat version") || line.starts_with("file "))
}

/// Reads a list, for the fuzzer: no file of it is opened.
#[cfg(any(test, fuzzing))]
pub(crate) fn fuzz_list(text: &str) -> Result<()> {
    let _ = is_list(text);
    resolve(text, Path::new("/nonexistent")).map(drop)
}

/// The lines that say something, and their numbers.
fn lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let lines = text.lines().enumerate().map(|(i, line)| (i + 1, line.trim()));
    lines.filter(|(_, line)| !line.is_empty() && !line.starts_with('#'))
}

/// The list with absolute paths, and its files.
fn resolve(text: &str, folder: &Path) -> Result<(String, Vec<PathBuf>)> {
    let (mut list, mut files) = (String::from("ffconcat version 1.0\n"), Vec::new());
    for (number, line) in lines(text).filter(|(_, line)| !line.starts_with("ffconcat ")) {
        let Some(quoted) = line.strip_prefix("file ") else {
            list.push_str(line);
            list.push('\n');
            continue;
        };
        let wrong = |why: &str| Error::bad_argument(format!("line {number}: {why}"));
        let name = unquoted(quoted.trim()).ok_or_else(|| wrong("a quote is not closed"))?;
        if name.contains("://") {
            return Err(wrong("a list names files of this machine alone"));
        }
        let file = folder.join(name.strip_prefix("file:").unwrap_or(&name));
        if !fs::metadata(&file).map_err(|e| wrong(&format!("{}: {e}", file.display())))?.is_file() {
            return Err(wrong(&format!("{} is no file", file.display())));
        }
        if list_at(&file).is_some() {
            return Err(wrong(&format!("{} is a list itself", file.display())));
        }
        list.push_str(&format!("file 'file:{}'\n", file.display().to_string().replace('\'', r"'\''")));
        files.push(file);
    }
    if files.is_empty() { Err(Error::bad_argument("the list has no files")) } else { Ok((list, files)) }
}

/// `text` as libav's lists quote: `'...'` as it is, `\` before any character. It ends at a blank.
fn unquoted(text: &str) -> Option<String> {
    let (mut plain, mut chars) = (String::new(), text.chars());
    while let Some(c) = chars.next() {
        match c {
            '\'' => loop {
                match chars.next()? {
                    '\'' => break,
                    inside => plain.push(inside),
                }
            },
            '\\' => plain.push(chars.next()?),
            c if c.is_whitespace() => break,
            c => plain.push(c),
        }
    }
    Some(plain)
}

/// What the streams of a file must share with those of the first.
#[derive(PartialEq)]
struct StreamFormats(Vec<StreamFormat>);

#[derive(PartialEq)]
struct StreamFormat {
    /// In words, for the message.
    what: String,
    /// The format of its pixels or samples, by libav's number.
    format: i32,
    /// What the decoder is given before the first packet, where packets do not have it.
    header: Vec<u8>,
}

/// Refuses files whose streams are not like those of the first. Gives whether any has chapters.
fn check_alike(files: &[PathBuf], cancel: &Cancel) -> Result<bool> {
    let Some((first, others)) = files.split_first() else { return Ok(false) };
    let (layout, mut any_chapters) = layout(first, cancel)?;
    for file in others {
        let (other, has_chapters) = self::layout(file, cancel)?;
        any_chapters |= has_chapters;
        if other == layout {
            continue;
        }
        let words =
            |layout: &StreamFormats| layout.0.iter().map(|track| track.what.clone()).collect::<Vec<_>>().join(" + ");
        let (theirs, ours, name) = (words(&other), words(&layout), file.display());
        let why =
            if theirs == ours { "another format or decoder setup".to_owned() } else { format!("{theirs}, not {ours}") };
        return Err(Error::unsupported(format!(
            "{name} cannot follow {}: it has {why}; encode it alike first",
            first.display()
        )));
    }
    Ok(any_chapters)
}

/// The streams of `file`, and whether it has chapters.
fn layout(file: &Path, cancel: &Cancel) -> Result<(StreamFormats, bool)> {
    let demuxer = demuxer::open(file.as_os_str(), cancel)?;
    Ok((StreamFormats(tracks(&demuxer)), demuxer.nb_chapters() > 0))
}

fn tracks(demuxer: &Demuxer) -> Vec<StreamFormat> {
    let track = |stream: ffmpeg_next::Stream| {
        let parameters = stream.parameters();
        let id = parameters.id();
        // SAFETY: the parameters are alive, and their extradata is as long as they say.
        unsafe {
            let raw = &*parameters.as_ptr();
            let what = match raw.codec_type {
                AVMediaType::AVMEDIA_TYPE_VIDEO => format!("{} {}x{}", id.name(), raw.width, raw.height),
                AVMediaType::AVMEDIA_TYPE_AUDIO => format!("{} {} Hz", id.name(), raw.sample_rate),
                _ => id.name().to_owned(),
            };
            let length = usize::try_from(raw.extradata_size).unwrap_or(0);
            let header = match raw.extradata.is_null() || SELF_CONTAINED.contains(&id) {
                true => Vec::new(),
                false => std::slice::from_raw_parts(raw.extradata, length).to_vec(),
            };
            StreamFormat { what, format: raw.format, header }
        }
    };
    demuxer.streams().map(track).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_known_by_their_first_line() {
        assert!(is_list("ffconcat version 1.0\nfile a"));
        assert!(is_list("# joined\n\n  file 'a b.mp4'\n"));
        assert!(!is_list("files of mine\n") && !is_list("") && !is_list("note\nfile a"));
    }

    #[test]
    fn names_are_quoted_as_libav_quotes_them() {
        let table = [("a.mp4", "a.mp4"), (r"'it'\''s b.mp4' # x", "it's b.mp4"), (r"a\ b.mp4", "a b.mp4"), ("''", "")];
        for (quoted, plain) in table {
            assert_eq!(unquoted(quoted).as_deref(), Some(plain), "{quoted}");
        }
        assert_eq!([unquoted("'a"), unquoted(r"a\")], [None, None]);
    }

    #[test]
    fn what_is_no_file_here_is_refused_by_line() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
        let refused = |text: &str| resolve(text, folder).map(drop).unwrap_err().to_string();
        assert!(refused("file Cargo.toml\nfile gone.mkv").starts_with("line 2: "), "a missing file");
        assert!(refused("file src").contains("is no file"));
        assert!(refused("# x\nfile http://a/b.mkv").contains("line 2"));
        assert!(refused("ffconcat version 1.0").contains("no files"));
        let (list, files) = resolve("file Cargo.toml\nduration 3", folder).unwrap();
        assert_eq!(list.lines().last(), Some("duration 3"));
        assert_eq!(files, [folder.join("Cargo.toml")]);
    }
}
