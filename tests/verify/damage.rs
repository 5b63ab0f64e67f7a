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

/// Asserts that `video` has the same hashes however often and on however many threads it is decoded.
#[track_caller]
fn same_every_time(video: &str, code: i32) {
    let hashed = |threads: &str| {
        let ran = run(&["hash", video, "--decoder-threads", threads]);
        assert_eq!(ran.code, Some(code), "{}", ran.stderr);
        ran.stdout
    };
    let once = hashed("1");
    ["0", "1", "2", "3", "5", "8"]
        .into_iter()
        .for_each(|threads| assert!(hashed(threads) == once, "{video} {threads}"));
}

#[test]
fn samples_that_a_decoder_does_not_fill_are_the_same_every_time() {
    let folder = Folder::new();
    // Neither reports which frames are damaged. The odd width has padding.
    for (name, codec) in [("mjpeg.avi", "mjpeg -q:v 4"), ("ffv1.mkv", "ffv1 -level 3 -slices 4 -slicecrc 0")] {
        let video = folder.path(name);
        ffmpeg(&format!("-i {BUNNY} -an -vf scale=321:181 -frames:v 24 -c:v {codec} {video}"));
        let mut bytes = fs::read(&video).unwrap();
        let (first, last) = (bytes.len() / 4, bytes.len() * 9 / 10);
        (first..last).step_by((last - first) / 9).for_each(|place| bytes[place] ^= 0x10);
        fs::write(&video, bytes).unwrap();
        let code = run(&["hash", &video]).code.unwrap();
        same_every_time(&video, code);
    }
}

#[test]
fn lost_frames_that_others_refer_to_are_damage() {
    let folder = Folder::new();
    let video = folder.path("x265.hevc");
    let codec = "libx265 -preset ultrafast -x265-params log-level=none:bframes=3";
    ffmpeg(&format!("-i {BUNNY} -an -vf scale=640:360 -frames:v 80 -c:v {codec} {video}"));
    let mut bytes = fs::read(&video).unwrap();
    bytes.drain(bytes.len() / 2..bytes.len() * 6 / 10);
    fs::write(&video, bytes).unwrap();
    assert!(run(&["hash", &video]).stderr.contains("to lost frames"));
    same_every_time(&video, INCOMPLETE);
}
