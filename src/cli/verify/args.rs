//! Arguments of `vramp verify`.

use crate::cli::args::{ProgressArgs, Run};
use clap::Args;
use std::ffi::OsString;

/// Arguments of `vramp verify`.
#[derive(Clone, Debug, Args)]
#[command(after_long_help = HELP)]
pub struct VerifyArgs {
    /// The text of hashes: of `vramp hash`, or of ffmpeg's framemd5 or framehash; - is standard input
    #[arg(value_name = "FILE")]
    pub file: OsString,
    /// The video that it should be of; - is standard input
    #[arg(value_name = "IN")]
    pub input: OsString,
    /// Print one JSON object
    #[arg(long)]
    pub json: bool,
    /// What is filtered, and how.
    #[command(flatten)]
    pub run: Run,
    /// How progress is shown.
    #[command(flatten)]
    pub progress: ProgressArgs,
}

const HELP: &str = "\
A text that 'vramp hash' wrote says what it was made with. Its --chain, --depth, --dither, --range and --format are taken unless
one of them is given ('--chain \"\"' filters nothing), and so are its --start, --end and --frames.

Exit code: 0 when every frame is what FILE says, 1 when the video differs, another one when that could not be found out
('vramp --help' lists them). What differs is printed: missing, extra, duplicated and moved frames, a shift, times, and pixels by
plane.

JSON: one object with match, file, input, hash, expected and found (frames), same (frames with the same pixels), first (the
first frame that differs, or null), stream (name, expected, found of what describes the stream and differs: frames are then not
compared), offset, unit (of times, in seconds), and differences: kind (missing, extra, duplicated, moved, shifted, pixels,
time), expected and found ([first, last] or null), by kind planes, by, first and last (how much later, in units).";
