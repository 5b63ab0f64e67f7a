//! What goes wrong on farms: damaged parts, full disks, other plans, inputs and encoders.

use crate::command::{Folder, Ran, refused, run, vramp};
use crate::{FILM, X264, film, hidden, join, part, plan, read_plan, segments, sha256};
use std::fs;
use std::path::Path;
use std::process::Command;

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
    use std::io::BufWriter;
    use vramp::io::part::{PartReader, PartWriter};
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
    // A machine whose memory failed: the part has its hash, but one bit is another.
    let path = format!("{plan}/parts/00001");
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
    let ran = audit("0-2");
    refused(&ran, 1, &["part 1: n7 makes other bytes than", "The part is removed"]);
    assert!(ran.stderr.contains("part 2: the same bytes"), "{}", ran.stderr);
    assert_eq!(run(&["join", &plan]).text(), "1,3\n");
    assert_eq!(fs::read_dir(format!("{plan}/parts")).unwrap().count(), 2);
    let names = fs::read_dir(format!("{plan}/log")).unwrap().map(|entry| entry.unwrap().file_name());
    assert!(names.into_iter().all(|name| name.to_str().unwrap().ends_with(".jsonl")), "nothing is left");
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
