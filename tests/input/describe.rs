//! How a source, its frames and its other streams are described.

use crate::media::*;
use md5::{Digest, Md5};
use std::fs;
use vramp::io::libav::{CopyChoice, Input, InputOptions, Media};
use vramp::video::{FieldOrder, Range};

/// What ffprobe says of every frame, one line each.
fn probed(path: &str) -> Vec<String> {
    let entries = "frame=best_effort_timestamp,pkt_duration,key_frame,interlaced_frame,top_field_first,repeat_pict";
    let list = output_of(
        "ffprobe",
        &["-v", "quiet", "-select_streams", "v:0", "-show_entries", entries, "-of", "compact=p=0:nk=0", path],
    );
    let field = |line: &str, key: &str| -> String {
        let value = line.split('|').find_map(|pair| pair.strip_prefix(key)?.strip_prefix('='));
        value.unwrap_or("0").replace("N/A", "0")
    };
    let keys =
        ["best_effort_timestamp", "pkt_duration", "key_frame", "interlaced_frame", "top_field_first", "repeat_pict"];
    let lines = list.lines().filter(|line| line.contains("key_frame"));
    lines.map(|line| keys.map(|key| field(line, key)).join(" ")).collect()
}

#[test]
fn frames_are_described_as_ffprobe_does() {
    let scratch = Scratch::new("props");
    for (name, options, order) in [
        ("progressive.mp4", "-c:v libx264 -preset veryfast -bf 3 -g 5", FieldOrder::Progressive),
        ("top.ts", "-vf tinterlace=interleave_top -flags +ildct+ilme -c:v mpeg2video", FieldOrder::TopFirst),
        ("bottom.mkv", "-vf tinterlace=interleave_bottom -flags +ildct+ilme -c:v mpeg2video", FieldOrder::BottomFirst),
        (
            "fields.ts",
            "-vf tinterlace=interleave_top -flags +ildct+ilme -c:v libx264 -preset veryfast",
            FieldOrder::TopFirst,
        ),
    ] {
        let path = scratch.make(name, &moving(0.6), options);
        let frames = read(&path, frames_only()).unwrap().frames;
        let ours = frames.iter().map(|frame| {
            let props = &frame.props;
            let (pts, duration, key, repeat) = (props.pts.unwrap(), props.duration, u8::from(props.key), props.repeat);
            let interlaced = u8::from(props.field_order.is_interlaced());
            let top = u8::from(props.field_order == FieldOrder::TopFirst);
            format!("{pts} {duration} {key} {interlaced} {top} {repeat}")
        });
        assert_eq!(ours.collect::<Vec<_>>(), probed(&path), "{name}");
        assert_eq!(Input::open(&path, frames_only()).unwrap().info().field_order, order, "{name}");
    }
}

#[test]
fn colour_and_hdr_reach_the_frames() {
    let scratch = Scratch::new("hdr");
    let hdr = "master-display=G(13250,34500)B(7500,3000)R(34000,16000)WP(15635,16450)L(10000000,1):max-cll=1000,400";
    let path = scratch.make(
        "hdr.mp4",
        &moving(0.2),
        &format!(
            "-vf setsar=4/3 -pix_fmt yuv420p10 -color_range tv -color_primaries bt2020 -color_trc smpte2084 -colorspace bt2020nc \
             -chroma_sample_location topleft -c:v libx265 -preset ultrafast -x265-params log-level=none:chromaloc=2:{hdr}"
        ),
    );
    let input = Input::open(&path, frames_only()).unwrap();
    let (info, color) = (input.info(), input.info().color);
    assert_eq!((color.primaries, color.transfer, color.matrix), (9, 16, 9));
    assert_eq!(color.chroma_location.0, Some(2));
    assert!(!color.range.is_full());
    assert_eq!((info.sar.num, info.sar.den), (4, 3));

    // AV_FRAME_DATA_MASTERING_DISPLAY_METADATA and AV_FRAME_DATA_CONTENT_LIGHT_LEVEL.
    let frames = read(&path, frames_only()).unwrap().frames;
    let kinds: Vec<i32> = frames[0].props.side_data.iter().map(|data| data.kind).collect();
    assert!(kinds.contains(&11) && kinds.contains(&14), "{kinds:?}");
    let light = frames[0].props.side_data.iter().find(|data| data.kind == 14).unwrap();
    assert_eq!(light.bytes[..8], [1000u32.to_ne_bytes(), 400u32.to_ne_bytes()].concat());
    assert_eq!(frames[0].props.color, color);
}

#[test]
fn a_full_range_pixel_format_says_so() {
    let scratch = Scratch::new("range");
    let files = scratch.make_all(
        &moving(0.08),
        &[("full.avi", "-pix_fmt yuvj422p -c:v mjpeg"), ("limited.mkv", "-pix_fmt yuv422p -color_range tv -c:v ffv1")],
    );
    for ((_, path), range) in files.iter().zip([Range::Full, Range::Limited]) {
        let info = Input::open(path, frames_only()).unwrap().info().clone();
        assert_eq!((info.format.to_string().as_str(), info.color.range), ("yuv422p", range));
        assert!(read(path, frames_only()).unwrap().frames.iter().all(|frame| frame.props.color.range == range));
    }
}

