//! Arguments of `vramp submit`.

use clap::{Args, ValueEnum};
use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;

/// Arguments of `vramp submit`.
#[derive(Debug, Args)]
#[command(override_usage = "vramp submit <DIR> --engine <ENGINE> [OPTIONS] [-- ARGS]", after_long_help = HELP)]
pub struct SubmitArgs {
    /// The plan's folder, OUT.vramp
    #[arg(value_name = "DIR")]
    pub folder: PathBuf,
    /// What runs the parts: slurm; or print a job for openjd, or plain commands
    #[arg(long, value_name = "ENGINE")]
    pub engine: FarmEngine,
    /// Print the commands, and submit nothing: they are a shell script that does the same
    #[arg(long)]
    pub dry_run: bool,
    /// Parts that a task makes, one after the other (slurm: by default about 5 minutes of film, less where parts are few)
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub per_task: Option<u32>,
    /// vramp on the machines that make the parts (by default where this one is; openjd: vramp)
    #[arg(long, value_name = "FILE")]
    pub program: Option<String>,
    /// Make this share of the parts twice, on two machines, and compare before the join: 1% finds a machine whose memory fails
    #[arg(long, value_name = "PERCENT")]
    pub audit: Option<Share>,
    /// Further tasks, for when all parts are begun: they make those that are not finished, so that no slow machine delays the end
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = clap::value_parser!(u32).range(..=1000))]
    pub copies: u32,
    /// Which attempt this is: jobs that submit again count.
    #[arg(long, value_name = "N", default_value_t = 1, hide = true)]
    pub round: u32,
    /// The number of the submission, which all its attempts share: failures of others do not count.
    #[arg(long, value_name = "NUMBER", hide = true)]
    pub submission: Option<u64>,
    /// Options for sbatch: --partition=gpu --gres=gpu:1 --account=films
    #[arg(value_name = "ARGS", last = true)]
    pub arguments: Vec<String>,
}

/// A share of a film's parts, in percent.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Share(f64);

impl Share {
    /// How many of `parts` it is: one at least.
    pub fn of(self, parts: u32) -> u32 {
        (f64::from(parts) * self.0 / 100.0).ceil() as u32
    }
}

impl FromStr for Share {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Share, &'static str> {
        let share = text.strip_suffix('%').and_then(|number| number.parse().ok());
        let share = share.filter(|share| *share > 0.0 && *share <= 100.0);
        share.map(Share).ok_or("it must be a share of the parts, as 1% or 0.5%, up to 100%")
    }
}

impl fmt::Display for Share {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}%", self.0)
    }
}

/// What runs parts on many machines.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum FarmEngine {
    /// Slurm, by its sbatch: an array of tasks, and a job that joins.
    Slurm,
    /// A job template of Open Job Description, as AWS Deadline Cloud reads it.
    Openjd,
    /// One command a line, the join last.
    Commands,
}

const HELP: &str = "\
slurm: an array of tasks makes the parts that are missing, and a job after it joins them. If parts are still missing, that job \
submits them and the join again: five rounds at most, the last with one part a task, without machines that failed twice and made \
nothing. The same folder can be submitted again: parts that exist are not made again. Options after -- go to sbatch, for \
the tasks and the join. What each task printed is in DIR/log.

openjd: prints a job template, to be saved beside DIR. commands: prints one command a line, the join last.

Examples:
  vramp submit out.mkv.vramp --engine slurm -- --partition=gpu --gres=gpu:1
  vramp submit out.mkv.vramp --engine openjd > job.json && openjd run job.json --step Join --run-dependencies
  vramp submit out.mkv.vramp --engine commands | sed '$d' | parallel -S node1,node2 && vramp join out.mkv.vramp";
