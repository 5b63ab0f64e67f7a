//! What a hash file says.

use crate::compare::diagnosis::{Entry, Times};
use crate::error::Result;
use crate::io::hash::digest::Hash;
use crate::io::hash::streams::CodedStream;
use crate::io::hash::{ffmpeg, layout, lines};
use crate::video::{
    ChromaLocation, ColorInfo, Format, Presentation, Range, Rational, Rotation, StreamInfo, code_point_name,
};
use std::ffi::OsStr;
use std::fmt;
use std::str::FromStr;

/// How a hash file is laid out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HashFormat {
    /// vramp's own: a hash a plane, everything that describes a frame, and an end that marks a whole file.
    Vramp,
    /// That of ffmpeg's `framemd5` and `framehash`: a hash a frame.
    Ffmpeg,
}

impl HashFormat {
    /// Which times are the same in a file of this format: ffmpeg, which wrote it, may have counted from zero.
    pub fn times(self) -> Times {
        match self {
            HashFormat::Vramp => Times::Exact,
            HashFormat::Ffmpeg => Times::Offset,
        }
    }
}

/// A hash file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HashFile {
    /// Its layout, which says what an entry's hashes are of.
    pub layout: HashFormat,
    /// Its hash function.
    pub hash: Hash,
    /// What wrote it.
    pub software: String,
    /// The options it was made with, by name: chain, depth, dither, format, start, end, frames.
    pub asked: Vec<(String, String)>,
    /// What it says of the stream.
    pub stated: StatedTags,
    /// Whether its last line has no end, so that more may have followed.
    pub cut: bool,
    /// The streams beside the frames; `None`: it says nothing of them.
    pub streams: Option<Vec<CodedStream>>,
    /// The frames, in order.
    pub frames: Vec<Entry>,
}

impl HashFile {
    /// Reads the hash file at `path` (`-` is standard input), in either layout.
    ///
    /// # Errors
    /// When it cannot be read, is no hash file, is cut off or was changed, or is of a later version.
    pub fn read(path: &OsStr) -> Result<HashFile> {
        HashFile::read_lines(lines::Lines::open(path)?).map_err(|e| e.context(lines::name(path)))
    }

    /// Reads the hash file that `source` gives, for the fuzzer.
    #[cfg(any(test, fuzzing))]
    pub fn read_from(source: impl std::io::BufRead + 'static) -> Result<HashFile> {
        HashFile::read_lines(lines::Lines::new(source))
    }

    fn read_lines(mut lines: lines::Lines) -> Result<HashFile> {
        match lines.next()?.as_deref() {
            Some(layout::FIRST_LINE) => layout::read(&mut lines),
            Some(ffmpeg::FIRST_LINE) => ffmpeg::read(&mut lines),
            _ => Err(lines::no_text_of_hashes()),
        }
    }

    /// What it was made with under `name`.
    pub fn asked(&self, name: &str) -> Option<&str> {
        self.asked.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str())
    }
}

/// What a hash file states of the stream, as far as it does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StatedTags {
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
    /// How frames are shown besides.
    pub presentation: Option<Presentation>,
    /// Bytes of a frame's samples.
    pub bytes: Option<u64>,
}

/// Which tags of the stream (sample aspect ratio and colour description) must be the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tags {
    /// All.
    Exact,
    /// Those that both state.
    Stated,
    /// None.
    Ignore,
}

/// A trait of the stream in which two hash files differ.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trait {
    /// Which.
    pub name: &'static str,
    /// What was expected.
    pub expected: String,
    /// What was found.
    pub found: String,
}

impl StatedTags {
    /// All that is known of `info`.
    pub fn of(info: &StreamInfo) -> StatedTags {
        let plane = |plane| info.format.plane_size(plane, info.width, info.height);
        let bytes = (0..info.format.planes()).map(plane).map(|(row, rows)| (row * rows) as u64).sum();
        StatedTags {
            timebase: info.timebase,
            size: (info.width, info.height),
            sar: info.sar,
            format: Some(info.format),
            color: Some(info.color),
            presentation: None,
            bytes: Some(bytes),
        }
    }

