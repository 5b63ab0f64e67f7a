//! Checks that every frame of out/NAME is what goldens/NAME.hashes says.

use std::path::Path;
use std::process::Command;
use std::{env, fs};

/// What `vramp verify` says; `Ok` when the video is what it was.
fn verify(golden: &Path, video: &Path) -> Result<(), String> {
    let vramp = env::var("VRAMP").unwrap_or_else(|_| "vramp".to_owned());
    let ran = Command::new(vramp).arg("verify").args([golden, video]).output().map_err(|e| e.to_string())?;
    let said = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    if ran.status.success() { Ok(()) } else { Err(said(&ran.stderr) + &said(&ran.stdout)) }
}

#[test]
fn every_frame_is_what_it_was() {
    let entries = fs::read_dir("goldens").expect("goldens/ is there: `vramp hash` makes them");
    let goldens: Vec<_> = entries.map(|entry| entry.unwrap().path()).collect();
    assert!(!goldens.is_empty(), "no goldens: `vramp hash` makes them");
    let check = |golden: &std::path::PathBuf| verify(golden, &Path::new("out").join(golden.file_stem().unwrap())).err();
    let differences: Vec<_> = goldens.iter().filter_map(check).collect();
    assert!(differences.is_empty(), "\n{}", differences.join("\n"));
}
