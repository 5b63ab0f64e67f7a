//! Arguments of `vramp gallery`.

use crate::io::libav::Position;
use clap::Args;
use std::ffi::OsString;
use std::path::PathBuf;

/// Arguments of `vramp gallery`.
#[derive(Debug, Args)]
#[command(after_long_help = HELP)]
pub struct GalleryArgs {
    /// The video
    #[arg(value_name = "IN")]
    pub input: OsString,
    /// A frame to show, written as for --start; repeat for more (by default three, spread over the film)
    #[arg(long, value_name = "POSITION")]
    pub at: Vec<Position>,
    /// The folder that is made; the page is its index.html
    #[arg(short, long, value_name = "DIR")]
    pub output: PathBuf,
    /// Presets of this filter only; repeat for more
    #[arg(long, value_name = "NAME")]
    pub filter: Vec<String>,
    /// Threads (by default one for each processor)
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub threads: usize,
    /// Replace the folder, if it is a gallery
    #[arg(short = 'y', long)]
    pub overwrite: bool,
}

const HELP: &str = "\
The page needs no network and no server: open index.html. It has every preset of every filter that accepts the video, on these \
frames, with the source behind a slider, and the command line of each to copy. Arrow keys go to the next preset and the next frame.

  vramp gallery film.mkv --at 1:20 --at 34:05 -o looks";
