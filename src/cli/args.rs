//! The command line as a value: every option with its help, from which the manual page and completions are made too.

mod batch;
mod colour;
mod farm;
pub mod gallery;
pub mod pictures;
mod plugins;
mod presets;
mod rate;
pub mod scenes;
pub mod script;
pub mod sound;
mod submit;
mod subtitles;
pub mod tracks;

pub use batch::BatchArgs;
pub use farm::{CutArgs, GpuList, JoinArgs, PartArgs, PlanArgs, SegmentArgs, StatusArgs};
pub use plugins::PluginsArgs;
pub use presets::PresetsArgs;
pub use rate::RateArgs;
pub use submit::{Engine, SubmitArgs};

use crate::cli::argv::FFMPEG_SPELLINGS;
use crate::cli::compare::CompareArgs;
use crate::cli::hash::HashArgs;
use crate::cli::verify::VerifyArgs;
use crate::device::DeviceChoice;
use crate::device::cpu::CpuLevel;
use crate::error::{Error, Kind, Result};
use crate::filters::{self, gradient};
use crate::io::libav::{CopyChoice, DecoderChoice, Position, Window, pixfmt};
use crate::params::{Call, ParamKind};
use crate::video::Format;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, Parser, Subcommand, ValueEnum};
use sound::SoundArgs;
use std::ffi::{OsStr, OsString};
use std::path::PathBuf;
use subtitles::SubtitleArgs;
pub use subtitles::names_subtitles;
pub use tracks::TrackArgs;

/// The whole command line.
#[derive(Debug, Parser)]
#[command(
    name = "vramp",
    version,
    about = "Filters video: decode, a chain of filters, encode",
    long_about = LONG_ABOUT,
    override_usage = "vramp [OPTIONS] <IN> <OUT>\n       vramp <COMMAND> [OPTIONS]",
    after_help = "Exit codes and examples: vramp --help",
    after_long_help = after_long_help(),
    args_conflicts_with_subcommands = true,
    max_term_width = 100
)]
pub struct Cli {
    /// What to do instead of filtering a video.
    #[command(subcommand)]
    pub command: Option<Command>,
    /// The filtering itself.
    #[command(flatten)]
    pub job: FilterArgs,
    /// Whether it is done in parts.
    #[command(flatten)]
    pub segments: SegmentArgs,
    /// Messages and progress.
    #[command(flatten)]
    pub messages: Messages,
}

/// How much is printed, and how.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Messages")]
pub struct Messages {
    /// Print errors only
    #[arg(short, long, global = true, conflicts_with = "verbose")]
    pub quiet: bool,
    /// Print the plan, and where the time went; twice: everything
    #[arg(short, long, global = true, action = clap::ArgAction::Count)]
    pub verbose: u8,
    /// Colours in messages; the environment variable NO_COLOR turns them off too
    #[arg(long, global = true, value_name = "WHEN", default_value = "auto")]
    pub color: Color,
}

/// When to colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Color {
    /// On a terminal.
    Auto,
    /// Never.
    Never,
}

/// A subcommand.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Filter many videos, with one command line for all
    Batch(Box<BatchArgs>),
    /// Write down how a film is worked on in parts, on one machine or many
    Plan(Box<PlanArgs>),
    /// Make parts of a planned film
    Part(Box<PartArgs>),
    /// Join the parts of a planned film
    Join(JoinArgs),
    /// Say how far a planned film is
    Status(StatusArgs),
    /// Hand the parts of a planned film to an engine, as Slurm
    Submit(SubmitArgs),
    /// List the presets of options, or print one
    Presets(PresetsArgs),
    /// List the filters, or explain one
    Filters(FiltersArgs),
    /// List the scenes of a video, as text, chapters, or keyframes for encoders
    Scenes(scenes::ScenesArgs),
    /// Make a page with every preset of the filters, on frames of a video
    Gallery(gallery::GalleryArgs),
    /// Say what this machine and this build can do
    Probe(ProbeArgs),
    /// Measure the filters against a plain copy, and the stages of a whole run
    Bench(BenchArgs),
    /// Compare two videos frame by frame
    Compare(Box<CompareArgs>),
    /// Say which hosts of the plugin library there are, and where it is installed
    Plugins(PluginsArgs),
    /// Write a hash file: one hash per frame and plane
    Hash(Box<HashArgs>),
    /// Verify a video against a hash file
    Verify(Box<VerifyArgs>),
    /// Print a completion script for a shell
    Completions {
        /// The shell
        shell: clap_complete::Shell,
    },
    /// Print the manual page (roff)
    Man(ManArgs),
}

