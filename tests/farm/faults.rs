//! What goes wrong on farms: damaged parts, full disks, other plans, inputs and encoders.

use crate::command::{Folder, Ran, refused, run, vramp};
use crate::{FILM, X264, count, film, hidden, join, part, plan, read_plan, segments, sha256};
use rustix::process::{Pid, Signal, kill_process};
use std::fs;
use std::io::BufWriter;
use std::path::Path;
use std::process::Command;
use vramp::io::part::{PartReader, PartWriter};

#[test]
fn a_flipped_bit_is_found_and_only_that_part_is_made_again() {
    let folder = Folder::new();
    let input = film(&folder, "in.mkv", FILM);
    let plan = plan(&folder, &input, "out.mkv", &X264);
    part(&plan, "0-3").ok();
    join(&plan);
    let output = folder.path("out.mkv");
    let sha = sha256(&output);
    fs::remove_file(&output).unwrap();
    let damaged = format!("{plan}/parts/00002");
    let mut bytes = fs::read(&damaged).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 4;
    fs::write(&damaged, bytes).unwrap();
    let ran = run(&["join", &plan]);
    refused(&ran, 9, &["1 part missing: 2"]);
    assert_eq!((ran.text(), Path::new(&output).exists()), ("2\n", false));
    part(&plan, "0-3").ok();
    join(&plan);
    assert_eq!(sha256(&output), sha);
}

#[test]
fn a_part_that_is_whole_and_wrong_is_found_by_another_machine() {
    let folder = Folder::new();
    let input = film(&folder, "in.mkv", FILM);
    let plan = plan(&folder, &input, "out.mkv", &X264);
    part(&plan, "0-2").ok();
    let audit = |which: &str| {
        Ran::from(vramp().args(["part", &plan, which, "--audit"]).env("SLURMD_NODENAME", "n7").output().unwrap())
    };
    let ran = audit("0-3").ok();
    assert_eq!(ran.stderr.matches(": the same bytes").count(), 3, "{}", ran.stderr);
    assert!(ran.stderr.contains("part 3: it is not there"), "{}", ran.stderr);
    fail_memory(&plan, 1);
    let ran = audit("0-2");
    refused(&ran, 1, &["part 1: n7 makes other bytes than", "The part is removed"]);
    assert!(ran.stderr.contains("part 2: the same bytes"), "{}", ran.stderr);
    assert_eq!(run(&["join", &plan]).text(), "1,3\n");
    assert_eq!(fs::read_dir(format!("{plan}/parts")).unwrap().count(), 2);
    let names = fs::read_dir(format!("{plan}/log")).unwrap().map(|entry| entry.unwrap().file_name());
    assert!(names.into_iter().all(|name| name.to_str().unwrap().ends_with(".jsonl")), "nothing is left");
}

/// Makes of part `number` what a machine makes whose memory fails: it has its hash, but one bit is another.
pub fn fail_memory(plan: &str, number: u32) {
    let path = format!("{plan}/parts/{number:05}");
    let (mut reader, header) = PartReader::begin(fs::File::open(&path).unwrap()).unwrap();
    let mut writer =
        PartWriter::begin(BufWriter::new(fs::File::create(format!("{path}.bad")).unwrap()), &header).unwrap();
    let mut first = true;
    while let Some(mut packet) = reader.packet().unwrap() {
        if std::mem::take(&mut first) {
            *packet.data.last_mut().unwrap() ^= 1;
        }
        writer.packet(&packet).unwrap();
    }
    std::io::Write::flush(&mut writer.finish().unwrap()).unwrap();
    fs::rename(format!("{path}.bad"), &path).unwrap();
}

