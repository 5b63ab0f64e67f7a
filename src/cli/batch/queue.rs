//! The queue: films wait for a free slot, and each runs in a process of its own.

use crate::cli::batch::child::{self, ChildEvent, ChildSetup};
use crate::cli::batch::display::Display;
use crate::cli::batch::films::BatchItem;
use crate::cli::print;
use crate::error::{Error, Result};
use crate::pipeline::Cancel;
use crossbeam_channel::{Receiver, Sender, unbounded};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;
use std::fs;
use std::process::Child;
use std::time::Duration;

/// How often the queue looks for a stop request.
const LOOK: Duration = Duration::from_millis(50);

/// How a queue is worked off.
pub struct QueueOptions {
    /// Films at a time.
    pub jobs: usize,
    /// Begin none after one that failed.
    pub fail_fast: bool,
    /// How much processes say.
    pub verbose: u8,
    /// The first request asks the processes to stop, the second ends them.
    pub stops: [Cancel; 2],
}

/// A film at work.
struct Running {
    /// Its place in the list.
    film: usize,
    child: Child,
    /// The last line that was an error.
    error: Option<String>,
    /// The last line of the process.
    summary: Option<Value>,
}

/// Works off a list of films.
pub struct BatchQueue<'a> {
    films: &'a [BatchItem],
    recipe: &'a ChildSetup,
    options: &'a QueueOptions,
    display: Display,
    slots: Vec<Option<Running>>,
    /// What became of each film that was begun.
    results: Vec<Option<Result<()>>>,
    events: (Sender<ChildEvent>, Receiver<ChildEvent>),
}

impl<'a> BatchQueue<'a> {
    /// A queue of `films`, none of them begun.
    pub fn new(
        films: &'a [BatchItem],
        recipe: &'a ChildSetup,
        options: &'a QueueOptions,
        display: Display,
    ) -> BatchQueue<'a> {
        let slots = (0..options.jobs).map(|_| None).collect();
        BatchQueue { films, recipe, options, display, slots, results: vec![None; films.len()], events: unbounded() }
    }

    /// Works off the films, and gives what became of each: `None` for one that was not begun.
    pub fn run(mut self) -> Vec<Option<Result<()>>> {
        let [stop, end] = &self.options.stops;
        let (mut waiting, mut asked, mut ended) = (0..self.films.len(), false, false);
        loop {
            while let Some(slot) = self.slots.iter().position(Option::is_none).filter(|_| self.goes_on()) {
                let Some(film) = waiting.next() else { break };
                self.begin(film, slot);
            }
            if self.slots.iter().all(Option::is_none) {
                return self.results;
            }
            match self.events.1.recv_timeout(LOOK) {
                Ok(ChildEvent::Said(slot, line)) => self.said(slot, line),
                Ok(ChildEvent::Ended(slot)) => self.ended(slot),
                Err(_) => {}
            }
            if stop.is_requested() && !asked {
                self.signal(Signal::TERM);
                asked = true;
            }
            if end.is_requested() && !ended {
                self.signal(Signal::KILL);
                ended = true;
            }
        }
    }

    /// Whether more films are begun.
    fn goes_on(&self) -> bool {
        let given_up = self.options.fail_fast && self.results.iter().flatten().any(Result::is_err);
        !given_up && !self.options.stops[0].is_requested()
    }

    fn begin(&mut self, film: usize, slot: usize) {
        let at = &self.films[film];
        let folder = at.output.parent().filter(|folder| !folder.as_os_str().is_empty());
        let made = folder
            .map_or(Ok(()), |folder| fs::create_dir_all(folder).map_err(|error| Error::io(folder.display(), &error)));
        let started = made.and_then(|()| self.recipe.start(at, slot, self.options.verbose, &self.events.0));
        self.display.begin(slot, at);
        match started {
            Ok(child) => self.slots[slot] = Some(Running { film, child, error: None, summary: None }),
            Err(error) => self.note(slot, film, Err(error), None),
        }
    }

    fn said(&mut self, slot: usize, line: Value) {
        let Some(running) = &mut self.slots[slot] else { return };
        let film = &self.films[running.film];
        match (line["level"].as_str(), line["message"].as_str()) {
            (Some("error"), Some(message)) => running.error = Some(message.to_owned()),
            (Some("warn"), Some(message)) => log::warn!("{}: {message}", film.name()),
            (Some(_), Some(message)) => log::debug!("{}: {message}", film.name()),
            _ if line.get("output").is_some() => running.summary = Some(line),
            _ => self.display.progress(slot, film, &line),
        }
    }

    /// The process of `slot` says no more: what was it?
    fn ended(&mut self, slot: usize) {
        let Some(mut running) = self.slots[slot].take() else { return };
        let status = running.child.wait().map_err(|error| Error::io("waiting for a process", &error));
        let result = status.and_then(|status| child::outcome(status, running.error));
        self.note(slot, running.film, result, running.summary);
    }

    /// Records and reports the result of a film.
    fn note(&mut self, slot: usize, film: usize, result: Result<()>, summary: Option<Value>) {
        let at = &self.films[film];
        let done = self.results.iter().flatten().count() + 1;
        let count = format!("[{done}/{}]", self.films.len());
        match &result {
            Ok(()) => log::info!("{count} {}", describe(at, summary.as_ref())),
            Err(_) if self.options.stops[0].is_requested() => log::debug!("{count} {}: stopped", at.name()),
            Err(error) => log::warn!("{count} failed: {}", at.failure(error)),
        }
        let line = match &result {
            Ok(()) => summary.unwrap_or_else(|| serde_json::json!({ "output": at.output.to_string_lossy() })),
            Err(error) => serde_json::json!({ "error": error.message(), "code": error.kind().exit_code() }),
        };
        self.display.end(slot, at, &line);
        self.results[film] = Some(result);
    }

    /// Sends `signal` to every process. Those in `slots` are not yet waited for, so their numbers are theirs.
    fn signal(&self, signal: Signal) {
        for running in self.slots.iter().flatten() {
            // One that has just ended needs no signal.
            let _ = kill_process(Pid::from_child(&running.child), signal);
        }
    }
}

/// "out/a.mkv: 132 frames, 1.2 MiB in 3.1 s (42.6 a second); libx265, ...", as a run of its own says it.
fn describe(film: &BatchItem, summary: Option<&Value>) -> String {
    let output = film.output.display();
    let Some(summary) = summary else { return output.to_string() };
    let number = |key: &str| summary[key].as_f64().unwrap_or_default();
    let (frames, elapsed, fps) = (number("frames"), number("elapsed"), number("fps"));
    let size = summary["size"].as_u64().map_or_else(String::new, |size| format!(", {}", print::size(size)));
    let encoding = summary["encoding"].as_str().map_or_else(String::new, |encoding| format!("; {encoding}"));
    format!("{output}: {frames} frames{size} in {elapsed:.1} s ({fps:.1} a second){encoding}")
}
