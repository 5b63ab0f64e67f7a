//! A frame on its way through the device: put there without waiting, taken back when it is done.

use super::slot::{Slot, Streams};
use super::{Between, Kernel};
use crate::device::cuda::{CudaDevice, DevicePicture, Event, PinnedAllocator, Stream, is_pinned};
use crate::error::{Error, Result};
use crate::filters::CudaJob;
use crate::pipeline::stats::FilterTime;
use crate::pipeline::{DeviceFrame, Frame, Item, Plan};
use crate::video::{FrameProps, Picture};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Where the time of all frames went.
#[derive(Default)]
pub struct Landed {
    pub upload: Duration,
    pub download: Duration,
    pub filters: Vec<FilterTime>,
}

impl Landed {
    pub fn new(plan: &Plan) -> Landed {
        let filters = plan.stages.iter().map(|stage| FilterTime::new(stage.filter.descriptor().name)).collect();
        Landed { filters, ..Landed::default() }
    }
}

/// Waits for the device when a flight ends before its landing, since copies may still run. It stands first in
/// [`InFlight`], so that it is dropped before the memory they use.
struct Guard {
    streams: Arc<Streams>,
    landed: bool,
}

impl Drop for Guard {
    fn drop(&mut self) {
        if !self.landed {
            self.streams.finish();
        }
    }
}

/// Where the first kernel's samples come from.
pub enum Origin {
    /// The host: they are uploaded.
    Host(Picture),
    /// The device: they are read where they lie, in the order of the stream that writes them.
    Device(DevicePicture, Arc<Stream>),
    /// The device, and they have been given back.
    Returned,
}

impl Origin {
    /// The properties and samples of a frame, which must be on the device if the plan is `resident`, and only then.
    pub fn of(item: Item, resident: bool) -> Result<(FrameProps, Origin)> {
        match item {
            Item::Frame(Frame { props, picture }) if !resident => Ok((props, Origin::Host(picture))),
            Item::DeviceFrame(DeviceFrame { props, picture, stream }) if resident => {
                Ok((props, Origin::Device(picture, stream)))
            }
            _ => Err(Error::internal("a frame is not where the plan has it")),
        }
    }
}

/// Where the last kernel's samples end.
pub enum Target {
    /// The host: they are downloaded.
    Host(Picture),
    /// The device: they are written where they stay.
    Device(DevicePicture),
}

/// A frame on its way, with everything that must stay in place until it is done.
pub struct InFlight {
    guard: Guard,
    slot: Slot,
    props: FrameProps,
    source: Origin,
    result: Target,
    /// Time the host spent on copying the source into page-locked memory.
    staging: Duration,
}

impl InFlight {
    /// The frame of `props` and `source`, which will travel in `slot` and come back in `result`.
    pub fn new(slot: Slot, props: FrameProps, source: Origin, result: Target, streams: &Arc<Streams>) -> InFlight {
        let guard = Guard { streams: Arc::clone(streams), landed: false };
        InFlight { guard, slot, props, source, result, staging: Duration::ZERO }
    }

    /// Starts the copy to the device: straight from the source where that is page-locked. A source that is there
    /// already is only waited for.
    pub fn arrive(&mut self, device: &CudaDevice, pinned: &PinnedAllocator) -> Result<()> {
        let Slot { input, staging, marks, .. } = &mut self.slot;
        let (source, input) = match (&self.source, input) {
            (Origin::Host(source), Some(input)) => (source, input),
            (Origin::Device(_, stream), _) => {
                return marks.upload.iter().try_for_each(|mark| mark.record(stream));
            }
            _ => return Err(Error::internal("a source has no way to the device")),
        };
        let source = if is_pinned(device, source) {
            source
        } else {
            let start = Instant::now();
            let staged = match staging {
                Some(staged) => staged,
                None => {
                    let (format, width, height) = (source.format(), source.width(), source.height());
                    staging.insert(Picture::alloc_in(pinned, format, width, height)?)
                }
            };
            staged.planes_mut().copy_from(&source.planes(), source.format());
            self.staging = start.elapsed();
            &*staged
        };
        let stream = &self.guard.streams.upload;
        marks.upload[0].record(stream)?;
        // SAFETY: source, staging and slot stay in this flight until it has landed, or the guard has waited.
        unsafe { input.upload(source, stream) }.map_err(|e| in_frame(&self.props, e))?;
        marks.upload[1].record(stream)
    }

