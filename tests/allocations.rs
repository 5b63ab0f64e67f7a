//! What frames cost of the host's heap: once a chain is at work, its executor and its kernels use again what they have. A device's
//! stand-in makes the work of a GPU here, whose kernels compute nothing.
//!
//! Allowed is one allocation for a frame that several jobs may read, which counts them: of a run each frame of the source, and
//! of parts that are not the last each result. Filters that measure are left out: what they find is a list of values with names, which
//! a frame takes along. The CPU has one thread here: of more, rayon boxes a job for each helper whenever one is called.

#[cfg(feature = "cuda")]
#[path = "stand_in/driver.rs"]
#[allow(dead_code)]
mod driver;

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use vramp::device::DeviceChoice;
use vramp::device::cpu::{CpuExec, CpuLevel};
use vramp::error::{Error, Result};
use vramp::filters::{ALL, chain};
use vramp::pipeline::{
    Chain, ChainPlan, CpuChain, Engine, Frame, InputFrame, Item, Options, Packet, Sink, Source, Target, Workers, plan,
    run,
};
use vramp::video::{FrameProps, Picture, PicturePool, StreamInfo};

/// The system's heap, with a count of what is allocated there.
struct Counting;

/// By all threads.
static TOTAL: AtomicU64 = AtomicU64::new(0);

thread_local! {
    /// By this one.
    static OWN: Cell<u64> = const { Cell::new(0) };
}

// SAFETY: the system's allocator does the work.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        TOTAL.fetch_add(1, Ordering::Relaxed);
        OWN.set(OWN.get() + 1);
        // SAFETY: the caller's promise.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, start: *mut u8, layout: Layout) {
        // SAFETY: the caller's promise.
        unsafe { System.dealloc(start, layout) }
    }
}

#[global_allocator]
static HEAP: Counting = Counting;

/// One test at a time, with those that it starts: they count each other's allocations.
fn alone() -> MutexGuard<'static, ()> {
    static ONE: Mutex<()> = Mutex::new(());
    ONE.lock().unwrap_or_else(PoisonError::into_inner)
}

fn info() -> StreamInfo {
    StreamInfo::bare("yuv420p10".parse().unwrap(), 64, 48)
}

fn planned(text: &str) -> ChainPlan {
    plan(chain(text).unwrap(), &info(), Target::default()).unwrap()
}

fn props(index: u64) -> FrameProps {
    FrameProps { frame_index: index, pts: Some(index as i64), ..FrameProps::default() }
}

/// Chains of one part, of frames around each, of a point that is read again, of several parts, and of one that a device makes several
/// frames of at a time.
const CHAINS: [&str; 6] = [
    "deband",
    "deband,box,gauss,depth=8",
    "tmedian=radius=2,box",
    "keep=a,box,merge=with=a",
    "box,tmedian=radius=1,deband",
    "gradient,box",
];

/// Chains whose kernels on the CPU make much in between, and one that surveys frames around each.
const WORKING: [&str; 4] =
    ["gradient", "box=passes=3,rgauss,domain", "localtone", "tonemap=source=pq:peak=dynamic:window=4"];

/// Frames before those that are counted: what is kept has its size by then.
const WARM: u64 = 8;

/// What each of some single frames costs, and what it may: a result of each part before the last, for each frame around.
fn single(plan: ChainPlan, device: DeviceChoice) -> (u64, u64) {
    let parts = plan.parts.len() as u64;
    let engine = Engine::of(plan, Workers::new(device, 1).unwrap().into());
    let picture = |info: &StreamInfo| Picture::alloc(info.format, info.width, info.height).unwrap();
    let (source, mut result) = (picture(&engine.plan().input), picture(&engine.plan().output));
    let (mut cost, mut allowed) = (0, 0);
    for n in 10..10 + 2 * WARM {
        let (first, last) = engine.needs(0, n);
        let frame = |index| InputFrame { input: 0, props: props(index), planes: source.planes() };
        let frames: Vec<_> = (first..=last).map(frame).collect();
        let before = OWN.get();
        engine.process_frames(n, &frames, &mut result.planes_mut()).unwrap();
        if n >= 10 + WARM {
            cost = cost.max(OWN.get() - before);
            allowed = allowed.max(parts.saturating_sub(1) * frames.len() as u64);
        }
    }
    (cost, allowed)
}

fn check_single(text: &str, plan: ChainPlan, device: DeviceChoice) {
    let (cost, allowed) = single(plan, device);
    assert!(cost <= allowed, "{text} on {device:?}: {cost} allocations for a frame, not {allowed}");
}

/// Frames of one picture after another that comes back.
struct Film {
    info: StreamInfo,
    pool: PicturePool,
    frames: std::ops::Range<u64>,
}

impl Source for Film {
    fn info(&self) -> &StreamInfo {
        &self.info
    }

    fn next(&mut self) -> Result<Option<Item>> {
        let frame = |index| Ok(Item::Frame(Frame { props: props(index), picture: self.pool.take()? }));
        self.frames.next().map(frame).transpose()
    }

