//! Parts side by side on one machine: several at a time, and films that nobody encodes.

use crate::command::{Folder, refused, run};
use crate::{FILM, X264, film, join, plan, segments, sha256};
use std::fs;

#[test]
fn hashes_of_parts_are_those_of_a_run() {
    let folder = Folder::new();
    let input = film(&folder, "in.mkv", FILM);
    // Noise by frame number, and frames before and after.
    let chain = ["--chain", "deband=range=8:sample=2,tmedian"];
    for (container, more) in [
        ("framemd5", &[][..]),
        ("framehash", &["--hash", "sha256"]),
        ("framemd5", &["--start", "0.3", "--end", "#40", "--cuts", "exact"]),
    ] {
        let (whole, parts) = (folder.path("whole"), folder.path("parts"));
        let cuts = |arg: &&&str| **arg != "--cuts" && **arg != "exact";
        let run_args: Vec<&str> = more.iter().filter(cuts).copied().collect();
        run(&[&[&input, &whole, "-f", container, "-y"], &chain[..], &run_args].concat()).ok();
        for jobs in ["1", "3"] {
            let args = [&["-f", container, "--jobs", jobs, "-y"], &chain[..], more].concat();
            let ran = segments(&input, &parts, &args).ok();
            assert!(ran.stderr.contains(&format!(" parts, {jobs} at a time")), "{}", ran.stderr);
            assert_eq!(fs::read_to_string(&parts).unwrap(), fs::read_to_string(&whole).unwrap(), "{more:?}");
        }
    }
    assert_eq!(folder.names(), ["in.mkv", "parts", "whole"], "no plan is left");
}

#[test]
fn frames_may_go_nowhere_in_parts() {
    let folder = Folder::new();
    let input = film(&folder, "in.mkv", FILM);
    let ran = segments(&input, "-", &["-f", "null", "--chain", "deband", "--jobs", "2"]).ok();
    assert!(
        ran.stderr.contains("4 parts, 2 at a time") && ran.stderr.contains("no output: 48 frames"),
        "{}",
        ran.stderr
    );
    // A length that nobody asks for is no shorter than opening a film is worth.
    let ran = run(&[input.as_str(), "-", "-f", "null", "--chain", "deband", "--segments", "--jobs", "4"]).ok();
    assert!(ran.stderr.contains("1 part, 1 at a time"), "{}", ran.stderr);
    refused(
        &segments(&input, "-", &["-f", "null", "--chain", "separate_fields"]),
        3,
        &["changes the number of frames"],
    );
    refused(&segments(&input, "-", &["-f", "null", "--gpus", "0", "--device", "cpu"]), 2, &["--gpus and --device cpu"]);
    refused(&segments(&input, "-", &["-f", "null", "--gpus", "0;1"]), 2, &["0,1"]);
    assert_eq!(folder.names(), ["in.mkv"]);
}

#[test]
fn a_task_makes_several_parts_at_a_time() {
    let folder = Folder::new();
    let input = film(&folder, "in.mkv", FILM);
    let here = folder.path("here.mkv");
    segments(&input, &here, &X264).ok();
    let plan = plan(&folder, &input, "out.mkv", &X264);
    // One that fails holds no other up.
    fs::create_dir(format!("{plan}/parts/00001")).unwrap();
    refused(&run(&["part", &plan, "0-3", "--jobs", "2"]), 7, &["part 1", "is a directory"]);
    fs::remove_dir(format!("{plan}/parts/00001")).unwrap();
    assert_eq!(run(&["join", &plan]).text(), "1\n");
    run(&["part", &plan, "0-3", "--jobs", "3"]).ok();
    join(&plan);
    assert_eq!(sha256(&folder.path("out.mkv")), sha256(&here));
}
