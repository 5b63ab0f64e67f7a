//! The goldens: what sample clips are after every filter, with every set of arguments that its descriptor names.
//!
//! `make bless-goldens` writes those that changed anew and prints what changed; read the diff before you commit it.
//! Every filter has tests of its own, as `deband::every_golden_holds`. A fourth of its goldens is checked, but all where
//! `VRAMP_CASES` is set, as `make test` does. Each is a text of `vramp hash`, so
//! `vramp verify tests/goldens/FILTER/CASE.hashes CLIP` checks one by hand.

mod command;
#[cfg(feature = "cuda")]
#[path = "cuda/gate.rs"]
#[allow(dead_code)]
mod gate;
#[path = "kernels/sample.rs"]
#[allow(dead_code)]
mod sample;

use command::{Folder, Ran, run};
use libtest_mimic::{Arguments, Failed, Trial};
use sample::{Sample, report, run_seed};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::{env, fs};
use vramp::device::cpu::CpuLevel;
use vramp::filters::{ALL, Descriptor};

const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/goldens");
const SAMPLES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/samples/");

/// A few frames of a sample clip: lossless ramps, and H.264.
type Part = (&'static str, &'static str, &'static str);
const GRADIENT: Part = ("banded-gradient.mkv", "#12", "2");
const BUNNY: Part = ("big-buck-bunny-720p.mp4", "#5", "2");
const DARK: Part = ("dark-scene-1080p-1frame.mkv", "#0", "1");

/// A hash file, and what it is of.
struct Golden {
    /// Below tests/goldens.
    name: PathBuf,
    part: Part,
    /// Empty: the frames as they decode.
    chain: String,
    /// The chain is a preset, which is no more than its arguments.
    is_preset: bool,
}

impl Golden {
    fn new(folder: &str, case: &str, part: Part, chain: String) -> Golden {
        let plain = |c: char| if c.is_ascii_alphanumeric() || "._".contains(c) { c } else { '-' };
        let file = format!("{}.hashes", case.chars().map(plain).collect::<String>());
        Golden { name: Path::new(folder).join(file), part, chain, is_preset: case.starts_with("preset=") }
    }

    fn path(&self) -> String {
        Path::new(ROOT).join(&self.name).to_str().unwrap().to_owned()
    }

    fn clip(&self) -> String {
        format!("{SAMPLES}{}", self.part.0)
    }

    fn verify(&self, how: &[&str]) -> Ran {
        run(&[&["verify", &self.path(), &self.clip()], how].concat())
    }

    /// Writes it to `path`.
    fn write(&self, path: &str) {
        let (clip, (_, start, frames)) = (self.clip(), self.part);
        let mut args = vec!["hash", &clip, "-o", path, "--device", "cpu", "--start", start, "--frames", frames];
        if !self.chain.is_empty() {
            args.extend(["--chain", &self.chain]);
        }
        run(&args).ok();
    }
}

/// The goldens that `filter` must have.
fn goldens_of(filter: &'static Descriptor) -> Vec<Golden> {
    let cases = filter.cases.iter().map(|args| (GRADIENT, (*args).to_owned()));
    let presets = filter.schema.presets.iter().map(|preset| (BUNNY, format!("preset={}", preset.name)));
    let golden = |(part, args): (Part, String)| {
        // What is wrong with a case shows when it runs.
        let chain = filter.example(&args).unwrap_or_else(|_| Some(filter.text(&args)))?;
        Some(Golden::new(filter.name, if args.is_empty() { "default" } else { &args }, part, chain))
    };
    cases.chain(presets).filter_map(golden).collect()
}

/// The goldens that there must be, by the folders that they are in.
fn groups(filters: &[&'static Descriptor]) -> Vec<(&'static str, Vec<Golden>)> {
    let decoded = [GRADIENT, BUNNY, DARK].map(|part| Golden::new("decode", part.0, part, String::new()));
    let computing = filters.iter().filter(|filter| filter.has_kernels());
    let of_filters = computing.map(|filter| (filter.name, goldens_of(filter)));
    std::iter::once(("decode", decoded.into())).chain(of_filters).collect()
}

fn goldens(filters: &[&'static Descriptor]) -> Vec<Golden> {
    groups(filters).into_iter().flat_map(|(_, goldens)| goldens).collect()
}

/// The files below tests/goldens.
fn present() -> BTreeSet<PathBuf> {
    let files = |folder: &Path| fs::read_dir(folder).into_iter().flatten().map(|entry| entry.unwrap().path());
    let folders = files(Path::new(ROOT)).collect::<Vec<_>>();
    let all = folders.iter().flat_map(|folder| files(folder).collect::<Vec<_>>());
    all.map(|path| path.strip_prefix(ROOT).unwrap().to_owned()).collect()
}

/// What is in `present` and not in `goldens`, and the reverse.
fn strays(goldens: &[Golden], present: &BTreeSet<PathBuf>) -> (Vec<PathBuf>, Vec<PathBuf>) {
    let named: BTreeSet<_> = goldens.iter().map(|golden| golden.name.clone()).collect();
    assert_eq!(named.len(), goldens.len(), "two cases have one name");
    (present.difference(&named).cloned().collect(), named.difference(present).cloned().collect())
}

/// Of so many goldens of a filter one is checked where no more is asked for.
const FEW: usize = 4;

/// Those of `goldens`, of group number `number`, that this run checks: of each group others, and one at least.
fn sampled(number: usize, goldens: Vec<Golden>) -> Vec<Golden> {
    let step = if Sample::asked() == Sample::Few { FEW } else { 1 };
    let first = (run_seed() as usize + number) % step.min(goldens.len());
    goldens.into_iter().skip(first).step_by(step).collect()
}

/// Verifies `goldens`, each in every one of its ways.
fn check(goldens: &[Golden], ways: fn(&Golden) -> Vec<Vec<&'static str>>) -> Result<(), Failed> {
    let in_ways = goldens.iter().flat_map(|golden| ways(golden).into_iter().map(move |way| (golden, way)));
    let failed = |(golden, way): (&Golden, Vec<_>)| {
        let ran = golden.verify(&way);
        let said = || format!("{} {way:?}: {}{}", golden.name.display(), ran.stderr, ran.text());
        (ran.code != Some(0)).then(said)
    };
    let failures: Vec<String> = in_ways.filter_map(failed).collect();
    if failures.is_empty() {
        return Ok(());
    }
    Err(format!("{}\n`make bless-goldens` writes them anew, if they are meant to change", report(&failures)).into())
}

/// Writes the goldens that do not hold, and says what changed.
fn bless() {
    let goldens = goldens(ALL);
    let folder = Folder::new();
    for stray in strays(&goldens, &present()).0 {
        fs::remove_file(Path::new(ROOT).join(&stray)).unwrap();
        println!("{}: removed, since nothing makes it", stray.display());
    }
    for golden in goldens {
        let exists = Path::new(&golden.path()).exists();
        let ran = golden.verify(&["-q"]);
        if ran.code == Some(0) {
            continue;
        }
        let fresh = folder.path("fresh");
        golden.write(&fresh);
        fs::create_dir_all(Path::new(&golden.path()).parent().unwrap()).unwrap();
        fs::rename(&fresh, golden.path()).unwrap();
        let what = if exists { format!("changed\n{}{}", ran.stderr, ran.text()) } else { "new".to_owned() };
        println!("{}: {what}", golden.name.display());
    }
}

fn at(level: CpuLevel) -> Vec<&'static str> {
    vec!["--device", "cpu", "--cpu-level", level.name()]
}

/// The tests of group number `number`, the goldens in the folder `name`. Those on a GPU are ignored where there is none, unless
/// they are `named`.
fn trials(number: usize, name: &'static str, named: bool) -> Vec<Trial> {
    let trial = |rung: &str, ways: fn(&Golden) -> Vec<Vec<&'static str>>, runs: fn() -> bool| {
        Trial::test(format!("{name}::{rung}"), move || {
            let (_, goldens) = groups(ALL).swap_remove(number);
            if runs() { check(&sampled(number, goldens), ways) } else { Ok(()) }
        })
    };
    let lower = |golden: &Golden| {
        let lower = CpuLevel::available().filter(|level| *level != CpuLevel::detect());
        // The clips of presets are large, and show nothing that the cases do not.
        lower.filter(|_| !golden.is_preset).map(at).collect()
    };
    let mut trials = vec![
        trial("every_golden_holds", |_| vec![at(CpuLevel::detect())], || true),
        trial("every_golden_holds_at_lower_cpu_levels", lower, || true),
    ];
    #[cfg(feature = "cuda")]
    trials.push(
        trial("every_golden_holds_on_a_gpu", |_| vec![vec!["--device", "cuda"]], || gate::device().is_some())
            .with_ignored_flag(!named && !gate::runs()),
    );
    let _ = named;
    trials
}

fn files_are_those_of_cases() -> Result<(), Failed> {
    let (stray, lacking) = strays(&goldens(ALL), &present());
    assert!(lacking.is_empty(), "no golden (`make bless-goldens` writes it): {lacking:?}");
    assert!(stray.is_empty(), "nothing makes these goldens: {stray:?}");
    Ok(())
}

fn a_filter_without_goldens_is_caught() -> Result<(), Failed> {
    static NEW: Descriptor = Descriptor { name: "new", cases: &["a=1:b=2", ""], ..vramp::filters::depth::DESCRIPTOR };
    let (stray, lacking) = strays(&goldens(&[&NEW]), &BTreeSet::from(["decode/old.hashes".into()]));
    assert_eq!(stray, [Path::new("decode/old.hashes")]);
    assert!(lacking.contains(&"new/a-1-b-2.hashes".into()), "{lacking:?}");
    Ok(())
}

fn main() {
    let args = Arguments::from_args();
    if !args.list && env::var_os("VRAMP_BLESS").is_some_and(|value| value == "1") {
        return bless();
    }
    let groups = groups(ALL);
    let mut all: Vec<_> =
        groups.iter().enumerate().flat_map(|(number, (name, _))| trials(number, name, args.exact)).collect();
    all.push(Trial::test("files_are_those_of_cases", files_are_those_of_cases));
    all.push(Trial::test("a_filter_without_goldens_is_caught", a_filter_without_goldens_is_caught));
    libtest_mimic::run(&args, all).exit();
}