    fn damage(&self) -> Option<Error> {
        None
    }
}

struct Nowhere;

impl Sink for Nowhere {
    fn frame(&mut self, frame: Frame) -> Result<()> {
        drop(frame);
        Ok(())
    }

    fn packet(&mut self, _: Packet) -> Result<()> {
        Ok(())
    }

    fn finish(&mut self) -> Result<()> {
        Ok(())
    }

    fn bytes(&self) -> u64 {
        0
    }
}

/// What a film of so many frames costs that goes through `chain`.
fn film(plan: &ChainPlan, chain: &mut dyn Chain, frames: u64) -> u64 {
    let pool = PicturePool::new(32, info().format, info().width, info().height).unwrap();
    let mut film = Film { info: info(), pool, frames: 0..frames };
    let before = TOTAL.load(Ordering::Relaxed);
    run(&mut film, plan, chain, &mut Nowhere, &Options::default(), &mut |_| {}).unwrap();
    TOTAL.load(Ordering::Relaxed) - before
}

/// Checks what each frame adds to a film's cost. Threads wait as they like, so that a pool may grow once more in one run
/// than in another: many frames make nothing of that.
fn check_film(what: &str, chains: &[&str], make: impl Fn(&ChainPlan) -> Box<dyn Chain>) {
    const FEW: u64 = 100;
    const MANY: u64 = 600;
    for text in chains {
        let plan = planned(text);
        // The frame that came, and results that are not the last.
        let allowed = plan.parts.len();
        let [few, many] = [FEW, MANY].map(|frames| film(&plan, &mut *make(&plan), frames));
        let each = many.saturating_sub(few) as f64 / (MANY - FEW) as f64;
        assert!(each < allowed as f64 + 0.3, "{text} on {what}: {each} allocations a frame, not {allowed}");
    }
}

#[test]
fn frames_on_the_cpu_are_made_in_memory_that_is_there() {
    let _alone = alone();
    CHAINS.iter().for_each(|text| check_single(text, planned(text), DeviceChoice::Cpu));
}

#[test]
fn films_on_the_cpu_are_made_in_memory_that_is_there() {
    let _alone = alone();
    let exec = || CpuExec::new(1, CpuLevel::detect()).unwrap();
    check_film("the CPU", &[&CHAINS[..], &WORKING].concat(), |plan| Box::new(CpuChain::new(plan, exec()).unwrap()));
}

#[test]
#[cfg(feature = "cuda")]
fn frames_on_a_device_are_made_in_memory_that_is_there() {
    let _alone = alone();
    if driver::with_driver("frames_on_a_device_are_made_in_memory_that_is_there") {
        CHAINS.iter().for_each(|text| check_single(text, planned(text), DeviceChoice::Cuda(0)));
    }
}

#[test]
#[cfg(feature = "cuda")]
fn films_on_a_device_are_made_in_memory_that_is_there() {
    let _alone = alone();
    use vramp::device::cuda::CudaDevice;
    use vramp::pipeline::CudaChain;
    if driver::with_driver("films_on_a_device_are_made_in_memory_that_is_there") {
        let device = CudaDevice::open(0).unwrap();
        check_film("a device", &CHAINS, |plan| Box::new(CudaChain::new(plan, &device, 4).unwrap()));
    }
}

/// Checks every filter that measures nothing, in each of its cases.
fn check_filters(device: DeviceChoice) {
    let texts = ALL.iter().flat_map(|filter| filter.cases.iter().filter_map(|args| filter.example(args).unwrap()));
    let plans = texts.filter_map(|text| {
        // Some filters take no picture of this size or format.
        let plan = plan(chain(&text).unwrap(), &info(), Target::default()).ok()?;
        Some((text, plan)).filter(|(_, plan)| plan.stages.iter().all(|stage| !stage.spec.measures))
    });
    let mut seen = 0;
    for (text, plan) in plans {
        check_single(&text, plan, device);
        seen += 1;
    }
    assert!(seen > 100, "only {seen} cases of filters were looked at");
}

#[test]
fn kernels_of_every_filter_on_the_cpu_work_in_memory_that_is_there() {
    let _alone = alone();
    check_filters(DeviceChoice::Cpu);
}

/// Tall enough for `gradient` to keep few rows of each pass at a time.
#[test]
fn kernels_on_the_cpu_work_in_memory_that_is_there_on_tall_pictures_too() {
    let _alone = alone();
    for text in WORKING {
        let plan = plan(chain(text).unwrap(), &StreamInfo { height: 360, ..info() }, Target::default()).unwrap();
        check_single(text, plan, DeviceChoice::Cpu);
    }
}

/// The host's side of every filter's launches.
#[test]
#[cfg(feature = "cuda")]
fn launches_of_every_filter_are_made_in_memory_that_is_there() {
    let _alone = alone();
    if driver::with_driver("launches_of_every_filter_are_made_in_memory_that_is_there") {
        check_filters(DeviceChoice::Cuda(0));
    }
}
