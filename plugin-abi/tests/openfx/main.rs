//! OpenFX: a host in C that loads the library, asks for descriptions and pictures, and calls as no host should; and a host of
//! OpenFX's own classes. scripts/windows.sh runs the first two under Wine.

#[path = "../cc/mod.rs"]
mod cc;
#[path = "../so/mod.rs"]
mod so;

use std::path::{Path, PathBuf};
use std::process::Command;

/// What scripts/setup_hosts.sh fetched of OpenFX.
fn openfx(part: &str) -> PathBuf {
    let path = cc::path("../target/openfx").join(part);
    assert!(path.exists(), "{} is not there: scripts/setup_hosts.sh makes it", path.display());
    path
}

/// The program of `source`, compiled with OpenFX's headers.
#[track_caller]
fn program(source: &str, flags: &[&str]) -> PathBuf {
    let include = format!("-isystem{}", openfx("include").display());
    cc::program(&cc::path(source), &[&["-D_GNU_SOURCE", include.as_str(), "-pthread"], flags].concat())
}

/// Runs a program on the CPU, which says what it found.
#[track_caller]
fn run(program: &Path, command: &mut Command) {
    run_as_it_is(program, command.env("VRAMP_DEVICE", "cpu"));
}

#[track_caller]
fn run_as_it_is(program: &Path, command: &mut Command) {
    let ran = command.output().unwrap();
    std::fs::remove_file(program).unwrap();
    let (said, errors) = (String::from_utf8_lossy(&ran.stdout), String::from_utf8_lossy(&ran.stderr));
    assert!(ran.status.success(), "{}\n{said}\n{errors}", ran.status);
}

#[test]
fn pictures_are_those_of_the_c_abi() {
    let program = program("tests/openfx/pictures.c", &[cc::sanitizer(), &["-ldl", "-lm"]].concat());
    run(&program, Command::new(&program).arg(so::library()));
}

#[test]
fn hosts_get_answers_and_wrong_ones_do_no_harm() {
    let program = program("tests/openfx/actions.c", &[cc::sanitizer(), &["-ldl"]].concat());
    run(&program, Command::new(&program).arg(so::library()));
}

/// With the stand-in for the driver; on a GPU the same program compares bytes (scripts/gpu_bundle.sh packs it).
#[test]
fn images_in_gpu_memory_are_rendered_where_they_lie() {
    let program = program("tests/openfx/cuda.c", &[cc::sanitizer(), &["-ldl", "-lm"]].concat());
    let mut command = Command::new(&program);
    command.arg(so::library()).env("LD_LIBRARY_PATH", cc::stand_in_driver());
    // The program leaves its images in GPU memory, which the stand-in allocates.
    run_as_it_is(&program, command.env("ASAN_OPTIONS", "detect_leaks=0"));
}

#[test]
fn openfxs_own_classes_for_hosts_take_every_effect() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("openfx-{}", std::process::id()));
    let contents = folder.join("vramp.ofx.bundle/Contents/Linux-x86-64");
    std::fs::create_dir_all(&contents).unwrap();
    std::fs::copy(so::library(), contents.join("vramp.ofx")).unwrap();
    let include = format!("-isystem{}", openfx("HostSupport/include").display());
    let classes = openfx("hostsupport.a").display().to_string();
    let flags = ["-std=c++14", "-Wno-deprecated", &include, &classes, "-lexpat", "-ldl"];
    let program = program("tests/openfx/hostsupport.cpp", &[&flags, cc::sanitizer()].concat());
    // The example's images are arrays that it deletes as single bytes.
    let options = "alloc_dealloc_mismatch=0";
    run(&program, Command::new(&program).env("OFX_PLUGIN_PATH", &folder).env("ASAN_OPTIONS", options));
    std::fs::remove_dir_all(&folder).unwrap();
}
