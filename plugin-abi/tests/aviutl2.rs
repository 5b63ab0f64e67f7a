//! AviUtl2: a stub of it, under AddressSanitizer. scripts/windows.sh runs the same under Wine.
#![cfg(target_os = "linux")]

mod cc;
mod so;

use std::path::Path;
use std::process::Command;

#[test]
fn pictures_are_the_c_abis_and_items_those_that_users_know() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("aviutl2-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let copies = ["vramp_deband.auf2", "vramp_deband_en.auf2", "vramp_chain.auf2"].map(|name| folder.join(name));
    for copy in &copies {
        std::fs::copy(so::library(), copy).unwrap();
    }
    let program = cc::program(&cc::path("tests/aviutl2/host.c"), &[cc::sanitizer(), &["-std=gnu11", "-ldl"]].concat());
    let ran = Command::new(&program).args(&copies).env("VRAMP_DEVICE", "cpu").output().unwrap();
    std::fs::remove_file(&program).unwrap();
    std::fs::remove_dir_all(&folder).unwrap();
    let (said, errors) = (String::from_utf8_lossy(&ran.stdout), String::from_utf8_lossy(&ran.stderr));
    assert!(ran.status.success(), "{}\n{said}\n{errors}", ran.status);
}
