//! Films in parts: `--segments`, `vramp plan`, `part`, `join` and `status`.

#[path = "../command/mod.rs"]
mod command;

mod disputes;
mod faults;
mod join;
mod many;
mod model;
mod promises;
mod reads;
mod slurm;
mod stops;
mod submit;

use command::{Folder, Ran, ffmpeg, run};
use sha2::{Digest, Sha256};
use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::process::Command;

/// Two seconds with sound, key frames every 12 frames with B-frames between, and frames that change throughout.
const FILM: &str = "-f lavfi -i testsrc2=s=96x64:r=24000/1001 -f lavfi -i sine=f=440:r=48000 -t 2 -c:v libx264 -preset ultrafast \
                    -bf 2 -g 12 -c:a aac";

/// What parts are encoded with where that does not matter.
const X264: [&str; 4] = ["-c", "libx264", "-x", "preset=ultrafast"];

/// A film of `args` under `name`.
fn film(folder: &Folder, name: &str, args: &str) -> String {
    let path = folder.path(name);
    ffmpeg(&format!("{args} {path}"));
    path
}

/// The plan of `input` in parts of half a second; gives its folder.
#[track_caller]
fn plan(folder: &Folder, input: &str, output: &str, args: &[&str]) -> String {
    let path = folder.path(output);
    run(&[&["plan", input, &path], length(args), args].concat()).ok();
    format!("{path}.vramp")
}

/// The same through `--segments`.
#[track_caller]
fn segments(input: &str, output: &str, args: &[&str]) -> Ran {
    run(&[&[input, output, "--segments"], length(args), args].concat())
}

/// Half a second, where `args` say nothing else.
fn length(args: &[&str]) -> &'static [&'static str] {
    if args.iter().any(|arg| arg.starts_with("--segment=")) { &[] } else { &["--segment=0.5"] }
}

/// Makes the parts `which`.
fn part(plan: &str, which: &str) -> Ran {
    run(&["part", plan, which])
}

#[track_caller]
fn join(plan: &str) {
    run(&["join", plan]).ok();
}

/// How many parts a plan has.
fn count(plan: &str) -> u32 {
    read_plan(plan).count()
}

fn read_plan(plan: &str) -> vramp::farm::FilmPlan {
    vramp::farm::FilmPlan::parse(&fs::read(format!("{plan}/plan.json")).unwrap()).unwrap()
}

/// The option for machines that run `vramp` after the shell commands `before`.
fn program(folder: &Folder, before: &str) -> String {
    let path = folder.path("vramp.sh");
    fs::write(&path, format!("#!/bin/sh\n{before}\nexec {} \"$@\"\n", env!("CARGO_BIN_EXE_vramp"))).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    format!("--program={path}")
}

fn sha256(path: &str) -> String {
    Sha256::digest(fs::read(path).unwrap()).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// What ffprobe says of each packet of a stream, one line each.
fn packets(path: &str, stream: &str, entries: &str) -> Vec<String> {
    let entries = format!("packet={entries}");
    let args = [
        "-v",
        "error",
        "-select_streams",
        stream,
        "-show_data_hash",
        "md5",
        "-show_entries",
        &entries,
        "-of",
        "csv=p=0",
    ];
    let output = Command::new("ffprobe").args(args).arg(path).output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    text.lines().map(|line| line.trim_end_matches(',').to_owned()).filter(|line| !line.is_empty()).collect()
}

/// The names in a folder that begin with a dot: files that are not whole.
fn hidden(folder: &str) -> Vec<String> {
    let names = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    names.filter(|name| name.starts_with('.')).collect()
}

/// The different ones among `texts`.
fn distinct(texts: impl IntoIterator<Item = String>) -> usize {
    texts.into_iter().collect::<BTreeSet<_>>().len()
}
