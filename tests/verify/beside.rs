//! What a film is besides its frames: how they are shown, and the packets of its sound and other streams.

use crate::command::{Folder, ffmpeg, run, run_fed};
use crate::{BUNNY, MISMATCH, hash, refused, verdict, verify};
use serde_json::{Value, json};
use std::fs;

/// A film with sound and subtitles; `options` come before its streams are named.
fn film(folder: &Folder, name: &str, options: &str) -> String {
    let (path, words) = (folder.path(name), folder.path("words.srt"));
    fs::write(&words, "1\n00:00:00,200 --> 00:00:00,900\nWords\n\n").unwrap();
    let sources = "-f lavfi -i testsrc2=s=64x48:r=25:d=2 -f lavfi -i sine=d=2:r=48000";
    let streams = "-map 0:v -map 1:a -map 2:s -c:v ffv1 -c:a flac -c:s srt -pix_fmt yuv420p -bitexact";
    ffmpeg(&format!("{sources} -i {words} {streams} {options} {path}"));
    path
}

/// `input` with its sound changed by `options`, everything else copied.
fn with(folder: &Folder, input: &str, options: &str) -> String {
    let path = folder.path("changed.mkv");
    ffmpeg(&format!("{options} -c copy {path}").replace("{}", input));
    path
}

#[track_caller]
fn kinds(json: &Value) -> Vec<(u64, &str)> {
    let streams = json["streams"].as_array().unwrap();
    streams.iter().map(|differs| (differs["index"].as_u64().unwrap(), differs["kind"].as_str().unwrap())).collect()
}

#[test]
fn other_sound_is_reported() {
    let folder = Folder::new();
    let film = film(&folder, "film.mkv", "");
    let golden = hash(&folder, &film, &[]);
    let text = fs::read_to_string(&golden).unwrap();
    for line in ["\n#streams: 2\n", "\n#stream 1: audio flac, 1/1000\n", "\n#stream 2: subtitle subrip, 1/1000\n"] {
        assert!(text.contains(line), "{text}");
    }
    assert!(text.contains("\n#packet 2: 200, 700, 5, "), "{text}");
    assert_eq!(verdict(&golden, &film, &[])["streams"], json!([]));
    verify(&golden, &with(&folder, &film, "-i {} -map 0"), &[]).ok();

    let late = with(&folder, &film, "-i {} -itsoffset 0.5 -i {} -map 0:v -map 1:a -map 0:s");
    let ran = verify(&golden, &late, &[]);
    refused(&ran, MISMATCH, &["stream 1 (audio flac) differs, and all 50 frames are the same", "--no-streams accepts"]);
    assert!(
        ran.text().starts_with("stream 1 (audio flac): ") && ran.text().contains(" come 0.500 s later, from 0.000 s")
    );
    let json = verdict(&golden, &late, &[]);
    assert_eq!((&json["match"], &json["same"], kinds(&json)), (&false.into(), &50.into(), vec![(1, "packets_time")]));
    assert_eq!(json["streams"][0]["later"], json!([0.5, 0.5]));
    assert_eq!(
        kinds(&verdict(&golden, &late, &["--times", "offset"])),
        [(1, "packets_time")],
        "the frames are not late"
    );
    verify(&golden, &late, &["--times", "ignore"]).ok();
    verify(&golden, &late, &["--no-streams"]).ok();

    let louder = self::film(&folder, "louder.mkv", "-af volume=0.5:precision=fixed:enable=gte(t\\,1)");
    let json = verdict(&golden, &louder, &[]);
    assert_eq!(kinds(&json), [(1, "packets_bytes")]);
    assert!((0.9..1.1).contains(&json["streams"][0]["from"].as_f64().unwrap()), "{json}");
    for (options, kind) in [
        ("-i {} -map 0:v -map 0:s", (1, "missing")),
        ("-i {} -map 0:v -map 0:a", (2, "missing")),
        ("-i {} -map 0 -map 0:a", (3, "extra")),
        ("-i {} -map 0 -bsf:a noise=drop='eq(n\\,9)'", (1, "packets_missing")),
    ] {
        assert_eq!(kinds(&verdict(&golden, &with(&folder, &film, options), &[])), [kind], "{options}");
    }
    let other = folder.path("other.mkv");
    ffmpeg(&format!("-i {film} -map 0 -c copy -c:a pcm_s16le {other}"));
    let json = verdict(&golden, &other, &[]);
    assert_eq!((kinds(&json), &json["streams"][0]["found"]), (vec![(1, "codec")], &"pcm_s16le".into()));

    let bare = hash(&folder, &film, &["--no-streams"]);
    assert!(!fs::read_to_string(&bare).unwrap().contains("#stream"));
    verify(&bare, &late, &[]).ok();
}

#[test]
fn a_part_has_the_packets_of_the_part() {
    let folder = Folder::new();
    let film = film(&folder, "film.mkv", "");
    let golden = hash(&folder, &film, &["--start", "0.5", "--end", "1"]);
    let text = fs::read_to_string(&golden).unwrap();
    let packets = text.lines().filter(|line| line.starts_with("#packet 1")).count();
    assert!((4..8).contains(&packets), "{text}");
    verify(&golden, &film, &[]).ok();
    let piped = run_fed(&["verify", &golden, "-"], &fs::read(&film).unwrap());
    assert_eq!(piped.code, Some(0), "{}", piped.stderr);
}