#[test]
fn the_rest_of_the_container_is_described() {
    let scratch = Scratch::new("container");
    fs::write(scratch.path("words.srt"), "1\n00:00:00,200 --> 00:00:00,400\nHello\n").unwrap();
    fs::write(
        scratch.path("chapters.txt"),
        ";FFMETADATA1\ntitle=A film\n[CHAPTER]\nTIMEBASE=1/1000\nSTART=0\nEND=500\ntitle=One\n\
         [CHAPTER]\nTIMEBASE=1/1000\nSTART=500\nEND=1000\ntitle=Two\n",
    )
    .unwrap();
    let cover = scratch.make("cover.png", &moving(0.04), "-frames:v 1");
    let path = scratch.make(
        "full.mkv",
        &format!("{} -f lavfi -i sine=d=1 -i @words.srt -i @chapters.txt", moving(1.0)),
        &format!(
            "-map 0 -map 1 -map 2 -map_metadata 3 -map_chapters 3 -c:v libx264 -preset veryfast -c:a aac -c:s srt \
             -attach {cover} -metadata:s:t mimetype=image/png -attach @words.srt -metadata:s:t:1 mimetype=text/plain \
             -metadata:s:v:0 language=deu -disposition:a:0 default"
        ),
    );
    let input = Input::open(&path, InputOptions::default()).unwrap();
    let container = input.container();
    assert!(container.metadata.contains(&("title".to_owned(), "A film".to_owned())), "{:?}", container.metadata);
    assert!(container.video.metadata.contains(&("language".to_owned(), "deu".to_owned())));
    let chapters: Vec<_> = container.chapters.iter().map(|c| (c.start, c.end, &*c.metadata[0].1)).collect();
    assert_eq!(chapters.len(), 2);
    assert_eq!((chapters[0].2, chapters[1].2), ("One", "Two"));
    let media: Vec<Media> = input.copied_streams().iter().map(|stream| stream.media).collect();
    assert_eq!(media, [Media::Audio, Media::Subtitle, Media::Video, Media::Attachment]);
    assert_eq!(input.describe(), "matroska,webm, h264, 64x48, yuv420p, 25 fps, range not stated, colour 2/2/2");
}

#[test]
fn cover_art_is_not_the_video() {
    let scratch = Scratch::new("cover");
    let cover = scratch.make("cover.png", &moving(0.04), "-frames:v 1 -s 640x480");
    let path = scratch.make(
        "cover.mp4",
        &format!("{} -i {cover}", moving(0.2)),
        "-map 1 -map 0 -c:v:0 copy -c:v:1 libx264 -disposition:v:0 attached_pic",
    );
    let all = read(&path, InputOptions::default()).unwrap();
    assert_eq!((all.frames.len(), all.packets.len()), (5, 1));
    assert_eq!(all.frames[0].picture.width(), 64);
}

#[test]
fn rotation_is_reported_and_not_applied() {
    let scratch = Scratch::new("turned");
    let upright = scratch.make("upright.mp4", &moving(0.2), "-c:v libx264");
    let turned = scratch.make("turned.mp4", &format!("-i {upright}"), "-c copy -metadata:s:v rotate=90");
    let input = Input::open(&turned, InputOptions::default()).unwrap();
    // AV_PKT_DATA_DISPLAYMATRIX
    assert!(input.container().video.side_data.iter().any(|data| data.kind == 5));
    assert_eq!((input.info().width, input.info().height), (64, 48));
}

/// ffmpeg's list of the packets of stream `map`.
fn ffmpeg_packets(path: &str, map: &str) -> Vec<String> {
    columns(&output_of(
        "ffmpeg",
        &["-v", "quiet", "-nostdin", "-i", path, "-copyts", "-map", map, "-c", "copy", "-f", "framemd5", "-"],
    ))
}

#[test]
fn copied_packets_are_the_sources() {
    let all = read(BUNNY, InputOptions::default()).unwrap();
    let input = Input::open(BUNNY, InputOptions::default()).unwrap();
    let audio = input.copied_streams().iter().find(|stream| stream.media == Media::Audio).unwrap();
    let packets = all.packets.iter().filter(|packet| packet.stream == audio.index);
    let ours = packets.map(|packet| {
        let data = packet.packet.data().unwrap();
        let hash: String = Md5::digest(data).iter().map(|byte| format!("{byte:02x}")).collect();
        format!("{} {} {hash}", packet.packet.pts().unwrap(), data.len())
    });
    assert_eq!(ours.collect::<Vec<_>>(), ffmpeg_packets(BUNNY, "0:a:0"));
    assert_eq!(all.frames.len(), 132);

    let silent = InputOptions { copy: CopyChoice { audio: false, ..CopyChoice::ALL }, ..InputOptions::default() };
    assert!(read(BUNNY, silent).unwrap().packets.iter().all(|packet| packet.stream != audio.index));
}