/// Arguments of `vramp man`.
#[derive(Debug, Args)]
pub struct ManArgs {
    /// The command to describe, else vramp itself
    #[arg(value_name = "COMMAND")]
    pub of: Option<String>,
    /// Write the pages of vramp and all its commands to this folder
    #[arg(long, value_name = "DIR", conflicts_with = "of")]
    pub into: Option<PathBuf>,
}

/// Arguments of `vramp filters`.
#[derive(Debug, Args)]
pub struct FiltersArgs {
    /// The filter to explain
    pub name: Option<String>,
    /// Print JSON: name, summary and every option with its type, default, limits and text
    #[arg(long)]
    pub json: bool,
}

/// Arguments of `vramp probe`.
#[derive(Debug, Args)]
pub struct ProbeArgs {
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

/// Arguments of `vramp bench`.
#[derive(Debug, Args)]
#[command(after_long_help = BENCH_HELP)]
pub struct BenchArgs {
    /// Print one JSON object instead of tables
    #[arg(long)]
    pub json: bool,
    /// Measure there: cpu, cuda, cuda:N, or auto for the first GPU there is
    #[arg(long, value_name = "DEVICE", default_value_t = DeviceChoice::Cpu)]
    pub device: DeviceChoice,
    /// What decodes the clip of --clip: software, nvdec or auto. Frames that NVDEC leaves on the GPU are measured in
    /// the decoder alone and in the whole run, not stage by stage
    #[arg(long, value_name = "DECODER", default_value_t = DecoderChoice::Software, requires = "clip")]
    pub decoder: DecoderChoice,
    /// Measure this filter only; repeat for more
    #[arg(long, value_name = "NAME")]
    pub filter: Vec<String>,
    /// Frame size
    #[arg(long, value_name = "WxH", default_value = "1920x1080", value_parser = parse_size)]
    pub size: (usize, usize),
    /// The best CPU level and one case a filter only, measured shorter
    #[arg(long)]
    pub quick: bool,
    /// Measure the filters beside those of the ffmpeg program that do the same work, for all that have one
    #[arg(long, conflicts_with_all = ["clip", "chain"])]
    pub peers: bool,
    /// Measure what each filter with a bar takes of the processor on one thread: beside ffmpeg's where that has one
    #[arg(long, conflicts_with_all = ["clip", "chain", "peers", "size"])]
    pub bars: bool,
    /// Measure decode, chain and encode of this clip, each alone and all together, instead of single filters
    #[arg(long, value_name = "FILE")]
    pub clip: Option<String>,
    /// Measure this chain, beside its filters one by one; for --clip it is deband otherwise
    #[arg(long, value_name = "CHAIN", conflicts_with = "filter")]
    pub chain: Option<String>,
    /// Measure so many runs of --clip side by side, and as many decoders alone; several numbers with commas between give a curve
    #[arg(long, value_name = "LIST", requires = "clip", value_delimiter = ',',
          value_parser = clap::value_parser!(u16).range(1..=256))]
    pub jobs: Vec<u16>,
    /// The GPUs on which those take turns: all, or numbers as in 0,1 (by default the one of --device)
    #[arg(long, value_name = "LIST", requires = "jobs")]
    pub gpus: Option<GpuList>,
    /// The encoder for --clip, or null for none
    #[arg(short, long, value_name = "ENCODER", default_value = "libx264", requires = "clip")]
    pub codec: String,
    /// The encoder's preset for --clip
    #[arg(long, value_name = "NAME", requires = "clip")]
    pub preset: Option<String>,
    /// Threads of each stage for --clip: decoder, chain and encoder; 0 takes all processors
    #[arg(long, value_name = "N", default_value_t = 0, requires = "clip", value_parser = threads())]
    pub threads: usize,
}

