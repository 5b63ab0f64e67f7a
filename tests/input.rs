//! The libav input against ffmpeg and ffprobe on files that ffmpeg makes.
#![cfg(feature = "transcode")]

use std::fs;
use std::net::TcpListener;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::thread;
use std::time::Duration;
use vramp::device::cpu::{CpuExec, CpuLevel};
use vramp::error::{Error, Kind, Result};
use vramp::io::libav::{CopiedPacket, CopyChoice, Input, InputOptions, Media, Window};
use vramp::io::{Hash, HashSink};
use vramp::pipeline::{self, Cancel, CpuChain, Frame, Item, Options, Source, Target};
use vramp::video::FieldOrder;

/// The clip that the demonstration uses: H.264 with B-frames, and sound.
const BUNNY: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/samples/big-buck-bunny-720p.mp4");

/// An empty folder that goes away with its value.
struct Scratch(PathBuf);

impl Scratch {
    fn new(name: &str) -> Scratch {
        let path = std::env::temp_dir().join(format!("vramp-input-{name}-{}", std::process::id()));
        fs::create_dir_all(&path).unwrap();
        Scratch(path)
    }

    fn path(&self, name: &str) -> String {
        self.0.join(name).to_str().unwrap().to_owned()
    }

    /// Has ffmpeg make `name` from `arguments` (split at spaces; `@` stands for this folder).
    fn make(&self, name: &str, arguments: &str) -> String {
        let folder = self.path("");
        let arguments: Vec<String> = arguments.split_whitespace().map(|a| a.replace('@', &folder)).collect();
        let path = self.path(name);
        let mut command = Command::new("ffmpeg");
        command.args(["-v", "error", "-nostdin", "-y"]).args(arguments).arg(format!("file:{path}"));
        let output = command.output().expect("ffmpeg runs");
        assert!(output.status.success(), "{name}: {}", String::from_utf8_lossy(&output.stderr));
        path
    }

    /// The first `percent` per cent of `path`, as `name`.
    fn truncate(&self, path: &str, percent: usize, name: &str) -> String {
        let bytes = fs::read(path).unwrap();
        fs::write(self.path(name), &bytes[..bytes.len() * percent / 100]).unwrap();
        self.path(name)
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        fs::remove_dir_all(&self.0).unwrap();
    }
}

/// A moving test picture of `size`, 25 frames a second.
fn source(size: &str, seconds: f64) -> String {
    // The generator itself wants even sizes.
    format!("-f lavfi -i testsrc2=s=64x64:r=25:d={seconds},scale={}", size.replace('x', ":"))
}

/// What a command prints.
fn output_of(program: &str, arguments: &[&str]) -> String {
    let output = Command::new(program).args(arguments).output().expect("the program runs");
    String::from_utf8(output.stdout).unwrap()
}

/// The columns pts, size and hash of every line of a frame list.
fn columns(list: &str) -> Vec<String> {
    let lines = list.lines().filter(|line| !line.starts_with('#'));
    let columns = lines.map(|line| line.split(',').map(str::trim).collect::<Vec<_>>());
    columns.map(|c| format!("{} {} {}", c[2], c[4], c[5])).collect()
}

/// ffmpeg's own frame list of the first video stream.
fn ffmpeg_frames(path: &str) -> Vec<String> {
    let list = format!(
        "-v quiet -nostdin -noautorotate -i|file:{path}|-copyts -vsync passthrough -enc_time_base -1 -map 0:v:0 -f framemd5 -"
    );
    let arguments: Vec<&str> = list
        .split('|')
        .enumerate()
        .flat_map(|(i, part)| match i {
            1 => vec![part],
            _ => part.split(' ').collect(),
        })
        .collect();
    columns(&output_of("ffmpeg", &arguments))
}

/// Everything a source yields.
struct Yield {
    frames: Vec<Frame>,
    packets: Vec<CopiedPacket>,
    damage: Option<Error>,
}

impl Yield {
    /// The frames' pts, size and hash.
    fn list(&self) -> Vec<String> {
        self.frames.iter().map(line).collect()
    }
}

