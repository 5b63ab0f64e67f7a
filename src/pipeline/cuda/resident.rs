//! Frames on the device, as long as a job may read them.

use super::measured::PendingRecord;
use super::staging::StagedPicture;
use super::streams::CudaStreams;
use crate::device::cuda::{CudaDevice, DevicePicture, DevicePlanes, Event, Stream, copy_on_device};
use crate::error::{Error, Result};
use crate::video::{Format, FreeList, Home, Picture};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
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
    free: FreeList<Arrival>,
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
        let (device, streams) = (Arc::clone(device), Arc::clone(streams));
        let arrivals = Arrivals { device, streams, shape, in_place, free: FreeList::new() };
        for _ in 0..count {
            arrivals.free.home().give(arrivals.arrival()?);
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
        let Some(mut arrival) = self.free.take() else { return self.arrival() };
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
        // SAFETY: the surface is given back after `marks[1]`, and the place is nobody else's.
        unsafe { copy_on_device(&self.device, self.shape, picture.memory(), staged.picture.memory(), upload) }?;
        marks[1].record(upload)?;
        stream.wait_for(&marks[1])?;
        Ok(self.resident(arrival, None))
    }

    fn resident(&self, arrival: Arrival, surface: Option<(DevicePicture, Arc<Stream>)>) -> Resident {
        let (streams, home) = (Arc::clone(&self.streams), self.free.home());
        let held = Held::Arrived { arrival: Some(arrival), surface, streams, home };
        Resident { held, waited: AtomicBool::new(false), measured: Vec::new() }
    }

    /// Host memory that it holds while nothing is in flight.
    pub fn host_bytes(&self) -> usize {
        self.free.sum(|arrival| arrival.staged.as_ref().map_or(0, StagedPicture::host_bytes))
    }
}

/// The samples of a frame on the device, for jobs that read it.
#[derive(Clone)]
pub enum DeviceSamples {
    /// A caller's, who keeps them.
    Given(DevicePlanes),
    Held(Arc<Resident>),
}

impl DeviceSamples {
    /// What a part has made.
    pub fn made(picture: DevicePicture, measured: Vec<Arc<PendingRecord>>) -> DeviceSamples {
        DeviceSamples::Held(Arc::new(Resident { held: Held::Made(picture), waited: AtomicBool::new(true), measured }))
    }

    /// The planes, for kernels, whose stream waits for them.
    ///
    /// # Errors
    /// When the device refuses it.
    pub fn planes(&self) -> Result<DevicePlanes> {
        match self {
            DeviceSamples::Given(planes) => Ok(*planes),
            DeviceSamples::Held(resident) => resident.planes(),
        }
    }

    /// What was measured of the frame, and is in flight.
    pub fn measured(&self) -> &[Arc<PendingRecord>] {
        match self {
            DeviceSamples::Given(_) => &[],
            DeviceSamples::Held(resident) => &resident.measured,
        }
    }
}

/// A frame on the device that goes back to where its memory is from.
pub struct Resident {
    held: Held,
    /// The kernels' stream waits for it already.
    waited: AtomicBool,
    measured: Vec<Arc<PendingRecord>>,
}

#[expect(clippy::large_enum_variant, reason = "nothing is allocated for a frame")]
enum Held {
    Arrived {
        arrival: Option<Arrival>,
        surface: Option<(DevicePicture, Arc<Stream>)>,
        streams: Arc<CudaStreams>,
        home: Home<Arrival>,
    },
    /// A part's result, written and read in the kernels' stream.
    Made(DevicePicture),
}

impl Resident {
    fn planes(&self) -> Result<DevicePlanes> {
        match &self.held {
            Held::Made(picture) => Ok(picture.planes()),
            Held::Arrived { arrival: Some(arrival), surface, streams, .. } => {
                if !self.waited.swap(true, Ordering::Relaxed) {
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
        let Held::Arrived { arrival, surface, streams, home } = &mut self.held else { return };
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
        home.give(arrival);
    }
}

fn nowhere() -> Error {
    Error::internal("a frame has no place on the device")
}
