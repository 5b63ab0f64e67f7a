//! Presets of options: what they hold, who wins, and what is wrong with one.

use crate::command::{Folder, Ran, refused};
use crate::{clip, inside, tree};
use std::fs;
use std::process::Command;

fn run(folder: &Folder, line: &str) -> Ran {
    inside(folder).args(line.split(' ')).output().unwrap().into()
}

/// Writes a preset of the user's.
fn preset(folder: &Folder, name: &str, text: &str) {
    let presets = folder.path("config/vramp/presets");
    fs::create_dir_all(&presets).unwrap();
    fs::write(format!("{presets}/{name}.toml"), text).unwrap();
}

const MINE: &str = "description = 'mine'
codec = 'libx264'
preset = 'ultrafast'
crf = 30
frames = 4
chain = ['box=1', 'gauss=sigma=1']
no-audio = true
[option]
bf = 0
g = 7
";

#[test]
fn a_preset_holds_options_and_the_command_line_wins() {
    let folder = Folder::new();
    clip(&folder, "a.mkv");
    preset(&folder, "mine", MINE);
    let said = |line: &str| run(&folder, &format!("a.mkv -y -v -o o.mkv --device cpu {line}")).ok().stderr;
    let mine = said("--preset mine");
    assert!(
        mine.contains("o.mkv: 4 frames, ") && mine.contains("; libx264, preset ultrafast, crf 30, yuv420p"),
        "{mine}"
    );
    assert!(mine.contains("stage 1, box:") && mine.contains("stage 2, gauss:"), "{mine}");
    let by_path = said("--preset config/vramp/presets/mine.toml");
    assert!(by_path.contains("preset ultrafast, crf 30"), "{by_path}");

    let own = said("--preset mine --preset veryfast --frames 3 --chain median --crf 31");
    assert!(own.contains("o.mkv: 3 frames, ") && own.contains("; libx264, preset veryfast, crf 31, yuv420p"), "{own}");
    assert!(own.contains("stage 1, median:") && !own.contains("stage 2"), "{own}");
    let rate = said("--preset mine --bitrate 1M");
    assert!(rate.contains("preset ultrafast, 1M bit/s") && !rate.contains("crf"), "the quality gives way: {rate}");

    fs::write(folder.path("other.toml"), "crf = 33\nno-audio = false").unwrap();
    let both = said("--preset mine --preset other.toml");
    assert!(both.contains("preset ultrafast, crf 33"), "the later one wins: {both}");

    // -x is joined key by key: the file keeps g=7 and has no B-frames all the same.
    said("--preset mine -x g=3");
    let mut probe = Command::new("ffprobe");
    probe.args("-v error -show_entries frame=pict_type -of csv=p=0 o.mkv".split(' ')).current_dir(folder.path(""));
    let frames = probe.output().unwrap().stdout;
    let types: String = String::from_utf8(frames).unwrap().chars().filter(char::is_ascii_alphabetic).collect();
    assert_eq!(types, "IPPI");
}

#[test]
fn a_batch_takes_presets_too() {
    let folder = Folder::new();
    clip(&folder, "in/a.mkv");
    preset(&folder, "mine", MINE);
    let ran = run(&folder, "batch in -o out/{name}.mp4 --preset mine --frames 2").ok();
    assert!(
        ran.stderr.contains("out/a.mp4: 2 frames, ") && ran.stderr.contains("preset ultrafast, crf 30"),
        "{}",
        ran.stderr
    );
    let dry = run(&folder, "batch in -o new/{name}.mp4 --preset mine --dry-run").ok();
    assert!(dry.text().contains("--preset=ultrafast") && !dry.text().contains("mine"), "{}", dry.text());
}

