//! Kills at any moment, and going on after them.

use crate::command::{Folder, Ran, refused, run, vramp};
use crate::{FILM, X264, film, hidden, part, plan, segments, sha256};
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

/// Kills of `--segments` in a run of the tests. `VRAMP_KILLS` asks for more.
fn kills() -> u32 {
    std::env::var("VRAMP_KILLS").map_or(20, |kills| kills.parse().unwrap())
}

#[test]
fn killed_at_any_moment_the_same_command_goes_on() {
    let folder = Folder::new();
    let input = film(&folder, "in.mkv", FILM);
    let (untroubled, output) = (folder.path("untroubled.mkv"), folder.path("out.mkv"));
    let args = [&["--chain", "deband"], &X264[..]].concat();
    let began = Instant::now();
    segments(&input, &untroubled, &args).ok();
    // Moments all over a run, the first and the last as well, however fast the machine is.
    let run_ms = began.elapsed().as_millis() as u64;
    let wanted = sha256(&untroubled);
    let (mut seed, mut whole) = (1_u64, 0);
    for kill in 0..kills() {
        if kill % 100 == 0 {
            eprintln!("{kill} of {} kills, {whole} of them too late", kills());
        }
        let command = [&[&input, &output, "--segments", "--segment", "0.5", "--jobs", "2"], &args[..]].concat();
        let mut child = vramp().args(command).stderr(Stdio::null()).spawn().unwrap();
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        sleep(Duration::from_millis((seed >> 33) % run_ms));
        // A run that has just ended needs no kill.
        let _ = child.kill();
        child.wait().unwrap();
        if Path::new(&output).exists() {
            assert_eq!(sha256(&output), wanted);
            fs::remove_file(&output).unwrap();
            whole += 1;
        }
    }
    // Processes of killed runs end by themselves, and may be at it still.
    sleep(Duration::from_millis(300));
    segments(&input, &output, &args).ok();
    assert_eq!(sha256(&output), wanted, "after {} kills, {whole} of them too late", kills());
    assert_eq!(folder.names(), ["in.mkv", "out.mkv", "untroubled.mkv"]);
}

/// Runs `vramp` with `args`, which is killed where it calls the system's `call` for the time `nth` on a thread. `None` where nothing here can
/// do that.
fn killed_at(call: &str, nth: u32, args: &[&str]) -> Option<Ran> {
    let mut command = Command::new("strace");
    command.args(["-f", "-qq", "-o", "/dev/null", "-e", &format!("trace={call}")]);
    command.args(["-e", &format!("inject={call}:signal=KILL:when={nth}"), env!("CARGO_BIN_EXE_vramp")]).args(args);
    command.stdin(Stdio::null()).output().ok().map(Ran::from).filter(|ran| !ran.stderr.contains("ptrace"))
}

#[test]
fn killed_at_any_step_of_writing_a_file_leaves_none_that_is_half() {
    let folder = Folder::new();
    let input = film(&folder, "in.mkv", FILM);
    let plan = plan(&folder, &input, "out.mkv", &X264);
    let (output, made) = (folder.path("out.mkv"), format!("{plan}/parts/00000"));
    part(&plan, "0-3").ok();
    crate::join(&plan);
    let wanted = sha256(&output);
    let mut kills = 0;
    for (victim, call) in ["part", "join"]
        .into_iter()
        .flat_map(|victim| ["write", "fsync", "rename", "linkat", "unlink"].map(|call| (victim, call)))
    {
        for nth in 1..20 {
            fs::remove_file(&output).unwrap();
            let args = if victim == "part" { &["part", &plan, "0"][..] } else { &["join", &plan] };
            if victim == "part" {
                fs::remove_file(&made).unwrap();
            }
            let Some(ran) = killed_at(call, nth, args) else {
                eprintln!("skipped: strace is not there, or may not trace");
                return;
            };
            let at = format!("{victim}, {call} {nth}");
            if !Path::new(&output).exists() {
                let joined = run(&["join", &plan]);
                assert!(!joined.stderr.contains("it is removed"), "{at}: {}", joined.stderr);
                if joined.code != Some(0) {
                    assert_eq!((joined.code, joined.text()), (Some(9), "0\n"), "{at}: {}", joined.stderr);
                    part(&plan, "0").ok();
                    crate::join(&plan);
                }
                assert!(hidden(&format!("{plan}/parts")).is_empty(), "{at}");
            }
            assert_eq!(sha256(&output), wanted, "{at}");
            if ran.code.is_some() {
                break;
            }
            kills += 1;
        }
    }
    assert!(kills >= 8, "{kills} kills");
    assert_eq!(folder.names(), ["in.mkv", "out.mkv", "out.mkv.vramp"]);
}