#[test]
fn an_audit_chooses_parts_of_other_machines() {
    let folder = Folder::new();
    let input = film(&folder, "in.mkv", FILM);
    let plan = plan(&folder, &input, "out.mkv", &X264);
    let on = |machine: &str, args: &[&str], task: &str| {
        let mut command = vramp();
        command.args(["part", &plan]).args(args).env("SLURMD_NODENAME", machine);
        Ran::from(command.env("SLURM_ARRAY_TASK_ID", task).output().unwrap()).ok()
    };
    ["n1", "n2", "n1"].into_iter().zip(["0", "1", "2"]).for_each(|(machine, part)| drop(on(machine, &[], part)));
    // One of each machine first: 0 of n1, 1 of n2, then 2 of n1.
    for (machine, task, said) in [
        ("n1", "0", "part 1: the same bytes"),
        ("n1", "0", "n1 compares nothing"),
        ("n3", "1", "part 2: the same bytes"),
        ("n3", "7", "part 0: the same bytes"),
        ("n3", "0", "n3 compares nothing"),
    ] {
        let ran = on(machine, &["--audit"], task);
        assert!(ran.stderr.contains(said), "{machine}: {}", ran.stderr);
    }
    let status = run(&["status", &plan]).ok();
    assert!(status.text().contains("n3: 0 parts, 0 failures, 2 compared"), "{}", status.text());
}

#[test]
fn a_film_of_the_same_size_and_ends_is_another() {
    let folder = Folder::new();
    // What lies in the middle is pictures, and decodes whatever it is.
    let video = "-f lavfi -i testsrc2=s=640x480:r=24 -t 2";
    for (ending, codec) in [("mkv", "rawvideo"), ("mov", "prores_ks")] {
        let input = film(&folder, &format!("in.{ending}"), &format!("{video} -c:v {codec}"));
        let plan = plan(&folder, &input, &format!("{ending}.mkv"), &[&["--cuts=exact"], &X264[..]].concat());
        assert_eq!(count(&plan), 4);
        part(&plan, "0").ok();
        // A copy that is not whole: as long as the film, with a hole that was not written.
        let mut bytes = fs::read(&input).unwrap();
        let middle = bytes.len() / 2;
        bytes[middle + 70_000..middle + 90_000].fill(0);
        let dated = fs::metadata(&input).unwrap().modified().unwrap();
        fs::write(&input, bytes).unwrap();
        fs::File::options().write(true).open(&input).unwrap().set_modified(dated).unwrap();
        let ran = part(&plan, "0-3");
        refused(&ran, 4, &["part 2", "its pictures are others than those the plan was made of"]);
        assert_eq!(run(&["join", &plan]).text(), "2\n", "{ending}: the others are as they were");
    }
}

#[test]
fn another_film_is_found_before_a_part_is_made() {
    let folder = Folder::new();
    let video = "-f lavfi -i testsrc2=s=640x480:r=24 -t 1 -c:v rawvideo";
    let input = film(&folder, "in.mkv", video);
    let plan = plan(&folder, &input, "out.mkv", &X264);
    // The same size, the same ends, and another film between.
    let bytes = fs::read(&input).unwrap();
    let mut other = bytes.clone();
    let end = other.len() - (1 << 20);
    other[1 << 20..end].iter_mut().for_each(|byte| *byte ^= 1);
    fs::write(&input, &other).unwrap();
    refused(&part(&plan, "0-1"), 4, &["in.mkv: it is another file than the plan was made of"]);
    assert_eq!(fs::read_dir(format!("{plan}/parts")).unwrap().count(), 0);
    let output = folder.path("out.mkv");
    refused(
        &segments(&input, &output, &X264),
        2,
        &["out.mkv.vramp holds another plan: in.mkv is another film", "--restart"],
    );
    fs::write(&input, &bytes).unwrap();

    // Under another name it is the same film.
    let moved = folder.path("moved.mkv");
    fs::rename(&input, &moved).unwrap();
    fs::write(&input, &other).unwrap();
    let ran = segments(&moved, &output, &[&X264[..], &["--keep-parts"]].concat()).ok();
    assert!(!ran.stderr.contains("warn"), "{}", ran.stderr);
    assert_eq!(read_plan(&plan).input.path, "../moved.mkv");
    refused(
        &segments(&input, &output, &[&X264[..], &["-y"]].concat()),
        2,
        &["it is of moved.mkv, and in.mkv is another film"],
    );

    // A folder that was renamed makes what it made.
    fs::rename(&plan, folder.path("new.mkv.vramp")).unwrap();
    refused(
        &segments(&moved, &folder.path("new.mkv"), &X264),
        2,
        &["new.mkv.vramp holds another plan: it makes out.mkv"],
    );
    fs::write(folder.path("new.mkv.vramp/plan.json"), "{").unwrap();
    refused(&segments(&moved, &folder.path("new.mkv"), &X264), 4, &["it is no plan", "--restart drops it"]);
}

