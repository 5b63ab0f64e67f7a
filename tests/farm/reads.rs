//! A part reads its share of the input, and no more.

use crate::command::{Folder, Ran, run, vramp};
use crate::{X264, film, plan, read_plan};
use rustix::process::{Pid, WaitId, WaitIdOptions, waitid};
use std::fs;
use std::io::Read;
use std::process::Stdio;
use std::thread::sleep;
use std::time::Duration;

/// What is read of a film to know it again, which a process does once (docs/FARM.md).
const LOOK: u64 = 128 << 10;

/// What was found in a file that was just written is not kept.
const AT_REST: Duration = Duration::from_secs(4);

/// Runs `vramp` with `args`. Gives what it read as the system counts it, by whatever part of it: all that its calls read, of files and
/// else.
fn read_by(args: &[&str]) -> (u64, Ran) {
    let mut child = vramp().args(args).stderr(Stdio::piped()).stdout(Stdio::null()).spawn().unwrap();
    let mut stderr = String::new();
    child.stderr.take().unwrap().read_to_string(&mut stderr).unwrap();
    // It has ended, but is still there to be asked.
    waitid(WaitId::Pid(Pid::from_child(&child)), WaitIdOptions::EXITED | WaitIdOptions::NOWAIT).unwrap();
    let counts = fs::read_to_string(format!("/proc/{}/io", child.id())).unwrap();
    let read = counts.lines().find_map(|line| line.strip_prefix("rchar: ")).expect("Linux counts it");
    (read.parse().unwrap(), Ran { code: child.wait().unwrap().code(), stdout: Vec::new(), stderr })
}

/// What making the parts `which` reads of the film, and what of that libav reads.
fn read(plan: &str, which: &str) -> (u64, u64) {
    // Libraries, the plan and what the system says of a process: `vramp status` reads the same.
    let (besides, _) = read_by(&["status", plan]);
    // A decoder has a frame more in flight for each thread.
    let (all, ran) = read_by(&["part", plan, which, "--decoder-threads=2", "-v"]);
    let ran = ran.ok();
    assert!(!ran.stderr.contains("does not lie"), "{}", ran.stderr);
    let numbers = ran.stderr.lines().filter_map(|line| line.strip_suffix(" bytes of the input were read"));
    let libav = numbers.map(|line| line.rsplit(' ').next().unwrap().parse::<u64>().unwrap()).sum();
    assert!(libav > 0, "it says so: {}", ran.stderr);
    (all - besides, libav)
}

#[test]
fn a_film_is_looked_at_once_however_many_parts_are_made() {
    let folder = Folder::new();
    let video =
        "-f lavfi -i testsrc2=s=192x128:r=25 -t 8 -vf noise=alls=60:allf=t -c:v libx264 -preset ultrafast -qp 12 -g 25";
    let input = film(&folder, "in.mkv", video);
    assert!(fs::metadata(&input).unwrap().len() > 20 * LOOK);
    let plan = plan(&folder, &input, "out.mkv", &[&["--segment=2"], &X264[..]].concat());
    sleep(AT_REST);
    let (all, libav) = read(&plan, "0-3");
    let looked = all - libav;
    eprintln!("{looked} bytes beside libav's {libav}");
    assert!((LOOK..LOOK * 3 / 2).contains(&looked), "{looked}");
}

#[test]
fn each_part_reads_its_share() {
    let folder = Folder::new();
    // Of 40 seconds each part of four has ten, which are 8 MB.
    let video = "-f lavfi -i testsrc2=s=192x128:r=25 -t 40 -vf noise=alls=60:allf=t -c:v libx264 -preset ultrafast -qp 12 -g 25 -bf 2";
    let source = film(&folder, "source.mkv", video);
    let films = ["mkv", "mp4", "mov", "ts"]
        .map(|ending| (ending, film(&folder, &format!("in.{ending}"), &format!("-i {source} -c copy"))));
    sleep(AT_REST);
    for (ending, input) in films {
        let plan = plan(&folder, &input, &format!("{ending}.mkv"), &[&["--segment=10"], &X264[..]].concat());
        let parts = read_plan(&plan).parts;
        assert!(parts.len() == 4 && parts[1..].iter().all(|part| part.seek.is_some()), "{ending}: {parts:?}");
        let share = fs::metadata(&input).unwrap().len() as f64 / 4.0;
        assert!((8e6..9e6).contains(&share), "{share}");
        for number in 0..4 {
            let (read, libav) = read(&plan, &number.to_string());
            let [all, libav] = [read, libav].map(|bytes| bytes as f64 / share);
            eprintln!("{ending} part {number}: {all:.3} of its share of {share}, of that {libav:.3} by libav");
            assert!(all <= 1.1, "{ending} part {number}: {read} of {share}");
        }
    }
}

#[test]
fn tracks_are_found_by_reading_little_only_where_all_are() {
    let folder = Folder::new();
    let video = "-f lavfi -i testsrc2=s=320x192:r=25 -t 6";
    let options =
        "-map 0 -map 1 -t 6 -vf noise=alls=60:allf=t -c:v libx264 -preset ultrafast -qp 12 -g 25 -bf 2 -c:a aac";
    let probe = |name: &str, sound: &str| {
        let input = film(&folder, name, &format!("{video} {sound} {options}"));
        let plan = plan(&folder, &input, &format!("{name}.mkv"), &[&["--segment=3"], &X264[..]].concat());
        let ran = run(&["part", &plan, "0-1", "-v"]).ok();
        assert!(!ran.stderr.contains("do not show what was found"), "{}", ran.stderr);
        read_plan(&plan).input.opening.map(|opening| opening.probe)
    };
    let early = probe("early.ts", "-f lavfi -i sine").expect("libav reads five megabytes for what is there at once");
    // A megabyte of pictures comes before the sound, whose clock is part of what was found.
    let late = probe("late.ts", "-itsoffset 0.5 -f lavfi -i sine");
    assert!(late.is_none_or(|late| late > early), "{early} {late:?}");
    assert_eq!(probe("table.mkv", "-f lavfi -i sine"), None, "little is read anyway");
}

#[test]
fn a_place_that_does_not_hold_costs_time_and_nothing_else() {
    let folder = Folder::new();
    let input = film(&folder, "in.mkv", crate::FILM);
    let plan = plan(&folder, &input, "out.mkv", &X264);
    crate::part(&plan, "0-3").ok();
    let made = fs::read(format!("{plan}/parts/00002")).unwrap();
    fs::remove_file(format!("{plan}/parts/00002")).unwrap();
    // The id is the same only for the same plan: parts of another one do not count, so the comparison leaves it out.
    let mut other = read_plan(&plan);
    other.parts[2].seek.as_mut().unwrap().packet = "0".repeat(32);
    let other = other.sealed().unwrap();
    fs::write(format!("{plan}/plan.json"), other.text().unwrap()).unwrap();
    let ran = crate::part(&plan, "2").ok();
    assert!(ran.stderr.contains("does not lie where the plan says"), "{}", ran.stderr);
    let again = fs::read(format!("{plan}/parts/00002")).unwrap();
    // Behind the first word stands the plan's id, and before the last the hash of all.
    assert_eq!(again[24..again.len() - 24], made[24..made.len() - 24]);
    assert_ne!(again[8..24], made[8..24]);
}
