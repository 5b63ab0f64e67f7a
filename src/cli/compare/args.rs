//! Arguments of `vramp compare`.

use crate::cli::alpha::AlphaArgs;
use crate::cli::args::pictures::PictureInput;
use crate::cli::args::script::ScriptArgs;
use crate::cli::args::{ProgressChoice, RunsOn, parse_count, threads};
use crate::cli::verify::TagsChoice;
use crate::compare::{Rule, Tolerance};
use crate::error::{Error, Result};
use crate::io::hash::Tags;
use crate::io::libav::{Position, Window};
use clap::{Args, ValueEnum};
use std::ffi::OsString;
use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;

/// The most frames that --worst keeps.
const MOST_WORST: usize = 100;

/// Arguments of `vramp compare`.
#[derive(Debug, Args)]
#[command(after_long_help = HELP)]
pub struct CompareArgs {
    /// The first video, which frames are numbered by; - is standard input
    #[arg(value_name = "A")]
    pub a: OsString,
    /// The second video; - is standard input
    #[arg(value_name = "B")]
    pub b: OsString,
    /// Fail (exit code 1) where a frame is missing or a plane of one is worse: exact, or limits as in
    /// psnr=40:ssim=0.98:max=2
    ///
    /// psnr is the least in dB, ssim the least similarity, max the largest difference of a sample in code values. They
    /// hold for every plane of every frame. exact also compares tags, and the packets of sound and other streams:
    /// --tags and --no-streams change that.
    #[arg(long, value_name = "LIMITS")]
    pub tolerance: Option<Tolerance>,
    /// Which tags --tolerance compares: sample aspect ratio, range, matrix, transfer, primaries, chroma location,
    /// rotation, mastering display, content light level [default: exact with exact, ignore with limits]
    #[arg(long, value_name = "TAGS")]
    pub tags: Option<TagsChoice>,
    /// Do not compare the packets of sound, subtitles and other streams
    #[arg(long)]
    pub no_streams: bool,

    /// What pairs frames: their times, or their order
    #[arg(long, value_name = "WHAT", default_value = "pts", help_heading = PAIRING)]
    pub align: Align,
    /// How much later B is shown: seconds added to its times, or with --align index a number of frames (#3)
    #[arg(long, value_name = "OFFSET", allow_negative_numbers = true, help_heading = PAIRING)]
    pub offset: Option<TimeOffset>,
    /// The first frame of both: a time (12.5, 00:00:12.5) or a frame's number (#300)
    #[arg(long, value_name = "POSITION", allow_negative_numbers = true, help_heading = PAIRING)]
    pub start: Option<Position>,
    /// The frame to stop before
    #[arg(long, value_name = "POSITION", allow_negative_numbers = true, help_heading = PAIRING)]
    pub end: Option<Position>,
    /// At most this many frames of each
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = parse_count, help_heading = PAIRING)]
    pub frames: Option<u64>,
    /// How sequences of pictures are read.
    #[command(flatten)]
    pub pictures: PictureInput,
    /// How scripts are read.
    #[command(flatten)]
    pub script: ScriptArgs,
    /// Filter A first; a chain, or @FILE to read it from a file; several are joined
    #[arg(long, value_name = "CHAIN", help_heading = PAIRING)]
    pub chain_a: Vec<String>,
    /// Filter B first
    #[arg(long, value_name = "CHAIN", help_heading = PAIRING)]
    pub chain_b: Vec<String>,
    /// How an input with alpha is taken.
    #[command(flatten)]
    pub alpha: AlphaArgs,

    /// Measure the banding of both videos, too: the index of the banding filter (CAMBI) of every frame
    #[arg(long, help_heading = REPORTING)]
    pub banding: bool,
    /// Print JSON lines: one for the videos, one a frame, one summary
    #[arg(long, help_heading = REPORTING)]
    pub json: bool,
    /// Write a page with plots over time; it needs nothing but itself
    #[arg(long, value_name = "FILE", help_heading = REPORTING)]
    pub html: Option<OsString>,
    /// Write PNGs of the N frames that differ most to DIR: A, B and the amplified difference
    ///
    /// They lie a second apart, where enough frames differ, and are small in the page of --html, too.
    #[arg(long, value_names = ["N", "DIR"], num_args = 2, allow_negative_numbers = true, help_heading = REPORTING)]
    pub worst: Option<Vec<OsString>>,
    /// Replace files that exist (never A or B)
    #[arg(short = 'y', long = "overwrite", help_heading = REPORTING)]
    pub overwrite: bool,
    /// How progress is shown, on standard error
    #[arg(long, value_name = "HOW", default_value = "auto", help_heading = REPORTING)]
    pub progress: ProgressChoice,

    /// Fail at the first damaged frame instead of comparing what decodes
    #[arg(long, help_heading = RUNNING)]
    pub strict: bool,
    /// What filters.
    #[command(flatten)]
    pub on: RunsOn,
    /// Threads of each decoder; 0 lets it choose, and 1 decodes a damaged input to the same frames every time
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = threads(), allow_negative_numbers = true,
          help_heading = RUNNING)]
    pub decoder_threads: usize,
}

