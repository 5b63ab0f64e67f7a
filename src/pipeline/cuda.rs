//! A planned chain on a CUDA device: slots circulate, and upload, kernels and download of different frames overlap.
//!
//! Each of the three has a stream of its own, ordered by events. A stream for each slot would overlap as well; but
//! with one compute stream a kernel may keep scratch memory from frame to frame, the pictures between filters exist
//! once instead of once a slot, and the time between two events of a stream is that of the work between them alone.

mod between;
mod execution;
mod flight;
mod measured;
mod part;
mod pool;
mod resident;
mod rgba;
mod staging;
mod streams;

use crate::device::cuda::{CudaDevice, DevicePicture, Event, PinnedAllocator, mebibytes};
use crate::error::{Error, Kind, Result};
use crate::pipeline::assembler::{Job, describe};
use crate::pipeline::feeder::{Feeder, pass_all};
use crate::pipeline::parts::{Feed, held};
use crate::pipeline::run::{join, spawn};
use crate::pipeline::stats;
use crate::pipeline::{Chain, ChainPlan, DeviceFrame, Frame, Item, Stage};
use crate::video::{FrameProps, PicturePool, StreamInfo};
pub use between::Between;
use crossbeam_channel::{Receiver, Sender, bounded, unbounded};
pub(super) use execution::ExecutionContext;
pub use execution::RgbaFrame;
use flight::{Flight, FlightTarget, FlightWork, Landed, Marks, Slot};
use part::CudaPart;
use pool::DevicePool;
use resident::{Arrivals, Resident};
pub use rgba::{NumberScale, RgbaConversion, RgbaDepth, RgbaImage, RgbaWindow};
use std::rc::Rc;
use std::sync::Arc;
use std::thread;
use streams::{CudaStreams, Guard};

/// Bytes of device memory that the kernels of `plan` hold beside pictures.
fn kernels_memory(plan: &ChainPlan, device: &Arc<CudaDevice>) -> Result<usize> {
    let of = |stage: &Stage| {
        let bytes = stage.filter.cuda_memory(&stage.setup, device);
        bytes.map_err(|e| e.context(stage.filter.descriptor().name))
    };
    plan.stages.iter().try_fold(0usize, |sum, stage| Ok(sum.saturating_add(of(stage)?)))
}

/// A chain built for a CUDA device.
pub struct CudaChain {
    /// First, so that nothing is freed before it has been waited for.
    waits: Guard,
    device: Arc<CudaDevice>,
    pinned: PinnedAllocator,
    /// Empty until [`CudaChain::prepare`].
    parts: Vec<CudaPart>,
    /// Results of parts that are not the last.
    made: Vec<DevicePool>,
    arrivals: Vec<Arrivals>,
    slots: Vec<Slot>,
    marks: Vec<(Sender<Marks>, Receiver<Marks>)>,
    /// Where the results stay, if they do.
    results: Option<DevicePool>,
    landed: Landed,
}

impl CudaChain {
    /// Makes `slots` slots for `plan` on `device`: so many frames are in flight on the GPU at a time.
    ///
    /// # Errors
    /// When the memory of the device, or its budget, does not cover the frames.
    pub fn new(plan: &ChainPlan, device: &Arc<CudaDevice>, slots: usize) -> Result<CudaChain> {
        let slots = slots.max(1);
        let needs = Needs::of(plan, slots);
        needs.require(plan, device, slots)?;
        let streams = Arc::new(CudaStreams::new(device)?);
        let arrivals = needs.inputs.iter().enumerate().map(|(input, need)| {
            Arrivals::new(device, &streams, need.shape, plan.resident && input == 0 && need.in_place, need.count)
        });
        let arrivals = arrivals.collect::<Result<_>>()?;
        let pool = |(count, (format, width, height))| DevicePool::new(device, count, format, width, height);
        Ok(CudaChain {
            waits: Guard::new(&streams),
            device: Arc::clone(device),
            pinned: PinnedAllocator::new(device),
            parts: Vec::new(),
            made: needs.made.into_iter().map(pool).collect::<Result<_>>()?,
            arrivals,
            slots: (0..needs.slots).map(|_| Slot::new(device, plan)).collect::<Result<_>>()?,
            marks: plan.parts.iter().map(|_| unbounded()).collect(),
            results: needs.staying.map(pool).transpose()?,
            landed: Landed::new(plan),
        })
    }

