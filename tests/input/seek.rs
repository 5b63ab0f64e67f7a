//! Parts of a source that are reached without decoding everything before them.

use crate::media::*;
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use std::fs;
use vramp::error::Result;
use vramp::io::Hash;
use vramp::io::libav::{CopiedPacket, Input, InputOptions, Position, Window};
use vramp::pipeline::{Item, Source};

/// Windows that are tried on each clip.
const TRIES: u32 = 12;

/// Frames that lead to a window besides those of its groups of pictures: the source's first few, of which the decoder
/// may have given some before it was known where to go, and those that it has begun when the last one is out.
const LEAD: usize = 8;

/// What a frame is: its absolute index, its time and its samples.
type Listed = (u64, Option<i64>, String);

/// The frames of a part, and how many the decoder gave for them.
fn part(path: &str, options: InputOptions) -> Result<(Vec<Listed>, usize)> {
    let mut input = Input::open(path, options)?;
    let mut frames = Vec::new();
    while let Some(item) = input.next()? {
        let Item::Frame(frame) = item else { panic!("nothing is copied") };
        frames.push((frame.props.frame_index, frame.props.pts, Hash::Md5.of(&frame.picture)));
    }
    Ok((frames, input.frames_decoded() as usize))
}

/// The position of frame `at`: its number, or a time between it and the one before, given all `times` in seconds.
fn position(times: &[f64], at: usize, in_time: bool) -> Position {
    match in_time {
        false => Position::Frame(at as u64),
        true if at == 0 => Position::Time(times[0] / 2.0),
        true => Position::Time(times.get(at).map_or(times[at - 1] + 1.0, |time| (times[at - 1] + time) / 2.0)),
    }
}

/// The times of `whole` in seconds from the start that the container states.
fn times(path: &str, whole: &[Listed]) -> Vec<f64> {
    let words = ["-v", "quiet", "-show_entries", "format=start_time", "-of", "csv=p=0", path];
    let start = output_of("ffprobe", &words).trim().parse().unwrap_or(0.0);
    let unit = Input::open(path, frames_only()).unwrap().info().timebase.value().unwrap();
    whole.iter().map(|(_, pts, _)| pts.unwrap() as f64 * unit - start).collect()
}

/// Asserts that windows of `path` hold the frames that a whole run has there, and that no more than `lead` others were
/// decoded for them (`None`: that all before them were).
fn check(path: &str, lead: Option<usize>) {
    let (whole, all) = part(path, frames_only()).unwrap();
    assert!(whole.len() > 60 && all == whole.len(), "{path}: {} frames", whole.len());
    let times = times(path, &whole);
    let config = Config { cases: TRIES, failure_persistence: None, ..Config::default() };
    let windows = (0..whole.len(), 1..12usize, any::<bool>(), 0..4usize);
    let tried = TestRunner::new(config).run(&windows, |(start, length, in_time, threads)| {
        let end = (start + length).min(whole.len());
        let [from, until] = [start, end].map(|at| position(&times, at, in_time));
        let window = Window { start: Some(from), end: Some(until), frames: None };
        let (frames, decoded) = part(path, InputOptions { window, threads, ..frames_only() }).unwrap();
        prop_assert!(frames == whole[start..end], "{path}, {window:?}: {frames:?}");
        match lead {
            Some(lead) => prop_assert!(decoded <= length + lead + LEAD, "{path}, {window:?}: {decoded} decoded"),
            None => prop_assert!(decoded >= end, "{path}, {window:?}: {decoded} decoded"),
        }
        Ok(())
    });
    tried.unwrap_or_else(|e| panic!("{path}: {e}"));
}

/// Has ffmpeg make clips of 150 frames, and checks each, of which at most so many frames may lead to a window.
fn check_all(name: &str, clips: &[(&str, &str, Option<usize>)]) {
    let scratch = Scratch::new(name);
    let outputs: Vec<(&str, &str)> = clips.iter().map(|(name, options, _)| (*name, *options)).collect();
    for ((_, path), (_, _, lead)) in scratch.make_all(&moving(6.0), &outputs).iter().zip(clips) {
        check(path, *lead);
    }
}

