//! Parts at work on this machine, each in a process of its own: a crash costs one.

use crate::cli::args::ProgressChoice;
use crate::cli::batch::child::{self, ChildEvent};
use crate::cli::own_program::own_program;
use crate::cli::{log as messages, print, signals};
use crate::error::{Error, Kind, Result};
use crate::farm::{Folder, Plan};
use crate::pipeline::Cancel;
use crossbeam_channel::{Receiver, Sender, unbounded};
use indicatif::{ProgressBar, ProgressStyle};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};
use std::collections::HashSet;
use std::ffi::OsString;
use std::io::{IsTerminal, stderr};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

/// How often the pool looks for a stop request.
const LOOK: Duration = Duration::from_millis(50);

/// How a part's process is started.
pub struct Worker {
    program: PathBuf,
    folder: PathBuf,
    options: Vec<OsString>,
}

impl Worker {
    /// For parts in `folder`; `options` say what they run on.
    ///
    /// # Errors
    /// When this program does not know where it is.
    pub fn new(folder: &Folder, options: Vec<OsString>) -> Result<Worker> {
        let program = own_program()?;
        Ok(Worker { program, folder: folder.path().to_owned(), options })
    }

    fn start(&self, part: u32, slot: usize, events: &Sender<ChildEvent>) -> Result<Child> {
        let mut command = Command::new(&self.program);
        command.arg("part").args(&self.options).arg("--progress=json").arg("--");
        command.arg(&self.folder).arg(part.to_string()).stdin(Stdio::null()).stderr(Stdio::piped());
        signals::end_with_this(&mut command);
        let mut child = command.spawn().map_err(|error| Error::io("starting a process", &error))?;
        if let Some(stderr) = child.stderr.take() {
            let events = events.clone();
            thread::spawn(move || child::listen(stderr, slot, &events));
        }
        Ok(child)
    }
}

/// A part at work.
struct Running {
    part: u32,
    child: Child,
    /// Frames that are done.
    frames: u64,
    /// The last line that was an error.
    error: Option<String>,
}

/// Works on parts, several at a time.
pub struct Pool<'a> {
    plan: &'a Plan,
    worker: Worker,
    slots: Vec<Option<Running>>,
    stops: &'a [Cancel; 2],
    events: (Sender<ChildEvent>, Receiver<ChildEvent>),
    bar: Option<ProgressBar>,
    json: bool,
    began: Instant,
    /// Frames that this pool made, and those of all parts that are there.
    made: u64,
    there: u64,
    failed: Option<Error>,
    /// Warnings so far.
    said: HashSet<String>,
}

