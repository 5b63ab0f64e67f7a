//! VapourSynth scripts as sources: VSScript runs one, and its frames take the place of a decoder's.

mod failure;
pub(in crate::io::libav) mod feed;
mod ffi;
mod frame;
mod library;
mod program;

use std::ffi::OsStr;
use std::path::Path;

/// What of a script is read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ScriptOptions {
    /// The number of its output, as `clip.set_output(N)` has it.
    pub output: i32,
    /// Variables that it finds set, each a text.
    pub variables: Vec<(String, String)>,
}

/// Whether `path` names a script.
pub fn is_script(path: &OsStr) -> bool {
    let extension = Path::new(path).extension();
    extension.is_some_and(|extension| extension.eq_ignore_ascii_case("vpy")) && !path.to_string_lossy().contains("://")
}
