//! A crate outside this tree builds with the library as it is by default, and filters a frame with it.

use std::path::Path;
use std::process::Command;
use std::{env, fs};

#[test]
fn a_crate_outside_filters_a_frame() {
    let tree = Path::new(env!("CARGO_MANIFEST_DIR"));
    let folder = env::temp_dir().join(format!("vramp-outside-{}", std::process::id()));
    fs::create_dir_all(folder.join("src")).unwrap();
    let manifest = format!(
        "[workspace]\n[package]\nname = \"outside\"\nedition = \"2024\"\n[dependencies]\n\
         vramp = {{ path = {tree:?} }}\n[profile.dev]\ndebug = false\n"
    );
    fs::write(folder.join("Cargo.toml"), manifest).unwrap();
    fs::copy(tree.join("Cargo.lock"), folder.join("Cargo.lock")).unwrap();
    fs::copy(tree.join("examples/chain.rs"), folder.join("src/main.rs")).unwrap();

    // As from a user's folder: without what this tree's .cargo and the test's own cargo set.
    let mut cargo = Command::new(env!("CARGO"));
    cargo.args(["run", "--offline", "--quiet"]).current_dir(&folder).env_remove("CUDA_LIBRARY_PATH");
    for (name, _) in env::vars_os().filter(|(name, _)| name.to_string_lossy().starts_with("CARGO_")) {
        if name != "CARGO_HOME" {
            cargo.env_remove(name);
        }
    }
    let ran = cargo.env("CARGO_TARGET_DIR", Path::new(env!("CARGO_TARGET_TMPDIR")).join("outside")).output().unwrap();
    fs::remove_dir_all(&folder).unwrap();
    let text = String::from_utf8_lossy(&ran.stdout);
    assert!(ran.status.success(), "{}", String::from_utf8_lossy(&ran.stderr));
    assert!(text.starts_with("across a step"), "{text}");
}
