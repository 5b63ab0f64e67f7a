//! OpenFX: a host in C that loads the library, asks for descriptions and pictures, and calls as no host should.

#[path = "../cc/mod.rs"]
mod cc;
#[path = "../so/mod.rs"]
mod so;

use std::process::Command;

/// Runs the program of `source`, which says what it found, with AddressSanitizer where the compiler has it.
#[track_caller]
fn run(source: &str) {
    let headers = cc::path("../target/openfx/include");
    assert!(headers.exists(), "{} is not there: scripts/setup_hosts.sh fetches it", headers.display());
    let include = format!("-isystem{}", headers.display());
    let flags = [cc::sanitizer(), &["-D_GNU_SOURCE", &include, "-pthread", "-ldl", "-lm"]].concat();
    let program = cc::program(&cc::path(source), &flags);
    let ran = Command::new(&program).arg(so::library()).env("VRAMP_DEVICE", "cpu").output().unwrap();
    std::fs::remove_file(program).unwrap();
    let (said, errors) = (String::from_utf8_lossy(&ran.stdout), String::from_utf8_lossy(&ran.stderr));
    assert!(ran.status.success(), "{}\n{said}\n{errors}", ran.status);
}

#[test]
fn pictures_are_those_of_the_c_abi() {
    run("tests/openfx/pictures.c");
}

#[test]
fn hosts_get_answers_and_wrong_ones_do_no_harm() {
    run("tests/openfx/actions.c");
}
