//! `--burn-subtitles` with text.

use crate::command::{Folder, ffmpeg, hashes, refused, run};
use crate::video::Video;
use std::fs;

const SRT: &str = "1\n00:00:00,480 --> 00:00:01,200\nHello <i>world</i>\nsecond line\n\n\
                   2\n00:00:01,500 --> 00:00:01,900\nGr\u{f6}\u{df}e\n";

/// One script line, on a grid of 320×180: text at the top left in a colour, from 0.4 s to 1.2 s.
fn ass(font: &str, matrix: &str, text: &str) -> String {
    format!(
        "[Script Info]\nScriptType: v4.00+\nPlayResX: 320\nPlayResY: 180\nScaledBorderAndShadow: yes\n{matrix}\n\
         [V4+ Styles]\nFormat: Name, Fontname, Fontsize, PrimaryColour, SecondaryColour, OutlineColour, BackColour, Bold, \
         Italic, Underline, StrikeOut, ScaleX, ScaleY, Spacing, Angle, BorderStyle, Outline, Shadow, Alignment, MarginL, \
         MarginR, MarginV, Encoding\n\
         Style: Default,{font},40,&H00FFFFFF,&H000000FF,&H00000000,&H00000000,0,0,0,0,100,100,0,0,1,0,0,7,10,10,10,1\n\n\
         [Events]\nFormat: Layer, Start, End, Style, Name, MarginL, MarginR, MarginV, Effect, Text\n\
         Dialogue: 0,0:00:00.40,0:00:01.20,Default,,0,0,0,,{text}\n"
    )
}

/// A rectangle that libass fills: from (40, 20) to (120, 60).
const BOX: &str = "{\\pos(40,20)\\p1}m 0 0 l 80 0 80 40 0 40";

/// Two seconds of 25 pictures: of a test pattern, or flat.
fn film(folder: &Folder, source: &str, format: &str) -> String {
    let path = folder.path(&format!("{source}-{format}.mkv"));
    let source = if source == "flat" { "color=gray" } else { source };
    let size = if source.contains('=') { ":s=320x180:r=25:d=2" } else { "=s=320x180:r=25:d=2" };
    let tags = "-color_range tv -colorspace bt709 -color_primaries bt709 -color_trc bt709";
    ffmpeg(&format!("-f lavfi -i {source}{size} -pix_fmt {format} {tags} -c:v ffv1 -g 5 {path}"));
    path
}

fn write(folder: &Folder, name: &str, text: &str) -> String {
    let path = folder.path(name);
    fs::write(&path, text).unwrap();
    path
}

fn burn(input: &str, output: &str, args: &[&str]) {
    run(&[&[input, output, "-c", "ffv1", "-y"], args].concat()).ok();
}

fn option(file: &str) -> String {
    format!("--burn-subtitles={file}")
}

#[test]
fn text_covers_what_ffmpegs_filter_covers() {
    let folder = Folder::new();
    let (film, srt) = (film(&folder, "testsrc2", "yuv420p"), write(&folder, "a.srt", SRT));
    let (ours, theirs) = (folder.path("ours.mkv"), folder.path("theirs.mkv"));
    burn(&film, &ours, &[&option(&srt)]);
    // The same script, as libav makes it of SubRip.
    let script = folder.path("a.ass");
    ffmpeg(&format!("-i {srt} {script}"));
    ffmpeg(&format!("-i {film} -vf ass=filename={script} -c:v ffv1 {theirs}"));
    let [plain, ours, theirs] = [&film, &ours, &theirs].map(|file| Video::luma(file, (320, 180)));
    // White, black and grey have no chroma, so both matrices agree. ffmpeg rounds to 8 bits after each of three layers
    // and takes alpha as 8 bits: half a step each, and one for its approximate division.
    assert!(ours.furthest(&theirs) <= 3, "{}", ours.furthest(&theirs));
    for frame in 0..50 {
        let shown = (12..30).contains(&frame) || (38..48).contains(&frame);
        assert_eq!(ours.changed(frame, &plain).is_some(), shown, "frame {frame}");
        assert_eq!(ours.changed(frame, &plain), theirs.changed(frame, &plain), "frame {frame}");
    }
}

#[test]
fn frames_without_a_line_keep_their_bytes_and_a_part_is_a_slice_of_the_whole() {
    let folder = Folder::new();
    let (film, srt) = (film(&folder, "testsrc2", "yuv420p"), write(&folder, "a.srt", SRT));
    let option = option(&srt);
    let (plain, whole) = (hashes(&film, &[]), hashes(&film, &[&option]));
    let same: Vec<_> = (0..50).filter(|frame| plain[*frame] == whole[*frame]).collect();
    assert_eq!(same, (0..12).chain(30..38).chain(48..50).collect::<Vec<_>>());
    // The second begins while a line is shown.
    for start in [5, 20, 40] {
        let part = hashes(&film, &[&option, "--start", &format!("#{start}")]);
        assert_eq!(part, whole[start..], "from frame {start}");
    }
    for threads in ["1", "2", "5"] {
        assert_eq!(hashes(&film, &[&option, "--threads", threads, "--slots", "1"]), whole, "{threads} threads");
    }
    let empty = write(&folder, "later.srt", "1\n01:00:00,000 --> 01:00:01,000\nlater\n");
    assert_eq!(hashes(&film, &[&super::burn::option(&empty)]), plain);
}

