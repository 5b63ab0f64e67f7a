//! Arguments of `vramp scenes`.

use clap::{Args, ValueEnum};
use std::ffi::OsString;

/// Arguments of `vramp scenes`.
#[derive(Debug, Args)]
#[command(after_long_help = HELP)]
pub struct ScenesArgs {
    /// The video
    #[arg(value_name = "IN")]
    pub input: OsString,
    /// How the list is written
    #[arg(long = "as", value_name = "FORM", default_value = "text")]
    pub form: Form,
    /// Write it to a file instead of standard output
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<OsString>,
    /// Replace the file
    #[arg(short = 'y', long, requires = "output")]
    pub overwrite: bool,
}

/// How a list of scenes is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Form {
    /// A table
    Text,
    /// One object: the number of frames, and each scene's first frame, length and time
    Json,
    /// Chapters, as mkvmerge and vramp --chapters read them
    Chapters,
    /// Keyframes for x264 and x265: their --qpfile
    Qpfile,
    /// Keyframes for SVT-AV1: the value of its --force-key-frames
    Frames,
    /// Keyframes for FFmpeg: the value of its -force_key_frames
    Times,
}

const HELP: &str = "\
A scene begins where at least 16 % of the samples of luma have another brightness, and the picture, reduced to 16 rows, differs \
by 22 steps of 8 bits in the mean. A flash or a fast pan changes one of the two alone. Frames are counted from 0, as encoders \
count them. SVT-AV1 takes keyframes with --crf or --qp alone, and ignores them, without a word, with --keyint -1 and with \
--irefresh-type 1.

  vramp scenes film.mkv
  vramp scenes film.mkv --as qpfile -o film.qp && x265 --qpfile film.qp …
  SvtAv1EncApp --force-key-frames \"$(vramp scenes film.mkv --as frames)\" …";
