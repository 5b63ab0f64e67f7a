//! Splits change nothing: the parts of a run, put together, are the whole run, through every filter on every device.
#![cfg(feature = "transcode")]

#[allow(dead_code)]
#[path = "cuda/clips.rs"]
mod clips;
#[cfg(feature = "cuda")]
#[allow(dead_code)]
#[path = "cuda/gate.rs"]
mod gate;

use clips::{Folder, Recipe};
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
#[cfg(feature = "cuda")]
use std::sync::Arc;
use vramp::device::cpu::{CpuExec, CpuLevel};
#[cfg(feature = "cuda")]
use vramp::device::cuda::CudaDevice;
use vramp::error::Result;
use vramp::filters::depth::Dither;
use vramp::filters::{self, ALL, Change, Descriptor};
use vramp::io::Hash;
use vramp::io::libav::{CopyChoice, Input, InputOptions, Position, Window};
use vramp::params::Choice;
#[cfg(feature = "cuda")]
use vramp::pipeline::CudaChain;
use vramp::pipeline::{self, Chain, ChainPlan, CpuChain, Frame, Options, Packet, Sink, Target};

/// Frames of a clip, in groups of twelve.
const FRAMES: u64 = 40;

/// Splits that are tried on each chain.
const TRIES: u32 = 2;

const CLIPS: [Recipe; 2] = [
    Recipe::new("split.mkv", "libx264", "yuv420p").sized(98, 66).long(FRAMES).with("preset=veryfast bf=3 g=12"),
    Recipe::new("split.nut", "ffv1", "yuv422p10").sized(98, 66).long(FRAMES).with("g=12"),
];

/// Programs over named pictures, in which masks and differences are of other frames as well.
const PROGRAMS: [&str; 3] = [
    "keep=src,mask=edges:low=8:soft=20,keep=lines,use=src,tmedian=mask=lines",
    "keep=src,mask=edges:low=8:soft=20,tsoften=radius=1,keep=lines,use=src,tmedian,blend=limit:with=src:limit=2,median=mask=lines",
    "keep=src,gauss=3,keep=base,use=src,tmedian,blend=subtract:with=base,blend=add_signed:with=base,box=2:frames=7-20:mask=src",
];

/// Where a chain runs.
enum Backend {
    Cpu,
    /// On a device, decoded there too where it does that.
    #[cfg(feature = "cuda")]
    Cuda(Arc<CudaDevice>),
}

impl Backend {
    fn options(&self, window: Window) -> InputOptions {
        let options = InputOptions { window, copy: CopyChoice::NONE, threads: 2, ..InputOptions::default() };
        match self {
            Backend::Cpu => options,
            #[cfg(feature = "cuda")]
            Backend::Cuda(device) => InputOptions { device: Some(Arc::clone(device)), ..options },
        }
    }

    fn chain(&self, plan: &ChainPlan) -> Box<dyn Chain> {
        match self {
            Backend::Cpu => Box::new(CpuChain::new(plan, CpuExec::new(1, CpuLevel::detect()).unwrap()).unwrap()),
            #[cfg(feature = "cuda")]
            Backend::Cuda(device) => Box::new(CudaChain::new(plan, device, 3).unwrap()),
        }
    }
}

/// The results: each frame's index, time and hash.
#[derive(Default)]
struct Hashes(Vec<(u64, Option<i64>, String)>);

impl Sink for Hashes {
    fn frame(&mut self, frame: Frame) -> Result<()> {
        self.0.push((frame.props.frame_index, frame.props.pts, Hash::Md5.of(&frame.picture)));
        Ok(())
    }

    fn packet(&mut self, _: Packet) -> Result<()> {
        panic!("nothing is copied")
    }

    fn finish(&mut self) -> Result<()> {
        Ok(())
    }

    fn bytes(&self) -> u64 {
        0
    }
}

/// `chain` for `input`, ending in 8 bits.
fn planned(input: &Input, chain: &str, dither: Dither) -> Result<ChainPlan> {
    let plan = |target| pipeline::plan(filters::chain(chain)?, input.info(), target);
    let format = plan(Target::default())?.output.format.to_planar(8)?;
    plan(Target { format: Some(format), dither, ..Target::default() })
}

