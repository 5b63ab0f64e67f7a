//! Arguments of a film that is worked on in parts: `--segments`, and the commands of docs/FARM.md.

use crate::cli::args::{FilterArgs, ProgressArgs, RunsOn, threads};
use crate::farm::CutAt;
use crate::io::libav::DecoderChoice;
use clap::builder::RangedI64ValueParser;
use clap::{Arg, Args, ValueEnum};
use std::path::PathBuf;
use std::str::FromStr;

/// How a film is cut into parts.
#[derive(Clone, Debug, Args)]
pub struct CutArgs {
    /// About how long a part is, in seconds: the file's bytes depend on it
    #[arg(long, value_name = "SECONDS", default_value_t = 60.0, value_parser = seconds, help_heading = PARTS)]
    pub segment: f64,
    /// Where parts begin: at key frames of the input that are near, or exact
    #[arg(long, value_name = "WHERE", default_value = "key", help_heading = PARTS)]
    pub cuts: CutChoice,
    /// Pin nothing of the encoder: faster, but other machines may make other bytes, and so may another run
    #[arg(long, help_heading = PARTS)]
    pub fast: bool,
    /// Drop the plan that is there, and the parts that are made
    #[arg(long, help_heading = PARTS)]
    pub restart: bool,
}

/// `--segments` and what goes with it.
#[derive(Clone, Debug, Args)]
#[command(mut_args(with_segments))]
pub struct SegmentArgs {
    /// Work on the film in parts, several at a time: stopped or killed, the same command resumes where it was
    ///
    /// The parts lie in OUT.vramp until the film is whole. `vramp plan`, `part` and `join` do the same by steps, on as many
    /// machines as there are.
    #[arg(long, help_heading = PARTS)]
    pub segments: bool,
    /// How it is cut.
    #[command(flatten)]
    pub cut: CutArgs,
    /// Parts at a time (by default one for each 4 processors; on GPUs that nothing is encoded for, one for each of their decoders)
    #[arg(long, value_name = "N", help_heading = PARTS, value_parser = jobs(), requires = "segments")]
    pub jobs: Option<u16>,
    /// The GPUs on which parts take turns: all, or numbers as in 0,1 (by default the one of --device)
    #[arg(long, value_name = "LIST", help_heading = PARTS, requires = "segments")]
    pub gpus: Option<GpuList>,
    /// Keep the parts when the film is whole
    #[arg(long, help_heading = PARTS, requires = "segments")]
    pub keep_parts: bool,
}

/// Arguments of `vramp plan`.
#[derive(Debug, Args)]
#[command(override_usage = "vramp plan [OPTIONS] <IN> <OUT>", after_long_help = PLAN_HELP)]
pub struct PlanArgs {
    /// What is made of the film.
    #[command(flatten)]
    pub job: FilterArgs,
    /// How it is cut.
    #[command(flatten)]
    pub cut: CutArgs,
}

/// Arguments of `vramp part`.
#[derive(Debug, Args)]
#[command(after_long_help = PART_HELP)]
pub struct PartArgs {
    /// The plan's folder, OUT.vramp
    #[arg(value_name = "DIR")]
    pub folder: PathBuf,
    /// The parts to make: 7, 3-9 or 0-3,7. Without it, the one that the engine's environment names
    #[arg(value_name = "PARTS")]
    pub parts: Option<String>,
    /// Parts that a task of an engine makes, one after the other: task 3 of 5 parts each makes 15 to 19
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=100_000),
          conflicts_with = "parts")]
    pub per_task: u32,
    /// Make every part that is not there yet, also those that another machine is making: the first to finish counts
    #[arg(long, conflicts_with_all = ["parts", "per_task"])]
    pub missing: bool,
    /// Make parts again and compare them: finds a machine whose memory fails. Without PARTS, the engine's task number chooses a
    /// part that another machine made
    #[arg(long, conflicts_with = "missing")]
    pub audit: bool,
    /// Parts at a time
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = jobs(), conflicts_with = "audit")]
    pub jobs: u16,
    /// The GPUs on which parts take turns: all, or numbers as in 0,1 (by default the one of --device)
    #[arg(long, value_name = "LIST", conflicts_with = "audit")]
    pub gpus: Option<GpuList>,
    /// What filters.
    #[command(flatten)]
    pub on: RunsOn,
    /// What decodes: auto, nvdec or software
    #[arg(long, value_name = "DECODER", default_value_t, help_heading = "Running")]
    pub decoder: DecoderChoice,
    /// Threads of the decoder; 0 lets it choose
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = threads(), allow_negative_numbers = true,
          help_heading = "Running")]
    pub decoder_threads: usize,
    /// How progress is shown.
    #[command(flatten)]
    pub progress: ProgressArgs,
}