#[test]
fn a_film_that_is_replaced_while_parts_are_made_is_found_before_the_next() {
    let folder = Folder::new();
    let video = FILM.replace("96x64", "320x192").replace("-t 2", "-t 4");
    let (input, other) =
        (film(&folder, "in.mkv", &video), film(&folder, "other.mkv", &video.replace("testsrc2", "testsrc")));
    let plan =
        plan(&folder, &input, "out.mkv", &[&X264[..], &["--chain", "bilateral=radius=9", "--threads", "1"]].concat());
    let child = vramp().args(["part", &plan, "0-7"]).stderr(std::process::Stdio::piped()).spawn().unwrap();
    while !Path::new(&format!("{plan}/parts/00000")).exists() {
        std::thread::sleep(std::time::Duration::from_millis(2));
    }
    fs::rename(other, &input).unwrap();
    let ran = Ran::from(child.wait_with_output().unwrap());
    refused(&ran, 4, &["in.mkv: it is another file than the plan was made of"]);
    assert!(!ran.stderr.contains("its pictures are others"), "{}", ran.stderr);
}

#[test]
fn files_of_the_chain_are_those_of_the_plan_wherever_it_runs() {
    let folder = Folder::new();
    film(&folder, "in.mkv", FILM);
    let cube = |darker: f64| {
        let values =
            (0..8).map(|n| [n & 1, n >> 1 & 1, n >> 2].map(|bit| format!("{}", f64::from(bit) * darker)).join(" "));
        format!("LUT_3D_SIZE 2\n{}\n", values.collect::<Vec<_>>().join("\n"))
    };
    fs::write(folder.path("grade.cube"), cube(0.9)).unwrap();
    fs::write(folder.path("kernel.txt"), "1 2 1\n2 4 2\n1 2 1\n").unwrap();
    fs::create_dir(folder.path("moved")).unwrap();
    let here = |args: &[&str]| Ran::from(vramp().args(args).current_dir(folder.path("")).output().unwrap());
    let chain = "lut3d=file=grade.cube:matrix=bt709,convolve=kernel.txt";
    let planned = [&["plan", "in.mkv", "out.mkv", "--segment=0.5", "--chain", chain], &X264[..]].concat();
    here(&planned).ok();
    let plan = folder.path("out.mkv.vramp");
    // The kernel is in the plan by now; both names are meant from the folder of the plan's maker.
    fs::write(folder.path("kernel.txt"), "1\n").unwrap();
    part(&plan, "0-1").ok();
    // What changed within the file's size is found, too.
    fs::write(folder.path("grade.cube"), cube(0.8)).unwrap();
    refused(&part(&plan, "2"), 4, &["grade.cube: it is another file than the plan was made of"]);
    refused(&run(&["join", &plan]), 4, &["grade.cube"]);
    fs::write(folder.path("grade.cube"), cube(0.9)).unwrap();
    // All of it moves.
    for name in ["in.mkv", "grade.cube", "out.mkv.vramp"] {
        fs::rename(folder.path(name), folder.path(&format!("moved/{name}"))).unwrap();
    }
    let plan = folder.path("moved/out.mkv.vramp");
    part(&plan, "2-3").ok();
    join(&plan);
    // The same film by one run, of the first kernel.
    fs::write(folder.path("moved/kernel.txt"), "1 2 1\n2 4 2\n1 2 1\n").unwrap();
    let moved = folder.path("moved");
    let command = [&["in.mkv", "here.mkv", "--segments", "--segment=0.5", "--chain", chain], &X264[..]].concat();
    Ran::from(vramp().args(command).current_dir(&moved).output().unwrap()).ok();
    assert_eq!(sha256(&folder.path("moved/out.mkv")), sha256(&folder.path("moved/here.mkv")));
}

