//! Arguments of `vramp batch`: those of the main command, for many inputs, and what a batch has of its own.

use crate::cli::args::FilterArgs;
use clap::{Arg, Args};

/// Arguments of `vramp batch`.
#[derive(Debug, Args)]
#[command(
    override_usage = "vramp batch [OPTIONS] <IN>... --output <PATTERN>",
    mut_arg("paths", inputs),
    mut_arg("output", pattern),
    mut_arg("overwrite", overwrite),
    mut_arg("input", |input| input.hide(true)),
    after_long_help = HELP
)]
pub struct BatchArgs {
    /// What is done to each of them.
    #[command(flatten)]
    pub job: FilterArgs,
    /// Take the videos of folders in the folders too
    #[arg(long, help_heading = BATCH)]
    pub recursive: bool,
    /// Films at a time (by default one for each 8 processors, and one for each GPU)
    #[arg(long, value_name = "N", help_heading = BATCH, value_parser = clap::value_parser!(u16).range(1..=256))]
    pub jobs: Option<u16>,
    /// Begin no other film once one has failed
    #[arg(long, help_heading = BATCH)]
    pub fail_fast: bool,
    /// Print the command of each film, and run none
    #[arg(long, help_heading = BATCH)]
    pub dry_run: bool,
}

const BATCH: &str = "Batch";

fn inputs(paths: Arg) -> Arg {
    let help = "Videos, folders of videos, and @FILE for a list of them, one a line (@- reads standard input)";
    paths.value_names(["IN"]).num_args(0..).help(help)
}

fn pattern(output: Arg) -> Arg {
    // clap takes an n in braces for the end of a line.
    let help = "Where each result goes, as in 'out/{name}.mkv': {name} is the input's name without its ending, {ext} its \
                ending, {dir} its folder within the one that was given, an n in braces its number. Folders are made";
    output.value_name("PATTERN").help(help)
}

fn overwrite(overwrite: Arg) -> Arg {
    overwrite.help("Replace results that exist, instead of skipping their films (never over an input)")
}

const HELP: &str = "\
A film whose result exists is skipped: a result appears under its name only when it is whole, so the files are the record of what \
is done, and the same command resumes where it was stopped. Results of other options count as done, too: -y makes all again.

Every film runs in a process of its own, so a crash costs one. Ctrl-C stops all, and keeps what is whole. Words in \
braces are replaced in other options too, as in --records 'out/{name}.jsonl'. With several GPUs each film has one of them.

In a folder, files with a video's ending are taken, in the order of their names, and none whose name begins with a dot.

The exit code is 0 if all went well (skipped ones too), 130 if the batch was stopped, and else that of the first in the list that \
failed. --progress json prints each film's lines with its input, and last a line with done, skipped, failed (input, error and \
code of each) and not_begun.

Examples:
  vramp batch season1 -o 'out/{name}.mkv' --preset anime-x265-10bit
  vramp batch --recursive films -o 'archive/{dir}/{name}.mkv' --preset archive-ffv1 --jobs 4
  find . -name '*.ts' -size +1G | vramp batch @- -o '{name}.mkv' --deband --dry-run";
