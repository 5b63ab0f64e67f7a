//! How far a batch is: on a terminal a line for each film at work and one for all, for programs JSON lines.

use crate::cli::args::ProgressChoice;
use crate::cli::batch::films::BatchItem;
use crate::cli::{log, print};
use indicatif::{MultiProgress, ProgressBar, ProgressStyle};
use serde_json::{Value, json};
use std::io::{IsTerminal, stderr};
use std::time::Instant;

/// Parts of a film that the bar of all films counts.
const PARTS: u64 = 1000;

/// Shows a batch.
pub struct Display {
    bars: Option<Bars>,
    json: bool,
}

/// The lines of a terminal.
struct Bars {
    lines: MultiProgress,
    all: ProgressBar,
    began: Instant,
    total: u64,
    /// Each film at work, by its slot.
    films: Vec<Option<(ProgressBar, u64)>>,
    finished: u64,
}

impl Display {
    /// For `total` films of which `jobs` are at work at a time.
    pub fn new(choice: ProgressChoice, quiet: bool, total: usize, jobs: usize) -> Display {
        let shows_bars = match choice {
            ProgressChoice::Auto => !quiet && stderr().is_terminal(),
            ProgressChoice::Bar => true,
            ProgressChoice::Json | ProgressChoice::None => false,
        };
        let bars = shows_bars.then(|| Bars::new(total as u64, jobs));
        Display { bars, json: choice == ProgressChoice::Json }
    }

    /// `film` begins in `slot`.
    pub fn begin(&mut self, slot: usize, film: &BatchItem) {
        if let Some(bars) = &mut self.bars {
            let bar = ProgressBar::no_length().with_style(style("  {wide_msg}"));
            let bar = bars.lines.insert_before(&bars.all, bar);
            bar.set_message(film.name());
            bars.films[slot] = Some((bar, 0));
        }
    }

    /// What the process of `film` in `slot` says of its progress.
    pub fn progress(&mut self, slot: usize, film: &BatchItem, line: &Value) {
        if self.json {
            log::json(&with_input(line, film));
        }
        if let Some(bars) = &mut self.bars {
            bars.progress(slot, film, line);
        }
    }

    /// The film in `slot` ended. What it was goes to programs as `line`.
    pub fn end(&mut self, slot: usize, film: &BatchItem, line: &Value) {
        if self.json {
            log::json(&with_input(line, film));
        }
        if let Some(bars) = &mut self.bars {
            if let Some((bar, _)) = bars.films[slot].take() {
                bar.finish_and_clear();
                bars.lines.remove(&bar);
            }
            bars.finished += 1;
            bars.update();
        }
    }
}

impl Drop for Display {
    fn drop(&mut self) {
        if let Some(bars) = &self.bars {
            log::release();
            bars.films.iter().flatten().for_each(|(bar, _)| bar.finish_and_clear());
            bars.all.finish_and_clear();
        }
    }
}

impl Bars {
    fn new(total: u64, jobs: usize) -> Bars {
        let lines = MultiProgress::new();
        let all = lines.add(ProgressBar::new(total * PARTS).with_style(style("{wide_bar} {msg}")));
        log::step_aside(&all);
        let mut bars =
            Bars { lines, all, began: Instant::now(), total, films: (0..jobs).map(|_| None).collect(), finished: 0 };
        bars.update();
        bars
    }

    fn progress(&mut self, slot: usize, film: &BatchItem, line: &Value) {
        let number = |key| line.get(key).and_then(Value::as_f64);
        let Some((bar, parts)) = &mut self.films[slot] else { return };
        let Some(frame) = number("frame") else { return };
        let done = number("frames").filter(|frames| *frames > 0.0).map(|frames| (frame / frames).min(1.0));
        *parts = done.map_or(0, |done| (done * PARTS as f64) as u64);
        let far = done.map_or_else(|| format!("{frame} frames"), |done| format!("{:3.0} %", done * 100.0));
        let fps = number("fps").map_or_else(String::new, |fps| format!("  {fps:.1} fps"));
        let left = number("eta").map_or_else(String::new, |eta| format!("  {} left", print::clock(eta)));
        // The name is last: a narrow terminal cuts it.
        bar.set_message(format!("{far}{fps}{left}  {}", film.name()));
        self.update();
    }

    /// The line of all films. What is left is reckoned from the films, as long as each other.
    fn update(&mut self) {
        let at_work: u64 = self.films.iter().flatten().map(|(_, parts)| parts).sum();
        let parts = self.finished * PARTS + at_work;
        let left = self.began.elapsed().as_secs_f64() * (self.total * PARTS - parts) as f64 / parts as f64;
        let left = if parts > 0 { format!("  about {} left", print::clock(left)) } else { String::new() };
        self.all.set_message(format!("{} of {} films{left}", self.finished, self.total));
        self.all.set_position(parts);
    }
}

fn style(template: &str) -> ProgressStyle {
    ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar())
}

/// The JSON object `line`, which says of which film it is.
fn with_input(line: &Value, film: &BatchItem) -> Value {
    let mut line = line.clone();
    line["input"] = json!(film.input.to_string_lossy());
    line
}
