//! A planned chain on a CUDA device: slots circulate, and upload, kernels and download of different frames overlap.
//!
//! Each of the three has a stream of its own, ordered by events. A stream for each slot would overlap as well; but
//! with one compute stream a kernel may keep scratch memory from frame to frame, the pictures between filters exist
//! once instead of once a slot, and the time between two events of a stream is that of the work between them alone.

mod between;
mod flight;
mod lane;
mod pool;
mod slot;

use crate::device::cuda::{CudaDevice, DevicePicture, PinnedAllocator, mebibytes};
use crate::error::{Error, Kind, Result};
use crate::filters::CudaKernel;
use crate::pipeline::run::{join, spawn};
use crate::pipeline::stats::Work;
use crate::pipeline::{Chain, Item, Plan, Stage};
use crate::video::{Format, PicturePool, StreamInfo};
pub use between::Between;
use crossbeam_channel::{Receiver, Sender, bounded, unbounded};
use flight::{InFlight, Landed, Origin, Target};
pub(super) use lane::Lane;
use pool::DevicePool;
use slot::{Slot, Streams};
use std::sync::Arc;
use std::thread;

/// A filter's kernel.
struct Kernel {
    filter: &'static str,
    work: Box<dyn CudaKernel>,
}

/// The kernels of `plan`.
fn kernels(plan: &Plan, device: &Arc<CudaDevice>) -> Result<Vec<Kernel>> {
    let build = |stage: &Stage| {
        let filter = stage.filter.descriptor().name;
        let work = stage.filter.cuda(&stage.setup, device).map_err(|e| e.context(filter))?;
        Ok(Kernel { filter, work })
    };
    plan.stages.iter().map(build).collect()
}

/// Bytes of device memory that the kernels of `plan` hold beside pictures.
fn kernels_memory(plan: &Plan, device: &Arc<CudaDevice>) -> Result<usize> {
    let of = |stage: &Stage| {
        let bytes = stage.filter.cuda_memory(&stage.setup, device);
        bytes.map_err(|e| e.context(stage.filter.descriptor().name))
    };
    plan.stages.iter().try_fold(0usize, |sum, stage| Ok(sum.saturating_add(of(stage)?)))
}

/// A chain built for a CUDA device.
pub struct CudaChain {
    device: Arc<CudaDevice>,
    pinned: PinnedAllocator,
    streams: Arc<Streams>,
    /// Empty until [`CudaChain::prepare`].
    kernels: Vec<Kernel>,
    between: Between,
    slots: Vec<Slot>,
    /// The source's frames are on the device.
    resident: bool,
    /// Where the results stay, if they do.
    results: Option<DevicePool>,
    landed: Landed,
}

impl CudaChain {
    /// Makes `slots` slots for `plan` on `device`: so many frames are on their way through the GPU at a time.
    ///
    /// # Errors
    /// When the memory of the device, or its budget, does not cover the frames.
    pub fn new(plan: &Plan, device: &Arc<CudaDevice>, slots: usize) -> Result<CudaChain> {
        let slots = slots.max(1);
        let count = if plan.stages.is_empty() { 0 } else { slots };
        let bytes = |format: Format| DevicePicture::bytes(format, plan.input.width, plan.input.height);
        // Those that stay: on their way, waiting for the encoder, and in the hands of each.
        let staying = if plan.stays { 2 * slots + 2 } else { count };
        let uploads = if plan.resident { 0 } else { count };
        let slotted = [vec![plan.input.format; uploads], vec![plan.output.format; staying]].concat();
        let kept = Between::bytes(plan)?.checked_add(kernels_memory(plan, device)?);
        let total = slotted.into_iter().map(bytes).fold(kept, |sum, bytes| sum?.checked_add(bytes?));
        let total = total.ok_or_else(|| Error::new(Kind::OutOfMemory, "the frames are too large to be addressed"))?;
        device.require(total, &format!("{slots} slots for {}x{} frames", plan.input.width, plan.input.height))?;

        let StreamInfo { format, width, height, .. } = plan.output;
        let results = plan.stays.then(|| DevicePool::new(device, staying, format, width, height)).transpose()?;
        Ok(CudaChain {
            device: Arc::clone(device),
            pinned: PinnedAllocator::new(device),
            streams: Arc::new(Streams::new(device)?),
            kernels: Vec::new(),
            between: Between::new(plan, device)?,
            slots: (0..count).map(|_| Slot::new(device, plan)).collect::<Result<_>>()?,
            resident: plan.resident,
            results,
            landed: Landed::new(plan),
        })
    }