    /// Builds the kernels of `plan`, the one this chain was made for. [`Chain::drive`] does this when it has not been
    /// done, while the first frames decode.
    ///
    /// # Errors
    /// When a filter does not run on CUDA, the driver cannot compile it, or memory runs out.
    pub fn prepare(&mut self, plan: &ChainPlan) -> Result<()> {
        if self.parts.is_empty() && !plan.parts.is_empty() {
            let part = |part| CudaPart::new(plan, part, &self.device);
            self.parts = plan.parts.iter().map(part).collect::<Result<_>>()?;
            let (slots, used) = (self.slots.len(), mebibytes(self.device.memory()?.used));
            log::debug!("{}: {slots} slots, {used} MiB of GPU memory for frames and filters", self.device.info());
        }
        Ok(())
    }

    /// A picture for the next result.
    fn target(&self, pool: &PicturePool) -> Result<FlightTarget> {
        match &self.results {
            Some(results) => results.take().map(FlightTarget::Device),
            None => pool.take().map(FlightTarget::Host),
        }
    }

    /// Sends every frame of `inputs` on its flight, and packets after it.
    fn depart(
        &mut self,
        plan: &ChainPlan,
        inputs: &[Receiver<Item>],
        pool: &PicturePool,
        free: &Receiver<Slot>,
        departed: &Sender<Departed>,
    ) -> Result<()> {
        let streams = Arc::clone(&self.waits.streams);
        // Before the work, so that it is dropped after: what is dropped on return is waited for.
        let mut work = PendingWork { work: FlightWork::default(), _guard: Guard::new(&streams) };
        let mut feeder = Feeder::new(plan, inputs, departed);
        while let Some(mut job) = feeder
            .next(|input, item| arrive(&self.arrivals[input], item, plan.resident && input == 0, &mut work.work))?
        {
            if !job.is_last {
                let result = self.made[job.part].take()?;
                let props = self.enqueue(plan, &mut job, &result, &mut work.work)?;
                let made = Resident::made(result, std::mem::take(&mut work.work.measured));
                feeder.assembler.push_result(job.part, props, Rc::new(made));
                continue;
            }
            // Without a slot to wait for, the landing side has stopped, and says why.
            let Ok(slot) = free.recv() else { return Ok(()) };
            let target = self.target(pool)?;
            let source = job.source;
            let props = match (&target, &slot.output) {
                (FlightTarget::Device(result), _) => self.enqueue(plan, &mut job, result, &mut work.work)?,
                (_, Some(output)) => self.enqueue(plan, &mut job, &output.picture, &mut work.work)?,
                _ => return Err(Error::internal("a result has no place on the device")),
            };
            drop(job);
            let flight = Flight::depart(Guard::new(&streams), slot, props, target, std::mem::take(&mut work.work))?;
            feeder.emit(source, Departed::Flight(flight));
        }
        Ok(())
    }

    /// Puts the kernels of `job` into the stream. Gives the properties of the frame that they make.
    fn enqueue(
        &mut self,
        plan: &ChainPlan,
        job: &mut Job<Rc<Resident>>,
        dst: &DevicePicture,
        work: &mut FlightWork,
    ) -> Result<FrameProps> {
        let compute = &self.waits.streams.compute;
        let part = &mut self.parts[job.part];
        for (input, frames) in job.inputs.iter().enumerate() {
            part.set_input(input, frames.iter().map(|frame| frame.planes()))?;
        }
        let mut measured = job.inputs[0]
            .get(plan.parts[job.part].inputs[0].reach.before as usize)
            .map_or_else(Vec::new, |main| main.measured.borrow().clone());
        let marks = marks(&self.marks[job.part], job.part, part.len(), &self.device)?;
        marks.events[0].record(compute)?;
        let inputs = &mut job.inputs;
        let made = part.enqueue(&job.props, job.phase, &dst.planes(), compute, |between, done| {
            marks.events[done].record(compute)?;
            // A frame that nobody reads again is reused at once.
            for (input, frames) in inputs.iter_mut().enumerate() {
                if between.reads_until(input) + 1 == done {
                    frames.clear();
                }
            }
            Ok(())
        })?;
        measured.extend(made.into_iter().map(Arc::new));
        work.marks.push(marks);
        work.measured = measured;
        let mut props = job.props.clone();
        describe(plan, job.part, &mut props);
        Ok(props)
    }
}