    /// Why the frames of `found` cannot be compared with these: other samples, as far as both state them. The unit of
    /// times is none: times are compared whatever it is.
    pub fn apart(&self, found: &StatedTags) -> Vec<Trait> {
        let size = |(width, height): (usize, usize)| format!("{width}x{height}");
        let mut all = vec![Trait::of("size", size(self.size), size(found.size))];
        match (self.format, found.format) {
            (Some(expected), Some(found)) => all.push(Trait::of("format", expected.to_string(), found.to_string())),
            _ if self.size != found.size => {}
            _ => {
                if let (Some(expected), Some(found)) = (self.bytes, found.bytes) {
                    all.push(Trait::of("bytes a frame", expected.to_string(), found.to_string()));
                }
            }
        }
        all.retain(Trait::differs);
        all
    }

    /// The tags, which state how samples are shown, in which `found` differs, as far as both state them.
    pub fn tags(&self, found: &StatedTags, tags: Tags) -> Vec<Trait> {
        // Not stated is square, and so is what is not tagged.
        let sar = |sar: Rational| match sar.value() {
            None if tags == Tags::Stated => UNSPECIFIED.to_owned(),
            None => "1/1".to_owned(),
            Some(_) => reduced(sar).to_string(),
        };
        let mut all = vec![Trait::of("sar", sar(self.sar), sar(found.sar))];
        if let (Some(expected), Some(found)) = (self.color, found.color) {
            let pairs = color_tags(&expected).into_iter().zip(color_tags(&found));
            all.extend(pairs.map(|((name, expected), (_, found))| Trait::of(name, expected, found)));
        }
        if let (Some(expected), Some(found)) = (self.presentation, found.presentation) {
            let pairs = presentation_tags(&expected).into_iter().zip(presentation_tags(&found));
            all.extend(pairs.map(|((name, expected), (_, found))| Trait::of(name, expected, found)));
        }
        all.retain(|differs| match tags {
            Tags::Exact => differs.differs(),
            Tags::Stated => differs.differs() && !differs.is_half_stated(),
            Tags::Ignore => false,
        });
        all
    }
}

impl Trait {
    fn of(name: &'static str, expected: String, found: String) -> Trait {
        Trait { name, expected, found }
    }

    fn differs(&self) -> bool {
        self.expected != self.found
    }

    /// `value` as people call it: code points have names.
    pub fn named<'v>(&self, value: &'v str) -> &'v str {
        value.parse().ok().and_then(|point| code_point_name(self.name, point)).unwrap_or(value)
    }

    /// Whether only one of the two states it.
    fn is_half_stated(&self) -> bool {
        [&self.expected, &self.found].into_iter().any(|value| is_unspecified(self.name, value))
    }
}

/// The word for what is not stated; code points have a number for it.
const UNSPECIFIED: &str = "unspecified";
const UNSPECIFIED_POINT: &str = "2";

/// What containers without a word for it leave.
const UPRIGHT: &str = "0";

