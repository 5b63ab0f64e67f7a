//! Parts of a source that are reached without decoding everything before them.

use crate::media::*;
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use vramp::io::Hash;
use vramp::io::libav::{Input, InputOptions, Position, Window};
use vramp::pipeline::{Item, Source};

/// What a frame is: its absolute index, its time and its samples.
type Listed = (u64, Option<i64>, String);

/// The frames of a part, how many the decoder gave for them, and the time of a frame in seconds.
fn part(path: &str, window: Window, threads: usize) -> (Vec<Listed>, u64) {
    let mut input = Input::open(path, InputOptions { window, threads, ..frames_only() }).unwrap();
    let mut frames = Vec::new();
    while let Some(item) = input.next().unwrap() {
        let Item::Frame(frame) = item else { panic!("nothing is copied") };
        frames.push((frame.props.frame_index, frame.props.pts, Hash::Md5.of(&frame.picture)));
    }
    assert_eq!(input.damage(), None, "{path} {window:?}");
    (frames, input.frames_decoded())
}

#[test]
fn explore() {
    let scratch = Scratch::new("explore");
    let x264 = "-c:v libx264 -preset veryfast -bf 3";
    let clips = [
        ("long.mp4", format!("{x264} -g 40")),
        ("long.mkv", format!("{x264} -g 40")),
        ("long.ts", format!("{x264} -g 40 -output_ts_offset 5")),
        ("wrapping.ts", format!("{x264} -g 40 -output_ts_offset 95442")),
        ("open.mkv", format!("{x264} -g 24 -x264-params open-gop=1:ref=4:b-pyramid=normal:scenecut=0")),
        ("open.mp4", format!("{x264} -g 24 -x264-params open-gop=1:ref=4:b-pyramid=normal:scenecut=0")),
        ("open.ts", format!("{x264} -g 24 -x264-params open-gop=1:ref=4:b-pyramid=normal:scenecut=0")),
        ("vfr.mkv", format!("{x264} -g 30 -vf setpts=floor(N*N/20)/25/TB -vsync passthrough -enc_time_base 1/1000")),
        ("vfr.mp4", format!("{x264} -g 30 -vf setpts=N*N*40 -vsync passthrough -enc_time_base 1/90000")),
        ("mbaff.mkv", format!("{x264} -g 30 -flags +ilme+ildct -x264-params tff=1")),
        ("refresh.mp4", format!("{x264} -g 30 -bf 0 -x264-params intra-refresh=1")),
        ("mpeg2.ts", "-c:v mpeg2video -g 15 -bf 2".to_owned()),
        ("mpeg2.vob", "-c:v mpeg2video -g 15 -bf 2".to_owned()),
        ("mpeg2.mkv", "-c:v mpeg2video -g 15 -bf 2 -flags +ilme+ildct".to_owned()),
        ("mpeg1.mpg", "-c:v mpeg1video -g 15 -bf 2".to_owned()),
        ("hevc.mp4", "-c:v libx265 -preset ultrafast -x265-params log-level=none:keyint=24:bframes=4:open-gop=1:b-adapt=0:scenecut=0".to_owned()),
        ("hevc.mkv", "-c:v libx265 -preset ultrafast -x265-params log-level=none:keyint=24:bframes=4:open-gop=1:b-adapt=0:scenecut=0".to_owned()),
        ("hevc.ts", "-c:v libx265 -preset ultrafast -x265-params log-level=none:keyint=24:bframes=4:open-gop=1:b-adapt=0:scenecut=0".to_owned()),
        ("closed.mkv", "-c:v libx265 -preset ultrafast -x265-params log-level=none:keyint=24:bframes=4:open-gop=0".to_owned()),
        ("vp9.webm", "-c:v libvpx-vp9 -cpu-used 8 -g 30 -auto-alt-ref 1 -lag-in-frames 16 -b:v 200k".to_owned()),
        ("vp8.webm", "-c:v libvpx -cpu-used 8 -g 30 -auto-alt-ref 1 -lag-in-frames 16 -b:v 200k".to_owned()),
        ("av1.mkv", "-c:v libaom-av1 -cpu-used 8 -g 30 -lag-in-frames 16 -b:v 200k".to_owned()),
        ("svt.mp4", "-c:v libsvtav1 -preset 10 -g 32 -b:v 200k".to_owned()),
        ("ffv1.mkv", "-c:v ffv1 -g 10".to_owned()),
        ("prores.mov", "-pix_fmt yuv422p10 -c:v prores_ks".to_owned()),
        ("mjpeg.avi", "-pix_fmt yuvj420p -c:v mjpeg".to_owned()),
        ("mpeg4.avi", "-c:v mpeg4 -bf 2 -g 20".to_owned()),
        ("raw.h264", format!("{x264} -g 40")),
        ("raw.nut", "-c:v rawvideo".to_owned()),
        ("dnxhd.mov", "-s 1280x720 -pix_fmt yuv422p -b:v 110M -c:v dnxhd".to_owned()),
    ];
    let outputs: Vec<(&str, &str)> = clips.iter().map(|(name, options)| (*name, &**options)).collect();
    let mut files = scratch.make_all(&moving(6.0), &outputs);
    let long = files[1].1.clone();
    files.push(("edited.mp4", scratch.make("edited.mp4", &format!("-ss 0.5 -i {long}"), "-c copy")));
    for (name, path) in files {
        let (whole, all) = part(&path, Window::default(), 0);
        for threads in [1, 3] {
            for start in [10, 49, 75, 100, 110, 130] {
                let window = Window { start: Some(Position::Frame(start)), end: None, frames: Some(5) };
                let (frames, decoded) = part(&path, window, threads);
                let start = start as usize;
                let verdict = if frames == whole[start..start + 5] { "same" } else { "DIFFERS" };
                println!("{name}: {} of {all}, from {start}: {decoded} decoded, {verdict}", whole.len());
            }
        }
    }
}
