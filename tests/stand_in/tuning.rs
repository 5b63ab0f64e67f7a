//! What was measured on a card, and files that only look like it: kernels work in another way, and nothing else changes.

use crate::command::{Folder, Ran, vramp};
use crate::{GRADIENT, driver};
use std::fs;

const CHAIN: &str = "gauss=sigma=3";

/// The command with this tuning file.
fn with(file: &str, args: &[&str]) -> Ran {
    let mut command = vramp();
    command.env("LD_LIBRARY_PATH", driver()).env("VRAMP_TUNING", file).env_remove("CUDA_VISIBLE_DEVICES");
    Ran::from(command.args(args).output().unwrap()).ok()
}

/// What a run with this tuning file says of the way that its kernel works in, and of the file.
fn said(file: &str) -> (Option<String>, usize) {
    let args = [GRADIENT, "-v", "-f", "null", "--frames", "2", "--device", "cuda", "--chain", CHAIN];
    let said = with(file, &args).stderr;
    let way = said.lines().find_map(|line| Some(line.split_once("gauss works by ")?.1.to_owned()));
    (way, said.matches("warning").count())
}

#[test]
fn a_measured_way_is_taken_where_all_agrees() {
    let folder = Folder::new();
    let file = folder.path("caches/tuning.txt");
    let size = ["--size", "640x360"];
    let listed = with(&file, &[&["tune", CHAIN, "--dry-run"], &size[..]].concat());
    let line = listed.text().lines().find(|line| line.contains("yuv420p>yuv420p:640x352:")).unwrap();
    let (default, others) = line.split_once(": ").unwrap().1.split_once(" (default); or ").unwrap();
    let other = others.split(", ").next().unwrap();

    let measured = with(&file, &[&["tune", CHAIN, "--seconds", "1"], &size[..]].concat());
    assert!(measured.text().contains("(the default)") && measured.text().contains("written to"), "{}", measured.text());
    let text = fs::read_to_string(&file).unwrap();
    assert_eq!(text.lines().filter(|line| line.starts_with("gauss ")).count(), 4, "{text}");
    let json: serde_json::Value = serde_json::from_slice(&with(&file, &["probe", "--json"]).stdout).unwrap();
    assert_eq!(json["cuda"]["devices"][0]["tuned"], 4);

    let tuned = text.replace(&format!(" {default} "), &format!(" {other} "));
    let hash = text.lines().find(|line| line.starts_with("gauss ")).unwrap().split(' ').nth(1).unwrap();
    let path = folder.path("other.txt");
    for (content, way, warnings) in [
        (tuned.clone(), Some(format!("{other} (own tuning) for yuv420p>yuv420p:640x352:r8")), 0),
        (tuned.replace(hash, "0123456789abcdef"), None, 0),
        (tuned.replace("[stand-in,", "[another,"), None, 0),
        (tuned.replace("CUDA 13]", "CUDA 12]"), None, 0),
        (tuned.replace(other, "no-such-way"), None, 0),
        (tuned.replace("gauss ", "gauss"), None, 1),
        (tuned[..tuned.len() / 2].to_owned(), None, 1),
        ("\u{0}\u{1}\u{2}".to_owned(), None, 1),
        (String::new(), None, 0),
    ] {
        fs::write(&path, &content).unwrap();
        let (taken, warned) = said(&path);
        assert!(taken == way && warned <= warnings, "{taken:?}, {warned} warnings: {content}");
    }
    fs::remove_file(&path).unwrap();
    assert_eq!(said(&path), (None, 0), "no file");
    assert_eq!(said("off"), (None, 0));
    assert_eq!(said(&folder.path("caches")), (None, 1), "a folder");
}

#[test]
fn every_filter_that_has_a_choice_is_listed() {
    let folder = Folder::new();
    let listed = with(&folder.path("none.txt"), &["tune", "--dry-run", "--size", "320x240"]);
    for kernel in ["deband", "domain", "bilateral", "box", "gauss", "convolve"] {
        let lines = listed.text().lines().filter(|line| line.starts_with(&format!("{kernel} ")));
        assert!(lines.clone().count() > 3 && lines.clone().all(|line| line.contains("; or ")), "{kernel}");
    }
    assert_eq!(folder.names(), [""; 0]);
}

/// What is fastest for a frame alone is not what is for several at a time.
#[test]
fn frames_alone_and_batches_are_cases_of_their_own() {
    let folder = Folder::new();
    let file = folder.path("tuning.txt");
    let args = ["tune", "gradient", "domain", "--size", "320x240", "--seconds", "1"];
    let listed = with(&file, &[&args[..], &["--dry-run"]].concat());
    let of = |kernel: &str, batch: &str| {
        let is_of = |line: &&str| line.starts_with(&format!("{kernel} ")) && line.contains(&format!(":{batch}: "));
        listed.text().lines().filter(is_of).map(str::to_owned).collect::<Vec<_>>()
    };
    // A frame is 24 blocks of luma and twice 8 of chroma: of four frames there are 12 for each of four multiprocessors.
    for (batch, default) in
        [("b1", "rows-8 (default); or rows-4, rows-16"), ("b4", "rows-16 (default); or rows-8, rows-4")]
    {
        let lines = of("gradient", batch);
        assert!(lines.len() == 4 && lines.iter().all(|line| line.ends_with(default)), "{lines:?}");
        assert_eq!(of("domain", batch).len(), 4, "{}", listed.text());
    }

    // Three for each of them.
    let small = with(&file, &["tune", "gradient", "--size", "160x120", "--dry-run"]);
    let alone = small.text().lines().filter(|line| line.contains(":b1: "));
    assert!(
        alone.clone().count() == 4 && alone.clone().all(|line| line.ends_with("rows-4 (default); or rows-8, rows-16"))
    );

    with(&file, &args);
    let text = fs::read_to_string(&file).unwrap();
    let measured = |batch: &str| text.lines().filter(|line| line.contains(&format!(":320x240:{batch} "))).count();
    assert_eq!((measured("b1"), measured("b4")), (8, 8), "{text}");
}

#[test]
fn bench_says_which_way_was_taken() {
    let args = ["bench", "--device", "cuda", "--quick", "--json", "--size", "64x48", "--filter", "gauss"];
    let json: serde_json::Value = serde_json::from_slice(&with("off", &args).stdout).unwrap();
    let way = &json["gpu"]["formats"][0]["rows"][0]["ways"][0];
    assert_eq!((&way["kernel"], &way["by"]), (&"gauss".into(), &"default".into()), "{json}");
}
