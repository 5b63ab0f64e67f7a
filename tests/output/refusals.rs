//! What is refused: the kind of the error, and one line that says what is wrong.

use crate::media::{Ask, Folder, PICTURE, transcode};
use vramp::error::Kind::{BadArgument, Unsupported};
use vramp::io::libav::Wanted;

#[test]
fn each_wrong_wish_gets_its_line() {
    let folder = Folder::new("refusals");
    let source = folder.make("source.mkv", &format!("{PICTURE} -c:v ffv1"));
    // File, encoder, options; kind and words of the error.
    let table = [
        (
            "a.mkv",
            "libx264z",
            "",
            BadArgument,
            "encoder 'libx264z' is not known to this libav; did you mean 'libx264'?",
        ),
        ("a.mkv", "aac", "", BadArgument, "aac is not a video encoder"),
        ("a.mkv", "libx264", "crff=3", BadArgument, "libx264 with matroska has no option 'crff'; did you mean 'crf'?"),
        ("a.mp4", "libx264", "movflag=3", BadArgument, "has no option 'movflag'; did you mean 'movflags'?"),
        ("a.mp4", "libx264", "movflags=sideways", BadArgument, "mp4 does not take movflags=sideways"),
        ("a.mkv", "libsvtav1", "crf=90", BadArgument, "libsvtav1 does not take crf=90"),
        ("a.mkv", "libx264", "crf=51.5", BadArgument, "libx264 does not take crf=51.5: its scale ends at 51"),
        ("a.mkv", "libx265", "qp=52", BadArgument, "libx265 does not take qp=52"),
        ("a.mkv", "libx265", "x265-params=foo=1", BadArgument, "libx265: Unknown option: foo"),
        ("a.mkv", "libx264", "x264-params=foo=1", BadArgument, "libx264: Error parsing option 'foo = 1'"),
        ("a.mkv", "libsvtav1", "svtav1-params=foo=1", BadArgument, "libsvtav1: Error parsing option foo: 1"),
        ("a.mkv", "libx264", "preset=lazy", BadArgument, "libx264 has no preset 'lazy': it has ultrafast, superfast"),
        ("a.mkv", "libx264rgb", "", Unsupported, "the encoder does not take yuv420p: it takes gbrp"),
        ("a.gif", "gif", "", Unsupported, "does not take yuv420p: it takes gray8"),
        ("a.mkv", "mjpeg", "", Unsupported, "mjpeg (128x72 yuv420p): Non full-range YUV is non-standard"),
        ("a.mp4", "ffv1", "", Unsupported, "mp4 cannot hold the video of ffv1; use libx265, or another container"),
        ("a.webm", "libx264", "", Unsupported, "webm cannot hold the video of libx264; use libsvtav1"),
        ("a.ts", "libsvtav1", "", Unsupported, "mpegts cannot hold the video of libsvtav1"),
        ("a.y4m", "libx264", "", Unsupported, "yuv4mpegpipe cannot hold the video of libx264; use wrapped_avframe"),
        ("a.wav", "libx264", "", Unsupported, "wav holds no video"),
        ("a.m3u8", "libx264", "", Unsupported, "hls names its files itself"),
        ("a.foo", "libx264", "", BadArgument, "the extension names no container: name it with -f"),
        ("a", "libx264", "", BadArgument, "the extension names no container: name it with -f"),
    ];
    for (name, codec, options, kind, words) in table {
        let error = transcode(&source, &folder.file(name), Ask::codec(codec).with(options)).unwrap_err();
        assert_eq!(error.kind(), kind, "{codec} {options} in {name}: {error}");
        assert!(error.message().contains(words), "{codec} {options} in {name}: {error}");
        assert!(!error.message().contains('\n'), "{error}");
    }
    assert_eq!(folder.names(), ["source.mkv"], "nothing is left");
}

