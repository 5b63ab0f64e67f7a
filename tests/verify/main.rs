//! `vramp hash` and `vramp verify`, from outside: what makes a video a match, and what is reported otherwise.

mod alpha;
mod beside;
#[path = "../command/mod.rs"]
mod command;
mod damage;
mod ffmpeg_texts;
mod remux;
mod stories;

use command::{Folder, Ran, ffmpeg, refused, run, run_fed, vramp};
use serde_json::{Value, json};
use std::fs;
use std::process::Stdio;

const BUNNY: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/samples/big-buck-bunny-720p.mp4");
const GRADIENT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/samples/banded-gradient.mkv");
const CHAIN: [&str; 4] = ["--chain", "deband=range=16:rand_each_frame=on", "--depth", "10"];

/// Exit codes, as `vramp --help` has them.
const MISMATCH: i32 = 1;
const BAD_ARGUMENT: i32 = 2;
const UNSUPPORTED: i32 = 3;
const CORRUPT: i32 = 4;
const IO: i32 = 7;
const INCOMPLETE: i32 = 8;

/// A lossless clip of 24 frames, filtered by ffmpeg with `filters`.
fn clip(folder: &Folder, name: &str, filters: &str) -> String {
    let path = folder.path(name);
    let source = "-f lavfi -i testsrc2=s=160x120:r=25:d=0.96 -pix_fmt yuv420p";
    ffmpeg(&format!("{source} -vf {filters} -vsync passthrough -c:v ffv1 {path}"));
    path
}

/// Writes the hashes of `input` and gives the file's path.
#[track_caller]
fn hash(folder: &Folder, input: &str, args: &[&str]) -> String {
    let path = folder.path("golden.hashes");
    run(&[&["hash", input, "-o", &path, "-y"], args].concat()).ok();
    path
}

fn verify(file: &str, input: &str, args: &[&str]) -> Ran {
    run(&[&["verify", file, input], args].concat())
}

/// What `--json` says.
#[track_caller]
fn verdict(file: &str, input: &str, args: &[&str]) -> Value {
    let ran = verify(file, input, &[args, &["--json"]].concat());
    let json: Value = serde_json::from_slice(&ran.stdout).unwrap_or_else(|_| panic!("{}", ran.stderr));
    assert_eq!(ran.code, Some(if json["match"] == true { 0 } else { MISMATCH }), "{}", ran.stderr);
    json
}

#[test]
fn a_video_is_itself_however_it_is_computed() {
    let folder = Folder::new();
    for function in ["xxh3", "md5", "sha256"] {
        let golden = hash(&folder, GRADIENT, &[&CHAIN[..], &["--hash", function, "--frames", "6"]].concat());
        let ways = ["", "--device auto", "--threads 1", "--slots 1", "--decoder-threads 1", "--cpu-level portable"];
        for way in ways {
            let ran = verify(&golden, GRADIENT, &way.split_whitespace().collect::<Vec<_>>()).ok();
            assert_eq!(ran.text(), "", "{way}");
        }
    }
    let golden = hash(&folder, BUNNY, &["--start", "1", "--end", "1.2"]);
    let text = fs::read_to_string(&golden).unwrap();
    assert!(text.contains("\n25, 12800, 512, 0, 1382400, "), "frames have the whole run's numbers: {text}");
    // Another release, another checkout.
    fs::write(&golden, text.replace('\n', "\r\n")).unwrap();
    verify(&golden, BUNNY, &[]).ok();
    run_fed(&["verify", "-", BUNNY], text.as_bytes()).ok();
    let golden = hash(&folder, GRADIENT, &CHAIN);
    run_fed(&["verify", &golden, "-"], &fs::read(GRADIENT).unwrap()).ok();
}

#[test]
fn a_text_goes_to_standard_output_and_comes_from_a_pipe() {
    let folder = Folder::new();
    let golden = hash(&folder, GRADIENT, &["--frames", "3"]);
    let printed = run(&["hash", GRADIENT, "--frames", "3"]).ok();
    assert_eq!(printed.stdout, fs::read(&golden).unwrap());
    let piped = run_fed(&["hash", "-", "--frames", "3"], &fs::read(GRADIENT).unwrap()).ok();
    assert_eq!(piped.stdout, printed.stdout);
}

