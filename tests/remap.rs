//! Filters that move samples, and those that pick fields and frames, from file to file: held against the ffmpeg program.

mod command;

use command::{Folder, ffmpeg, hashes, refused, run};
use std::process::Command;

/// A moving clip of three frames.
fn clip(folder: &Folder, pixel_format: &str, size: &str) -> String {
    let path = folder.path(&format!("{pixel_format}-{size}.nut"));
    ffmpeg(&format!("-f lavfi -i testsrc2=s={size}:r=25 -frames:v 3 -pix_fmt {pixel_format} -c:v rawvideo {path}"));
    path
}

/// Size and hash of each frame that the ffmpeg program makes with `filter`.
fn theirs(input: &str, filter: &str, pixel_format: &str) -> Vec<String> {
    let words = ["-v", "error", "-i", input, "-vf", filter, "-fps_mode", "passthrough", "-pix_fmt", pixel_format];
    let output = Command::new("ffmpeg").args(words).args(["-f", "framemd5", "-"]).output().unwrap();
    assert!(output.status.success(), "{filter}: {}", String::from_utf8_lossy(&output.stderr));
    last_columns(String::from_utf8(output.stdout).unwrap().lines().filter(|line| !line.starts_with('#')))
}

/// Size and hash of each line.
fn last_columns<'a>(lines: impl Iterator<Item = &'a str>) -> Vec<String> {
    lines.map(|line| line.rsplit(',').take(2).map(str::trim).collect::<Vec<_>>().join(" ")).collect()
}

fn ours(input: &str, chain: &str) -> Vec<String> {
    last_columns(hashes(input, &["--chain", chain]).iter().map(String::as_str))
}

/// What the ffprobe program says of a file's video.
fn probed(path: &str, entries: &str) -> String {
    let entries = format!("stream={entries}");
    let args = ["-v", "error", "-select_streams", "v:0", "-show_entries", &entries, "-of", "csv=p=0", path];
    String::from_utf8(Command::new("ffprobe").args(args).output().unwrap().stdout).unwrap().trim().to_owned()
}

#[test]
fn moved_samples_are_ffmpegs() {
    let folder = Folder::new();
    for format in ["yuv420p", "yuv422p", "yuv444p10le", "gray", "gbrp", "nv12", "yuv420p10le"] {
        let clip = clip(&folder, format, "66x52");
        for (chain, filter) in [
            ("hflip", "hflip"),
            ("vflip", "vflip"),
            ("rotate=180", "hflip,vflip"),
            ("transpose=0", "transpose=0"),
            ("transpose=clock", "transpose=1"),
            ("transpose=2", "transpose=cclock"),
            ("transpose=3", "transpose=3"),
            ("rotate=90", "transpose=1"),
            ("rotate=270", "transpose=2"),
            ("crop=40:30:6:4", "crop=40:30:6:4"),
            ("crop=40:30", "crop=40:30"),
            ("crop=w=34:h=20:x=32", "crop=34:20:32:16"),
            ("pad=80:60:6:4", "pad=80:60:6:4"),
            ("pad=80:60:x=auto:y=auto", "pad=80:60:6:4"),
            ("crop=40:30:6:4,transpose=1,pad=64:64:2:8,hflip", "crop=40:30:6:4,transpose=1,pad=64:64:2:8,hflip"),
        ] {
            let turns = ["transpose", "rotate=90", "rotate=270"].iter().any(|turn| chain.contains(turn));
            let (no_440, black_differs) = (turns && format == "yuv422p", chain.contains("pad") && format == "gray");
            if !no_440 && !black_differs {
                assert_eq!(ours(&clip, chain), theirs(&clip, filter, format), "{chain} {format}");
            }
        }
    }
}

#[test]
fn sizes_and_aspects_reach_the_file() {
    let folder = Folder::new();
    let (clip, out) = (folder.path("in.mkv"), folder.path("out.mkv"));
    ffmpeg(&format!("-f lavfi -i testsrc2=s=96x64:r=25,setsar=16/11 -frames:v 3 -pix_fmt yuv420p -c:v ffv1 {clip}"));
    for (chain, expected) in
        [("transpose", "64,96,11:16"), ("crop=32:16", "32,16,16:11"), ("pad=100:70:2:2", "100,70,16:11")]
    {
        run(&[&clip, &out, "-y", "-c", "ffv1", "--chain", chain]).ok();
        assert_eq!(probed(&out, "width,height,sample_aspect_ratio"), expected, "{chain}");
    }
}

#[test]
fn what_cannot_be_is_refused_in_one_line_and_nothing_is_written() {
    let folder = Folder::new();
    let (odd, wide) = (clip(&folder, "yuv420p", "66x52"), clip(&folder, "yuv422p", "66x52"));
    let out = folder.path("out.mkv");
    let before = folder.names();
    for (input, chain, words) in [
        (&odd, "crop=x=3", &["x=2 or x=4", "round=on"][..]),
        (&odd, "crop=w=67", &["reaches beyond", "w goes up to 66"]),
        (&odd, "pad=60:60", &["do not fit", "w=66"]),
        (&wide, "transpose", &["4:4:0", "4:4:4"]),
    ] {
        let ran = run(&[input, &out, "-c", "ffv1", "--chain", chain]);
        assert_ne!(ran.code, Some(0));
        refused(&ran, ran.code.unwrap(), words);
        assert_eq!(folder.names(), before);
    }
}
