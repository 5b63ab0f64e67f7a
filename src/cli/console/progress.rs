//! Progress on standard error: a bar for people, JSON lines for programs.

use crate::cli::args::ProgressChoice;
use crate::cli::{log, print};
use crate::io::libav::EncodePass;
use crate::pipeline::{Progress, Summary};
use indicatif::{ProgressBar, ProgressStyle};
use serde::Serialize;
use std::io::{IsTerminal, stderr};
use std::time::{Duration, Instant};

/// Columns of a bar that still shows something.
const SHORTEST_BAR: usize = 8;

/// Time between two reports.
const INTERVAL: Duration = Duration::from_millis(200);

/// A JSON line. Unknown values are null.
#[derive(Debug, Serialize)]
struct Line<'a> {
    /// Frames written.
    frame: u64,
    /// Frames there will be; exact in the last line, before it an estimate where the container states no number.
    frames: Option<u64>,
    /// Presentation time of the last frame, in seconds.
    time: Option<f64>,
    /// Frames a second since the run began.
    fps: f64,
    /// Seconds of video a second.
    speed: Option<f64>,
    /// Bytes written.
    size: u64,
    /// Seconds left.
    eta: Option<f64>,
    /// Seconds since the run began.
    elapsed: f64,
    /// Which of two passes, where there are two. Numbers of frames and times are the pass's.
    #[serde(skip_serializing_if = "Option::is_none")]
    pass: Option<u8>,
    /// True in the last line of progress, which comes after the output is whole.
    done: bool,
    /// In the last line: each filter's time.
    #[serde(skip_serializing_if = "Option::is_none")]
    filters: Option<Vec<FilterLine<'a>>>,
}

/// A filter's time.
#[derive(Debug, Serialize)]
struct FilterLine<'a> {
    /// The number that --verbose gives the stage: filters that are left out have none.
    stage: usize,
    name: &'a str,
    ms_per_frame: f64,
}

enum Style {
    Bar(ProgressBar),
    Json,
    None,
}

/// Shows how far a run is.
pub struct Reporter {
    style: Style,
    /// Frames there will be.
    total: Option<u64>,
    /// Presentation time of the first frame.
    first: Option<f64>,
    last: Option<Progress>,
    time: Option<f64>,
    shown: Option<Instant>,
    pass: Option<u8>,
}

impl Reporter {
    /// A reporter of a run of `total` frames.
    pub fn new(choice: ProgressChoice, quiet: bool, total: Option<u64>) -> Reporter {
        let style = match choice {
            ProgressChoice::Auto if quiet || !stderr().is_terminal() => Style::None,
            ProgressChoice::Auto | ProgressChoice::Bar => Style::Bar(bar(total)),
            ProgressChoice::Json => Style::Json,
            ProgressChoice::None => Style::None,
        };
        if let Style::Bar(bar) = &style {
            log::step_aside(bar);
        }
        Reporter { style, total, first: None, last: None, time: None, shown: None, pass: None }
    }

    /// The same of one of two passes.
    pub fn of_pass(mut self, pass: Option<&EncodePass>) -> Reporter {
        self.pass = pass.map(|pass| if matches!(pass, EncodePass::First(_)) { 1 } else { 2 });
        if let (Style::Bar(bar), Some(pass)) = (&self.style, self.pass) {
            bar.set_prefix(format!("pass {pass}/2  "));
        }
        self
    }

    /// Shows `progress`, unless the last report was a moment ago.
    pub fn update(&mut self, progress: Progress) {
        self.first = self.first.or(progress.time);
        self.time = progress.time.or(self.time);
        self.last = Some(progress);
        if self.shown.is_some_and(|at| at.elapsed() < INTERVAL) {
            return;
        }
        self.shown = Some(Instant::now());
        let line = self.line(&progress);
        match &self.style {
            Style::Bar(bar) => {
                bar.set_message(describe(&line, room(&line, columns())));
                bar.set_position(progress.frames);
            }
            Style::Json => log::json(&line),
            Style::None => {}
        }
    }

    /// Shows the end of a run that went well.
    pub fn finish(&mut self, summary: &Summary) {
        let Some(progress) = self.last else { return };
        if let Style::Json = self.style {
            let filters = summary.filters.iter().enumerate().map(|(i, filter)| {
                let ms_per_frame = per_frame(filter.busy, summary.frames);
                FilterLine { stage: i + 1, name: filter.name, ms_per_frame }
            });
            let filters = Some(filters.collect());
            let frames = Some(summary.frames);
            log::json(&Line { frames, eta: Some(0.0), done: true, filters, ..self.line(&progress) });
        }
    }

    fn line(&self, progress: &Progress) -> Line<'static> {
        let elapsed = progress.elapsed.as_secs_f64();
        let fps = if elapsed > 0.0 { progress.frames as f64 / elapsed } else { 0.0 };
        let shown = self.time.zip(self.first).map(|(time, first)| time - first);
        let left = self.total.map(|total| total.saturating_sub(progress.frames));
        Line {
            frame: progress.frames,
            frames: self.total,
            time: self.time,
            fps,
            speed: shown.filter(|_| elapsed > 0.0).map(|shown| shown / elapsed),
            size: progress.bytes,
            eta: left.filter(|_| fps > 0.0).map(|left| left as f64 / fps),
            elapsed,
            pass: self.pass,
            done: false,
            filters: None,
        }
    }
}

