//! A part reads its share of the input, and no more.

use crate::command::{Folder, run};
use crate::{X264, film, plan, read_plan};
use std::fs;

/// Bytes that making part `number` reads.
fn read(plan: &str, number: u32) -> f64 {
    let ran = run(&["part", plan, &number.to_string(), "-v"]).ok();
    assert!(!ran.stderr.contains("does not lie"), "{}", ran.stderr);
    let line = ran.stderr.lines().find(|line| line.contains("of the input were read")).expect("it says so");
    let mut words = line
        .split_whitespace()
        .skip_while(|word| !word.starts_with(|c: char| c.is_ascii_digit()) || word.ends_with(':'));
    let number: f64 = words.next().unwrap().parse().unwrap();
    number * if words.next() == Some("MiB") { 1048576.0 } else { 1024.0 }
}

#[test]
fn each_part_reads_its_share() {
    let folder = Folder::new();
    // Of 40 seconds each part of four has ten.
    let video = "-f lavfi -i testsrc2=s=192x128:r=25 -t 40 -vf noise=alls=60:allf=t -c:v libx264 -preset ultrafast -qp 12 -g 25 -bf 2";
    let source = film(&folder, "source.mkv", video);
    for ending in ["mkv", "mp4", "mov", "ts"] {
        let input = film(&folder, &format!("in.{ending}"), &format!("-i {source} -c copy"));
        let plan = plan(&folder, &input, &format!("{ending}.mkv"), &[&["--segment=10"], &X264[..]].concat());
        let parts = read_plan(&plan).parts;
        assert!(parts.len() == 4 && parts[1..].iter().all(|part| part.seek.is_some()), "{ending}: {parts:?}");
        let share = fs::metadata(&input).unwrap().len() as f64 / 4.0;
        for number in 0..4 {
            let read = read(&plan, number);
            eprintln!("{ending} part {number}: {:.3} of its share of {share}", read / share);
            assert!(read <= share * 1.1, "{ending} part {number}: {read} of {share}");
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