#[test]
fn whoever_is_slower_stops_when_a_part_is_made() {
    let folder = Folder::new();
    let input = film(&folder, "in.mkv", &FILM.replace("-t 2", "-t 4"));
    let plan = plan(&folder, &input, "out.mkv", &["-c", "ffv1", "--segment=60", "--chain", "bilateral=radius=5"]);
    part(&plan, "0").ok();
    let (path, kept) = (format!("{plan}/parts/00000"), folder.path("kept"));
    fs::rename(&path, &kept).unwrap();
    // A machine that is slow: it stands still once it has begun.
    let slow = ["--threads=1", "--cpu-level=portable"];
    let child =
        vramp().args(["part", &plan, "--missing"]).args(slow).stderr(std::process::Stdio::piped()).spawn().unwrap();
    while hidden(&format!("{plan}/parts")).is_empty() {
        assert!(!Path::new(&path).exists(), "it is as fast as that");
        std::thread::yield_now();
    }
    let signal = |signal| kill_process(Pid::from_child(&child), signal).unwrap();
    signal(Signal::STOP);
    fs::copy(&kept, folder.path("copy")).unwrap();
    fs::rename(folder.path("copy"), &path).unwrap();
    std::thread::sleep(std::time::Duration::from_millis(1100));
    signal(Signal::CONT);
    let ran = Ran::from(child.wait_with_output().unwrap()).ok();
    assert!(ran.stderr.contains("part 0: another machine has made it meanwhile"), "{}", ran.stderr);
    assert_eq!(fs::read(&path).unwrap(), fs::read(&kept).unwrap());
    assert!(hidden(&format!("{plan}/parts")).is_empty());
    let status = run(&["status", &plan]).ok();
    assert!(status.text().contains("1 parts, 0 failures"), "no failure, and no part of its own: {}", status.text());
}

#[test]
fn a_full_disk_leaves_nothing_half_under_a_parts_name() {
    let folder = Folder::new();
    let input = film(&folder, "in.mkv", FILM);
    let plan = plan(&folder, &input, "out.mkv", &["-c", "rawvideo"]);
    // A limit of the size of files is a full disk to a program that ignores the signal.
    let limited = format!("trap '' XFSZ; ulimit -f 20; exec {} part {plan} 0-3", env!("CARGO_BIN_EXE_vramp"));
    let ran = Ran::from(Command::new("sh").args(["-c", &limited]).output().unwrap());
    refused(&ran, 7, &["part 0", "File too large"]);
    assert_eq!(fs::read_dir(format!("{plan}/parts")).unwrap().count(), 0, "{:?}", hidden(&format!("{plan}/parts")));
    part(&plan, "0-3").ok();
    join(&plan);
}

#[test]
fn a_folder_that_cannot_be_written_is_named() {
    let folder = Folder::new();
    let input = film(&folder, "in.mkv", FILM);
    let plan = plan(&folder, &input, "out.mkv", &X264);
    fs::remove_dir(format!("{plan}/parts")).unwrap();
    // Root may write to folders that are read-only, but not here.
    std::os::unix::fs::symlink("/proc/self", format!("{plan}/parts")).unwrap();
    refused(&part(&plan, "0"), 7, &["part 0"]);
}

#[test]
fn another_plan_is_refused_and_restart_drops_it() {
    let folder = Folder::new();
    let input = film(&folder, "in.mkv", FILM);
    let output = folder.path("out.mkv");
    let first = plan(&folder, &input, "out.mkv", &X264);
    part(&first, "0").ok();
    let id = read_plan(&first).id;
    for (args, words) in [
        (&["--crf", "30"][..], "its options are others"),
        (&["--segment=0.7"], "it is cut in another way"),
        (&["--fast"], "it is cut in another way"),
    ] {
        let ran = segments(&input, &output, &[&X264[..], args].concat());
        refused(&ran, 2, &["holds another plan", words, "--restart"]);
    }
    assert_eq!(read_plan(&first).id, id);
    segments(&input, &output, &[&X264[..], &["--crf", "30", "--restart", "--keep-parts"]].concat()).ok();
    assert_ne!(read_plan(&first).id, id);

    // Parts of another plan do not count, wherever they come from.
    let foreign = fs::read(format!("{first}/parts/00000")).unwrap();
    fs::remove_dir_all(&first).unwrap();
    let plan = plan(&folder, &input, "out.mkv", &[&X264[..], &["-y"]].concat());
    fs::write(format!("{plan}/parts/00000"), foreign).unwrap();
    assert_eq!(run(&["join", &plan]).text(), "0-3\n");
}