const PAIRING: &str = "What is compared";
const REPORTING: &str = "Reporting";
const RUNNING: &str = "Running";

const HELP: &str = "\
Frames that are shown at the same time, to within half a frame, are a pair, whatever units their files count time in. Depths may \
differ: the lower is widened to the higher first, as the depth filter does it, and differences are code values of the higher. \
Size and subsampling must be the same.

PSNR and SSIM are those of ffmpeg's filters of these names. docs/COMPARE.md has the definitions and the fields of the JSON.

What differs besides the frames is reported, too: tags, the packets of other streams, chapters, the title.

Exit codes: 0 compared, and within --tolerance where that is given; 1 not within it; 8 a video stopped decoding, and what decoded \
was within it; others as `vramp --help` has them.

Examples:
  vramp compare master.mkv encode.mp4 --tolerance psnr=38:ssim=0.95
      a check for CI: every plane of every frame
  vramp compare old.mkv new.mkv --tolerance exact --html report.html --worst 5 worst
      bit for bit, with a page and pictures to look at
  vramp compare source.mp4 debanded.mkv --chain-a deband --json
      against what the chain would have made, for programs
  vramp compare source.mp4 debanded.mkv --banding
      what debanding changed, and how much banding is left of it";

/// What pairs frames.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Align {
    /// Their times.
    Pts,
    /// Their order.
    Index,
}

impl Align {
    /// The same, as the aligner has it.
    pub fn rule(self) -> Rule {
        match self {
            Align::Pts => Rule::Time,
            Align::Index => Rule::Order,
        }
    }

    /// The word for it.
    pub fn name(self) -> &'static str {
        match self {
            Align::Pts => "pts",
            Align::Index => "index",
        }
    }
}

impl CompareArgs {
    /// Which tags must be the same, where that is given.
    pub fn tags(&self) -> Option<Tags> {
        self.tags.map(Tags::from)
    }

    /// The part of each video.
    pub fn window(&self) -> Window {
        Window { start: self.start, end: self.end, frames: self.frames }
    }

    /// How many of the worst frames are wanted, and where.
    ///
    /// # Errors
    /// When the number is none.
    pub fn worst(&self) -> Result<Option<(usize, PathBuf)>> {
        let Some([count, folder]) = self.worst.as_deref() else { return Ok(None) };
        let number = count.to_str().and_then(|text| text.parse().ok()).filter(|n| (1..=MOST_WORST).contains(n));
        let wrong = || Error::bad_argument(format!("--worst '{}' must be from 1 to {MOST_WORST}", count.display()));
        Ok(Some((number.ok_or_else(wrong)?, PathBuf::from(folder))))
    }

    /// Refuses what cannot be, before any file is opened.
    ///
    /// # Errors
    /// What is wrong.
    pub fn validate(&self) -> Result<()> {
        let refuse = |what: &str| Err(Error::bad_argument(what));
        self.window().validate()?;
        match (&self.html, self.align) {
            _ if self.a == "-" && self.b == "-" => refuse("only one of the videos can be standard input"),
            _ if self.a.is_empty() || self.b.is_empty() => refuse("a video's name is empty: name a file, or -"),
            (Some(file), _) if file == "-" && self.json => {
                refuse("--html - and --json would mix on standard output: name a file for one")
            }
            (_, Align::Index) if matches!(self.offset, Some(TimeOffset::Seconds(_))) => {
                refuse("--offset of seconds moves times, which --align index does not use: give frames, as in '#3'")
            }
            (_, Align::Pts) if matches!(self.offset, Some(TimeOffset::Frames(_))) => {
                refuse("--offset of frames is for --align index: give seconds")
            }
            _ => Ok(()),
        }
    }
}

/// How much later B is shown.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum TimeOffset {
    /// Seconds, added to its times.
    Seconds(f64),
    /// Frames of A without a partner before B's first; of B before A's, where it is negative.
    Frames(i64),
}

impl FromStr for TimeOffset {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<TimeOffset, &'static str> {
        /// A clip's length is far below this.
        const MOST: f64 = 1e9;
        let offset = match text.strip_prefix('#') {
            Some(frames) => {
                frames.parse().ok().filter(|n: &i64| n.unsigned_abs() <= MOST as u64).map(TimeOffset::Frames)
            }
            None => text.parse().ok().filter(|seconds: &f64| seconds.abs() <= MOST).map(TimeOffset::Seconds),
        };
        offset.ok_or("it must be a number of seconds, or of frames as in #3")
    }
}

/// As `--offset` takes it, to the microsecond.
impl fmt::Display for TimeOffset {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TimeOffset::Seconds(seconds) => write!(f, "{}", (seconds * 1e6).round() / 1e6),
            TimeOffset::Frames(frames) => write!(f, "#{frames}"),
        }
    }
}