fn line(frame: &Frame) -> String {
    let picture = &frame.picture;
    let bytes: usize = (0..picture.format().planes())
        .map(|plane| picture.format().plane_size(plane, picture.width(), picture.height()))
        .map(|(row, rows)| row * rows)
        .sum();
    format!("{} {bytes} {}", frame.props.pts.unwrap(), Hash::Md5.of(picture))
}

fn read(path: &str, options: InputOptions) -> Result<Yield> {
    let mut input = Input::open(path, options)?;
    let mut all = Yield { frames: Vec::new(), packets: Vec::new(), damage: None };
    while let Some(item) = input.next()? {
        match item {
            Item::Frame(frame) => all.frames.push(frame),
            Item::Packet(packet) => all.packets.push(*packet.0.downcast().unwrap()),
        }
    }
    all.damage = input.damage();
    Ok(all)
}

/// Frames and nothing else.
fn frames_only() -> InputOptions {
    InputOptions { copy: CopyChoice::NONE, ..InputOptions::default() }
}

/// Asserts that our frame list is ffmpeg's, that it has `count` frames with indices from 0, and nothing was lost.
fn assert_same_frames(path: &str, count: usize) {
    let ours = read(path, frames_only()).unwrap();
    assert_eq!(ours.list(), ffmpeg_frames(path), "{path}");
    assert_eq!(ours.frames.len(), count, "{path}");
    assert!(ours.frames.iter().map(|f| f.props.frame_index).eq(0..count as u64), "{path}");
    assert_eq!(ours.damage, None, "{path}");
}

#[test]
fn the_sample_clip() {
    assert_same_frames(BUNNY, 132);
}

#[test]
fn containers_and_codecs() {
    let scratch = Scratch::new("containers");
    let x264 = "-c:v libx264 -preset veryfast -bf 3 -g 10";
    for (name, encoder) in [
        ("bframes.mp4", x264),
        ("bframes.mkv", x264),
        ("fragments.mp4", "-c:v libx264 -preset veryfast -bf 3 -movflags +frag_keyframe+empty_moov"),
        ("raw.h264", x264),
        ("vp9.webm", "-c:v libvpx-vp9 -cpu-used 8"),
        ("mpeg4.avi", "-c:v mpeg4 -bf 2"),
        ("ten.mkv", "-pix_fmt yuv420p10 -c:v libx264 -preset veryfast"),
        ("ten422.mov", "-pix_fmt yuv422p10 -c:v prores_ks"),
        ("twelve444.mkv", "-pix_fmt yuv444p12 -c:v libx265 -preset ultrafast -x265-params log-level=none"),
        ("lossless.mkv", "-pix_fmt yuv444p16 -c:v ffv1"),
        ("full.avi", "-pix_fmt yuvj422p -c:v mjpeg"),
        ("pipe.y4m", "-pix_fmt yuv444p"),
    ] {
        let path = scratch.make(name, &format!("{} {encoder}", source("64x48", 0.6)));
        assert_same_frames(&path, 15);
    }
}

#[test]
fn odd_and_tiny_sizes() {
    let scratch = Scratch::new("odd");
    for (size, stored) in [
        ("161x91", "odd.y4m -pix_fmt yuv420p"),
        ("161x91", "odd.mkv -pix_fmt yuv422p10 -c:v ffv1"),
        ("161x91", "odd.nut -pix_fmt nv12 -c:v rawvideo"),
        ("1x1", "one.y4m -pix_fmt yuv420p"),
        ("1x1", "one.mkv -pix_fmt yuv420p10 -c:v ffv1"),
        ("1x1", "one.nut -pix_fmt nv12 -c:v rawvideo"),
        ("2x1", "flat.mkv -pix_fmt gray16 -c:v ffv1"),
        ("1x7", "thin.nut -pix_fmt yuv420p12 -c:v rawvideo"),
    ] {
        let (name, encoder) = stored.split_once(' ').unwrap();
        let path = scratch.make(name, &format!("{} {encoder}", source(size, 0.12)));
        assert_same_frames(&path, 3);
    }
}

