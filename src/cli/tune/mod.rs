//! `vramp tune`: which of a kernel's ways of working is fastest on this card.

#[cfg(feature = "cuda")]
mod cases;
#[cfg(feature = "cuda")]
mod choice;
#[cfg(feature = "cuda")]
mod measure;
#[cfg(feature = "cuda")]
mod table;
#[cfg(feature = "cuda")]
mod tuner;

use crate::cli::args::TuneArgs;
use crate::error::{Error, Result};

/// Runs `vramp tune`.
pub fn run(args: &TuneArgs) -> Result<()> {
    match args.device.open()? {
        #[cfg(feature = "cuda")]
        Some(device) if args.table => table::run(&device, args.seconds),
        #[cfg(feature = "cuda")]
        Some(device) => tuner::run(&device, args),
        _ => Err(Error::bad_argument("vramp tune is for GPUs: on the CPU every kernel works in one way")),
    }
}
