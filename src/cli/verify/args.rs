//! Arguments of `vramp verify`.

use crate::cli::alpha::AlphaArgs;
use crate::cli::args::{ProgressArgs, Run};
use crate::io::hash::{HashFile, Tags, Times};
use clap::{Args, ValueEnum};
use std::ffi::OsString;

/// Arguments of `vramp verify`.
#[derive(Clone, Debug, Args)]
#[command(after_long_help = HELP)]
pub struct VerifyArgs {
    /// The hash file: of `vramp hash`, or of ffmpeg's framemd5 or framehash; - is standard input
    #[arg(value_name = "FILE")]
    pub file: OsString,
    /// The video to verify; - is standard input
    #[arg(value_name = "IN")]
    pub input: OsString,
    /// How the times of frames are compared; rounding to another unit of time never counts [default: exact; offset for
    /// ffmpeg's hash files, which may count from zero]
    #[arg(long, value_name = "TIMES")]
    pub times: Option<TimesChoice>,
    /// Which tags must be the same: sample aspect ratio, range, matrix, transfer, primaries, chroma location, rotation,
    /// mastering display, content light level
    #[arg(long, value_name = "TAGS", default_value = "exact")]
    pub tags: TagsChoice,
    /// Do not compare the packets of sound, subtitles and other streams
    #[arg(long)]
    pub no_streams: bool,
    /// Print one JSON object
    #[arg(long)]
    pub json: bool,
    /// How an input with alpha is taken.
    #[command(flatten)]
    pub alpha: AlphaArgs,
    /// What is filtered, and how.
    #[command(flatten)]
    pub run: Run,
    /// How progress is shown.
    #[command(flatten)]
    pub progress: ProgressArgs,
}

/// Which times of frames are the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum TimesChoice {
    /// They must be equal.
    Exact,
    /// All may be later or earlier by the same amount (a remux to or from MPEG-TS).
    Offset,
    /// They are not compared.
    Ignore,
}

/// Which tags must be the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum TagsChoice {
    /// All of them.
    Exact,
    /// Those that both state (a remux to a container that keeps no tags).
    Stated,
    /// They are not compared.
    Ignore,
}

impl VerifyArgs {
    /// Which times are the same as those of `file`.
    pub fn times(&self, file: &HashFile) -> Times {
        match self.times {
            None => file.layout.times(),
            Some(TimesChoice::Exact) => Times::Exact,
            Some(TimesChoice::Offset) => Times::Offset,
            Some(TimesChoice::Ignore) => Times::Ignore,
        }
    }

    /// Which tags must be the same.
    pub fn tags(&self) -> Tags {
        self.tags.into()
    }
}

impl From<TagsChoice> for Tags {
    fn from(choice: TagsChoice) -> Tags {
        match choice {
            TagsChoice::Exact => Tags::Exact,
            TagsChoice::Stated => Tags::Stated,
            TagsChoice::Ignore => Tags::Ignore,
        }
    }
}

const HELP: &str = "\
A hash file of `vramp hash` records the options that it was made with. Its --chain, --depth, --dither, --range and --format are used \
unless one of them is given ('--chain \"\"' filters nothing), and so are its --start, --end and --frames.

Exit code: 0 when every frame, and every packet of the other streams, is as FILE has it; 1 when the video differs; another one when that \
could not be found out (`vramp --help` lists them). Differences are printed: missing, extra, duplicated and moved frames, a shift, \
times, and pixels by plane.

JSON: one object with match, file, input, hash, alpha_ignored (true or false), expected and found (frames; found is null when size or \
format differ and frames cannot be compared), same (frames with the same pixels), first (the first frame that differs, or null), stream \
(name, expected, found of each property of the stream that differs), offset (of all times, which is no difference), unit (of times, in \
seconds), streams (index, media, codec and kind of each difference in other streams: docs/HASHES.md), and differences: kind (missing, \
extra, duplicated, moved, shifted, pixels, time), expected and found ([first, last] or null), and by kind planes, by, first and last \
(how much later, in units).";
