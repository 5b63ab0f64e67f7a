//! The command lines of README, docs and samples run as they stand, on small clips of the names that they use.

mod command;

use command::{Folder, ffmpeg};
use std::fs;
use std::path::Path;
use std::process::Command;

const ROOT: &str = env!("CARGO_MANIFEST_DIR");

/// What commands read, and what it is made of.
const CLIPS: [(&str, &str); 4] = [
    ("samples/big-buck-bunny-720p.mp4", "samples/big-buck-bunny-720p.mp4"),
    ("samples/banded-gradient.mkv", "samples/banded-gradient.mkv"),
    ("samples/dark-scene-1080p-1frame.mkv", "samples/dark-scene-1080p-1frame.mkv"),
    ("in.mkv", "samples/big-buck-bunny-720p.mp4"),
];

/// The blocks of shell commands in a document that run the command.
fn blocks(document: &str) -> Vec<String> {
    let fenced = document.split("\n```sh\n").skip(1).filter_map(|rest| rest.split("\n```").next());
    let runs = |line: &str| line.starts_with("vramp ") || line.contains("$vramp ");
    fenced.filter(|block| block.lines().any(runs)).map(str::to_owned).collect()
}

/// A block that runs here: the built command, and no lines that need a second GPU.
fn script(block: &str) -> String {
    let lines = block.lines().filter(|line| !line.starts_with("vramp=") && !line.contains("cuda:"));
    let body = lines.collect::<Vec<_>>().join("\n");
    format!("set -e\nvramp='{vramp}'\nvramp() {{ \"$vramp\" \"$@\"; }}\n{body}\n", vramp = env!("CARGO_BIN_EXE_vramp"))
}

/// Makes the clips, 160 samples wide, in `folder`.
fn make_clips(folder: &Folder) {
    fs::create_dir(folder.path("samples")).unwrap();
    for (name, source) in CLIPS {
        ffmpeg(&format!("-i {ROOT}/{source} -vf scale=160:-2 -c:a copy {}", folder.path(name)));
    }
}

fn runs(document: &str) {
    let text = fs::read_to_string(Path::new(ROOT).join(document)).unwrap();
    let blocks = blocks(&text);
    assert!(!blocks.is_empty(), "{document} has no command lines");
    for block in blocks {
        let folder = Folder::new();
        make_clips(&folder);
        let ran = Command::new("sh").args(["-c", &script(&block)]).current_dir(folder.path("")).output().unwrap();
        assert!(ran.status.success(), "{document}:\n{block}\n{}", String::from_utf8_lossy(&ran.stderr));
    }
}

#[test]
fn readme() {
    runs("README.md");
}

#[test]
fn hashes() {
    runs("docs/HASHES.md");
}

#[test]
fn commands() {
    runs("samples/commands.md");
}
