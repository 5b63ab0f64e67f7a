//! A plan's kernels on a device, and the work for frames: what a run and single frames have in common.

use super::between::{Between, PartFrame};
use super::flight::Marks;
use super::measured::{Measurer, PendingRecord};
use super::pool::DevicePool;
use super::resident::DeviceSamples;
use crate::device::cuda::{CudaDevice, DevicePlanes, Stream};
use crate::error::Result;
use crate::filters::CudaKernel;
use crate::pipeline::ChainPlan;
use crate::pipeline::assembler::{Assembler, Job, describe};
use crate::pipeline::parts::Part;
use crate::video::emptied;
use std::sync::Arc;

/// The parts of a plan on a device.
pub struct CudaParts {
    /// Empty until [`CudaParts::prepare`].
    parts: Vec<CudaPart>,
    /// Results of those that are not the last.
    made: Vec<DevicePool>,
}

/// Where a part's result goes, and what is in flight with it.
pub struct PartTarget {
    pub dst: DevicePlanes,
    /// What was measured so far.
    pub measured: Vec<Arc<PendingRecord>>,
    /// Take the times of the kernels.
    pub marks: Option<Marks>,
}

impl CudaParts {
    /// Parts that are not prepared. `made` are pools for the results of all but the last.
    pub fn new(made: Vec<DevicePool>) -> CudaParts {
        CudaParts { parts: Vec::new(), made }
    }

    /// Builds the kernels of `plan`, of which the last part makes up to `batch` frames at a time. False: they are there already.
    ///
    /// # Errors
    /// When a filter does not run on CUDA, the driver cannot compile it, or memory runs out.
    pub fn prepare(&mut self, plan: &ChainPlan, device: &Arc<CudaDevice>, batch: usize) -> Result<bool> {
        if !self.parts.is_empty() {
            return Ok(false);
        }
        let batch = |i: usize| if i + 1 == plan.parts.len() { batch } else { 1 };
        let part = |(i, part)| CudaPart::new(plan, part, device, batch(i));
        self.parts = plan.parts.iter().enumerate().map(part).collect::<Result<_>>()?;
        Ok(!self.parts.is_empty())
    }

    /// Puts the work for `jobs`, all of one part, into `stream`. Their properties become those of the results.
    ///
    /// # Errors
    /// When the device refuses the work.
    pub fn enqueue(
        &mut self,
        plan: &ChainPlan,
        jobs: &mut [Job<DeviceSamples>],
        targets: &mut [PartTarget],
        stream: &Stream,
    ) -> Result<()> {
        let part = jobs[0].part;
        let main = plan.parts[part].inputs[0].reach.before as usize;
        for (job, target) in jobs.iter().zip(&mut *targets) {
            target.measured.extend_from_slice(job.inputs[0][main].measured());
        }
        self.parts[part].enqueue(jobs, targets, stream)?;
        jobs.iter_mut().for_each(|job| describe(plan, part, &mut job.props));
        Ok(())
    }

    /// Puts the work for `job`, which is not one of the last part, into `stream`, and gives `assembler` the result. Gives `marks`
    /// back.
    ///
    /// # Errors
    /// When memory runs out, or the device refuses the work.
    pub fn enqueue_between(
        &mut self,
        plan: &ChainPlan,
        job: Job<DeviceSamples>,
        assembler: &mut Assembler<DeviceSamples>,
        stream: &Stream,
        marks: Option<Marks>,
    ) -> Result<Option<Marks>> {
        let picture = self.made[job.part].take()?;
        let (mut jobs, mut targets) = ([job], [PartTarget { dst: picture.planes(), measured: Vec::new(), marks }]);
        self.enqueue(plan, &mut jobs, &mut targets, stream)?;
        let ([job], [PartTarget { measured, marks, .. }]) = (jobs, targets);
        assembler.push_result(job, DeviceSamples::made(picture, measured));
        Ok(marks)
    }
}

