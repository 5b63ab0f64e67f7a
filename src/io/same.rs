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
        return Err(Error::bad_argument(format!(
            "{output} is the input itself, which is never replaced: choose another name for the output"
        )));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_itself_by_any_name() {
        let folder = std::env::temp_dir().join(format!("vramp-same-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        let path = |name: &str| folder.join(name);
        fs::write(path("one"), "").unwrap();
        fs::write(path("other"), "").unwrap();
        fs::hard_link(path("one"), path("hard")).unwrap();
        std::os::unix::fs::symlink(path("one"), path("soft")).unwrap();
        for (output, is_refused) in [("one", true), ("hard", true), ("soft", true), ("other", false), ("none", false)] {
            let refused = refuse_input(path(output).as_os_str(), path("one").as_os_str());
            assert_eq!(refused.is_err(), is_refused, "{output}");
        }
        fs::remove_dir_all(&folder).unwrap();
    }
}