/// Events for the kernels of part `part`.
fn marks(
    (recycle, free): &(Sender<Marks>, Receiver<Marks>),
    part: usize,
    kernels: usize,
    device: &CudaDevice,
) -> Result<Marks> {
    free.try_recv().or_else(|_| {
        let events = (0..=kernels).map(|_| Event::new(device)).collect::<Result<_>>()?;
        Ok(Marks { part, events, recycle: recycle.clone() })
    })
}

/// Work that no flight has taken yet; it is waited for when a run ends early.
struct PendingWork {
    _guard: Guard,
    work: FlightWork,
}

/// Brings a frame to the device.
fn arrive(
    arrivals: &Arrivals,
    item: Item,
    resident: bool,
    work: &mut FlightWork,
) -> Result<(FrameProps, Rc<Resident>)> {
    let (props, frame) = match item {
        Item::Frame(Frame { props, picture }) if !resident => {
            // SAFETY: the source stays with the work until its flight has landed, or the guard has waited.
            let (frame, staging) = unsafe { arrivals.upload(&picture) }.map_err(|e| flight::in_frame(&props, e))?;
            work.sources.push(picture);
            work.staging += staging;
            (props, frame)
        }
        Item::DeviceFrame(DeviceFrame { props, picture, stream }) if resident => {
            let frame = arrivals.adopt(picture, stream).map_err(|e| flight::in_frame(&props, e))?;
            (props, frame)
        }
        _ => return Err(Error::internal("a frame is not where the plan has it")),
    };
    work.arrivals.extend(frame.marks());
    Ok((props, Rc::new(frame)))
}

type Shape = (crate::video::Format, usize, usize);

/// The pictures on a device that a plan needs.
struct Needs {
    inputs: Vec<InputNeed>,
    /// For each part but the last.
    made: Vec<(usize, Shape)>,
    slots: usize,
    staying: Option<(usize, Shape)>,
}

struct InputNeed {
    shape: Shape,
    count: usize,
    /// Nobody holds its frames for longer than one job.
    in_place: bool,
}

impl Needs {
    fn of(plan: &ChainPlan, slots: usize) -> Needs {
        let slots = if plan.stages.is_empty() { 0 } else { slots };
        // Beside those in flight.
        let held = |feed: Feed| held(&plan.parts, feed);
        let input = |input: usize| {
            let StreamInfo { width, height, .. } = *plan.stream(input);
            let held = held(Feed::Input(input));
            // A run that begins inside the film has all frames before its first one at a time.
            let held = if input == 0 { held.max(plan.reach().before as usize + 1) } else { held };
            // One arrives while every slot is in flight, and its marks are read when its frame has landed.
            let count = if slots == 0 { 0 } else { slots + held };
            InputNeed { shape: (plan.storage(input), width, height), count, in_place: held == 1 }
        };
        let last = plan.parts.len().saturating_sub(1);
        let made = plan.parts[..last].iter().enumerate().map(|(i, part)| (held(Feed::Part(i)) + 1, part.result(plan)));
        let StreamInfo { format, width, height, .. } = plan.output;
        // Those that stay: in flight, waiting for the encoder, and held by each.
        let staying = plan.stays.then_some((2 * slots + 2, (format, width, height)));
        Needs { inputs: (0..=plan.sides.len()).map(input).collect(), made: made.collect(), slots, staying }
    }

