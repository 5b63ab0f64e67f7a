//! Inputs and outputs that are no plain file with a plain name: pipes, bare samples, names that are no text.

mod command;

use command::{Folder, Ran, ffmpeg, hashes, run, run_fed, vramp};
use std::ffi::{OsStr, OsString};
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

const BUNNY: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/samples/big-buck-bunny-720p.mp4");

/// A small lossless clip.
fn clip(folder: &Folder, name: &str, options: &str) -> String {
    let path = folder.path(name);
    ffmpeg(&format!("-f lavfi -i testsrc2=s=64x48:r=25 -frames:v 5 {options} {path}"));
    path
}

fn named_pipe(folder: &Folder) -> String {
    let path = folder.path("pipe");
    assert!(Command::new("mkfifo").arg(&path).status().unwrap().success());
    path
}

/// Waits until `child` waits for somebody to read its pipe.
fn wait_for_the_wait(child: &mut Child) {
    let deadline = Instant::now() + Duration::from_secs(60);
    let tasks = format!("/proc/{}/task", child.id());
    let is_waiting = || {
        let names = fs::read_dir(&tasks).into_iter().flatten().flatten();
        names.filter_map(|task| fs::read_to_string(task.path().join("comm")).ok()).any(|name| name == "vramp-open\n")
    };
    while !is_waiting() {
        assert!(child.try_wait().unwrap().is_none() && Instant::now() < deadline, "it does not wait");
        thread::sleep(Duration::from_millis(10));
    }
}

#[test]
fn ctrl_c_ends_the_wait_for_a_reader() {
    let folder = Folder::new();
    let (input, pipe) = (clip(&folder, "in.mkv", "-c:v ffv1"), named_pipe(&folder));
    for args in [&["-f", "matroska", "-c", "ffv1"][..], &["-f", "framemd5"], &["--preview", "0"]] {
        let mut command = vramp();
        let mut child = command.args([&input, &pipe]).args(args).stderr(Stdio::piped()).spawn().unwrap();
        wait_for_the_wait(&mut child);
        assert!(Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap().success());
        let ran = Ran::from(child.wait_with_output().unwrap());
        assert_eq!((ran.code, ran.stderr.lines().count()), (Some(130), 1), "{args:?}: {}", ran.stderr);
        assert!(ran.stderr.contains("pipe: stopped"), "{}", ran.stderr);
        assert_eq!(folder.names(), ["in.mkv", "pipe"]);
    }
}

#[test]
fn a_named_pipe_carries_what_a_file_would_hold() {
    let folder = Folder::new();
    let (input, pipe) = (clip(&folder, "in.mkv", "-pix_fmt yuv420p -c:v ffv1"), named_pipe(&folder));
    for container in ["matroska", "yuv4mpegpipe", "framemd5"] {
        let mut child = vramp().args([&input, &pipe, "-f", container]).spawn().unwrap();
        wait_for_the_wait(&mut child);
        let carried = fs::read(&pipe).unwrap();
        assert!(child.wait().unwrap().success());
        if container == "framemd5" {
            let lines: Vec<_> = std::str::from_utf8(&carried).unwrap().lines().collect();
            assert_eq!(lines[lines.len() - 5..], hashes(&input, &[]));
        } else {
            assert_eq!(run_fed(&["-", "-", "-f", "framemd5"], &carried).ok().text().lines().count(), 10 + 5);
        }
    }
}

#[test]
fn standard_output_has_a_path_too() {
    let folder = Folder::new();
    let input = clip(&folder, "in.mkv", "-c:v ffv1");
    for container in ["framemd5", "rawvideo"] {
        let to = |path: &str| run(&[&input, path, "-f", container]).ok().stdout;
        let expected = to("-");
        assert!(!expected.is_empty() && to("/dev/stdout") == expected, "{container}");
    }
}

