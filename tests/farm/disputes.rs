//! Machines that make other bytes of a part: who is right is settled by a third run.

use crate::command::{Folder, Ran, refused, run, vramp};
use crate::faults::fail_memory;
use crate::{FILM, X264, film, join, plan, segments, sha256};
use std::fs;
use std::path::Path;
use std::process::Stdio;
use std::thread::sleep;
use std::time::Duration;

/// A planned film of four parts that n1 has made, part 1 of them wrong, and the bytes that it should have.
struct Wrong {
    folder: Folder,
    plan: String,
    wanted: String,
}

impl Wrong {
    fn new() -> Wrong {
        let folder = Folder::new();
        let input = film(&folder, "in.mkv", FILM);
        let here = folder.path("here.mkv");
        segments(&input, &here, &X264).ok();
        let wrong = Wrong { plan: plan(&folder, &input, "out.mkv", &X264), wanted: sha256(&here), folder };
        wrong.on("n1", &["0-3"]).ok();
        fail_memory(&wrong.plan, 1);
        wrong
    }

    fn on(&self, machine: &str, args: &[&str]) -> Ran {
        let mut command = vramp();
        command.args(["part", &self.plan]).args(args).env("SLURMD_NODENAME", machine);
        command.output().unwrap().into()
    }

    fn status(&self) -> String {
        run(&["status", &self.plan]).ok().text().to_owned()
    }

    #[track_caller]
    fn is_settled(&self) {
        assert!(!Path::new(&format!("{}/disputes", self.plan)).exists());
        join(&self.plan);
        assert_eq!(sha256(&self.folder.path("out.mkv")), self.wanted);
    }
}

#[test]
fn a_third_machine_says_who_was_wrong() {
    let film = Wrong::new();
    refused(
        &film.on("n2", &["1,2", "--audit"]),
        1,
        &["part 1: n2 makes other bytes than n1 did", "a third run settles"],
    );
    let status = film.status();
    for words in ["missing: 1\n", "in dispute: part 1, of n1 and n2", "n2: 0 parts, 0 failures, 1 compared"] {
        assert!(status.contains(words), "no {words:?} in {status}");
    }
    // What these two make is known; nobody joins what is in dispute, also where it lies there again.
    refused(&film.on("n2", &["1"]), 1, &["n1 and n2 made unlike bytes, and either may be right", "disputes/00001.*"]);
    film.on("n2", &["--missing"]).ok();
    fs::copy(format!("{}/parts/00000", film.plan), format!("{}/parts/00001", film.plan)).unwrap();
    let ran = run(&["join", &film.plan]);
    refused(&ran, 9, &["1 part missing: 1"]);
    assert!(ran.stderr.contains("either may be right") && ran.text() == "1\n", "{}", ran.stderr);

    let ran = film.on("n3", &["1"]).ok();
    assert!(ran.stderr.contains("part 1: n1 made it wrong"), "{}", ran.stderr);
    let status = film.status();
    // Part 2 was compared, the others of n1 were not.
    for words in ["n1: 4 parts, 0 failures, 1 wrong", "in doubt: 0,3 of n1", "n3: 1 parts, 0 failures, "] {
        assert!(status.contains(words), "no {words:?} in {status}");
    }
    assert!(!status.contains("in dispute") && !status.contains("failed:"), "{status}");
    film.is_settled();
}

#[test]
fn a_machine_that_makes_what_the_other_made_settles_it() {
    let film = Wrong::new();
    film.on("n2", &["1", "--audit"]);
    let json = run(&["status", &film.plan, "--json"]).ok();
    let json: serde_json::Value = serde_json::from_slice(&json.stdout).unwrap();
    assert_eq!((&json["disputed"][0]["part"], &json["disputed"][0]["hosts"][1]), (&1.into(), &"n2".into()));
    // Its memory failed once.
    let ran = film.on("n1", &["1", "--audit"]).ok();
    assert!(ran.stderr.contains("part 1: n1 made it wrong"), "{}", ran.stderr);
    film.is_settled();
}

#[test]
fn a_machine_alone_settles_it_with_itself_and_users_may_too() {
    let film = Wrong::new();
    refused(&film.on("n1", &["1", "--audit"]), 1, &["part 1: n1 makes other bytes than n1 did"]);
    film.on("n1", &["1"]).ok();
    fail_memory(&film.plan, 2);
    film.on("n2", &["2", "--audit"]);
    fs::remove_dir_all(format!("{}/disputes", film.plan)).unwrap();
    film.on("n2", &["2"]).ok();
    film.is_settled();
}

#[test]
fn an_audit_that_is_killed_leaves_nothing() {
    let folder = Folder::new();
    let input = film(&folder, "in.mkv", FILM);
    let plan = plan(&folder, &input, "out.mkv", &["-c", "ffv1", "--segment=60", "--chain", "bilateral=radius=15"]);
    crate::part(&plan, "0").ok();
    let names = || {
        let of = |name: &str| fs::read_dir(format!("{plan}/{name}")).unwrap().map(|entry| entry.unwrap().file_name());
        let mut names: Vec<_> = ["parts", "log"].into_iter().flat_map(of).collect();
        names.sort();
        names
    };
    let before = names();
    for moment in [50, 150, 300] {
        let mut audit = vramp().args(["part", &plan, "0", "--audit"]).stderr(Stdio::null()).spawn().unwrap();
        sleep(Duration::from_millis(moment));
        audit.kill().unwrap();
        audit.wait().unwrap();
        assert_eq!(names(), before, "after {moment} ms");
    }
}
