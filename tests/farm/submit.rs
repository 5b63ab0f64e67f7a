//! `vramp submit`: what it asks engines for, and that films are made so. Slurm is played by sbatch.sh here.

use crate::command::{Folder, Ran, refused, run, vramp};
use crate::faults::fail_memory;
use crate::{FILM, X264, film, part, plan, program, read_plan, segments, sha256};
use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;
use std::process::{Command, Stdio};
use vramp::farm::PlannedPart;

/// A planned film of four parts, the bytes that `--segments` makes of it, and a Slurm to make it with.
struct Farm {
    folder: Folder,
    plan: String,
    wanted: String,
}

impl Farm {
    fn new() -> Farm {
        let folder = Folder::new();
        let input = film(&folder, "in.mkv", FILM);
        let here = folder.path("here.mkv");
        segments(&input, &here, &X264).ok();
        let plan = plan(&folder, &input, "out.mkv", &X264);
        fs::create_dir(folder.path("bin")).unwrap();
        for name in ["sbatch", "scontrol"] {
            symlink(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/farm/sbatch.sh"), folder.path(&format!("bin/{name}")))
                .unwrap();
        }
        Farm { wanted: sha256(&here), plan, folder }
    }

    fn with_slurm(&self, mut command: Command) -> Command {
        let path = format!("{}:{}", self.folder.path("bin"), std::env::var("PATH").unwrap());
        command.env("PATH", path).env("FAKE", self.folder.path("")).env_remove("SLURMD_NODENAME");
        command
    }

    fn submit(&self, args: &[&str]) -> Ran {
        let mut command = vramp();
        command.args(["submit", &self.plan]).args(args);
        self.with_slurm(command).output().unwrap().into()
    }

    /// What sbatch was asked for.
    fn calls(&self) -> Vec<String> {
        fs::read_to_string(self.folder.path("calls")).unwrap_or_default().lines().map(str::to_owned).collect()
    }

    fn output(&self) -> String {
        self.folder.path("out.mkv")
    }

    #[track_caller]
    fn is_whole(&self) {
        let out = fs::read_to_string(self.folder.path("out")).unwrap_or_default();
        assert!(Path::new(&self.output()).exists(), "{:#?}\n{out}", self.calls());
        assert_eq!(sha256(&self.output()), self.wanted);
    }
}

/// Runs `text` in a shell.
fn shell(mut command: Command, text: &str) -> Ran {
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    std::io::Write::write_all(&mut child.stdin.take().unwrap(), text.as_bytes()).unwrap();
    child.wait_with_output().unwrap().into()
}

#[test]
fn slurm_makes_the_bytes_of_one_machine() {
    let farm = Farm::new();
    part(&farm.plan, "1").ok();
    let ran = farm.submit(&["--engine=slurm", "--", "--partition=films"]).ok();
    assert!(ran.stderr.contains("3 parts in job 1, join in job 2"), "{}", ran.stderr);
    farm.is_whole();
    let calls = farm.calls();
    assert_eq!(calls.len(), 2, "{calls:#?}");
    for words in ["--array=0,2-3", "--requeue", "--signal=B:TERM@30", "--cpus-per-task=4", "--partition=films"] {
        assert!(calls[0].contains(words), "no {words} in {}", calls[0]);
    }
    assert!(calls[1].contains("--partition=films") && calls[1].contains("--dependency=afterany:1"), "{}", calls[1]);
}

#[test]
fn a_dry_run_prints_a_script_that_does_the_same() {
    let farm = Farm::new();
    let ran = farm.submit(&["--engine=slurm", "--dry-run", "--per-task=3", "--", "--comment=two words"]).ok();
    assert_eq!((farm.calls().len(), Path::new(&farm.output()).exists()), (0, false));
    assert!(ran.text().contains("'--comment=two words'") && ran.text().contains("--array=0-1"), "{}", ran.text());
    let done = shell(farm.with_slurm(Command::new("sh")), ran.text());
    assert_eq!(done.code, Some(0), "{}", done.stderr);
    farm.is_whole();
    assert!(farm.calls()[1].contains("--dependency=afterany:1"), "{:#?}", farm.calls());
}

#[test]
fn machines_that_only_fail_are_left_out_of_the_next_round() {
    let farm = Farm::new();
    // n3 does not run vramp; n2 has a full disk.
    let program = program(
        &farm.folder,
        "case $SLURMD_NODENAME-$1 in n3-*) exit 127 ;; n2-part) trap '' XFSZ; ulimit -f 4 ;; esac",
    );
    let mut calls = Vec::new();
    // Two tasks for each node that fails, so that both are known after the first round.
    let ran = farm.submit(&["--engine=slurm", &program, "--per-task=1"]).ok();
    farm.is_whole();
    calls.extend(farm.calls());
    let arrays: Vec<_> = calls.iter().filter(|call| call.contains("--array")).collect();
    assert!(arrays.len() > 1 && !arrays[0].contains("--exclude"), "{calls:#?}");
    assert!(arrays.last().unwrap().contains("--exclude=") && ran.stderr.contains("round 1: 4 parts"), "{calls:#?}");
    // The join went elsewhere by itself.
    assert!(calls.iter().any(|call| call.contains("--exclude=n3 ") && !call.contains("--array")), "{calls:#?}");
    let status = run(&["status", &farm.plan]).ok();
    assert!(status.text().contains("n3: 0 parts, 2 failures"), "{}", status.text());
}

#[test]
fn machines_are_blamed_whatever_their_clocks_say() {
    let farm = Farm::new();
    // A machine that cannot start vramp, and believes that it is 1970.
    let date = farm.folder.path("bin/date");
    fs::write(&date, "#!/bin/sh\necho 5\n").unwrap();
    fs::set_permissions(&date, fs::Permissions::from_mode(0o755)).unwrap();
    let program = program(&farm.folder, "[ $SLURMD_NODENAME != n3 ] || exit 127");
    farm.submit(&["--engine=slurm", &program, "--per-task=1"]).ok();
    farm.is_whole();
    let calls = farm.calls();
    let arrays: Vec<_> = calls.iter().filter(|call| call.contains("--array")).collect();
    assert!(arrays.len() == 2 && arrays[1].contains("--exclude=n3"), "{calls:#?}");
}

#[test]
fn a_share_of_the_parts_is_audited_before_the_join() {
    let farm = Farm::new();
    let on_n9 = |part: &str| {
        let mut command = vramp();
        command.args(["part", &farm.plan, part]).env("SLURMD_NODENAME", "n9");
        Ran::from(command.output().unwrap()).ok()
    };
    on_n9("1");
    fail_memory(&farm.plan, 1);
    farm.submit(&["--engine=slurm", "--", "--comment=control"]).ok();
    assert_ne!(sha256(&farm.output()), farm.wanted, "nobody else finds it");
    fs::remove_file(farm.output()).unwrap();
    fs::remove_file(farm.folder.path("calls")).unwrap();
    let ran = farm.submit(&["--engine=slurm", "--audit=100%"]).ok();
    assert!(ran.stderr.contains("join in job"), "{}", ran.stderr);
    let out = fs::read_to_string(farm.folder.path("out")).unwrap();
    assert!(out.contains("part 1: ") && out.contains("makes other bytes than n9 did"), "{out}");
    assert_eq!(out.matches("the same bytes").count(), 3, "{out}");
    farm.is_whole();
    let calls = farm.calls();
    assert!(calls[0].contains("--array=0-3") && calls[1].contains("--dependency=afterany:1"), "{calls:#?}");
    // A third machine, not that of the audit, says that it was n9.
    let settles = calls.iter().find(|call| call.contains("--array=1")).unwrap();
    assert!(settles.contains("--exclude=n") && out.contains("part 1: n9 made it wrong"), "{settles} {out}");
    for (args, code, words) in [
        (&["--engine=commands", "--audit=1%"][..], 2, "--audit and --copies are for --engine slurm"),
        (&["--engine=slurm", "--audit=1"], 2, "as 1% or 0.5%"),
        (&["--engine=slurm", "--audit=0%"], 2, "as 1% or 0.5%"),
    ] {
        fs::remove_file(farm.output()).unwrap_or_default();
        refused(&farm.submit(args), code, &[words]);
    }
}

#[test]
fn copies_wait_until_all_parts_are_begun() {
    let farm = Farm::new();
    // One part fails where it was asked for, and is made by a copy.
    let program = program(&farm.folder, "[ \"$SLURM_ARRAY_TASK_ID$4\" != 2--per-task ] || exit 1");
    let ran = farm.submit(&["--engine=slurm", &program, "--copies=2", "--per-task=1"]).ok();
    farm.is_whole();
    let calls = farm.calls();
    assert_eq!(calls.len(), 3, "one round: {calls:#?} {}", ran.stderr);
    assert!(calls[1].contains("--array=0-1") && calls[1].contains("--dependency=after:1"), "{calls:#?}");
    assert!(calls[2].contains("--dependency=afterany:1:2"), "{calls:#?}");
}

#[test]
fn a_dry_run_has_copies_and_audits_too() {
    let farm = Farm::new();
    let ran = farm.submit(&["--engine=slurm", "--dry-run", "--copies=1", "--audit=50%"]).ok();
    let done = shell(farm.with_slurm(Command::new("sh")), ran.text());
    assert_eq!(done.code, Some(0), "{}", done.stderr);
    farm.is_whole();
    let calls = farm.calls();
    let waits: Vec<_> = calls.iter().filter_map(|call| call.split("--dependency=").nth(1)).collect();
    assert_eq!(waits, ["after:1", "afterany:1:2", "afterany:1:2:3"], "{calls:#?}");
    let out = fs::read_to_string(farm.folder.path("out")).unwrap();
    assert_eq!(out.matches("the same bytes").count(), 2, "{out}");
}

#[test]
fn rounds_end() {
    let farm = Farm::new();
    // Machines do well, but one part fails everywhere.
    let program = program(&farm.folder, "[ \"$1$SLURM_ARRAY_TASK_ID\" != part2 ] || exit 1");
    farm.submit(&["--engine=slurm", &program]).ok();
    let calls = farm.calls();
    let arrays: Vec<_> = calls.iter().filter_map(|call| call.split("--array=").nth(1)).collect();
    assert_eq!(arrays, ["0-3", "2", "2", "2", "2"]);
    assert_eq!(calls.len(), 10, "a join each: {calls:#?}");
    let out = fs::read_to_string(farm.folder.path("out")).unwrap();
    assert_eq!(out.matches("vramp: error: 1 part missing: 2\n").count(), 5, "{out}");
    assert!(!Path::new(&farm.output()).exists());
}

#[test]
fn arrays_end_where_slurm_ends_them() {
    let farm = Farm::new();
    let mut command = vramp();
    command.args(["submit", &farm.plan, "--engine=slurm"]);
    let ran: Ran = farm.with_slurm(command).env("FAKE_ARRAY_SIZE", "3").output().unwrap().into();
    ran.ok();
    farm.is_whole();
    let calls = farm.calls();
    let arrays: Vec<_> = calls.iter().filter_map(|call| call.split("--array=").nth(1)).collect();
    assert_eq!((arrays, calls[2].contains("afterany:1:2")), (vec!["0-2", "0"], true), "{calls:#?}");
}

#[test]
fn a_hundred_thousand_parts_are_no_trouble() {
    const PARTS: u32 = 100_000;
    let farm = Farm::new();
    let mut plan = read_plan(&farm.plan);
    let part = plan.parts[2].clone();
    assert!(part.seek.is_some(), "all that a part may have: {part:?}");
    let start = |number: u32| part.start + u64::from(number) * u64::from(part.frames);
    plan.parts = (0..PARTS).map(|number| PlannedPart { start: start(number), ..part.clone() }).collect();
    plan.input.frames = start(PARTS) - part.start;
    fs::write(format!("{}/plan.json", farm.plan), plan.sealed().unwrap().text().unwrap()).unwrap();

    let status: serde_json::Value =
        serde_json::from_slice(&run(&["status", &farm.plan, "--json"]).ok().stdout).unwrap();
    assert_eq!((&status["parts"], &status["missing"]), (&PARTS.into(), &"0-99999".into()));
    assert_eq!(run(&["join", &farm.plan]).text(), "0-99999\n");
    let script = farm.submit(&["--engine=slurm", "--dry-run", "--per-task=1"]).ok();
    let arrays: Vec<_> = script.text().lines().filter_map(|line| line.split("--array=").nth(1)).collect();
    assert_eq!(arrays.len(), 100, "as many as MaxArraySize lets each have");
    assert!(arrays[0].starts_with("0-1000'"), "{}", arrays[0]);
}

#[test]
fn commands_and_the_join_are_lines() {
    let farm = Farm::new();
    part(&farm.plan, "2").ok();
    let ran = farm.submit(&["--engine=commands", "--per-task=2"]).ok();
    let lines: Vec<_> = ran.text().lines().collect();
    assert!(lines[0].ends_with(" 0-1") && lines[1].ends_with(" 3") && lines.len() == 3, "{lines:?}");
    shell(Command::new("sh"), ran.text()).ok();
    farm.is_whole();
}

#[test]
fn openjd_takes_the_template_and_makes_the_same_bytes() {
    let openjd = concat!(env!("CARGO_MANIFEST_DIR"), "/target/openjd/bin/openjd");
    if !Path::new(openjd).exists() {
        eprintln!("skipped: target/openjd is not there (make hosts)");
        return;
    }
    let farm = Farm::new();
    part(&farm.plan, "1").ok();
    let template = farm.folder.path("job.json");
    let ran = farm.submit(&["--engine=openjd", &format!("--program={}", env!("CARGO_BIN_EXE_vramp"))]).ok();
    fs::write(&template, ran.text()).unwrap();
    let openjd = |args: &[&str]| Ran::from(Command::new(openjd).args(args).output().unwrap());
    let checked = openjd(&["check", &template]);
    assert_eq!(checked.code, Some(0), "{} {}", checked.text(), checked.stderr);
    let ran = openjd(&["run", &template, "--step", "Join", "--run-dependencies"]);
    assert_eq!(ran.code, Some(0), "{} {}", ran.text(), ran.stderr);
    farm.is_whole();
}

#[test]
fn what_goes_wrong_is_one_line() {
    let farm = Farm::new();
    let mut alone = vramp();
    alone.args(["submit", &farm.plan, "--engine=slurm"]).env("PATH", "/none");
    refused(&alone.output().unwrap().into(), 3, &["sbatch is not on this machine", "--engine commands"]);
    for (args, code, words) in [
        (&["--engine=slurm", "--", "--partition=none"][..], 3, &["sbatch refuses", "invalid partition"][..]),
        (&["--engine=slurm", "--", "--array=0-3"], 2, &["--array=0-3"]),
        (&["--engine=commands", "--", "--partition=x"], 2, &["--partition=x", "--engine slurm"]),
        (&["--engine=openjd", "--per-task=2"], 2, &["--per-task"]),
    ] {
        refused(&farm.submit(args), code, words);
    }
    fs::write(farm.output(), "mine").unwrap();
    for engine in ["slurm", "openjd", "commands"] {
        refused(&farm.submit(&["--engine", engine]), 2, &["out.mkv is there: nothing to submit"]);
    }
    assert_eq!(fs::read_to_string(farm.output()).unwrap(), "mine");
}

#[test]
fn tasks_make_runs_of_parts() {
    let farm = Farm::new();
    let task = |number: &str| {
        Ran::from(vramp().args(["part", &farm.plan, "--per-task=3"]).env("PBS_ARRAY_INDEX", number).output().unwrap())
    };
    task("1").ok();
    assert_eq!(run(&["join", &farm.plan]).text(), "0-2\n");
    refused(&task("2"), 2, &["there is no part 6"]);
}