/// Arguments of `vramp join`.
#[derive(Debug, Args)]
#[command(after_long_help = JOIN_HELP)]
pub struct JoinArgs {
    /// The plan's folder, OUT.vramp
    #[arg(value_name = "DIR")]
    pub folder: PathBuf,
    /// Replace OUT if it exists
    #[arg(short = 'y', long = "overwrite")]
    pub overwrite: bool,
    /// Join the parts from the first up to the first missing one, into a file beside OUT with .so-far in its name
    #[arg(long)]
    pub so_far: bool,
}

/// Arguments of `vramp status`.
#[derive(Debug, Args)]
pub struct StatusArgs {
    /// The plan's folder, OUT.vramp
    #[arg(value_name = "DIR")]
    pub folder: PathBuf,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

/// GPUs by the driver's numbers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum GpuList {
    /// As many as there are.
    All,
    /// These.
    Some(Vec<usize>),
}

impl FromStr for GpuList {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<GpuList, &'static str> {
        if text == "all" {
            return Ok(GpuList::All);
        }
        let numbers = text.split(',').map(str::parse).collect::<Result<Vec<usize>, _>>();
        numbers.map(GpuList::Some).map_err(|_| "it must be all, or numbers with commas between, as in 0,1")
    }
}

fn jobs() -> RangedI64ValueParser<u16> {
    clap::value_parser!(u16).range(1..=256)
}

/// With which frames parts begin.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum CutChoice {
    /// Key frames of the input that are near, else any.
    Key,
    /// Any.
    Exact,
}

impl From<CutChoice> for CutAt {
    fn from(choice: CutChoice) -> CutAt {
        match choice {
            CutChoice::Key => CutAt::Key,
            CutChoice::Exact => CutAt::Exact,
        }
    }
}

const PARTS: &str = "In parts";

/// Of a run these are refused without `--segments`; a plan has them in any case.
fn with_segments(option: Arg) -> Arg {
    match option.get_id().as_str() {
        "segment" | "cuts" | "fast" | "restart" => option.requires("segments"),
        _ => option,
    }
}

fn seconds(text: &str) -> Result<f64, &'static str> {
    let length = text.parse().ok().filter(|length| (0.01..=86_400.0).contains(length));
    length.ok_or("it must be a number of seconds from 0.01 to 86400")
}

const PLAN_HELP: &str = "\
Writes OUT.vramp/plan.json: which frames each part has, where its decoder begins, and what of the encoder is pinned, with the \
reason. The input is read once, and only a little of it is decoded. The same film, options and build make the same plan.

The same plan makes the same file, byte for byte, whatever the number of machines, their processors, the order of the parts and how \
often one was made again. docs/FARM.md says which encoders that holds for.

Examples:
  vramp plan in.mkv out.mkv --deband -c libx265 && vramp part out.mkv.vramp 0-9 && vramp join out.mkv.vramp
  seq 0 119 | parallel vramp part out.mkv.vramp {}";

const PART_HELP: &str = "\
A part that exists is not made again. It exists only when it is whole: it is written under another name, and then renamed. Two \
machines may make the same part; both make the same bytes.

The environment names a part by SLURM_ARRAY_TASK_ID, AWS_BATCH_JOB_ARRAY_INDEX, JOB_COMPLETION_INDEX (Kubernetes), \
BATCH_TASK_INDEX and CLOUD_RUN_TASK_INDEX (Google), PBS_ARRAY_INDEX, which count from 0, or SGE_TASK_ID, LSB_JOBINDEX and PARALLEL_SEQ, \
which count from 1. VRAMP_TASK_BASE is added to it.

An encoder that makes other bytes than the plan's is refused with exit code 3.

--audit is for another machine than the one that made the parts. One that has other bytes there is removed, since either of \
the two may be wrong, and the exit code is 1. The part is in dispute until a machine makes what another one made: the part is there then, \
and the machine that made something else is named.";

const JOIN_HELP: &str = "\
Every part is read and compared with the plan; damaged parts are removed. Where parts are missing the exit code is 9, and standard \
output has their numbers as ranges, for `vramp part`. Sound, subtitles, chapters and attachments come from the input. The \
film is read back before it is renamed to OUT: every frame must be there, at its time.";
