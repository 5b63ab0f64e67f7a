//! Films that were joined: sound stays beside the pictures behind each joint, whether a list joins them or they lie in one file.

use crate::media::{Ask, Folder, probe, transcoded};
use crate::sync::{lags, unit};
use std::fs;
use vramp::io::libav::{Position, Window};

/// Films of 30 frames in which one flashes, and sound that clicks then, and encoders for them.
const FILM: &str = "-f lavfi -i color=black:s=64x48:r=25:d=1.2,noise=alls=9:allf=t,drawbox=color=white:t=fill:enable='eq(n\\,15)' \
                    -f lavfi -i aevalsrc=0.8*sin(6283*t)*between(t\\,0.6\\,0.65):s=48000:d=1.2 -map 0 -map 1";
const X264: &str = "-c:v libx264 -preset ultrafast -bf 2 -g 10";
const MPEG2: &str = "-c:v mpeg2video -bf 2 -g 10";

/// How many films are joined.
const FILMS: usize = 3;

/// What is asked for: an encoder of pictures, and what becomes of the sound.
fn ask(target: &str, sound: &str) -> Ask {
    let codec = if target == "webm" { "libvpx-vp9" } else { "libx264" };
    let mut ask =
        Ask::codec(codec).with(if target == "webm" { "deadline=realtime cpu-used=8" } else { "preset=ultrafast" });
    ask.output.sound.rules = vec![sound.parse().unwrap()];
    ask.output.overwrite = true;
    ask
}

/// What sound that is encoded may be away from its times before it is cut or filled, in seconds.
const ROUNDED: f64 = 0.010_05;

/// Checks that clicks of `file` are where they were beside the flashes, `lag` behind, to `most` seconds.
#[track_caller]
fn check(what: &str, file: &str, lag: f64, most: f64) {
    for (place, found) in lags(file, FILMS).into_iter().enumerate() {
        let moved = (found - lag) * 1000.0;
        assert!(moved.abs() <= most * 1000.0, "{what}: film {place}: sound moved by {moved:.2} ms");
    }
}

/// Joins films of `name` by a list, and copies and encodes their sound.
fn list(name: &str, encoders: &str, targets: &[&str]) {
    let folder = Folder::new(&format!("list-{name}"));
    let film = folder.make(name, &format!("{FILM} {encoders}"));
    let before = lags(&film, 1)[0];
    let list = folder.file("list.txt");
    fs::write(&list, format!("file {name}\n").repeat(FILMS)).unwrap();
    for target in targets {
        let target = folder.file(&format!("out.{target}"));
        for sound in ["copy", "auto", "flac"] {
            if sound == "flac" && !target.ends_with("mkv") {
                continue;
            }
            let (container, what) = (target.rsplit('.').next().unwrap(), format!("{name} to {target}, {sound}"));
            transcoded(&list, &target, ask(container, sound));
            let exact = unit(container).max(unit(name.rsplit('.').next().unwrap()));
            check(&what, &target, before, if sound == "copy" { exact } else { ROUNDED });
        }
    }
}

#[test]
fn lists_of_files_whose_sound_begins_early() {
    list("aac.mp4", &format!("{X264} -c:a aac"), &["mp4", "mkv", "mov", "ts"]);
    list("mp3.mp4", &format!("{X264} -c:a libmp3lame"), &["mp4", "mkv"]);
    list("opus.mp4", &format!("{X264} -c:a libopus"), &["mp4", "mkv"]);
}

#[test]
fn lists_of_files_in_matroska() {
    list("aac.mkv", &format!("{X264} -c:a aac"), &["mp4", "mkv"]);
    list("opus.mkv", &format!("{X264} -c:a libopus"), &["mp4", "mkv"]);
    list("vorbis.webm", "-c:v libvpx -deadline realtime -cpu-used 8 -c:a libvorbis", &["webm", "mkv"]);
    list("flac.mkv", &format!("{X264} -c:a flac"), &["mkv"]);
}

#[test]
fn lists_of_recordings() {
    list("aac.ts", &format!("{X264} -c:a aac"), &["mp4", "mkv"]);
    list("ac3.ts", &format!("{X264} -c:a ac3"), &["mp4", "mkv"]);
    list("mp2.mpg", &format!("{MPEG2} -c:a mp2"), &["mkv", "ts"]);
}

