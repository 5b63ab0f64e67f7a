//! A film's process: this program once more, which says as JSON lines how far it is.

use crate::cli::args::FilterArgs;
use crate::cli::batch::films::BatchItem;
use crate::cli::given::GivenOptions;
use crate::cli::own_program::own_program;
use crate::cli::signals;
use crate::error::{Error, Kind, Result};
use clap::{Args, Command as Described};
use crossbeam_channel::Sender;
use serde_json::Value;
use std::ffi::OsString;
use std::io::{BufRead, BufReader, Read};
use std::os::unix::process::ExitStatusExt;
use std::path::PathBuf;
use std::process::{Child, ChildStderr, Command, ExitStatus, Stdio};
use std::thread;

/// Options of a film that the batch decides.
const DECIDED: [&str; 3] = ["input", "output", "progress"];

/// The variable that says which GPUs NVIDIA's driver shows a program, by number or name, with commas between.
const VISIBLE_GPUS: &str = "CUDA_VISIBLE_DEVICES";

/// Longer lines of a process are cut: they come from a library that went astray.
const LONGEST_LINE: u64 = 1 << 20;

/// How the processes of a batch are started.
pub struct ChildSetup {
    program: PathBuf,
    /// The driver's name of each GPU, for as many as take turns.
    gpus: Vec<String>,
    described: Described,
}

/// A line of a process, or the end of its output.
pub enum ChildEvent {
    /// A line.
    Said(usize, Value),
    /// The end.
    Ended(usize),
}

impl ChildSetup {
    /// For processes that take turns on `gpus` GPUs, or all see what this one sees.
    ///
    /// # Errors
    /// When this program does not know where it is.
    pub fn new(gpus: usize) -> Result<ChildSetup> {
        let program = own_program()?;
        let visible = std::env::var(VISIBLE_GPUS).ok();
        let names = |n: usize| match &visible {
            Some(names) => names.split(',').nth(n).unwrap_or_default().trim().to_owned(),
            None => n.to_string(),
        };
        let gpus = if gpus > 1 { (0..gpus).map(names).collect() } else { Vec::new() };
        let described = FilterArgs::augment_args(Described::new(env!("CARGO_PKG_NAME")));
        Ok(ChildSetup { program, gpus, described })
    }

    /// The options of every film, of those on the batch's command line.
    pub fn options(mut typed: GivenOptions) -> GivenOptions {
        DECIDED.iter().for_each(|id| drop(typed.remove(id)));
        typed
    }

    /// The arguments that make `film`. What is for the batch alone, as --jobs, is no option of a film's command, and left out.
    pub fn args(&self, film: &BatchItem) -> Vec<OsString> {
        let mut args = film.options.to_args(&self.described);
        args.extend(["--".into(), film.input.clone().into(), film.output.clone().into()]);
        args
    }

    /// What precedes the command of the process in `slot`: a variable and its value.
    pub fn environment(&self, slot: usize) -> Option<(&'static str, &str)> {
        let gpu = self.gpus.get(slot.checked_rem(self.gpus.len())?)?;
        Some((VISIBLE_GPUS, gpu))
    }

    /// Starts `film` in `slot`. What it says goes to `events`.
    ///
    /// # Errors
    /// When the system starts no process.
    pub fn start(&self, film: &BatchItem, slot: usize, verbose: u8, events: &Sender<ChildEvent>) -> Result<Child> {
        let mut command = Command::new(&self.program);
        command.arg("--progress=json").args((0..verbose).map(|_| "-v")).args(self.args(film));
        command.envs(self.environment(slot)).stdin(Stdio::null()).stderr(Stdio::piped());
        signals::end_with_this(&mut command);
        let mut child = command.spawn().map_err(|error| Error::io("starting a process", &error))?;
        if let Some(stderr) = child.stderr.take() {
            let events = events.clone();
            thread::spawn(move || listen(stderr, slot, &events));
        }
        Ok(child)
    }
}

/// Hands every line to `events`. One that is no JSON is from a library, or the last words of a crash.
pub fn listen(stderr: ChildStderr, slot: usize, events: &Sender<ChildEvent>) {
    let mut reader = BufReader::new(stderr);
    let mut line = Vec::new();
    while matches!(reader.by_ref().take(LONGEST_LINE).read_until(b'\n', &mut line), Ok(length) if length > 0) {
        let object = serde_json::from_slice(&line).ok().filter(Value::is_object);
        let text = || serde_json::json!({ "level": "debug", "message": String::from_utf8_lossy(&line).trim_end() });
        // Nobody listens once the batch has been stopped at once.
        let _ = events.send(ChildEvent::Said(slot, object.unwrap_or_else(text)));
        line.clear();
    }
    let _ = events.send(ChildEvent::Ended(slot));
}

/// How a process ended, whose last error line is `said`.
pub fn outcome(status: ExitStatus, said: Option<String>) -> Result<()> {
    match (status.code(), status.signal()) {
        (Some(0), _) => Ok(()),
        (Some(code), _) => {
            let kind = Kind::ALL.into_iter().find(|kind| i32::from(kind.exit_code()) == code);
            let said = said.unwrap_or_else(|| format!("its process ended with exit code {code} and printed nothing"));
            Err(Error::new(kind.unwrap_or(Kind::Internal), said))
        }
        (None, signal) => {
            let signal = signal.unwrap_or_default();
            let crashed = [libc::SIGSEGV, libc::SIGABRT, libc::SIGBUS, libc::SIGILL, libc::SIGFPE, libc::SIGTRAP];
            Err(match crashed.contains(&signal) {
                true => Error::internal(format!("its process crashed (signal {signal})")),
                false => Error::new(
                    Kind::Cancelled,
                    format!(
                        "its process was killed (signal {signal}): by the user, or by the system for want of memory"
                    ),
                ),
            })
        }
    }
}