impl<'a> Pool<'a> {
    /// A pool of `jobs` processes. The first of `stops` asks them to stop, the second ends them.
    pub fn new(
        plan: &'a Plan,
        worker: Worker,
        jobs: usize,
        (progress, quiet): (ProgressChoice, bool),
        stops: &'a [Cancel; 2],
    ) -> Pool<'a> {
        let shows = match progress {
            ProgressChoice::Auto => !quiet && stderr().is_terminal(),
            ProgressChoice::Bar => true,
            ProgressChoice::Json | ProgressChoice::None => false,
        };
        let style = ProgressStyle::with_template("{wide_bar} {percent:>3}%  {msg}");
        let style = style.unwrap_or_else(|_| ProgressStyle::default_bar());
        let bar = shows.then(|| ProgressBar::new(plan.input.frames).with_style(style));
        bar.iter().for_each(messages::step_aside);
        Pool {
            plan,
            worker,
            slots: (0..jobs).map(|_| None).collect(),
            stops,
            events: unbounded(),
            bar,
            json: progress == ProgressChoice::Json,
            began: Instant::now(),
            made: 0,
            there: 0,
            failed: None,
            said: HashSet::new(),
        }
    }

    /// Makes the parts `missing`.
    ///
    /// # Errors
    /// Of the first part that failed: after it none is begun. When it was stopped.
    pub fn run(mut self, missing: &[u32]) -> Result<()> {
        let of =
            |parts: &[u32]| parts.iter().map(|part| u64::from(self.plan.parts[*part as usize].frames)).sum::<u64>();
        self.there = self.plan.input.frames - of(missing);
        let (mut waiting, mut asked, mut ended) = (missing.iter(), false, false);
        let [stop, end] = self.stops;
        loop {
            while let Some(slot) = self.slots.iter().position(Option::is_none)
                && self.failed.is_none()
                && !stop.is_requested()
                && let Some(part) = waiting.next()
            {
                match self.worker.start(*part, slot, &self.events.0) {
                    Ok(child) => self.slots[slot] = Some(Running { part: *part, child, frames: 0, error: None }),
                    Err(error) => self.failed = Some(error),
                }
            }
            if self.slots.iter().all(Option::is_none) {
                break;
            }
            match self.events.1.recv_timeout(LOOK) {
                Ok(ChildEvent::Said(slot, line)) => self.said(slot, &line),
                Ok(ChildEvent::Ended(slot)) => self.ended(slot),
                Err(_) => {}
            }
            for (request, done, signal) in [(stop, &mut asked, Signal::TERM), (end, &mut ended, Signal::KILL)] {
                if request.is_requested() && !std::mem::replace(done, true) {
                    self.slots.iter().flatten().for_each(|running| {
                        // One that has just ended needs no signal.
                        let _ = kill_process(Pid::from_child(&running.child), signal);
                    });
                }
            }
        }
        match self.failed.take() {
            _ if stop.is_requested() => Err(Error::new(Kind::Cancelled, "stopped: the same command goes on")),
            Some(error) => Err(Error::new(error.kind(), format!("{error} (the same command goes on)"))),
            None => Ok(()),
        }
    }

    fn said(&mut self, slot: usize, line: &Value) {
        let Some(running) = &mut self.slots[slot] else { return };
        let part = running.part;
        match (line["level"].as_str(), line["message"].as_str()) {
            (Some("error"), Some(message)) => running.error = Some(message.to_owned()),
            // What every part says is said once.
            (Some("warn"), Some(message)) if self.said.insert(message.to_owned()) => {
                log::warn!("part {part}: {message}")
            }
            (Some(_), Some(message)) => log::debug!("part {part}: {message}"),
            _ => {
                running.frames = line["frame"].as_u64().unwrap_or(running.frames);
                self.show();
            }
        }
    }

    /// The process of `slot` says no more: what was it?
    fn ended(&mut self, slot: usize) {
        let Some(mut running) = self.slots[slot].take() else { return };
        let status = running.child.wait().map_err(|error| Error::io("waiting for a process", &error));
        let part = running.part;
        match status.and_then(|status| child::outcome(status, running.error)) {
            Ok(()) => {
                let frames = u64::from(self.plan.parts[part as usize].frames);
                (self.made, self.there) = (self.made + frames, self.there + frames);
                self.show();
            }
            // What is stopped did not fail.
            Err(_) if self.stops[0].is_requested() => {}
            Err(error) => {
                let told = error.message().starts_with(&format!("part {part}"));
                let error = if told { error } else { error.context(format!("part {part}")) };
                log::warn!("{error}");
                self.failed.get_or_insert(error);
            }
        }
    }

    /// Shows how far all is.
    fn show(&self) {
        let at_work = self.slots.iter().flatten().map(|running| running.frames).sum::<u64>();
        let (frame, made) = (self.there + at_work, self.made + at_work);
        let elapsed = self.began.elapsed().as_secs_f64();
        let fps = made as f64 / elapsed.max(1e-3);
        let left = (made > 0).then(|| self.plan.input.frames.saturating_sub(frame) as f64 / fps);
        if let Some(bar) = &self.bar {
            let left = left.map_or_else(String::new, |left| format!("  {} left", print::clock(left)));
            let running: Vec<_> = self.slots.iter().flatten().map(|running| running.part.to_string()).collect();
            bar.set_message(format!("{fps:.1} fps{left}  part {} of {}", running.join(", "), self.plan.count()));
            bar.set_position(frame);
        }
        if self.json {
            let frames = self.plan.input.frames;
            messages::json(&json!({
                "frame": frame, "frames": frames, "fps": fps, "eta": left, "elapsed": elapsed, "parts": self.plan.count()
            }));
        }
    }
}

impl Drop for Pool<'_> {
    fn drop(&mut self) {
        if let Some(bar) = &self.bar {
            messages::release();
            bar.finish_and_clear();
        }
    }
}
