//! Times: every frame is shown when the source shows it.

use crate::media::{Ask, Folder, PICTURE, SOUND, probe, run, times, transcode, transcoded};
use vramp::error::Kind;
use vramp::io::libav::{Position, Timestamps, Window};

/// Frames at irregular times of a 50th second.
const IRREGULAR: &str = "-f lavfi -i testsrc2=s=128x72:r=50:d=0.48 -vf select='not(mod(n,3))+not(mod(n,7))' \
                         -fps_mode vfr -c:v ffv1";

/// The times of the first and the last packet of a stream, lowest first.
fn span(file: &str, which: &str) -> (f64, f64) {
    let lines = probe(file, &format!("-select_streams {which} -show_entries packet=pts_time"));
    let mut times: Vec<f64> = lines.iter().map(|line| line.split(',').next().unwrap().parse().unwrap()).collect();
    times.sort_by(f64::total_cmp);
    (times[0], times[times.len() - 1])
}

#[test]
fn variable_frame_rates_stay() {
    let folder = Folder::new("vfr");
    let source = folder.make("source.mkv", IRREGULAR);
    let expected = times(&source);
    let steps = expected.windows(2).map(|w| w[1].parse::<f64>().unwrap() - w[0].parse::<f64>().unwrap());
    assert!(steps.fold(0.0, f64::max) > 0.05, "{expected:?}");
    let table = [
        ("libx264", "a.mp4", ""),
        ("libx264", "a.mkv", ""),
        ("libx265", "b.mp4", "preset=ultrafast"),
        ("libsvtav1", "c.mkv", "preset=12"),
        ("prores_ks", "d.mov", ""),
        ("ffv1", "e.nut", ""),
        // These keep a rate of 50, on which these frames lie.
        ("mpeg2video", "f.mkv", ""),
        ("ffv1", "f.avi", ""),
    ];
    for (codec, name, options) in table {
        let target = folder.file(name);
        transcoded(&source, &target, Ask::codec(codec).with(options));
        assert_eq!(times(&target), expected, "{codec} in {name}");
    }
}

#[test]
fn what_keeps_no_times_says_so() {
    let folder = Folder::new("untimed");
    let select = IRREGULAR.replace("-fps_mode", "-bsf:v setts=ts=TS+7*mod(N\\,2) -fps_mode");
    let source = folder.make("source.mkv", &select);
    // A bare stream of pictures only has a rate.
    let warnings = transcoded(&source, &folder.file("a.y4m"), Ask::default());
    assert_eq!(warnings, ["the output holds no times: its frames follow each other at 50/1 frames a second"]);
    assert_eq!(times(&folder.file("a.y4m")).len(), times(&source).len());
    // AVI would show the frames at other times.
    let error = transcode(&source, &folder.file("a.avi"), Ask::default()).unwrap_err();
    assert_eq!(error.kind(), Kind::Unsupported);
    assert!(error.message().contains("off the beat of 50/1 frames a second"), "{error}");
    assert!(!folder.names().contains(&"a.avi".to_owned()));
}

#[test]
fn a_late_start_stays() {
    let folder = Folder::new("start");
    let shown = "-c:v libx264 -c:a aac -shortest";
    let transport = folder.make("source.ts", &format!("{PICTURE} {SOUND} {shown}"));
    let shifted = folder.make("source.mp4", &format!("{PICTURE} {SOUND} -output_ts_offset 1.2345 {shown}"));
    for source in [&transport, &shifted] {
        let expected = times(source);
        assert!(expected[0].parse::<f64>().unwrap() > 1.0, "{expected:?}");
        for name in ["a.mp4", "a.mkv", "a.ts"] {
            // Milliseconds and 90000ths of a second miss the other source's times.
            if name != "a.mp4" && source == &shifted {
                continue;
            }
            let target = folder.file(name);
            let mut ask = Ask::codec("libx264");
            ask.output.overwrite = true;
            assert_eq!(transcoded(source, &target, ask), Vec::<String>::new(), "{source} to {name}");
            assert_eq!(times(&target), expected, "{source} to {name}");
            let apart = (span(&target, "a:0").0 - span(source, "a:0").0).abs();
            assert!(apart < 0.001, "{source} to {name}: sound is {apart} s apart");
        }
    }
}

