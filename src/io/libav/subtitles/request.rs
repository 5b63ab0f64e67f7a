//! What is asked of an output's subtitles.

use crate::error::{Error, Result};
use crate::io::libav::demux::streams::{CopiedStream, Media};
use crate::io::libav::tracks::{self, Tracks};
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
    pub tracks: Tracks,
    /// What becomes of them.
    pub choice: SubtitleChoice,
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
        let rule = tracks::rule_for(&self.rules, |rule| &rule.tracks, stream, number);
        rule.map_or_else(SubtitleChoice::default, |rule| rule.choice)
    }

    /// Refuses rules for subtitles that `streams` do not have.
    ///
    /// # Errors
    /// For the first of them.
    pub(in crate::io::libav) fn check(&self, streams: &[CopiedStream]) -> Result<()> {
        for SubtitleRule { tracks, .. } in &self.rules {
            if let Some(there) = tracks.missing_among(Media::Subtitle, streams) {
                let have = if there.is_empty() { "none" } else { &there };
                let which = match tracks {
                    Tracks::All => "all".to_owned(),
                    Tracks::Number(number) => format!("number {number}"),
                    Tracks::Language(language) => format!("in '{language}'"),
                };
                let line = format!("--subtitles: there are no subtitles {which}; the input has {have}");
                return Err(Error::bad_argument(line));
            }
        }
        Ok(())
    }
}

impl FromStr for SubtitleRule {
    type Err = String;

    fn from_str(text: &str) -> Result<SubtitleRule, String> {
        let (tracks, choice) = match text.split_once('=') {
            Some((tracks, choice)) => (Tracks::read(tracks, "subtitles", "a number")?, choice),
            None => (Tracks::All, text),
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
