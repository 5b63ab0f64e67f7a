//! Encoders: which one is taken, and that its frames are all there, when they were, as they were.

use crate::media::{Ask, Folder, PICTURE, hashes, packet_hash, stream, times, transcode, transcoded};
use std::fs;
use vramp::error::Kind;
use vramp::io::libav::{OutputOptions, Wanted, choose_encoder, video_encoders};

#[test]
fn every_encoder_keeps_count_and_times() {
    let folder = Folder::new("encoders");
    let source = folder.make("source.mkv", &format!("{PICTURE} -c:v ffv1"));
    let expected = times(&source);
    assert_eq!(expected.len(), 12);
    // Encoder as asked for, file, its options; codec and format as read back.
    let table = [
        ("ffv1", "a.mkv", "", "ffv1,yuv420p"),
        ("ffv1", "a.nut", "", "ffv1,yuv420p"),
        ("ffv1", "a.avi", "", "ffv1,yuv420p"),
        ("libx264", "b.mp4", "", "h264,yuv420p"),
        ("h264", "b.mkv", "preset=fast", "h264,yuv420p"),
        ("x264", "b.ts", "bf=0", "h264,yuv420p"),
        ("libx265", "c.mp4", "preset=ultrafast", "hevc,yuv420p"),
        ("hevc", "c.mkv", "preset=ultrafast", "hevc,yuv420p"),
        ("libsvtav1", "d.mp4", "preset=12", "av1,yuv420p"),
        ("av1", "d.webm", "preset=12", "av1,yuv420p"),
        ("libaom-av1", "e.mkv", "cpu-used=8", "av1,yuv420p"),
        ("vp9", "e.webm", "deadline=realtime", "vp9,yuv420p"),
        ("prores_ks", "f.mov", "", "prores,yuv422p10le"),
        // These two refuse the source's timebase and get one tick a frame.
        ("mpeg4", "g.mp4", "", "mpeg4,yuv420p"),
        ("mpeg2video", "g.mkv", "", "mpeg2video,yuv420p"),
        ("theora", "g.ogv", "", "theora,yuv420p"),
        ("utvideo", "h.mkv", "", "utvideo,yuv420p"),
        ("rawvideo", "i.nut", "", "rawvideo,yuv420p"),
        ("rawvideo", "i.avi", "", "rawvideo,yuv420p"),
        ("wrapped_avframe", "j.y4m", "", "rawvideo,yuv420p"),
    ];
    for (codec, name, options, read_back) in table {
        let target = folder.file(name);
        transcoded(&source, &target, Ask::codec(codec).with(options));
        assert_eq!(stream(&target, "v:0", "stream=codec_name,pix_fmt"), read_back, "{codec} in {name}");
        assert_eq!(times(&target), expected, "{codec} in {name}");
    }
}

#[test]
fn lossless_encoders_change_no_sample() {
    let folder = Folder::new("lossless");
    let encoders = [("ffv1", "a.mkv"), ("rawvideo", "a.nut"), ("wrapped_avframe", "a.y4m")];
    for format in ["yuv420p", "yuv444p12le", "gray10le"] {
        let source = folder.make("source.nut", &format!("{PICTURE} -vf crop=127:71 -pix_fmt {format} -c:v rawvideo"));
        let expected = hashes(&source, format);
        assert_eq!(expected.len(), 12);
        for (codec, name) in encoders {
            let target = folder.file(name);
            let ask = Ask { output: OutputOptions { overwrite: true, ..Ask::codec(codec).output }, ..Ask::default() };
            assert_eq!(transcoded(&source, &target, ask), Vec::<String>::new(), "{format} in {name}");
            assert_eq!(hashes(&target, format), expected, "{format} in {name}");
        }
    }
}