/// How many frames `chain` makes of all of `path`; `None` when it does not take the stream.
fn frames(path: &str, chain: &str) -> Option<u64> {
    let input = Input::open(path, Backend::Cpu.options(Window::default())).unwrap();
    let plan = planned(&input, chain, Dither::None).ok()?;
    Some(plan.parts.iter().fold(FRAMES, |frames, part| part.cycle.first_of(frames)))
}

/// A run of `window` of `path` through `chain` to 8 bits.
fn run(path: &str, window: Window, chain: &str, dither: Dither, place: &Backend) -> Hashes {
    let mut input = Input::open(path, place.options(window)).unwrap();
    let plan = planned(&input, chain, dither).unwrap();
    let plan = match input.surfaces() {
        Some(storage) => plan.resident(storage).unwrap(),
        None => plan,
    };
    let mut hashes = Hashes::default();
    let mut chain = place.chain(&plan);
    pipeline::run(&mut input, &plan, &mut *chain, &mut hashes, &Options::default(), &mut |_| {}).unwrap();
    hashes
}

/// Asserts that random splits of `path` into three give what the whole gives.
fn check(path: &str, chain: &str, dither: Dither, place: &Backend) {
    let whole = run(path, Window::default(), chain, dither, place).0;
    assert_eq!(Some(whole.len() as u64), frames(path, chain), "{chain}");
    let config = Config { cases: TRIES, failure_persistence: None, ..Config::default() };
    let tried = TestRunner::new(config).run(&(1..FRAMES, 1..FRAMES), |(one, other)| {
        let (first, second) = (one.min(other), one.max(other));
        let bounds = [0, first, second, FRAMES];
        let parts = bounds.windows(2).filter(|part| part[0] < part[1]).flat_map(|part| {
            let [start, end] = [part[0], part[1]].map(|at| Some(Position::Frame(at)));
            run(path, Window { start, end, frames: None }, chain, dither, place).0
        });
        prop_assert!(parts.collect::<Vec<_>>() == whole, "split at {first} and {second}");
        Ok(())
    });
    tried.unwrap_or_else(|e| panic!("{path}, {chain}, {dither:?}: {e}"));
}

/// Whether the frames of `path` fit `chain`, which reads nothing else.
fn fits(path: &str, chain: &str) -> bool {
    let input = Input::open(path, Backend::Cpu.options(Window::default())).unwrap();
    pipeline::plan(filters::chain(chain).unwrap(), input.info(), Target::default()).is_ok()
}

/// Every filter with all its cases, narrowed by every method in turn.
fn check_all(place: &Backend, name: &str) {
    let folder = Folder::new(name);
    let clips = CLIPS.map(|recipe| recipe.make(&folder).unwrap());
    let chains = ALL.iter().flat_map(|filter| filter.cases.iter().filter_map(|args| filter.example(args).unwrap()));
    for (number, chain) in chains.enumerate() {
        // Some cases are for larger pictures than these, or for other formats.
        let clip = (0..clips.len()).map(|i| &clips[(number + i) % clips.len()]).find(|clip| fits(clip, &chain));
        if let Some(clip) = clip {
            check(clip, &chain, Dither::ALL[number / clips.len() % Dither::ALL.len()], place);
        }
    }
    for (number, chain) in PROGRAMS.iter().enumerate() {
        assert!(fits(&clips[number % clips.len()], chain), "{chain}");
        check(&clips[number % clips.len()], chain, Dither::None, place);
    }
    // Filters that take and give the same pictures, one after the other.
    let alike =
        |filter: &&&Descriptor| !filter.changes.iter().any(|change| matches!(change, Change::Size | Change::Rate));
    let all: Vec<String> =
        ALL.iter().filter(alike).filter_map(|filter| filter.example(filter.cases[0]).unwrap()).collect();
    for (dither, clip) in Dither::ALL.iter().flat_map(|dither| clips.iter().map(move |clip| (dither, clip))) {
        let mut chain = String::new();
        for next in &all {
            let longer = if chain.is_empty() { next.clone() } else { format!("{chain},{next}") };
            if fits(clip, &longer) {
                chain = longer;
            }
        }
        assert!(chain.split(',').count() > 5, "{chain}");
        check(clip, &chain, *dither, place);
    }
}

#[test]
fn splits_change_nothing_on_the_cpu() {
    check_all(&Backend::Cpu, "splits-cpu");
}

#[cfg(feature = "cuda")]
#[test]
fn splits_change_nothing_on_a_device() {
    let Some(device) = gate::device() else { return };
    check_all(&Backend::Cuda(device), "splits-cuda");
}
