//! The command line as a value: every option with its help, from which the manual page and completions are made too.

pub mod argv;
mod colour;
mod commands;
#[cfg(test)]
mod documented;
pub mod given;
mod help;
mod job;
mod parse;
pub mod pictures;
mod rate;
mod run;
pub mod script;
pub mod sound;
mod subtitles;
pub mod tracks;

pub use commands::{
    BatchArgs, BenchArgs, CutArgs, FarmEngine, FiltersArgs, GpuList, JoinArgs, ManArgs, PartArgs, PlanArgs,
    PluginsArgs, PresetsArgs, ProbeArgs, SegmentArgs, StatusArgs, SubmitArgs, TuneArgs, gallery, scenes,
};
pub use job::{FilterArgs, HashName, TimestampChoice};
pub use parse::{DEFAULT_PRESET, deband_presets, parse_count, threads};
pub use rate::RateArgs;
pub use run::{ProgressArgs, ProgressChoice, Run, RunsOn};
pub use subtitles::names_subtitles;
pub use tracks::TrackArgs;

use crate::cli::compare::CompareArgs;
use crate::cli::hash::HashArgs;
use crate::cli::verify::VerifyArgs;
use clap::{Args, Parser, Subcommand, ValueEnum};
use help::{LONG_ABOUT, after_long_help};

/// The whole command line.
#[derive(Debug, Parser)]
#[command(
    name = "vramp",
    version,
    about = "Filters video: decode, a chain of filters, encode",
    long_about = LONG_ABOUT,
    override_usage = "vramp [OPTIONS] <IN> <OUT>\n       vramp <COMMAND> [OPTIONS]",
    after_help = "Exit codes and examples: vramp --help",
    after_long_help = after_long_help(),
    args_conflicts_with_subcommands = true,
    max_term_width = 100
)]
pub struct Cli {
    /// What to do instead of filtering a video.
    #[command(subcommand)]
    pub command: Option<Command>,
    /// The filtering itself.
    #[command(flatten)]
    pub job: FilterArgs,
    /// Whether it is done in parts.
    #[command(flatten)]
    pub segments: SegmentArgs,
    /// Messages and progress.
    #[command(flatten)]
    pub messages: Messages,
}

/// How much is printed, and how.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Messages")]
pub struct Messages {
    /// Print errors only
    #[arg(short, long, global = true, conflicts_with = "verbose")]
    pub quiet: bool,
    /// Print the plan, and where the time went; twice: everything
    #[arg(short, long, global = true, action = clap::ArgAction::Count)]
    pub verbose: u8,
    /// Colours in messages; the environment variable NO_COLOR turns them off too
    #[arg(long, global = true, value_name = "WHEN", default_value = "auto")]
    pub color: Color,
}

/// When to colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Color {
    /// On a terminal.
    Auto,
    /// Never.
    Never,
}

/// A subcommand.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Filter many videos, with one command line for all
    Batch(Box<BatchArgs>),
    /// Plan a film in parts, for one machine or many
    Plan(Box<PlanArgs>),
    /// Make parts of a planned film
    Part(Box<PartArgs>),
    /// Join the parts of a planned film
    Join(JoinArgs),
    /// Report how much of a planned film is done
    Status(StatusArgs),
    /// Submit the parts of a planned film to an engine, such as Slurm
    Submit(SubmitArgs),
    /// List the presets of options, or print one
    Presets(PresetsArgs),
    /// List the filters, or explain one
    Filters(FiltersArgs),
    /// List the scenes of a video, as text, chapters, or keyframes for encoders
    Scenes(scenes::ScenesArgs),
    /// Make a page with every preset of the filters, on frames of a video
    Gallery(gallery::GalleryArgs),
    /// Report what this machine and this build can do
    Probe(ProbeArgs),
    /// Measure the filters against a plain copy, and the stages of a whole run
    Bench(BenchArgs),
    /// Measure which way of working is fastest on this GPU, and keep it
    Tune(TuneArgs),
    /// Compare two videos frame by frame
    Compare(Box<CompareArgs>),
    /// List the hosts of the plugin library, and where it is installed
    Plugins(PluginsArgs),
    /// Write a hash file: one hash per frame and plane
    Hash(Box<HashArgs>),
    /// Verify a video against a hash file
    Verify(Box<VerifyArgs>),
    /// Print a completion script for a shell
    Completions {
        /// The shell
        shell: clap_complete::Shell,
    },
    /// Print the manual page (roff)
    Man(ManArgs),
}

const FILTERING: &str = "Filtering";
const WINDOW: &str = "Part of the input";
const ENCODING: &str = "Encoding";
const STREAMS: &str = "Other streams (all are copied unless left out)";
const RUNNING: &str = "Running";

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::Kind;
    use clap::CommandFactory;
    use std::ffi::OsStr;

    fn parse(line: &str) -> Cli {
        Cli::try_parse_from(line.split(' ')).unwrap()
    }

    #[test]
    fn the_description_is_sound() {
        Cli::command().debug_assert();
    }

    #[test]
    fn paths_come_by_place_or_by_option() {
        for line in ["vramp a b", "vramp -i a b", "vramp -o b a", "vramp -i a -o b", "vramp b -i a"] {
            let job = parse(line).job;
            assert_eq!((job.input().unwrap(), job.output().unwrap()), ("a".as_ref(), "b".as_ref()), "{line}");
        }
        assert_eq!(parse("vramp - - -y").job.output().unwrap(), "-");
        assert_eq!(parse("vramp a -f null").job.output().unwrap(), "-");
        for line in ["vramp", "vramp a", "vramp -i a", "vramp -i a b c", "vramp -i a -o b c"] {
            let job = parse(line).job;
            assert!(job.input().and(job.output()).is_err(), "{line}");
        }
    }

    #[test]
    fn named_inputs_are_distinguished_from_the_input() {
        let job = parse("vramp a b --input mask=m.png --input logo=x=y.mkv").job;
        assert_eq!(job.input().unwrap(), "a");
        let named = job.run.named_inputs().unwrap();
        assert_eq!(named, [("mask", "m.png".as_ref()), ("logo", OsStr::new("x=y.mkv"))]);
        for line in ["vramp --input a b", "vramp --input a -o b --input mask=c", "vramp --input ./k=v -o b"] {
            let job = parse(line).job;
            assert!(line.contains(&format!("--input {}", job.input().unwrap().display())), "{line}");
        }
        for line in ["vramp --input a --input b c", "vramp -i a --input b c"] {
            assert!(parse(line).job.input().unwrap_err().message().contains("--input NAME=b"), "{line}");
        }
        assert!(parse("vramp a b --input mask=").job.run.named_inputs().is_err());
    }

    #[test]
    fn a_command_is_one_only_in_the_first_place() {
        assert!(matches!(parse("vramp filters").command, Some(Command::Filters(_))));
        assert_eq!(parse("vramp ./filters b").job.input().unwrap(), "./filters");
        assert_eq!(parse("vramp a filters").job.output().unwrap(), "filters");
    }

    #[test]
    fn every_exit_code_is_in_the_help() {
        let help = Cli::command().render_long_help().to_string();
        for kind in Kind::ALL {
            assert!(help.contains(&format!("{:>3}  {}", kind.exit_code(), kind.describe())), "{kind:?}");
        }
    }
}
