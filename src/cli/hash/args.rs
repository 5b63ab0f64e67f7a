//! Arguments of `vramp hash`.

use crate::cli::alpha::AlphaArgs;
use crate::cli::args::{ProgressArgs, Run};
use crate::io::Hash;
use crate::io::hash::HashFormat;
use clap::{Args, ValueEnum};
use std::ffi::OsString;

/// Arguments of `vramp hash`.
#[derive(Clone, Debug, Args)]
#[command(after_long_help = HELP)]
pub struct HashArgs {
    /// The input; - is standard input
    #[arg(value_name = "IN")]
    pub input: OsString,
    /// The hash file; - is standard output
    #[arg(short, long, value_name = "FILE", default_value = "-")]
    pub output: OsString,
    /// Replace FILE if it exists (never when it is IN)
    #[arg(short = 'y', long = "overwrite")]
    pub overwrite: bool,
    /// The file's layout: vramp's own (a hash a plane, and all that `vramp verify` compares) or ffmpeg's framehash
    #[arg(long, value_name = "LAYOUT", default_value = "vramp")]
    pub layout: LayoutChoice,
    /// The hash function [default: xxh3, in ffmpeg's layout md5]
    #[arg(long, value_name = "HASH")]
    pub hash: Option<HashChoice>,
    /// Leave out the packets of sound, subtitles and other streams
    #[arg(long)]
    pub no_streams: bool,
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

const HELP: &str = "\
Examples:
  vramp hash in.mkv --chain deband --depth 10 -o in.hashes
      what every frame of the result is; `vramp verify in.hashes in.mkv` checks it
  vramp hash in.mkv --layout ffmpeg -o in.framemd5
      as ffmpeg's framemd5

docs/HASHES.md describes the layout.";

impl HashArgs {
    /// Whether packets of other streams are hashed. ffmpeg's layout has no place for them.
    pub fn streams(&self) -> bool {
        !self.no_streams && self.layout == LayoutChoice::Vramp
    }

    /// The hash function.
    pub fn hash(&self) -> Hash {
        match (self.hash, self.layout) {
            (Some(HashChoice::Xxh3), _) | (None, LayoutChoice::Vramp) => Hash::Xxh3,
            (Some(HashChoice::Md5), _) | (None, LayoutChoice::Ffmpeg) => Hash::Md5,
            (Some(HashChoice::Sha256), _) => Hash::Sha256,
        }
    }
}

/// How a hash file is laid out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum LayoutChoice {
    /// vramp's own.
    Vramp,
    /// As ffmpeg's framemd5 and framehash.
    Ffmpeg,
}

impl From<LayoutChoice> for HashFormat {
    fn from(choice: LayoutChoice) -> HashFormat {
        match choice {
            LayoutChoice::Vramp => HashFormat::Vramp,
            LayoutChoice::Ffmpeg => HashFormat::Ffmpeg,
        }
    }
}

/// A hash function.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum HashChoice {
    /// XXH3, 128 bits.
    Xxh3,
    /// MD5.
    Md5,
    /// SHA-256.
    Sha256,
}
