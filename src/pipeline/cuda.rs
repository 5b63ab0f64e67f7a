//! A planned chain on a CUDA device: slots circulate, and upload, kernels and download of different frames overlap.
//!
//! Each of the three has a stream of its own, ordered by events. A stream for each slot would overlap as well; but
//! with one compute stream a kernel may keep scratch memory from frame to frame, the pictures between filters exist
//! once instead of once a slot, and the time between two events of a stream is that of the work between them alone.

mod batch;
mod between;
mod execution;
mod flight;
mod measured;
mod needs;
mod part;
mod pool;
mod resident;
mod rgba;
mod staging;
mod streams;

use crate::device::cuda::{CudaDevice, DevicePlanes, Event, PinnedAllocator, mebibytes};
use crate::error::{Error, Result};
use crate::pipeline::assembler::{Job, describe};
use crate::pipeline::feeder::{Feeder, pass_all};
use crate::pipeline::run::{join, spawn};
use crate::pipeline::stats;
use crate::pipeline::{Chain, ChainPlan, DeviceFrame, Frame, Item};
use crate::video::{FrameProps, PicturePool};
use batch::Pace;
pub use between::{Between, PartFrame};
use crossbeam_channel::{Receiver, Sender, bounded, unbounded};
pub(super) use execution::ExecutionContext;
pub use execution::RgbaFrame;
use flight::{Flight, FlightTarget, FlightWork, Landed, Marks, Slot};
use measured::PendingRecord;
use needs::Needs;
use part::{CudaPart, PartTarget};
use pool::DevicePool;
use resident::{Arrivals, Resident};
pub use rgba::{NumberScale, RgbaConversion, RgbaDepth, RgbaImage, RgbaWindow};
use std::rc::Rc;
use std::sync::Arc;
use std::thread;
use streams::{CudaStreams, Guard};

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
    /// Frames that the last part may make at a time.
    batch: usize,
    arrivals: Vec<Arrivals>,
    slots: Vec<Slot>,
    marks: Vec<(Sender<Marks>, Receiver<Marks>)>,
    /// Where the results stay, if they do.
    results: Option<DevicePool>,
    landed: Landed,
}

impl CudaChain {
    /// Makes `slots` slots for `plan` on `device`: so many frames are in flight on the GPU at a time. Filters that gain by it
    /// take as many at a time, as far as memory goes, and then twice as many are in flight.
    ///
    /// # Errors
    /// When the memory of the device, or its budget, does not cover the frames.
    pub fn new(plan: &ChainPlan, device: &Arc<CudaDevice>, slots: usize) -> Result<CudaChain> {
        let needs = Needs::fitting(plan, device, slots.max(1))?;
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
            batch: needs.batch,
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
            let batch = |i: usize| if i + 1 == plan.parts.len() { self.batch } else { 1 };
            let part = |(i, part)| CudaPart::new(plan, part, &self.device, batch(i));
            self.parts = plan.parts.iter().enumerate().map(part).collect::<Result<_>>()?;
            let (slots, used) = (self.slots.len(), mebibytes(self.device.memory()?.used));
            let together =
                if self.batch > 1 { format!("up to {} frames at a time, ", self.batch) } else { String::new() };
            let device = self.device.info();
            log::debug!("{device}: {slots} slots, {together}{used} MiB of GPU memory for frames and filters");
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
        let mut pace = Pace::new(&self.device)?;
        // The job that ended a batch.
        let mut next = None;
        loop {
            let mut take =
                |input: usize, item| arrive(&self.arrivals[input], item, plan.resident && input == 0, &mut work.work);
            let job = next.take().map_or_else(|| feeder.next(&mut take), |job| Ok(Some(job)))?;
            let Some(job) = job else { return Ok(()) };
            let mut jobs = vec![job];
            if !jobs[0].is_last {
                let part = jobs[0].part;
                let result = self.made[part].take()?;
                let mut made = self.enqueue(plan, &mut jobs, &[result.planes()])?;
                if let Some(MadeFrame { props, marks, measured }) = made.pop() {
                    work.work.marks.push(marks);
                    feeder.assembler.push_result(part, props, Rc::new(Resident::made(result, measured)));
                }
                continue;
            }
            // Without a slot to wait for, the landing side has stopped, and says why.
            let Ok(slot) = free.recv() else { return Ok(()) };
            let mut slots = vec![slot];
            if self.batch > 1 {
                pace.wait()?;
                // Nobody else takes slots.
                while jobs.len() < self.batch && !free.is_empty() {
                    match feeder.next_arrived(&mut take)? {
                        Some(job) if job.is_last => jobs.push(job),
                        other => {
                            next = other;
                            break;
                        }
                    }
                    slots.extend(free.try_recv());
                }
            }
            let targets = slots.iter().map(|_| self.target(pool)).collect::<Result<Vec<_>>>()?;
            let planes = targets.iter().zip(&slots).map(|(target, slot)| match (target, &slot.output) {
                (FlightTarget::Device(result), _) => Ok(result.planes()),
                (_, Some(output)) => Ok(output.picture.planes()),
                _ => Err(Error::internal("a result has no place on the device")),
            });
            let planes = planes.collect::<Result<Vec<_>>>()?;
            let made = self.enqueue(plan, &mut jobs, &planes)?;
            drop(jobs);
            if self.batch > 1 {
                pace.mark(&streams.compute)?;
            }
            for ((slot, target), MadeFrame { props, marks, measured }) in slots.into_iter().zip(targets).zip(made) {
                // The first waits for what was done for all.
                let mut work = std::mem::take(&mut work.work);
                work.marks.push(marks);
                work.measured = measured;
                let flight = Flight::depart(Guard::new(&streams), slot, props, target, work)?;
                feeder.emit(Departed::Flight(flight));
            }
        }
    }

