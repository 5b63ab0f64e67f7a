//! `vramp scenes`: its lists, as their readers take them. With `VRAMP_REQUIRE_ENCODERS=1` a test fails whose encoder is missing.

mod command;

use command::{Folder, Ran, ffmpeg, refused, run, skipped};
use std::process::Command;

/// Three shots of 20, 15 and 25 frames, each with movement.
fn film(folder: &Folder) -> String {
    let path = folder.path("film.mkv");
    ffmpeg(&format!(
        "-f lavfi -i testsrc2=size=160x96:rate=25:duration=0.8 -f lavfi -i color=0x303060:size=160x96:rate=25:duration=0.6 \
         -f lavfi -i mandelbrot=size=160x96:rate=25 -filter_complex \
         [2]trim=end_frame=25,setpts=PTS-STARTPTS[m];[0][1][m]concat=n=3:v=1,format=yuv420p -c:v ffv1 {path}"
    ));
    path
}

#[test]
fn cuts_are_where_they_are_and_encoders_begin_there() {
    let folder = Folder::new();
    let film = film(&folder);
    let list = run(&["scenes", &film, "--as", "json"]).ok();
    let list: serde_json::Value = serde_json::from_str(list.text()).unwrap();
    let first: Vec<_> =
        list["scenes"].as_array().unwrap().iter().map(|scene| scene["first"].as_u64().unwrap()).collect();
    assert_eq!((first, list["frames"].as_u64()), (vec![0, 20, 35], Some(60)));

    let keys = folder.path("film.qp");
    run(&["scenes", &film, "--as", "qpfile", "-o", &keys]).ok();
    refused(&run(&["scenes", &film, "--as", "qpfile", "-o", &keys]), 2, &["film.qp"]);
    assert_eq!(std::fs::read_to_string(&keys).unwrap(), "0 I\n20 I\n35 I\n");

    let encoded = folder.path("film.mp4");
    let times = run(&["scenes", &film, "--as", "times"]).ok();
    // Keyframes at cuts that x264 finds itself are turned off: those that are left are the list's.
    let params = format!("-force_key_frames {} -x264-params scenecut=0:keyint=250", times.text().trim());
    ffmpeg(&format!("-i {film} -c:v libx264 {params} {encoded}"));
    let probe = "-v error -select_streams v -skip_frame nokey -show_entries frame=pts_time -of csv=p=0";
    let keyframes = Command::new("ffprobe").args(probe.split(' ')).arg(&encoded).output().unwrap().stdout;
    let times: Vec<f64> = String::from_utf8(keyframes)
        .unwrap()
        .lines()
        .filter_map(|line| line.trim_end_matches(',').parse().ok())
        .collect();
    assert_eq!(times, [0.0, 0.8, 1.4]);
}

/// Encodes the film by a program of the system, whose arguments are `args`: LIST is the list as `form`, FILM and OUT are files.
/// Gives the frames that are keyframes, counted as they are shown.
fn keyframes(program: &str, form: &str, args: &str, out: &str) -> Option<Vec<usize>> {
    if Command::new(program).arg("--version").output().is_err() {
        skipped("VRAMP_REQUIRE_ENCODERS", &format!("{program} is missing: make hosts"));
        return None;
    }
    let folder = Folder::new();
    let film = film(&folder);
    let (plain, out) = (folder.path("film.y4m"), folder.path(out));
    ffmpeg(&format!("-i {film} {plain}"));
    let mut list = run(&["scenes", &film, "--as", form]).ok().text().trim_end().to_owned();
    if form == "qpfile" {
        list = folder.path("film.qp");
        run(&["scenes", &film, "--as", form, "-o", &list]).ok();
    }
    let args = args.replace("FILM", &plain).replace("OUT", &out).replace("LIST", &list);
    Ran::from(Command::new(program).args(args.split(' ')).output().unwrap()).ok();
    let probe = "-v error -select_streams v -show_entries frame=key_frame -of json";
    let frames = Command::new("ffprobe").args(probe.split(' ')).arg(&out).output().unwrap().stdout;
    let frames: serde_json::Value = serde_json::from_slice(&frames).unwrap();
    let frames = frames["frames"].as_array().unwrap();
    assert_eq!(frames.len(), 60);
    Some((0..60).filter(|frame| frames[*frame]["key_frame"] == 1).collect())
}

// Each encoder's own search for cuts is turned off: the keyframes are the list's.

#[test]
fn x264_begins_at_the_cuts() {
    let found = keyframes("x264", "qpfile", "--no-scenecut --qpfile LIST -o OUT FILM", "out.mkv");
    assert!(found.is_none_or(|found| found == [0, 20, 35]));
}

#[test]
fn x265_begins_at_the_cuts() {
    let found = keyframes("x265", "qpfile", "--no-scenecut --qpfile LIST -o OUT FILM", "out.hevc");
    assert!(found.is_none_or(|found| found == [0, 20, 35]));
}

#[test]
fn svt_av1_begins_at_the_cuts() {
    let found =
        keyframes("SvtAv1EncApp", "frames", "--crf 40 --preset 10 --force-key-frames LIST -i FILM -b OUT", "out.ivf");
    assert!(found.is_none_or(|found| found == [0, 20, 35]));
}

#[test]
fn chapters_of_scenes_are_chapters() {
    let folder = Folder::new();
    let film = film(&folder);
    let (chapters, ours, theirs) = (folder.path("chapters.txt"), folder.path("ours.mkv"), folder.path("theirs.mkv"));
    run(&["scenes", &film, "--as", "chapters", "-o", &chapters]).ok();
    run(&[&film, &ours, "--chapters", &chapters, "--codec", "ffv1"]).ok();
    let mkvmerge = Command::new("mkvmerge").args(["-q", "-o", &theirs, "--chapters", &chapters, &film]).output();
    Ran::from(mkvmerge.expect("mkvmerge is installed")).ok();
    for result in [ours, theirs] {
        let probe = ["-v", "error", "-show_entries", "chapter=start_time", "-of", "csv=p=0", &result];
        let starts = Command::new("ffprobe").args(probe).output().unwrap().stdout;
        assert_eq!(String::from_utf8(starts).unwrap(), "0.000000\n0.800000\n1.400000\n", "{result}");
    }
}
