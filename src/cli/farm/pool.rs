//! Parts at work on this machine, several at a time.

use crate::cli::args::ProgressChoice;
use crate::cli::batch::child::ChildEvent;
use crate::cli::farm::workers::{PartWorker, PartWorkers};
use crate::cli::{log as messages, print};
use crate::error::{Error, Kind, Result};
use crate::farm::PlannedPart;
use crate::pipeline::Cancel;
use crossbeam_channel::{Receiver, Sender, unbounded};
use indicatif::{ProgressBar, ProgressStyle};
use rustix::process::Signal;
use serde_json::{Value, json};
use std::collections::HashSet;
use std::io::{IsTerminal, stderr};
use std::time::{Duration, Instant};

/// How often the pool looks for a stop request.
const LOOK: Duration = Duration::from_millis(50);

/// A part at work.
struct Running {
    part: u32,
    worker: Box<dyn PartWorker>,
    /// Frames that are done.
    frames: u64,
    /// The last line that was an error.
    error: Option<String>,
}

/// Works on parts, several at a time.
pub struct Pool<'a> {
    parts: &'a [PlannedPart],
    /// Frames of all parts.
    frames: u64,
    workers: Box<dyn PartWorkers>,
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
    /// Parts are begun also after one failed.
    goes_on: bool,
    /// Warnings so far.
    said: HashSet<String>,
}

impl<'a> Pool<'a> {
    /// A pool in which `workers` make `jobs` of `parts` at a time. The first of `stops` asks them to stop, the second ends them.
    pub fn new(
        parts: &'a [PlannedPart],
        workers: Box<dyn PartWorkers>,
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
        let frames = parts.iter().map(|part| u64::from(part.frames)).sum();
        let bar = shows.then(|| ProgressBar::new(frames).with_style(style));
        bar.iter().for_each(messages::step_aside);
        Pool {
            parts,
            frames,
            workers,
            slots: (0..jobs).map(|_| None).collect(),
            stops,
            events: unbounded(),
            bar,
            json: progress == ProgressChoice::Json,
            began: Instant::now(),
            made: 0,
            there: 0,
            failed: None,
            goes_on: false,
            said: HashSet::new(),
        }
    }

    /// The same, which begins parts also after one failed.
    pub fn going_on(mut self) -> Pool<'a> {
        self.goes_on = true;
        self
    }

    /// Makes the parts `missing`.
    ///
    /// # Errors
    /// Of the first part that failed: after it none is begun. When it was stopped.
    pub fn run(mut self, missing: &[u32]) -> Result<()> {
        messages::side_by_side(|| self.make(missing))
    }

    fn make(&mut self, missing: &[u32]) -> Result<()> {
        let of = |parts: &[u32]| parts.iter().map(|part| u64::from(self.parts[*part as usize].frames)).sum::<u64>();
        self.there = self.frames - of(missing);
        let (mut waiting, mut asked, mut ended) = (missing.iter(), false, false);
        let [stop, end] = self.stops;
        loop {
            while let Some(slot) = self.slots.iter().position(Option::is_none)
                && (self.failed.is_none() || self.goes_on)
                && !stop.is_requested()
                && let Some(part) = waiting.next()
            {
                match self.workers.start(*part, slot, &self.events.0) {
                    Ok(worker) => self.slots[slot] = Some(Running { part: *part, worker, frames: 0, error: None }),
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
                    self.slots.iter().flatten().for_each(|running| running.worker.end(signal));
                }
            }
        }
        match self.failed.take() {
            _ if stop.is_requested() => Err(Error::new(Kind::Cancelled, "stopped")),
            Some(error) => Err(error),
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

    /// Whoever worked in `slot` has ended: how did it go?
    fn ended(&mut self, slot: usize) {
        let Some(Running { part, worker, error, .. }) = self.slots[slot].take() else { return };
        match worker.outcome(error) {
            Ok(()) => {
                let frames = u64::from(self.parts[part as usize].frames);
                (self.made, self.there) = (self.made + frames, self.there + frames);
                self.show();
            }
            // What is stopped did not fail.
            Err(_) if self.stops[0].is_requested() => {}
            Err(error) => {
                let is_named = error.message().starts_with(&format!("part {part}"));
                let error = if is_named { error } else { error.context(format!("part {part}")) };
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
        let left = (made > 0).then(|| self.frames.saturating_sub(frame) as f64 / fps);
        if let Some(bar) = &self.bar {
            let left = left.map_or_else(String::new, |left| format!("  {} left", print::clock(left)));
            let running: Vec<_> = self.slots.iter().flatten().map(|running| running.part.to_string()).collect();
            bar.set_message(format!("{fps:.1} fps{left}  part {} of {}", running.join(", "), self.parts.len()));
            bar.set_position(frame);
        }
        if self.json {
            messages::json(&json!({
                "frame": frame, "frames": self.frames, "fps": fps, "eta": left, "elapsed": elapsed, "parts": self.parts.len()
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
