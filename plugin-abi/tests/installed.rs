//! The library as scripts/install_library.sh installs it, found by pkg-config.
#![cfg(target_os = "linux")]

mod cc;
mod so;

use std::path::{Path, PathBuf};
use std::process::Command;

/// A folder of its own, gone in the end.
struct Installed(PathBuf);

impl Installed {
    /// Installs with a prefix that is the folder's, and gives it.
    fn new() -> Installed {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("installed-{}", std::process::id()));
        let made = Command::new(cc::path("../scripts/install_library.sh")).arg(so::library()).arg(&folder).status();
        assert!(made.unwrap().success());
        Installed(folder)
    }

    fn pkg_config(&self, args: &[&str]) -> String {
        let path = self.0.join("lib/pkgconfig");
        let ran = Command::new("pkg-config").args(args).arg("vramp").env("PKG_CONFIG_PATH", path).output().unwrap();
        assert!(ran.status.success(), "{}", String::from_utf8_lossy(&ran.stderr));
        String::from_utf8(ran.stdout).unwrap()
    }
}

impl Drop for Installed {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

#[test]
fn a_program_is_built_by_pkg_config_and_finds_the_version_it_needs() {
    let installed = Installed::new();
    assert_eq!(installed.pkg_config(&["--modversion"]).trim(), env!("CARGO_PKG_VERSION"));
    let flags = installed.pkg_config(&["--cflags", "--libs"]);
    assert!(flags.contains(&format!("-I{}/include", installed.0.display())), "{flags}");
    let program = cc::program(&cc::path("../samples/c_abi.c"), &flags.split_whitespace().collect::<Vec<_>>());
    // The name without a version is for the linker: programs run without it.
    std::fs::remove_file(installed.0.join("lib/libvramp.so")).unwrap();
    let ran = Command::new(program).env("LD_LIBRARY_PATH", installed.0.join("lib")).output().unwrap();
    let said = String::from_utf8_lossy(&ran.stderr);
    assert!(!said.contains("shared librar") && said.contains("CHAIN"), "{said}");
}
