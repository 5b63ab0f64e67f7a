//! The streams that pass by, chapters and tags: copied as they are, or reported.

use crate::media::{Ask, Folder, PICTURE, SOUND, packet_hash, probe, stream, transcoded};
use std::fs;

/// A film with everything in it.
fn film(folder: &Folder) -> String {
    let texts = [
        ("text.srt", "1\n00:00:00,000 --> 00:00:00,300\nHello\n\n2\n00:00:00,300 --> 00:00:00,480\nWorld\n".to_owned()),
        (
            "about.txt",
            ";FFMETADATA1\ntitle=A film\nartist=Somebody\n\
             [CHAPTER]\nTIMEBASE=1/1000\nSTART=0\nEND=200\ntitle=One\n\
             [CHAPTER]\nTIMEBASE=1/1000\nSTART=200\nEND=480\ntitle=Two\n"
                .to_owned(),
        ),
        ("font.ttf", "not really a font".repeat(20)),
    ];
    for (name, text) in texts {
        fs::write(folder.file(name), text).unwrap();
    }
    folder.make("cover.jpg", &format!("{PICTURE} -frames:v 1"));
    folder.make(
        "film.mkv",
        &format!(
            "{PICTURE} {SOUND} -i DIR/text.srt -i DIR/about.txt -map 0 -map 1 -map 2 -map_metadata 3 \
             -c:v libx264 -c:a aac -c:s copy -attach DIR/font.ttf -metadata:s:3 mimetype=font/ttf \
             -attach DIR/cover.jpg -metadata:s:4 mimetype=image/jpeg -metadata:s:1 language=swe \
             -metadata:s:1 title=Commentary -disposition:v:0 default -disposition:a default+comment"
        ),
    )
}

/// The titles and starts of chapters.
fn chapters(file: &str) -> Vec<String> {
    probe(file, "-show_entries chapter=start_time,end_time:chapter_tags=title")
}

#[test]
fn matroska_takes_everything() {
    let folder = Folder::new("all");
    let source = film(&folder);
    let target = folder.file("a.mkv");
    let warnings = transcoded(&source, &target, Ask::codec("libx264"));
    assert_eq!(warnings, Vec::<String>::new());
    let kinds = "stream=index,codec_type,codec_name:stream_disposition=default,comment,attached_pic:\
                 stream_tags=language,title,filename,mimetype";
    let streams = probe(&target, &format!("-show_entries {kinds}"));
    assert_eq!(streams, probe(&source, &format!("-show_entries {kinds}")));
    assert_eq!(
        streams,
        [
            "0,h264,video,1,0,0",
            "1,aac,audio,1,1,0,swe,Commentary",
            "2,subrip,subtitle,0,0,0",
            "3,unknown,attachment,0,0,0,font.ttf,font/ttf",
            "4,mjpeg,video,0,0,1,cover.jpg,image/jpeg",
        ]
    );
    for which in ["0:a", "0:s", "0:v:1"] {
        assert_eq!(packet_hash(&target, which), packet_hash(&source, which), "{which}");
    }
    let fonts = "-show_entries stream=extradata_size -select_streams t";
    assert_eq!(probe(&target, fonts), ["340"]);
    assert_eq!(chapters(&target), ["0.000000,0.200000,One", "0.200000,0.480000,Two"]);
    assert_eq!(probe(&target, "-show_entries format_tags=title,ARTIST"), ["A film,Somebody"]);
    // What described the old coding does not describe the new one.
    assert_eq!(stream(&target, "v:0", "stream_tags=ENCODER,VENDOR_ID:stream=codec_name"), "h264");
}

#[test]
fn mp4_keeps_what_it_can_and_warns_of_the_rest() {
    let folder = Folder::new("mp4");
    let source = film(&folder);
    let target = folder.file("a.mp4");
    let warnings = transcoded(&source, &target, Ask::codec("libx264"));
    assert_eq!(warnings, ["left out: stream 3 (attachment none): mp4 has no place for attached files"]);
    let kinds = "stream=codec_name:stream_disposition=attached_pic:stream_tags=language";
    // The text is converted. The track of chapters is the fourth.
    let expected = ["h264,0,und", "aac,0,swe", "mov_text,0,und", "bin_data,0,eng", "mjpeg,1"];
    assert_eq!(probe(&target, &format!("-show_entries {kinds}")), expected);
    assert_eq!(packet_hash(&target, "0:a"), packet_hash(&source, "0:a"));
    assert_eq!(packet_hash(&target, "0:v:1"), packet_hash(&source, "0:v:1"));
    assert_eq!(chapters(&target), ["0.000000,0.200000,One", "0.200000,0.480000,Two"]);
    assert_eq!(probe(&target, "-show_entries format_tags=title,artist"), ["A film,Somebody"]);

    // From there on nothing is lost, and the track of chapters is not doubled.
    let again = folder.file("b.mp4");
    assert_eq!(transcoded(&target, &again, Ask::codec("libx264")), Vec::<String>::new());
    assert_eq!(probe(&again, &format!("-show_entries {kinds}")), expected);
    assert_eq!(chapters(&again), chapters(&target));
    let back = folder.file("c.mkv");
    assert_eq!(transcoded(&target, &back, Ask::codec("libx264")), Vec::<String>::new());
    let cover = "stream=codec_name:stream_disposition=attached_pic:stream_tags=filename,mimetype";
    assert_eq!(probe(&back, &format!("-select_streams v:1 -show_entries {cover}")), ["mjpeg,1,cover.jpg,image/jpeg"]);
}

