//! Runs the built command, and makes clips for it.
// Every test crate has this to itself, and none uses all of it.
#![allow(dead_code)]

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};

/// A folder of its own for a test, gone in the end.
pub struct Folder(PathBuf);

impl Folder {
    /// An empty folder.
    pub fn new() -> Folder {
        static COUNT: AtomicUsize = AtomicUsize::new(0);
        let name = format!("{}-{}", std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed));
        let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
        // A test that was killed leaves its own, and numbers of processes come again.
        let _ = fs::remove_dir_all(&path);
        fs::create_dir_all(&path).unwrap();
        Folder(path)
    }

    /// The path of `name` in the folder.
    pub fn path(&self, name: &str) -> String {
        self.0.join(name).to_str().unwrap().to_owned()
    }

    /// What lies in it, hidden files too.
    pub fn names(&self) -> Vec<String> {
        let entries = fs::read_dir(&self.0).unwrap();
        let mut names: Vec<_> = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// What a command did.
#[derive(Debug)]
pub struct Ran {
    pub code: Option<i32>,
    pub stdout: Vec<u8>,
    pub stderr: String,
}

impl Ran {
    /// Standard output as text.
    pub fn text(&self) -> &str {
        std::str::from_utf8(&self.stdout).unwrap()
    }

    /// The same, after checking that all went well.
    #[track_caller]
    pub fn ok(self) -> Ran {
        assert_eq!(self.code, Some(0), "{}", self.stderr);
        self
    }
}

/// Asserts that a run failed with this code and one error line, which has these words.
#[track_caller]
pub fn refused(ran: &Ran, code: i32, words: &[&str]) {
    let errors: Vec<_> = ran.stderr.lines().filter(|line| line.starts_with("vramp: error: ")).collect();
    assert_eq!((ran.code, errors.len()), (Some(code), 1), "{}", ran.stderr);
    for word in words {
        assert!(errors[0].contains(word), "no {word:?} in {}", errors[0]);
    }
}

impl From<Output> for Ran {
    fn from(output: Output) -> Ran {
        let stderr = String::from_utf8(output.stderr).unwrap();
        Ran { code: output.status.code(), stdout: output.stdout, stderr }
    }
}

/// The built command, with nothing of the caller's environment that changes what it prints.
pub fn vramp() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_vramp"));
    command.env_remove("NO_COLOR").stdin(Stdio::null());
    command
}

/// Runs `vramp` with `args`.
pub fn run<A: AsRef<std::ffi::OsStr>>(args: &[A]) -> Ran {
    vramp().args(args).output().unwrap().into()
}

/// Runs `vramp` with `args` and `input` on its standard input.
pub fn run_fed(args: &[&str], input: &[u8]) -> Ran {
    let mut command = vramp();
    let mut child =
        command.args(args).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    std::thread::scope(|scope| {
        // A command that stops early closes the pipe.
        scope.spawn(move || drop(stdin.write_all(input)));
        child.wait_with_output().unwrap().into()
    })
}

/// Says that a test is skipped for `reason`; with `variable` set to 1 it fails.
#[track_caller]
pub fn skipped(variable: &str, reason: &str) {
    assert!(std::env::var_os(variable).is_none_or(|value| value != "1"), "{variable} is set, but {reason}");
    eprintln!("skipped: {reason}");
}

/// Runs the ffmpeg program; `args` are split at blanks, so no path may hold one.
#[track_caller]
pub fn ffmpeg(args: &str) {
    let output = Command::new("ffmpeg").args(["-v", "error", "-nostdin", "-y"]).args(args.split_whitespace()).output();
    let output = output.expect("the ffmpeg program is installed");
    assert!(output.status.success(), "ffmpeg {args}: {}", String::from_utf8_lossy(&output.stderr));
}

/// The lines of one hash a frame: `vramp INPUT - -f framemd5` with `args`, the header left out.
#[track_caller]
pub fn hashes(input: &str, args: &[&str]) -> Vec<String> {
    let ran = run(&[&[input, "-", "-f", "framemd5"], args].concat()).ok();
    ran.text().lines().filter(|line| !line.starts_with('#')).map(str::to_owned).collect()
}
