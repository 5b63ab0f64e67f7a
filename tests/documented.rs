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
    fenced.filter(|block| block.lines().any(|line| line.starts_with("vramp "))).map(str::to_owned).collect()
}

/// A block that runs here: the built command, and no lines that need a second GPU.
fn script(block: &str) -> String {
    let lines: Vec<_> = block.lines().filter(|line| !line.contains("cuda:")).collect();
    format!("set -e\nvramp() {{ '{}' \"$@\"; }}\n{}\n", env!("CARGO_BIN_EXE_vramp"), lines.join("\n"))
}

/// Makes the clips, 160 samples wide, in `folder`: those of samples/, and a film with two tracks of sound and of subtitles.
fn make_clips(folder: &Folder) {
    fs::create_dir(folder.path("samples")).unwrap();
    for (name, source) in CLIPS {
        ffmpeg(&format!("-i {ROOT}/{source} -vf scale=160:-2 -c:a copy {}", folder.path(name)));
    }
    let copied = Command::new("cp").args(["-r", &format!("{ROOT}/samples/chains"), &folder.path("samples")]).status();
    assert!(copied.unwrap().success());
    let (film, signs) = (folder.path("film.mkv"), folder.path("signs.ass"));
    fs::write(folder.path("lines.srt"), "1\n00:00:01,000 --> 00:00:02,000\nA line\n").unwrap();
    let lines = folder.path("lines.srt");
    ffmpeg(&format!("-i {lines} {signs}"));
    let tracks = "-map 0:v -map 0:a -map 0:a -map 1 -map 1 -metadata:s:a:0 language=eng -metadata:s:a:1 language=jpn";
    ffmpeg(&format!("-i {} -i {lines} {tracks} -c copy {film}", folder.path("in.mkv")));
}

/// Runs the blocks of `document`: all, or one of every `step` from number `first` on, so that no test takes minutes.
fn runs(document: &str, first: usize, step: usize) {
    let text = fs::read_to_string(Path::new(ROOT).join(document)).unwrap();
    let blocks = blocks(&text);
    assert!(!blocks.is_empty(), "{document} has no command lines");
    let clips = Folder::new();
    make_clips(&clips);
    for block in blocks.into_iter().skip(first).step_by(step) {
        // Every block stands for itself.
        let folder = Folder::new();
        let copied = Command::new("cp").args(["-r", &clips.path("."), &folder.path("")]).status().unwrap();
        assert!(copied.success());
        let ran = Command::new("sh")
            .args(["-c", &script(&block)])
            .current_dir(folder.path(""))
            .env("HOME", folder.path(""))
            .output()
            .unwrap();
        assert!(ran.status.success(), "{document}:\n{block}\n{}", String::from_utf8_lossy(&ran.stderr));
    }
}

#[test]
fn readme() {
    runs("README.md", 0, 1);
}

#[test]
fn hashes() {
    runs("docs/HASHES.md", 0, 1);
}

#[test]
fn commands_first_third() {
    runs("samples/commands.md", 0, 3);
}

#[test]
fn commands_second_third() {
    runs("samples/commands.md", 1, 3);
}

#[test]
fn commands_last_third() {
    runs("samples/commands.md", 2, 3);
}