/// Joins recordings of `name` byte by byte, the one in the middle with `offset` on its clock, and checks frames and sound.
fn recording(name: &str, encoders: &str, offset: &str) {
    let folder = Folder::new(&format!("joined-{name}-{offset}"));
    let film = folder.make(name, &format!("{FILM} {encoders}"));
    let later = folder.make(&format!("later-{name}"), &format!("{FILM} {encoders} -output_ts_offset {offset}"));
    let [first, later] = [&film, &later].map(|file| fs::read(file).unwrap());
    let joined = folder.file(&format!("joined-{name}"));
    fs::write(&joined, [&first[..], &later, &first].concat()).unwrap();
    goes_on(&folder, &joined, lags(&film, 1)[0]);
}

/// Checks that frames of `joined`, which is films one behind the other, go on at every joint, and that sound stays `lag` behind them.
fn goes_on(folder: &Folder, joined: &str, lag: f64) {
    for (target, sound) in [("mkv", "copy"), ("mkv", "flac"), ("mp4", "copy"), ("mp4", "aac"), ("ts", "copy")] {
        let file = folder.file(&format!("out.{target}"));
        let what = format!("{joined} to {target}, {sound}");
        transcoded(joined, &file, ask(target, sound));
        check(&what, &file, lag, if sound == "copy" { unit(target) } else { ROUNDED });
        let times = probe(&file, "-select_streams v:0 -show_entries frame=pts_time");
        let times: Vec<f64> = times.iter().map(|time| time.parse().unwrap()).collect();
        let is_steady = times.windows(2).all(|pair| (pair[1] - pair[0] - 0.04).abs() < 0.0015);
        assert!(times.len() == 30 * FILMS && is_steady, "{what}: {times:?}");
    }
    // A part of the last one.
    let (part, mut ask) = (folder.file("part.mkv"), ask("mkv", "flac"));
    ask.window = Window { start: Some(Position::Frame(65)), ..Window::default() };
    transcoded(joined, &part, ask);
    let moved = lags(&part, 1)[0] - lag;
    assert!(moved.abs() <= ROUNDED, "{joined}: a part's sound moved by {:.2} ms", moved * 1000.0);
}

#[test]
fn recordings_whose_clock_starts_again() {
    recording("aac.ts", &format!("{X264} -c:a aac"), "0");
    recording("ac3.ts", &format!("{MPEG2} -c:a ac3"), "0");
    recording("mp2.mpg", &format!("{MPEG2} -c:a mp2"), "0");
}

#[test]
fn recordings_whose_clock_is_ahead() {
    recording("aac.ts", &format!("{X264} -c:a aac"), "1000");
    recording("mp2.ts", &format!("{MPEG2} -c:a mp2"), "90000");
}

#[test]
fn a_playlist_whose_clock_starts_again() {
    let folder = Folder::new("joined-playlist");
    let film = folder.make("film.ts", &format!("{FILM} {X264} -c:a aac"));
    let playlist = folder.file("film.m3u8");
    let pieces = ["#EXTINF:1.2,\nfilm.ts\n"; FILMS].join("#EXT-X-DISCONTINUITY\n");
    let head = "#EXTM3U\n#EXT-X-VERSION:3\n#EXT-X-TARGETDURATION:2\n";
    fs::write(&playlist, format!("{head}{pieces}#EXT-X-ENDLIST\n")).unwrap();
    goes_on(&folder, &playlist, lags(&film, 1)[0]);
}

#[test]
fn a_clock_that_wraps_is_no_jump() {
    let folder = Folder::new("wraps");
    let film = folder.make("film.ts", &format!("{FILM} {X264} -c:a aac -output_ts_offset 95442"));
    let target = folder.file("out.mkv");
    transcoded(&film, &target, ask("mkv", "copy"));
    assert_eq!(probe(&target, "-select_streams v:0 -show_entries frame=pts_time").len(), 30);
    assert!(lags(&target, 1)[0].abs() <= unit("mkv"));
}