/// A part of a plan, built for a device.
struct CudaPart {
    kernels: Vec<Kernel>,
    between: Between,
    /// For each frame that is made at a time, the planes of those in reach, for each input: kept so that nothing is allocated
    /// for a frame.
    planes: Vec<Vec<Vec<DevicePlanes>>>,
    /// Those frames themselves; empty between jobs.
    frames: Vec<PartFrame<'static>>,
}

/// A filter's kernel.
struct Kernel {
    filter: &'static str,
    work: Box<dyn CudaKernel>,
    measurer: Option<Measurer>,
}

impl CudaPart {
    /// The kernels of `part` of `plan`, and the buffers between them, for `batch` frames at a time.
    ///
    /// # Errors
    /// When a filter does not run on CUDA, the driver cannot compile it, or memory runs out.
    fn new(plan: &ChainPlan, part: &Part, device: &Arc<CudaDevice>, batch: usize) -> Result<CudaPart> {
        let kernel = |stage: &usize| {
            let stage = &plan.stages[*stage];
            let filter = stage.filter.descriptor().name;
            let work = stage.filter.cuda(&stage.setup.for_batches(batch), device).map_err(|e| e.context(filter))?;
            let measurer = work.measure().map(|measure| Measurer::new(filter, measure, device)).transpose()?;
            Ok(Kernel { filter, work, measurer })
        };
        Ok(CudaPart {
            kernels: part.stages.iter().map(kernel).collect::<Result<_>>()?,
            between: Between::new(plan, part, device, batch)?,
            planes: vec![vec![Vec::new(); part.inputs.len()]; batch],
            frames: Vec::new(),
        })
    }

    /// Puts the work for `jobs` into `stream`.
    fn enqueue(&mut self, jobs: &mut [Job<DeviceSamples>], targets: &mut [PartTarget], stream: &Stream) -> Result<()> {
        let CudaPart { kernels, between, planes, frames: kept } = self;
        for (frames, planes) in jobs.iter().zip(&mut *planes).flat_map(|(job, planes)| job.inputs.iter().zip(planes)) {
            planes.clear();
            for frame in frames {
                planes.push(frame.planes()?);
            }
        }
        // The kernels' time is counted once, with the first frame.
        let mark = |targets: &[PartTarget], done: usize| match &targets[0].marks {
            Some(marks) => marks.events[done].record(stream),
            None => Ok(()),
        };
        mark(targets, 0)?;
        for (i, Kernel { filter, work, measurer }) in kernels.iter_mut().enumerate() {
            let mut frames: Vec<PartFrame<'_>> = emptied(std::mem::take(kept));
            let all = jobs.iter().zip(&*planes).zip(&*targets);
            frames.extend(all.map(|((Job { props, phase, .. }, inputs), PartTarget { dst, .. })| PartFrame {
                props,
                phase: *phase,
                inputs,
                dst: *dst,
            }));
            let mut put = |first: usize, frames: &[PartFrame<'_>], record| {
                let done = between.enqueue(i, &mut **work, first, frames, record, stream);
                done.map_err(|e| e.context(*filter).context(format_args!("frame {}", frames[0].props.frame_index)))
            };
            match measurer {
                None => put(0, &frames, 0)?,
                Some(measurer) => {
                    for (place, target) in targets.iter_mut().enumerate() {
                        put(place, &frames[place..=place], measurer.clear(stream)?)?;
                        target.measured.push(Arc::new(measurer.fetch(stream)?));
                    }
                }
            }
            *kept = emptied(frames);
            mark(targets, i + 1)?;
            // A frame that nobody reads again is used again at once.
            for (input, frames) in jobs.iter_mut().flat_map(|job| job.inputs.iter_mut().enumerate()) {
                if between.reads_until(input) == i {
                    frames.clear();
                }
            }
        }
        let others = targets[1..].iter().flat_map(|target| &target.marks);
        others.flat_map(|marks| &marks.events).try_for_each(|event| event.record(stream))
    }
}
