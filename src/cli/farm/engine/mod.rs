//! What engines are asked for, as text: tasks, each of which makes some parts, and then the join. All else is vramp's: what is
//! done, what is tried again, and whose work counts.

pub mod commands;
pub mod openjd;
pub mod slurm;

use crate::error::{Error, Result};
use crate::farm::Ranges;

/// The parts that an engine is asked for.
pub struct MissingParts {
    /// The program on the machines of the engine.
    pub program: String,
    /// The folder of the plan.
    pub folder: String,
    /// The name of the film.
    pub film: String,
    /// The parts that are not there.
    pub missing: Ranges,
    /// How many of them a task makes, one behind the other.
    pub per_task: u32,
}

/// The command line of `words`, as a shell reads it.
fn command<'a>(words: impl IntoIterator<Item = &'a str>) -> Result<String> {
    shlex::try_join(words).map_err(|error| Error::bad_argument(format!("no shell takes this command: {error}")))
}

#[cfg(test)]
pub(crate) fn work(missing: &str, per_task: u32) -> MissingParts {
    MissingParts {
        program: "/opt/my tools/vramp".to_owned(),
        folder: "/films/out.mkv.vramp".to_owned(),
        film: "out.mkv".to_owned(),
        missing: missing.parse().unwrap(),
        per_task,
    }
}