/// Whether libav has Matroska say how much of any sound is skipped, and not of Opus alone: from libavformat 59.30 on.
fn matroska_states_skips() -> bool {
    let text = run("ffprobe", &["-version"]);
    let version = text.split_once("libavformat").unwrap().1.split('/').next().unwrap().replace(' ', "");
    let parts: Vec<u32> = version.split('.').map(|part| part.parse().unwrap()).collect();
    (parts[0], parts[1]) > (59, 30)
}

#[test]
fn edit_lists_and_priming_stay() {
    let folder = Folder::new("edit");
    folder.make("whole.mp4", &format!("{PICTURE} {SOUND} -c:v libx264 -c:a aac"));
    let cut = folder.make("cut.mp4", "-ss 0.2 -i DIR/whole.mp4 -c copy");
    for source in [folder.file("whole.mp4"), cut] {
        let (expected, sound) = (times(&source), span(&source, "a:0").0);
        assert!(sound < -0.02, "sound starts before 0 to warm its decoder up: {sound}");
        for name in ["a.mp4", "a.mkv", "a.mov"] {
            let target = folder.file(name);
            let mut ask = Ask::codec("libx264");
            ask.output.overwrite = true;
            assert_eq!(transcoded(&source, &target, ask), Vec::<String>::new(), "{source} to {name}");
            assert_eq!(times(&target), expected, "{source} to {name}");
            let start = span(&target, "a:0").0;
            // Matroska has no edit list, and what one hid would be heard: one packet stays, to warm the decoder up.
            let is_right = match name == "a.mkv" && sound < -0.1 && !matroska_states_skips() {
                true => (-0.047..0.0).contains(&start),
                false => (start - sound).abs() < 0.001,
            };
            assert!(is_right, "{source} to {name}: sound starts at {start}, not {sound}");
        }
    }
}

#[test]
fn a_container_without_negative_times_moves_everything() {
    let folder = Folder::new("moved");
    let source = folder.make("source.mkv", &format!("{PICTURE} -c:v ffv1"));
    let target = folder.file("a.ts");
    let warnings = transcoded(&source, &target, Ask::codec("libx264").with("bf=2"));
    assert_eq!(warnings, ["mpegts has no times before 0: all times move by 0.080 s"]);
    let moved = |time: &String| format!("{:.6}", time.parse::<f64>().unwrap() + 0.08);
    assert_eq!(times(&target), times(&source).iter().map(moved).collect::<Vec<_>>());
}

#[test]
fn the_clock_starts_where_asked() {
    let folder = Folder::new("zero");
    let source = folder.make("source.mp4", &format!("{PICTURE} {SOUND} -c:v libx264 -g 4 -c:a aac"));
    let ask = |timestamps| {
        let mut ask = Ask::codec("libx264");
        ask.window = Window { start: Some(Position::Frame(5)), ..Window::default() };
        ask.output.timestamps = timestamps;
        ask
    };
    transcoded(&source, &folder.file("keep.mkv"), ask(Timestamps::Keep));
    transcoded(&source, &folder.file("zero.mkv"), ask(Timestamps::Zero));
    assert_eq!(times(&folder.file("keep.mkv")), times(&source)[5..]);
    assert_eq!(times(&folder.file("zero.mkv")), times(&source)[..7]);
    let (kept, zeroed) = (span(&folder.file("keep.mkv"), "a:0"), span(&folder.file("zero.mkv"), "a:0"));
    assert!((kept.0 - zeroed.0 - 0.2).abs() < 0.0015 && kept.0 >= 0.2, "{kept:?} {zeroed:?}");
}

#[test]
fn the_last_frame_lasts() {
    let folder = Folder::new("last");
    // The last frame lasts five times as long as the others.
    let long = "-bsf:v setts=duration=if(eq(N\\,11)\\,5*DURATION\\,DURATION)";
    folder.make("even.mp4", &format!("{PICTURE} -c:v libx264 -bf 0"));
    let source = folder.make("source.mp4", &format!("-i DIR/even.mp4 -c copy {long}"));
    assert_eq!(probe(&source, "-show_entries format=duration"), ["0.640000"]);
    // MP4 states it for frames in the order of their packets, Matroska for the whole.
    for (codec, name, options) in [
        ("libx264", "a.mp4", "bf=0"),
        ("libsvtav1", "b.mp4", "preset=12"),
        ("libx264", "a.mkv", "bf=2"),
        ("libx265", "b.mkv", "preset=ultrafast"),
    ] {
        let target = folder.file(name);
        transcoded(&source, &target, Ask::codec(codec).with(options));
        assert_eq!(probe(&target, "-show_entries format=duration"), ["0.640000"], "{codec} in {name}");
    }
}
