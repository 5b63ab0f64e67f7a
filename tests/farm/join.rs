//! The joined film: every frame at its time, and the source's other streams.

use crate::command::{Folder, hashes, run};
use crate::{FILM, X264, film, packets, segments};
use std::fs;
use std::path::Path;

/// When frames are shown, in seconds from the first, in order.
fn times(path: &str) -> Vec<f64> {
    let mut times: Vec<f64> = packets(path, "v", "pts_time").iter().map(|time| time.parse().unwrap()).collect();
    times.sort_by(f64::total_cmp);
    times.iter().map(|time| time - times[0]).collect()
}

#[track_caller]
fn same_times(path: &str, source: &str, unit: f64) {
    let (ours, theirs) = (times(path), times(source));
    assert_eq!(ours.len(), theirs.len(), "{path}");
    let off = ours.iter().zip(&theirs).map(|(one, other)| (one - other).abs()).fold(0.0, f64::max);
    assert!(off <= unit, "{path}: {off} s off");
}

/// Joins a film of two parts for each of `endings`, and holds it against its source.
#[track_caller]
fn joins(encoder: &[&str], endings: &[&str]) {
    let folder = Folder::new();
    let input = film(&folder, "in.mkv", &FILM.replace("-t 2", "-t 1"));
    let sound = |path: &str| packets(path, "a", "size,data_hash");
    for ending in endings {
        let output = folder.path(&format!("out.{ending}"));
        segments(&input, &output, &[&["-c"], encoder].concat()).ok();
        same_times(&output, &input, 0.001);
        if *ending != "webm" {
            // Opus is made of it for WebM.
            assert_eq!(sound(&output), sound(&input), "{ending}");
        }
        let decoded: Vec<f64> = packets(&output, "v", "dts_time").iter().filter_map(|time| time.parse().ok()).collect();
        assert!(decoded.is_sorted_by(|one, next| one < next), "{ending}: {decoded:?}");
        // Everything decodes.
        assert_eq!(hashes(&output, &[]).len(), 24, "{ending}");
    }
}

#[test]
fn h264_is_joined() {
    joins(&["libx264", "-x", "preset=ultrafast", "-x", "bf=3"], &["mkv", "mp4", "mov"]);
}

#[test]
fn hevc_is_joined() {
    joins(&["libx265", "--preset", "ultrafast"], &["mkv", "mp4", "mov"]);
}

#[test]
fn av1_is_joined() {
    joins(&["libsvtav1", "--preset", "12"], &["mkv", "mp4", "webm"]);
}

#[test]
fn vp9_is_joined() {
    joins(&["libvpx-vp9", "-x", "deadline=realtime", "-x", "cpu-used=8"], &["mkv", "webm"]);
}

#[test]
fn intermediate_codecs_are_joined() {
    joins(&["ffv1"], &["mkv"]);
    joins(&["prores_ks"], &["mkv", "mov"]);
    joins(&["mpeg4"], &["mkv", "mp4"]);
}

#[test]
fn clocks_of_all_kinds_are_kept() {
    let folder = Folder::new();
    let video = "-f lavfi -i testsrc2=s=96x64:r=25:d=2";
    let x264 = "-c:v libx264 -preset ultrafast -bf 2 -g 10";
    for (name, args) in [
        // Every third frame lasts twice as long, and the first is shown after 1.5 s.
        ("vfr.mkv", format!("{video} -vf setpts=PTS+1.5/TB+floor(N/3)/25/TB -fps_mode vfr {x264}")),
        ("late.mp4", format!("{video} -vf setpts=PTS+10/TB {x264}")),
        ("open.mp4", format!("{video} {x264} -x264-params open-gop=1:bframes=3:b-pyramid=2")),
        ("ntsc.mkv", FILM.to_owned()),
        ("stream.ts", format!("{video} {x264}")),
        ("lossless.mkv", format!("{video} -c:v ffv1")),
    ] {
        let input = film(&folder, name, &args);
        for ending in ["mkv", "mp4"] {
            let output = folder.path(&format!("{name}.out.{ending}"));
            segments(&input, &output, &X264).ok();
            // Matroska counts milliseconds.
            same_times(&output, &input, if ending == "mkv" { 0.001 } else { 0.0001 });
        }
    }
}

