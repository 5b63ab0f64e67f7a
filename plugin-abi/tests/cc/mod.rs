//! Programs in C and C++ that the tests compile.
// Every test crate has this to itself, and none uses all of it.
#![allow(dead_code)]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::LazyLock;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Every warning is an error.
const STRICT: &[&str] = &["-Wall", "-Wextra", "-Werror", "-pedantic", "-O1", "-g"];

/// A path of this package.
pub fn path(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(name)
}

/// Compiles `source` with `flags`: C11, or C++17 where its name ends in `.cpp`.
pub fn compile(source: &Path, flags: &[&str]) -> Output {
    let cpp = source.extension().is_some_and(|extension| extension == "cpp");
    let (compiler, standard) = if cpp { ("c++", "-std=c++17") } else { ("cc", "-std=c11") };
    let mut command = Command::new(compiler);
    command.arg(standard).args(STRICT).arg("-I").arg(path("include")).arg(source).args(flags);
    command.output().unwrap_or_else(|e| panic!("{compiler}: {e}"))
}

/// The program that `source` becomes.
#[track_caller]
pub fn program(source: &Path, flags: &[&str]) -> PathBuf {
    // Tests of one process may build one source with other flags.
    static COUNT: AtomicUsize = AtomicUsize::new(0);
    let (file, count) = (source.file_name().unwrap().to_str().unwrap(), COUNT.fetch_add(1, Ordering::Relaxed));
    let name = format!("{file}-{}-{count}", std::process::id());
    let built = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let output = compile(source, &[flags, &["-o", built.to_str().unwrap()]].concat());
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    built
}

/// Compiles `text` as a file called `name`, and does not link it.
#[track_caller]
pub fn check(name: &str, text: &str) {
    let source = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{}-{name}", std::process::id()));
    fs::write(&source, text).unwrap();
    let output = compile(&source, &["-c", "-o", "/dev/null"]);
    fs::remove_file(&source).unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

/// The folder of the driver that the command's tests use: copies copy, kernels do nothing.
pub fn stand_in_driver() -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("driver-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let built = Command::new("cc")
        .args(["-O1", "-shared", "-fPIC", "-pthread", "-o"])
        .arg(folder.join("libcuda.so.1"))
        .arg(path("../tests/stand_in/driver.c"))
        .output()
        .unwrap();
    assert!(built.status.success(), "{}", String::from_utf8_lossy(&built.stderr));
    folder
}

/// Whether the compiler builds programs with AddressSanitizer that run here.
fn has_address_sanitizer() -> bool {
    let source = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("asan-{}.c", std::process::id()));
    std::fs::write(&source, "int main(void) { return 0; }\n").unwrap();
    let program = source.with_extension("bin");
    let built = compile(&source, &["-fsanitize=address", "-o", program.to_str().unwrap()]);
    std::fs::remove_file(source).unwrap();
    built.status.success() && Command::new(program).status().is_ok_and(|status| status.success())
}

/// AddressSanitizer, where the compiler has it.
pub fn sanitizer() -> &'static [&'static str] {
    // Tests of one process ask at once.
    static HAS: LazyLock<bool> = LazyLock::new(has_address_sanitizer);
    if *HAS {
        return &["-fsanitize=address"];
    }
    println!("without AddressSanitizer: the compiler has none");
    &[]
}
