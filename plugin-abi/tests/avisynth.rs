//! AviSynth+: scripts in a stub of it, under AddressSanitizer. scripts/windows.sh runs the same under Wine.
#![cfg(target_os = "linux")]

mod cc;
mod so;

use std::process::Command;

#[test]
fn scripts_get_the_c_abis_pictures_and_one_line_for_what_is_wrong() {
    let stub = cc::path("tests/avisynth/avisynth.c").display().to_string();
    // The plugin finds AviSynth's functions in the process.
    let flags = [&["-std=gnu11", "-rdynamic", "-pthread", &stub, "-ldl"], cc::sanitizer()].concat();
    let program = cc::program(&cc::path("tests/avisynth/scripts.c"), &flags);
    let ran = Command::new(&program).arg(so::library()).output().unwrap();
    std::fs::remove_file(&program).unwrap();
    let (said, errors) = (String::from_utf8_lossy(&ran.stdout), String::from_utf8_lossy(&ran.stderr));
    assert!(ran.status.success(), "{}\n{said}\n{errors}", ran.status);
}
