//! The figures of docs/FARM.md are those that its simulation gives.

use std::process::Command;

#[test]
fn the_tables_are_what_the_simulation_prints() {
    let root = env!("CARGO_MANIFEST_DIR");
    let ran = Command::new("python3").arg(format!("{root}/scripts/farm_model.py")).output().unwrap();
    assert!(ran.status.success(), "{}", String::from_utf8_lossy(&ran.stderr));
    let printed = String::from_utf8(ran.stdout).unwrap();
    let docs = std::fs::read_to_string(format!("{root}/docs/FARM.md")).unwrap();
    assert!(printed.lines().filter(|line| line.starts_with('|')).count() > 15, "{printed}");
    for line in printed.lines() {
        assert!(docs.lines().any(|known| known == line), "docs/FARM.md has not: {line}");
    }
}