#[test]
fn another_video_is_reported_in_one_line() {
    let folder = Folder::new();
    let golden = hash(&folder, GRADIENT, &["--frames", "3"]);
    let ran = verify(&golden, BUNNY, &[]);
    refused(&ran, MISMATCH, &["size 1280x720 instead of 640x360"]);
    assert_eq!((ran.text(), ran.stderr.lines().filter(|line| line.contains("error")).count()), ("", 1));
    let json = verdict(&golden, BUNNY, &[]);
    assert_eq!((&json["found"], &json["first"]), (&Value::Null, &Value::Null));
    assert_eq!(json["stream"][0], json!({"name": "size", "expected": "640x360", "found": "1280x720"}));
    let json = verdict(&golden, GRADIENT, &["--depth", "10"]);
    assert_eq!(json["stream"][0], json!({"name": "format", "expected": "yuv420p", "found": "yuv420p10"}));
}

#[test]
fn a_text_says_what_it_was_made_with() {
    let folder = Folder::new();
    let window = ["--start", "#4", "--frames", "5"];
    let golden = hash(&folder, GRADIENT, &[&CHAIN[..], &window].concat());
    let ran = verify(&golden, GRADIENT, &[]).ok();
    assert!(ran.stderr.contains("--chain deband(range 16, rand_each_frame on), as it was made"), "{}", ran.stderr);
    verify(&golden, GRADIENT, &CHAIN).ok();
    verify(&golden, GRADIENT, &window).ok();
    assert_eq!(verdict(&golden, GRADIENT, &["--chain", "deband=range=15", "--depth", "10"])["same"], 0);
    assert_eq!(verdict(&golden, GRADIENT, &["--chain", ""])["stream"][0]["name"], "format");
    assert_eq!(verdict(&golden, GRADIENT, &["--start", "#5", "--frames", "5"])["differences"][0]["by"], 1);

    // A result that is stored is what its making was.
    let stored = folder.path("stored.mkv");
    run(&[&[GRADIENT, &stored, "-c", "ffv1", "--timestamps", "keep"], &CHAIN[..], &window].concat()).ok();
    let json = verdict(&golden, &stored, &["--chain", "", "--start", "#0"]);
    assert_eq!(json["same"], 5, "{json}");
}

#[test]
fn texts_that_are_not_whole_or_not_texts_are_refused() {
    let folder = Folder::new();
    let golden = hash(&folder, GRADIENT, &["--frames", "3"]);
    let text = fs::read_to_string(&golden).unwrap();
    let file = folder.path("file");
    let from = text.find("\n#end").unwrap();
    for (content, code, words) in [
        (text[..from].to_owned(), CORRUPT, &["file: ", "cut off after 3 frames"][..]),
        (text[..from - 150].to_owned(), CORRUPT, &["cut off"]),
        (text.replace("\n1, ", "\n2, "), CORRUPT, &["was changed"]),
        (text.replace("version: 1", "version: 2"), UNSUPPORTED, &["version 2", "up to 1"]),
        (String::new(), CORRUPT, &["not a hash file"]),
        ("{}\n".to_owned(), CORRUPT, &["not a hash file"]),
    ] {
        fs::write(&file, content).unwrap();
        refused(&verify(&file, GRADIENT, &[]), code, words);
    }
    refused(&verify(GRADIENT, GRADIENT, &[]), CORRUPT, &["not a hash file"]);
    refused(&verify("/dev/zero", GRADIENT, &[]), CORRUPT, &["not a hash file"]);
    refused(&verify(&folder.path("none"), GRADIENT, &[]), IO, &["none", "No such file"]);
    refused(&verify(&folder.path(""), GRADIENT, &[]), IO, &["directory"]);
    refused(&verify(&golden, &folder.path("none.mkv"), &[]), IO, &["none.mkv"]);
    refused(&run_fed(&["verify", "-", BUNNY], text.as_bytes()), MISMATCH, &["is not what standard input is of"]);
    refused(&verify("-", "-", &[]), BAD_ARGUMENT, &["standard input"]);
    refused(&verify(&golden, GRADIENT, &["--chain", "debnad"]), BAD_ARGUMENT, &["'deband'"]);
}

