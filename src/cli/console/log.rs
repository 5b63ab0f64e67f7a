//! Messages on stderr: one line each, in step with the progress bar.

use crate::error::Error;
use indicatif::ProgressBar;
use log::{Level, LevelFilter, Log, Metadata, Record};
use serde::Serialize;
use std::collections::HashSet;
use std::fs::File;
use std::io::{IsTerminal, Write, stderr};
use std::os::fd::AsFd;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError};

static LOGGER: Logger = Logger;
static COLORED: AtomicBool = AtomicBool::new(false);
/// Standard error is for a program that reads JSON lines.
static JSON: AtomicBool = AtomicBool::new(false);
/// The bar that must be hidden while a line is written.
static BAR: Mutex<Option<ProgressBar>> = Mutex::new(None);

/// Standard error, kept open for messages while [`silenced`] has closed it to libraries.
static STDERR: OnceLock<Option<File>> = OnceLock::new();

/// What was logged, where it is not to be said again.
static SAID: Mutex<Option<Said>> = Mutex::new(None);

/// Held while standard error is closed to libraries: several threads may open encoders.
static SILENCE: Mutex<()> = Mutex::new(());

struct Said {
    lines: HashSet<String>,
    rule: Repeats,
}

/// What of repeated work is said.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Repeats {
    /// It is the first time: everything.
    First,
    /// It is the second time: what the first did not say.
    Second,
    /// It is done many times side by side: warnings once each, and the rest to those who want details.
    Many,
}

struct Logger;

impl Log for Logger {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        // Libraries have their own idea of what deserves a line: they speak when everything is asked for.
        let ours = metadata.target().starts_with(env!("CARGO_PKG_NAME"));
        metadata.level() <= log::max_level() && (ours || log::max_level() == LevelFilter::Trace)
    }

    fn log(&self, record: &Record<'_>) {
        if self.enabled(record.metadata()) {
            let message = record.args().to_string();
            if !is_dropped(record.level(), &message) {
                line(record.level(), &message);
            }
        }
    }

    fn flush(&self) {}
}

/// Sends log messages to stderr: errors alone when `quiet`, more for each `verbose`.
pub fn install(quiet: bool, verbose: u8, color: bool) {
    COLORED.store(color, Ordering::Relaxed);
    STDERR.get_or_init(|| stderr().as_fd().try_clone_to_owned().ok().map(File::from));
    log::set_max_level(match (quiet, verbose) {
        (true, _) => LevelFilter::Error,
        (_, 0) => LevelFilter::Info,
        (_, 1) => LevelFilter::Debug,
        _ => LevelFilter::Trace,
    });
    // Fails only when a logger is there already, as in a second call: the levels above hold in any case.
    let _ = log::set_logger(&LOGGER);
}

/// From now on messages are JSON lines, as progress is: objects with `level` and `message`.
pub fn in_json() {
    JSON.store(true, Ordering::Relaxed);
}

/// Whether messages are JSON lines.
pub fn is_json() -> bool {
    JSON.load(Ordering::Relaxed)
}

/// Writes `value` as a JSON line.
pub fn json(value: &impl Serialize) {
    let Ok(mut text) = serde_json::to_string(value) else { return };
    text.push('\n');
    write(&text);
}

/// Whether stderr shows colours: a terminal, and the user did not say no.
pub fn wants_color(never: bool) -> bool {
    let no_color = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
    !never && !no_color && stderr().is_terminal()
}

/// Writes `error` as the command's one error line.
pub fn error(error: &Error) {
    line(Level::Error, error.message());
}

/// Hides `bar` during messages until [`release`].
pub fn step_aside(bar: &ProgressBar) {
    *BAR.lock().unwrap_or_else(PoisonError::into_inner) = Some(bar.clone());
}

/// No bar is shown any more.
pub fn release() {
    *BAR.lock().unwrap_or_else(PoisonError::into_inner) = None;
}

