//! What is asked of an output's subtitles.

use crate::error::{Error, Result};
use crate::io::libav::demux::streams::{CopiedStream, Media};
use std::fmt;
use std::str::FromStr;

/// What is asked of the subtitles of an output.
#[derive(Clone, Debug, Default)]
pub struct SubtitleOptions {
    /// What becomes of some, or all. A number wins over a language, a language over all, and the last over those before.
    pub rules: Vec<SubtitleRule>,
    /// The source's stream that is drawn into the picture, and so not written.
    pub burnt: Option<usize>,
}

/// What becomes of some subtitles: `[TRACKS=]HOW`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SubtitleRule {
    /// Which ones.
    pub tracks: SubtitleTracks,
    /// What becomes of them.
    pub choice: SubtitleChoice,
}

/// Which subtitles.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum SubtitleTracks {
    /// Every stream.
    All,
    /// Those in a language, as the container writes it.
    Language(String),
    /// The n-th stream of subtitles, from 1.
    Number(usize),
}

/// What becomes of a stream of subtitles.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SubtitleChoice {
    /// It is copied where the container holds it; text that it does not hold is converted.
    #[default]
    Auto,
    /// It is copied, or left out where the container does not hold it.
    Copy,
    /// It is left out.
    None,
    /// Text is converted to this codec.
    Text(TextCodec),
}

/// A codec of text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TextCodec {
    /// SubRip, as Matroska has it.
    Srt,
    /// ASS.
    Ass,
    /// The text of MP4 (tx3g).
    MovText,
    /// WebVTT.
    WebVtt,
}

impl SubtitleOptions {
    /// What becomes of `stream`, which is number `number` of the subtitles.
    pub(in crate::io::libav) fn choice(&self, stream: &CopiedStream, number: usize) -> SubtitleChoice {
        if self.burnt == Some(stream.index) {
            return SubtitleChoice::None;
        }
        let rank = |rule: &&SubtitleRule| match rule.tracks {
            SubtitleTracks::All => 0,
            SubtitleTracks::Language(_) => 1,
            SubtitleTracks::Number(_) => 2,
        };
        let fitting = self.rules.iter().filter(|rule| rule.tracks.have(stream, number));
        fitting.max_by_key(rank).map_or_else(SubtitleChoice::default, |rule| rule.choice)
    }

    /// Refuses rules for subtitles that `streams` do not have.
    ///
    /// # Errors
    /// For the first of them.
    pub(in crate::io::libav) fn check(&self, streams: &[CopiedStream]) -> Result<()> {
        let there = || streams.iter().filter(|stream| stream.media == Media::Subtitle).zip(1..);
        for SubtitleRule { tracks, .. } in &self.rules {
            if *tracks != SubtitleTracks::All && !there().any(|(stream, number)| tracks.have(stream, number)) {
                let have: Vec<_> =
                    there().map(|(stream, n)| format!("{n} ({})", language(stream).unwrap_or("und"))).collect();
                let have = if have.is_empty() { "none".to_owned() } else { have.join(", ") };
                return Err(Error::bad_argument(format!(
                    "--subtitles: there are no subtitles {tracks}; the input has {have}"
                )));
            }
        }
        Ok(())
    }
}

impl SubtitleTracks {
    fn have(&self, stream: &CopiedStream, number: usize) -> bool {
        match self {
            SubtitleTracks::All => true,
            SubtitleTracks::Number(wanted) => *wanted == number,
            SubtitleTracks::Language(wanted) => language(stream).is_some_and(|it| it.eq_ignore_ascii_case(wanted)),
        }
    }
}

fn language(stream: &CopiedStream) -> Option<&str> {
    let tag = stream.tags.metadata.iter().find(|(key, _)| key.eq_ignore_ascii_case("language"));
    tag.map(|(_, value)| value.as_str())
}

impl fmt::Display for SubtitleTracks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SubtitleTracks::All => f.write_str("all"),
            SubtitleTracks::Number(number) => write!(f, "number {number}"),
            SubtitleTracks::Language(language) => write!(f, "in '{language}'"),
        }
    }
}

impl FromStr for SubtitleTracks {
    type Err = String;

    fn from_str(text: &str) -> Result<SubtitleTracks, String> {
        let is_plain = !text.is_empty() && text.chars().all(|c| c.is_ascii_alphanumeric() || c == '-');
        match text.parse::<usize>() {
            Ok(0) => Err("subtitles are counted from 1".to_owned()),
            Ok(number) => Ok(SubtitleTracks::Number(number)),
            Err(_) if text == "all" => Ok(SubtitleTracks::All),
            Err(_) if is_plain => Ok(SubtitleTracks::Language(text.to_owned())),
            Err(_) => Err(format!("'{text}' is neither a number, nor a language, nor all")),
        }
    }
}

impl FromStr for SubtitleRule {
    type Err = String;

    fn from_str(text: &str) -> Result<SubtitleRule, String> {
        let (tracks, choice) = match text.split_once('=') {
            Some((tracks, choice)) => (tracks.parse()?, choice),
            None => (SubtitleTracks::All, text),
        };
        Ok(SubtitleRule { tracks, choice: choice.parse()? })
    }
}

impl FromStr for SubtitleChoice {
    type Err = String;

    fn from_str(text: &str) -> Result<SubtitleChoice, String> {
        Ok(match text {
            "auto" => SubtitleChoice::Auto,
            "copy" => SubtitleChoice::Copy,
            "none" => SubtitleChoice::None,
            "srt" | "subrip" => SubtitleChoice::Text(TextCodec::Srt),
            "ass" => SubtitleChoice::Text(TextCodec::Ass),
            "mov_text" => SubtitleChoice::Text(TextCodec::MovText),
            "webvtt" | "vtt" => SubtitleChoice::Text(TextCodec::WebVtt),
            other => return Err(format!("'{other}' is none of auto, copy, none, srt, ass, mov_text and webvtt")),
        })
    }
}
