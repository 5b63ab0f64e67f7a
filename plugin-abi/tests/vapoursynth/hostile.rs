//! VapourSynth's entry in a stub that does what VapourSynth never does, under AddressSanitizer.

use crate::cc;
use crate::host::vapoursynth;
use crate::so::library;
use std::process::Command;

#[test]
fn a_host_that_does_everything_wrong_is_refused_in_one_line() {
    let headers = format!("-I{}", vapoursynth().join("unpacked/vapoursynth/include").display());
    let flags = [&[headers.as_str(), "-ldl"], cc::sanitizer()].concat();
    let program = cc::program(&cc::path("tests/vapoursynth/hostile.c"), &flags);
    let ran = Command::new(&program).arg(library()).output().unwrap();
    std::fs::remove_file(program).unwrap();
    let (said, errors) = (String::from_utf8_lossy(&ran.stdout), String::from_utf8_lossy(&ran.stderr));
    assert!(ran.status.success(), "{}\n{said}\n{errors}", ran.status);
}