#[test]
fn killed_while_it_clears_up_the_same_command_goes_on() {
    let folder = Folder::new();
    let input = film(&folder, "in.mkv", FILM);
    let output = folder.path("out.mkv");
    let plan = plan(&folder, &input, "out.mkv", &X264);
    // What a kill at that moment can leave: parts without a plan, or, of an earlier version, a plan without their folder.
    part(&plan, "0-1").ok();
    fs::remove_file(format!("{plan}/plan.json")).unwrap();
    let ran = segments(&input, &output, &X264).ok();
    assert!(ran.stderr.contains("2 of 4 parts are there"), "{}", ran.stderr);
    let whole = sha256(&output);
    fs::remove_file(&output).unwrap();
    crate::plan(&folder, &input, "out.mkv", &X264);
    fs::remove_dir(format!("{plan}/parts")).unwrap();
    segments(&input, &output, &X264).ok();
    assert_eq!(sha256(&output), whole);
}

#[test]
fn ctrl_c_leaves_the_parts_that_are_whole() {
    let folder = Folder::new();
    let input = film(&folder, "in.mkv", &FILM.replace("-t 2", "-t 30"));
    let output = folder.path("out.mkv");
    let command =
        [&[&input, &output, "--segments", "--segment", "0.5"], &X264[..], &["--chain", "bilateral=radius=9"]].concat();
    let child = vramp().args(&command).stderr(Stdio::piped()).spawn().unwrap();
    let parts = folder.path("out.mkv.vramp/parts");
    let is_there = |number: u32| Path::new(&format!("{parts}/{number:05}")).exists();
    while !is_there(0) {
        sleep(Duration::from_millis(20));
    }
    assert!(std::process::Command::new("kill").arg(child.id().to_string()).status().unwrap().success());
    let ran = Ran::from(child.wait_with_output().unwrap());
    refused(&ran, 130, &["the same command resumes"]);
    assert!(is_there(0) && hidden(&parts).is_empty(), "{}", ran.stderr);
    let status = run(&["status", &folder.path("out.mkv.vramp"), "--json"]).ok();
    let status: serde_json::Value = serde_json::from_slice(&status.stdout).unwrap();
    assert!(status["done"].as_u64().unwrap() >= 1 && status["failed"].as_array().unwrap().is_empty(), "{status}");
}

#[test]
fn status_says_how_far_it_is() {
    let folder = Folder::new();
    let input = film(&folder, "in.mkv", FILM);
    let plan = plan(&folder, &input, "out.mkv", &X264);
    part(&plan, "0,2").ok();
    let ran = run(&["status", &plan]).ok();
    for words in ["50 %", "2 of 4 parts, 24 of 48 frames", "missing: 1,3", ": 2 parts, 0 failures"] {
        assert!(ran.text().contains(words), "no {words:?} in {}", ran.text());
    }
    // Another machine is at work, and failed before.
    fs::write(format!("{plan}/parts/.00001.vramp-node7-12-0.part"), "x").unwrap();
    let line = r#"{"part":3,"event":"failed","at":5,"seconds":1.0,"frames":0,"error":"part 3: no disk"}"#;
    fs::write(format!("{plan}/log/node7.jsonl"), format!("{line}\n{{\"cut o")).unwrap();
    let ran = run(&["status", &plan]).ok();
    for words in ["at work: part 1 on node7", "failed: part 3 on node7: part 3: no disk", "node7: 0 parts, 1 failures"]
    {
        assert!(ran.text().contains(words), "no {words:?} in {}", ran.text());
    }
    let json: serde_json::Value = serde_json::from_slice(&run(&["status", &plan, "--json"]).ok().stdout).unwrap();
    assert_eq!(
        (&json["missing"], &json["frames_done"], &json["running"][0]["part"]),
        (&"1,3".into(), &24.into(), &1.into())
    );
}