/// Arguments of a filtering run.
#[derive(Clone, Debug, Args)]
pub struct FilterArgs {
    /// The input and the output; - is standard input or output
    #[arg(value_names = ["IN", "OUT"], num_args = 0..=2)]
    pub paths: Vec<OsString>,
    /// The input, as ffmpeg has it
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
    /// banding that the eye misses in the dark.
    #[arg(long, value_name = "POSITION", help_heading = WINDOW, allow_negative_numbers = true,
          conflicts_with_all = ["start", "end", "frames"])]
    pub preview: Option<Position>,

    /// The video encoder, by libav's name (libx264, libx265, libsvtav1, ffv1, prores_ks ...)
    #[arg(short, long, visible_alias = "encoder", value_name = "ENCODER", help_heading = ENCODING)]
    pub codec: Option<String>,
    /// Constant quality: lower is better (by default 20 for libx265, 18 for libx264, 14 for libsvtav1)
    ///
    /// The defaults keep at least half of what deband does to steps in smooth areas, in 10 bits: docs/ENCODING.md has the
    /// measurement. They hold where no quality or rate is asked for; other encoders have their own.
    #[arg(long, value_name = "N", help_heading = ENCODING, allow_negative_numbers = true, value_parser = parse_quality,
          conflicts_with = "bitrate")]
    pub crf: Option<f64>,
    /// Bits a second, as in 4M
    #[arg(short, long, value_name = "RATE", help_heading = ENCODING, value_parser = rate::parse_bit_rate)]
    pub bitrate: Option<String>,
    /// Other kinds of rate control.
    #[command(flatten)]
    pub rate: RateArgs,
    /// The encoder's preset (slow, p5, 8 ...), or a preset of options: a name that `vramp presets` lists, or a .toml file
    ///
    /// A preset of options holds any options of this command. Those that stand on the command line replace the preset's,
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
    /// Encode Dolby Vision of profile 5 all the same, with wrong colours: its metadata is not applied
    #[arg(long, help_heading = ENCODING)]
    pub ignore_dolby_vision: bool,
    /// What framehash hashes with
    #[arg(long, value_name = "HASH", help_heading = ENCODING)]
    pub hash: Option<HashName>,

    /// What becomes of the sound.
    #[command(flatten)]
    pub sound: SoundArgs,

    /// Tracks, tags and chapters that are not the input's.
    #[command(flatten)]
    pub tracks: tracks::TrackArgs,

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

