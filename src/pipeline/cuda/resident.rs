//! Frames on the device, as long as a job may read them.

use super::measured::PendingRecord;
use super::staging::StagedPicture;
use super::streams::CudaStreams;
use crate::device::cuda::{CudaDevice, DevicePicture, DevicePlanes, Event, Stream, copy_on_device};
use crate::error::{Error, Result};
use crate::video::{Format, Picture};
use crossbeam_channel::{Receiver, Sender, unbounded};
use std::cell::{Cell, RefCell};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// What bringing one frame to the device needs, made once.
pub struct Arrival {
    /// Where it goes; none for frames that are read where a decoder left them.
    staged: Option<StagedPicture>,
    /// Begin and end of its copy.
    pub marks: Arc<[Event; 2]>,
    /// After what has read it last.
    read: Event,
}

/// Frames that come from one input.
pub struct Arrivals {
    device: Arc<CudaDevice>,
    streams: Arc<CudaStreams>,
    shape: (Format, usize, usize),
    /// Frames come from a decoder on the device, and are read where they lie.
    in_place: bool,
    free: Receiver<Arrival>,
    recycle: Sender<Arrival>,
}

impl Arrivals {
    /// Room for `count` frames.
    ///
    /// # Errors
    /// When the device's memory or the budget does not cover them.
    pub fn new(
        device: &Arc<CudaDevice>,
        streams: &Arc<CudaStreams>,
        shape: (Format, usize, usize),
        in_place: bool,
        count: usize,
    ) -> Result<Arrivals> {
        let (recycle, free) = unbounded();
        let (device, streams) = (Arc::clone(device), Arc::clone(streams));
        let arrivals = Arrivals { device, streams, shape, in_place, free, recycle };
        for _ in 0..count {
            let arrival = arrivals.arrival()?;
            arrivals.recycle.send(arrival).map_err(|_| Error::internal("nobody takes arrivals"))?;
        }
        Ok(arrivals)
    }

    fn arrival(&self) -> Result<Arrival> {
        let event = || Event::new(&self.device);
        let staged = (!self.in_place).then(|| StagedPicture::new(&self.device, self.shape)).transpose()?;
        Ok(Arrival { staged, marks: Arc::new([event()?, event()?]), read: event()? })
    }

    /// The one that has been free for longest: what reads it is done, or next to it. A flight that has not landed may still ask its
    /// marks for the time, where a frame is made of several.
    fn take(&self) -> Result<Arrival> {
        let Ok(mut arrival) = self.free.try_recv() else { return self.arrival() };
        if Arc::get_mut(&mut arrival.marks).is_none() {
            // Page-locked memory is written again behind its last copy.
            arrival.marks[1].synchronize()?;
            arrival.marks = Arc::new([Event::new(&self.device)?, Event::new(&self.device)?]);
        }
        Ok(arrival)
    }

    /// Starts the copy of `source` to the device. Gives the time that the host spent on it.
    ///
    /// # Errors
    /// When the device refuses it.
    ///
    /// # Safety
    /// `source` must stay, unchanged, until the copy is done.
    pub unsafe fn upload(&self, source: &Picture) -> Result<(Resident, Duration)> {
        let mut arrival = self.take()?;
        let stream = &self.streams.upload;
        let start = Instant::now();
        let Arrival { staged: Some(staged), marks, read } = &mut arrival else { return Err(nowhere()) };
        stream.wait_for(read)?;
        marks[0].record(stream)?;
        // SAFETY: the caller keeps the source, and the arrival is reused only after `read`.
        unsafe { staged.upload_picture(&self.device, source, stream, || marks[1].synchronize()) }?;
        marks[1].record(stream)?;
        Ok((self.resident(arrival, None), start.elapsed()))
    }

