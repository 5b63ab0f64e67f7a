//! Alpha, which every input drops: what states that an input is whole or the same must not ignore it unasked.

use crate::error::{Error, Result};
use crate::io::libav::Input;
use clap::Args;

/// How an input with alpha is taken.
#[derive(Clone, Copy, Debug, Args)]
pub struct AlphaArgs {
    /// Go on without the alpha of an input that has it: alpha is neither hashed nor compared
    #[arg(long)]
    pub ignore_alpha: bool,
}

/// What a verdict says of alpha that was `ignored`, behind all else.
pub fn remark(ignored: bool) -> &'static str {
    if ignored { "; alpha was not compared" } else { "" }
}

impl AlphaArgs {
    /// Whether `input`, which messages call `name`, has alpha that is ignored.
    ///
    /// # Errors
    /// When it has alpha that may not be.
    pub fn check(self, input: &Input, name: &str) -> Result<bool> {
        match input.dropped_alpha() {
            Some(format) if !self.ignore_alpha => Err(Error::unsupported(format!(
                "{name} has alpha ({format}), which is neither hashed nor compared: --ignore-alpha goes on without it"
            ))),
            alpha => Ok(alpha.is_some()),
        }
    }
}