#[test]
fn what_is_wrong_with_a_preset_is_one_line() {
    let folder = Folder::new();
    clip(&folder, "a.mkv");
    preset(&folder, "slow", "crf = 18");
    for (name, text) in [
        ("typo", "crff = 18"),
        ("value", "crf = 'fine'"),
        ("filter", "chain = 'debnad'"),
        ("syntax", "crf = 18\ncodec = libx264\n"),
        ("nested", "preset = 'preview'"),
        ("target", "output = 'x.mkv'"),
    ] {
        preset(&folder, name, text);
    }
    for (name, code, words) in [
        ("typo", 2, &["typo.toml: no option is called 'crff'; did you mean 'crf'?"][..]),
        ("value", 2, &["preset ", "value.toml: invalid value 'fine' for '--crf <N>'"]),
        ("filter", 2, &["did you mean 'deband'?"]),
        ("syntax", 2, &["syntax.toml: line 2: "]),
        ("nested", 2, &["preset: 'preview' is a preset of options, which hold no others"]),
        ("target", 2, &["output belongs to one run"]),
        ("slow", 2, &["slow.toml: 'slow' is a preset of encoders: give this one another name"]),
        ("anime-x256-10bit", 2, &["there is no preset 'anime-x256-10bit'; did you mean 'anime-x265-10bit'?"]),
        ("gone.toml", 2, &["preset gone.toml: its file: No such file"]),
        // Whatever is no preset's name is the encoder's matter.
        ("sideways", 2, &["libx264 has no preset 'sideways'"]),
    ] {
        let code = if name == "gone.toml" { 7 } else { code };
        refused(&run(&folder, &format!("a.mkv o.mkv -c libx264 --preset {name}")), code, words);
    }
    assert!(run(&folder, "a.mkv o.mkv -c libx264 --preset fast").ok().stderr.contains("preset fast"));
    assert!(run(&folder, "a.mkv p.mkv -c libx264 --preset ./config/../config/vramp/presets/slow.toml").code == Some(0));
    assert_eq!(tree(&folder, "").iter().filter(|path| !path.contains("config")).count(), 3);
}

#[test]
fn presets_are_listed() {
    let folder = Folder::new();
    let shipped = run(&folder, "presets").ok();
    assert!(shipped.text().contains("\narchive-ffv1 "), "{}", shipped.text());
    preset(&folder, "mine", MINE);
    preset(&folder, "typo", "crff = 18");
    preset(&folder, "preview", "description = 'my own'\nframes = 1");
    let list = run(&folder, "presets").ok();
    let line = |name: &str| list.text().lines().find(|line| line.starts_with(&format!("{name} "))).unwrap();
    assert!(line("mine").contains("mine (/"), "{}", list.text());
    assert!(line("typo").contains("not valid: no option is called 'crff'"), "{}", list.text());
    assert!(line("preview").contains("my own"), "the user's stand before those that ship");
    let json: serde_json::Value = serde_json::from_str(run(&folder, "presets --json").ok().text()).unwrap();
    let names: Vec<_> = json.as_array().unwrap().iter().map(|preset| preset["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["anime-x265-10bit", "archive-ffv1", "film-av1-grain", "mine", "preview", "typo"]);
    assert_eq!(run(&folder, "presets mine").ok().text(), MINE);
    refused(&run(&folder, "presets mien"), 2, &["there is no preset 'mien'; did you mean 'mine'?"]);
}

#[test]
fn presets_that_ship_encode_what_they_promise() {
    let folder = Folder::new();
    let path = folder.path("a.mkv");
    crate::ffmpeg(&format!("-f lavfi -i testsrc2=s=320x240:r=25 -frames:v 3 -c:v ffv1 {path}"));
    for (name, codec, format) in [
        ("anime-x265-10bit", "hevc", "yuv420p10le"),
        ("film-av1-grain", "av1", "yuv420p10le"),
        ("archive-ffv1", "ffv1", "yuv420p"),
        ("preview", "h264", "yuv420p"),
    ] {
        let ran = run(&folder, &format!("a.mkv {name}.mkv --preset {name} --device cpu")).ok();
        assert!(!ran.stderr.contains("warning"), "{}", ran.stderr);
        let entries = ["-v", "error", "-show_entries", "stream=codec_name,pix_fmt", "-of", "csv=p=0"];
        let probe = Command::new("ffprobe").args(entries).arg(folder.path(&format!("{name}.mkv"))).output().unwrap();
        assert_eq!(String::from_utf8(probe.stdout).unwrap().trim(), format!("{codec},{format}"));
    }
}
