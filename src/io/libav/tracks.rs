//! Which tracks of a kind a rule is for, as `--audio`, `--audio-delay` and `--subtitles` name them.

use crate::io::libav::demux::streams::{CopiedStream, Media};
use crate::io::libav::extra::language::Language;
use std::fmt;
use std::str::FromStr;

/// Some of the source's tracks of a kind: of sound, or of subtitles.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Tracks {
    /// Every one.
    All,
    /// The n-th, from 1.
    Number(usize),
    /// Those in a language.
    Language(Language),
}

impl Tracks {
    /// Reads "all", "2" or "eng". Errors call the tracks `kind`, and their number `number`.
    ///
    /// # Errors
    /// When it is none of these.
    pub(in crate::io::libav) fn read(text: &str, kind: &str, number: &str) -> Result<Tracks, String> {
        match text.parse::<usize>() {
            Ok(0) => Err(format!("{kind} are counted from 1")),
            Ok(number) => Ok(Tracks::Number(number)),
            Err(_) if text == "all" => Ok(Tracks::All),
            Err(_) => text.parse().map(Tracks::Language).map_err(|_| {
                format!(
                    "'{text}' is neither {number}, nor a language (a code of ISO 639, as en, eng, de, deu), nor all"
                )
            }),
        }
    }

    /// Whether `stream`, which is number `number` of its kind, is one of them.
    pub(in crate::io::libav) fn have(&self, stream: &CopiedStream, number: usize) -> bool {
        match self {
            Tracks::All => true,
            Tracks::Number(wanted) => *wanted == number,
            Tracks::Language(wanted) => wanted.is(stream.language().unwrap_or_default()),
        }
    }

    /// The tracks of `kind` that `streams` have, in words, if these are none of them. All of none is fine.
    pub(in crate::io::libav) fn missing_among(&self, kind: Media, streams: &[CopiedStream]) -> Option<String> {
        if *self == Tracks::All || numbered(kind, streams).any(|(number, stream)| self.have(stream, number)) {
            return None;
        }
        let there = numbered(kind, streams);
        let words = there.map(|(number, stream)| format!("{number} ({})", stream.language().unwrap_or("und")));
        Some(words.collect::<Vec<_>>().join(", "))
    }

    /// How much more it says than others: a number wins over a language, and that over all.
    fn rank(&self) -> u8 {
        match self {
            Tracks::All => 0,
            Tracks::Language(_) => 1,
            Tracks::Number(_) => 2,
        }
    }
}

impl fmt::Display for Tracks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Tracks::All => f.write_str("all"),
            Tracks::Number(number) => write!(f, "{number}"),
            Tracks::Language(language) => write!(f, "'{language}'"),
        }
    }
}

impl FromStr for Tracks {
    type Err = String;

    fn from_str(text: &str) -> Result<Tracks, String> {
        Tracks::read(text, "tracks", "a track's number")
    }
}

/// The streams of a kind, with their numbers.
pub(in crate::io::libav) fn numbered(
    kind: Media,
    streams: &[CopiedStream],
) -> impl Iterator<Item = (usize, &CopiedStream)> {
    (1..).zip(streams.iter().filter(move |stream| stream.media == kind))
}

/// The rule for `stream`, which is number `number` of its kind; of equals, the last.
pub(in crate::io::libav) fn rule_for<'r, R>(
    rules: &'r [R],
    tracks: impl Fn(&R) -> &Tracks,
    stream: &CopiedStream,
    number: usize,
) -> Option<&'r R> {
    rules.iter().filter(|rule| tracks(rule).have(stream, number)).max_by_key(|rule| tracks(rule).rank())
}