#[test]
fn attached_files_are_of_the_film() {
    let folder = Folder::new();
    let (plain, font) = (film(&folder, "plain.mkv", ""), folder.path("letters.ttf"));
    let attach = |bytes: &str| {
        fs::write(&font, bytes).unwrap();
        with(&folder, &plain, &format!("-i {{}} -map 0 -attach {font} -metadata:s:t mimetype=font/ttf"))
    };
    let golden = hash(&folder, &attach("letters"), &[]);
    verify(&golden, &attach("letters"), &[]).ok();
    assert_eq!(kinds(&verdict(&golden, &attach("Letters"), &[])), [(3, "packets_bytes")]);
    assert_eq!(kinds(&verdict(&golden, &plain, &[])), [(3, "missing")]);
}

#[test]
fn sound_in_another_container_is_the_same() {
    let folder = Folder::new();
    let golden = hash(&folder, BUNNY, &[]);
    let [ts, mkv, again, mp4] = ["a.ts", "b.mkv", "c.ts", "d.mp4"].map(|name| folder.path(name));
    for (from, to, options) in [
        (BUNNY, &ts, ""),
        (ts.as_str(), &mkv, "-output_ts_offset 3.2177"),
        (mkv.as_str(), &again, ""),
        (again.as_str(), &mp4, ""),
    ] {
        ffmpeg(&format!("-i {from} -map 0 -c copy {options} {to}"));
        let ran = verify(&golden, to, &["--times", "offset"]);
        assert_eq!((ran.code, ran.text()), (Some(0), ""), "{to}: {}", ran.stderr);
    }
    refused(
        &verify(&golden, &ts, &[]),
        MISMATCH,
        &["stream 1 (audio aac) differs, and times", "; --times offset accepts"],
    );
    // Sound alone is a tenth of a second late.
    let late = folder.path("late.ts");
    ffmpeg(&format!("-i {BUNNY} -itsoffset 0.1 -i {BUNNY} -map 0:v -map 1:a -c copy {late}"));
    let json = verdict(&golden, &late, &["--times", "offset"]);
    assert_eq!(kinds(&json), [(1, "packets_time")], "{json}");
    let later = json["streams"][0]["later"][0].as_f64().unwrap();
    assert!((later - 0.1).abs() < 0.002, "{json}");
}

#[test]
fn how_frames_are_shown_is_held_too() {
    let folder = Folder::new();
    let (film, turned) = (folder.path("film.mp4"), folder.path("turned.mp4"));
    ffmpeg(&format!("-f lavfi -i testsrc2=s=64x48:r=25:d=0.4 -c:v libx264 -pix_fmt yuv420p {film}"));
    ffmpeg(&format!("-i {film} -c copy -metadata:s:v rotate=90 {turned}"));
    let golden = hash(&folder, &film, &[]);
    let text = fs::read_to_string(&golden).unwrap();
    assert!(text.contains("\n#rotation: 0\n#mastering_display: unspecified\n#content_light: unspecified\n"), "{text}");
    refused(&verify(&golden, &turned, &[]), MISMATCH, &["tags differ (rotation ", " instead of 0)"]);
    assert_eq!(verdict(&golden, &turned, &[])["stream"][0]["name"], "rotation");
    verify(&golden, &turned, &["--tags", "ignore"]).ok();
    verify(&golden, &turned, &["--tags", "stated"]).ok();
    verify(&hash(&folder, &turned, &[]), &turned, &[]).ok();

    let hdr = |name: &str, light: &str| {
        let path = folder.path(name);
        let display = "master-display=G(13250,34500)B(7500,3000)R(34000,16000)WP(15635,16450)L(10000000,50)";
        let params = format!("log-level=none:hdr10=1:{display}:max-cll={light}");
        let source = "-f lavfi -i testsrc2=s=64x64:r=25:d=0.2 -pix_fmt yuv420p10le";
        ffmpeg(&format!("{source} -c:v libx265 -preset ultrafast -x265-params {params} {path}"));
        path
    };
    let (one, other) = (hdr("one.mkv", "1000,400"), hdr("other.mkv", "900,400"));
    let golden = hash(&folder, &one, &[]);
    let text = fs::read_to_string(&golden).unwrap();
    assert!(
        text.contains("#mastering_display: G(13250,34500)B(7500,3000)R(34000,16000)WP(15635,16450)L(10000000,50)\n")
    );
    verify(&golden, &one, &[]).ok();
    let differs = json!({"name": "content_light", "expected": "1000,400", "found": "900,400"});
    assert_eq!(verdict(&golden, &other, &["--tags", "stated"])["stream"], json!([differs]));
}

#[test]
fn texts_from_before_streams_still_hold() {
    let old = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/verify/before_streams.hashes");
    assert!(!fs::read_to_string(old).unwrap().contains("#streams"));
    verify(old, BUNNY, &[]).ok();
    let folder = Folder::new();
    let turned = folder.path("turned.mp4");
    ffmpeg(&format!("-i {BUNNY} -an -c copy -metadata:s:v rotate=180 {turned}"));
    verify(old, &turned, &[]).ok();
    // What is of the new lines is as well guarded as all others.
    let golden = hash(&folder, BUNNY, &["--frames", "2"]);
    let text = fs::read_to_string(&golden).unwrap();
    let changed = text.replacen("#packet 1: 0, ", "#packet 1: 1, ", 1);
    assert_ne!(changed, text, "{text}");
    fs::write(&golden, changed).unwrap();
    refused(&verify(&golden, BUNNY, &[]), crate::CORRUPT, &["was changed"]);
    assert_eq!(run(&["hash", BUNNY, "--layout", "ffmpeg", "--frames", "1"]).ok().text().matches("audio").count(), 0);
}