#[test]
fn h264_with_idr_frames() {
    let x264 = "-c:v libx264 -preset veryfast -bf 3";
    let long = format!("{x264} -g 40");
    check_all(
        "seek-idr",
        &[
            ("long.mp4", &long, Some(40)),
            ("long.mkv", &long, Some(40)),
            ("late.ts", &format!("{long} -output_ts_offset 5"), Some(40)),
            // 2³³ ticks of 90 kHz are 95443.7 s.
            ("wrapping.ts", &format!("{long} -output_ts_offset 95440"), Some(40)),
            ("late.mp4", &format!("{long} -output_ts_offset 5"), Some(40)),
            ("fragments.mp4", &format!("{long} -movflags +frag_keyframe+empty_moov"), Some(40)),
            ("mbaff.mkv", &format!("{long} -flags +ilme+ildct -x264-params tff=1"), Some(40)),
            (
                "varying.mkv",
                &format!("{long} -vf setpts=(N+N*N/40)/25/TB -vsync passthrough -enc_time_base 1/1000"),
                Some(40),
            ),
            ("varying.mp4", &format!("{long} -vf setpts=N*N*40 -vsync passthrough -enc_time_base 1/90000"), Some(40)),
        ],
    );
}

#[test]
fn h264_whose_groups_are_open() {
    let open = "-c:v libx264 -preset veryfast -bf 3 -g 24 -x264-params open-gop=1:ref=4:b-pyramid=normal:scenecut=0";
    let clips = ["open.mp4", "open.mkv", "open.ts"].map(|name| (name, open, Some(2 * 24)));
    check_all("seek-open", &clips);
}

#[test]
fn hevc_with_leading_pictures() {
    let hevc = "-c:v libx265 -preset ultrafast -x265-params";
    let open = format!("{hevc} log-level=none:keyint=24:bframes=4:open-gop=1:b-adapt=0:scenecut=0");
    let closed = format!("{hevc} log-level=none:keyint=24:bframes=4:open-gop=0");
    check_all(
        "seek-hevc",
        &[
            ("open.mp4", &open, Some(28)),
            ("open.mkv", &open, Some(28)),
            ("open.ts", &open, Some(28)),
            ("closed.mkv", &closed, Some(24)),
        ],
    );
}

#[test]
fn codecs_with_hidden_frames() {
    let vpx = "-cpu-used 8 -g 30 -auto-alt-ref 1 -lag-in-frames 16 -b:v 200k";
    check_all(
        "seek-hidden",
        &[
            ("vp8.webm", &format!("-c:v libvpx {vpx}"), Some(30)),
            ("vp9.webm", &format!("-c:v libvpx-vp9 {vpx}"), Some(30)),
            ("aom.mkv", "-c:v libaom-av1 -cpu-used 8 -g 30 -lag-in-frames 16 -b:v 200k", Some(30)),
            ("svt.mp4", "-s 128x96 -c:v libsvtav1 -preset 10 -g 32 -b:v 200k", Some(33)),
        ],
    );
}

#[test]
fn mpeg2_and_intra_codecs() {
    let mpeg2 = "-c:v mpeg2video -g 15 -bf 2";
    check_all(
        "seek-intra",
        &[
            ("mpeg2.ts", mpeg2, Some(17)),
            ("mpeg2.mkv", &format!("{mpeg2} -flags +ilme+ildct"), Some(17)),
            ("closed.ts", &format!("{mpeg2} -flags +cgop -sc_threshold 1000000000"), Some(17)),
            ("ffv1.mkv", "-c:v ffv1 -g 10", Some(10)),
            ("prores.mov", "-pix_fmt yuv422p10 -c:v prores_ks", Some(0)),
            ("mjpeg.avi", "-pix_fmt yuvj420p -c:v mjpeg", Some(0)),
            ("raw.nut", "-c:v rawvideo", Some(0)),
        ],
    );
}

