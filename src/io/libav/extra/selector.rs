//! Words for tracks: `a1`, `s`, `eng`, `s-eng`.

use super::language::Language;
use crate::error::{Error, Result};
use crate::io::libav::demux::streams::{CopiedStream, Media};
use ffmpeg_next::ffi;
use std::fmt;
use std::str::FromStr;

/// What a track is, by the letter that selectors have for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TrackKind {
    Video,
    Audio,
    Subtitle,
    Attachment,
    Cover,
    Data,
}

/// Letters of kinds.
const KINDS: [(char, TrackKind); 6] = [
    ('v', TrackKind::Video),
    ('a', TrackKind::Audio),
    ('s', TrackKind::Subtitle),
    ('t', TrackKind::Attachment),
    ('c', TrackKind::Cover),
    ('d', TrackKind::Data),
];

impl TrackKind {
    pub(super) fn of(stream: &CopiedStream) -> TrackKind {
        match stream.media {
            Media::Audio => TrackKind::Audio,
            Media::Subtitle => TrackKind::Subtitle,
            Media::Attachment => TrackKind::Attachment,
            Media::Video if stream.tags.disposition & ffi::AV_DISPOSITION_ATTACHED_PIC != 0 => TrackKind::Cover,
            Media::Video => TrackKind::Video,
            Media::Data => TrackKind::Data,
        }
    }

    fn letter(self) -> char {
        KINDS.iter().find(|(_, kind)| *kind == self).map_or('?', |(letter, _)| *letter)
    }
}

/// Tracks of a file: those of a kind (`s`), one of them by its number, counted from 1 (`s2`), those in a language (`eng`), or
/// both (`s-eng`).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TrackSelector {
    kind: Option<TrackKind>,
    which: Which,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Which {
    All,
    Number(usize),
    In(Language),
}

impl FromStr for TrackSelector {
    type Err = Error;

    fn from_str(text: &str) -> Result<TrackSelector> {
        let wrong = || {
            Error::bad_argument(format!(
                "'{text}' names no track: write v, a, s, t (attachments), c (covers) or d, with a number (a1) or a \
                 language (a-eng) behind it, or a language alone (eng)"
            ))
        };
        let mut letters = text.chars();
        let kind = letters.next().and_then(|first| KINDS.iter().find(|(letter, _)| *letter == first));
        let rest = letters.as_str();
        match kind {
            Some((_, kind)) if rest.is_empty() => Ok(TrackSelector { kind: Some(*kind), which: Which::All }),
            Some((_, kind)) if rest.bytes().all(|byte| byte.is_ascii_digit()) => {
                let number = rest.parse().ok().filter(|number| *number > 0).ok_or_else(wrong)?;
                Ok(TrackSelector { kind: Some(*kind), which: Which::Number(number) })
            }
            Some((_, kind)) if rest.starts_with('-') => {
                Ok(TrackSelector { kind: Some(*kind), which: Which::In(rest[1..].parse().map_err(|_| wrong())?) })
            }
            _ => Ok(TrackSelector { kind: None, which: Which::In(text.parse().map_err(|_| wrong())?) }),
        }
    }
}

impl fmt::Display for TrackSelector {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kind = self.kind.map(|kind| kind.letter().to_string()).unwrap_or_default();
        match &self.which {
            Which::All => write!(f, "{kind}"),
            Which::Number(number) => write!(f, "{kind}{number}"),
            Which::In(language) if kind.is_empty() => write!(f, "{}", language.code(false)),
            Which::In(language) => write!(f, "{kind}-{}", language.code(false)),
        }
    }
}

/// A track as selectors see it.
#[derive(Clone, Debug)]
pub(super) struct Label {
    pub(super) kind: TrackKind,
    /// Its number among those of its kind, from 1.
    number: usize,
    /// Empty where it is not stated.
    language: String,
}

impl Label {
    /// The labels of tracks of these kinds and languages, in order.
    pub(super) fn of_all<'a>(tracks: impl IntoIterator<Item = (TrackKind, Option<&'a str>)>) -> Vec<Label> {
        let mut labels: Vec<Label> = Vec::new();
        for (kind, language) in tracks {
            let number = 1 + labels.iter().filter(|label| label.kind == kind).count();
            let language = language.filter(|language| *language != "und").unwrap_or_default().to_owned();
            labels.push(Label { kind, number, language });
        }
        labels
    }

    /// "a1 (jpn), s1, s2"
    pub(super) fn list<'a>(labels: impl IntoIterator<Item = &'a Label>) -> String {
        let word = |label: &Label| {
            let name = format!("{}{}", label.kind.letter(), label.number);
            if label.language.is_empty() { name } else { format!("{name} ({})", label.language) }
        };
        labels.into_iter().map(word).collect::<Vec<_>>().join(", ")
    }
}

impl TrackSelector {
    pub(super) fn selects(&self, label: &Label) -> bool {
        self.kind.is_none_or(|kind| kind == label.kind)
            && match &self.which {
                Which::All => true,
                Which::Number(number) => *number == label.number,
                Which::In(language) => language.is(&label.language),
            }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tracks_are_named_by_kind_number_and_language() {
        let tracks = [
            (TrackKind::Video, None),
            (TrackKind::Audio, Some("jpn")),
            (TrackKind::Audio, Some("eng")),
            (TrackKind::Subtitle, Some("ger")),
            (TrackKind::Attachment, None),
        ];
        let labels = Label::of_all(tracks);
        assert_eq!(Label::list(&labels), "v1, a1 (jpn), a2 (eng), s1 (ger), t1");
        let selected = |text: &str| {
            let selector: TrackSelector = text.parse().unwrap();
            labels.iter().enumerate().filter(|(_, label)| selector.selects(label)).map(|(i, _)| i).collect::<Vec<_>>()
        };
        for (text, expected) in [
            ("v1", &[0][..]),
            ("a", &[1, 2]),
            ("a2", &[2]),
            ("a3", &[]),
            ("ja", &[1]),
            ("de", &[3]),
            ("s-deu", &[3]),
            ("s-eng", &[]),
            ("t", &[4]),
        ] {
            assert_eq!(selected(text), expected, "{text}");
        }
        for wrong in ["", "a0", "x1", "1", "a-", "s-x", "a1x"] {
            assert!(wrong.parse::<TrackSelector>().is_err(), "{wrong}");
        }
    }
}
