//! Messages for the host: to standard error until somebody takes them.

use log::{Level, LevelFilter, Log, Metadata, Record};
use std::io::{self, Write};
use std::sync::{Arc, Once, PoisonError, RwLock};

/// Takes a message, which is one line.
pub type Sink = dyn Fn(Level, &str) + Send + Sync;

static LOGGER: Logger = Logger;
static SINK: RwLock<Option<Arc<Sink>>> = RwLock::new(None);

struct Logger;

impl Log for Logger {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.level() <= log::max_level() && metadata.target().starts_with("vramp")
    }

    fn log(&self, record: &Record<'_>) {
        if !self.enabled(record.metadata()) {
            return;
        }
        let text = record.args().to_string().trim_end().replace('\n', " ");
        // Not called under the lock, so that a sink may set another.
        let sink = SINK.read().unwrap_or_else(PoisonError::into_inner).clone();
        match sink {
            Some(sink) => sink(record.level(), &text),
            // Not `eprintln!`, which panics where the host's standard error cannot be written.
            None => drop(writeln!(io::stderr(), "vramp: {text}")),
        }
    }

    fn flush(&self) {}
}

/// Starts logging, to standard error. Calls after the first do nothing.
pub fn start() {
    static STARTED: Once = Once::new();
    STARTED.call_once(|| {
        // The library has a logger of its own, so this is the first.
        let _ = log::set_logger(&LOGGER);
        log::set_max_level(LevelFilter::Info);
    });
}

/// Sends messages of `level` and graver ones to `sink` from now on; without one, to standard error.
pub fn to(sink: Option<Arc<Sink>>, level: LevelFilter) {
    start();
    *SINK.write().unwrap_or_else(PoisonError::into_inner) = sink;
    log::set_max_level(level);
}

/// What error messages advise users of the command, who have options and other commands at hand.
const ADVICE_FOR_THE_COMMAND: [&str; 2] = [" ('vramp filters' lists them)", "; use --device cpu"];

/// A message without what only users of the command can do.
pub fn for_hosts(message: &str) -> &str {
    ADVICE_FOR_THE_COMMAND.iter().fold(message, |text, advice| text.trim_end_matches(advice))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Mutex;

    #[test]
    fn hosts_are_not_sent_to_the_command() {
        for (name, why) in [
            ("debnad", "no filter is called 'debnad'; did you mean 'deband'?"),
            ("nothing", "no filter is called 'nothing'"),
        ] {
            let error = vramp::filters::chain(name).unwrap_err();
            assert_ne!(error.message(), why);
            assert_eq!(for_hosts(error.message()), why);
        }
        assert_eq!(for_hosts("no NVIDIA driver; use --device cpu"), "no NVIDIA driver");
    }

    #[test]
    fn a_sink_takes_lines_of_its_level() {
        static SAID: Mutex<Vec<(Level, String)>> = Mutex::new(Vec::new());
        to(Some(Arc::new(|level, text| SAID.lock().unwrap().push((level, text.to_owned())))), LevelFilter::Info);
        log::info!(target: "vramp::test", "two\nlines\n");
        log::debug!(target: "vramp::test", "too fine");
        log::info!(target: "other", "not ours");
        to(None, LevelFilter::Off);
        log::error!(target: "vramp::test", "nobody listens");
        assert_eq!(*SAID.lock().unwrap(), [(Level::Info, "two lines".to_owned())]);
    }
}