#[test]
fn other_inputs_and_other_encoders_make_no_parts() {
    let folder = Folder::new();
    let input = film(&folder, "in.mkv", FILM);
    let plan = plan(&folder, &input, "out.mkv", &X264);
    let mut other = read_plan(&plan);
    other.encoder.identify(1);
    let written = fs::read(format!("{plan}/plan.json")).unwrap();
    fs::write(format!("{plan}/plan.json"), other.sealed().unwrap().text().unwrap()).unwrap();
    refused(&part(&plan, "0"), 3, &["libx264 makes other bytes than the plan's"]);
    fs::write(
        format!("{plan}/plan.json"),
        String::from_utf8(written.clone()).unwrap().replace("\"threads\": 4", "\"threads\": 2"),
    )
    .unwrap();
    refused(&part(&plan, "0"), 4, &["it was changed after it was made"]);
    fs::write(format!("{plan}/plan.json"), written).unwrap();

    let mut bytes = fs::read(&input).unwrap();
    let last = bytes.len() - 100;
    bytes[last] ^= 1;
    fs::write(&input, bytes).unwrap();
    refused(&part(&plan, "0"), 4, &["in.mkv: it is another file than the plan was made of"]);
    fs::remove_file(&input).unwrap();
    refused(&part(&plan, "0"), 7, &["in.mkv"]);
    assert_eq!(fs::read_dir(format!("{plan}/parts")).unwrap().count(), 0);
}

#[test]
fn engines_name_the_part() {
    let folder = Folder::new();
    let input = film(&folder, "in.mkv", FILM);
    let plan = plan(&folder, &input, "out.mkv", &X264);
    let with = |variables: &[(&str, &str)]| {
        Ran::from(vramp().args(["part", &plan]).envs(variables.to_vec()).output().unwrap())
    };
    with(&[("SLURM_ARRAY_TASK_ID", "1")]).ok();
    with(&[("PARALLEL_SEQ", "1"), ("VRAMP_TASK_BASE", "2")]).ok();
    assert_eq!(run(&["join", &plan]).text(), "0,3\n");
    refused(&with(&[]), 2, &["SLURM_ARRAY_TASK_ID", "vramp part DIR 7"]);
    refused(&with(&[("SLURM_ARRAY_TASK_ID", "0"), ("SGE_TASK_ID", "1")]), 2, &["SLURM_ARRAY_TASK_ID and SGE_TASK_ID"]);
    refused(&with(&[("SLURM_ARRAY_TASK_ID", "4")]), 2, &["there is no part 4: the last one is 3"]);
    refused(&part(&plan, "2-9"), 2, &["there is no part 4"]);
}

#[test]
fn what_cannot_be_done_in_parts_is_said_at_once() {
    let folder = Folder::new();
    let input = film(&folder, "in.mkv", FILM);
    let output = folder.path("out.mkv");
    for (args, code, words) in [
        (&["--two-pass", "--bitrate", "1M"][..], 2, "--two-pass"),
        (&["--target-size", "1M"], 2, "--target-size"),
        (&["--chain", "separate_fields"], 3, "separate_fields changes the number of frames"),
        (&["-c", "libtheora"], 3, "parts of theora are not joined"),
        (&["--hash", "md5"], 2, "name one that ends in .mkv"),
        (&["-f", "avi"], 3, "not joined in avi"),
        (&["--strict"], 2, "--strict"),
        (&["--records", "r.jsonl"], 2, "--records"),
    ] {
        refused(&segments(&input, &output, args), code, &[words]);
    }
    for option in [&["--jobs", "2"][..], &["--segment=20"], &["--cuts", "exact"], &["--fast"], &["--restart"]] {
        refused(&run(&[&[input.as_str(), &output], option].concat()), 2, &["--segments"]);
    }
    refused(&segments("-", &output, &[]), 7, &["-"]);
    assert_eq!(folder.names(), ["in.mkv"], "nothing is left");
    fs::write(&output, "mine").unwrap();
    refused(&segments(&input, &output, &X264), 2, &["exists"]);
    refused(&run(&["status", &folder.path("none")]), 7, &["plan.json"]);
}