/// What is decoded and filtered, and how: the options of every command that runs a chain.
#[derive(Clone, Debug, Args)]
pub struct Run {
    /// The filter chain, or @FILE to read it from a file; several are joined
    ///
    /// As FFmpeg filtergraphs: deband=range=16:sample=2,depth=10, or without quoting trouble:
    /// deband(range 16, sample 2) > depth(10). `vramp filters` lists the filters and `vramp filters NAME` explains one.
    /// @FILE(name=value, …) gives values to the parameters of a file: $name, ${name} or ${name:-default} in its options.
    #[arg(long, value_name = "CHAIN", help_heading = FILTERING)]
    pub chain: Vec<String>,
    /// Take banding out, first of all: gradient, with this preset if one is named. The output has 10 bits where nothing else
    /// is asked for
    #[arg(long, value_name = "PRESET", help_heading = FILTERING, num_args = 0..=1, require_equals = true,
          default_missing_value = DEFAULT_PRESET, value_parser = presets())]
    pub deband: Option<String>,
    /// Colours and light.
    #[command(flatten)]
    pub colour: colour::ColourArgs,
    /// A further input, for filters of the chain that read the picture NAME; repeat for more. Without a name, the input
    ///
    /// It is decoded from its start, and its frames are matched by their times from each file's start: while a frame of the input is
    /// shown, the one of FILE that is shown then is read, the first before it begins and the last after its end, so that a still picture lasts.
    #[arg(long = "input", value_name = "[NAME=]FILE", help_heading = FILTERING)]
    pub inputs: Vec<OsString>,
    /// Bits a sample of the output (by default the source's, and 10 for what is debanded and encoded by default)
    #[arg(long, value_name = "BITS", help_heading = FILTERING, allow_negative_numbers = true,
          value_parser = clap::value_parser!(u8).range(8..=16))]
    pub depth: Option<u8>,
    /// How bits are dropped where the output has fewer than the chain
    #[arg(long, value_name = "HOW", help_heading = FILTERING, value_parser = choices("depth", "dither"))]
    pub dither: Option<String>,
    /// Convert the output to this sample range
    #[arg(long, value_name = "RANGE", help_heading = FILTERING, value_parser = choices("range", "to"))]
    pub range: Option<String>,
    /// Sample format of the output, by FFmpeg's names (yuv420p10, nv12, gray8, gbrp ...)
    ///
    /// RGB is filtered as RGB where this asks for gbrp, gbrp10, rgb24 ... or the output loses nothing (a lossless encoder that
    /// takes RGB, a hash file, none). Elsewhere it becomes YCbCr of 4:4:4 with two bits more, before the chain. Packed
    /// RGB (rgb24, bgra ...) becomes gbrp, without a loss.
    #[arg(long, value_name = "NAME", help_heading = FILTERING, value_parser = pixfmt::by_name)]
    pub format: Option<Format>,

    /// The first frame: a time (12.5, 00:00:12.5) or a frame's number (#300)
    ///
    /// Numbers count the frames from 0, times count from the start that the container states, as ffmpeg's -ss does: a
    /// recording whose clock begins at 01:00:00 has its first frame at 0. The frames before are decoded only as far as
    /// the first one needs, from a key frame on, and those of an undamaged input are the same as in a run of
    /// the whole (-v says where decoding begins, or why everything is decoded). Damage before that is not looked for, and
    /// a decoder may report damage of the part only behind it: --strict decodes all before the part.
    #[arg(long, value_name = "POSITION", help_heading = WINDOW, allow_negative_numbers = true)]
    pub start: Option<Position>,
    /// The frame to stop before, counted as --start counts
    #[arg(long, value_name = "POSITION", help_heading = WINDOW, allow_negative_numbers = true)]
    pub end: Option<Position>,
    /// At most this many frames
    #[arg(long, value_name = "N", help_heading = WINDOW, allow_negative_numbers = true, value_parser = parse_count)]
    pub frames: Option<u64>,
    /// How sequences of pictures are read.
    #[command(flatten)]
    pub pictures: pictures::PictureInput,
    /// How scripts are read.
    #[command(flatten)]
    pub script: script::ScriptArgs,
    /// Fail at the first damaged frame instead of keeping what decodes
    #[arg(long, help_heading = RUNNING)]
    pub strict: bool,
    /// What filters.
    #[command(flatten)]
    pub on: RunsOn,
    /// What decodes: auto (the GPU's decoder where filters run there and it gives the same bytes, else software), nvdec
    /// (the GPU's or none) or software
    #[arg(long, value_name = "DECODER", default_value_t, help_heading = RUNNING)]
    pub decoder: DecoderChoice,
    /// Threads of the decoder; 0 lets it choose, and 1 decodes a damaged input to the same frames every time
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = threads(), allow_negative_numbers = true,
          help_heading = RUNNING)]
    pub decoder_threads: usize,
}

