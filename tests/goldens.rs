//! The goldens: what sample clips are after every filter, with every set of arguments that its descriptor names.
//!
//! `make bless-goldens` writes those that changed anew and prints what changed; read the diff before you commit it.
//! A fourth of them is checked, but all where `VRAMP_CASES` is set, as `make test` does. Each is a text of `vramp hash`, so `vramp verify tests/goldens/FILTER/CASE.hashes CLIP` checks one by hand.

mod command;
#[path = "kernels/sample.rs"]
#[allow(dead_code)]
mod sample;

use command::{Folder, Ran, run};
use sample::{Sample, report, run_seed};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::{env, fs, thread};
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

/// The goldens that `filters` must have.
fn goldens(filters: &[&'static Descriptor]) -> Vec<Golden> {
    let decoded = [GRADIENT, BUNNY, DARK].map(|part| Golden::new("decode", part.0, part, String::new()));
    let of_filter = |filter: &&'static Descriptor| {
        let cases = filter.cases.iter().map(|args| (GRADIENT, (*args).to_owned()));
        let presets = filter.schema.presets.iter().map(|preset| (BUNNY, format!("preset={}", preset.name)));
        let golden = |(part, args): (Part, String)| {
            // What is wrong with a case shows when it runs.
            let chain = filter.example(&args).unwrap_or_else(|_| Some(filter.text(&args)))?;
            Some(Golden::new(filter.name, if args.is_empty() { "default" } else { &args }, part, chain))
        };
        cases.chain(presets).filter_map(golden).collect::<Vec<_>>()
    };
    let computing = filters.iter().filter(|filter| filter.has_kernels());
    decoded.into_iter().chain(computing.flat_map(of_filter)).collect()
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

/// Of so many goldens one is checked where no more is asked for.
const FEW: usize = 4;

/// Verifies the goldens in each of their variants, several at a time. Gives what failed.
fn failures(ways: impl Fn(&Golden) -> Vec<Vec<&'static str>> + Sync) -> Vec<String> {
    let step = if Sample::asked() == Sample::Few { FEW } else { 1 };
    let goldens: Vec<Golden> = goldens(ALL).into_iter().skip(run_seed() as usize % step).step_by(step).collect();
    let (next, workers) = (AtomicUsize::new(0), thread::available_parallelism().map_or(1, usize::from).min(8));
    let work = || {
        let numbers = std::iter::from_fn(|| Some(next.fetch_add(1, Ordering::Relaxed)));
        let taken = numbers.map_while(|number| goldens.get(number));
        let in_ways = |golden| ways(golden).into_iter().map(move |way| (golden, golden.verify(&way), way));
        let all = taken.flat_map(in_ways);
        let failed = all.filter(|(_, ran, _)| ran.code != Some(0));
        failed
            .map(|(golden, ran, way)| format!("{} {way:?}: {}{}", golden.name.display(), ran.stderr, ran.text()))
            .collect()
    };
    thread::scope(|scope| {
        let workers: Vec<_> = (0..workers).map(|_| scope.spawn(work)).collect();
        workers.into_iter().flat_map(|worker| -> Vec<String> { worker.join().unwrap() }).collect()
    })
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

/// Fails unless every golden holds at the levels that `levels` names for it.
fn check(levels: impl Fn(&Golden) -> Vec<CpuLevel> + Sync) {
    let failures = failures(|golden| {
        let levels = levels(golden);
        levels.into_iter().map(|level| vec!["--device", "cpu", "--cpu-level", level.name()]).collect()
    });
    assert!(
        failures.is_empty(),
        "{}\n`make bless-goldens` writes them anew, if they are meant to change",
        report(&failures)
    );
}

#[test]
fn every_golden_holds() {
    if env::var_os("VRAMP_BLESS").is_some_and(|value| value == "1") {
        return bless();
    }
    let (stray, lacking) = strays(&goldens(ALL), &present());
    assert!(lacking.is_empty(), "no golden (`make bless-goldens` writes it): {lacking:?}");
    assert!(stray.is_empty(), "nothing makes these goldens: {stray:?}");
    check(|_| vec![CpuLevel::detect()]);
}

/// Presets are left out: their clip is large, and they show nothing that the cases do not.
#[test]
fn every_golden_holds_at_lower_cpu_levels() {
    let lower = || CpuLevel::available().filter(|level| *level != CpuLevel::detect()).collect();
    check(|golden| if golden.is_preset { Vec::new() } else { lower() });
}

/// Without a GPU this says so and passes; with `VRAMP_REQUIRE_CUDA=1` it fails.
#[test]
#[cfg(feature = "cuda")]
fn every_golden_holds_on_a_gpu() {
    if let Err(error) = vramp::device::cuda::CudaDevice::open(0) {
        assert!(env::var_os("VRAMP_REQUIRE_CUDA").is_none_or(|value| value != "1"), "{error}");
        println!("skipped: {error}");
        return;
    }
    let failures = failures(|_| vec![vec!["--device", "cuda"]]);
    assert!(failures.is_empty(), "{}", report(&failures));
}

#[test]
fn a_filter_without_goldens_is_caught() {
    static NEW: Descriptor = Descriptor { name: "new", cases: &["a=1:b=2", ""], ..vramp::filters::depth::DESCRIPTOR };
    let (stray, lacking) = strays(&goldens(&[&NEW]), &BTreeSet::from(["decode/old.hashes".into()]));
    assert_eq!(stray, [Path::new("decode/old.hashes")]);
    assert!(lacking.contains(&"new/a-1-b-2.hashes".into()), "{lacking:?}");
}
