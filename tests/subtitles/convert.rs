//! Text subtitles in a codec that the container holds, read back by ffmpeg, ffprobe and mkvmerge.

use crate::command::{Folder, Ran, ffmpeg, refused, run};
use crate::sup::{self, Rectangle};
use std::fs;
use std::process::Command;

const SRT: &str =
    "1\n00:00:00,123 --> 00:00:00,987\nOne &\ntwo\n\n2\n00:00:01,001 --> 00:00:01,500\nGr\u{f6}\u{df}e\n\n";

fn film(folder: &Folder, subtitles: &str, name: &str) -> String {
    let path = folder.path(name);
    let (text, codec) = (folder.path(&format!("{name}.{subtitles}")), if subtitles == "ass" { "ass" } else { "srt" });
    let script = "[Script Info]\nScriptType: v4.00+\n\n[V4+ Styles]\nFormat: Name, Fontname, Fontsize\nStyle: Default,Sans,20\n\n\
        [Events]\nFormat: Layer, Start, End, Style, Name, MarginL, MarginR, MarginV, Effect, Text\n\
        Dialogue: 0,0:00:00.20,0:00:01.20,Default,,0,0,0,,{\\pos(10,10)}Sign\n\
        Dialogue: 0,0:00:00.40,0:00:00.80,Default,,0,0,0,,Said\\Naloud\n\
        Dialogue: 0,0:00:00.60,0:00:00.90,Default,,0,0,0,,{\\p1}m 0 0 l 80 0 80 40\n";
    fs::write(&text, if subtitles == "ass" { script } else { SRT }).unwrap();
    ffmpeg(&format!(
        "-f lavfi -i testsrc2=s=64x64:r=25:d=2 -i {text} -map 0 -map 1 -pix_fmt yuv420p -c:v ffv1 -g 5 -c:s {codec} \
         -metadata:s:s:0 language=swe {path}"
    ));
    path
}

fn convert(source: &str, target: &str, args: &[&str]) -> Ran {
    let codec = if target.ends_with("webm") { "libvpx" } else { "libx264" };
    run(&[&[source, target, "-c", codec, "-y"], args].concat()).ok()
}

/// What ffmpeg reads of the first subtitles of `file`, as SubRip without tags.
fn text(file: &str) -> String {
    let args = ["-v", "error", "-i", file, "-map", "0:s:0", "-c:s", "text", "-f", "srt", "-"];
    let out = Command::new("ffmpeg").args(args).output().unwrap();
    assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr));
    String::from_utf8(out.stdout).unwrap().replace('\r', "")
}

fn codecs(file: &str) -> Vec<String> {
    let show = ["-v", "error", "-select_streams", "s", "-show_entries", "stream=codec_name:stream_tags=language"];
    let out = Command::new("ffprobe").args(show).args(["-of", "csv=p=0", file]).output().unwrap();
    String::from_utf8(out.stdout).unwrap().lines().map(str::to_owned).collect()
}

#[test]
fn subrip_goes_to_mp4_and_back_with_its_times() {
    let folder = Folder::new();
    let source = film(&folder, "srt", "a.mkv");
    let (mp4, back) = (folder.path("a.mp4"), folder.path("b.mkv"));
    let said = convert(&source, &mp4, &[]).stderr;
    assert_eq!(said.matches("(subtitle subrip) is converted to mov_text").count(), 1, "{said}");
    assert_eq!(codecs(&mp4), ["mov_text,swe"]);
    assert_eq!(text(&mp4), SRT);
    let said = convert(&mp4, &back, &[]).stderr;
    assert!(said.contains("(subtitle mov_text) is converted to subrip"), "{said}");
    assert_eq!((codecs(&back), text(&back)), (vec!["subrip,swe".to_owned()], SRT.to_owned()));
    let listed = Command::new("mkvmerge").args(["-J", &back]).output().unwrap();
    assert!(String::from_utf8(listed.stdout).unwrap().contains("S_TEXT/UTF8"));
    // What the container holds is copied.
    assert!(!convert(&source, &back, &[]).stderr.contains("converted"));
}

#[test]
fn texts_that_follow_one_another_have_no_empty_ones_between() {
    let folder = Folder::new();
    let (source, mp4, again) = (folder.path("a.mkv"), folder.path("a.mp4"), folder.path("b.mp4"));
    let cues = "1\n00:00:00,000 --> 00:00:01,000\nOne\n\n2\n00:00:01,000 --> 00:00:02,000\nTwo\n\n";
    fs::write(folder.path("a.srt"), cues).unwrap();
    let srt = folder.path("a.srt");
    ffmpeg(&format!("-f lavfi -i testsrc2=s=64x64:r=25:d=2 -i {srt} -map 0 -map 1 -c:v ffv1 -c:s srt {source}"));
    convert(&source, &mp4, &[]);
    convert(&mp4, &again, &[]);
    for file in [&mp4, &again] {
        let show = ["-v", "error", "-select_streams", "s", "-show_entries", "packet=duration_time,size"];
        let out = Command::new("ffprobe").args(show).args(["-of", "csv=p=0", file]).output().unwrap();
        assert_eq!(String::from_utf8(out.stdout).unwrap(), "1.000000,5\n1.000000,5\n", "{file}");
    }
}