#[test]
fn each_wrong_setting_gets_its_line() {
    let folder = Folder::new("settings");
    let source = folder.make("source.mkv", &format!("{PICTURE} -c:v ffv1"));
    let ask = |codec: &str, change: fn(&mut Ask)| {
        let mut ask = Ask::codec(codec);
        change(&mut ask);
        transcode(&source, &folder.file("a.mkv"), ask).unwrap_err()
    };
    let table = [
        (ask("ffv1", |a| a.output.crf = Some(18.0)), BadArgument, "ffv1 has no option 'crf'"),
        (
            ask("libx264", |a| a.output.crf = Some(99.0)),
            BadArgument,
            "libx264 does not take crf=99: its scale ends at 51",
        ),
        (ask("libaom-av1", |a| a.output.preset = Some("5".into())), BadArgument, "libaom-av1 has no option 'preset'"),
        (ask("ffv1", |a| a.output.bitrate = Some("2M".into())), BadArgument, "ffv1 is lossless and takes no bit rate"),
        (ask("libx264", |a| a.output.bitrate = Some("fast".into())), BadArgument, "does not take b=fast"),
        // An encoder lists the names that it has; options that are numbers have a range.
        (
            ask("libx264", |a| a.output.preset = Some("quick".into())),
            BadArgument,
            "libx264 has no preset 'quick': it has ultrafast, superfast, veryfast, faster, fast, medium, slow, slower, \
             veryslow, placebo",
        ),
        (
            ask("libx265", |a| a.output.tune = Some("cartoon".into())),
            BadArgument,
            "libx265 has no tune 'cartoon': it has psnr, ssim,",
        ),
        (
            ask("libsvtav1", |a| a.output.preset = Some("slow".into())),
            BadArgument,
            "libsvtav1 does not take preset=slow: it takes a number from -",
        ),
        (
            ask("libx264", |a| a.output.container = Some("mkw".into())),
            BadArgument,
            "'mkw' is not known; did you mean 'mkv'",
        ),
        (
            ask("libsvtav1", |a| a.wanted = Wanted { format: "yuv444p".parse().ok(), ..Wanted::default() }),
            Unsupported,
            "the encoder does not take yuv444p: it takes yuv420p, yuv420p10",
        ),
        (
            ask("libx264", |a| a.wanted = Wanted { depth: Some(12), ..Wanted::default() }),
            Unsupported,
            "the encoder does not take 12-bit video: it takes yuv420p",
        ),
    ];
    for (error, kind, words) in table {
        assert_eq!(error.kind(), kind, "{error}");
        assert!(error.message().contains(words) && !error.message().contains(" @ 0x"), "{error}");
    }
    let error = transcode(&source, "-", Ask::codec("ffv1")).unwrap_err();
    assert_eq!(error.message(), "standard output has no extension: name the container with -f");
    assert_eq!(folder.names(), ["source.mkv"], "nothing is left");
}

#[test]
fn an_encoders_reason_is_reported() {
    let folder = Folder::new("reasons");
    let raw = "-f rawvideo -video_size 1x1 -pix_fmt yuv420p -i DIR/frames.yuv";
    std::fs::write(folder.file("frames.yuv"), [9; 6]).unwrap();
    let source = folder.make("source.mkv", &format!("{raw} -c:v ffv1"));
    for (codec, words) in [
        ("libx264", "libx264 (1x1 yuv420p): width not divisible by 2"),
        ("libx265", "libx265 (1x1 yuv420p): Image size is too small"),
        ("libsvtav1", "libsvtav1 (1x1 yuv420p): Error setting encoder parameters"),
    ] {
        let error = transcode(&source, &folder.file("a.mkv"), Ask::codec(codec)).unwrap_err();
        assert_eq!(error.kind(), Unsupported, "{codec}: {error}");
        assert!(error.message().starts_with(words), "{codec}: {error}");
    }
    assert_eq!(folder.names(), ["frames.yuv", "source.mkv"], "nothing is left");
}
