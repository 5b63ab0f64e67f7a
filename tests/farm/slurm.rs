//! Real Slurm of three nodes on this machine, one of which dies: scripts/farm.

use crate::command::{Folder, Ran};
use crate::{FILM, X264, film, part, plan, segments, sha256};
use std::process::Command;

/// What alone.sh and run.sh end with where this machine cannot do it.
const SKIPPED: i32 = 77;

#[test]
fn a_node_that_dies_leaves_the_bytes_alone() {
    let folder = Folder::new();
    let input = film(&folder, "in.mkv", &FILM.replace("-t 2", "-t 8"));
    // A part is some seconds of work, so that a node dies within one.
    let args = [&["--chain", "bilateral=radius=9", "--device=cpu", "--threads=1"], &X264[..]].concat();
    let here = folder.path("here.mkv");
    segments(&input, &here, &args).ok();
    let plan = plan(&folder, &input, "out.mkv", &args);
    part(&plan, "0").ok();
    let scripts = concat!(env!("CARGO_MANIFEST_DIR"), "/scripts/farm");
    let ran = Command::new(format!("{scripts}/alone.sh"))
        .args([&format!("{scripts}/run.sh"), env!("CARGO_BIN_EXE_vramp"), &plan, "3", "--", "--cpus-per-task=1"])
        .output();
    let ran = Ran::from(ran.unwrap());
    if ran.code == Some(SKIPPED) {
        eprintln!("{}", ran.stderr);
        return;
    }
    assert_eq!(ran.code, Some(0), "{}\n{}", ran.stderr, ran.text());
    assert!(ran.stderr.contains("n2 dies") && ran.stderr.contains("n1: "), "{}", ran.stderr);
    assert_eq!(sha256(&folder.path("out.mkv")), sha256(&here), "{}", ran.stderr);
    eprintln!("{}", ran.stderr);
}
