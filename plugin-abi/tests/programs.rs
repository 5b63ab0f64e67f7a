//! Programs in C against the built library: a hostile one, one that loads it a thousand times, one whose
//! messages go wrong, one that changes a parameter each frame, one whose device fails, ones that use CUDA themselves, one that has
//! memory of other APIs. AddressSanitizer sees what these do, since a stable compiler builds no library with it; Valgrind sees what
//! the library does.

mod cc;
mod so;

use std::path::PathBuf;
use std::process::Command;

/// Runs the program of `source`, which says what it found, with the system's CUDA driver or that of a folder.
#[track_caller]
fn run(source: &str, flags: &[&str], driver: Option<PathBuf>) {
    run_with(source, flags, driver, &[so::library()]);
}

/// The same with these libraries.
#[track_caller]
fn run_with(source: &str, flags: &[&str], driver: Option<PathBuf>, libraries: &[PathBuf]) {
    let program = program(source, flags);
    let mut command = Command::new(&program);
    // Huge requests are part of it: they are refused, as by malloc without the sanitizer.
    command.env("ASAN_OPTIONS", "allocator_may_return_null=1");
    command.envs(driver.map(|folder| ("LD_LIBRARY_PATH", folder)));
    succeed(command.args(libraries));
    std::fs::remove_file(program).unwrap();
}

/// Runs the program of `source` in Valgrind, where that is installed.
#[track_caller]
fn run_in_valgrind(source: &str) {
    if Command::new("valgrind").arg("--version").output().is_err() {
        let required = std::env::var_os("VRAMP_REQUIRE_VALGRIND").is_some_and(|value| value == "1");
        assert!(!required, "VRAMP_REQUIRE_VALGRIND is set, but valgrind is missing: make hosts");
        return println!("skipped: valgrind is missing: make hosts");
    }
    let program = program(source, &[]);
    let mut command = Command::new("valgrind");
    command.args(["--quiet", "--error-exitcode=9"]).arg(&program).arg(so::library());
    succeed(&mut command);
    std::fs::remove_file(program).unwrap();
}

#[track_caller]
fn program(source: &str, flags: &[&str]) -> PathBuf {
    cc::program(&cc::path(source), &[flags, &["-pthread", "-ldl"]].concat())
}

#[track_caller]
fn succeed(command: &mut Command) {
    let ran = command.output().unwrap();
    let (said, errors) = (String::from_utf8_lossy(&ran.stdout), String::from_utf8_lossy(&ran.stderr));
    assert!(ran.status.success(), "{}\n{said}\n{errors}", ran.status);
}

#[test]
fn hostile_arguments_are_refused() {
    run("tests/c/hostile.c", cc::sanitizer(), None);
}

#[test]
fn a_frei0r_host_gets_no_picture_of_another_size() {
    run("tests/c/frei0r.c", cc::sanitizer(), None);
}

#[test]
fn a_frei0r_host_may_call_as_none_does() {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("wild-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let deband = folder.join("vramp_deband.so");
    std::fs::copy(so::library(), &deband).unwrap();
    run_with("tests/c/wild.c", cc::sanitizer(), None, &[so::library(), deband]);
    std::fs::remove_dir_all(folder).unwrap();
}

#[test]
fn valgrind_finds_nothing_behind_the_c_abi() {
    run_in_valgrind("tests/c/hostile.c");
}

#[test]
fn valgrind_finds_nothing_behind_frei0r() {
    run_in_valgrind("tests/c/frei0r.c");
}

#[test]
fn it_is_loaded_a_thousand_times_without_growth() {
    run("tests/c/unload.c", &[], None);
}

#[test]
fn messages_do_no_harm() {
    run("tests/c/log.c", &[], Some(cc::stand_in_driver()));
}

#[test]
fn a_changing_parameter_opens_the_device_once() {
    run("tests/c/slider.c", &[], Some(cc::stand_in_driver()));
}

#[test]
fn a_frei0r_host_hears_once_of_a_device_that_fails() {
    run("tests/c/failing.c", &[], Some(cc::stand_in_driver()));
}

#[test]
fn the_callers_cuda_context_stays() {
    run("tests/c/context.c", &[], Some(cc::stand_in_driver()));
}

#[test]
fn frames_in_gpu_memory_keep_to_their_context() {
    run("tests/c/resident.c", &[], Some(cc::stand_in_driver()));
}

#[test]
fn memory_and_timelines_of_other_apis_are_imported() {
    run("tests/c/external.c", cc::sanitizer(), Some(cc::stand_in_driver()));
}