#[test]
fn a_window_is_cut_as_in_a_run() {
    let folder = Folder::new();
    let input = film(&folder, "in.mkv", FILM);
    let window = ["--start", "0.4", "--end", "#40", "-c", "ffv1", "-x", "g=1"];
    let (whole, parts) = (folder.path("whole.mkv"), folder.path("parts.mkv"));
    run(&[&[&input, &whole, "--encoder-threads", "4"], &window[..]].concat()).ok();
    segments(&input, &parts, &window).ok();
    assert_eq!(fs::read(whole).unwrap(), fs::read(parts).unwrap());
}

#[test]
fn copied_sound_of_a_window_begins_with_its_pictures() {
    let folder = Folder::new();
    // Whose packets are not those of the pictures: the one before the window is carried, and skipped by an edit list.
    let input = film(&folder, "in.mov", FILM);
    let window = ["--start", "0.7", "-c", "prores_ks", "--segment=0.3"];
    let (whole, parts) = (folder.path("whole.mov"), folder.path("parts.mov"));
    run(&[&[input.as_str(), &whole], &window[..4]].concat()).ok();
    segments(&input, &parts, &window).ok();
    assert_eq!(packets(&parts, "a", "pts_time,size,data_hash"), packets(&whole, "a", "pts_time,size,data_hash"));
    let early: f64 = packets(&parts, "a", "pts_time")[0].parse().unwrap();
    assert!(early < 0.0, "a packet is carried: {early}");
    assert_eq!(fs::read(whole).unwrap(), fs::read(parts).unwrap());
}

#[test]
fn subtitles_chapters_and_files_come_from_the_source() {
    let folder = Folder::new();
    let (lines, marks) = (folder.path("lines.srt"), folder.path("marks.txt"));
    fs::write(&lines, "1\n00:00:00,500 --> 00:00:01,000\nA line\n").unwrap();
    fs::write(&marks, "00:00:01.000 Second\n").unwrap();
    fs::write(&marks, "CHAPTER01=00:00:01.000\nCHAPTER01NAME=Second\n").unwrap();
    let plain = film(&folder, "plain.mkv", FILM);
    let input = film(
        &folder,
        "in.mkv",
        &format!("-i {plain} -i {lines} -map 0 -map 1 -c copy -attach {lines} -metadata:s:t mimetype=text/plain"),
    );
    let args = ["--chapters", &marks, "--tag", "title=A film", "-c", "ffv1", "-x", "g=1"];
    let (whole, parts) = (folder.path("whole.mkv"), folder.path("parts.mkv"));
    run(&[&[&input, &whole, "--encoder-threads", "4"], &args[..]].concat()).ok();
    segments(&input, &parts, &args).ok();
    assert_eq!(fs::read(&whole).unwrap(), fs::read(&parts).unwrap());
    assert_eq!(packets(&parts, "s", "pts_time"), ["0.500000"]);
}

#[test]
fn what_is_there_so_far_can_be_joined() {
    let folder = Folder::new();
    let input = film(&folder, "in.mkv", FILM);
    let plan = crate::plan(&folder, &input, "out.mkv", &X264);
    let ran = run(&["join", &plan, "--so-far"]);
    assert_eq!((ran.code, ran.text()), (Some(9), "0-3\n"), "{}", ran.stderr);
    crate::part(&plan, "0-1,3").ok();
    let ran = run(&["join", &plan, "--so-far"]);
    assert_eq!((ran.code, ran.text()), (Some(9), "2\n"), "{}", ran.stderr);
    let so_far = folder.path("out.so-far.mkv");
    assert_eq!(times(&so_far).len(), 24);
    let last = |stream: &str| packets(&so_far, stream, "pts_time").last().unwrap().parse::<f64>().unwrap();
    assert!((0.9..1.05).contains(&last("a")), "sound ends with the pictures: {}", last("a"));
    assert!(!Path::new(&folder.path("out.mkv")).exists());
}
