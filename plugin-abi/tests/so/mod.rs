//! The built library: where it is, and its entry points.
// Every test crate has this to itself, and none uses all of it.
#![allow(dead_code)]

pub mod api;
pub mod command;

use std::path::PathBuf;

/// The library that cargo built beside this test, or the one that `VRAMP_PLUGIN` names.
pub fn library() -> PathBuf {
    if let Some(path) = std::env::var_os("VRAMP_PLUGIN") {
        return path.into();
    }
    let test = std::env::current_exe().expect("a test knows its own file");
    let path = test.with_file_name("libvramp_plugin.so");
    assert!(path.exists(), "{} is not there: build the tests with cargo", path.display());
    path
}
