//! What a caller asks of the sound, track by track.

use crate::error::{Error, Result};
use crate::io::libav::demux::streams::{CopiedStream, Media};
use crate::io::libav::tracks::{self, Tracks};
use std::str::FromStr;

/// What a caller asks of the sound. The default copies every track that the container holds.
#[derive(Clone, Debug, Default)]
pub struct SoundOptions {
    /// What becomes of which tracks. Numbers win over languages and these over all; of equals, the last.
    pub rules: Vec<SoundRule>,
    /// What becomes of the tracks that no rule names.
    pub otherwise: SoundCoding,
    /// Channels of the output by libav's name of a layout ("stereo", "mono", "5.1"), where a track has more.
    pub downmix: Option<String>,
    /// The loudness that tracks are brought to.
    pub loudness: Option<Loudness>,
    /// Stop at the first packet that does not decode.
    pub strict: bool,
}

/// A loudness that is aimed at (EBU R128).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Loudness {
    /// Integrated loudness in LUFS, -70 to -5.
    pub target: f64,
    /// Whether a track is measured first, as a whole, and then only amplified. Else its gain changes as it goes.
    pub two_pass: bool,
}

/// What becomes of some tracks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SoundRule {
    /// Which ones.
    pub tracks: Tracks,
    /// What becomes of them.
    pub coding: SoundCoding,
}

/// What becomes of a track.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum SoundCoding {
    /// It is copied, or left out where the container does not hold it.
    #[default]
    Copy,
    /// It is copied where the container holds it, else coded as suits the container.
    Auto,
    /// It is left out.
    None,
    /// It is coded anew.
    Encode {
        /// An encoder or a codec, by libav's name.
        codec: String,
        /// Bits a second; `None` is a good default.
        bitrate: Option<i64>,
    },
}

impl SoundOptions {
    /// What becomes of `stream`, which is track `number` of the sound.
    pub(in crate::io::libav) fn coding(&self, stream: &CopiedStream, number: usize) -> &SoundCoding {
        let rule = tracks::rule_for(&self.rules, |rule| &rule.tracks, stream, number);
        rule.map_or(&self.otherwise, |rule| &rule.coding)
    }

    /// Refuses rules for tracks that `streams` do not have.
    ///
    /// # Errors
    /// For the first of them.
    pub(in crate::io::libav) fn check(&self, streams: &[CopiedStream]) -> Result<()> {
        self.rules.iter().try_for_each(|rule| check(&rule.tracks, streams))
    }
}

/// Refuses tracks of sound that `streams` do not have.
///
/// # Errors
/// With those there are.
pub(in crate::io::libav) fn check(tracks: &Tracks, streams: &[CopiedStream]) -> Result<()> {
    let Some(there) = tracks.missing_among(Media::Audio, streams) else { return Ok(()) };
    let there = if there.is_empty() { "no sound" } else { &there };
    Err(Error::bad_argument(format!("there is no track {tracks} of sound; the input has {there}")))
}

impl FromStr for SoundRule {
    type Err = String;

    fn from_str(text: &str) -> Result<SoundRule, String> {
        let (tracks, coding) = match text.split_once('=') {
            Some((tracks, coding)) => (tracks.parse()?, coding),
            None => (Tracks::All, text),
        };
        Ok(SoundRule { tracks, coding: coding.parse()? })
    }
}

impl FromStr for SoundCoding {
    type Err = String;

    fn from_str(text: &str) -> Result<SoundCoding, String> {
        Ok(match text {
            "copy" => SoundCoding::Copy,
            "auto" => SoundCoding::Auto,
            "none" => SoundCoding::None,
            _ => {
                let (codec, rate) = text.split_once(':').map_or((text, None), |(codec, rate)| (codec, Some(rate)));
                if codec.is_empty() {
                    return Err("write copy, auto, none or CODEC[:BITRATE], as in opus:128k".to_owned());
                }
                SoundCoding::Encode { codec: codec.to_owned(), bitrate: rate.map(bitrate).transpose()? }
            }
        })
    }
}

/// "128k" as bits a second.
fn bitrate(text: &str) -> Result<i64, String> {
    let (number, factor) = match text.strip_suffix(['k', 'K']) {
        Some(number) => (number, 1000.0),
        None => text.strip_suffix('M').map_or((text, 1.0), |number| (number, 1e6)),
    };
    let rate = number.parse::<f64>().ok().map(|rate| rate * factor).filter(|rate| (500.0..=1e8).contains(rate));
    rate.map(|rate| rate as i64).ok_or_else(|| format!("'{text}' is no bit rate of sound: write one as 128k"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_are_read() {
        let rule = |text: &str| text.parse::<SoundRule>().map(|rule| (rule.tracks.to_string(), rule.coding));
        let encode = |codec: &str, bitrate| SoundCoding::Encode { codec: codec.to_owned(), bitrate };
        assert_eq!(rule("eng=opus:128k"), Ok(("'eng'".to_owned(), encode("opus", Some(128_000)))));
        assert_eq!(rule("2=copy"), Ok(("2".to_owned(), SoundCoding::Copy)));
        assert_eq!(rule("flac"), Ok(("all".to_owned(), encode("flac", None))));
        assert_eq!(rule("none"), Ok(("all".to_owned(), SoundCoding::None)));
        for wrong in ["0=copy", "=copy", "e!=copy", "opus:", "opus:x", "opus:1", "opus:-5k", "opus:nan", ""] {
            assert!(rule(wrong).is_err(), "{wrong}");
        }
    }
}
