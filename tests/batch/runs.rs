//! What is run, what is skipped, and what is reported.

use crate::command::{Folder, hashes};
use crate::{batch, clip, tree};
use std::fs;
use std::time::{Duration, SystemTime};

#[test]
fn a_film_that_fails_costs_itself_alone() {
    let folder = Folder::new();
    clip(&folder, "in/1.mkv");
    fs::write(folder.path("in/2.mkv"), "no video at all").unwrap();
    clip(&folder, "in/3.mkv");
    let ran = batch(&folder, &["in", "-o", "out/{name}.mkv", "--chain", "box=1"]);
    assert_eq!(ran.code, Some(4), "the first failure's: {}", ran.stderr);
    assert_eq!(tree(&folder, "out"), ["out/1.mkv", "out/3.mkv"]);
    assert!(ran.stderr.contains("\nvramp: warning: [2/3] failed: in/2.mkv: not a media file"), "{}", ran.stderr);
    let lines: Vec<_> = ran.stderr.lines().collect();
    let [.., third, sum, failure, last] = lines[..] else { panic!("{}", ran.stderr) };
    assert!(third.starts_with("vramp: [3/3] out/3.mkv: 5 frames, ") && third.ends_with("; ffv1, lossless, yuv420p"));
    assert!(sum.starts_with("vramp: 2 done in 0:0"), "{sum}");
    assert!(failure.starts_with("vramp: error: in/2.mkv: not a media file"), "{failure}");
    assert_eq!(last, "vramp: error: 1 of 3 films failed: the same command does the rest");
    let alone = |name: &str| hashes(&folder.path(&format!("in/{name}")), &["--chain", "box=1"]);
    assert_eq!(hashes(&folder.path("out/3.mkv"), &[]), alone("3.mkv"), "a film's result is that of a run of its own");

    let quiet = batch(&folder, &["in", "-o", "quiet/{name}.mkv", "-q"]);
    let lines: Vec<_> = quiet.stderr.lines().collect();
    assert!(lines.len() == 2 && lines.iter().all(|line| line.starts_with("vramp: error: ")), "{}", quiet.stderr);
}

#[test]
fn what_decoded_of_a_damaged_film_is_not_promised_again() {
    let folder = Folder::new();
    let whole = fs::read(clip(&folder, "whole.mkv")).unwrap();
    fs::write(folder.path("in.mkv"), &whole[..whole.len() * 7 / 10]).unwrap();
    let kept = batch(&folder, &["in.mkv", "-o", "out/{name}.mkv"]);
    assert_eq!(kept.code, Some(8), "{}", kept.stderr);
    let last = "vramp: error: 1 of 1 film failed: what decoded is kept (--strict keeps nothing)";
    assert_eq!(kept.stderr.lines().last(), Some(last));

    fs::write(folder.path("no.mkv"), "no video at all").unwrap();
    let both = batch(&folder, &["in.mkv", "no.mkv", "-o", "other/{name}.mkv"]);
    let last = "2 of 2 films failed: the same command does the rest, but for 1 of which what decoded is kept";
    assert!(both.stderr.lines().last().unwrap().contains(last), "{}", both.stderr);
    let strict = batch(&folder, &["in.mkv", "-o", "strict/{name}.mkv", "--strict"]);
    assert_eq!((strict.code, tree(&folder, "strict")), (Some(4), Vec::<String>::new()));
}

#[test]
fn fail_fast_begins_no_other_film() {
    let folder = Folder::new();
    fs::write(folder.path("1.mkv"), "no video at all").unwrap();
    clip(&folder, "2.mkv");
    let ran = batch(&folder, &["1.mkv", "2.mkv", "-o", "out/{name}.mkv", "--fail-fast", "--jobs", "1"]);
    assert_eq!(ran.code, Some(4));
    assert_eq!(tree(&folder, "out"), [""; 0]);
    assert!(ran.stderr.contains("\nvramp: 1 not begun in "), "{}", ran.stderr);
}

#[test]
fn what_is_done_is_skipped() {
    let folder = Folder::new();
    let a = clip(&folder, "a.mkv");
    clip(&folder, "b.mkv");
    let args = ["a.mkv", "b.mkv", "-o", "out/{name}.mkv"];
    batch(&folder, &args).ok();
    let made = |name: &str| fs::metadata(folder.path(name)).unwrap().modified().unwrap();
    let before = made("out/a.mkv");
    let ran = batch(&folder, &args).ok();
    assert!(ran.stderr.starts_with("vramp: 2 skipped, whose result exists"), "{}", ran.stderr);
    assert!(!ran.stderr.contains("newer"), "{}", ran.stderr);

    fs::remove_file(folder.path("out/b.mkv")).unwrap();
    let later = SystemTime::now() + Duration::from_secs(60);
    fs::File::options().write(true).open(a).unwrap().set_modified(later).unwrap();
    let ran = batch(&folder, &args).ok();
    let newer = "vramp: warning: a.mkv is newer than out/a.mkv, which stays: -y makes it again\n";
    assert!(ran.stderr.starts_with(newer) && ran.stderr.contains("1 done, 1 skipped"), "{}", ran.stderr);
    assert_eq!(made("out/a.mkv"), before);
    assert!(batch(&folder, &[&args[..], &["-y"]].concat()).ok().stderr.contains("2 done in"));
    assert_ne!(made("out/a.mkv"), before);
}

#[test]
fn words_are_replaced_in_other_options_too() {
    let folder = Folder::new();
    clip(&folder, "a.mkv");
    clip(&folder, "b.mkv");
    let args = ["a.mkv", "b.mkv", "-o", "{name}.md5", "-f", "framemd5"];
    batch(&folder, &[&args[..], &["--chain", "stats", "--records", "{name}.jsonl"]].concat()).ok();
    assert_eq!(tree(&folder, ""), ["a.jsonl", "a.md5", "a.mkv", "b.jsonl", "b.md5", "b.mkv"]);
    assert_eq!(fs::read_to_string(folder.path("b.jsonl")).unwrap().lines().count(), 5);
}

#[test]
fn programs_read_json_lines() {
    let folder = Folder::new();
    clip(&folder, "a.mkv");
    fs::write(folder.path("b.mkv"), "no video at all").unwrap();
    let args = ["a.mkv", "b.mkv", "-o", "out/{name}.mkv", "--progress", "json", "--jobs", "2"];
    let ran = batch(&folder, &args);
    let lines: Vec<serde_json::Value> = ran.stderr.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let find = |input: &str, key: &str| lines.iter().rfind(|line| line["input"] == input && line.get(key).is_some());
    let progress = find("a.mkv", "done").unwrap();
    assert_eq!((&progress["frame"], &progress["done"]), (&5.into(), &true.into()));
    assert_eq!(find("a.mkv", "output").unwrap()["output"], "out/a.mkv");
    assert_eq!(find("b.mkv", "error").unwrap()["code"], 4);
    let [.., sum, error] = &lines[..] else { panic!("{}", ran.stderr) };
    assert_eq!((&sum["done"], &sum["skipped"], &sum["not_begun"]), (&1.into(), &0.into(), &0.into()));
    assert_eq!(sum["failed"][0]["input"], "b.mkv");
    assert_eq!(error["level"], "error");
}

#[test]
fn warnings_name_their_film() {
    let folder = Folder::new();
    clip(&folder, "a.mkv");
    let ran = batch(&folder, &["a.mkv", "-o", "out.mkv", "--chain", "deband"]).ok();
    assert!(ran.stderr.contains("vramp: warning: a.mkv: the result is narrowed to 8 bits"), "{}", ran.stderr);
}
