//! Sources that are damaged, are no videos, or do not arrive.

use crate::media::*;
use std::fs;
use std::net::TcpListener;
use std::process::{Command, Stdio};
use std::thread;
use std::time::Duration;
use vramp::error::{Error, Kind, Result};
use vramp::io::libav::{FrameList, Input, InputOptions, Position, Window};
use vramp::pipeline::{Cancel, Item, Source};

#[test]
fn damage_is_counted_and_passed_by() {
    let scratch = Scratch::new("damage");
    let faststart = format!("{X264} -movflags +faststart");
    let files = scratch.make_all(&moving(1.0), &[("whole.mkv", X264), ("whole.mp4", &faststart)]);
    let (mkv, mp4) = (&files[0].1, &files[1].1);
    let avi = scratch.make("whole.avi", &moving(1.0), "-c:v huffyuv");
    let mut torn = fs::read(mp4).unwrap();
    let middle = torn.len() / 2;
    torn[middle..middle + 64].fill(0x15);
    fs::write(scratch.path("torn.mp4"), torn).unwrap();

    for (path, said) in [
        (scratch.truncate(mkv, 60, "short.mkv"), "breaks off"),
        (scratch.truncate(mp4, 60, "short.mp4"), "partial file"),
        (scratch.truncate(&avi, 60, "short.avi"), "a packet is incomplete"),
        (scratch.path("torn.mp4"), "(first "),
    ] {
        let (ours, damage) = our_frames(&path, frames_only(), 4).unwrap();
        // What libav puts where data is missing can differ from run to run; which frames there are does not.
        let times = |list: &[String]| list.iter().map(|l| l.split(' ').next().unwrap().to_owned()).collect::<Vec<_>>();
        assert_eq!(times(&ours), times(&ffmpeg_frames(&path)), "{path}");
        assert!((5..=25).contains(&ours.len()), "{path}: {}", ours.len());
        let damage = damage.unwrap_or_else(|| panic!("{path}: no damage seen"));
        assert_eq!(damage.kind(), Kind::Incomplete, "{damage}");
        let message = damage.message();
        assert!(message.starts_with(&path) && message.contains(said) && !message.contains('\n'), "{damage}");

        let strict = our_frames(&path, InputOptions { strict: true, ..frames_only() }, 4).unwrap_err();
        assert_eq!(strict.kind(), Kind::CorruptInput, "{strict}");
    }
}

#[test]
fn joined_transport_streams_are_whole() {
    let scratch = Scratch::new("joined");
    let later = format!("{X264} -output_ts_offset 0.4");
    let files = scratch.make_all(&moving(0.4), &[("a.ts", X264), ("b.ts", &later)]);
    let both: Vec<u8> = files.iter().flat_map(|(_, path)| fs::read(path).unwrap()).collect();
    fs::write(scratch.path("both.ts"), both).unwrap();
    assert_same_frames(&scratch.path("both.ts"), 20);
    // Nor is a recording that begins inside a packet damaged.
    let first = fs::read(scratch.path("a.ts")).unwrap();
    fs::write(scratch.path("late.ts"), &first[100..]).unwrap();
    assert_same_frames(&scratch.path("late.ts"), 10);
}