#[test]
fn damaged_inputs_are_reported() {
    let folder = Folder::new();
    let input = clip(&folder, "clip.mkv", "null");
    let golden = hash(&folder, &input, &[]);
    let cut = folder.path("cut.mkv");
    let bytes = fs::read(&input).unwrap();
    fs::write(&cut, &bytes[..bytes.len() * 3 / 4]).unwrap();
    let json = verdict(&golden, &cut, &[]);
    let missing = json["differences"].as_array().unwrap().iter().find(|differs| differs["kind"] == "missing");
    assert_eq!(missing.unwrap()["expected"][1], 23, "{json}");
    // A hash file of what decodes is whole, and a warning says that something was lost.
    let ran = run(&["hash", &cut, "-o", &golden, "-y"]);
    refused(&ran, INCOMPLETE, &["cut.mkv"]);
    assert!(verify(&golden, &cut, &[]).ok().stderr.contains("warning: "));
    refused(&run(&["hash", &cut, "-o", &folder.path("strict"), "--strict"]), CORRUPT, &["cut.mkv"]);

    let (small, large, both) = (folder.path("small.ts"), folder.path("large.ts"), folder.path("both.ts"));
    for (path, size) in [(&small, "64x48"), (&large, "96x64")] {
        ffmpeg(&format!("-f lavfi -i testsrc2=s={size}:r=25 -frames:v 5 -c:v mpeg2video {path}"));
    }
    fs::write(&both, [fs::read(&small).unwrap(), fs::read(&large).unwrap()].concat()).unwrap();
    let golden = hash(&folder, &small, &[]);
    refused(&verify(&golden, &both, &[]), UNSUPPORTED, &["64x48", "96x64", "limited range: split"]);
    let before = fs::read(&golden).unwrap();
    refused(&run(&["hash", &both, "-o", &golden, "-y"]), UNSUPPORTED, &["96x64"]);
    assert_eq!(fs::read(&golden).unwrap(), before, "nothing is overwritten");

    // Bare packets have no times.
    let bare = folder.path("bare.h264");
    ffmpeg(&format!("-i {BUNNY} -frames:v 5 -c:v copy -an {bare}"));
    let ran = run(&["hash", &bare, "-o", &golden, "-y"]).ok();
    let broken = fs::read_to_string(&golden).unwrap().contains(", -, ");
    assert_eq!(ran.stderr.contains("frames have no time"), broken, "{}", ran.stderr);
    assert_eq!(run(&["hash", &bare]).ok().stderr.contains("standard output: 5 frames have no time"), broken);
    verify(&golden, &bare, &[]).ok();
}

#[test]
fn a_byte_order_mark_before_a_text_is_passed_over() {
    let folder = Folder::new();
    let input = clip(&folder, "clip.mkv", "null");
    for layout in ["vramp", "ffmpeg"] {
        let golden = hash(&folder, &input, &["--layout", layout]);
        fs::write(&golden, [&b"\xef\xbb\xbf"[..], &fs::read(&golden).unwrap()].concat()).unwrap();
        verify(&golden, &input, &[]).ok();
    }
}

#[test]
fn a_text_is_replaced_only_when_asked_and_only_by_a_whole_one() {
    let folder = Folder::new();
    let input = clip(&folder, "clip.mkv", "null");
    let golden = folder.path("golden");
    fs::write(&golden, "precious").unwrap();
    refused(&run(&["hash", &input, "-o", &golden]), BAD_ARGUMENT, &["golden exists", "-y"]);
    refused(&run(&["hash", &folder.path("none.mkv"), "-o", &golden, "-y"]), IO, &["none.mkv"]);
    assert_eq!(fs::read(&golden).unwrap(), b"precious");
    refused(&run(&["hash", &input, "-o", &input, "-y"]), BAD_ARGUMENT, &["is the input"]);
    refused(&run(&["hash", &input, "-o", "/dev/full"]), IO, &["/dev/full"]);
    assert_eq!(folder.names(), ["clip.mkv", "golden"]);

    let mut command = vramp();
    command.args(["hash", "-", "-o", &golden, "-y", "--progress", "json", "-q"]);
    let mut child = command.stdin(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    std::thread::sleep(std::time::Duration::from_millis(100));
    child.kill().unwrap();
    child.wait().unwrap();
    assert_eq!(fs::read(&golden).unwrap(), b"precious");
}

#[test]
fn the_documented_text_is_a_real_one() {
    let page = fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/docs/HASHES.md")).unwrap();
    let text = page.split_once("```text\n").unwrap().1.split_once("```").unwrap().0;
    let ran = run_fed(&["verify", "-", BUNNY], text.as_bytes()).ok();
    assert!(ran.stderr.contains("2 frames, as"), "{}", ran.stderr);
}

#[test]
fn help_explains_the_report() {
    for command in ["hash", "verify"] {
        let help = run(&[command, "--help"]).ok();
        assert!(help.text().contains("--chain") && !help.text().contains("--codec"), "{command}");
    }
    let help = run(&["--help"]).ok();
    assert!(help.text().contains("    1  a comparison found a difference"), "{}", help.text());
}