    /// Puts the kernels of `jobs`, all of one part, into the stream: their results go to `results`.
    fn enqueue(
        &mut self,
        plan: &ChainPlan,
        jobs: &mut [Job<Rc<Resident>>],
        results: &[DevicePlanes],
    ) -> Result<Vec<MadeFrame>> {
        let compute = &self.waits.streams.compute;
        let number = jobs[0].part;
        let part = &mut self.parts[number];
        for (place, job) in jobs.iter().enumerate() {
            for (input, frames) in job.inputs.iter().enumerate() {
                part.set_input(place, input, frames.iter().map(|frame| frame.planes()))?;
            }
        }
        let main = plan.parts[number].inputs[0].reach.before as usize;
        let made = jobs.iter().map(|job| {
            let mut props = job.props.clone();
            describe(plan, number, &mut props);
            let measured = job.inputs[0].get(main).map_or_else(Vec::new, |main| main.measured.borrow().clone());
            Ok(MadeFrame { props, marks: marks(&self.marks[number], number, part.len(), &self.device)?, measured })
        });
        let mut made = made.collect::<Result<Vec<_>>>()?;
        let (mut targets, mut inputs) = (Vec::new(), Vec::new());
        for (job, result) in jobs.iter_mut().zip(results) {
            targets.push(PartTarget { props: &job.props, phase: job.phase, dst: *result });
            inputs.push(&mut job.inputs);
        }
        made[0].marks.events[0].record(compute)?;
        let measured = part.enqueue(&targets, compute, |between, done| {
            made[0].marks.events[done].record(compute)?;
            // A frame that nobody reads again is reused at once.
            for (input, frames) in inputs.iter_mut().flat_map(|inputs| inputs.iter_mut().enumerate()) {
                if between.reads_until(input) + 1 == done {
                    frames.clear();
                }
            }
            Ok(())
        })?;
        for (frame, measured) in made.iter_mut().zip(measured) {
            frame.measured.extend(measured.into_iter().map(Arc::new));
        }
        // The kernels' time is counted once, with the first frame.
        made[1..].iter().flat_map(|frame| &frame.marks.events).try_for_each(|event| event.record(compute))?;
        Ok(made)
    }
}

/// A frame whose kernels are in the stream.
struct MadeFrame {
    props: FrameProps,
    marks: Marks,
    measured: Vec<Arc<PendingRecord>>,
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
