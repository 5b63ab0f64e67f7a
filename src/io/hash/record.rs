//! What a text of hashes says.

use crate::error::Result;
use crate::io::hash::digest::Hash;
use crate::io::hash::{ffmpeg, layout, lines};
use crate::video::{ChromaLocation, ColorInfo, Format, Range, Rational, StreamInfo};
use std::ffi::OsStr;
use std::fmt;

/// How a text of hashes is laid out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Layout {
    /// vramp's own: a hash a plane, everything that describes a frame, and an end that tells a whole file.
    Vramp,
    /// That of ffmpeg's `framemd5` and `framehash`: a hash a frame.
    Ffmpeg,
}

/// A text of hashes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HashFile {
    /// Its layout, which says what an entry's hashes are of.
    pub layout: Layout,
    /// Its hash function.
    pub hash: Hash,
    /// What wrote it.
    pub software: String,
    /// The options it was made with, by name: chain, depth, dither, format, start, end, frames.
    pub asked: Vec<(String, String)>,
    /// What it says of the stream.
    pub stated: Stated,
    /// The frames, in order.
    pub frames: Vec<Entry>,
}

impl HashFile {
    /// Reads the text at `path` (`-` is standard input), in either layout.
    ///
    /// # Errors
    /// When it cannot be read, is no such text, is cut off or was changed, or is of a later version.
    pub fn read(path: &OsStr) -> Result<HashFile> {
        let name = lines::name(path);
        let mut lines = lines::Lines::open(path)?;
        let first = lines.next().map_err(|e| e.context(&name))?;
        let read = match first.as_deref() {
            Some(layout::FIRST_LINE) => layout::read(&mut lines),
            Some(ffmpeg::FIRST_LINE) => ffmpeg::read(&mut lines),
            _ => Err(lines::no_text_of_hashes()),
        };
        read.map_err(|e| e.context(name))
    }

    /// What it was made with under `name`.
    pub fn asked(&self, name: &str) -> Option<&str> {
        self.asked.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str())
    }
}

/// What is known of one frame.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Its place in the source, from 0.
    pub index: u64,
    /// Presentation time, if it has one.
    pub pts: Option<i64>,
    /// Duration; 0 is unknown.
    pub duration: i64,
    /// Whether the source coded it by itself.
    pub key: bool,
    /// Bytes of its samples.
    pub bytes: u64,
    /// The hash of its samples, or those of its planes one behind the other.
    pub hashes: Box<[u8]>,
}

/// What a text says of the stream, as far as it does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stated {
    /// The unit of times.
    pub timebase: Rational,
    /// Luma width and height.
    pub size: (usize, usize),
    /// Sample aspect ratio.
    pub sar: Rational,
    /// Sample format.
    pub format: Option<Format>,
    /// Colour description.
    pub color: Option<ColorInfo>,
    /// Bytes of a frame's samples.
    pub bytes: Option<u64>,
}

/// A trait of the stream in which two texts differ.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trait {
    /// Which.
    pub name: &'static str,
    /// What was expected.
    pub expected: String,
    /// What was found.
    pub found: String,
}

impl Stated {
    /// All that is known of `info`.
    pub fn of(info: &StreamInfo) -> Stated {
        let plane = |plane| info.format.plane_size(plane, info.width, info.height);
        let bytes = (0..info.format.planes()).map(plane).map(|(row, rows)| (row * rows) as u64).sum();
        Stated {
            timebase: info.timebase,
            size: (info.width, info.height),
            sar: info.sar,
            format: Some(info.format),
            color: Some(info.color),
            bytes: Some(bytes),
        }
    }

    /// Every trait in which `found` differs, as far as both state it. The unit of times is none: times are compared
    /// whatever it is.
    pub fn differences(&self, found: &Stated) -> Vec<Trait> {
        let mut all = Vec::new();
        let mut compare = |name, expected: String, found: String| {
            if expected != found {
                all.push(Trait { name, expected, found });
            }
        };
        let size = |(width, height)| format!("{width}x{height}");
        compare("size", size(self.size), size(found.size));
        match (self.format, found.format) {
            (Some(expected), Some(found)) => compare("format", expected.to_string(), found.to_string()),
            _ if self.size != found.size => {}
            _ => {
                if let (Some(expected), Some(found)) = (self.bytes, found.bytes) {
                    compare("bytes a frame", expected.to_string(), found.to_string());
                }
            }
        }
        // Not stated is square.
        let sar = |sar: Rational| sar.value().map_or_else(|| "1/1".to_owned(), |_| reduced(sar).to_string());
        compare("sar", sar(self.sar), sar(found.sar));
        if let (Some(expected), Some(found)) = (self.color, found.color) {
            for ((name, expected), (_, found)) in tags(&expected).into_iter().zip(tags(&found)) {
                compare(name, expected, found);
            }
        }
        all
    }
}

