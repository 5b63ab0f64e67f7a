//! Every registered filter, by itself: the fast kernels against the reference, on every format and shape they take, inside
//! guarded memory and between walls; neutral settings; what results may depend on; and the kernels for CUDA. A filter enters by its
//! line in the registry, and has a test of its own on every rung, as `deband::fast_kernels_equal_the_reference`. Tests on a device
//! begin with `cuda_`, and are ignored where there is none.
//!
//! A ninth of the cases is run, with every format among them; `VRAMP_CASES=third` runs a third, with every shape,
//! `VRAMP_CASES=all` all of them, `VRAMP_SEED=N` others.

#[cfg(unix)]
mod beside;
#[cfg(feature = "cuda")]
mod candidates;
#[path = "../kernels/case.rs"]
#[allow(dead_code)]
mod case;
#[path = "../kernels/check.rs"]
mod check;
#[cfg(feature = "cuda")]
mod cuda;
#[path = "../kernels/data.rs"]
#[allow(dead_code)]
mod data;
#[cfg(feature = "cuda")]
#[path = "../kernels/gpu.rs"]
mod gpu;
#[path = "../kernels/memory.rs"]
#[allow(dead_code)]
mod memory;
#[path = "../kernels/sample.rs"]
mod sample;
#[cfg(unix)]
#[path = "../kernels/walls.rs"]
mod walls;

use case::{Case, MEDIUM, SMALL, cases, end_cases, neutral_cases};
use check::{Execs, check_history, check_kernels, check_neutral, check_threads};
use libtest_mimic::{Arguments, Failed, Trial};
use sample::report;
use std::sync::LazyLock;
use vramp::filters::{ALL, Descriptor, survey};

/// Every registered filter, and what chains put before some of them.
static TESTED: LazyLock<Vec<&'static Descriptor>> =
    LazyLock::new(|| ALL.iter().copied().chain([&survey::SURVEY]).collect());

type Check = fn(&Case, &Execs) -> Result<(), String>;

/// A rung: its name, the cases on it, and what is checked of each.
struct Rung {
    name: &'static str,
    cases: fn(&[&'static Descriptor]) -> Vec<Case>,
    check: Check,
}

const RUNGS: [Rung; 5] = [
    Rung { name: "fast_kernels_equal_the_reference", cases: |filters| cases(filters).collect(), check: check_kernels },
    Rung {
        name: "options_work_at_the_ends_of_what_they_take",
        cases: |filters| end_cases(filters).collect(),
        check: check_kernels,
    },
    Rung {
        name: "neutral_settings_are_the_identity",
        cases: |filters| neutral_cases(filters).collect(),
        check: check_neutral,
    },
    Rung {
        name: "results_do_not_depend_on_earlier_frames",
        cases: |filters| cases(filters).filter(|case| case.shape() == SMALL).collect(),
        check: check_history,
    },
    Rung {
        name: "results_do_not_depend_on_threads",
        cases: |filters| cases(filters).filter(|case| case.shape() == MEDIUM).collect(),
        check: check_threads,
    },
];

/// Checks every case and reports the first failures.
fn climb(rung: &Rung, filter: &'static Descriptor) -> Result<(), Failed> {
    const SHOWN: usize = 10;
    let execs = Execs::new();
    let fault = |case: Case| (rung.check)(&case, &execs).err().map(|fault| format!("{case}: {fault}"));
    let failures: Vec<String> = (rung.cases)(&[filter]).into_iter().filter_map(fault).take(SHOWN).collect();
    match failures.is_empty() {
        true => Ok(()),
        false => Err(report(&failures).into()),
    }
}

/// The tests of `filter`.
fn trials(filter: &'static Descriptor, args: &Arguments) -> Vec<Trial> {
    let trial =
        |rung: &'static Rung| Trial::test(format!("{}::{}", filter.name, rung.name), move || climb(rung, filter));
    let mut trials: Vec<Trial> = RUNGS.iter().map(trial).collect();
    #[cfg(unix)]
    trials.extend(beside::trial(filter));
    // Who names a test has seen that it is not ignored: nothing opens a device for tests without one.
    #[cfg(feature = "cuda")]
    trials.extend(cuda::trials(filter, args.exact || cuda::gate::runs()));
    let _ = args;
    trials
}

fn main() {
    #[cfg(unix)]
    if beside::run_if_asked() {
        return;
    }
    let args = Arguments::from_args();
    let trials = TESTED.iter().flat_map(|filter| trials(filter, &args)).collect();
    libtest_mimic::run(&args, trials).exit();
}
