//! What is done with subtitles.

use crate::error::{Error, Result};
use crate::io::libav::{Burn, SubtitleRule, WhichSubtitles};
use clap::Args;
use std::ffi::OsString;
use std::path::Path;

/// Subtitles of the output.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = super::STREAMS)]
pub struct SubtitleArgs {
    /// How subtitles are handled: auto, copy, none, or text as srt, ass, mov_text or webvtt; of all or some. Repeat for more
    ///
    /// TRACKS is a number among the subtitles, from 1, a language by a code of ISO 639 (de, deu and ger are the same), or all. A number wins over a
    /// language and a language over all. auto copies what the container holds and converts text that it does not hold: to
    /// mov_text in MP4 and MOV, webvtt in WebM, srt in Matroska. Times and letters stay. What a script in ASS has besides
    /// (places, effects, drawings) is lost in other codecs, with a warning. Lines that overlap are joined for mov_text, which
    /// shows one at a time.
    #[arg(long, value_name = "[TRACKS=]HOW", conflicts_with = "no_subtitles")]
    pub subtitles: Vec<SubtitleRule>,
    /// Draw subtitles into the picture: the input's (its default ones, the Nth, or a language) or those of FILE
    ///
    /// They are drawn after the chain, in the output's size and colours, and are then not copied. N counts from 1. Text
    /// is drawn by libass (Debian's package libass9), with the fonts that are attached to the input or to FILE; bitmaps
    /// (PGS, VobSub, DVB) are scaled with the picture. A language, or a film as FILE, follows an equals sign:
    /// --burn-subtitles=eng.
    #[arg(long, value_name = "N|LANGUAGE|FILE", num_args = 0..=1, require_equals = true, default_missing_value = "",
          conflicts_with = "preview")]
    pub burn_subtitles: Option<OsString>,
    /// Of bitmaps, draw only those that are marked as forced
    #[arg(long, requires = "burn_subtitles")]
    pub burn_forced_only: bool,
}

impl SubtitleArgs {
    /// What is drawn into the picture; `strict` refuses text of which a line cannot be read.
    ///
    /// # Errors
    /// When it is a number that counts nothing.
    pub fn burn(&self, strict: bool) -> Result<Option<Burn>> {
        let Some(asked) = &self.burn_subtitles else { return Ok(None) };
        let forced_only = self.burn_forced_only;
        let text = asked.to_str().unwrap_or_default();
        let which = match text {
            _ if asked.is_empty() => WhichSubtitles::Preferred,
            "0" => return Err(Error::bad_argument("--burn-subtitles=0: the first subtitles are number 1")),
            number if number.parse::<usize>().is_ok() => WhichSubtitles::Number(number.parse().unwrap_or_default()),
            word => match word.parse() {
                Ok(language) if !Path::new(asked).exists() => WhichSubtitles::Language(language),
                _ => {
                    return Ok(Some(Burn {
                        file: Some(asked.clone()),
                        which: WhichSubtitles::Preferred,
                        forced_only,
                        strict,
                    }));
                }
            },
        };
        Ok(Some(Burn { file: None, which, forced_only, strict }))
    }
}

/// Whether `word`, after `--burn-subtitles`, is its value rather than the input: a number, or a file that holds nothing else.
pub fn names_subtitles(word: &str) -> bool {
    let suffix = word.rsplit_once('.').map_or("", |(_, suffix)| suffix);
    let is_number = !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_digit());
    is_number || ["srt", "ass", "ssa", "vtt", "sup", "idx"].iter().any(|known| suffix.eq_ignore_ascii_case(known))
}

#[cfg(test)]
mod tests {
    use crate::cli::args::Cli;
    use crate::error::Result;
    use crate::io::libav::{Burn, WhichSubtitles};
    use clap::Parser;

    fn burn(option: &str) -> Result<Option<Burn>> {
        Cli::try_parse_from(["vramp", "a", "b", option]).unwrap().job.subtitles.burn(false)
    }

    #[test]
    fn a_number_a_language_or_a_file() {
        let of_film = |which| Some(Burn { file: None, which, forced_only: false, strict: false });
        assert_eq!(burn("--no-audio").unwrap(), None);
        assert_eq!(burn("--burn-subtitles").unwrap(), of_film(WhichSubtitles::Preferred));
        assert_eq!(burn("--burn-subtitles=12").unwrap(), of_film(WhichSubtitles::Number(12)));
        assert_eq!(burn("--burn-subtitles=eng").unwrap(), of_film(WhichSubtitles::Language("eng".parse().unwrap())));
        let file =
            Burn { file: Some("a.ass".into()), which: WhichSubtitles::Preferred, forced_only: false, strict: false };
        assert_eq!(burn("--burn-subtitles=a.ass").unwrap(), Some(file));
        assert!(burn("--burn-subtitles=0").unwrap_err().message().contains("number 1"));
    }
}