#[test]
fn the_films_own_are_found_and_are_not_copied() {
    let folder = Folder::new();
    let film = film(&folder, "testsrc2", "yuv420p");
    let (first, second) = (write(&folder, "a.srt", SRT), write(&folder, "b.ass", &ass("DejaVu Sans", "", "Sign")));
    let both = folder.path("both.mkv");
    ffmpeg(&format!(
        "-i {film} -i {first} -i {second} -map 0 -map 1 -map 2 -c copy -metadata:s:s:0 language=eng \
         -metadata:s:s:1 language=ger -disposition:s:0 0 -disposition:s:1 default {both}"
    ));
    let by_file = |file: &str| hashes(&film, &[&option(file)]);
    let (first, second) = (by_file(&first), by_file(&second));
    assert_ne!(first, second);
    for (asked, expected) in [("=1", &first), ("=eng", &first), ("=2", &second), ("=GER", &second), ("", &second)] {
        assert_eq!(&hashes(&both, &[&format!("--burn-subtitles{asked}")]), expected, "{asked}");
    }
    let out = folder.path("out.mkv");
    burn(&both, &out, &["--burn-subtitles=2"]);
    let left = std::process::Command::new("ffprobe")
        .args(["-v", "error", "-select_streams", "s", "-show_entries", "stream=codec_name", "-of", "csv=p=0", &out])
        .output();
    assert_eq!(String::from_utf8(left.unwrap().stdout).unwrap().trim(), "subrip");

    refused(&run(&[&both, "-", "-f", "null", "--burn-subtitles=3"]), 2, &["1 (subrip, eng), 2 (ass, ger)"]);
    refused(&run(&[&both, "-", "-f", "null", "--burn-subtitles=fre"]), 2, &["subtitles in 'fre'"]);
    refused(&run(&[&film, "-", "-f", "null", "--burn-subtitles"]), 2, &["no subtitles: it has none"]);
    refused(&run(&[&film, "-", "-f", "null", "--burn-subtitles=none.srt"]), 7, &["none.srt"]);
}

#[test]
fn colours_are_those_of_the_outputs_matrix_range_and_depth() {
    let folder = Folder::new();
    // Opaque red, aligned to whole samples: Y, Cb and Cr by hand. BT.709 limited: Y = 16 + 219·0.2126, Cb = 128 −
    // 224·0.2126/1.8556, Cr = 240. The same by BT.601, where a script says that it was made so.
    let red = format!("{{\\c&H0000FF&}}{BOX}");
    for (matrix, format, expected) in [
        ("YCbCr Matrix: TV.709", "yuv420p", [63, 102, 240]),
        ("", "yuv444p", [63, 102, 240]),
        ("YCbCr Matrix: TV.601", "yuv420p", [81, 90, 240]),
    ] {
        let film = film(&folder, "flat", format);
        let script = write(&folder, "a.ass", &ass("DejaVu Sans", matrix, &red));
        let out = folder.path("out.mkv");
        burn(&film, &out, &[&option(&script)]);
        let luma = Video::luma(&out, (320, 180));
        let sub = if format == "yuv420p" { 2 } else { 1 };
        let chroma = ["u", "v"].map(|plane| Video::plane(&out, plane, (320 / sub, 180 / sub)));
        let shown = |x, y| [luma.at(20, x, y), chroma[0].at(20, x / sub, y / sub), chroma[1].at(20, x / sub, y / sub)];
        assert_eq!(shown(80, 40), expected, "{matrix} {format}");
        assert_eq!(shown(30, 40), [luma.at(0, 30, 40), 128, 128], "outside");
        assert_eq!(luma.changed(20, &Video::luma(&film, (320, 180))), Some((40, 20, 120, 60)));
    }
}