#[test]
fn a_recording_that_begins_inside_a_group_has_no_wrong_frame_that_is_not_reported() {
    let scratch = Scratch::new("inside");
    let x264 = "-c:v libx264 -preset veryfast -g 25 -bf 2";
    let headers = format!("{x264} -flags +global_header -bsf:v dump_extra=freq=all");
    let x265 = "-c:v libx265 -x265-params log-level=none:keyint=25:min-keyint=25:bframes=2:open-gop=0";
    let encoders = [("bare.ts", x264), ("headers.ts", &headers), ("hevc.ts", x265)];
    for (name, path) in scratch.make_all(&moving(2.0), &encoders) {
        let (whole, _) = our_frames(&path, frames_only(), 4).unwrap();
        let bytes = fs::read(&path).unwrap();
        let cut = scratch.path(&format!("cut-{name}"));
        fs::write(&cut, &bytes[bytes.len() / 188 / 4 * 188..]).unwrap();
        let (frames, damage) = our_frames(&cut, frames_only(), 4).unwrap();
        if name == "hevc.ts" {
            // Its decoder gives the pictures up to the next group, with grey ones in the place of those that are lost.
            assert!(frames.len() > 25 && frames[..frames.len() - 25].iter().all(|frame| !whole.contains(frame)));
            let damage = damage.unwrap_or_else(|| panic!("{name}: no damage seen"));
            assert!(damage.message().contains("lost frame"), "{damage}");
        } else {
            // H.264's gives none before it knows that they are whole, which is no damage.
            assert_eq!((&frames[..], damage), (&whole[25..], None), "{name}");
        }
        assert_eq!(frames[frames.len() - 25..], whole[25..], "{name}");
    }
}

/// Whether we count `path` as damaged, and fail on it when asked to.
fn is_damaged(path: &str) -> bool {
    let (_, damage) = our_frames(path, frames_only(), 4).unwrap();
    let strict = our_frames(path, InputOptions { strict: true, ..frames_only() }, 4);
    assert_eq!(
        damage.as_ref().map(|e| e.kind()),
        strict.as_ref().err().map(|_| Kind::Incomplete),
        "{path}: {damage:?}"
    );
    assert!(strict.is_ok_and(|(_, damage)| damage.is_none()) || damage.is_some());
    damage.is_some()
}

/// Whole files of many kinds: none may be called damaged.
const WHOLE: &[(&str, &str)] = &[
    ("a.mkv", "-c:v libx264 -c:a aac"),
    ("b.mkv", "-c:v ffv1 -c:a flac -attach @font.ttf -metadata:s:t mimetype=font/ttf"),
    ("live.mkv", "-c:v libx264 -c:a aac -live 1"),
    ("a.webm", "-c:v libvpx -c:a libopus"),
    ("a.mp4", "-c:v libx264 -c:a aac"),
    ("first.mp4", "-c:v libx265 -x265-params log-level=none -movflags +faststart"),
    ("a.mov", "-c:v mjpeg -c:a pcm_s16le"),
    ("pieces.mp4", "-c:v libx264 -g 5 -c:a aac -movflags +frag_keyframe+empty_moov+default_base_moof"),
    ("indexed.mp4", "-c:v libx264 -g 5 -c:a aac -movflags +dash+frag_keyframe"),
    ("a.gif", ""),
    ("a.ogv", "-c:v libtheora -c:a libvorbis"),
    ("b.ogv", "-c:v libtheora -c:a flac"),
    ("a.avi", "-c:v mpeg4 -c:a mp3"),
    ("b.avi", "-c:v huffyuv -c:a pcm_s16le"),
    ("a.flv", "-c:v flv -c:a mp3"),
    ("b.flv", "-c:v libx264 -c:a aac"),
    ("a.ivf", "-c:v libvpx"),
    ("b.ivf", "-c:v libsvtav1 -preset 12"),
    ("a.obu", "-c:v libsvtav1 -preset 12"),
    ("a.mxf", "-c:v mpeg2video -c:a pcm_s16le -ar 48000"),
    ("a.hevc", "-c:v libx265 -x265-params log-level=none"),
    ("a.h264", "-c:v libx264"),
    ("a.mjpeg", "-c:v mjpeg"),
    ("a.ts", "-c:v libx264 -c:a aac"),
    ("a.mpg", "-c:v mpeg2video -c:a mp2"),
    ("a.nut", "-c:v ffv1 -c:a flac"),
    ("a.wmv", "-c:v wmv2 -c:a wmav2"),
];

/// Containers whose demuxers take no offence at what lies behind their end.
const PADDED: [&str; 8] = ["mkv", "webm", "mp4", "mov", "ogv", "avi", "ivf", "mxf"];

