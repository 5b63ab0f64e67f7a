//! What is decoded and filtered, and on what: the options of every command that runs a chain.

use super::parse::{DEFAULT_PRESET, choices, gpu_memory, levels, parse_count, presets, threads};
use super::{FILTERING, RUNNING, WINDOW, colour, pictures, script};
use crate::device::DeviceChoice;
use crate::device::cpu::CpuLevel;
use crate::error::{Error, Result};
use crate::filters;
use crate::io::libav::{DecoderChoice, Position, Window, pixfmt};
use crate::params::Call;
use crate::video::Format;
use clap::{Args, ValueEnum};
use std::ffi::{OsStr, OsString};

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
    /// Remove banding before all else: gradient, with this preset if one is named. The output has 10 bits unless another
    /// depth is asked for
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
    /// What a filter cannot read as it is becomes like the input by matrix, format, range and depth. Where FILE has alpha, that is the
    /// picture NAME_alpha, which overlay takes unless it is given another: --input logo=logo.png --chain overlay=with=logo:x=20:y=20
    #[arg(long = "input", value_name = "[NAME=]FILE", help_heading = FILTERING)]
    pub inputs: Vec<OsString>,
    /// Bits a sample of the output (by default the source's, and 10 for 8 bits that are debanded)
    ///
    /// --deband has 10 unless --format says otherwise. A chain with deband or gradient has 10 where the encoder is lossy and
    /// none of -c, --format, --dither and the filter depth is given.
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

/// The name and the file of `NAME=FILE`; `None` for a file alone. A file with such a name is reached as ./a=b.
pub(super) fn name_of(input: &OsStr) -> Option<(&str, &OsStr)> {
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
