//! Ends that nobody planned: signals to the batch, and to the process of a film.

use crate::command::{Folder, Ran};
use crate::{clip, inside, tree};
use std::fs;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// A batch of three films at work on the second, which waits for ever: it is a pipe that nobody writes to.
fn at_the_second(folder: &Folder) -> (Child, String) {
    clip(folder, "1.mkv");
    assert!(Command::new("mkfifo").arg(folder.path("2.mkv")).status().unwrap().success());
    clip(folder, "3.mkv");
    let mut command = inside(folder);
    command.args(["batch", "1.mkv", "2.mkv", "3.mkv", "-o", "out/{name}.mkv", "-c", "ffv1", "--jobs", "1"]);
    let child = command.stderr(Stdio::piped()).spawn().unwrap();
    until("the first film is done", || fs::exists(folder.path("out/1.mkv")).unwrap());
    let film = || {
        let children = fs::read_to_string(format!("/proc/{0}/task/{0}/children", child.id())).unwrap();
        let mut children = children.split_whitespace().map(str::to_owned);
        // A process that has not begun its program yet has the batch's command line.
        let is_film = |line: String| line.contains("2.mkv") && !line.contains("3.mkv");
        children.find(|id| fs::read_to_string(format!("/proc/{id}/cmdline")).is_ok_and(is_film))
    };
    until("the second film is begun", || film().is_some());
    let film = film().unwrap();
    (child, film)
}

#[track_caller]
fn until(what: &str, holds: impl Fn() -> bool) {
    let began = Instant::now();
    while !holds() {
        assert!(began.elapsed() < Duration::from_secs(20), "waited too long until {what}");
        std::thread::sleep(Duration::from_millis(10));
    }
}

fn signal(name: &str, process: &str) {
    assert!(Command::new("kill").args([&format!("-{name}"), process]).status().unwrap().success());
}

fn is_gone(process: &str) -> bool {
    // A process that nobody waited for yet has no command line.
    fs::read(format!("/proc/{process}/cmdline")).map_or(true, |line| line.is_empty())
}

#[test]
fn a_killed_process_costs_its_film_alone() {
    let folder = Folder::new();
    for (name, code, words) in [
        ("KILL", 130, "2.mkv: its process was killed (signal 9)"),
        ("SEGV", 70, "2.mkv: its process crashed (signal 11)"),
    ] {
        let (child, film) = at_the_second(&folder);
        // A program in Rust looks at the first SIGSEGV, and goes on where it was no overflow of its stack.
        until("the film's process is gone", || {
            let _ = Command::new("kill").args([&format!("-{name}"), &film]).stderr(Stdio::null()).status();
            is_gone(&film)
        });
        let ran = Ran::from(child.wait_with_output().unwrap());
        assert_eq!(ran.code, Some(code), "{}", ran.stderr);
        assert!(ran.stderr.contains(words) && ran.stderr.contains("2 done"), "{}", ran.stderr);
        assert_eq!(tree(&folder, "out"), ["out/1.mkv", "out/3.mkv"]);
        fs::remove_dir_all(folder.path("out")).unwrap();
        fs::remove_file(folder.path("2.mkv")).unwrap();
    }
}

#[test]
fn a_stopped_batch_stops_its_films() {
    let folder = Folder::new();
    let (child, film) = at_the_second(&folder);
    signal("INT", &child.id().to_string());
    let ran = Ran::from(child.wait_with_output().unwrap());
    assert_eq!(ran.code, Some(130), "{}", ran.stderr);
    assert!(is_gone(&film));
    assert_eq!(tree(&folder, "out"), ["out/1.mkv"], "nothing unfinished is left");
    let [.., sum, last] = ran.stderr.lines().collect::<Vec<_>>()[..] else { panic!("{}", ran.stderr) };
    assert!(sum.starts_with("vramp: 1 done, 1 stopped, 1 not begun in"), "{}", ran.stderr);
    assert_eq!(last, "vramp: error: stopped: the same command does the rest");
}

#[test]
fn films_end_with_a_batch_that_is_killed() {
    let folder = Folder::new();
    let (mut child, film) = at_the_second(&folder);
    child.kill().unwrap();
    child.wait().unwrap();
    until("the film is stopped", || is_gone(&film));
    assert_eq!(tree(&folder, "out"), ["out/1.mkv"], "nothing unfinished is left");
}
