//! The main job: a run, and what is written.

use super::parse::{parse_pair, parse_quality, threads};
use super::rate::parse_bit_rate;
use super::run::{ProgressArgs, Run, name_of};
use super::sound::SoundArgs;
use super::subtitles::SubtitleArgs;
use super::tracks::TrackArgs;
use super::{ENCODING, FILTERING, RUNNING, RateArgs, STREAMS, WINDOW, pictures};
use crate::error::{Error, Result};
use crate::io::libav::{CopyChoice, Position};
use clap::{Args, ValueEnum};
use std::ffi::{OsStr, OsString};

/// Arguments of a filtering run.
#[derive(Clone, Debug, Args)]
pub struct FilterArgs {
    /// The input and the output; - is standard input or output
    #[arg(value_names = ["IN", "OUT"], num_args = 0..=2)]
    pub paths: Vec<OsString>,
    /// The input, in ffmpeg's spelling
    #[arg(short = 'i', value_name = "IN")]
    pub input: Option<OsString>,
    /// The output
    #[arg(short, long, value_name = "OUT")]
    pub output: Option<OsString>,
    /// Replace OUT if it exists (never when it is IN)
    #[arg(short = 'y', long = "overwrite")]
    pub overwrite: bool,

    /// What is filtered, and how.
    #[command(flatten)]
    pub run: Run,

    /// Write what filters measure (stats) to FILE: a JSON object a line, one for each frame
    ///
    /// It has frame, time (in seconds; null where there is none) and records: for each filter that measures, in the chain's
    /// order, an object with filter (its name) and its values. FILE exists when the output is whole; - is standard output.
    #[arg(long, value_name = "FILE", help_heading = FILTERING, conflicts_with = "preview")]
    pub records: Option<OsString>,

    /// Presentation times: the source's, or counted from the first frame (auto: zero for a cut, else keep)
    #[arg(long, value_name = "WHICH", default_value = "auto", help_heading = WINDOW)]
    pub timestamps: TimestampChoice,
    /// Write a PNG of source and result side by side at this position instead of a video
    ///
    /// Left is the source and right the result; below, the same with the local contrast of luma amplified, which shows
    /// banding that the eye misses in the dark. Of a chain that drops or joins frames, the result's first frame from there on is
    /// shown, beside the source's that it belongs to.
    #[arg(long, value_name = "POSITION", help_heading = WINDOW, allow_negative_numbers = true,
          conflicts_with_all = ["start", "end", "frames"])]
    pub preview: Option<Position>,

    /// The video encoder, by libav's name (libx264, libx265, libsvtav1, ffv1, prores_ks ...)
    #[arg(short, long, visible_alias = "encoder", value_name = "ENCODER", help_heading = ENCODING)]
    pub codec: Option<String>,
    /// Constant quality: lower is better (by default 18 for libx265 and libx264, 14 for libsvtav1)
    ///
    /// The defaults keep at least half of what debanding does to steps in smooth areas, in 10 bits: docs/ENCODING.md has the
    /// measurement. They hold where no quality or rate is asked for; other encoders have their own.
    #[arg(long, value_name = "N", help_heading = ENCODING, allow_negative_numbers = true, value_parser = parse_quality,
          conflicts_with = "bitrate")]
    pub crf: Option<f64>,
    /// Bits a second, as in 4M
    #[arg(short, long, value_name = "RATE", help_heading = ENCODING, value_parser = parse_bit_rate)]
    pub bitrate: Option<String>,
    /// Other kinds of rate control.
    #[command(flatten)]
    pub rate: RateArgs,
    /// The encoder's preset (slow, p5, 8 ...), or a preset of options: a name that `vramp presets` lists, or a .toml file
    ///
    /// A preset of options holds any options of this command. Options on the command line replace the preset's,
    /// and so do those of a later preset; -x is joined, key by key. Repeat it for both kinds.
    #[arg(long, value_name = "NAME", help_heading = ENCODING)]
    pub preset: Vec<String>,
    /// The encoder's tuning
    #[arg(long, value_name = "NAME", help_heading = ENCODING)]
    pub tune: Option<String>,
    /// Any other option of the encoder; repeat for more
    #[arg(short = 'x', long, value_name = "KEY=VALUE", value_parser = parse_pair, help_heading = ENCODING)]
    pub option: Vec<(String, String)>,
    /// The container, by libav's name; or null, framemd5, framehash
    #[arg(short = 'f', long = "container", value_name = "NAME", help_heading = ENCODING)]
    pub container: Option<String>,
    /// With the container null: frames are brought back from a GPU all the same, to be hashed or measured.
    #[arg(skip)]
    pub download: bool,
    /// Encode Dolby Vision profile 5 anyway, with wrong colours: its metadata is not applied
    #[arg(long, help_heading = ENCODING)]
    pub ignore_dolby_vision: bool,
    /// What framehash hashes with
    #[arg(long, value_name = "HASH", help_heading = ENCODING)]
    pub hash: Option<HashName>,

    /// How sound is handled.
    #[command(flatten)]
    pub sound: SoundArgs,

    /// Tracks, tags and chapters that are not the input's.
    #[command(flatten)]
    pub tracks: TrackArgs,

    /// How sequences of pictures are written.
    #[command(flatten)]
    pub numbers: pictures::PictureNumbers,

    /// Leave sound out
    #[arg(long, help_heading = STREAMS)]
    pub no_audio: bool,
    /// Leave subtitles out
    #[arg(long, help_heading = STREAMS)]
    pub no_subtitles: bool,
    /// Leave out attachments, cover art, further video streams and data
    #[arg(long, help_heading = STREAMS)]
    pub no_extras: bool,
    /// Subtitles.
    #[command(flatten)]
    pub subtitles: SubtitleArgs,

    /// Threads of the encoder; 0 lets it choose
    ///
    /// The number of slices in large pictures of ffv1 follows from it, and with that the file's bytes: -x slices=N pins them.
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = threads(), allow_negative_numbers = true,
          help_heading = RUNNING)]
    pub encoder_threads: usize,
    /// Finish the output with the frames that are done when the run is stopped (Ctrl-C), instead of dropping it
    ///
    /// The exit code stays that of a stopped run, and the last line says how many frames were kept. A second Ctrl-C
    /// drops the output after all, and a third does not wait for the encoder.
    #[arg(long, help_heading = RUNNING, conflicts_with = "preview")]
    pub keep_partial: bool,
    /// How progress is shown.
    #[command(flatten)]
    pub progress: ProgressArgs,
}

