//! This program, for processes of its own.

use crate::error::{Error, Result};
use std::path::PathBuf;

/// What starts this program where its own file does not: the script of a package whose libraries lie beside it.
const LAUNCHER: &str = "VRAMP_LAUNCHER";

/// The file to run for another process of this program.
///
/// # Errors
/// When this program does not know where it is.
pub fn own_program() -> Result<PathBuf> {
    match std::env::var_os(LAUNCHER) {
        Some(launcher) => Ok(launcher.into()),
        None => std::env::current_exe().map_err(|error| Error::io("this program's own file", &error)),
    }
}
