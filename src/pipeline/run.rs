//! The running pipeline: decode, chain and encode threads, joined by bounded channels.

use crate::error::{Error, Kind, Result};
use crate::pipeline::stats::{Busy, Summary};
use crate::pipeline::{Chain, ChainPlan, Item, Sink, Source};
use crate::video::FrameProps;
use crossbeam_channel::{Receiver, Sender, bounded};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

/// Asks a run to stop; clones share the request.
#[derive(Clone, Debug, Default)]
pub struct Cancel(Arc<AtomicBool>);

impl Cancel {
    /// Asks.
    pub fn request(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Whether someone asked.
    pub fn is_requested(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// How a run is set up.
#[derive(Clone, Debug)]
pub struct Options {
    /// Frames that may wait between two stages.
    pub slots: usize,
    /// Stops the run.
    pub cancel: Cancel,
}

impl Options {
    /// Pictures a run starts with: those that may wait between chain and sink, and one that each holds.
    pub fn pictures(&self) -> usize {
        self.slots.max(1) + 2
    }
}

impl Default for Options {
    fn default() -> Self {
        Self { slots: 4, cancel: Cancel::default() }
    }
}

/// Reported to the caller after each frame.
#[derive(Clone, Copy, Debug)]
pub struct Progress {
    /// Frames handed to the sink.
    pub frames: u64,
    /// The last frame's presentation time in seconds, where known.
    pub time: Option<f64>,
    /// Bytes written.
    pub bytes: u64,
    /// Since the run began.
    pub elapsed: Duration,
}

/// Runs every frame of `source` through `chain` into `sink`, as [`run_with`] with no other source.
///
/// # Errors
/// As [`run_with`].
pub fn run(
    source: &mut dyn Source,
    plan: &ChainPlan,
    chain: &mut dyn Chain,
    sink: &mut dyn Sink,
    options: &Options,
    report: &mut dyn FnMut(Progress),
) -> Result<(Summary, Option<Error>)> {
    run_with(source, &mut [], plan, chain, sink, options, report)
}

/// Runs every frame of `source` through `chain`, which reads `sides` beside it, into `sink`, and finishes the sink.
///
/// Decode and chain run on threads of their own, the sink on the calling thread. On an error or a cancellation the
/// sink is left unfinished and every thread ends. Damage that the source got past is returned beside the summary,
/// after the output is whole.
///
/// # Errors
/// The first error of any stage; [`Kind::Cancelled`] after a request.
pub fn run_with(
    source: &mut dyn Source,
    sides: &mut [&mut dyn Source],
    plan: &ChainPlan,
    chain: &mut dyn Chain,
    sink: &mut dyn Sink,
    options: &Options,
    report: &mut dyn FnMut(Progress),
) -> Result<(Summary, Option<Error>)> {
    let start = Instant::now();
    let slots = options.slots.max(1);
    let pool = chain.pictures(plan, options.pictures())?;
    source.surround(plan.reach())?;
    let (decoded, to_chain) = bounded(slots.min(source.most_waiting()));
    let (filtered, to_sink) = bounded(slots);
    let side_ways: Vec<_> = sides.iter().map(|side| bounded(slots.min(side.most_waiting()))).collect();
    let (to_sides, from_sides): (Vec<_>, Vec<_>) = side_ways.into_iter().unzip();

    let (mut decoding, mut chaining) = (Ok(Duration::ZERO), Ok(()));
    let mut stage = SinkStage { sink, cancel: &options.cancel, start, plan, report, frames: 0, busy: Duration::ZERO };
    let sinking = thread::scope(|scope| {
        let (source, pool) = (&mut *source, &pool);
        let chain = &mut *chain;
        let decode = spawn(scope, "vramp-decode", move || decode_all(source, &decoded, &options.cancel))?;
        let mut decode_sides = Vec::new();
        for (side, out) in sides.iter_mut().zip(to_sides) {
            decode_sides.push(spawn(scope, "vramp-side", move || decode_all(&mut **side, &out, &options.cancel))?);
        }
        let inputs: Vec<_> = std::iter::once(to_chain).chain(from_sides).collect();
        let filter = spawn(scope, "vramp-chain", move || chain.drive(plan, &inputs, pool, &filtered))?;
        let sinking = stage.take_all(to_sink);
        decoding = join(decode);
        for side in decode_sides {
            let ended = join(side);
            if decoding.is_ok() {
                decoding = ended.and(decoding.clone());
            }
        }
        chaining = join(filter);
        sinking
    });
    // A stage that fails makes its neighbours stop without an error of their own, so the first one found is the cause.
    sinking?;
    chaining?;
    let decode = decoding?;
    stage.finish()?;

    let work = chain.work();
    let summary = Summary {
        frames: stage.frames,
        wall: start.elapsed(),
        busy: Busy { decode, upload: work.upload, chain: work.chain, download: work.download, encode: stage.busy },
        filters: work.filters,
        pictures: pool.allocated(),
        picture_bytes: pool.bytes() + work.host_bytes,
        device_bytes: work.device_bytes,
    };
    let beside = || sides.iter().find_map(|side| side.damage());
    let damage = source.damage().or_else(beside).or_else(|| stage.sink.damage());
    Ok((summary, damage))
}

/// Starts a named thread.
pub(super) fn spawn<'scope, T: Send + 'scope>(
    scope: &'scope thread::Scope<'scope, '_>,
    name: &str,
    job: impl FnOnce() -> T + Send + 'scope,
) -> Result<thread::ScopedJoinHandle<'scope, T>> {
    let failed = |e| Error::new(Kind::OutOfMemory, format!("cannot start thread {name}: {e}"));
    thread::Builder::new().name(name.to_owned()).spawn_scoped(scope, job).map_err(failed)
}

/// Waits for a thread; one that panicked gives an error.
pub(super) fn join<T>(handle: thread::ScopedJoinHandle<'_, Result<T>>) -> Result<T> {
    let name = handle.thread().name().unwrap_or("a thread").to_owned();
    handle.join().unwrap_or_else(|_| Err(Error::internal(format!("{name} panicked"))))
}

fn cancelled() -> Error {
    Error::new(Kind::Cancelled, "stopped; no output was kept")
}

/// Sends everything the source yields. Returns the time the source worked.
fn decode_all(source: &mut dyn Source, out: &Sender<Item>, cancel: &Cancel) -> Result<Duration> {
    let mut busy = Duration::ZERO;
    loop {
        if cancel.is_requested() {
            return Err(cancelled());
        }
        let start = Instant::now();
        let item = source.next()?;
        busy += start.elapsed();
        // At a closed channel a later stage stopped, and will say why.
        let Some(item) = item else { return Ok(busy) };
        if out.send(item).is_err() {
            return Ok(busy);
        }
    }
}

/// The sink's end of the run.
struct SinkStage<'a> {
    sink: &'a mut dyn Sink,
    cancel: &'a Cancel,
    start: Instant,
    plan: &'a ChainPlan,
    report: &'a mut dyn FnMut(Progress),
    frames: u64,
    busy: Duration,
}

impl SinkStage<'_> {
    /// Hands everything to the sink. Dropping `input` on return stops the stages before it.
    fn take_all(&mut self, input: Receiver<Item>) -> Result<()> {
        for item in input {
            if self.cancel.is_requested() {
                return Err(cancelled());
            }
            let start = Instant::now();
            let time = match item {
                Item::Packet(packet) => {
                    self.sink.packet(packet)?;
                    self.busy += start.elapsed();
                    continue;
                }
                Item::Frame(frame) => {
                    let time = self.time(&frame.props);
                    self.sink.frame(frame)?;
                    time
                }
                #[cfg(feature = "cuda")]
                Item::DeviceFrame(frame) => {
                    let time = self.time(&frame.props);
                    self.sink.device_frame(frame)?;
                    time
                }
            };
            self.frames += 1;
            self.busy += start.elapsed();
            self.report(time);
        }
        Ok(())
    }

    /// A frame's time in seconds.
    fn time(&self, props: &FrameProps) -> Option<f64> {
        props.seconds(self.plan.output.timebase)
    }

    fn finish(&mut self) -> Result<()> {
        let start = Instant::now();
        self.sink.finish()?;
        self.busy += start.elapsed();
        self.report(None);
        Ok(())
    }

    fn report(&mut self, time: Option<f64>) {
        let elapsed = self.start.elapsed();
        (self.report)(Progress { frames: self.frames, time, bytes: self.sink.bytes(), elapsed });
    }
}