#[test]
fn more_bits_and_other_layouts_hold_the_same_picture() {
    let folder = Folder::new();
    let (film, srt) = (film(&folder, "testsrc2", "yuv420p"), write(&folder, "a.srt", SRT));
    let option = option(&srt);
    // p010 has yuv420p10's samples, elsewhere.
    let hash = |args: &[&str]| hashes(&film, &[&[option.as_str(), "--frames", "16"], args].concat());
    let out = |name: &str, format: &str| {
        let path = folder.path(name);
        burn(&film, &path, &[&option, "--format", format]);
        let path8 = folder.path(&format!("8-{name}"));
        ffmpeg(&format!("-i {path} -vf format=yuv420p10le -c:v ffv1 {path8}"));
        hashes(&path8, &["--frames", "16"])
    };
    assert_eq!(out("a.mkv", "yuv420p10"), out("b.mkv", "yuv420p10"));
    let raw = |format: &str| {
        let path = folder.path(&format!("{format}.raw"));
        let args = ["-c", "rawvideo", "-f", "rawvideo", "-y", "--format", format, &option, "--frames", "16"];
        run(&[&[film.as_str(), &path], &args[..]].concat()).ok();
        fs::read(&path).unwrap()
    };
    let (planar, semi) = (raw("yuv420p10"), raw("p010"));
    let samples =
        |bytes: &[u8]| bytes.chunks_exact(2).map(|two| u16::from_le_bytes([two[0], two[1]])).collect::<Vec<_>>();
    let (planar, semi) = (samples(&planar), samples(&semi));
    let luma = 320 * 180;
    assert!(planar[..luma].iter().zip(&semi).all(|(a, b)| a << 6 == *b));
    let last = planar.len() - luma / 2;
    let pairs = semi[last..].chunks_exact(2);
    assert!(pairs.enumerate().all(|(i, two)| [planar[last + i] << 6, planar[last + luma / 4 + i] << 6] == two[..]));
    assert_ne!(hash(&[])[14], hashes(&film, &["--frames", "16"])[14]);
}

#[test]
fn text_is_drawn_after_the_chain_in_the_outputs_size() {
    let folder = Folder::new();
    let film = film(&folder, "flat", "yuv420p");
    let script = write(&folder, "a.ass", &ass("DejaVu Sans", "", BOX));
    let out = folder.path("out.mkv");
    burn(&film, &out, &[&option(&script), "--chain", "crop=left=160", "--depth", "8"]);
    // The script's grid of 320 columns now has 160.
    let plain = folder.path("plain.mkv");
    burn(&film, &plain, &["--chain", "crop=left=160", "--depth", "8"]);
    let [out, plain] = [&out, &plain].map(|file| Video::luma(file, (160, 180)));
    assert_eq!(out.changed(20, &plain), Some((20, 20, 60, 60)));
}

#[test]
fn what_cannot_be_drawn_is_refused_in_one_line() {
    let folder = Folder::new();
    let (film, srt) = (film(&folder, "testsrc2", "yuv420p"), write(&folder, "a.srt", SRT));
    let null = ["-", "-f", "null"];
    let latin = folder.path("latin.srt");
    fs::write(&latin, b"1\n00:00:00,480 --> 00:00:01,200\nGr\xf6\xdfe und \xe4\xf6\xfc\n").unwrap();
    // A file of none but such text is not known for what it is.
    let ran = run(&[&[film.as_str()], &null[..], &[&option(&latin)]].concat());
    assert_ne!(ran.code, Some(0), "{}", ran.stderr);
    let piped = crate::command::run_fed(&["-", "-", "-f", "null", "--burn-subtitles"], &fs::read(&film).unwrap());
    refused(&piped, 2, &["cannot be read twice", "--burn-subtitles=FILE"]);
    let out = folder.path("a.srt");
    refused(&run(&[&film, &out, "-y", &option(&srt)]), 2, &["never replaced"]);
}

#[test]
fn a_line_that_cannot_be_read_is_left_out_and_its_time_said() {
    let folder = Folder::new();
    let film = film(&folder, "testsrc2", "yuv420p");
    let cues = |bytes: &[&[u8]]| {
        let cue = |(at, text): (usize, &&[u8])| {
            let times = format!("{}\n00:00:00,{}00 --> 00:00:00,{}99\n", at + 1, 2 * at + 1, 2 * at + 2);
            [times.as_bytes(), *text, b"\n\n"].concat()
        };
        bytes.iter().enumerate().map(cue).collect::<Vec<_>>().concat()
    };
    let (good, bad): (&[u8], &[u8]) = (b"Hello", b"Gr\xf6\xdfe");
    let path = |name: &str, bytes: &[&[u8]]| {
        let path = folder.path(name);
        fs::write(&path, cues(bytes)).unwrap();
        path
    };
    let (whole, damaged) = (path("whole.srt", &[good, good, good]), path("damaged.srt", &[good, bad, good]));
    let read = |srt: &str| run(&[&film, "-", "-f", "framemd5", &option(srt)]);
    let (expected, ran) = (read(&whole).ok(), read(&damaged).ok());
    let said = "1 of 3 subtitles cannot be read, the first at 0.300 s: is the text UTF-8?";
    assert_eq!(ran.stderr.matches(said).count(), 1, "{}", ran.stderr);
    let frames = |text: &str| text.lines().map(str::to_owned).filter(|line| !line.starts_with('#')).collect::<Vec<_>>();
    let (expected, got) = (frames(expected.text()), frames(ran.text()));
    let differ: Vec<_> = (0..expected.len()).filter(|at| expected[*at] != got[*at]).collect();
    // From 0.3 s to 0.499 s: frames 8 to 12.
    assert_eq!(differ, [8, 9, 10, 11, 12]);
    refused(&run(&[&film, "-f", "null", "--strict", &option(&damaged)]), 4, &[said]);
    refused(&read(&path("none.srt", &[bad, bad])), 4, &["2 of 2 subtitles cannot be read"]);
}