#[test]
fn tiny_pictures_pass() {
    let folder = Folder::new("tiny");
    let frames = folder.file("frames.yuv");
    fs::write(&frames, (0..9).map(|i| i * 20).collect::<Vec<u8>>()).unwrap();
    let raw = format!("-f rawvideo -video_size 1x1 -pix_fmt yuv420p -i {frames}");
    let source = folder.make("source.mkv", &format!("{raw} -c:v ffv1"));
    for (codec, name) in [("ffv1", "a.mkv"), ("wrapped_avframe", "a.y4m"), ("rawvideo", "a.yuv")] {
        transcoded(&source, &folder.file(name), Ask::codec(codec));
    }
    assert_eq!(hashes(&folder.file("a.mkv"), "yuv420p"), hashes(&source, "yuv420p"));
    assert_eq!(hashes(&folder.file("a.y4m"), "yuv420p"), hashes(&source, "yuv420p"));
    assert_eq!(fs::read(folder.file("a.yuv")).unwrap(), fs::read(&frames).unwrap());
}

#[test]
fn a_picture_too_small_for_the_usual_encoder_gets_the_next() {
    let folder = Folder::new("small");
    let source = folder.make("source.mkv", &format!("{PICTURE} -vf crop=48:32 -pix_fmt yuv420p -c:v ffv1"));
    let target = folder.file("a.webm");
    let warnings = transcoded(&source, &target, Ask::default());
    assert_eq!(warnings.len(), 1, "{warnings:?}");
    assert!(warnings[0].starts_with("libsvtav1 (48x32 yuv420p): "), "{warnings:?}");
    assert!(warnings[0].ends_with(": libvpx-vp9 takes its place"), "{warnings:?}");
    assert_eq!(stream(&target, "v:0", "stream=codec_name,width,height"), "vp9,48,32");

    // Whoever names an encoder gets that or none, and a word on which one would do.
    let error = transcode(&source, &folder.file("b.webm"), Ask::codec("libsvtav1")).unwrap_err();
    assert_eq!(error.kind(), Kind::Unsupported);
    assert!(error.message().ends_with("; -c libvpx-vp9 takes such pictures"), "{error}");
    // An option that is wrong is not the picture's fault.
    let wrong = OutputOptions { preset: Some("snail".to_owned()), ..OutputOptions::default() };
    let error = transcode(&source, &folder.file("c.mkv"), Ask { output: wrong, ..Ask::default() }).unwrap_err();
    assert!(error.message().contains("snail") && !error.message().contains("takes"), "{error}");
    assert_eq!(folder.names(), ["a.webm", "source.mkv"]);
}

#[test]
fn the_container_chooses_the_encoder() {
    let table = [
        ("a.mp4", None, "libx265 in mp4"),
        ("a.mov", None, "libx265 in mov"),
        ("a.mkv", None, "libx265 in matroska"),
        ("a.ts", None, "libx265 in mpegts"),
        // libav's writer of iTunes files has no HEVC.
        ("a.m4v", None, "libx264 in ipod"),
        ("a.webm", None, "libsvtav1 in webm"),
        ("a.avi", None, "ffv1 in avi"),
        ("a.nut", None, "ffv1 in nut"),
        ("a.y4m", None, "wrapped_avframe in yuv4mpegpipe"),
        ("a.yuv", None, "rawvideo in rawvideo"),
        ("a.mp4", Some("mkv"), "libx265 in matroska"),
        ("-", Some("nut"), "ffv1 in nut"),
        ("-", Some("yuv4mpegpipe"), "wrapped_avframe in yuv4mpegpipe"),
    ];
    for (path, container, expected) in table {
        let options = OutputOptions { container: container.map(str::to_owned), ..OutputOptions::default() };
        let choice = choose_encoder(path, &options).unwrap();
        assert_eq!(format!("{choice:?}"), format!("EncoderChoice({expected})"), "{path}");
        let deep = choice.accepted().iter().any(|format| format.bit_depth() >= 10);
        assert!(deep, "{expected} keeps 10 bits: {:?}", choice.accepted());
    }
    assert!(video_encoders().contains(&"libx264"));
}