#[test]
fn raw_sample_formats() {
    let scratch = Scratch::new("raw");
    let formats = "gray gray10 gray16 yuv420p9 yuv422p14 yuv444p16 nv12";
    for format in formats.split(' ') {
        let path = scratch
            .make(&format!("{format}.nut"), &format!("{} -pix_fmt {format} -c:v rawvideo", source("34x18", 0.08)));
        assert_same_frames(&path, 2);
        let info = Input::open(&path, frames_only()).unwrap().info().clone();
        assert_eq!(info.format, format.parse().unwrap());
    }
    // AVI stores rows bottom up for some of these, and samples at any address.
    for format in ["nv12", "gray"] {
        let path = scratch
            .make(&format!("{format}.avi"), &format!("{} -pix_fmt {format} -c:v rawvideo", source("35x17", 0.08)));
        assert_same_frames(&path, 2);
    }
}

#[test]
fn times_are_the_sources() {
    let scratch = Scratch::new("times");
    let x264 = "-c:v libx264 -preset veryfast -bf 3 -g 10";
    let second = source("64x48", 1.0);
    let clip = scratch.make("clip.mkv", &format!("{second} {x264}"));
    for (name, arguments, count) in [
        ("late.mp4", format!("{second} {x264} -output_ts_offset 5"), 25),
        ("late.ts", format!("{second} {x264} -output_ts_offset 5"), 25),
        // 2³³ ticks of 90 kHz are 95443.7 s.
        ("wrapping.ts", format!("{second} {x264} -output_ts_offset 95443.2"), 25),
        ("varying.mkv", format!("{second} -vf select=not(mod(n\\,3))+not(mod(n\\,7)) -vsync vfr {x264}"), 11),
        ("varying.mp4", format!("{second} -vf setpts=N*N*40 -vsync passthrough -enc_time_base 1/90000 {x264}"), 25),
        // Cut without decoding: the frames before the cut are in the file, and its edit list hides them.
        ("edited.mp4", format!("-ss 0.5 -i file:{clip} -c copy"), 12),
        ("negative.mkv", format!("-i file:{clip} -c copy -output_ts_offset -0.2 -avoid_negative_ts disabled"), 25),
    ] {
        let path = scratch.make(name, &arguments);
        assert_same_frames(&path, count);
    }
}

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
    let second = source("64x48", 0.6);
    for (name, arguments, order) in [
        ("progressive.mp4", "-c:v libx264 -preset veryfast -bf 3 -g 5", FieldOrder::Progressive),
        ("top.mpg", "-vf tinterlace=interleave_top -flags +ildct+ilme -c:v mpeg2video", FieldOrder::TopFirst),
        ("bottom.mkv", "-vf tinterlace=interleave_bottom -flags +ildct+ilme -c:v mpeg2video", FieldOrder::BottomFirst),
        (
            "fields.ts",
            "-vf tinterlace=interleave_top -flags +ildct+ilme -c:v libx264 -preset veryfast",
            FieldOrder::TopFirst,
        ),
    ] {
        let path = scratch.make(name, &format!("{second} {arguments}"));
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
        &format!(
            "{} -pix_fmt yuv420p10 -color_range tv -color_primaries bt2020 -color_trc smpte2084 -colorspace bt2020nc \
             -chroma_sample_location topleft -c:v libx265 -preset ultrafast -x265-params log-level=none:chromaloc=2:{hdr}",
            source("64x48,setsar=4/3", 0.2)
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
fn the_rest_of_the_container_is_described() {
    let scratch = Scratch::new("container");
    fs::write(scratch.path("words.srt"), "1\n00:00:00,200 --> 00:00:00,400\nHello\n").unwrap();
    fs::write(
        scratch.path("chapters.txt"),
        ";FFMETADATA1\ntitle=A film\n[CHAPTER]\nTIMEBASE=1/1000\nSTART=0\nEND=500\ntitle=One\n\
         [CHAPTER]\nTIMEBASE=1/1000\nSTART=500\nEND=1000\ntitle=Two\n",
    )
    .unwrap();
    let cover = scratch.make("cover.png", &format!("{} -frames:v 1", source("16x16", 0.04)));
    let path = scratch.make(
        "full.mkv",
        &format!(
            "{} -f lavfi -i sine=d=1 -i @words.srt -i @chapters.txt -map 0 -map 1 -map 2 -map_metadata 3 -map_chapters 3 \
             -attach {cover} -metadata:s:t mimetype=image/png -attach @words.srt -metadata:s:t:1 mimetype=text/plain \
             -c:v libx264 -preset veryfast -c:a aac -c:s srt -metadata:s:v:0 language=deu -disposition:a:0 default",
            source("64x48", 1.0)
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

    // Cover art is a picture, not the video, wherever it stands and however large it is.
    let cover = scratch.make(
        "cover.mp4",
        &format!(
            "{} -i {cover} -map 1 -map 0 -c:v:0 copy -c:v:1 libx264 -disposition:v:0 attached_pic",
            source("64x48", 0.2)
        ),
    );
    let all = read(&cover, InputOptions::default()).unwrap();
    assert_eq!((all.frames.len(), all.packets.len()), (5, 1));

    // Rotation is not applied, but told.
    let upright = scratch.make("upright.mp4", &format!("{} -c:v libx264", source("64x48", 0.2)));
    let turned = scratch.make("turned.mp4", &format!("-i {upright} -c copy -metadata:s:v rotate=90"));
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
    use md5::{Digest, Md5};
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

fn window(start: Option<&str>, end: Option<&str>, frames: Option<u64>) -> Window {
    let position = |text: &str| text.parse().unwrap();
    Window { start: start.map(position), end: end.map(position), frames }
}

#[test]
fn a_window_is_a_part_of_the_whole_run() {
    let scratch = Scratch::new("window");
    // Begins at 5 s: window times count from there.
    let path = scratch
        .make("late.ts", &format!("{} -c:v libx264 -preset veryfast -bf 3 -output_ts_offset 5", source("64x48", 2.0)));
    let whole = read(&path, frames_only()).unwrap();
    assert_eq!(whole.frames.len(), 50);
    for (window, range) in [
        (window(Some("#7"), Some("#20"), None), 7..20),
        (window(Some("0.4"), Some("1.2"), None), 10..30),
        (window(Some("0.41"), None, Some(3)), 11..14),
        (window(None, Some("12f"), None), 0..12),
        (window(None, None, Some(1)), 0..1),
        (window(Some("#49"), None, Some(100)), 49..50),
        (window(None, Some("1000"), None), 0..50),
    ] {
        let part = read(&path, InputOptions { window, ..frames_only() }).unwrap();
        assert_eq!(part.list(), whole.list()[range.clone()], "{window:?}");
        assert!(part.frames.iter().map(|f| f.props.frame_index).eq(range.start as u64..range.end as u64), "{window:?}");
    }
    for empty in
        [window(Some("#50"), None, None), window(Some("3"), None, None), window(Some("0.401"), Some("0.402"), None)]
    {
        let error = read(&path, InputOptions { window: empty, ..frames_only() }).err().unwrap();
        assert_eq!(error.kind(), Kind::BadArgument, "{error}");
    }
    let error =
        Input::open(&path, InputOptions { window: window(Some("2"), Some("1"), None), ..frames_only() }).err().unwrap();
    assert_eq!(error.kind(), Kind::BadArgument);
}

#[test]
fn a_window_cuts_copied_streams_to_its_frames() {
    let whole = read(BUNNY, InputOptions::default()).unwrap();
    let input = Input::open(BUNNY, InputOptions::default()).unwrap();
    let video = input.info().timebase.value().unwrap();
    let streams = input.copied_streams();
    let timebase = |stream: usize| streams.iter().find(|s| s.index == stream).unwrap().timebase.value().unwrap();
    let time = |packet: &CopiedPacket| packet.packet.pts().unwrap() as f64 * timebase(packet.stream);
    for window in [window(Some("#30"), Some("#60"), None), window(Some("1.2"), None, Some(30))] {
        let part = read(BUNNY, InputOptions { window, ..InputOptions::default() }).unwrap();
        let (first, last) =
            (part.frames[0].props.frame_index as usize, part.frames.last().unwrap().props.frame_index as usize);
        assert_eq!(last - first, 29);
        let at = |index: usize| whole.frames[index].props.pts.unwrap() as f64 * video;
        let (from, until) = (at(first) - 1e-6, at(last + 1) - 1e-6);
        let expected: Vec<_> = whole.packets.iter().filter(|p| (from..until).contains(&time(p))).map(time).collect();
        assert!(expected.len() > 20);
        assert_eq!(part.packets.iter().map(time).collect::<Vec<_>>(), expected, "{window:?}");
    }
}

#[test]
fn threads_and_slots_change_nothing() {
    let scratch = Scratch::new("threads");
    let hashes = |slots: usize, threads: usize| {
        let path = scratch.path("frames.md5");
        let mut input = Input::open(BUNNY, InputOptions { threads, ..InputOptions::default() }).unwrap();
        let plan = pipeline::plan(Vec::new(), input.info(), Target::default()).unwrap();
        let mut chain = CpuChain::new(&plan, CpuExec::new(1, CpuLevel::Portable).unwrap()).unwrap();
        let mut sink = HashSink::create(&path, Hash::Md5, true, &plan.output).unwrap();
        let options = Options { slots, ..Options::default() };
        pipeline::run(&mut input, &plan, &mut chain, &mut sink, &options, &mut |_| {}).unwrap();
        columns(&fs::read_to_string(&path).unwrap())
    };
    let one = hashes(1, 1);
    assert_eq!(one, ffmpeg_frames(BUNNY));
    assert_eq!(hashes(8, 3), one);
}

#[test]
fn what_the_chain_cannot_read_is_converted() {
    let scratch = Scratch::new("convert");
    for (name, encoder, size, format) in [
        ("alpha.mkv", "-pix_fmt yuva420p -c:v ffv1", "64x48", "yuv420p"),
        ("rgb.mkv", "-pix_fmt bgr0 -c:v ffv1", "64x48", "yuv444p10"),
        ("palette.gif", "", "64x48", "yuv444p10"),
        ("deep.mkv", "-pix_fmt gbrp12 -c:v ffv1", "33x17", "yuv444p14"),
        ("tape.dv", "-r 30000/1001 -pix_fmt yuv411p", "720x480", "yuv422p"),
    ] {
        let path = scratch.make(name, &format!("{} {encoder}", source(size, 0.2)));
        let all = read(&path, frames_only()).unwrap();
        let pts =
            |list: &[String]| -> Vec<String> { list.iter().map(|l| l.split(' ').next().unwrap().to_owned()).collect() };
        assert_eq!(pts(&all.list()), pts(&ffmpeg_frames(&path)), "{name}");
        let input = Input::open(&path, frames_only()).unwrap();
        assert_eq!(input.info().format.to_string(), format, "{name}");
        assert!(all.frames.iter().all(|frame| frame.picture.format().to_string() == format), "{name}");
    }

    // Asked for, rather than needed: each chroma sample four times, as none lies between two values here.
    let path = scratch.make("flat.mkv", "-f lavfi -i color=red:s=32x32:d=0.08:r=25 -pix_fmt yuv420p -c:v ffv1");
    let mut input = Input::open(&path, frames_only()).unwrap();
    input.convert_to("yuv444p".parse().unwrap()).unwrap();
    assert_eq!(input.info().format.to_string(), "yuv444p");
    let Some(Item::Frame(frame)) = input.next().unwrap() else { panic!("a frame comes first") };
    let original = &read(&path, frames_only()).unwrap().frames[0];
    for component in 0..3 {
        assert_eq!(frame.picture.planes()[component].get(31, 31), original.picture.planes()[component].get(0, 0));
    }
}

#[test]
fn damage_is_counted_and_passed_by() {
    let scratch = Scratch::new("damage");
    let x264 = "-c:v libx264 -preset veryfast -bf 3 -g 10";
    let mkv = scratch.make("whole.mkv", &format!("{} {x264}", source("64x48", 1.0)));
    let mp4 = scratch.make("whole.mp4", &format!("{} {x264} -movflags +faststart", source("64x48", 1.0)));
    let mut torn = fs::read(&mkv).unwrap();
    let middle = torn.len() / 2;
    torn[middle..middle + 64].fill(0x15);
    fs::write(scratch.path("torn.mkv"), torn).unwrap();
    for path in
        [scratch.truncate(&mkv, 60, "short.mkv"), scratch.truncate(&mp4, 60, "short.mp4"), scratch.path("torn.mkv")]
    {
        let ours = read(&path, frames_only()).unwrap();
        assert_eq!(ours.list(), ffmpeg_frames(&path), "{path}");
        assert!((5..=25).contains(&ours.frames.len()), "{path}: {}", ours.frames.len());
        let damage = ours.damage.unwrap();
        assert_eq!(damage.kind(), Kind::Incomplete, "{damage}");
        assert!(damage.message().starts_with(&path) && !damage.message().contains('\n'), "{damage}");

        let strict = read(&path, InputOptions { strict: true, ..frames_only() }).err().unwrap();
        assert_eq!(strict.kind(), Kind::CorruptInput, "{strict}");
    }
}

#[test]
fn a_change_in_mid_stream_is_an_error() {
    let scratch = Scratch::new("change");
    let x264 = "-c:v libx264 -preset veryfast -bf 0 -f mpegts";
    let small = scratch.make("small.ts", &format!("{} {x264}", source("64x48", 0.2)));
    let large = scratch.make("large.ts", &format!("{} {x264} -output_ts_offset 0.2", source("96x48", 0.2)));
    let both = [fs::read(small).unwrap(), fs::read(large).unwrap()].concat();
    fs::write(scratch.path("both.ts"), both).unwrap();
    let mut input = Input::open(&scratch.path("both.ts"), frames_only()).unwrap();
    for index in 0..5 {
        let Some(Item::Frame(frame)) = input.next().unwrap() else { panic!("frame {index} is there") };
        assert_eq!((frame.props.frame_index, frame.picture.width()), (index, 64));
    }
    let error = input.next().err().unwrap();
    assert_eq!(error.kind(), Kind::Unsupported);
    for part in ["frame 5", "pts ", "64x48", "96x48"] {
        assert!(error.message().contains(part), "{error}");
    }
}

#[test]
fn bad_sources_are_told_apart() {
    let scratch = Scratch::new("bad");
    fs::write(scratch.path("empty.mp4"), "").unwrap();
    fs::write(scratch.path("text.mp4"), "Once upon a time there was no film.\n".repeat(100)).unwrap();
    fs::create_dir(scratch.path("folder.mp4")).unwrap();
    let sound = scratch.make("sound.wav", "-f lavfi -i sine=d=0.1");
    let whole = scratch.make("whole.mp4", &format!("{} -c:v libx264 -preset veryfast", source("64x48", 0.4)));
    let mut hollow = fs::read(scratch.make("whole.avi", &format!("{} -c:v mpeg4", source("64x48", 0.4)))).unwrap();
    let data = hollow.windows(4).position(|bytes| bytes == b"movi").unwrap() + 4;
    let index = hollow.windows(4).rposition(|bytes| bytes == b"idx1").unwrap();
    // Chunk headers stay, every frame's bytes go.
    let mut at = data;
    while at + 8 < index {
        let size = u32::from_le_bytes(hollow[at + 4..at + 8].try_into().unwrap()) as usize;
        hollow[at + 8..at + 8 + size].fill(0);
        at += 8 + size + size % 2;
    }
    fs::write(scratch.path("hollow.avi"), hollow).unwrap();

    for (path, kind, cause) in [
        (scratch.path("missing.mp4"), Kind::Io, "No such file"),
        (scratch.path("no%03d.png"), Kind::Io, "No such file"),
        (scratch.path("folder.mp4"), Kind::Io, "directory"),
        (scratch.path("empty.mp4"), Kind::CorruptInput, "empty"),
        (scratch.path("text.mp4"), Kind::CorruptInput, "not a media file"),
        (sound, Kind::CorruptInput, "no video, only audio"),
        (scratch.truncate(&whole, 50, "half.mp4"), Kind::CorruptInput, "moov atom not found"),
        (scratch.path("hollow.avi"), Kind::CorruptInput, "no frame of its video (mpeg4) decodes"),
        ("/dev/null".to_owned(), Kind::CorruptInput, "not a media file"),
        ("nothing://here".to_owned(), Kind::Unsupported, "Protocol not found"),
        ("a\0b".to_owned(), Kind::BadArgument, "zero byte"),
    ] {
        let error = Input::open(&path, frames_only()).err().unwrap_or_else(|| panic!("{path} opened"));
        assert_eq!(error.kind(), kind, "{error}");
        assert!(error.message().contains(cause), "{error}");
        assert!(!error.message().contains('\n'), "{error}");
        assert!(kind == Kind::BadArgument || error.message().starts_with(&path), "{error}");
    }
}

#[cfg(unix)]
#[test]
fn an_unreadable_file_is_told() {
    use std::os::unix::fs::PermissionsExt;
    let scratch = Scratch::new("unreadable");
    let path = scratch.path("secret.mp4");
    fs::write(&path, "x").unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o0)).unwrap();
    if fs::File::open(&path).is_ok() {
        return; // root reads everything
    }
    assert_eq!(Input::open(&path, frames_only()).err().unwrap().kind(), Kind::Io);
}

#[test]
fn any_file_name_works() {
    let scratch = Scratch::new("names");
    let path = scratch.make("plain.mkv", &format!("{} -c:v ffv1", source("16x16", 0.08)));
    for name in ["a:b.mkv", "file:c.mkv", "#1 %d 'x' \"y\" |z|.mkv", "ünïcödé 映画.mkv", "-.mkv"] {
        fs::copy(&path, scratch.path(name)).unwrap();
        assert_eq!(read(&scratch.path(name), frames_only()).unwrap().frames.len(), 2, "{name}");
    }
}

#[test]
fn a_local_playlist_does_not_reach_the_network() {
    let scratch = Scratch::new("playlist");
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/segment.ts", listener.local_addr().unwrap());
    fs::write(
        scratch.path("list.m3u8"),
        format!("#EXTM3U\n#EXT-X-TARGETDURATION:1\n#EXTINF:1,\n{url}\n#EXT-X-ENDLIST\n"),
    )
    .unwrap();
    assert!(Input::open(&scratch.path("list.m3u8"), frames_only()).is_err());
    listener.set_nonblocking(true).unwrap();
    assert_eq!(listener.accept().err().map(|e| e.kind()), Some(std::io::ErrorKind::WouldBlock), "somebody called");
}

#[cfg(unix)]
#[test]
fn pipes_are_read_and_can_be_given_up() {
    let scratch = Scratch::new("pipes");
    let pipe = scratch.path("pipe");
    assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());

    let mut writer = Command::new("ffmpeg")
        .args(["-v", "error", "-y"])
        .args(source("64x48", 0.2).split(' '))
        .args(["-f", "yuv4mpegpipe", &pipe])
        .stdin(Stdio::null())
        .spawn()
        .unwrap();
    assert_eq!(read(&pipe, frames_only()).unwrap().frames.len(), 5);
    assert!(writer.wait().unwrap().success());

    // Nobody writes now.
    let cancel = Cancel::default();
    let options = InputOptions { cancel: cancel.clone(), ..frames_only() };
    let opening = thread::spawn(move || Input::open(&pipe, options).err().map(|e| e.kind()));
    thread::sleep(Duration::from_millis(100));
    cancel.request();
    assert_eq!(opening.join().unwrap(), Some(Kind::Cancelled));
}