    /// Takes a frame that a decoder left on the device and writes in `stream`. Where frames are held, it is copied, since a
    /// decoder has few surfaces.
    ///
    /// # Errors
    /// When the device refuses it.
    pub fn adopt(&self, picture: DevicePicture, stream: Arc<Stream>) -> Result<Resident> {
        let mut arrival = self.take()?;
        let Arrival { staged, marks, read } = &mut arrival;
        let Some(staged) = staged else {
            marks.iter().try_for_each(|mark| mark.record(&stream))?;
            return Ok(self.resident(arrival, Some((picture, stream))));
        };
        let upload = &self.streams.upload;
        upload.wait_for(read)?;
        read.record(&stream)?;
        upload.wait_for(read)?;
        marks[0].record(upload)?;
        let planes =
            |picture: &DevicePicture| (0..picture.format().planes()).map(|p| picture.plane(p)).collect::<Vec<_>>();
        // SAFETY: the surface is given back after `marks[1]`, and the place is nobody else's.
        unsafe { copy_on_device(&self.device, self.shape, &planes(&picture), &planes(&staged.picture), upload) }?;
        marks[1].record(upload)?;
        stream.wait_for(&marks[1])?;
        Ok(self.resident(arrival, None))
    }

    fn resident(&self, arrival: Arrival, surface: Option<(DevicePicture, Arc<Stream>)>) -> Resident {
        let (streams, recycle) = (Arc::clone(&self.streams), self.recycle.clone());
        let held = Held::Arrived { arrival: Some(arrival), surface, streams, recycle };
        Resident { held, waited: Cell::new(false), measured: RefCell::default() }
    }

    /// Host memory that it holds while nothing is in flight.
    pub fn host_bytes(&self) -> usize {
        let free: Vec<Arrival> = self.free.try_iter().collect();
        let bytes = free.iter().filter_map(|arrival| arrival.staged.as_ref()).map(StagedPicture::host_bytes).sum();
        // The receiver is here: nobody can have closed the channel.
        free.into_iter().for_each(|arrival| drop(self.recycle.send(arrival)));
        bytes
    }
}

/// A frame on the device.
pub struct Resident {
    held: Held,
    /// The kernels' stream waits for it already.
    waited: Cell<bool>,
    /// What was measured of it, and is in flight.
    pub measured: RefCell<Vec<Arc<PendingRecord>>>,
}

#[expect(clippy::large_enum_variant, reason = "nothing is allocated for a frame")]
enum Held {
    Arrived {
        arrival: Option<Arrival>,
        surface: Option<(DevicePicture, Arc<Stream>)>,
        streams: Arc<CudaStreams>,
        recycle: Sender<Arrival>,
    },
    /// A part's result, written and read in the kernels' stream.
    Made(DevicePicture),
}

impl Resident {
    /// What a part has made.
    pub fn made(picture: DevicePicture, measured: Vec<Arc<PendingRecord>>) -> Resident {
        Resident { held: Held::Made(picture), waited: Cell::new(true), measured: RefCell::new(measured) }
    }

    /// The planes, for kernels, whose stream waits for them.
    ///
    /// # Errors
    /// When the device refuses it.
    pub fn planes(&self) -> Result<DevicePlanes> {
        match &self.held {
            Held::Made(picture) => Ok(picture.planes()),
            Held::Arrived { arrival: Some(arrival), surface, streams, .. } => {
                if !self.waited.replace(true) {
                    streams.compute.wait_for(&arrival.marks[1])?;
                }
                match (surface, &arrival.staged) {
                    (Some((surface, _)), _) => Ok(surface.planes()),
                    (None, Some(staged)) => Ok(staged.picture.planes()),
                    (None, None) => Err(nowhere()),
                }
            }
            Held::Arrived { .. } => Err(nowhere()),
        }
    }

    /// Begin and end of its upload, for one that was uploaded.
    pub fn marks(&self) -> Option<Arc<[Event; 2]>> {
        match &self.held {
            Held::Arrived { arrival: Some(arrival), .. } => Some(Arc::clone(&arrival.marks)),
            _ => None,
        }
    }
}

impl Drop for Resident {
    fn drop(&mut self) {
        let Held::Arrived { arrival, surface, streams, recycle } = &mut self.held else { return };
        let Some(arrival) = arrival.take() else { return };
        // Every kernel that reads it is in the stream by now.
        let ordered = arrival.read.record(&streams.compute);
        let ordered = ordered.and_then(|()| match surface {
            Some((_, stream)) => stream.wait_for(&arrival.read),
            None => Ok(()),
        });
        if let Err(error) = ordered {
            log::debug!("{error}");
        }
        // Those whose input is gone are gone too.
        let _ = recycle.send(arrival);
    }
}

fn nowhere() -> Error {
    Error::internal("a frame has no place on the device")
}