#[test]
fn webm_gets_webvtt() {
    let folder = Folder::new();
    let (source, webm) = (film(&folder, "srt", "a.mkv"), folder.path("a.webm"));
    convert(&source, &webm, &[]);
    assert_eq!(codecs(&webm), ["webvtt,swe"]);
    assert_eq!(text(&webm), SRT);
}

#[test]
fn a_script_loses_what_the_warning_says_and_no_line_where_two_overlap() {
    let folder = Folder::new();
    let source = film(&folder, "ass", "a.mkv");
    let mp4 = folder.path("a.mp4");
    let said = convert(&source, &mp4, &[]).stderr;
    assert_eq!(said.matches("warning: stream 1 (subtitle ass) is converted to mov_text: places").count(), 1, "{said}");
    let line = |number, times: &str, text: &str| format!("{number}\n{times}\n{text}\n\n");
    let expected = [
        line(1, "00:00:00,200 --> 00:00:00,400", "Sign"),
        line(2, "00:00:00,400 --> 00:00:00,800", "Said\naloud\nSign"),
        line(3, "00:00:00,800 --> 00:00:01,200", "Sign"),
    ];
    assert_eq!(text(&mp4), expected.concat());
    // Where lines may overlap, each stays one. The drawing is no text.
    let (webm, expected) = (folder.path("a.webm"), ["Sign\n", "Said\naloud\n"]);
    convert(&source, &webm, &[]);
    let text = text(&webm);
    assert!(text.matches(" --> ").count() == 2 && expected.iter().all(|line| text.contains(line)), "{text}");
}

#[test]
fn a_part_has_its_part_of_the_text() {
    let folder = Folder::new();
    let (source, mp4) = (film(&folder, "srt", "a.mkv"), folder.path("a.mp4"));
    // From 0.4 s to 1.2 s: the first line is cut at its start.
    convert(&source, &mp4, &["--start", "#10", "--end", "#30"]);
    let expected = "1\n00:00:00,000 --> 00:00:00,587\nOne &\ntwo\n\n2\n00:00:00,601 --> ";
    assert!(text(&mp4).starts_with(expected), "{}", text(&mp4));
}

#[test]
fn what_becomes_of_subtitles_can_be_chosen() {
    let folder = Folder::new();
    let source = film(&folder, "srt", "a.mkv");
    let (mkv, mp4) = (folder.path("out.mkv"), folder.path("out.mp4"));
    convert(&source, &mkv, &["--subtitles", "ass"]);
    assert_eq!((codecs(&mkv), text(&mkv).lines().count()), (vec!["ass,swe".to_owned()], SRT.lines().count()));
    convert(&source, &mkv, &["--subtitles", "none"]);
    assert_eq!(codecs(&mkv), Vec::<String>::new());
    let said = convert(&source, &mp4, &["--subtitles", "copy"]).stderr;
    assert!(said.contains("left out: stream 1 (subtitle subrip): mp4 does not hold this codec"), "{said}");
    // A number wins over a language, and that over all.
    let rules = ["--subtitles", "none", "--subtitles", "swe=ass", "--subtitles", "1=srt"];
    convert(&source, &mkv, &rules);
    assert_eq!(codecs(&mkv), ["subrip,swe"]);
    convert(&source, &mkv, &rules[..4]);
    assert_eq!(codecs(&mkv), ["ass,swe"]);
    refused(&run(&[&source, &mkv, "-y", "--subtitles", "2=srt"]), 2, &["number 2", "1 (swe)"]);
    refused(&run(&[&source, &mkv, "-y", "--subtitles", "png"]), 2, &["'png' is none of auto"]);
    let webm = folder.path("out.webm");
    refused(&run(&[&source, &webm, "-c", "libvpx", "--subtitles", "srt"]), 2, &["webm does not hold", "--subtitles"]);
    assert!(!folder.names().contains(&"out.webm".to_owned()));
}

#[test]
fn pictures_that_mp4_does_not_hold_are_left_out_with_a_hint() {
    let folder = Folder::new();
    let (pgs, film, mp4) = (folder.path("a.sup"), folder.path("a.mkv"), folder.path("a.mp4"));
    let color = [235, 128, 128, 255];
    let shown = Rectangle { start: 100, end: 500, x: 0, y: 0, width: 64, height: 32, color, forced: false };
    sup::write(&pgs, (64, 64), &[shown]);
    ffmpeg(&format!("-f lavfi -i testsrc2=s=64x64:r=25:d=1 -i {pgs} -map 0 -map 1 -c:v ffv1 -c:s copy {film}"));
    let said = convert(&film, &mp4, &[]).stderr;
    let hint = "(subtitle hdmv_pgs_subtitle): mp4 does not hold this codec: --burn-subtitles draws it into the picture";
    assert!(said.contains(hint), "{said}");
}
