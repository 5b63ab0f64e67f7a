//! Real Slurm of three nodes on this machine, to which things happen: scripts/farm. Where there is no Slurm, or the system gives no
//! namespaces, these tests say so and pass; with `VRAMP_REQUIRE_SLURM=1` they fail.

use crate::command::{Folder, Ran};
use crate::{FILM, X264, film, part, plan, program, segments, sha256};
use std::process::Command;

/// What alone.sh and run.sh end with where this machine cannot do it.
const SKIPPED: i32 = 77;

/// Makes a film through `event` of run.sh, with `options` of `vramp submit`, on machines that run the shell commands `before` vramp. Gives what was said, if this
/// machine can do it, after checking that the bytes are those of a run without machines.
#[track_caller]
fn through(event: &str, before: &str, options: &[&str]) -> Option<String> {
    let folder = Folder::new();
    let input = film(&folder, "in.mkv", &FILM.replace("-t 2", "-t 6"));
    let here = folder.path("here.mkv");
    segments(&input, &here, &X264).ok();
    let plan = plan(&folder, &input, "out.mkv", &X264);
    part(&plan, "0").ok();
    // A task lasts, so that what happens is within one.
    let program = program(&folder, &format!("{before}\n[ $1 != part ] || sleep 1"));
    let scripts = concat!(env!("CARGO_MANIFEST_DIR"), "/scripts/farm");
    let vramp = env!("CARGO_BIN_EXE_vramp");
    let ran = Command::new(format!("{scripts}/alone.sh"))
        .args([&format!("{scripts}/run.sh"), event, vramp, &plan, &program])
        .args(options)
        .args(["--", "--cpus-per-task=1"])
        .output();
    let ran = Ran::from(ran.unwrap());
    eprintln!("{}", ran.stderr);
    if ran.code == Some(SKIPPED) {
        let required = std::env::var_os("VRAMP_REQUIRE_SLURM").is_some_and(|value| value == "1");
        assert!(!required, "VRAMP_REQUIRE_SLURM is set, but this is {}", ran.stderr);
        return None;
    }
    assert_eq!(ran.code, Some(0), "{}", ran.text());
    assert!(ran.stderr.contains(&format!("{event}: n2 is at work")));
    assert_eq!(sha256(&folder.path("out.mkv")), sha256(&here));
    Some(ran.stderr)
}

#[test]
fn a_node_that_dies_leaves_the_bytes_alone() {
    through("node", "", &[]);
}

#[test]
fn a_controller_that_dies_is_healed_by_submitting_again() {
    through("controller", "", &[]);
}

#[test]
fn copies_and_audits_are_made_by_real_slurm() {
    let Some(said) = through("node", "", &["--copies=2", "--audit=20%"]) else { return };
    // Three of 12 parts, each on another machine than made it.
    let compared = said
        .lines()
        .filter_map(|line| line.split(" failures, ").nth(1)?.split(" compared").next()?.parse::<u32>().ok());
    assert_eq!(compared.sum::<u32>(), 3, "{said}");
}

#[test]
fn cancelled_and_submitted_again_it_goes_on_without_a_machine_that_only_fails() {
    let Some(said) = through("cancel", "[ \"$SLURMD_NODENAME\" != n3 ] || exit 127", &[]) else { return };
    assert!(said.contains("n3: 0 parts"), "{said}");
}
