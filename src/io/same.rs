//! An output must not be its own input.

use crate::error::{Error, Result};
use std::ffi::OsStr;
use std::fs;
use std::os::unix::fs::MetadataExt;

/// Refuses an output that is the input's file, by whatever name or link.
///
/// # Errors
/// When both name the same regular file.
pub fn refuse_input(output: &OsStr, input: &OsStr) -> Result<()> {
    // What does not exist (or is a pipe, "-") is not the same file.
    let (Ok(output_meta), Ok(input_meta)) = (fs::metadata(output), fs::metadata(input)) else { return Ok(()) };
    let same = (output_meta.dev(), output_meta.ino()) == (input_meta.dev(), input_meta.ino());
    if same && output_meta.is_file() {
        let output = output.display();
        return Err(Error::bad_argument(format!("{output} is the input itself: choose another name for the output")));
    }
    Ok(())
}