    /// Puts the kernels behind the upload.
    pub fn filter(&mut self, kernels: &mut [Kernel], between: &Between) -> Result<()> {
        let Slot { input, output, marks, .. } = &self.slot;
        let stream = &self.guard.streams.compute;
        stream.wait_for(&marks.upload[1])?;
        marks.kernels[0].record(stream)?;
        let src = match (&self.source, input) {
            (Origin::Device(surface, _), _) => surface.planes(),
            (_, Some(input)) => input.planes(),
            _ => return Err(Error::internal("a source has no place on the device")),
        };
        let dst = match (&self.result, output) {
            (Target::Device(result), _) => result.planes(),
            (_, Some(output)) => output.planes(),
            _ => return Err(Error::internal("a result has no place on the device")),
        };
        let last_reader = between.reads_until(0);
        for (i, kernel) in kernels.iter_mut().enumerate() {
            let props = &self.props;
            let done = between.with_planes(i, &[&[src]], &dst, |src, dst| {
                kernel.work.enqueue(&CudaJob { props, phase: 0, src, dst, record: 0, stream })
            });
            done.map_err(|e| in_frame(&self.props, e.context(kernel.filter)))?;
            marks.kernels[i + 1].record(stream)?;
            if i == last_reader {
                give_back(&mut self.source, &marks.kernels[i + 1])?;
            }
        }
        Ok(())
    }

    /// Puts the copy back behind the kernels. A result that stays is only waited for.
    pub fn depart(&mut self) -> Result<()> {
        let Slot { output, marks, .. } = &self.slot;
        let (result, output) = match (&mut self.result, output) {
            (Target::Host(result), Some(output)) => (result, output),
            (Target::Device(_), _) => {
                return marks.download.iter().try_for_each(|mark| mark.record(&self.guard.streams.compute));
            }
            _ => return Err(Error::internal("a result has no way to the host")),
        };
        let stream = &self.guard.streams.download;
        stream.wait_for(&marks.kernels[marks.kernels.len() - 1])?;
        marks.download[0].record(stream)?;
        // SAFETY: result and slot stay in this flight until it has landed, or the guard has waited.
        unsafe { output.download(result, stream) }.map_err(|e| in_frame(&self.props, e))?;
        marks.download[1].record(stream)
    }

    /// Waits until the frame is back, or done where it stays.
    pub fn land(mut self: Box<Self>, landed: &mut Landed) -> Result<(Item, Slot)> {
        let marks = &self.slot.marks;
        marks.download[1].synchronize().map_err(|e| in_frame(&self.props, e))?;
        self.guard.landed = true;
        landed.upload += self.staging + marks.upload[1].since(&marks.upload[0])?;
        landed.download += marks.download[1].since(&marks.download[0])?;
        for (time, ends) in landed.filters.iter_mut().zip(marks.kernels.windows(2)) {
            time.add(ends[1].since(&ends[0])?);
        }
        let InFlight { slot, props, result, guard, .. } = *self;
        let item = match result {
            Target::Host(picture) => Item::Frame(Frame { props, picture }),
            Target::Device(picture) => {
                Item::DeviceFrame(DeviceFrame { props, picture, stream: Arc::clone(&guard.streams.compute) })
            }
        };
        Ok((item, slot))
    }
}

/// Lets go of a source on the device, whose memory may be written again when `read` has come.
fn give_back(source: &mut Origin, read: &Event) -> Result<()> {
    if let Origin::Device(_, stream) = source {
        stream.wait_for(read)?;
        *source = Origin::Returned;
    }
    Ok(())
}

fn in_frame(props: &FrameProps, error: Error) -> Error {
    error.context(format_args!("frame {}", props.frame_index))
}
