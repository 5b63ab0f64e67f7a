//! A frame in flight on the device: put there without waiting, taken when it is done.

use super::measured::PendingRecord;
use super::staging::StagedPicture;
use super::streams::Guard;
use crate::device::cuda::{CudaDevice, DevicePicture, Event};
use crate::error::{Error, Result};
use crate::pipeline::stats::FilterTime;
use crate::pipeline::{ChainPlan, DeviceFrame, Frame, Item};
use crate::video::{FrameProps, Home, Picture};
use std::sync::Arc;
use std::time::Duration;

/// Where the time of all frames went.
#[derive(Default)]
pub struct Landed {
    pub upload: Duration,
    pub download: Duration,
    /// By part, by kernel.
    filters: Vec<Vec<FilterTime>>,
}

impl Landed {
    pub fn new(plan: &ChainPlan) -> Landed {
        let time = |stage: &usize| FilterTime::new(plan.stages[*stage].filter.descriptor().name);
        let filters = plan.parts.iter().map(|part| part.stages.iter().map(time).collect()).collect();
        Landed { filters, ..Landed::default() }
    }

    /// Time in each filter.
    pub fn filters(&self) -> Vec<FilterTime> {
        self.filters.concat()
    }
}

/// The memory and events that one frame in flight needs, made once.
pub struct Slot {
    /// Where the last kernel writes to; none where results stay on the device.
    pub output: Option<StagedPicture>,
    /// Begin and end of the download.
    download: [Event; 2],
    /// Room for what is done for the frame.
    work: FlightWork,
}

impl Slot {
    pub fn new(device: &CudaDevice, plan: &ChainPlan) -> Result<Slot> {
        let shape = (plan.output.format, plan.output.width, plan.output.height);
        let output = (!plan.stays).then(|| StagedPicture::new(device, shape)).transpose()?;
        Ok(Slot { output, download: [Event::new(device)?, Event::new(device)?], work: FlightWork::default() })
    }
}

/// Where the last kernel's samples end.
pub enum FlightTarget {
    /// The host: they are downloaded.
    Host(Picture),
    /// The device: they are written where they stay.
    Device(DevicePicture),
}

/// Events before each kernel of a part, and after the last.
pub struct Marks {
    pub part: usize,
    pub events: Vec<Event>,
    pub home: Home<Marks>,
}

/// What was done for a frame since the one before went.
#[derive(Default)]
pub struct FlightWork {
    /// Sources that are being copied.
    pub sources: Vec<Picture>,
    /// Begin and end of each frame's upload.
    pub arrivals: Vec<Arc<[Event; 2]>>,
    /// Time the host spent on them.
    pub staging: Duration,
    /// Kernels that ran.
    pub marks: Vec<Marks>,
    /// What was measured of the frame.
    pub measured: Vec<Arc<PendingRecord>>,
}

/// A frame in flight, with everything that must stay in place until it is done.
pub struct Flight {
    guard: Guard,
    slot: Slot,
    props: FrameProps,
    result: FlightTarget,
}

impl Flight {
    /// Puts the copy back behind the kernels, and takes the `work` that was done since the flight before. A result that stays is
    /// only waited for.
    ///
    /// # Errors
    /// When the device refuses it.
    pub fn depart(
        guard: Guard,
        mut slot: Slot,
        props: FrameProps,
        mut result: FlightTarget,
        work: &mut FlightWork,
    ) -> Result<Flight> {
        // Dropped before what it guards, which parameters would not be.
        let guard = guard;
        let Guard { streams, .. } = &guard;
        std::mem::swap(&mut slot.work, work);
        match (&mut result, &mut slot.output) {
            (FlightTarget::Host(result), Some(output)) => {
                let kernels = slot.work.marks.last().and_then(|marks| marks.events.last());
                streams.download.wait_for(kernels.ok_or_else(|| Error::internal("a frame that no kernel made"))?)?;
                slot.download[0].record(&streams.download)?;
                // SAFETY: result and slot stay in this flight until it has landed, or the guard has waited.
                let started = unsafe { output.picture.download(result, &streams.download) };
                started.map_err(|e| in_frame(&props, e))?;
                slot.download[1].record(&streams.download)?;
            }
            (FlightTarget::Device(_), _) => slot.download.iter().try_for_each(|mark| mark.record(&streams.compute))?,
            _ => return Err(Error::internal("a result has no way to the host")),
        }
        Ok(Flight { guard, slot, props, result })
    }

    /// Waits until the frame is back, or done where it stays.
    ///
    /// # Errors
    /// When the device fails.
    pub fn land(mut self, landed: &mut Landed) -> Result<(Item, Slot)> {
        let [start, end] = &self.slot.download;
        end.synchronize().map_err(|e| in_frame(&self.props, e))?;
        self.guard.done = true;
        landed.download += end.since(start)?;
        let Flight { mut slot, mut props, result, guard } = self;
        slot.work.land(landed)?;
        props.records.extend(slot.work.measured.drain(..).map(|measured| measured.collect()));
        let item = match result {
            FlightTarget::Host(picture) => Item::Frame(Frame { props, picture }),
            FlightTarget::Device(picture) => {
                Item::DeviceFrame(DeviceFrame { props, picture, stream: Arc::clone(&guard.streams.compute) })
            }
        };
        Ok((item, slot))
    }
}

impl FlightWork {
    /// Counts the time of what is done, and releases all but what was measured. The memory of its lists is used again.
    fn land(&mut self, landed: &mut Landed) -> Result<()> {
        landed.upload += std::mem::take(&mut self.staging);
        for marks in self.arrivals.drain(..) {
            let [start, end] = &*marks;
            // One that this frame did not need may still be in flight.
            end.synchronize()?;
            landed.upload += end.since(start)?;
        }
        self.sources.clear();
        for marks in self.marks.drain(..) {
            for (time, ends) in landed.filters[marks.part].iter_mut().zip(marks.events.windows(2)) {
                time.add(ends[1].since(&ends[0])?);
            }
            let home = marks.home.clone();
            home.give(marks);
        }
        Ok(())
    }
}

pub fn in_frame(props: &FrameProps, error: Error) -> Error {
    error.context(format_args!("frame {}", props.frame_index))
}