fn reduced(ratio: Rational) -> Rational {
    let (mut a, mut b) = (ratio.num.unsigned_abs(), ratio.den.unsigned_abs());
    while b > 0 {
        (a, b) = (b, a % b);
    }
    // A divisor of a positive i32; i32::MIN alone could be its own, and stays.
    i32::try_from(a.max(1)).map_or(ratio, |divisor| Rational::new(ratio.num / divisor, ratio.den / divisor))
}

/// The words of a range.
const RANGES: [(Range, &str); 3] =
    [(Range::Unspecified, "unspecified"), (Range::Limited, "limited"), (Range::Full, "full")];

/// The colour description as names and values.
pub(super) fn tags(color: &ColorInfo) -> [(&'static str, String); 5] {
    let range = RANGES.iter().find(|(range, _)| *range == color.range).map_or("unspecified", |(_, word)| word);
    let location = color.chroma_location.0.map_or_else(|| "unspecified".to_owned(), |point| point.to_string());
    [
        ("range", range.to_owned()),
        ("matrix", color.matrix.to_string()),
        ("transfer", color.transfer.to_string()),
        ("primaries", color.primaries.to_string()),
        ("chroma_location", location),
    ]
}

/// The colour description that [`tags`] writes so. `value` finds a name's value.
pub(super) fn color<'t>(value: impl Fn(&'static str) -> Option<&'t str>) -> Option<ColorInfo> {
    let point = |name| value(name)?.parse().ok();
    let location = value("chroma_location")?;
    Some(ColorInfo {
        range: RANGES.iter().find(|(_, word)| Some(*word) == value("range")).map(|(range, _)| *range)?,
        matrix: point("matrix")?,
        transfer: point("transfer")?,
        primaries: point("primaries")?,
        chroma_location: ChromaLocation(if location == "unspecified" { None } else { Some(location.parse().ok()?) }),
    })
}

/// "1/25".
pub(super) fn rational(text: &str) -> Option<Rational> {
    let (num, den) = text.split_once('/')?;
    Some(Rational::new(num.parse().ok()?, den.parse().ok()?))
}

/// "1280x720".
pub(super) fn size(text: &str) -> Option<(usize, usize)> {
    let (width, height) = text.split_once('x')?;
    Some((width.parse().ok()?, height.parse().ok()?))
}

impl fmt::Display for Trait {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {} instead of {}", self.name, self.found, self.expected)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_are_read_back() {
        let full = ColorInfo {
            range: Range::Full,
            matrix: 9,
            transfer: 16,
            primaries: 200,
            chroma_location: ChromaLocation(Some(2)),
        };
        for written in [ColorInfo::default(), full] {
            let tags = tags(&written);
            let value = |name| tags.iter().find(|(key, _)| *key == name).map(|(_, value)| value.as_str());
            assert_eq!(color(value), Some(written));
        }
    }

    #[test]
    fn only_what_both_state_differs() {
        let info = StreamInfo::bare("yuv420p".parse().unwrap(), 4, 2);
        let ours = Stated::of(&info);
        assert_eq!(ours.bytes, Some(12));
        let names = |expected: &Stated, found: &Stated| -> Vec<_> {
            expected.differences(found).into_iter().map(|differs| differs.name).collect()
        };
        let theirs = Stated { format: None, color: None, sar: Rational::new(0, 1), ..ours };
        assert_eq!(names(&theirs, &ours), [""; 0], "what is not stated");
        assert_eq!(names(&Stated { timebase: Rational::new(1, 90000), ..ours }, &ours), [""; 0]);
        assert_eq!(names(&Stated { sar: Rational::new(10, 10), ..ours }, &ours), [""; 0]);
        assert_eq!(names(&Stated { bytes: Some(24), ..theirs }, &ours), ["bytes a frame"]);
        assert_eq!(names(&Stated { size: (2, 2), ..theirs }, &ours), ["size"], "the bytes follow from it");
        let full = ColorInfo { range: Range::Full, ..ColorInfo::default() };
        let other = Stated { format: Some("nv12".parse().unwrap()), color: Some(full), ..ours };
        assert_eq!(names(&other, &ours), ["format", "range"]);
        assert_eq!(other.differences(&ours)[0].to_string(), "format yuv420p instead of nv12");
    }
}