#[test]
fn what_packets_do_not_show_is_decoded() {
    let x264 = "-c:v libx264 -preset veryfast -bf 3 -g 40";
    check_all(
        "seek-untold",
        &[
            // No frame of which decoding could begin, no times, no knowledge of the codec.
            ("refresh.mp4", "-c:v libx264 -preset veryfast -bf 0 -g 30 -x264-params intra-refresh=1", None),
            ("raw.h264", x264, None),
            ("mpeg2.vob", "-c:v mpeg2video -g 15 -bf 2", None),
            ("mpeg4.avi", "-c:v mpeg4 -bf 2 -g 20", None),
        ],
    );
}

#[test]
fn cut_files() {
    let scratch = Scratch::new("seek-cut");
    let x264 = "-c:v libx264 -preset veryfast -bf 3 -g 20";
    let open = format!("{x264} -x264-params open-gop=1:scenecut=0");
    let hevc = "-c:v libx265 -preset ultrafast -x265-params log-level=none:keyint=20:bframes=4:open-gop=1:scenecut=0";
    let clips = [("h264.ts", x264), ("open.ts", &open), ("hevc.ts", hevc), ("mpeg2.ts", "-c:v mpeg2video -g 15 -bf 2")];
    for (name, path) in scratch.make_all(&moving(6.0), &clips) {
        // A recording begins anywhere: between key frames, and inside a packet.
        let bytes = fs::read(&path).unwrap();
        let late = scratch.path(&format!("late-{name}"));
        fs::write(&late, &bytes[bytes.len() / 4 / 188 * 188..]).unwrap();
        check(&late, Some(2 * 20 + 20));
        // An edit list hides what lies before the cut.
        if !name.starts_with("mpeg2") {
            let edited = scratch.make(&name.replace(".ts", ".mp4"), &format!("-ss 0.5 -i {path}"), "-c copy");
            check(&edited, Some(2 * 20 + 20));
        }
    }
}

/// Everything of `path` inside `window`, whether all before it is decoded or not.
fn both_ways(path: &str, window: Window) -> [(Vec<u64>, Vec<String>); 2] {
    // Damage anywhere matters to a strict run, so that it decodes everything.
    [true, false].map(|strict| {
        let all = read(path, InputOptions { window, strict, ..InputOptions::default() }).unwrap();
        let packet = |CopiedPacket { stream, packet, .. }: &CopiedPacket| {
            let bytes = packet.data().map(<[u8]>::to_vec).unwrap_or_default();
            format!("{stream} {:?} {:?} {} {bytes:x?}", packet.pts(), packet.dts(), packet.duration())
        };
        let frames = all.frames.iter().map(|frame| frame.props.frame_index).collect();
        (frames, all.packets.iter().map(packet).collect())
    })
}

#[test]
fn copied_streams_lose_nothing() {
    let scratch = Scratch::new("seek-copied");
    let spoken = "1\n00:00:00,500 --> 00:00:05,500\nlong\n\n2\n00:00:01,000 --> 00:00:02,000\nshort\n\n\
                  3\n00:00:04,600 --> 00:00:04,700\nlate\n";
    fs::write(scratch.path("words.srt"), spoken).unwrap();
    let input = format!("{} -f lavfi -i sine=d=6 -i @words.srt", moving(6.0));
    let x264 = "-map 0 -map 1 -c:v libx264 -preset veryfast -bf 3 -g 20 -c:a aac";
    let clips = [
        ("words.mkv", format!("{x264} -map 2 -c:s srt")),
        ("words.mp4", format!("{x264} -map 2 -c:s mov_text")),
        ("sound.ts", x264.to_owned()),
        ("sound.avi", "-map 0 -map 1 -c:v mjpeg -pix_fmt yuvj420p -c:a mp2".to_owned()),
    ];
    let outputs: Vec<(&str, &str)> = clips.iter().map(|(name, options)| (*name, &**options)).collect();
    for (name, path) in scratch.make_all(&input, &outputs) {
        for (start, end) in [(70, 90), (119, 121), (45, 150), (3, 9)] {
            let [start, end] = [start, end].map(|at| Some(Position::Frame(at)));
            let [all, skipped] = both_ways(&path, Window { start, end, frames: None });
            assert!(all.0.len() > 1 && !all.1.is_empty(), "{name}: {start:?}");
            assert!(all == skipped, "{name}: {start:?} {end:?}: {all:?} {skipped:?}");
        }
    }
}

