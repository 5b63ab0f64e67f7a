//! Many films with one command line: `vramp batch`, and the presets that hold such a line.

#[path = "../command/mod.rs"]
mod command;

mod names;
mod presets;
mod runs;
mod stops;

use command::{Folder, Ran, ffmpeg, vramp};
use std::ffi::OsStr;
use std::process::Command;

/// A clip that is quick to filter.
fn clip(folder: &Folder, name: &str) -> String {
    let path = folder.path("clip.part");
    ffmpeg(&format!("-f lavfi -i testsrc2=s=64x48:r=25 -frames:v 5 -c:v ffv1 -f matroska {path}"));
    // ffmpeg's helper splits at blanks.
    let named = folder.path(name);
    std::fs::create_dir_all(std::path::Path::new(&named).parent().unwrap()).unwrap();
    std::fs::rename(path, &named).unwrap();
    named
}

/// The command, run in `folder`, where the user's presets are too.
fn inside(folder: &Folder) -> Command {
    let mut command = vramp();
    command.current_dir(folder.path("")).env("XDG_CONFIG_HOME", folder.path("config"));
    command
}

/// `vramp batch` with `args`, in `folder`. Results are quick to make.
fn batch<A: AsRef<OsStr>>(folder: &Folder, args: &[A]) -> Ran {
    inside(folder).args(["batch", "-c", "ffv1", "--device", "cpu"]).args(args).output().unwrap().into()
}

/// What lies below `name`, as paths within the folder.
fn tree(folder: &Folder, name: &str) -> Vec<String> {
    let mut paths = Vec::new();
    let mut folders = vec![std::path::PathBuf::from(folder.path(name))];
    while let Some(at) = folders.pop() {
        for entry in std::fs::read_dir(at).into_iter().flatten() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else {
                paths.push(path.strip_prefix(folder.path("")).unwrap().to_str().unwrap().to_owned());
            }
        }
    }
    paths.sort();
    paths
}