#[test]
fn each_container_warns_of_what_it_leaves_out() {
    let folder = Folder::new("others");
    let source = film(&folder);
    let warnings = |name: &str, codec: &str| transcoded(&source, &folder.file(name), Ask::codec(codec).with(""));
    let (sound, text, font, cover) =
        ("stream 1 (audio aac)", "stream 2 (subtitle subrip)", "stream 3 (attachment none)", "stream 4 (video mjpeg)");
    let chapters = |container: &str| format!("{container} cannot hold chapters: 2 are left out");
    let expected = [
        format!("left out: {text}: mpegts does not hold this codec"),
        format!("left out: {font}: mpegts has no place for attached files"),
        format!("left out: {cover}: mpegts has no place for cover art"),
        chapters("mpegts"),
    ];
    assert_eq!(warnings("a.ts", "libx264")[..4], expected);
    assert_eq!(
        warnings("a.y4m", "rawvideo"),
        [
            format!("left out: {sound}, {text}, {font}, {cover}: yuv4mpegpipe holds one video stream and nothing else"),
            chapters("yuv4mpegpipe"),
        ]
    );
    let webm = warnings("a.webm", "libvpx-vp9");
    assert!(webm.iter().any(|line| line.starts_with(&format!("left out: {sound}: webm"))), "{webm:?}");
    assert_eq!(probe(&folder.file("a.webm"), "-show_entries stream=codec_name"), ["vp9", "webvtt"]);
    assert_eq!(warnings("a.avi", "ffv1").len(), 4);
    assert_eq!(probe(&folder.file("a.avi"), "-show_entries stream=codec_name"), ["ffv1", "aac"]);
}

#[test]
fn sound_changes_its_wrapping_not_its_packets() {
    let folder = Folder::new("wrapping");
    // Transport streams wrap AAC in headers that MP4 and Matroska do not have.
    folder.make("raw.mp4", &format!("{PICTURE} {SOUND} -c:v libx264 -c:a aac"));
    let transport = folder.make("source.ts", "-i DIR/raw.mp4 -c copy");
    for name in ["a.mp4", "a.mkv"] {
        transcoded(&transport, &folder.file(name), Ask::codec("libx264"));
        assert_eq!(packet_hash(&folder.file(name), "0:a"), packet_hash(&folder.file("raw.mp4"), "0:a"), "{name}");
    }
}

#[test]
fn a_second_video_and_time_code_pass() {
    let folder = Folder::new("second");
    let two = format!("{PICTURE} -f lavfi -i testsrc=s=64x36:r=25:d=0.48 -map 0 -map 1 -c:v libx264");
    let source = folder.make("source.mov", &format!("{two} -timecode 01:00:00:00"));
    let target = folder.file("a.mov");
    assert_eq!(transcoded(&source, &target, Ask::codec("libx264")), Vec::<String>::new());
    assert_eq!(packet_hash(&target, "0:v:1"), packet_hash(&source, "0:v:1"));
    let kinds = "-show_entries stream=codec_type,width:stream_tags=timecode";
    assert_eq!(probe(&target, kinds), probe(&source, kinds));
}

#[test]
fn a_second_video_that_is_reordered_keeps_its_times() {
    let folder = Folder::new("reordered");
    // Every third frame refers to the one after it.
    let x264 = "-c:v libx264 -bf 2 -b_strategy 0 -x264-params no-scenecut=1:b-pyramid=none";
    let two = format!("{PICTURE} -f lavfi -i testsrc2=s=64x36:r=24000/1001:d=0.4 -map 0 -map 1 {x264}");
    for from in ["mkv", "mp4", "ts"] {
        let source = folder.make(&format!("source.{from}"), &two);
        let shown = |file: &str| {
            let lines = probe(file, "-select_streams v:1 -show_entries packet=pts_time");
            lines.iter().map(|line| line.split(',').next().unwrap().parse().unwrap()).collect::<Vec<f64>>()
        };
        let expected = shown(&source);
        assert!(expected.windows(2).any(|pair| pair[1] < pair[0]), "{expected:?}");
        for to in ["mkv", "mp4", "mov", "ts", "nut"] {
            let target = folder.file(&format!("a.{to}"));
            let mut ask = Ask::codec("libx264").with("bf=2");
            ask.output.overwrite = true;
            transcoded(&source, &target, ask);
            let kept = shown(&target);
            // A container without times before 0 moves all of them.
            let moved = if from != "ts" && matches!(to, "ts" | "nut") { kept[0] - expected[0] } else { 0.0 };
            let apart = expected.iter().zip(&kept).map(|(a, b)| (b - a - moved).abs()).fold(0.0, f64::max);
            assert!(kept.len() == expected.len() && apart < 0.001_1, "{from} to {to}: {kept:?}, not {expected:?}");
        }
    }
}

#[test]
fn options_reach_the_container() {
    let folder = Folder::new("options");
    let source = folder.make("source.mkv", &format!("{PICTURE} -c:v ffv1"));
    let position = |file: &str, atom: &[u8]| {
        let bytes = fs::read(file).unwrap();
        bytes.windows(atom.len()).position(|window| window == atom).unwrap()
    };
    let (first, last) = (folder.file("first.mp4"), folder.file("last.mp4"));
    transcoded(&source, &first, Ask::codec("libx265").with("preset=ultrafast"));
    transcoded(&source, &last, Ask::codec("libx265").with("preset=ultrafast movflags=-faststart"));
    assert!(position(&first, b"moov") < position(&first, b"mdat"), "the index goes first");
    assert!(position(&last, b"moov") > position(&last, b"mdat"), "unless the user says otherwise");
    assert_eq!(stream(&first, "v:0", "stream=codec_tag_string"), "hvc1");
}