impl Drop for Reporter {
    fn drop(&mut self) {
        if let Style::Bar(bar) = &self.style {
            log::release();
            bar.finish_and_clear();
        }
    }
}

/// Milliseconds a frame.
pub fn per_frame(busy: Duration, frames: u64) -> f64 {
    busy.as_secs_f64() * 1e3 / frames.max(1) as f64
}

fn bar(total: Option<u64>) -> ProgressBar {
    let (bar, template) = match total {
        Some(total) => (ProgressBar::new(total), "{prefix}{wide_bar} {percent:>3}%  {pos}/{len} frames  {msg}"),
        None => (ProgressBar::new_spinner(), "{prefix}{spinner} {pos} frames  {msg}"),
    };
    bar.with_style(ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar()))
}

/// The width of the terminal, where it is known.
fn columns() -> Option<usize> {
    let size = rustix::termios::tcgetwinsize(stderr()).ok()?;
    Some(usize::from(size.ws_col)).filter(|columns| *columns > 0)
}

/// What is left of `columns` for the words behind bar and numbers.
fn room(line: &Line<'_>, columns: Option<usize>) -> usize {
    let frames = match line.frames {
        Some(total) => format!("  100%  {0}/{0} frames  ", line.frame.max(total)),
        None => format!("* {} frames  ", line.frame),
    };
    let bar = if line.frames.is_some() { SHORTEST_BAR } else { 0 };
    let bar = bar + line.pass.map_or(0, |_| "pass 1/2  ".len());
    columns.map_or(usize::MAX, |columns| columns.saturating_sub(frames.len() + bar))
}

/// "83.1 fps  3.30x  12.3 MiB  0:12 left", or as much of it as there is room for: what is left comes first, then the rate.
fn describe(line: &Line<'_>, room: usize) -> String {
    let size = (line.size > 0).then(|| print::size(line.size));
    let left = line.eta.map(|eta| format!("{} left", print::clock(eta)));
    let speed = line.speed.map(|speed| format!("{speed:.2}x"));
    // In the order of the line, each with its rank.
    let mut parts = vec![(1, Some(format!("{:.1} fps", line.fps))), (2, speed), (3, size), (0, left)];
    parts.retain(|(_, words)| words.is_some());
    let joined = |parts: &[(u8, Option<String>)]| {
        parts.iter().flat_map(|(_, words)| words.clone()).collect::<Vec<_>>().join("  ")
    };
    while parts.len() > 1 && joined(&parts).len() > room {
        let least = parts.iter().map(|(rank, _)| *rank).max();
        parts.retain(|(rank, _)| Some(*rank) != least);
    }
    joined(&parts)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reporter(total: Option<u64>) -> Reporter {
        Reporter::new(ProgressChoice::None, true, total)
    }

    fn at(frames: u64, time: Option<f64>, seconds: u64) -> Progress {
        Progress { frames, time, bytes: 2048, elapsed: Duration::from_secs(seconds) }
    }

    #[test]
    fn rates_and_time_left() {
        let mut reporter = reporter(Some(100));
        reporter.update(at(1, Some(10.0), 1));
        let progress = at(20, Some(14.0), 2);
        reporter.update(progress);
        let line = reporter.line(&progress);
        assert_eq!((line.fps, line.speed, line.eta), (10.0, Some(2.0), Some(8.0)));
        assert_eq!(describe(&line, usize::MAX), "10.0 fps  2.00x  2.0 KiB  0:08 left");
    }

    #[test]
    fn a_narrow_line_keeps_what_matters() {
        let mut reporter = reporter(Some(123_456));
        reporter.update(at(1, Some(10.0), 1));
        let progress = at(2000, Some(90.0), 40);
        reporter.update(progress);
        let line = reporter.line(&progress);
        let at = |columns| describe(&line, room(&line, columns));
        assert_eq!(at(Some(120)), "50.0 fps  2.00x  2.0 KiB  40:29 left");
        // 30 columns for "  100%  123456/123456 frames  ", 8 for the bar.
        assert_eq!(at(Some(70)), "50.0 fps  2.00x  40:29 left");
        assert_eq!(at(Some(60)), "50.0 fps  40:29 left");
        assert_eq!(at(Some(40)), "40:29 left");
        assert_eq!(at(None), at(Some(120)), "the width is not known");
    }

    #[test]
    fn what_is_unknown_is_null() {
        let reporter = reporter(None);
        let line = serde_json::to_value(reporter.line(&at(0, None, 0))).unwrap();
        for field in ["frames", "time", "speed", "eta"] {
            assert!(line[field].is_null(), "{field}");
        }
        assert_eq!(line["done"], false);
    }
}
