//! `vramp tune`.

use crate::cli::args::parse::parse_size;
use crate::device::DeviceChoice;
use clap::Args;

/// Arguments of `vramp tune`.
#[derive(Debug, Args)]
#[command(after_long_help = TUNE_HELP)]
pub struct TuneArgs {
    /// Filters to tune, where it matters with options: gauss, or gauss=sigma=3; else all that can work in several ways
    #[arg(value_name = "FILTER")]
    pub filters: Vec<String>,
    /// Frame size; repeat for more. Sizes nearby are served too
    #[arg(long, value_name = "WxH", value_parser = parse_size, default_values = ["1920x1080", "3840x2160"])]
    pub size: Vec<(usize, usize)>,
    /// Measure for about so long; it takes longer where one look at everything does
    #[arg(long, value_name = "N", default_value_t = 120, value_parser = clap::value_parser!(u32).range(1..=86400))]
    pub seconds: u32,
    /// List what would be measured, and which way is taken today, without measuring
    #[arg(long)]
    pub dry_run: bool,
    /// Instead print how much convolve gains over blocks of 16x16 threads, at four radii and five sizes
    #[arg(long, conflicts_with_all = ["filters", "size", "dry_run"])]
    pub table: bool,
    /// Tune this GPU: cuda or cuda:N
    #[arg(long, value_name = "DEVICE", default_value_t = DeviceChoice::Cuda(0))]
    pub device: DeviceChoice,
}

const TUNE_HELP: &str = "\
Some kernels can do their work in several ways: on tensor cores or not, in blocks of one shape or another. Results are the same to \
the byte; which way is fastest depends on the card, the frame size and the options. vramp has measured some cards, and knows a \
good guess for the others; this command measures yours, in alternate replays over memory that no cache holds. Another way than \
the guess is kept where it takes at least 2 % less in both halves of the replays, and gives the same frame.

The winners are in a text file, $XDG_CACHE_HOME/vramp/tuning.txt (else ~/.cache/vramp/tuning.txt), with a line for each kernel and \
case. They count for this card, the major version of its driver, and this code of the kernels. VRAMP_TUNING names another file, or \
is off for none. A file that is missing, damaged or another machine's changes times and nothing else. Nothing else should use the \
GPU meanwhile. docs/TUNING.md says more.";