/// Which presentation times the output has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum TimestampChoice {
    /// Zero for a video that begins at --start, else keep.
    Auto,
    /// The source's.
    Keep,
    /// Counted from the first frame.
    Zero,
}

/// What `-f framehash` hashes with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum HashName {
    /// MD5.
    Md5,
    /// SHA-256.
    Sha256,
}

impl FilterArgs {
    /// The input's path.
    ///
    /// # Errors
    /// When none is given.
    pub fn input(&self) -> Result<&OsStr> {
        match self
            .option_input()?
            .or(self.paths.first().map(OsString::as_os_str))
            .ok_or_else(|| Error::bad_argument("no input: try 'vramp IN OUT --chain CHAIN', or 'vramp --help'"))?
        {
            empty if empty.is_empty() => Err(Error::bad_argument("the input's name is empty: name a file, or -")),
            input => Ok(input),
        }
    }

    /// The input that an option gives.
    fn option_input(&self) -> Result<Option<&OsStr>> {
        let unnamed = self.run.inputs.iter().filter(|input| name_of(input).is_none()).map(OsString::as_os_str);
        let mut given = self.input.as_deref().into_iter().chain(unnamed);
        match (given.next(), given.next()) {
            (_, Some(extra)) => {
                let extra = extra.display();
                Err(Error::bad_argument(format!("'{extra}' is one input too many: name it, --input NAME={extra}")))
            }
            (first, None) => Ok(first),
        }
    }

    /// The output's path. With `-f null` there need not be one.
    ///
    /// # Errors
    /// When none is given, or more than one.
    pub fn output(&self) -> Result<&OsStr> {
        let skipped = usize::from(self.option_input()?.is_none());
        let mut rest = self.paths.iter().skip(skipped).map(OsString::as_os_str);
        let positional = rest.next();
        if let Some(extra) = if self.output.is_some() { positional } else { rest.next() } {
            let extra = extra.display();
            return Err(Error::bad_argument(format!("'{extra}' is one path too many: give one input and one output")));
        }
        let none = || (self.container.as_deref() == Some("null")).then_some(OsStr::new("-"));
        let given = self.output.as_deref().or(positional).or_else(none);
        let missing =
            |what| Error::bad_argument(format!("{what}: name a file, - for standard output, or '-f null' for none"));
        match given.ok_or_else(|| missing("no output"))? {
            empty if empty.is_empty() => Err(missing("the output's name is empty")),
            output => Ok(output),
        }
    }

    /// The encoder's preset, once presets of options are replaced by what they hold: the last one that is given.
    pub fn encoder_preset(&self) -> Option<&str> {
        self.preset.last().map(String::as_str)
    }

    /// Which other streams are copied.
    pub fn copied(&self) -> CopyChoice {
        CopyChoice { audio: !self.no_audio, subtitles: !self.no_subtitles, others: !self.no_extras }
    }
}