    /// Builds the kernels of `plan`, the one this chain was made for. [`Chain::drive`] does this when it has not been
    /// done, while the first frames decode.
    ///
    /// # Errors
    /// When a filter does not run on CUDA, the driver cannot compile it, or memory runs out.
    pub fn prepare(&mut self, plan: &Plan) -> Result<()> {
        if self.kernels.is_empty() {
            self.kernels = kernels(plan, &self.device)?;
            let (slots, used) = (self.slots.len(), mebibytes(self.device.memory()?.used));
            log::debug!("{}: {slots} slots, {used} MiB of GPU memory for frames and filters", self.device.info());
        }
        Ok(())
    }

    /// A picture for the next result.
    fn target(&self, pool: &PicturePool) -> Result<Target> {
        match &self.results {
            Some(results) => results.take().map(Target::Device),
            None => pool.take().map(Target::Host),
        }
    }

    /// Sends every frame of `input` on its flight, and packets after it.
    fn depart(
        &mut self,
        input: &Receiver<Item>,
        pool: &PicturePool,
        free: &Receiver<Slot>,
        departed: &Sender<Departed>,
    ) -> Result<()> {
        for item in input {
            let departure = match item {
                Item::Packet(packet) => Departed::Past(Item::Packet(packet)),
                Item::Frame(frame) if self.kernels.is_empty() => Departed::Past(Item::Frame(frame)),
                frame => {
                    let (props, source) = Origin::of(frame, self.resident)?;
                    // Without a slot to wait for, the landing side has stopped, and says why.
                    let Ok(slot) = free.recv() else { return Ok(()) };
                    let mut flight = InFlight::new(slot, props, source, self.target(pool)?, &self.streams);
                    flight.arrive(&self.device, &self.pinned)?;
                    flight.filter(&mut self.kernels, &self.between)?;
                    flight.depart()?;
                    Departed::Flight(Box::new(flight))
                }
            };
            if departed.send(departure).is_err() {
                break;
            }
        }
        Ok(())
    }
}

/// What goes from the departing to the landing side, in order.
enum Departed {
    Flight(Box<InFlight>),
    Past(Item),
}

/// Waits for every flight in its turn. The slot is free again before the frame is handed on, so that the device works
/// while the sink does.
fn land(arriving: &Receiver<Departed>, home: &Sender<Slot>, out: &Sender<Item>, landed: &mut Landed) -> Result<()> {
    for departed in arriving {
        let item = match departed {
            Departed::Past(item) => item,
            Departed::Flight(flight) => {
                let (item, slot) = flight.land(landed)?;
                // With no one left to take a slot, it is not needed again.
                let _ = home.send(slot);
                item
            }
        };
        if out.send(item).is_err() {
            break;
        }
    }
    Ok(())
}

impl Chain for CudaChain {
    fn pictures(&self, plan: &Plan, waiting: usize) -> Result<PicturePool> {
        let count = if self.results.is_some() || plan.stages.is_empty() { 0 } else { waiting + self.slots.len() };
        let format = plan.output.format;
        PicturePool::new_in(Arc::new(self.pinned.clone()), count, format, plan.output.width, plan.output.height)
    }

    fn drive(&mut self, plan: &Plan, input: &Receiver<Item>, pool: &PicturePool, out: &Sender<Item>) -> Result<()> {
        self.prepare(plan)?;
        if self.slots.is_empty() && !plan.stages.is_empty() {
            return Err(Error::internal("a chain that failed was run again"));
        }
        let (home, free) = unbounded();
        let (departed, arriving) = bounded(2 * self.slots.len() + 2);
        for slot in self.slots.drain(..) {
            home.send(slot).map_err(|_| Error::internal("nobody takes slots"))?;
        }
        let mut landed = std::mem::take(&mut self.landed);
        let mut landing = Ok(());
        let departing = thread::scope(|scope| {
            let landed = &mut landed;
            let thread = spawn(scope, "vramp-download", move || land(&arriving, &home, out, landed))?;
            let departing = self.depart(input, pool, &free, &departed);
            drop(departed);
            landing = join(thread);
            departing
        });
        self.landed = landed;
        self.slots.extend(free.try_iter());
        // A device that fails shows it first where it is waited for.
        landing.and(departing)
    }

    fn work(&self) -> Work {
        let Landed { upload, download, filters } = &self.landed;
        Work {
            chain: filters.iter().map(|time| time.busy).sum(),
            upload: *upload,
            download: *download,
            filters: filters.clone(),
            host_bytes: self.slots.iter().map(Slot::host_bytes).sum(),
            device_bytes: self.device.memory().map_or(0, |memory| memory.used),
        }
    }
}
