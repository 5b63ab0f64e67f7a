//! Hash files in ffmpeg's layout, and what its program does to them.

use crate::command::{Folder, ffmpeg, hashes, run};
use crate::{BAD_ARGUMENT, CORRUPT, MISMATCH, UNSUPPORTED, clip, refused, verdict, verify};
use serde_json::json;
use std::fs;

#[test]
fn ffmpegs_layout_is_read_and_written() {
    let folder = Folder::new();
    let input = clip(&folder, "clip.mkv", "null");
    let printed = run(&["hash", &input, "--layout", "ffmpeg"]).ok();
    let lines: Vec<_> = printed.text().lines().filter(|line| !line.starts_with('#')).map(str::to_owned).collect();
    assert_eq!(lines, hashes(&input, &[]));

    let (sound, theirs) = (folder.path("sound.mkv"), folder.path("theirs"));
    ffmpeg(&format!("-f lavfi -i sine=d=1 -i {input} -map 0 -map 1 -c:v copy -c:a pcm_s16le {sound}"));
    let late = folder.path("late.mkv");
    ffmpeg(&format!("-i {input} -c copy -output_ts_offset 7 {late}"));
    for options in ["framemd5", "framemd5 -format_version 1", "framehash", "framehash -hash md5"] {
        ffmpeg(&format!("-i {sound} -map 0 -f {options} {theirs}"));
        verify(&theirs, &sound, &[]).ok();
        // Without -copyts ffmpeg counts from zero.
        let json = verdict(&theirs, &late, &[]);
        assert_eq!((&json["match"], json["offset"].as_i64().unwrap() > 0), (&json!(true), true), "{json}");
        assert_eq!(verdict(&theirs, &sound, &["--frames", "20"])["differences"][0]["kind"], "missing");
    }
    ffmpeg(&format!("-i {input} -c copy -f framemd5 {theirs}"));
    refused(&verify(&theirs, &input, &[]), UNSUPPORTED, &["theirs", "packets (ffv1)"]);
    ffmpeg(&format!("-i {input} -f framehash -hash crc32 {theirs}"));
    refused(&verify(&theirs, &input, &[]), UNSUPPORTED, &["theirs", "'CRC32'"]);
    ffmpeg(&format!("-i {input} -f framemd5 -pix_fmt yuv444p {theirs}"));
    refused(&verify(&theirs, &input, &[]), MISMATCH, &["bytes a frame 28800 instead of 57600"]);
    refused(&run(&["hash", &input, "--layout", "ffmpeg", "--hash", "xxh3"]), BAD_ARGUMENT, &["xxh3", "md5"]);
}

#[test]
fn a_text_of_frames_that_vramp_converts_is_no_false_alarm() {
    let folder = Folder::new();
    let (input, theirs) = (folder.path("packed.nut"), folder.path("theirs"));
    for (packed, planar) in [("uyvy422", "yuv422p"), ("rgb24", "gbrp"), ("bgr0", "gbrp")] {
        ffmpeg(&format!("-f lavfi -i testsrc2=s=160x120:d=0.4 -pix_fmt {packed} -c:v rawvideo {input}"));
        ffmpeg(&format!("-i {input} -f framemd5 {theirs}"));
        let needs = format!("vramp converts {packed} to {planar}: ffmpeg's text needs -pix_fmt {planar}");
        let ran = verify(&theirs, &input, &[]);
        refused(&ran, UNSUPPORTED, &[&needs]);
        assert_eq!(ran.text(), "");
        ffmpeg(&format!("-i {input} -pix_fmt {planar} -f framemd5 {theirs}"));
        verify(&theirs, &input, &[]).ok();
        // One frame that is the same shows that the file is of the same format.
        ffmpeg(&format!("-i {input} -vf format={planar},negate=enable=gt(n\\,0) -f framemd5 {theirs}"));
        refused(&verify(&theirs, &input, &[]), MISMATCH, &["differs from frame 1"]);
    }
}

#[test]
fn frames_that_ffmpeg_dropped_or_repeated_are_reported() {
    let folder = Folder::new();
    let video = clip(&folder, "vfr.mkv", "select='lt(mod(n,10),3)+eq(mod(n,10),6)'");
    let theirs = folder.path("theirs");
    for (rate, kind) in [("-fps_mode cfr", "missing"), ("-r 12", "extra")] {
        ffmpeg(&format!("-i {video} {rate} -f framemd5 {theirs}"));
        refused(&verify(&theirs, &video, &[]), MISMATCH, &[]);
        let json = verdict(&theirs, &video, &[]);
        assert!(json["differences"].as_array().unwrap().iter().any(|differs| differs["kind"] == kind), "{json}");
    }
    ffmpeg(&format!("-i {video} -fps_mode passthrough -f framemd5 {theirs}"));
    verify(&theirs, &video, &[]).ok();
}

#[test]
fn a_text_of_ffmpegs_that_is_cut_off_does_not_blame_the_video() {
    let folder = Folder::new();
    let input = clip(&folder, "clip.mkv", "null");
    let theirs = folder.path("theirs");
    ffmpeg(&format!("-i {input} -f framemd5 {theirs}"));
    let text = fs::read_to_string(&theirs).unwrap();
    let cut_to = |length: usize| fs::write(&theirs, &text[..length]).unwrap();
    let line = text.len() - text.trim_end().rfind('\n').unwrap() - 1;

    cut_to(text.len() - 5);
    refused(&verify(&theirs, &input, &[]), CORRUPT, &["theirs: line 34, the last, is cut off"]);
    cut_to(text.len() - 1);
    assert!(verify(&theirs, &input, &[]).ok().stderr.contains("warning: "), "all frames are there");
    // A cut between two lines cannot be seen.
    cut_to(text.len() - line);
    let ran = verify(&theirs, &input, &[]);
    assert_eq!(ran.text(), "extra: frames 23 of IN\n");
    refused(&ran, MISMATCH, &["24 frames instead of 23", "it may be cut off, or IN is longer"]);
    fs::write(&theirs, &text).unwrap();
    let more = verify(&theirs, &clip(&folder, "more.mkv", "negate=enable='eq(n,3)',tpad=stop=2:color=red"), &[]);
    assert!(!more.stderr.contains("cut off"), "{}", more.stderr);
}
