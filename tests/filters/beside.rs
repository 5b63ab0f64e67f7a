//! Nothing is touched beside the samples: a filter's cases between walls, in a program of their own, as it may die.

use crate::TESTED;
use crate::case::cases;
use crate::sample::run_seed;
use crate::walls::{all, is_walled};
use libtest_mimic::{Failed, Trial};
use std::process::Command;
use vramp::filters::Descriptor;

/// Names the filter whose cases this program runs between walls.
const WALLED: &str = "VRAMP_BETWEEN_WALLS";

/// Lines of what a program said that failed.
const LAST_LINES: usize = 6;

/// Runs what this program was started for by a test. False: it was not.
pub fn run_if_asked() -> bool {
    let Ok(name) = std::env::var(WALLED) else { return false };
    let filter = TESTED.iter().find(|filter| filter.name == name).expect("a filter");
    all(cases(&[filter]).filter(is_walled));
    true
}

/// The test of `filter`, if it has kernels: `keep` and `use` have none.
pub fn trial(filter: &'static Descriptor) -> Option<Trial> {
    let name = format!("{}::nothing_is_touched_beside_the_samples", filter.name);
    cases(&[filter]).any(|case| is_walled(&case)).then(|| Trial::test(name, move || run_apart(filter)))
}

fn run_apart(filter: &Descriptor) -> Result<(), Failed> {
    let mut program = Command::new(std::env::current_exe()?);
    let output = program.env(WALLED, filter.name).output()?;
    let stderr = String::from_utf8_lossy(&output.stderr);
    if output.status.success() && !stderr.is_empty() {
        return Ok(());
    }
    // A death has no last words but the case; a difference is a report behind it.
    let lines: Vec<_> = stderr.lines().collect();
    let last = lines[lines.len().saturating_sub(LAST_LINES)..].join("\n");
    Err(format!("VRAMP_SEED={}, {}, in:\n{last}", run_seed(), output.status).into())
}
