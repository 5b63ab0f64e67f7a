//! Frame lists are ffmpeg's own: every frame once, with its time and its samples.

use crate::media::*;
use vramp::io::libav::{Input, InputOptions};
use vramp::pipeline::{Item, Source};

#[test]
fn the_sample_clip_on_any_threads_and_slots() {
    let expected = ffmpeg_frames(BUNNY);
    assert_eq!(expected.len(), 132);
    for (slots, threads) in [(1, 1), (8, 3)] {
        let options = InputOptions { threads, ..InputOptions::default() };
        assert_eq!(our_frames(BUNNY, options, slots).unwrap(), (expected.clone(), None), "{slots} slots");
    }
}

#[test]
fn containers_and_codecs() {
    let scratch = Scratch::new("containers");
    let files = scratch.make_all(
        &moving(0.4),
        &[
            ("bframes.mp4", X264),
            ("bframes.mkv", X264),
            ("fragments.mp4", "-c:v libx264 -preset veryfast -bf 3 -movflags +frag_keyframe+empty_moov"),
            ("raw.h264", X264),
            ("vp9.webm", "-c:v libvpx-vp9 -cpu-used 8"),
            ("mpeg4.avi", "-c:v mpeg4 -bf 2"),
            ("ten.mkv", "-pix_fmt yuv420p10 -c:v libx264 -preset veryfast"),
            ("ten422.mov", "-pix_fmt yuv422p10 -c:v prores_ks"),
            ("twelve.mkv", "-pix_fmt yuv444p12 -c:v libx265 -preset ultrafast -x265-params log-level=none"),
            ("lossless.mkv", "-pix_fmt yuv444p16 -c:v ffv1"),
            ("full.avi", "-pix_fmt yuvj422p -c:v mjpeg"),
            ("pipe.y4m", "-pix_fmt yuv444p"),
        ],
    );
    for (_, path) in files {
        assert_same_frames(&path, 10);
    }
}

#[test]
fn odd_and_tiny_sizes() {
    let scratch = Scratch::new("odd");
    let files = scratch.make_all(
        &moving(0.12),
        &[
            ("odd.y4m", "-s 161x91 -pix_fmt yuv420p"),
            ("odd.mkv", "-s 161x91 -pix_fmt yuv422p10 -c:v ffv1"),
            ("odd.nut", "-s 161x91 -pix_fmt nv12 -c:v rawvideo"),
            ("one.y4m", "-s 1x1 -pix_fmt yuv420p"),
            ("one.mkv", "-s 1x1 -pix_fmt yuv420p10 -c:v ffv1"),
            ("one.nut", "-s 1x1 -pix_fmt nv12 -c:v rawvideo"),
            ("flat.mkv", "-s 2x1 -pix_fmt gray16 -c:v ffv1"),
            ("thin.nut", "-s 1x7 -pix_fmt yuv420p12 -c:v rawvideo"),
        ],
    );
    for (_, path) in files {
        assert_same_frames(&path, 3);
    }
}

#[test]
fn raw_sample_formats() {
    let scratch = Scratch::new("raw");
    // AVI puts samples at any address, and some rows upside down.
    for (container, formats) in [("nut", "gray gray10 gray16 yuv420p9 yuv422p14 yuv444p16 nv12"), ("avi", "nv12 gray")]
    {
        let formats: Vec<&str> = formats.split(' ').collect();
        let made =
            |format: &&str| (format!("{format}.{container}"), format!("-s 35x17 -pix_fmt {format} -c:v rawvideo"));
        let outputs: Vec<(String, String)> = formats.iter().map(made).collect();
        let outputs: Vec<(&str, &str)> = outputs.iter().map(|(name, options)| (&**name, &**options)).collect();
        for (format, (_, path)) in formats.iter().zip(scratch.make_all(&moving(0.08), &outputs)) {
            assert_same_frames(&path, 2);
            assert_eq!(Input::open(&path, frames_only()).unwrap().info().format, format.parse().unwrap());
        }
    }
}

#[test]
fn times_are_the_sources() {
    let scratch = Scratch::new("times");
    let x264 = |options: &str| format!("{X264} {options}");
    let clip = scratch.make("clip.mkv", &moving(1.0), X264);
    let mut files = scratch.make_all(
        &moving(1.0),
        &[
            ("late.mp4", &x264("-output_ts_offset 5")),
            ("late.ts", &x264("-output_ts_offset 5")),
            // 2³³ ticks of 90 kHz are 95443.7 s.
            ("wrapping.ts", &x264("-output_ts_offset 95443.2")),
            ("varying.mkv", &x264("-vf setpts=floor(N*N/20)/25/TB -vsync passthrough -enc_time_base 1/1000")),
            ("varying.mp4", &x264("-vf setpts=N*N*40 -vsync passthrough -enc_time_base 1/90000")),
        ],
    );
    // Matroska cannot hold these times, and what it holds runs backwards.
    files.push((
        "negative.mkv",
        scratch.make(
            "negative.mkv",
            &format!("-i {clip}"),
            "-c copy -output_ts_offset -0.2 -avoid_negative_ts disabled",
        ),
    ));
    for (_, path) in files {
        assert_same_frames(&path, 25);
    }
    // Cut without decoding: the frames before the cut are in the file, and its edit list hides them.
    assert_same_frames(&scratch.make("edited.mp4", &format!("-ss 0.5 -i {clip}"), "-c copy"), 12);
}

#[test]
fn what_the_chain_cannot_read_is_converted() {
    let scratch = Scratch::new("convert");
    for (name, options, format) in [
        ("alpha.mkv", "-pix_fmt yuva420p -c:v ffv1", "yuv420p"),
        ("rgb.mkv", "-pix_fmt bgr0 -c:v ffv1", "gbrp"),
        ("palette.gif", "", "gbrp"),
        ("deep.mkv", "-s 33x17 -pix_fmt gbrap12 -c:v ffv1", "gbrp12"),
        ("tape.dv", "-s 720x480 -r 30000/1001 -pix_fmt yuv411p", "yuv422p"),
    ] {
        let path = scratch.make(name, &moving(0.2), options);
        let times =
            |list: Vec<String>| list.iter().map(|l| l.split(' ').next().unwrap().to_owned()).collect::<Vec<_>>();
        let ours = our_frames(&path, frames_only(), 2).unwrap().0;
        assert_eq!(times(ours), times(ffmpeg_frames(&path)), "{name}");
        assert_eq!(Input::open(&path, frames_only()).unwrap().info().format.to_string(), format, "{name}");
        assert!(read(&path, frames_only()).unwrap().frames.iter().all(|f| f.picture.format().to_string() == format));
    }
}

#[test]
fn a_conversion_can_be_asked_for() {
    let scratch = Scratch::new("wanted");
    let path = scratch.make("flat.mkv", "-f lavfi -i color=red:s=32x32:d=0.08:r=25", "-pix_fmt yuv420p -c:v ffv1");
    let mut input = Input::open(&path, frames_only()).unwrap();
    input.convert_to("yuv444p".parse().unwrap()).unwrap();
    assert_eq!(input.info().format.to_string(), "yuv444p");
    let Some(Item::Frame(frame)) = input.next().unwrap() else { panic!("a frame comes first") };
    let original = &read(&path, frames_only()).unwrap().frames[0];
    for component in 0..3 {
        let (new, old) = (frame.picture.planes()[component], original.picture.planes()[component]);
        assert_eq!(new.get(31, 31), old.get(0, 0));
    }
    assert!(input.convert_to("gray8".parse().unwrap()).is_err(), "too late");
}
