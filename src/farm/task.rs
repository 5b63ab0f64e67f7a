//! Which parts an engine asks for: every engine of arrays puts the task's number into a variable of its own.

use super::ranges::Ranges;
use crate::error::{Error, Result};

/// Variables of engines, and the number of an array's first task where users do not choose it.
const ENGINES: [(&str, u32); 9] = [
    ("SLURM_ARRAY_TASK_ID", 0),
    ("AWS_BATCH_JOB_ARRAY_INDEX", 0),
    // Kubernetes
    ("JOB_COMPLETION_INDEX", 0),
    // Google Batch and Cloud Run
    ("BATCH_TASK_INDEX", 0),
    ("CLOUD_RUN_TASK_INDEX", 0),
    ("PBS_ARRAY_INDEX", 0),
    // Grid Engine
    ("SGE_TASK_ID", 1),
    // LSF
    ("LSB_JOBINDEX", 1),
    // GNU parallel
    ("PARALLEL_SEQ", 1),
];

/// What is added to the number, for arrays that engines cut where they are too long.
const BASE: &str = "VRAMP_TASK_BASE";

/// The number of the submission that a task belongs to, which `vramp submit` gives its tasks.
pub const SUBMISSION: &str = "VRAMP_SUBMISSION";

/// The submission that the environment names, if this is a task of one.
pub fn submission(get: impl Fn(&str) -> Option<String>) -> Option<u64> {
    get(SUBMISSION)?.parse().ok()
}

/// The parts of task number `task`, where each of them makes `per_task` of the `count` that there are: one that is not there
/// where the task is none.
pub fn parts_of_task(task: u32, per_task: u32, count: u32) -> Ranges {
    let first = task.saturating_mul(per_task);
    let last = first.saturating_add(per_task - 1).min(count - 1).max(first);
    (first..=last).collect()
}

/// The task that the environment asks for, counted from 0; `get` gives the value of a variable.
///
/// # Errors
/// When no engine's variable is set, or those of two are, with their names; when it is no number.
pub fn task(get: impl Fn(&str) -> Option<String>) -> Result<u32> {
    // Grid Engine sets its variable to this in jobs that are no array.
    let set = |(name, first): &(&'static str, u32)| {
        get(name).filter(|value| !value.is_empty() && value != "undefined").map(|value| (*name, *first, value))
    };
    let found: Vec<_> = ENGINES.iter().filter_map(set).collect();
    let (name, first, value) = match &found[..] {
        [one] => one,
        [] => {
            let names: Vec<_> = ENGINES.iter().map(|(name, _)| *name).collect();
            let names = names.join(", ");
            return Err(Error::bad_argument(format!("which part? name it (vramp part DIR 7), or set one of {names}")));
        }
        [..] => {
            let names: Vec<_> = found.iter().map(|(name, ..)| *name).collect();
            let names = names.join(" and ");
            return Err(Error::bad_argument(format!(
                "which part? {names} are set: name the part, or unset all but one"
            )));
        }
    };
    let task = number(name, value)?;
    let base = get(BASE).map_or(Ok(0), |base| number(BASE, &base))?;
    let part = task.checked_sub(*first).and_then(|task| task.checked_add(base));
    part.ok_or_else(|| Error::bad_argument(format!("{name}={value} is no task: its numbers begin with {first}")))
}

fn number(name: &str, value: &str) -> Result<u32> {
    value.parse().map_err(|_| Error::bad_argument(format!("{name}={value} is no number of a task")))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn part(set: &[(&str, &str)]) -> Result<u32> {
        task(|name| set.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned()))
    }

    #[test]
    fn each_engine_is_understood() {
        for (name, first) in ENGINES {
            assert_eq!(part(&[(name, &(first + 5).to_string())]).unwrap(), 5, "{name}");
        }
        assert_eq!(part(&[("SLURM_ARRAY_TASK_ID", "7"), ("VRAMP_TASK_BASE", "1000")]).unwrap(), 1007);
        assert_eq!(part(&[("SLURM_ARRAY_TASK_ID", "7"), ("SGE_TASK_ID", "undefined")]).unwrap(), 7);
    }

    #[test]
    fn tasks_make_runs_of_parts() {
        let parts = |task, per_task| parts_of_task(task, per_task, 12).to_string();
        assert_eq!([parts(0, 1), parts(11, 1), parts(0, 5), parts(2, 5)], ["0", "11", "0-4", "10-11"]);
        // Refused by their number.
        assert_eq!([parts(12, 1), parts(3, 5), parts(u32::MAX, 5)], ["12", "15", "4294967295"]);
    }

    #[test]
    fn what_is_not_clear_is_refused() {
        for (set, words) in [
            (&[][..], &["SLURM_ARRAY_TASK_ID", "PARALLEL_SEQ", "vramp part DIR 7"][..]),
            (&[("SLURM_ARRAY_TASK_ID", "1"), ("PARALLEL_SEQ", "1")], &["SLURM_ARRAY_TASK_ID and PARALLEL_SEQ"]),
            (&[("PARALLEL_SEQ", "0")], &["begin with 1"]),
            (&[("PBS_ARRAY_INDEX", "x")], &["PBS_ARRAY_INDEX=x"]),
            (&[("PBS_ARRAY_INDEX", "1"), ("VRAMP_TASK_BASE", "-1")], &["VRAMP_TASK_BASE=-1"]),
            (&[("PBS_ARRAY_INDEX", "1"), ("VRAMP_TASK_BASE", "4294967295")], &["is no task"]),
        ] {
            let error = part(set).unwrap_err();
            assert!(words.iter().all(|word| error.message().contains(word)), "{error}");
        }
    }
}
