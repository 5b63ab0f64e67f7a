//! Two passes over the same frames: the first measures what they cost, the second spends a bit rate accordingly.

mod analysis;
mod same;
mod statistics;

pub use analysis::Analysis;
pub use same::SameFrames;
pub(in crate::io::libav) use statistics::StatisticsText;
pub use statistics::has_two_passes;

use crate::error::Result;
use crate::io::libav::size::FilmSize;
use same::Fingerprint;
use statistics::Statistics;
use std::ffi::OsStr;
use std::sync::{Arc, OnceLock};

/// Which pass over its frames an encoder makes.
#[derive(Clone, Debug)]
pub enum EncodePass {
    /// It measures them.
    First(Arc<FirstPass>),
    /// It encodes them by what the first pass measured.
    Second(Arc<FirstPass>),
}

/// What a first pass finds out.
#[derive(Debug)]
pub struct FirstPass {
    statistics: Statistics,
    /// Each frame that the encoder got.
    frames: OnceLock<Vec<Fingerprint>>,
    film: OnceLock<FilmSize>,
}

impl FirstPass {
    /// A first pass of `encoder` for the output `path`, beside which the encoder may keep its statistics.
    ///
    /// # Errors
    /// When the encoder has no two passes, or its files cannot be made.
    pub fn new(encoder: &str, path: &OsStr) -> Result<Arc<FirstPass>> {
        let statistics = Statistics::new(encoder, path)?;
        Ok(Arc::new(FirstPass { statistics, frames: OnceLock::new(), film: OnceLock::new() }))
    }

    /// What the encoder and the container got, once the pass is over.
    pub fn film(&self) -> Option<&FilmSize> {
        self.film.get()
    }
}