#[test]
fn an_end_that_comes_too_early_is_seen() {
    let scratch = Scratch::new("early");
    // More than a demuxer reads to find out what there is.
    fs::write(scratch.path("font.ttf"), b"not really a font".repeat(3000)).unwrap();
    let film = "-f lavfi -i testsrc2=s=96x72:r=25:d=0.8 -f lavfi -i sine=d=0.8";
    // None of these states how long it is, nor where its last piece ends.
    let open_ended = ["live.mkv", "a.hevc", "a.h264", "a.ts", "a.mpg"];
    let mut wrong = Vec::new();
    for (name, path) in scratch.make_all(film, WHOLE) {
        let whole = fs::read(&path).unwrap();
        // Behind the end of what states its length there may be anything.
        let padding: &[u8] =
            if name.starts_with("live") || !PADDED.iter().any(|end| name.ends_with(end)) { b"" } else { &[0; 700] };
        for (kind, tail) in [("whole", &b""[..]), ("padded", padding)] {
            fs::write(&path, [&whole[..], tail].concat()).unwrap();
            match our_frames(&path, frames_only(), 4) {
                Ok((frames, None)) if frames.len() == 20 => {}
                Ok((frames, damage)) => wrong.push(format!("{kind} {name}: {} frames, {damage:?}", frames.len())),
                Err(error) => wrong.push(format!("{kind} {name}: {error}")),
            }
        }
        for percent in [5, 20, 40, 60, 80, 95].into_iter().filter(|_| !open_ended.contains(&name)) {
            let cut = scratch.path(&format!("cut-{name}"));
            fs::write(&cut, &whole[..whole.len() * percent / 100]).unwrap();
            match our_frames(&cut, frames_only(), 4) {
                Ok((_, Some(damage))) if damage.kind() == Kind::Incomplete => {}
                Err(error) if error.kind() == Kind::CorruptInput => {}
                got => wrong
                    .push(format!("{percent} % of {name}: {:?}", got.map(|(frames, damage)| (frames.len(), damage)))),
            }
            let strict = our_frames(&cut, InputOptions { strict: true, ..frames_only() }, 4);
            if !strict.as_ref().is_err_and(|error| error.kind() == Kind::CorruptInput) {
                wrong.push(format!("{percent} % of {name}, strictly: {:?}", strict.map(|(frames, _)| frames.len())));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn a_last_picture_that_breaks_off_is_seen_where_nothing_states_its_length() {
    let scratch = Scratch::new("last");
    let film = "-f lavfi -i testsrc2=s=192x144:r=25:d=0.8,noise=alls=10:allf=t -pix_fmt yuv420p";
    let x265 = "-c:v libx265 -preset ultrafast -x265-params log-level=none";
    let kinds = [
        ("a.hevc", x265.to_owned()),
        ("slices.hevc", format!("{x265}:slices=3")),
        ("a.h264", "-c:v libx264 -preset veryfast".to_owned()),
        ("a.vc2", "-c:v vc2 -f dirac".to_owned()),
        ("slices.h264", "-c:v libx264 -preset veryfast -slices 3 -bf 0 -coder 0".to_owned()),
    ];
    let kinds: Vec<_> = kinds.iter().map(|(name, options)| (*name, options.as_str())).collect();
    let mut wrong = Vec::new();
    for (name, path) in scratch.make_all(film, &kinds) {
        let (whole, damage) = our_frames(&path, frames_only(), 2).unwrap();
        assert_eq!((whole.len(), damage), (20, None), "{name}");
        let bytes = fs::read(&path).unwrap();
        let cut = scratch.path(&format!("cut-{name}"));
        for less in [1, 2, 3, 5, 9, 30, 90] {
            fs::write(&cut, &bytes[..bytes.len() - less]).unwrap();
            // The last byte may hold nothing but the end of the picture.
            match our_frames(&cut, frames_only(), 2).unwrap() {
                (frames, None) if frames != whole => wrong.push(format!("{name} without {less} bytes")),
                _ => {}
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Whether ffmpeg finds fault with `path` when it looks closely.
fn ffmpeg_complains(path: &str) -> bool {
    let words = ["-v", "error", "-nostdin", "-err_detect", "crccheck", "-i", path, "-f", "null", "-"];
    !Command::new("ffmpeg").args(words).output().unwrap().stderr.is_empty()
}

#[test]
fn damage_that_ffmpeg_finds_is_found() {
    let scratch = Scratch::new("sweep");
    let picture = "-f lavfi -i testsrc2=s=160x120:r=25:d=1";
    let ffv1 = "-pix_fmt yuv420p -c:v ffv1 -level 3 -slicecrc 1 -g 1";
    let kinds = [("whole.ts", "-c:v mpeg2video -g 50"), ("whole.mkv", ffv1), ("whole.avi", "-c:v mjpeg -q:v 2")];
    for (name, whole) in scratch.make_all(picture, &kinds) {
        assert!(!is_damaged(&whole), "{name}");
        let bytes = fs::read(&whole).unwrap();
        let torn = scratch.path(&name.replace("whole", "torn"));
        let mut found = 0;
        for part in 2..8 {
            let (mut bytes, at) = (bytes.clone(), bytes.len() * part / 9);
            bytes[at..at + 4].iter_mut().for_each(|byte| *byte ^= 0x5a);
            fs::write(&torn, bytes).unwrap();
            let complained = ffmpeg_complains(&torn);
            assert!(is_damaged(&torn) || !complained, "{name}, at byte {at}");
            found += u32::from(complained);
        }
        assert!(found > 3, "{name}: ffmpeg finds fault {found} times");
    }
}

#[test]
fn a_frame_that_av1_passes_over_is_missed() {
    let scratch = Scratch::new("padding");
    let picture = "-f lavfi -i testsrc2=s=96x72:r=25:d=0.8";
    let path = scratch.make("whole.mp4", picture, "-c:v libsvtav1 -preset 12");
    assert!(!is_damaged(&path));
    let places = output_of("ffprobe", &["-v", "quiet", "-show_entries", "packet=pos", "-of", "csv=p=0", &path]);
    let last: usize = places.split_whitespace().last().unwrap().trim_end_matches(',').parse().unwrap();
    let mut bytes = fs::read(&path).unwrap();
    // A bit flip or two make a frame into padding, which decoders pass over.
    let (frame, padding) = (0x32, 0x7a);
    assert_eq!(bytes[last], frame);
    bytes[last] = padding;
    fs::write(&path, bytes).unwrap();
    let (frames, damage) = our_frames(&path, frames_only(), 4).unwrap();
    assert_eq!(frames.len(), 19);
    assert!(damage.unwrap().message().contains("1 frame is missing"));
    assert!(is_damaged(&path));
}

/// Takes the last slice out of a packet of HEVC from MP4: decoders pass units of kind 48 by, and give the picture without a word.
fn drop_last_slice(packet: &mut [u8]) {
    let (mut at, mut last) = (0, 0);
    while at < packet.len() {
        last = at + 4;
        at = last + u32::from_be_bytes(packet[at..last].try_into().unwrap()) as usize;
    }
    packet[last] = 48 << 1;
}

/// HEVC of 100 frames, key frames 24 apart, each of three slices.
fn sliced(scratch: &Scratch) -> String {
    let x265 = "-c:v libx265 -preset ultrafast \
                -x265-params log-level=none:slices=3:keyint=24:min-keyint=24:scenecut=0:bframes=3:open-gop=0";
    scratch.make("whole.mp4", "-f lavfi -i testsrc2=s=192x144:r=25:d=4", x265)
}

fn list(path: &str, threads: usize) -> Result<FrameList> {
    Input::open(path, InputOptions { follow: true, threads, ..frames_only() })?.list_frames()
}

/// The frames of a window of `path` that is opened so, how many the decoder gave for it, and what was lost.
fn window(path: &str, start: u64, frames: Option<u64>, more: InputOptions) -> (usize, u64, Option<Error>) {
    let window = Window { start: (start > 0).then_some(Position::Frame(start)), end: None, frames };
    let mut input = Input::open(path, InputOptions { window, ..more }).unwrap();
    let mut count = 0;
    while input.next().unwrap().is_some() {
        count += 1;
    }
    (count, input.frames_decoded(), input.damage())
}

#[test]
fn a_picture_without_its_end_is_missed_wherever_reading_begins_and_ends() {
    let scratch = Scratch::new("slices");
    let whole = sliced(&scratch);
    let torn = scratch.torn(&whole, 70, "torn.mp4", drop_last_slice);
    for threads in [1, 2, 8] {
        let options = InputOptions { threads, ..frames_only() };
        let place =
            list(&whole, threads).unwrap().entries.iter().map(|entry| entry.place.clone()).find(|p| p.frame == 48);
        let part = InputOptions { place, planned: true, ..options.clone() };
        for (start, frames, options) in [
            (0, None, &options),
            (0, Some(75), &options),
            (50, None, &options),
            (60, Some(15), &options),
            (60, Some(15), &part),
            (48, Some(52), &part),
        ] {
            let what = format!("{threads} threads, {frames:?} frames from {start}");
            let expected = frames.unwrap_or(100 - start) as usize;
            let (count, _, damage) = window(&whole, start, frames, options.clone());
            assert_eq!((count, damage), (expected, None), "{what}");
            let (count, _, damage) = window(&torn, start, frames, options.clone());
            assert_eq!(count, expected, "{what}");
            let damage = damage.unwrap_or_else(|| panic!("{what}: no damage seen"));
            assert!(damage.message().contains(": 1 frame decoded with faults (first near frame "), "{what}: {damage}");
            // Those of the window, and not of the film up to its end.
            assert!(damage.message().ends_with(&format!("; {count} frames came out")), "{what}: {damage}");
        }
        for (start, frames) in [(0, Some(30)), (80, None)] {
            assert_eq!(
                window(&torn, start, frames, options.clone()).2,
                None,
                "{threads} threads, {frames:?} from {start}"
            );
        }
    }
}

#[test]
fn a_list_of_frames_says_what_it_lost_at_its_beginning() {
    let scratch = Scratch::new("listed");
    let torn = scratch.torn(&sliced(&scratch), 0, "torn.mp4", drop_last_slice);
    for threads in [1, 2, 8] {
        let refused = list(&torn, threads).unwrap_err();
        assert!(refused.message().contains("it is damaged: 1 frame decoded with faults"), "{threads}: {refused}");
    }
}

#[test]
fn a_part_says_nothing_of_what_the_film_lost_before_it() {
    let scratch = Scratch::new("before");
    let whole = sliced(&scratch);
    let torn = scratch.torn(&whole, 0, "torn.mp4", drop_last_slice);
    let place =
        list(&whole, 1).unwrap().entries.iter().map(|entry| entry.place.clone()).find(|place| place.frame == 48);
    for threads in [1, 8] {
        let part = InputOptions { threads, place: place.clone(), planned: true, ..frames_only() };
        let (count, decoded, damage) = window(&torn, 48, Some(24), part);
        assert_eq!((count, damage), (24, None), "{threads} threads");
        // The film's first, and those of the part.
        assert!((25..=30).contains(&decoded), "{threads} threads: {decoded} frames were decoded");
    }
}

#[test]
fn what_lies_behind_a_hole_is_read() {
    let scratch = Scratch::new("hole");
    let x264 = "-s 320x180 -c:v libx264 -g 10 -b:v 4M -minrate 4M -maxrate 4M -bufsize 1M -nal-hrd cbr";
    let (_, path) = scratch.make_all(&moving(4.0), &[("whole.ts", x264)]).remove(0);
    let mut bytes = fs::read(&path).unwrap();
    // More than the demuxer looks through before it asks to be called again.
    let middle = bytes.len() / 188 / 3 * 188;
    bytes[middle..middle + 1000 * 188].fill(0);
    let holed = scratch.path("holed.ts");
    fs::write(&holed, bytes).unwrap();
    let mut input = Input::open(&holed, frames_only()).unwrap();
    let mut frames = 0;
    while input.next().unwrap().is_some() {
        frames += 1;
    }
    assert!((60..100).contains(&frames), "{frames} of 100 frames");
    assert!(input.damage().is_some());
}

#[test]
fn a_change_in_mid_stream_is_an_error() {
    let scratch = Scratch::new("change");
    let x264 = "-c:v libx264 -preset veryfast -bf 0";
    let larger = format!("-s 96x48 {x264} -output_ts_offset 0.2");
    let files = scratch.make_all(&moving(0.2), &[("small.ts", x264), ("large.ts", &larger)]);
    let both: Vec<u8> = files.iter().flat_map(|(_, path)| fs::read(path).unwrap()).collect();
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
fn bad_sources_are_distinguished() {
    let scratch = Scratch::new("bad");
    fs::write(scratch.path("empty.mp4"), "").unwrap();
    fs::write(scratch.path("text.mp4"), "Once upon a time there was no film.\n".repeat(100)).unwrap();
    fs::create_dir(scratch.path("folder.mp4")).unwrap();
    let sound = scratch.make("sound.wav", "-f lavfi -i sine=d=0.1", "");
    let files = scratch.make_all(&moving(0.4), &[("whole.mp4", X264), ("whole.avi", "-c:v mpeg4")]);
    let (whole, mut hollow) = (&files[0].1, fs::read(&files[1].1).unwrap());
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
        (scratch.truncate(whole, 50, "half.mp4"), Kind::CorruptInput, "moov atom not found"),
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
fn an_unreadable_file_is_reported() {
    use std::os::unix::fs::PermissionsExt;
    let scratch = Scratch::new("unreadable");
    let path = scratch.path("secret.mp4");
    fs::write(&path, "x").unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o000)).unwrap();
    if fs::File::open(&path).is_ok() {
        return; // root reads everything
    }
    assert_eq!(Input::open(&path, frames_only()).err().unwrap().kind(), Kind::Io);
}

#[test]
fn any_file_name_works() {
    let scratch = Scratch::new("names");
    let path = scratch.make("plain.mkv", &moving(0.08), "-c:v ffv1");
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
        .args(moving(0.2).split(' '))
        .args(["-f", "yuv4mpegpipe", &pipe])
        .stdin(Stdio::null())
        .spawn()
        .unwrap();
    assert_eq!(read(&pipe, frames_only()).unwrap().frames.len(), 5);
    assert!(writer.wait().unwrap().success());

    // Nobody writes now.
    let waiting = pipe.clone();
    let cancel = Cancel::default();
    let options = InputOptions { cancel: cancel.clone(), ..frames_only() };
    let opening = thread::spawn(move || Input::open(&waiting, options).err().map(|e| e.kind()));
    thread::sleep(Duration::from_millis(100));
    cancel.request();
    assert_eq!(opening.join().unwrap(), Some(Kind::Cancelled));

    // Somebody writes some frames, and then no more.
    let whole = fs::read(scratch.make("whole.y4m", &moving(0.2), "")).unwrap();
    let mut writer = fs::OpenOptions::new().read(true).write(true).open(&pipe).unwrap();
    let cancel = Cancel::default();
    let options = InputOptions { cancel: cancel.clone(), ..frames_only() };
    let reading = thread::spawn(move || read(&pipe, options).err().map(|e| e.kind()));
    std::io::Write::write_all(&mut writer, &whole).unwrap();
    thread::sleep(Duration::from_millis(100));
    cancel.request();
    assert_eq!(reading.join().unwrap(), Some(Kind::Cancelled));
}
