//! Pictures on a device that kernels take in turn, and recordings of kernels that work through them.

use crate::cli::bench::timing::{RING_PICTURES, ramps};
use crate::device::cuda::{CudaDevice, DeviceBuffer, DevicePicture, Graph, Stream};
use crate::error::Result;
use crate::filters::{CudaKernel, Measure};
use crate::pipeline::{Between, ChainPlan, PartFrame};
use crate::video::{Format, FrameProps};
use std::sync::Arc;

/// How many frames of so many bytes, results counted in, make a ring of `least` bytes that no cache holds, as far as memory for it, the
/// copies and the kernels allows.
pub fn ring_frames(device: &CudaDevice, bytes: usize, least: usize) -> Result<usize> {
    let wanted = least.max(4 * device.info().l2_cache).min(device.memory()?.free / 4);
    Ok(wanted.div_ceil(bytes).clamp(2, RING_PICTURES))
}

/// Source and result pictures on the device, to take in turn; results of every size that there is.
pub struct DeviceRing {
    sources: Vec<DevicePicture>,
    results: Vec<((usize, usize), Vec<DevicePicture>)>,
}

impl DeviceRing {
    /// `count` pictures of `src`, of that size.
    pub fn new(device: &CudaDevice, src: Format, (width, height): (usize, usize), count: usize) -> Result<DeviceRing> {
        let model = ramps(src, width, height)?;
        let sources = (0..count).map(|_| DevicePicture::copy_of(device, &model));
        Ok(DeviceRing { sources: sources.collect::<Result<_>>()?, results: Vec::new() })
    }

    /// Makes room for results of this size.
    pub fn give(&mut self, device: &CudaDevice, dst: Format, size: (usize, usize)) -> Result<()> {
        if self.results.iter().all(|(known, _)| *known != size) {
            let results = self.sources.iter().map(|_| DevicePicture::alloc(device, dst, size.0, size.1));
            self.results.push((size, results.collect::<Result<_>>()?));
        }
        Ok(())
    }

    /// Results of this size, for which there is room, in the order in which they are made.
    pub fn results(&self, size: (usize, usize)) -> impl Iterator<Item = &DevicePicture> {
        self.pairs(size).map(|(_, result)| result)
    }

    /// Pairs of a source and a result of this size, for which there is room.
    fn pairs(&self, size: (usize, usize)) -> impl Iterator<Item = (&DevicePicture, &DevicePicture)> {
        let results = self.results.iter().filter(move |(known, _)| *known == size).flat_map(|(_, results)| results);
        self.sources.iter().zip(results)
    }

    /// Every picture through the kernels of `plan`, `batch` of them at a time, recorded; `None` where that cannot be done again
    /// and again.
    pub fn record(&self, device: &Arc<CudaDevice>, plan: &ChainPlan, batch: usize) -> Result<Option<Replay<'_>>> {
        let mut kernels = Kernels::new(device, plan, batch)?;
        if !kernels.kernels.iter().all(|kernel| kernel.repeats()) {
            return Ok(None);
        }
        let size = (plan.output.width, plan.output.height);
        // What is loaded or made at the first launch cannot be recorded.
        let stream = Stream::new(device)?;
        let pairs: Vec<_> = self.pairs(size).collect();
        pairs.chunks(batch).take(1).try_for_each(|pairs| kernels.enqueue(0, pairs, &stream))?;
        stream.synchronize()?;
        Graph::record(device, (kernels, self), |(kernels, ring), stream| {
            let pairs: Vec<_> = ring.pairs(size).collect();
            let mut batches = pairs.chunks(batch).enumerate();
            batches.try_for_each(|(i, pairs)| kernels.enqueue(i * batch, pairs, stream))
        })
        .map(Some)
    }
}

/// Kernels that work through a ring, recorded.
pub type Replay<'r> = Graph<(Kernels, &'r DeviceRing)>;

/// The kernels of a plan, and the pictures between them.
pub struct Kernels {
    kernels: Vec<Box<dyn CudaKernel>>,
    /// What each measures into, frame after frame; nobody reads it.
    records: Vec<Option<DeviceBuffer>>,
    between: Between,
}

impl Kernels {
    fn new(device: &Arc<CudaDevice>, plan: &ChainPlan, batch: usize) -> Result<Kernels> {
        let kernels = plan.stages.iter().map(|stage| {
            let name = stage.filter.descriptor().name;
            stage.filter.cuda(&stage.setup.for_batches(batch), device).map_err(|e| e.context(name))
        });
        let kernels: Vec<_> = kernels.collect::<Result<_>>()?;
        let measures = kernels.iter().map(|kernel| kernel.measure());
        let record = |measure: Measure| DeviceBuffer::new(device, measure.bytes, "a frame's measured values");
        let records = measures.map(|measure| measure.map(record).transpose()).collect::<Result<_>>()?;
        Ok(Kernels { kernels, records, between: Between::new(plan, &plan.parts[0], device, batch)? })
    }

    /// Pairs of pictures, which are frames from number `first` on, at once.
    fn enqueue(&mut self, first: usize, pairs: &[(&DevicePicture, &DevicePicture)], stream: &Stream) -> Result<()> {
        let props = (first..).map(|index| FrameProps { frame_index: index as u64, ..FrameProps::default() });
        let frames = pairs.iter().zip(props).map(|((src, dst), props)| (props, [vec![src.planes()]], dst.planes()));
        let frames: Vec<_> = frames.collect();
        let frames = frames.iter().map(|(props, inputs, dst)| PartFrame { props, phase: 0, inputs, dst: *dst });
        let frames: Vec<_> = frames.collect();
        let mut kernels = self.kernels.iter_mut().zip(&self.records).enumerate();
        kernels.try_for_each(|(i, (kernel, record))| {
            let record = record.as_ref().map_or(0, DeviceBuffer::address);
            self.between.enqueue(i, &mut **kernel, 0, &frames, record, stream)
        })
    }
}
