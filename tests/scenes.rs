//! `vramp scenes`: its lists, as their readers take them.

mod command;

use command::{Folder, ffmpeg, refused, run};
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

#[test]
fn chapters_of_scenes_are_chapters() {
    let folder = Folder::new();
    let film = film(&folder);
    let (chapters, result) = (folder.path("chapters.txt"), folder.path("result.mkv"));
    run(&["scenes", &film, "--as", "chapters", "-o", &chapters]).ok();
    run(&[&film, &result, "--chapters", &chapters, "--codec", "ffv1"]).ok();
    let probe =
        Command::new("ffprobe").args(["-v", "error", "-show_chapters", "-of", "csv", &result]).output().unwrap();
    assert_eq!(String::from_utf8(probe.stdout).unwrap().lines().count(), 3);
}
