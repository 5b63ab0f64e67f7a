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
fn distinguishes_good_from_bad(check: impl Fn(&Folder) -> Ran, words: &str) {
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
fn the_workflow_distinguishes_good_from_bad() {
    let workflow = fs::read_to_string(format!("{SAMPLES}/frames.yml")).unwrap();
    let lines = step(&workflow, "Check every frame");
    assert!(lines.ends_with("exit $status\n\n") || lines.ends_with("exit $status\n"), "{lines}");
    // As GitHub runs them.
    distinguishes_good_from_bad(|folder| run_in(folder, "bash", &["-e", "-o", "pipefail", "-c", &lines]), "frames 5");
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
    assert!(workflow.contains("cargo install --locked --path vramp --features cli\n"));
    assert!(workflow.contains(&format!("key: vramp-{}-cli\n", env!("CARGO_PKG_VERSION"))));
}

const PYTHON_TEST: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/samples/ci/test_frames.py");

#[test]
fn the_python_test_distinguishes_good_from_bad() {
    distinguishes_good_from_bad(
        |folder| run_in(folder, "python3", &["-B", PYTHON_TEST]),
        "pixels: frames 5, planes 0, 1, 2",
    );
}

#[test]
fn the_python_test_reports_every_video() {
    let folder = repository();
    let out = |name: &str| folder.path(&format!("out/{name}"));
    let golden = |name: &str| folder.path(&format!("goldens/{name}.hashes"));
    let source = "-f lavfi -i testsrc2=r=25:d=0.36 -pix_fmt yuv420p";
    for name in ["gone.mkv", "late.mkv", "size.mkv", "short.mkv", "broken.mkv"] {
        make(&out(name), "null");
        run(&["hash", &out(name), "-o", &golden(name)]).ok();
    }
    fs::remove_file(out("gone.mkv")).unwrap();
    make(&out("late.mkv"), "setpts='PTS+gte(N,4)*0.04/TB'");
    ffmpeg(&format!("{source} -s 32x24 -c:v ffv1 {}", out("size.mkv")));
    make(&out("short.mkv"), "select='not(eq(n,7))'");
    fs::write(out("broken.mkv"), "no video").unwrap();
    make(&out("new.mkv"), "null");

    let ran = run_in(&folder, "python3", &["-B", PYTHON_TEST]);
    assert_eq!((ran.code, ran.text()), (Some(1), ""));
    for words in [
        "out/gone.mkv is missing, and goldens/gone.mkv.hashes is there",
        "out/new.mkv has no golden. If it is right: vramp hash out/new.mkv -o goldens/new.mkv.hashes",
        "time: frames 4-8 are off by +0.040 s\n",
        "out/size.mkv is not what goldens/size.mkv.hashes is of: size 32x24 instead of 64x48",
        "missing: frames 7\n",
        "out/broken.mkv could not be checked: vramp: error: ",
    ] {
        assert!(ran.stderr.contains(words), "no {words:?} in {}", ran.stderr);
    }
    for words in ["None", "Traceback", "a.mkv", "b.nut"] {
        assert!(!ran.stderr.contains(words), "{words} in {}", ran.stderr);
    }
    for name in ["goldens", "out"] {
        fs::remove_dir_all(folder.path(name)).unwrap();
    }
    let ran = run_in(&folder, "python3", &["-B", PYTHON_TEST]);
    assert!(
        ran.code == Some(1) && ran.stderr.contains("no goldens/*.hashes: `vramp hash` makes them"),
        "{}",
        ran.stderr
    );
}

/// pytest itself is not everywhere: what it calls is called as it does.
#[test]
fn the_python_test_has_a_case_a_video() {
    let folder = repository();
    fs::remove_file(folder.path("out/b.nut")).unwrap();
    let calls = "
import runpy, sys
module = runpy.run_path(sys.argv[1])
class Metafunc:
    def __init__(self, *names): self.fixturenames, self.cases = names, None
    def parametrize(self, name, cases): self.cases = (name, cases)
plain, each = Metafunc(), Metafunc('name')
module['pytest_generate_tests'](plain)
module['pytest_generate_tests'](each)
assert plain.cases is None and each.cases == ('name', ['a.mkv', 'b.nut']), each.cases
module['test_there_are_goldens']()
module['test_every_frame_is_what_it_was']('a.mkv')
try:
    module['test_every_frame_is_what_it_was']('b.nut')
except AssertionError as fault:
    print(fault)
";
    let ran = run_in(&folder, "python3", &["-B", "-c", calls, PYTHON_TEST]).ok();
    assert_eq!(ran.text(), "out/b.nut is missing, and goldens/b.nut.hashes is there: was it made?\n");
}

#[test]
fn the_cargo_test_distinguishes_good_from_bad() {
    let folder = Folder::new();
    let program = folder.path("frames");
    let source = format!("{SAMPLES}/frames.rs");
    let rustc = env::var("RUSTC").unwrap_or_else(|_| "rustc".to_owned());
    Ran::from(Command::new(rustc).args(["--edition", "2024", "--test", &source, "-o", &program]).output().unwrap())
        .ok();
    distinguishes_good_from_bad(|folder| run_in(folder, &program, &[]), "pixels: frames 5");
}

#[test]
fn the_read_me_names_every_file() {
    let text = fs::read_to_string(format!("{SAMPLES}/README.md")).unwrap();
    for entry in fs::read_dir(SAMPLES).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        assert!(name == "README.md" || text.contains(&format!("`{name}`")), "{name}");
    }
}
