//! samples/ci: what other people's CI copies runs, passes for what it should, and fails for what it should not.

mod command;

use command::{Folder, Ran, ffmpeg, run};
use std::env;
use std::fs;
use std::path::Path;
use std::process::Command;

const SAMPLES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/samples/ci");

/// Someone's repository: two videos in out/ and their goldens.
fn repository() -> Folder {
    let folder = Folder::new();
    for name in ["goldens", "out"] {
        fs::create_dir(folder.path(name)).unwrap();
    }
    for name in ["a.mkv", "b.nut"] {
        let (video, golden) = (folder.path(&format!("out/{name}")), folder.path(&format!("goldens/{name}.hashes")));
        make(&video, "null");
        run(&["hash", &video, "-o", &golden]).ok();
    }
    folder
}

fn make(video: &str, filters: &str) {
    ffmpeg(&format!("-f lavfi -i testsrc2=s=64x48:r=25 -frames:v 9 -vf {filters} -pix_fmt yuv420p -c:v ffv1 {video}"));
}

/// Runs `program` in `folder`, where the command is found by its name and by `VRAMP`.
fn run_in(folder: &Folder, program: &str, args: &[&str]) -> Ran {
    let vramp = env!("CARGO_BIN_EXE_vramp");
    let path = format!("{}:{}", Path::new(vramp).parent().unwrap().display(), env::var("PATH").unwrap());
    let mut command = Command::new(program);
    command.current_dir(folder.path("")).env("PATH", path).env("VRAMP", vramp).args(args);
    command.output().unwrap().into()
}

/// Runs something in a repository whose videos are what they were, in one where a frame differs, and in one without videos.
fn tells_good_from_bad(check: impl Fn(&Folder) -> Ran, words: &str) {
    let folder = repository();
    check(&folder).ok();
    make(&folder.path("out/b.nut"), "negate=enable='eq(n,5)'");
    let ran = check(&folder);
    let said = format!("{}{}", ran.text(), ran.stderr);
    assert!(ran.code != Some(0) && said.contains("b.nut") && said.contains(words), "{said}");
    assert!(!said.contains("a.mkv is not"), "{said}");
    fs::remove_dir_all(folder.path("out")).unwrap();
    assert_ne!(check(&folder).code, Some(0));
}

/// The shell lines of the step `name` in a workflow.
fn step(workflow: &str, name: &str) -> String {
    let after = workflow.split_once(&format!("- name: {name}\n")).expect("the step is there").1;
    let block = after.split_once("run: |\n").expect("it runs something").1;
    let indent = block.len() - block.trim_start().len();
    let lines =
        block.lines().take_while(|line| line.trim().is_empty() || line.len() - line.trim_start().len() >= indent);
    lines.map(|line| line.get(indent..).unwrap_or_default().to_owned() + "\n").collect()
}

#[test]
fn the_workflow_tells_good_from_bad() {
    let workflow = fs::read_to_string(format!("{SAMPLES}/frames.yml")).unwrap();
    let lines = step(&workflow, "Check every frame");
    assert!(lines.ends_with("exit $status\n\n") || lines.ends_with("exit $status\n"), "{lines}");
    // As GitHub runs them.
    tells_good_from_bad(|folder| run_in(folder, "bash", &["-e", "-o", "pipefail", "-c", &lines]), "frames 5");
    let folder = repository();
    run_in(&folder, "bash", &["-e", "-c", &lines]).ok();
    let report: serde_json::Value =
        serde_json::from_slice(&fs::read(folder.path("reports/a.mkv.json")).unwrap()).unwrap();
    assert_eq!(report["match"], true);
}

#[test]
fn the_workflow_is_yaml_that_names_what_there_is() {
    let workflow = fs::read_to_string(format!("{SAMPLES}/frames.yml")).unwrap();
    assert!(!workflow.contains('\t'));
    assert!(workflow.contains("cargo install --locked --path vramp\n"));
    assert!(workflow.contains(&format!("key: vramp-{}", env!("CARGO_PKG_VERSION"))));
}

#[test]
fn the_python_test_tells_good_from_bad() {
    let script = format!("{SAMPLES}/test_frames.py");
    tells_good_from_bad(|folder| run_in(folder, "python3", &["-B", &script]), "pixels: expected [5, 5]");
}

#[test]
fn the_cargo_test_tells_good_from_bad() {
    let folder = Folder::new();
    let program = folder.path("frames");
    let source = format!("{SAMPLES}/frames.rs");
    let rustc = env::var("RUSTC").unwrap_or_else(|_| "rustc".to_owned());
    Ran::from(Command::new(rustc).args(["--edition", "2024", "--test", &source, "-o", &program]).output().unwrap())
        .ok();
    tells_good_from_bad(|folder| run_in(folder, &program, &[]), "pixels: frames 5");
}

#[test]
fn the_read_me_names_every_file() {
    let text = fs::read_to_string(format!("{SAMPLES}/README.md")).unwrap();
    for entry in fs::read_dir(SAMPLES).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        assert!(name == "README.md" || text.contains(&format!("`{name}`")), "{name}");
    }
}