/// What chains run on.
#[derive(Clone, Debug, Args)]
pub struct RunsOn {
    /// What the chain runs on: auto, cpu, cuda or cuda:N; the result is the same
    ///
    /// auto takes the first NVIDIA GPU, or else the CPU and says why (where there is none at all, only with -v). cuda
    /// and cuda:N take that GPU or fail. `vramp probe` lists the GPUs.
    #[arg(long, value_name = "DEVICE", default_value_t, help_heading = RUNNING)]
    pub device: DeviceChoice,
    /// GPU memory that the run may hold, in MiB: a chain that needs more does not start there
    #[arg(long, value_name = "MIB", value_parser = gpu_memory(), help_heading = RUNNING)]
    pub gpu_memory: Option<usize>,
    /// Threads of a chain, and of what measures frames; 0 takes one for each processor
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = threads(), allow_negative_numbers = true,
          help_heading = RUNNING)]
    pub threads: usize,
    /// Use no vector instructions above this level; the result is the same
    #[arg(long, value_name = "LEVEL", value_parser = levels(), help_heading = RUNNING)]
    pub cpu_level: Option<CpuLevel>,
    /// Frames that may wait between two stages, or be on the GPU: more smooths the run, and takes more memory
    #[arg(long, value_name = "N", default_value_t = crate::pipeline::Options::default().slots as u16,
          value_parser = clap::value_parser!(u16).range(1..=256), allow_negative_numbers = true, help_heading = RUNNING)]
    pub slots: u16,
}

/// How far a run is.
#[derive(Clone, Copy, Debug, Args)]
pub struct ProgressArgs {
    /// How progress is shown, on standard error
    ///
    /// A JSON line has frame, frames (in all, where known), time (of the last frame), fps, speed (seconds of video a
    /// second), size (bytes), eta and elapsed (seconds), and done; of two passes, pass says which. The last of them, after the output is whole, has done
    /// true and filters: stage, name and ms_per_frame of each. What is not known is null. Messages are JSON lines too, with
    /// level (error, warn, info ...) and message, and the summary at the end has output, frames, size, elapsed, fps and, of a
    /// video, encoding (encoder, preset, quality or rate, format).
    #[arg(long, value_name = "HOW", default_value = "auto", help_heading = "Messages")]
    pub progress: ProgressChoice,
}

const FILTERING: &str = "Filtering";
const WINDOW: &str = "Part of the input";
const ENCODING: &str = "Encoding";
const STREAMS: &str = "Other streams (all are copied unless left out)";
const RUNNING: &str = "Running";

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

/// How progress is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ProgressChoice {
    /// A bar on a terminal, else nothing.
    Auto,
    /// A bar.
    Bar,
    /// One JSON object a line.
    Json,
    /// Nothing.
    None,
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

/// The name and the file of `NAME=FILE`; `None` for a file alone. A file with such a name is reached as ./a=b.
fn name_of(input: &OsStr) -> Option<(&str, &OsStr)> {
    let bytes = input.as_encoded_bytes();
    let at = bytes.iter().position(|byte| *byte == b'=')?;
    let name = std::str::from_utf8(&bytes[..at]).ok()?;
    let plain = name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    if !plain || !name.starts_with(|c: char| c.is_ascii_alphabetic()) {
        return None;
    }
    Some((name, behind(input, at + 1)?))
}

/// `text` from byte `at` on.
#[cfg(unix)]
fn behind(text: &OsStr, at: usize) -> Option<&OsStr> {
    use std::os::unix::ffi::OsStrExt;
    text.as_bytes().get(at..).map(OsStr::from_bytes)
}

#[cfg(not(unix))]
fn behind(text: &OsStr, at: usize) -> Option<&OsStr> {
    text.to_str()?.get(at..).map(OsStr::new)
}

