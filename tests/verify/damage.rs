//! Damaged videos, whose decoders conceal damage otherwise from run to run unless one thread decodes them.

use crate::command::{Folder, Ran, ffmpeg, run, run_fed};
use crate::{BUNNY, INCOMPLETE, verify};
use std::fs;

const VARIES: &str = "may differ from run to run";

/// A video of frames that refer to each other, with bytes of its packets changed.
fn damaged(folder: &Folder, name: &str, codec: &str) -> String {
    let path = folder.path(name);
    ffmpeg(&format!("-i {BUNNY} -an -vf scale=640:360 -frames:v 80 -c:v {codec} {path}"));
    let mut bytes = fs::read(&path).unwrap();
    let (first, last) = (bytes.len() / 4, bytes.len() * 9 / 10);
    (first..last).step_by((last - first) / 20).for_each(|place| bytes[place] ^= 0x5a);
    fs::write(&path, bytes).unwrap();
    path
}

#[test]
fn a_damaged_video_is_what_its_own_text_says() {
    let folder = Folder::new();
    for (name, codec) in [
        ("x264.ts", "libx264 -preset veryfast -g 50"),
        ("mpeg4.avi", "mpeg4 -q:v 4"),
        // Its decoder does not say which frames lack blocks, but which do not.
        ("x265.mkv", "libx265 -preset ultrafast -x265-params log-level=none"),
    ] {
        let video = damaged(&folder, name, codec);
        let golden = folder.path("golden");
        assert_eq!(run(&["hash", &video, "-o", &golden, "-y"]).code, Some(INCOMPLETE), "{name}");
        for ways in [&[][..], &["--decoder-threads", "3"], &["--decoder-threads", "1"]] {
            let ran = verify(&golden, &video, ways).ok();
            assert!(ran.stderr.contains("warning: ") && !ran.stderr.contains(VARIES), "{}", ran.stderr);
        }
        let printed = run(&["hash", &video]);
        assert_eq!(printed.stdout, fs::read(&golden).unwrap(), "{name}: nothing of the first attempt is printed");
    }
}

#[test]
fn what_may_differ_the_next_time_is_warned_of() {
    let folder = Folder::new();
    let video = damaged(&folder, "x264.ts", "libx264 -preset veryfast -g 50");
    let bytes = fs::read(&video).unwrap();
    let golden = folder.path("golden");
    let warned = |ran: Ran| ran.stderr.contains(VARIES) && ran.stderr.contains("--decoder-threads 1");
    assert_eq!(run(&["hash", &video, "-o", &golden]).code, Some(INCOMPLETE));
    // A pipe cannot be read again.
    assert!(warned(run_fed(&["hash", "-"], &bytes)));
    assert!(warned(run_fed(&["verify", &golden, "-"], &bytes)));
    let sure = run_fed(&["verify", &golden, "-", "--decoder-threads", "1"], &bytes).ok();
    assert!(!warned(sure));
    assert!(warned(run(&["compare", &video, &video])));
    assert!(!warned(run(&["compare", &video, &video, "--decoder-threads", "1"])));
}
