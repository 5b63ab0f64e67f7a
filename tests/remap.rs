//! Filters that move samples, and those that pick fields and frames, from file to file, compared with the ffmpeg program.

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
    // Chains end in planes of their own.
    let pixel_format = if pixel_format == "nv12" { "yuv420p" } else { pixel_format };
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
            ("pad=78:60:x=auto:y=auto", "pad=78:60:6:4"),
            ("crop=40:30:6:4,transpose=1,pad=64:64:2:8,hflip", "crop=40:30:6:4,transpose=1,pad=64:64:2:8,hflip"),
        ] {
            let turns = ["transpose", "rotate=90", "rotate=270"].iter().any(|turn| chain.contains(turn));
            // FFmpeg scales its black by 1023/255, so that chroma of ten bits is 514 and not the neutral 512.
            let (no_440, deep) = (turns && format == "yuv422p", format.ends_with("10le"));
            let black_differs = chain.contains("pad") && (format == "gray" || deep);
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

/// A clip of frames that are shown at these milliseconds, each one grey of its own; `lasting` is how long the last one is shown.
fn timed(folder: &Folder, name: &str, times: &str, frames: u32) -> String {
    let path = folder.path(name);
    let source = "-f lavfi -i testsrc2=s=32x24:r=25";
    ffmpeg(&format!(
        "{source} -frames:v {frames} -vf settb=1/1000,setpts={times} -fps_mode passthrough -enc_time_base 1/1000 \
         -pix_fmt yuv420p -c:v ffv1 {path}"
    ));
    path
}

/// When each frame that `args` make of `input` is shown, and for how long, in microseconds, with its hash.
fn shown(input: &str, args: &[&str]) -> Vec<(i64, i64, String)> {
    let ran = run(&[&[input, "-", "-f", "framemd5"], args].concat()).ok();
    let unit = ran.text().lines().find_map(|line| line.strip_prefix("#tb 0: ")).expect("a unit of time");
    let (num, den) = unit.split_once('/').unwrap();
    let (num, den): (i64, i64) = (num.trim().parse().unwrap(), den.trim().parse().unwrap());
    let frames = ran.text().lines().filter(|line| !line.starts_with('#'));
    let frame = |line: &str| {
        let columns: Vec<&str> = line.split(',').map(str::trim).collect();
        let micros = |column: &str| column.parse::<i64>().unwrap() * num * 1_000_000 / den;
        (micros(columns[2]), micros(columns[3]), columns[5].to_owned())
    };
    frames.map(frame).collect()
}

fn times(frames: &[(i64, i64, String)]) -> Vec<(i64, i64)> {
    frames.iter().map(|(at, lasting, _)| (at / 1000, lasting / 1000)).collect()
}

#[test]
fn frames_of_a_cycle_are_shown_when_they_should_be() {
    let folder = Folder::new();
    let steady = timed(&folder, "steady.mkv", "N*40", 7);
    let varying = timed(&folder, "varying.mkv", "N*N*40", 5);
    for (clip, chain, expected) in [
        (&steady, "separate_fields", (0..14).map(|n| (20 * n, 20)).collect::<Vec<_>>()),
        (&steady, "weave", vec![(0, 80), (80, 80), (160, 80), (240, 40)]),
        (&steady, "select=5:0+1+2+4", vec![(0, 40), (40, 40), (80, 80), (160, 40), (200, 40), (240, 40)]),
        (&steady, "separate_fields,weave", (0..7).map(|n| (40 * n, 40)).collect()),
    ] {
        assert_eq!(times(&shown(clip, &["--chain", chain])), expected, "{chain}");
    }
    // A frame lasts until the next one that stays.
    let picked = times(&shown(&steady, &["--chain", "separate_fields,select=4:0+3"]));
    assert_eq!((picked.len(), &picked[..4]), (7, &[(0, 60), (60, 20), (80, 60), (140, 20)][..]));
    let picked = times(&shown(&varying, &["--chain", "select=2:1"]));
    assert_eq!((picked.len(), picked[0], picked[1].0), (2, (40, 320), 360));
    // Between 40 and 160 ms there are two fields of 60 ms, and so on; how long the last frame lasts, its file says.
    let fields = times(&shown(&varying, &["--chain", "separate_fields"]));
    assert_eq!(fields[..8], [(0, 20), (20, 20), (40, 60), (100, 60), (160, 100), (260, 100), (360, 140), (500, 140)]);
    assert_eq!(fields.len(), 10);
    let woven = times(&shown(&varying, &["--chain", "weave"]));
    assert_eq!((woven.len(), &woven[..2]), (3, &[(0, 160), (160, 480)][..]));
}

#[test]
fn rates_reach_the_file() {
    let folder = Folder::new();
    let steady = timed(&folder, "steady.mkv", "N*40", 10);
    let out = folder.path("out.nut");
    for (chain, expected) in
        [("separate_fields", "32,12,50/1"), ("weave", "32,48,25/2"), ("select=5:0+1+2+4", "32,24,20/1")]
    {
        run(&[&steady, &out, "-y", "-c", "ffv1", "--chain", chain]).ok();
        assert_eq!(probed(&out, "width,height,avg_frame_rate"), expected, "{chain}");
    }
}

/// Fields are those of FFmpeg's filters, and a part of the film is that part of the whole run.
#[test]
fn fields_and_selected_frames_are_ffmpegs_wherever_a_run_begins() {
    let folder = Folder::new();
    for format in ["yuv420p", "yuv422p10le", "gbrp", "nv12"] {
        let clip = folder.path(&format!("{format}.nut"));
        ffmpeg(&format!("-f lavfi -i testsrc2=s=66x52:r=25 -frames:v 10 -pix_fmt {format} -c:v rawvideo {clip}"));
        for (chain, filter) in [
            ("separate_fields=tff", "setfield=tff,separatefields"),
            ("separate_fields=bff", "setfield=bff,separatefields"),
            ("weave=tff", "weave=first_field=top"),
            ("weave=bff", "weave=first_field=bottom"),
            ("select=5:0+1+2+4", "select=mod(n\\,5)-3"),
            ("select=3:2", "select=not(mod(n\\,3)-2)"),
        ] {
            let whole = ours(&clip, chain);
            assert_eq!(whole, theirs(&clip, filter, format), "{chain} {format}");
            let all = shown(&clip, &["--chain", chain]);
            let parts = [("#0", "#3"), ("#3", "#4"), ("#4", "#10")];
            let together: Vec<_> = parts
                .iter()
                .flat_map(|(from, to)| shown(&clip, &["--chain", chain, "--start", from, "--end", to]))
                .collect();
            let hashes =
                |frames: &[(i64, i64, String)]| frames.iter().map(|(.., hash)| hash.clone()).collect::<Vec<_>>();
            assert_eq!(hashes(&together), hashes(&all), "{chain} {format}");
        }
    }
}

/// Frames 3, 4 and from 9 on are filtered, all others pass: by number or by time, in either spelling, and in any part.
#[test]
fn a_zone_is_the_same_frames_wherever_a_run_begins() {
    let folder = Folder::new();
    let clip = timed(&folder, "clip.mkv", "N*40", 12);
    let of = |args: &[&str]| shown(&clip, args).into_iter().map(|(.., hash)| hash).collect::<Vec<_>>();
    let (plain, blurred) = (of(&[]), of(&["--chain", "box=2"]));
    let expected: Vec<_> =
        (0..12).map(|n| if [3, 4, 9, 10, 11].contains(&n) { &blurred } else { &plain }[n].clone()).collect();
    assert!(plain.iter().zip(&blurred).all(|(a, b)| a != b));
    for chain in [
        "box=2:frames=3-4+9-",
        "box=2:times=0.12-0.2+0.36-",
        "box(2, frames 3-4+9-)",
        "box=2:frames=3:times=0.16-0.17+0.36-",
        "box=2:frames=3,box=2:frames=4+9-",
    ] {
        assert_eq!(of(&["--chain", chain]), expected, "{chain}");
        let [first, second] =
            [["#0", "#4"], ["#4", "#12"]].map(|[from, to]| of(&["--chain", chain, "--start", from, "--end", to]));
        assert_eq!([first, second].concat(), expected, "{chain}");
    }
    refused(
        &run(&[&clip, "-", "-f", "framemd5", "--chain", "crop=16:16:frames=3-"]),
        2,
        &["another size", "leave them out"],
    );
}