impl Run {
    /// The part of the input.
    pub fn window(&self) -> Window {
        Window { start: self.start, end: self.end, frames: self.frames }
    }

    /// The inputs that have a name, and their names.
    ///
    /// # Errors
    /// When a file's name is empty.
    pub fn named_inputs(&self) -> Result<Vec<(&str, &OsStr)>> {
        let named: Vec<_> = self.inputs.iter().filter_map(|input| name_of(input)).collect();
        match named.iter().find(|(_, path)| path.is_empty()) {
            Some((name, _)) => Err(Error::bad_argument(format!("--input {name}= has no file: write {name}=FILE"))),
            None => Ok(named),
        }
    }

    /// Refuses inputs without a name, for commands that take their input by place.
    ///
    /// # Errors
    /// When there is one.
    pub fn check_named(&self) -> Result<()> {
        let Some(unnamed) = self.inputs.iter().find(|input| name_of(input).is_none()) else { return Ok(()) };
        let file = unnamed.display();
        Err(Error::bad_argument(format!("--input {file} has no name: write --input NAME={file}")))
    }

    /// The calls of every --chain, in order.
    ///
    /// # Errors
    /// For text that is no chain, and chain files that cannot be read or lack values.
    pub fn chain_calls(&self) -> Result<Vec<Call>> {
        let chains = self.chain.iter().map(|chain| filters::read_chain(chain));
        Ok(chains.collect::<Result<Vec<_>>>()?.concat())
    }
}

/// A parser of the words that option `param` of `filter` takes: they are stated there and nowhere else.
fn choices(filter: &str, param: &str) -> PossibleValuesParser {
    let param = filters::find(filter).and_then(|f| f.schema.find(param)).expect("the option exists");
    let ParamKind::Choice(words) = param.kind else { panic!("{} takes words", param.name) };
    PossibleValuesParser::new(words)
}

/// What `--deband` stands for without a preset.
pub const DEFAULT_PRESET: &str = "default";

/// A parser of what `--deband` takes.
fn presets() -> PossibleValuesParser {
    PossibleValuesParser::new(deband_presets())
}

/// The presets of `--deband`.
pub fn deband_presets() -> impl Iterator<Item = &'static str> {
    std::iter::once(DEFAULT_PRESET).chain(gradient::DESCRIPTOR.schema.presets.iter().map(|preset| preset.name))
}

fn levels() -> impl TypedValueParser<Value = CpuLevel> {
    let names: Vec<_> = CpuLevel::ALL.iter().map(|level| clap::builder::PossibleValue::new(level.name())).collect();
    PossibleValuesParser::new(names).try_map(|name| name.parse::<CpuLevel>())
}

/// More threads than this is a typing mistake.
const MAX_THREADS: i64 = 1024;

/// A parser of a number of threads.
pub fn threads() -> impl TypedValueParser<Value = usize> {
    clap::value_parser!(u16).range(0..=MAX_THREADS).map(usize::from)
}

/// More MiB than this is a typing mistake.
const MAX_GPU_MEMORY: u64 = 1 << 24;

fn gpu_memory() -> impl TypedValueParser<Value = usize> {
    clap::value_parser!(u64).range(1..=MAX_GPU_MEMORY).map(|n| n as usize)
}

fn parse_pair(text: &str) -> Result<(String, String), String> {
    let (key, value) = text.split_once('=').ok_or("it must be KEY=VALUE")?;
    Ok((key.to_owned(), value.to_owned()))
}

/// Reads a number of frames.
pub fn parse_count(text: &str) -> Result<u64, &'static str> {
    text.parse().ok().filter(|count| *count > 0).ok_or("it must be a whole number of at least 1")
}

fn parse_quality(text: &str) -> Result<f64, &'static str> {
    text.parse().ok().filter(|quality| (0.0..=f64::MAX).contains(quality)).ok_or("it must be a number of at least 0")
}