fn is_unspecified(name: &str, value: &str) -> bool {
    match name {
        "matrix" | "transfer" | "primaries" => value == UNSPECIFIED_POINT,
        ROTATION => value == UPRIGHT,
        _ => value == UNSPECIFIED,
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
    [(Range::Unspecified, UNSPECIFIED), (Range::Limited, "limited"), (Range::Full, "full")];

/// The colour description as names and values.
pub(super) fn color_tags(color: &ColorInfo) -> [(&'static str, String); 5] {
    let range = RANGES.iter().find(|(range, _)| *range == color.range).map_or(UNSPECIFIED, |(_, word)| word);
    let location = color.chroma_location.0.map_or_else(|| UNSPECIFIED.to_owned(), |point| point.to_string());
    [
        ("range", range.to_owned()),
        ("matrix", color.matrix.to_string()),
        ("transfer", color.transfer.to_string()),
        ("primaries", color.primaries.to_string()),
        ("chroma_location", location),
    ]
}

/// The colour description that [`color_tags`] writes so. `value` finds a name's value.
pub(super) fn color<'t>(value: impl Fn(&'static str) -> Option<&'t str>) -> Option<ColorInfo> {
    let point = |name| value(name)?.parse().ok();
    let location = value("chroma_location")?;
    Some(ColorInfo {
        range: RANGES.iter().find(|(_, word)| Some(*word) == value("range")).map(|(range, _)| *range)?,
        matrix: point("matrix")?,
        transfer: point("transfer")?,
        primaries: point("primaries")?,
        chroma_location: ChromaLocation(if location == UNSPECIFIED { None } else { Some(location.parse().ok()?) }),
    })
}

/// The names of what [`presentation_tags`] writes.
const ROTATION: &str = "rotation";
const MASTERING: &str = "mastering_display";
const LIGHT: &str = "content_light";

/// How frames are shown, as names and values.
pub(super) fn presentation_tags(shown: &Presentation) -> [(&'static str, String); 3] {
    let stated = |value: Option<String>| value.unwrap_or_else(|| UNSPECIFIED.to_owned());
    [
        (ROTATION, shown.rotation.to_string()),
        (MASTERING, stated(shown.mastering.map(|mastering| mastering.to_string()))),
        (LIGHT, stated(shown.light.map(|light| light.to_string()))),
    ]
}

/// What [`presentation_tags`] writes so. `value` finds a name's value.
///
/// # Errors
/// With the name of a value that is none.
pub(super) fn presentation<'t>(
    value: impl Fn(&'static str) -> Option<&'t str>,
) -> Result<Option<Presentation>, &'static str> {
    fn read<T: FromStr>(name: &'static str, text: Option<&str>) -> Result<Option<T>, &'static str> {
        let stated = text.filter(|text| *text != UNSPECIFIED);
        stated.map(|text| text.parse().map_err(|_| name)).transpose()
    }
    let rotation: Option<Rotation> = read(ROTATION, value(ROTATION))?;
    let (mastering, light) = (read(MASTERING, value(MASTERING))?, read(LIGHT, value(LIGHT))?);
    Ok(rotation.map(|rotation| Presentation { rotation, mastering, light }))
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
        write!(f, "{} {} instead of {}", self.name, self.named(&self.found), self.named(&self.expected))
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
            let tags = color_tags(&written);
            let value = |name| tags.iter().find(|(key, _)| *key == name).map(|(_, value)| value.as_str());
            assert_eq!(color(value), Some(written));
        }
    }

    #[test]
    fn only_what_both_state_differs() {
        let info = StreamInfo::bare("yuv420p".parse().unwrap(), 4, 2);
        let ours = StatedTags::of(&info);
        assert_eq!(ours.bytes, Some(12));
        let names = |expected: &StatedTags, found: &StatedTags| -> Vec<_> {
            let all = expected.apart(found).into_iter().chain(expected.tags(found, Tags::Exact));
            all.map(|differs| differs.name).collect()
        };
        let theirs = StatedTags { format: None, color: None, sar: Rational::new(0, 1), ..ours };
        assert_eq!(names(&theirs, &ours), [""; 0], "what is not stated");
        assert_eq!(names(&StatedTags { timebase: Rational::new(1, 90000), ..ours }, &ours), [""; 0]);
        assert_eq!(names(&StatedTags { sar: Rational::new(10, 10), ..ours }, &ours), [""; 0]);
        assert_eq!(names(&StatedTags { bytes: Some(24), ..theirs }, &ours), ["bytes a frame"]);
        assert_eq!(names(&StatedTags { size: (2, 2), ..theirs }, &ours), ["size"], "the bytes follow from it");
        let full = ColorInfo { range: Range::Full, ..ColorInfo::default() };
        let other = StatedTags { format: Some("nv12".parse().unwrap()), color: Some(full), ..ours };
        assert_eq!(names(&other, &ours), ["format", "range"]);
        assert_eq!(other.apart(&ours)[0].to_string(), "format yuv420p instead of nv12");
    }

    #[test]
    fn tags_that_only_one_states_may_be_passed_over() {
        let ours = StatedTags::of(&StreamInfo::bare("yuv420p".parse().unwrap(), 4, 2));
        let left = ChromaLocation(Some(0));
        let color = ColorInfo { range: Range::Full, matrix: 1, transfer: 1, primaries: 1, chroma_location: left };
        let full = StatedTags { color: Some(color), sar: Rational::new(4, 3), ..ours };
        let bare = StatedTags { color: Some(ColorInfo::default()), sar: Rational::new(0, 1), ..ours };
        let names = |expected: &StatedTags, found: &StatedTags, tags| -> Vec<_> {
            expected.tags(found, tags).into_iter().map(|differs| differs.name).collect()
        };
        let all = ["sar", "range", "matrix", "transfer", "primaries", "chroma_location"];
        for (expected, found) in [(&full, &bare), (&bare, &full)] {
            assert_eq!(names(expected, found, Tags::Exact), all);
            assert_eq!(names(expected, found, Tags::Stated), [""; 0]);
        }
        let other = StatedTags { color: Some(ColorInfo { range: Range::Limited, matrix: 9, ..color }), ..full };
        assert_eq!(names(&full, &other, Tags::Stated), ["range", "matrix"]);
        assert_eq!(names(&full, &other, Tags::Ignore), [""; 0]);
    }
}
