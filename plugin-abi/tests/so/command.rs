//! The command, whose results the library's are compared with.

use std::path::{Path, PathBuf};
use std::process::Command;

/// The command, or the one that `VRAMP_COMMAND` names. Another package builds it, since it needs libav, and this one must
/// not have it.
pub fn vramp() -> PathBuf {
    if let Some(path) = std::env::var_os("VRAMP_COMMAND") {
        return path.into();
    }
    let test = std::env::current_exe().unwrap();
    let path = test.parent().and_then(Path::parent).unwrap().join("vramp");
    assert!(path.exists(), "{} is not there: run cargo build first", path.display());
    path
}

/// A clip of raw frames of `pix_fmt`, and their bytes.
pub fn clip(pix_fmt: &str, (width, height): (usize, usize), frames: usize) -> (String, Vec<u8>) {
    let path = format!("{}/clip-{pix_fmt}-{}.nut", env!("CARGO_TARGET_TMPDIR"), std::process::id());
    // testsrc2 itself makes even sizes alone.
    let source = format!("testsrc2=size=128x72:rate=25,scale={width}:{height}");
    let made = Command::new("ffmpeg")
        .args(["-v", "error", "-nostdin", "-y", "-f", "lavfi", "-i", &source, "-frames:v", &frames.to_string()])
        .args(["-pix_fmt", pix_fmt, "-c:v", "rawvideo", "-strict", "-1", &path])
        .status();
    assert!(made.unwrap().success(), "ffmpeg makes no {pix_fmt}");
    let raw = Command::new("ffmpeg").args(["-v", "error", "-nostdin", "-i", &path, "-f", "rawvideo", "-"]).output();
    (path, raw.unwrap().stdout)
}

/// What the command makes of a clip: a hash a frame.
pub fn expected(clip: &str, chain: &str) -> Vec<String> {
    let args = [clip, "-", "-f", "framemd5", "--device", "cpu", "--chain", chain];
    let ran = Command::new(vramp()).args(args).output().unwrap();
    assert!(ran.status.success(), "{}", String::from_utf8_lossy(&ran.stderr));
    let text = String::from_utf8(ran.stdout).unwrap();
    let hash = |line: &str| line.rsplit(", ").next().unwrap().to_owned();
    text.lines().filter(|line| !line.starts_with('#')).map(hash).collect()
}