fn parse_size(text: &str) -> Result<(usize, usize), String> {
    let parsed = text.split_once('x').and_then(|(w, h)| Some((w.parse().ok()?, h.parse().ok()?)));
    match parsed {
        Some((w @ 1..=16384, h @ 1..=16384)) => Ok((w, h)),
        _ => Err("it must be WIDTHxHEIGHT, each from 1 to 16384".to_owned()),
    }
}

const LONG_ABOUT: &str = "\
Filters video: decodes IN, runs a chain of filters over every frame, and encodes OUT. Sound, subtitles, chapters and tags are \
copied; presentation times, colour description and HDR metadata are the source's. An output appears under its name only when \
it is whole.";

const EXAMPLES: &str = "\
Examples:
  vramp in.mp4 out.mkv --deband
      deband into a 10-bit file, sound and subtitles copied
  vramp -i in.mp4 -vf \"deband=range=16:sample=2\" -c:v libx265 -crf 18 -preset slow --depth 10 out.mp4
      with ffmpeg's spellings, and AviUtl's filter
  vramp in.mp4 look.png --preview 00:01:23.5 --deband film
      what that does to one frame, keeping faint grain
  vramp in.mp4 - -f framemd5 --chain deband
      one hash a frame, as ffmpeg's framemd5 prints them
  vramp hash in.mp4 --chain deband -o in.hashes; vramp verify in.hashes in.mp4
      write down what every frame is, and check it later
  vramp - - -f yuv4mpegpipe --chain @chain.txt <in.y4m >out.y4m
      in a pipe, the chain read from a file";

const BENCH_HELP: &str = "\
A filter's time is the median over frames taken in turn from buffers larger than the caches. 'x' is that time over the time of a \
plain memory copy that moves the same number of bytes, in the same run: a ratio that travels between machines. --clip times \
decoder, chain and encoder each alone, then the whole run, whose wall time should be that of its slowest stage. With --jobs runs of \
the whole clip go side by side, as parts of a film do, and before each as many of its decoders alone.

On a GPU a time is the median of recorded runs over all of that memory, 'x' is over a copy on the device, and a pipeline from \
the host to the GPU and back is held against the copies alone, both ways at once.

With --peers vramp and ffmpeg take turns of a few frames, on one thread and on all. ffmpeg's time is what its bench filter says \
of the one filter, on a frame that its caches hold.

With --bars they take turns on one thread, and the least processor time of five turns counts, which other programs on the machine \
hardly change. ffmpeg's is that of a long run less a short one's. A ratio over its bar is called so; that is no error.

