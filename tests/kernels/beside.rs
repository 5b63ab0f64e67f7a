//! The walls around samples stop who touches what lies beside them.

use crate::case::sampled_cases;
use crate::sample::Sample;
use crate::walls;
use std::process::Command;

#[test]
fn a_byte_beside_the_samples_is_noticed() {
    use std::os::unix::process::ExitStatusExt;
    let mut program = Command::new(std::env::current_exe().unwrap());
    let died = program.args(["--exact", "beside::a_filter_that_reads_beside", "--ignored"]).output().unwrap();
    assert!(died.status.signal().is_some(), "{}", died.status);
}

#[test]
#[ignore = "run by a_byte_beside_the_samples_is_noticed, since it dies"]
fn a_filter_that_reads_beside() {
    walls::all(
        sampled_cases(crate::faulty::FILTERS, Sample::Third)
            .filter(|case| case.args == "reads_padding" && case.shape() == (1, 1)),
    );
}