#[test]
fn a_format_the_encoder_lacks_becomes_the_nearest() {
    let folder = Folder::new("nearest");
    let source = folder.make("source.mkv", &format!("{PICTURE} -pix_fmt yuv444p10 -c:v ffv1"));
    let target = folder.file("a.webm");
    let warnings = transcoded(&source, &target, Ask::codec("libsvtav1").with("preset=12"));
    assert_eq!(warnings, ["the encoder does not take yuv444p10, it gets yuv420p10: chroma resolution is lost"]);
    assert_eq!(stream(&target, "v:0", "stream=pix_fmt"), "yuv420p10le");

    let target = folder.file("b.mkv");
    let wanted = Wanted { depth: Some(8), ..Wanted::default() };
    let warnings = transcoded(&source, &target, Ask { wanted, ..Ask::codec("ffv1") });
    assert_eq!(warnings, Vec::<String>::new(), "what was asked for is no news");
    assert_eq!(stream(&target, "v:0", "stream=pix_fmt"), "yuv444p");
}

#[test]
fn quality_is_the_users() {
    let folder = Folder::new("quality");
    let source = folder.make("source.mkv", &format!("{PICTURE} -c:v ffv1"));
    let size = |name: &str, output: OutputOptions| {
        let codec = output.codec.or(Some("libx264".to_owned()));
        transcoded(&source, &folder.file(name), Ask { output: OutputOptions { codec, ..output }, ..Ask::default() });
        fs::metadata(folder.file(name)).unwrap().len()
    };
    let none = OutputOptions::default;
    let good = size("good.mkv", OutputOptions { crf: Some(5.0), preset: Some("fast".to_owned()), ..none() });
    let poor = size("poor.mkv", OutputOptions { crf: Some(45.5), ..none() });
    let fixed = size("fixed.mkv", OutputOptions { qp: Some(50), tune: Some("grain".to_owned()), ..none() });
    let rated = size("rated.mkv", OutputOptions { bitrate: Some("4M".to_owned()), ..none() });
    let option = size("option.mkv", OutputOptions { options: vec![("crf".to_owned(), "45".to_owned())], ..none() });
    assert!(poor * 2 < good && fixed * 2 < good && option * 2 < good, "{good} {poor} {fixed} {option}");
    assert!(rated > poor, "{rated} {poor}");

    // Without a word about quality, old codecs get a good one instead of 200 kbit/s.
    let old = size("old.mkv", OutputOptions { codec: Some("mpeg2video".to_owned()), ..none() });
    let starved = ["b", "200k"].map(str::to_owned);
    let [key, value] = starved;
    let starved = OutputOptions { codec: Some("mpeg2video".to_owned()), options: vec![(key, value)], ..none() };
    assert!(old > size("starved.mkv", starved));
}

/// The bytes of FFV1 follow the number of threads, and with `slices` they do not.
#[test]
fn slices_of_ffv1_follow_threads_unless_they_are_pinned() {
    let folder = Folder::new("slices");
    let picture = "-f lavfi -i testsrc2=s=1024x576:r=25:d=0.08 -c:v rawvideo";
    let source = folder.make("source.nut", picture);
    let coded = |threads, options: &str| {
        let target = folder.file("coded.mkv");
        let ask = Ask::codec("ffv1").with(options);
        let output = OutputOptions { overwrite: true, threads, ..ask.output };
        transcoded(&source, &target, Ask { output, ..Ask::default() });
        packet_hash(&target, "v:0")
    };
    let mut before = String::new();
    for (threads, slices) in [(2, 4), (4, 6), (6, 9), (8, 12), (9, 16), (16, 24)] {
        let hash = coded(threads, "");
        assert_eq!(hash, coded(1, &format!("slices={slices}")), "{threads} threads");
        assert_ne!(hash, std::mem::replace(&mut before, hash.clone()), "{threads} threads");
    }
    assert_eq!(coded(16, "slices=4"), coded(1, ""));
}