JSON: one object with version, machine (processors, cpu_level) and what was measured:
  gpu      device, compute_capability, driver, width, height,
           formats: src, dst, bytes, copy (ms, gb_per_s), rows (chain, ms, gb_per_s, times_copy),
           pipeline: src, dst, rows (chain, slots, limit_fps, fps, of_limit,
           and the share of the time in upload, kernels, download)
  filters  width, height, formats: src, dst, copy (threads, ms),
           rows (chain, level, threads, ms, times_copy)
  peers    width, height, ffmpeg (its version),
           rows (peer, chain, src, dst, threads, peer_ms, ms, times_faster)
  bars     ffmpeg (its version), rows (chain, src, dst, width, height, peer, peer_ms, ms,
           value (over the peer's time, or ms where there is no peer), most, holds)
  clip     clip, chain, encoder, device, frames, threads, decode, filter, encode, whole (each
           seconds and processor_seconds), over_slowest, over_possible (over the slowest stage, or over all
           processor time spread over all processors where that is more)
  jobs     clip, chain, encoder, gpus, frames (of one run), rows (jobs, decode_fps of decoders alone, fps,
           times_one (over the first row), of_decoders, of_download: fps over what copies from the GPU alone allow)";

/// The end of `--help`: examples, ffmpeg's spellings, exit codes, and the one trap in names.
fn after_long_help() -> String {
    let spellings: Vec<_> = FFMPEG_SPELLINGS.iter().map(|(theirs, ours)| format!("{theirs} ({ours})")).collect();
    format!(
        "{EXAMPLES}\n\nffmpeg's spellings are understood too:\n{}\n\nExit codes:\n{}\n\n\
         A file called like a command or an option is reached as ./filters or ./-an.",
        wrap(&spellings, 96),
        exit_codes()
    )
}

/// The exit code table.
fn exit_codes() -> String {
    let mut codes: Vec<_> = Kind::ALL.iter().map(|kind| (kind.exit_code(), kind.describe())).collect();
    codes.push((0, "success"));
    codes.sort_unstable();
    codes.iter().map(|(code, meaning)| format!("  {code:>3}  {meaning}")).collect::<Vec<_>>().join("\n")
}

/// `words` with commas between, in indented lines of at most `width` characters.
fn wrap(words: &[String], width: usize) -> String {
    let mut lines = vec![String::from(" ")];
    for (i, word) in words.iter().enumerate() {
        let word = if i + 1 < words.len() { format!(" {word},") } else { format!(" {word}") };
        if lines.last().is_some_and(|line| line.len() + word.len() > width) {
            lines.push(String::from(" "));
        }
        if let Some(line) = lines.last_mut() {
            line.push_str(&word);
        }
    }
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    fn parse(line: &str) -> Cli {
        Cli::try_parse_from(line.split(' ')).unwrap()
    }

    #[test]
    fn the_description_is_sound() {
        Cli::command().debug_assert();
    }

    #[test]
    fn paths_come_by_place_or_by_option() {
        for line in ["vramp a b", "vramp -i a b", "vramp -o b a", "vramp -i a -o b", "vramp b -i a"] {
            let job = parse(line).job;
            assert_eq!((job.input().unwrap(), job.output().unwrap()), ("a".as_ref(), "b".as_ref()), "{line}");
        }
        assert_eq!(parse("vramp - - -y").job.output().unwrap(), "-");
        assert_eq!(parse("vramp a -f null").job.output().unwrap(), "-");
        for line in ["vramp", "vramp a", "vramp -i a", "vramp -i a b c", "vramp -i a -o b c"] {
            let job = parse(line).job;
            assert!(job.input().and(job.output()).is_err(), "{line}");
        }
    }

    #[test]
    fn named_inputs_are_distinguished_from_the_input() {
        let job = parse("vramp a b --input mask=m.png --input logo=x=y.mkv").job;
        assert_eq!(job.input().unwrap(), "a");
        let named = job.run.named_inputs().unwrap();
        assert_eq!(named, [("mask", "m.png".as_ref()), ("logo", OsStr::new("x=y.mkv"))]);
        for line in ["vramp --input a b", "vramp --input a -o b --input mask=c", "vramp --input ./k=v -o b"] {
            let job = parse(line).job;
            assert!(line.contains(&format!("--input {}", job.input().unwrap().display())), "{line}");
        }
        for line in ["vramp --input a --input b c", "vramp -i a --input b c"] {
            assert!(parse(line).job.input().unwrap_err().message().contains("--input NAME=b"), "{line}");
        }
        assert!(parse("vramp a b --input mask=").job.run.named_inputs().is_err());
    }

    #[test]
    fn a_command_is_one_only_in_the_first_place() {
        assert!(matches!(parse("vramp filters").command, Some(Command::Filters(_))));
        assert_eq!(parse("vramp ./filters b").job.input().unwrap(), "./filters");
        assert_eq!(parse("vramp a filters").job.output().unwrap(), "filters");
    }

    #[test]
    fn every_exit_code_is_in_the_help() {
        let help = Cli::command().render_long_help().to_string();
        for kind in Kind::ALL {
            assert!(help.contains(&format!("{:>3}  {}", kind.exit_code(), kind.describe())), "{kind:?}");
        }
    }
}
