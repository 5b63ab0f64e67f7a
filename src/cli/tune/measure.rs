//! The ways of the kernels of one plan, in alternate replays.

use super::choice::{median, winner};
use crate::cli::bench::gpu::ring::{DeviceRing, Replay, ring_frames};
use crate::device::cuda::{CudaDevice, DeviceBuffer, Graph, Space, Stream, limits};
use crate::device::tuning::Key;
use crate::error::Result;
use crate::pipeline::ChainPlan;
use crate::video::{Format, Picture};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Frames are taken in turn from at least so much memory, and from four times the device's cache where that is more.
const RING_BYTES: usize = 256 << 20;

/// Replays of each way, at least and at most.
const FEWEST: usize = 6;
const MOST: usize = 60;

/// A way that takes so many times as long as the fastest in its first replay is out.
const OUT: f64 = 1.5;

/// What kernels are measured on.
#[derive(Clone, Copy, PartialEq)]
pub struct Load {
    /// How sources and results are stored, and their size.
    pub src: Format,
    pub dst: Format,
    pub size: (usize, usize),
    /// Frames that are taken at a time.
    pub batch: usize,
}

/// Pictures on a device, and copies of as many bytes.
pub struct Room<'d> {
    device: &'d Arc<CudaDevice>,
    load: Load,
    ring: DeviceRing,
    copies: [Graph<Arc<[DeviceBuffer; 2]>>; 2],
    count: usize,
}

/// What was measured of a kernel in a case.
pub struct Measured {
    pub key: Key,
    pub space: Space,
    /// Milliseconds a frame of each way, of one that is far behind by a single replay; `None` for one that is wrong.
    pub ms: Vec<Option<f64>>,
    /// The way that won.
    pub best: usize,
    /// Milliseconds of a copy of as many bytes.
    pub copy_ms: f64,
}

/// Milliseconds of replays.
struct Replays {
    /// One of each way that is right.
    first: Vec<Option<f64>>,
    /// Those that took turns, of each way.
    times: Vec<Vec<f64>>,
    /// The faster copy's.
    copy: Vec<f64>,
}

impl Measured {
    /// Milliseconds of the way that won.
    pub fn best_ms(&self) -> f64 {
        self.ms[self.best].unwrap_or(f64::NAN)
    }

    /// Milliseconds of the way that is taken without a measurement.
    pub fn default_ms(&self) -> f64 {
        self.ms[0].unwrap_or(f64::NAN)
    }
}

/// The kernels of `plan` on a device that can work in several ways, in the cases that they would be built for with so many frames at
/// a time.
///
/// # Errors
/// When one cannot be loaded.
pub fn spaces(device: &Arc<CudaDevice>, plan: &ChainPlan, batch: usize) -> Result<BTreeMap<Key, Space>> {
    device.tuning().take_met();
    for stage in &plan.stages {
        let kernel = stage.filter.cuda(&stage.setup.for_batches(batch), device);
        kernel.map_err(|e| e.context(stage.filter.descriptor().name))?;
    }
    let mut met = device.tuning().take_met();
    met.retain(|_, space| space.ways.len() > 1);
    Ok(met)
}