    /// Refuses a plan that the device has no memory for.
    fn require(&self, plan: &ChainPlan, device: &Arc<CudaDevice>, slots: usize) -> Result<()> {
        let StreamInfo { format, width, height, .. } = plan.output;
        let in_place = |(i, input): &(usize, &InputNeed)| *i == 0 && plan.resident && input.in_place;
        let inputs = self.inputs.iter().enumerate().filter(|input| !in_place(input));
        let inputs = inputs.map(|(_, input)| (input.count, input.shape));
        let outputs = self.staying.unwrap_or((self.slots, (format, width, height)));
        let pictures = inputs.chain(self.made.iter().copied()).chain([outputs]);
        let bytes = |(count, (format, width, height)): (usize, Shape)| {
            DevicePicture::bytes(format, width, height)?.checked_mul(count)
        };
        let frames = pictures.map(bytes).try_fold(0usize, |sum, bytes| sum.checked_add(bytes?));
        let between = plan.parts.iter().map(|part| Between::bytes(plan, part)).sum::<Result<usize>>()?;
        let kept = between.checked_add(kernels_memory(plan, device)?);
        let total = frames.and_then(|frames| frames.checked_add(kept?));
        let total = total.ok_or_else(|| Error::new(Kind::OutOfMemory, "the frames are too large to be addressed"))?;
        device.require(total, &format!("{slots} slots for {}x{} frames", plan.input.width, plan.input.height))
    }
}

/// What goes from the departing to the landing side, in order.
enum Departed {
    Flight(Box<Flight>),
    Past(Box<Item>),
}

impl From<Item> for Departed {
    fn from(item: Item) -> Departed {
        Departed::Past(Box::new(item))
    }
}

/// Waits for every flight in its turn. The slot is free again before the frame is forwarded, so that the device works
/// while the sink does.
fn land(arriving: &Receiver<Departed>, recycle: &Sender<Slot>, out: &Sender<Item>, landed: &mut Landed) -> Result<()> {
    for departed in arriving {
        let item = match departed {
            Departed::Past(item) => *item,
            Departed::Flight(flight) => {
                let (item, slot) = flight.land(landed)?;
                // With no one left to take a slot, it is not needed again.
                let _ = recycle.send(slot);
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
    fn pictures(&self, plan: &ChainPlan, waiting: usize) -> Result<PicturePool> {
        let count = if self.results.is_some() || plan.stages.is_empty() { 0 } else { waiting + self.slots.len() };
        let format = plan.output.format;
        PicturePool::new_in(Arc::new(self.pinned.clone()), count, format, plan.output.width, plan.output.height)
    }

    fn drive(
        &mut self,
        plan: &ChainPlan,
        inputs: &[Receiver<Item>],
        pool: &PicturePool,
        out: &Sender<Item>,
    ) -> Result<()> {
        if plan.stages.is_empty() {
            pass_all(&inputs[0], out);
            return Ok(());
        }
        self.prepare(plan)?;
        if self.slots.is_empty() {
            return Err(Error::internal("a chain that failed was run again"));
        }
        let (recycle, free) = unbounded();
        let (departed, arriving) = bounded(2 * self.slots.len() + 2);
        for slot in self.slots.drain(..) {
            recycle.send(slot).map_err(|_| Error::internal("nobody takes slots"))?;
        }
        let mut landed = std::mem::take(&mut self.landed);
        let mut landing = Ok(());
        let departing = thread::scope(|scope| {
            let landed = &mut landed;
            let thread = spawn(scope, "vramp-download", move || land(&arriving, &recycle, out, landed))?;
            let departing = self.depart(plan, inputs, pool, &free, &departed);
            drop(departed);
            landing = join(thread);
            departing
        });
        self.landed = landed;
        self.slots.extend(free.try_iter());
        // A device that fails shows it first where it is waited for.
        landing.and(departing)
    }

    fn work(&self) -> stats::ChainUsage {
        let filters = self.landed.filters();
        stats::ChainUsage {
            chain: filters.iter().map(|time| time.busy).sum(),
            upload: self.landed.upload,
            download: self.landed.download,
            filters,
            host_bytes: self.arrivals.iter().map(Arrivals::host_bytes).sum(),
            device_bytes: self.device.memory().map_or(0, |memory| memory.used),
        }
    }
}
