//! The stand-in for NVIDIA's driver, and tests that run with it.

use std::fs;
use std::process::Command;
use std::sync::Once;

/// The folder of the driver, built when it is first asked for.
pub fn driver() -> &'static str {
    const FOLDER: &str = concat!(env!("CARGO_TARGET_TMPDIR"), "/stand-in");
    static BUILT: Once = Once::new();
    BUILT.call_once(|| {
        fs::create_dir_all(FOLDER).unwrap();
        let source = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/stand_in/driver.c");
        let (built, library) = (format!("{FOLDER}/{}", std::process::id()), format!("{FOLDER}/libcuda.so.1"));
        let compiler = Command::new("cc").args(["-O1", "-shared", "-fPIC", "-pthread", "-o", &built, source]).output();
        let compiler = compiler.expect("a C compiler is installed");
        assert!(compiler.status.success(), "{}", String::from_utf8_lossy(&compiler.stderr));
        // Tests in other processes may be using the one that is there.
        fs::rename(built, library).unwrap();
    });
    FOLDER
}

/// Runs the test of this name once more, in a process that has the driver from its start.
pub fn with_driver(test: &str) -> bool {
    const CHILD: &str = "VRAMP_STAND_IN_CHILD";
    if std::env::var_os(CHILD).is_some() {
        return true;
    }
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", test, "--nocapture"]).env(CHILD, "1").env("LD_LIBRARY_PATH", driver());
    let ran = command.output().unwrap();
    let text = |bytes| String::from_utf8_lossy(bytes).into_owned();
    assert!(ran.status.success(), "{}{}", text(&ran.stdout), text(&ran.stderr));
    false
}
