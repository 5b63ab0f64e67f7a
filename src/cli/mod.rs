//! The `vramp` command: arguments to configuration, progress, reports.

mod alpha;
mod args;
mod backend;
mod batch;
mod bench;
mod beside;
mod compare;
mod console;
mod farm;
mod filters;
mod gallery;
mod hash;
mod manual;
mod own_program;
mod plugins;
pub(crate) mod presets;
mod preview;
mod probe;
mod scenes;
mod setup;
mod sides;
mod transcode;
mod tune;
mod verify;

use crate::error::{Error, Kind, Result};
use args::{Cli, Command, argv, given};
use clap::error::ErrorKind;
use clap::{ArgMatches, ColorChoice, CommandFactory, FromArgMatches};
use console::{log, print, progress, report, signals};
use std::any::Any;
use std::ffi::OsString;
use std::panic;
use std::process::ExitCode;
use std::sync::{Mutex, PoisonError};

/// Where the last panic happened, for the error line that reports it.
static PANIC: Mutex<Option<String>> = Mutex::new(None);

/// Runs the command line `args`, the program's name first. Errors are one line on standard error each, and their kind
/// is the exit code.
pub fn main(args: impl IntoIterator<Item = OsString>) -> ExitCode {
    let args = argv::translate(args);
    log::install(false, 0, log::wants_color(never_colored(&args)));
    if says(&args, "--progress", "json") {
        log::in_json();
    }
    panic::set_hook(Box::new(|info| {
        let place = info.location().map_or_else(String::new, |at| format!(" at {at}"));
        let text = format!("{}{place}", panic_message(info.payload()));
        *PANIC.lock().unwrap_or_else(PoisonError::into_inner) = Some(text);
    }));
    let caught = panic::catch_unwind(|| run(&args));
    let result = caught.unwrap_or_else(|payload| Err(Error::internal(panic_message(&*payload))));
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            let code = error.kind().exit_code();
            let panicked = PANIC.lock().unwrap_or_else(PoisonError::into_inner).take();
            log::error(&match panicked {
                Some(place) => error.context(format!("internal fault ({place})")),
                None => error,
            });
            ExitCode::from(code)
        }
    }
}

fn run(args: &[OsString]) -> Result<()> {
    argv::refuse_others(args)?;
    let color = if never_colored(args) { ColorChoice::Never } else { ColorChoice::Auto };
    let matches = match Cli::command().color(color).try_get_matches_from(args) {
        Ok(matches) => matches,
        Err(error) if matches!(error.kind(), ErrorKind::DisplayHelp | ErrorKind::DisplayVersion) => {
            // A reader that has seen enough closes the pipe; that is no error.
            let _ = error.print();
            return Ok(());
        }
        Err(error) => return Err(usage_error(&error)),
    };
    let matches = match presets::expand(&matches)? {
        Some(args) => parse(&args)?,
        None => matches,
    };
    let cli = Cli::from_arg_matches(&matches).map_err(|error| usage_error(&error))?;
    log::install(cli.messages.quiet, cli.messages.verbose, log::wants_color(cli.messages.color == args::Color::Never));
    match &cli.command {
        Some(Command::Batch(args)) => batch::run(args, &matches, cli.messages.quiet),
        Some(Command::Plan(args)) => farm::plan(args, &matches),
        Some(Command::Part(args)) => farm::part(args, cli.messages.quiet),
        Some(Command::Join(args)) => farm::join(args),
        Some(Command::Status(args)) => farm::status(args),
        Some(Command::Submit(args)) => farm::submit(args),
        Some(Command::Presets(args)) => presets::run(args),
        Some(Command::Filters(args)) => filters::run(args),
        Some(Command::Scenes(args)) => scenes::run(args),
        Some(Command::Gallery(args)) => gallery::run(args),
        Some(Command::Probe(args)) => probe::run(args),
        Some(Command::Bench(args)) => bench::run(args),
        Some(Command::Tune(args)) => tune::run(args),
        Some(Command::Plugins(args)) => plugins::run(args),
        Some(Command::Compare(args)) => compare::run(args, cli.messages.quiet),
        Some(Command::Hash(args)) => hash::run(args, cli.messages.quiet),
        Some(Command::Verify(args)) => verify::run(args, cli.messages.quiet),
        Some(Command::Completions { shell }) => completions(*shell),
        Some(Command::Man(args)) => manual::run(args),
        None if cli.job.preview.is_some() => preview::run(&cli.job),
        None if cli.segments.segments => farm::run_segments(&cli, &matches),
        None => transcode::run(&cli.job, cli.messages.quiet),
    }
}

/// What clap makes of `args`, the program's name first.
fn parse(args: &[OsString]) -> Result<ArgMatches> {
    Cli::command().try_get_matches_from(args).map_err(|error| usage_error(&error))
}

fn completions(shell: clap_complete::Shell) -> Result<()> {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Cli::command(), env!("CARGO_PKG_NAME"), &mut script);
    print::bytes(&script)
}

/// clap's message in one line: what is wrong and its hint, without the usage text.
fn usage_error(error: &clap::Error) -> Error {
    let text = error.to_string();
    let end = text.find("\nUsage:").or_else(|| text.find("\nFor more information")).unwrap_or(text.len());
    let lines = text[..end].lines().map(str::trim).filter(|line| !line.is_empty());
    let message = lines.map(|line| line.strip_prefix("tip: ").unwrap_or(line)).collect::<Vec<_>>().join("; ");
    let message = message.strip_prefix("error: ").unwrap_or(&message).replace(":; ", ": ");
    Error::new(Kind::BadArgument, format!("{message} (vramp --help lists the options)"))
}

/// Whether the command line turns colours off. Looked for before parsing, since parsing may already print.
fn never_colored(args: &[OsString]) -> bool {
    says(args, "--color", "never")
}

/// Whether the command line has `option` with this value.
fn says(args: &[OsString], option: &str, value: &str) -> bool {
    let joined = format!("{option}={value}");
    args.iter().any(|arg| *arg == *joined) || args.windows(2).any(|two| two[0] == option && two[1] == value)
}

fn panic_message(payload: &(dyn Any + Send)) -> String {
    let text = payload.downcast_ref::<&str>().copied().or(payload.downcast_ref::<String>().map(String::as_str));
    text.unwrap_or("panic").to_owned()
}
