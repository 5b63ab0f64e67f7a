//! The three promises, each with a control that differs, so that the test is known to see a difference.

use crate::command::{Folder, Ran, hashes, run, vramp};
use crate::{FILM, X264, count, distinct, film, join, plan, segments, sha256};
use std::fs;
use std::process::{Command, Stdio};

#[test]
fn frames_are_those_of_a_run_of_the_whole() {
    let folder = Folder::new();
    let input = film(&folder, "in.mkv", FILM);
    // Noise by frame number, and frames before and after: both would show where a part begins.
    let chain = "deband=range=8:sample=2:rand_each_frame=on,tmedian";
    let whole = hashes(&input, &["--chain", chain]);
    for cuts in ["key", "exact"] {
        let output = folder.path("out.mkv");
        segments(
            &input,
            &output,
            &["--chain", chain, "-c", "ffv1", "--cuts", cuts, "--segment=0.3", "-y", "--restart"],
        )
        .ok();
        assert_eq!(frames(&hashes(&output, &[])), frames(&whole), "{cuts}");
        assert!(!folder.names().contains(&"out.mkv.vramp".to_owned()), "parts of a whole film are removed");
    }
    assert!(distinct(frames(&whole)) > 40, "frames differ from each other");
}

#[test]
fn parts_that_know_nothing_of_the_film_have_other_frames() {
    let folder = Folder::new();
    let input = film(&folder, "in.mkv", FILM);
    // A part as a film of its own: the control of the promise above, by the same hashes.
    let part = film(&folder, "part.mkv", &format!("-i {input} -an -vf trim=start_frame=13:end_frame=25 -c:v ffv1"));
    let of = |chain: &[&str]| {
        let [whole, part] = [&input, &part].map(|input| frames(&hashes(input, chain)));
        assert_eq!(part.len(), 12);
        (part, whole[13..25].to_vec())
    };
    let (part_is, should_be) = of(&[]);
    assert_eq!(part_is, should_be, "without a filter it has the film's frames");
    let (part_is, should_be) = of(&["--chain", "tmedian"]);
    assert_ne!(part_is[0], should_be[0], "it lacks the frame before");
    assert_ne!(part_is[11], should_be[11], "it lacks the frame after");
    assert_eq!(part_is[1..11], should_be[1..11]);
    let (part_is, should_be) = of(&["--chain", "deband=range=8:sample=2:rand_each_frame=on"]);
    assert!(part_is.iter().zip(&should_be).all(|(is, should_be)| is != should_be), "its noise begins anew");
}

/// The hashes of frames among lines of `hashes`.
fn frames(lines: &[String]) -> Vec<String> {
    lines.iter().map(|line| line.rsplit(", ").next().unwrap().to_owned()).collect()
}

#[test]
fn the_same_plan_makes_the_same_file() {
    let folder = Folder::new();
    let input = film(&folder, "in.mkv", FILM);
    let output = |name: &str| folder.path(&format!("{name}/out.mkv"));
    let args = [&["--chain", "deband"], &X264[..]].concat();
    let made = |name: &str, jobs: &[&str]| {
        fs::create_dir(folder.path(name)).unwrap();
        segments(&input, &output(name), &[&args[..], jobs].concat()).ok();
        sha256(&output(name))
    };
    let sha = made("one", &["--jobs", "1"]);
    assert_eq!(made("three", &["--jobs", "3", "--threads", "1", "--cpu-level", "portable"]), sha);

    // Backwards, twice, and by two processes at a time; the second of each finds a part that is there, or makes the same.
    fs::create_dir(folder.path("far")).unwrap();
    let far = plan(&folder, &input, "far/out.mkv", &args);
    for number in (0..count(&far)).rev() {
        let two = [0, 1].map(|_| vramp().args(["part", &far, &number.to_string()]).spawn().unwrap());
        two.into_iter().for_each(|mut child| assert!(child.wait().unwrap().success()));
    }
    join(&far);
    assert_eq!(sha256(&output("far")), sha);

    // Controls: another cut, and other threads.
    assert_ne!(made("cut", &["--segment=0.9"]), sha);
    assert_ne!(made("threads", &["--encoder-threads", "1"]), sha);
}