/// Asserts that frames `start` and on are those of a whole run, for which all of them were decoded, and that a strict
/// run does not overlook the damage before.
fn check_decoded_from_the_start(path: &str, start: usize, whole_length: usize) {
    let all = InputOptions { threads: 1, ..frames_only() };
    let (whole, _) = part(path, all.clone()).unwrap();
    assert_eq!(whole.len(), whole_length, "{path}");
    let window = Window { start: Some(Position::Frame(start as u64)), end: None, frames: Some(3) };
    let options = InputOptions { window, ..all };
    let (frames, decoded) = part(path, options.clone()).unwrap();
    assert!(frames == whole[start..start + 3], "{path}: {frames:?}");
    assert!(decoded > start + 3, "{path}: {decoded} decoded");
    assert!(part(path, InputOptions { strict: true, ..options }).is_err(), "{path}");
}

#[test]
fn wrong_frames_are_decoded_from_the_start() {
    let scratch = Scratch::new("seek-torn");
    let x264 = "-c:v libx264 -preset veryfast -g 60 -bf 2";
    let clips = [("whole.mov", "-pix_fmt yuvj420p -c:v mjpeg"), ("whole.mp4", x264)];
    let [(_, mjpeg), (_, h264)] = &scratch.make_all(&moving(4.0), &clips)[..] else { panic!("two clips") };
    // A frame is missing, and the next one takes its place.
    let missing = scratch.torn(mjpeg, 70, "missing.mov", |bytes| bytes.fill(0));
    check_decoded_from_the_start(&missing, 70, 99);
    // A frame that others refer to is made up.
    let concealed = scratch.torn(h264, 60, "concealed.mp4", |bytes| {
        let part = bytes.len() / 3;
        bytes[part..].fill(0x15);
    });
    check_decoded_from_the_start(&concealed, 90, 100);
}

#[test]
fn recordings_whose_times_start_over_at_a_joint() {
    let scratch = Scratch::new("seek-joint");
    let x264 = "-c:v libx264 -preset veryfast -bf 2 -g 12";
    let later = format!("{x264} -output_ts_offset 1");
    let mpeg2 = "-c:v mpeg2video -bf 2 -g 12";
    let clips = [("one.ts", x264), ("later.ts", &later), ("mpeg2.ts", mpeg2)];
    let files = scratch.make_all(&moving(2.4), &clips);
    let [one, other, mpeg2] = [0, 1, 2].map(|i| fs::read(&files[i].1).unwrap());
    for (name, parts) in [("same.ts", [&one, &one]), ("back.ts", [&other, &one]), ("mpeg2-twice.ts", [&mpeg2, &mpeg2])]
    {
        let path = scratch.path(name);
        fs::write(&path, parts.map(Vec::as_slice).concat()).unwrap();
        let (whole, _) = part(&path, frames_only()).unwrap();
        assert!(whole.len() > 110, "{name}: {} frames", whole.len());
        for start in (0..whole.len()).step_by(7) {
            let window = Window { start: Some(Position::Frame(start as u64)), end: None, frames: Some(3) };
            let (frames, _) = part(&path, InputOptions { window, ..frames_only() }).unwrap();
            assert!(frames == whole[start..(start + 3).min(whole.len())], "{name} from {start}: {frames:?}");
        }
    }
}