impl<'d> Room<'d> {
    /// Fills it.
    ///
    /// # Errors
    /// When there is not enough memory.
    pub fn new(device: &'d Arc<CudaDevice>, load: Load) -> Result<Room<'d>> {
        let Load { src, dst, size, batch } = load;
        let bytes_of = |format| Picture::bytes(format, size.0, size.1).unwrap_or(usize::MAX / 4);
        let bytes = bytes_of(src) + bytes_of(dst);
        // A last launch of fewer frames would be another case.
        let count = ring_frames(device, bytes, RING_BYTES)?.next_multiple_of(batch);
        let mut ring = DeviceRing::new(device, src, size, count)?;
        ring.give(device, dst, size)?;
        let copies = limits::device_copies(device, bytes / 2, count)?;
        Ok(Room { device, load, ring, copies, count })
    }

    /// What it has room for.
    pub fn load(&self) -> Load {
        self.load
    }

    /// Measures the ways of a kernel of `plan` for about as long as `time`. `None`: it cannot be replayed.
    ///
    /// # Errors
    /// When a kernel fails.
    pub fn measure(&self, plan: &ChainPlan, key: Key, space: Space, time: Duration) -> Result<Option<Measured>> {
        let (mut graphs, mut expected) = (Vec::new(), None::<Vec<Picture>>);
        for way in &space.ways {
            let Some((graph, pictures)) = self.record(plan, &key, way)? else { return Ok(None) };
            let is_right = expected.iter().flatten().zip(&pictures).all(is_same);
            if !is_right {
                log::warn!("{} gives another frame by {way} for {}: not used; please report it", key.kernel, key.case);
            }
            graphs.push(is_right.then_some(graph));
            expected.get_or_insert(pictures);
        }
        let Replays { first, times, copy } = self.replay(&mut graphs, time)?;
        let per_frame = |ms: f64| ms / self.count as f64;
        let ms = first.iter().zip(&times).map(|(first, times)| {
            let ms = if times.is_empty() { *first } else { Some(median(times)) };
            ms.map(per_frame)
        });
        Ok(Some(Measured { key, space, ms: ms.collect(), best: winner(&times), copy_ms: per_frame(median(&copy)) }))
    }

    /// The kernels of `plan`, one of them in that way, recorded; and what they make of the frames that are taken first.
    fn record(&self, plan: &ChainPlan, key: &Key, way: &str) -> Result<Option<(Replay<'_>, Vec<Picture>)>> {
        let Load { size, batch, .. } = self.load;
        let stream = Stream::new(self.device)?;
        let results: Vec<_> = self.ring.results(size).take(batch).collect();
        results.iter().try_for_each(|result| result.clear(&stream))?;
        stream.synchronize()?;
        self.device.tuning().force(key, way);
        let recorded = self.ring.record(self.device, plan, batch);
        self.device.tuning().release();
        let Some(graph) = recorded? else { return Ok(None) };
        let pictures = results.iter().map(|result| result.read(&stream)).collect::<Result<_>>()?;
        Ok(Some((graph, pictures)))
    }

    /// Replays, which take turns. A way that is far behind loses its graph.
    fn replay<M>(&self, graphs: &mut [Option<Graph<M>>], time: Duration) -> Result<Replays> {
        let mut first = Vec::new();
        for graph in graphs.iter() {
            // The first replay of a graph pays for what is put off to then.
            first.push(graph.as_ref().map(|graph| graph.run().and_then(|_| ms(graph))).transpose()?);
        }
        let best = first.iter().flatten().copied().fold(f64::INFINITY, f64::min);
        for (graph, first) in graphs.iter_mut().zip(&first).skip(1) {
            if first.is_some_and(|first| first > OUT * best) {
                *graph = None;
            }
        }
        let mut times = vec![Vec::new(); graphs.len()];
        let (mut copy, begin) = (Vec::new(), Instant::now());
        for round in 0..MOST {
            if round >= FEWEST && begin.elapsed() >= time {
                break;
            }
            for place in 0..graphs.len() {
                // In another order each time, so that none is always behind the same one.
                let way = (place + round) % graphs.len();
                if let Some(graph) = &graphs[way] {
                    times[way].push(ms(graph)?);
                }
            }
            let [by_driver, by_kernel] = &self.copies;
            copy.push(ms(by_driver)?.min(ms(by_kernel)?));
        }
        Ok(Replays { first, times, copy })
    }
}

/// Milliseconds of a replay.
fn ms<M>(graph: &Graph<M>) -> Result<f64> {
    Ok(graph.run()?.as_secs_f64() * 1e3)
}

/// Whether two pictures of one shape have the same samples.
fn is_same((a, b): (&Picture, &Picture)) -> bool {
    let rows = |plane| 0..a.format().plane_size(plane, a.width(), a.height()).1;
    (0..a.format().planes()).all(|plane| rows(plane).all(|y| a.row_bytes(plane, y) == b.row_bytes(plane, y)))
}