#[test]
fn a_plan_follows_from_the_film_and_the_options() {
    let folder = Folder::new();
    let input = film(&folder, "in.mkv", FILM);
    let id = |args: &[&str]| {
        let plan = plan(&folder, &input, "out.mkv", &[&X264[..], args].concat());
        let id = crate::read_plan(&plan).id;
        fs::remove_dir_all(plan).unwrap();
        id
    };
    let first = id(&[]);
    assert_eq!(id(&[]), first);
    assert_eq!(id(&["--device", "cpu", "--threads", "1", "-y"]), first, "where it runs is no matter");
    let others = [&["--crf", "30"][..], &["--chain", "box=1"], &["--cuts", "exact"], &["--fast"], &["--no-audio"]];
    assert_eq!(distinct(others.map(id).into_iter().chain([first])), 6);
}

#[test]
fn vector_levels_are_pinned() {
    let folder = Folder::new();
    // x264's levels differ where it searches and weighs more than its fastest preset does.
    let input = film(&folder, "in.mkv", &FILM.replace("96x64", "320x192").replace("-t 2", "-t 1"));
    let made = |level: &str, pinned: &str| {
        let output = folder.path("out.mkv");
        let own = format!("x264-params=asm={level}{pinned}");
        segments(&input, &output, &["-c", "libx264", "--preset", "fast", "-x", &own, "-y", "--restart"]).ok();
        sha256(&output)
    };
    assert_eq!(distinct(["SSE2", "AVX2"].map(|level| made(level, ""))), 1);
    assert_eq!(distinct(["SSE2", "AVX2"].map(|level| made(level, ":cpu-independent=0"))), 2, "the control");
}

/// Runs `vramp` on one processor of the machine.
fn on_one_processor(args: &[&str]) -> Ran {
    let status = fs::read_to_string("/proc/self/status").unwrap();
    let allowed = status.lines().find_map(|line| line.strip_prefix("Cpus_allowed_list:")).unwrap();
    let first = allowed.trim().split([',', '-']).next().unwrap();
    let mut command = Command::new("taskset");
    command.args(["-c", first, env!("CARGO_BIN_EXE_vramp")]).args(args).stdin(Stdio::null());
    command.output().unwrap().into()
}

#[test]
fn machines_of_any_size_make_the_same_bytes() {
    let folder = Folder::new();
    let input = film(&folder, "in.mkv", &FILM.replace("96x64", "192x128").replace("-t 2", "-t 1"));
    let output = folder.path("out.mkv");
    let made = |encoder: &str, more: &str| {
        let command = format!("{input} {output} --segments --segment=0.5 --jobs=1 -y --restart -c {encoder} {more}");
        let command: Vec<_> = command.split_whitespace().collect();
        let made = [run(&command), on_one_processor(&command)].map(|ran| {
            ran.ok();
            sha256(&output)
        });
        let [one, other] = made;
        assert_eq!(one, other, "{encoder} {more}");
        one
    };
    let buffer = "-x maxrate=200k -x bufsize=100k";
    for encoder in [
        &*format!("libx264 --preset fast {buffer}"),
        &*format!("libx265 --preset ultrafast {buffer}"),
        "libsvtav1 --preset 12",
        "libsvtav1 --preset 12 --bitrate 200k",
        "libvpx-vp9 -x deadline=realtime -x cpu-used=8",
        "ffv1",
        "prores_ks",
        "mjpeg -x strict=unofficial",
    ] {
        made(encoder, "");
    }
    // Bytes of these depend on threads, as the controls show, and the machine's would be taken where none were pinned.
    for (encoder, others) in [
        ("libx264 --preset fast", "--encoder-threads 2"),
        ("libx265 --preset ultrafast", "-x x265-params=frame-threads=1"),
        ("libaom-av1 -x usage=realtime -x cpu-used=8", "--encoder-threads 1"),
        ("mpeg4", "--encoder-threads 2"),
        ("mpeg2video", "--encoder-threads 2"),
    ] {
        assert_ne!(made(encoder, ""), made(encoder, &format!("--fast {others}")), "{encoder}");
    }
}

#[test]
fn frames_that_stand_alone_are_as_without_parts() {
    let folder = Folder::new();
    let input = film(&folder, "in.mkv", FILM);
    let is_equal = |ending: &str, encoder: &[&str]| {
        let (whole, parts) = (folder.path(&format!("whole.{ending}")), folder.path(&format!("parts.{ending}")));
        run(&[&[&input, &whole, "--encoder-threads", "4", "-y"], encoder].concat()).ok();
        segments(&input, &parts, &[encoder, &["-y"]].concat()).ok();
        sha256(&whole) == sha256(&parts)
    };
    assert!(is_equal("mkv", &["-c", "ffv1", "-x", "g=1"]));
    assert!(is_equal("mov", &["-c", "prores_ks"]));
    assert!(is_equal("mkv", &["-c", "utvideo"]));
    assert!(!is_equal("mkv", &X264), "the control");
}