#[test]
fn an_mp4_with_its_index_behind_is_explained() {
    let folder = Folder::new();
    // More than the reader can go back in what it has in memory.
    let (late, early) = (folder.path("late.mp4"), folder.path("early.mp4"));
    ffmpeg(&format!("-i {BUNNY} -t 2 -c copy {late} -t 2 -c copy -movflags +faststart {early}"));
    let null = ["-", "-f", "null"];
    run_fed(&null, &fs::read(early).unwrap()).ok();
    run(&[&late, "-f", "null"]).ok();
    let ran = run_fed(&null, &fs::read(late).unwrap());
    assert_eq!((ran.code, ran.stderr.lines().count()), (Some(4), 1), "{}", ran.stderr);
    for word in ["standard input", "through a pipe", "-movflags +faststart"] {
        assert!(ran.stderr.contains(word), "{word}: {}", ran.stderr);
    }
}

#[test]
fn bare_samples_are_ffmpegs() {
    let folder = Folder::new();
    let (width, height, frames) = (35, 17, 3);
    let picture =
        format!("-f lavfi -i testsrc2=s=48x32:r=25 -frames:v {frames} -vf format=yuv444p,crop={width}:{height}");
    let half = |length: usize| length.div_ceil(2);
    let (luma, chroma) = (width * height, half(width) * half(height));
    for (format, bytes) in [
        ("gray", luma),
        ("yuv420p", luma + 2 * chroma),
        ("nv12", luma + 2 * chroma),
        ("yuv422p10le", 2 * (luma + 2 * half(width) * height)),
        ("yuv444p16le", 6 * luma),
        ("yuv420p10le", 2 * (luma + 2 * chroma)),
    ] {
        let (input, theirs) = (folder.path("in.nut"), folder.path("theirs.yuv"));
        ffmpeg(&format!("{picture} -pix_fmt {format} -c:v rawvideo {input}"));
        ffmpeg(&format!("-i {input} -f rawvideo {theirs}"));
        let expected = fs::read(&theirs).unwrap();
        assert_eq!(expected.len(), frames * bytes, "{format}");

        let ours = folder.path("ours.yuv");
        run(&[&input, &ours, "-y"]).ok();
        assert!(fs::read(&ours).unwrap() == expected, "{format} in a file");
        assert!(run(&[&input, "-", "-f", "rawvideo"]).ok().stdout == expected, "{format} in a pipe");
    }
}

#[test]
fn names_need_not_be_text() {
    let folder = Folder::new();
    let plain = clip(&folder, "plain.mkv", "-c:v ffv1");
    let odd = |name: &[u8]| -> OsString {
        let mut path = OsString::from(folder.path(""));
        path.push(OsStr::from_bytes(name));
        path
    };
    let (input, output) = (odd(b"caf\xe9.mkv"), odd(b"th\xe9.mkv"));
    fs::rename(&plain, &input).unwrap();
    let ran = run(&[&input, &output, OsStr::new("-c"), OsStr::new("ffv1")]).ok();
    assert!(ran.stderr.contains("th\u{fffd}.mkv: 5 frames"), "{}", ran.stderr);
    let list = |path: &OsStr| run(&[path, "-".as_ref(), "-f".as_ref(), "framemd5".as_ref()]).ok().stdout;
    assert_eq!(list(&output), list(&input));
    // The index of an mp4 goes in front in a second pass over the file.
    let mp4 = odd(b"th\xe9.mp4");
    run(&[&input, &mp4, OsStr::new("-c"), OsStr::new("libx264")]).ok();
    assert_eq!(list(&mp4).split(|byte| *byte == b'\n').count(), list(&input).split(|byte| *byte == b'\n').count());

    for (from, to, code) in [(odd(b"no\xe9.mkv"), odd(b"new.mkv"), 7), (input.clone(), input.clone(), 2)] {
        let ran = run(&[&from, &to, OsStr::new("-y")]);
        assert_eq!((ran.code, ran.stderr.lines().count()), (Some(code), 1), "{}", ran.stderr);
        assert!(ran.stderr.contains("\u{fffd}.mkv"), "{}", ran.stderr);
    }
}