/// Runs `work` while libraries that write to standard error by themselves (encoders, when they are opened) are not
/// heard, unless everything is asked for. Messages come through.
pub fn silenced<T>(work: impl FnOnce() -> T) -> T {
    struct Restore<'a>(&'a File);

    impl Drop for Restore<'_> {
        fn drop(&mut self) {
            // It was just replaced, so it can be put back.
            let _ = rustix::stdio::dup2_stderr(self.0);
        }
    }

    let _alone = SILENCE.lock().unwrap_or_else(PoisonError::into_inner);
    let (Some(Some(kept)), Ok(null)) = (STDERR.get(), File::create("/dev/null")) else { return work() };
    if log::max_level() >= LevelFilter::Trace || rustix::stdio::dup2_stderr(null).is_err() {
        return work();
    }
    let _restore = Restore(kept);
    work()
}

/// Runs `work`, which does the same twice, with [`repeats`] in between: messages of the second time are dropped.
pub fn say_once<T>(work: impl FnOnce() -> T) -> T {
    let set = |said| *SAID.lock().unwrap_or_else(PoisonError::into_inner) = said;
    set(Some(Said { lines: HashSet::new(), rule: Repeats::First }));
    let result = work();
    set(None);
    result
}

/// From here on work is repeated.
pub fn repeats() {
    set_rule(Repeats::Second);
}

/// Runs `work` within [`say_once`], which does the same many times side by side: its warnings are said once each, and what else
/// it says is for those who want details.
pub fn side_by_side<T>(work: impl FnOnce() -> T) -> T {
    set_rule(Repeats::Many);
    let result = work();
    repeats();
    result
}

fn set_rule(rule: Repeats) {
    if let Some(said) = &mut *SAID.lock().unwrap_or_else(PoisonError::into_inner) {
        said.rule = rule;
    }
}

/// Whether `message` is said by work that is repeated, and not to be said again.
fn is_dropped(level: Level, message: &str) -> bool {
    let Some(said) = &mut *SAID.lock().unwrap_or_else(PoisonError::into_inner) else { return false };
    match said.rule {
        Repeats::First => {
            said.lines.insert(message.to_owned());
            false
        }
        Repeats::Second => said.lines.contains(message),
        Repeats::Many if level <= Level::Warn => !said.lines.insert(message.to_owned()),
        Repeats::Many => log::max_level() < LevelFilter::Debug,
    }
}

/// Writes `text` to standard error. Where that is closed, nobody can be informed.
fn write(text: &str) {
    let _ = match STDERR.get() {
        Some(Some(file)) => { file }.write_all(text.as_bytes()),
        _ => stderr().write_all(text.as_bytes()),
    };
}

fn line(level: Level, message: &str) {
    if is_json() {
        let level = level.as_str().to_lowercase();
        return json(&Message { level: &level, message: message.trim_end() });
    }
    let text = format(level, message, COLORED.load(Ordering::Relaxed));
    let write = || write(&text);
    match &*BAR.lock().unwrap_or_else(PoisonError::into_inner) {
        Some(bar) => bar.suspend(write),
        None => write(),
    }
}

/// A message as a JSON line has it.
#[derive(Serialize)]
struct Message<'a> {
    level: &'a str,
    message: &'a str,
}

fn format(level: Level, message: &str, color: bool) -> String {
    let (word, sgr) = match level {
        Level::Error => ("error: ", "1;31"),
        Level::Warn => ("warning: ", "1;33"),
        Level::Info | Level::Debug | Level::Trace => ("", ""),
    };
    let message = message.trim_end().replace('\n', " ");
    if color && !word.is_empty() {
        format!("vramp: \x1b[{sgr}m{word}\x1b[0m{message}\n")
    } else {
        format!("vramp: {word}{message}\n")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_is_one_line() {
        assert_eq!(format(Level::Warn, "two\nlines\n", false), "vramp: warning: two lines\n");
        assert_eq!(format(Level::Info, "note", true), "vramp: note\n");
        assert_eq!(format(Level::Error, "bad", true), "vramp: \x1b[1;31merror: \x1b[0mbad\n");
    }
}
