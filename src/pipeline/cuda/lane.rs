//! One frame at a time through a CUDA device, in a stream of its own. Lanes that work at the same time overlap.

use super::{Between, Kernel, kernels, only_part};
use crate::device::cuda::{CudaDevice, DevicePicture, DevicePlanes, Event, PinnedAllocator, Stream, is_pinned_at};
use crate::error::{Error, Result};
use crate::filters::CudaJob;
use crate::pipeline::Plan;
use crate::video::{Format, FrameProps, MemoryPlanes, Picture, Planes, PlanesMut};
use std::sync::Arc;

/// A picture on the device, and page-locked memory for frames whose own is not.
struct Place {
    picture: DevicePicture,
    staging: Option<Picture>,
}

/// Kernels, the pictures between them, and the stream in which all frames of the lane come.
pub struct Lane {
    /// First, so that nothing is freed before it has been waited for.
    stream: Waited,
    device: Arc<CudaDevice>,
    kernels: Vec<Kernel>,
    between: Between,
    /// Where frames of the host go to and come from; made with the first of them.
    places: Option<[Place; 2]>,
    shapes: [(Format, (usize, usize)); 2],
    arrived: Event,
    done: Event,
}

/// A stream whose work is waited for when it is dropped.
struct Waited(Stream);

impl Drop for Waited {
    fn drop(&mut self) {
        if let Err(error) = self.0.synchronize() {
            log::debug!("{error}");
        }
    }
}

impl Lane {
    /// A lane for `plan` on `device`.
    ///
    /// # Errors
    /// When a filter does not run on CUDA, the driver cannot compile it, or memory runs out.
    pub fn new(plan: &Plan, device: &Arc<CudaDevice>) -> Result<Lane> {
        Ok(Lane {
            stream: Waited(Stream::new(device)?),
            device: Arc::clone(device),
            kernels: kernels(plan, device)?,
            between: Between::new(plan, only_part(plan)?.ok_or_else(stranger)?, device)?,
            places: None,
            shapes: [&plan.input, &plan.output].map(|info| (info.format, (info.width, info.height))),
            arrived: Event::new(device)?,
            done: Event::new(device)?,
        })
    }

    /// Makes what frames of the host need.
    ///
    /// # Errors
    /// When memory runs out.
    pub fn prepare(&mut self) -> Result<()> {
        if self.places.is_none() {
            let [input, output] = self.shapes.map(|(format, size)| Place::new(&self.device, format, size));
            self.places = Some([input?, output?]);
        }
        Ok(())
    }

    /// Filters `src` into `dst`, both in host memory, and waits for the result. After an error, too, the device uses
    /// neither any more.
    ///
    /// # Errors
    /// When the device fails or memory runs out.
    pub fn process(&mut self, props: &FrameProps, src: &Planes<'_>, dst: &mut PlanesMut<'_>) -> Result<()> {
        let done = self.prepare().and_then(|()| self.there_and_back(props, src, dst));
        if done.is_err() {
            // A device that failed uses nothing either.
            let _ = self.stream.0.synchronize();
        }
        done
    }

    fn there_and_back(&mut self, props: &FrameProps, src: &Planes<'_>, dst: &mut PlanesMut<'_>) -> Result<()> {
        let Lane { stream: Waited(stream), device, kernels, between, places, done, .. } = self;
        let Some([input, output]) = places else { return Err(Error::internal("a lane is not prepared")) };
        // SAFETY: what the copies use is borrowed, or the lane's, until the stream has been waited for, here or in `process`.
        let straight = unsafe {
            input.upload(device, src, stream)?;
            enqueue(kernels, between, props, [&input.picture.planes(), &output.picture.planes()], stream)?;
            output.download(device, dst, stream)?
        };
        done.record(stream)?;
        done.synchronize()?;
        if !straight {
            let format = output.picture.format();
            dst.copy_from(&output.staging(device)?.planes(), format);
        }
        Ok(())
    }

    /// Puts the work from `src` to `dst`, both on the device, into the order of the caller's stream.
    ///
    /// # Errors
    /// When the device refuses it.
    ///
    /// # Safety
    /// The planes must be memory of the device until the work is done; nobody else may write to `src`, or use `dst`,
    /// meanwhile.
    pub unsafe fn process_device(
        &mut self,
        props: &FrameProps,
        src: &DevicePlanes,
        dst: &DevicePlanes,
        order: &Stream,
    ) -> Result<()> {
        let stream = &self.stream.0;
        self.arrived.record(order)?;
        stream.wait_for(&self.arrived)?;
        enqueue(&mut self.kernels, &self.between, props, [src, dst], stream)?;
        self.done.record(stream)?;
        order.wait_for(&self.done)
    }
}

impl Place {
    fn new(device: &CudaDevice, format: Format, (width, height): (usize, usize)) -> Result<Place> {
        Ok(Place { picture: DevicePicture::alloc(device, format, width, height)?, staging: None })
    }

    /// Starts the copy of `src` to the device, by way of page-locked memory if its own is not.
    ///
    /// # Safety
    /// Both must stay, unchanged, until the copy is done.
    unsafe fn upload(&mut self, device: &CudaDevice, src: &Planes<'_>, stream: &Stream) -> Result<()> {
        let format = self.picture.format();
        let memory = src.memory(format).ok_or_else(stranger)?;
        if self.is_within_reach(device, &memory) {
            // SAFETY: the caller's promise.
            return unsafe { self.picture.upload_planes(&memory, stream) };
        }
        self.staging(device)?.planes_mut().copy_from(src, format);
        let Place { picture, staging: Some(staging) } = self else { return Err(stranger()) };
        // SAFETY: as above.
        unsafe { picture.upload(staging, stream) }
    }

    /// Starts the copy from the device to `dst`, or to page-locked memory if its own is not: then it gives false.
    ///
    /// # Safety
    /// Both must stay, and `dst` be used by nobody else, until the copy is done.
    unsafe fn download(&mut self, device: &CudaDevice, dst: &mut PlanesMut<'_>, stream: &Stream) -> Result<bool> {
        let format = self.picture.format();
        let memory = dst.as_ref().memory(format).ok_or_else(stranger)?;
        if self.is_within_reach(device, &memory) {
            // SAFETY: the caller's promise.
            return unsafe { self.picture.download_planes(&memory, stream) }.map(|()| true);
        }
        self.staging(device)?;
        let Place { picture, staging: Some(staging) } = self else { return Err(stranger()) };
        // SAFETY: as above.
        unsafe { picture.download(staging, stream) }.map(|()| false)
    }

    /// Whether the device reads and writes all of `memory`, a picture of this place, by itself.
    fn is_within_reach(&self, device: &CudaDevice, memory: &MemoryPlanes) -> bool {
        let size = (self.picture.width(), self.picture.height());
        ends(self.picture.format(), size, memory).flatten().all(|address| is_pinned_at(device, address))
    }

    /// Page-locked memory in which a frame waits.
    fn staging(&mut self, device: &CudaDevice) -> Result<&mut Picture> {
        let Place { picture, staging } = self;
        match staging {
            Some(staging) => Ok(staging),
            None => {
                let (format, width, height) = (picture.format(), picture.width(), picture.height());
                Ok(staging.insert(Picture::alloc_in(&PinnedAllocator::new(device), format, width, height)?))
            }
        }
    }
}

fn stranger() -> Error {
    Error::internal("a frame is not what the plan says")
}

/// Puts the kernels from `src` to `dst` into `stream`.
fn enqueue(
    kernels: &mut [Kernel],
    between: &Between,
    props: &FrameProps,
    [src, dst]: [&DevicePlanes; 2],
    stream: &Stream,
) -> Result<()> {
    for (i, kernel) in kernels.iter_mut().enumerate() {
        let done = between.with_planes(i, &[&[*src]], dst, |src, dst| {
            kernel.work.enqueue(&CudaJob { props, phase: 0, src, dst, record: 0, stream })
        });
        done.map_err(|e| e.context(format_args!("frame {}: {}", props.frame_index, kernel.filter)))?;
    }
    Ok(())
}

/// The first and the last byte of each plane: a plane may begin in page-locked memory and leave it.
fn ends(
    format: Format,
    (width, height): (usize, usize),
    memory: &MemoryPlanes,
) -> impl Iterator<Item = [*const u8; 2]> {
    memory.iter().take(format.planes()).enumerate().map(move |(plane, (start, pitch))| {
        let (row, rows) = format.plane_size(plane, width, height);
        let first = start.as_ptr().cast_const();
        [first, first.wrapping_add((rows - 1) * pitch + row - 1)]
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::ptr::NonNull;

    #[test]
    fn a_plane_ends_with_its_last_row() {
        let mut block = [0u8; 4096];
        let mut at = |offset: usize, pitch| (NonNull::from(&mut block[offset]), pitch);
        let memory = [at(0, 64), at(1000, 32), at(2000, 48)];
        let ends_of = |format: &str, width, height| {
            let offset = |end: *const u8| end.addr() - memory[0].0.addr().get();
            let ends = ends(format.parse().unwrap(), (width, height), &memory);
            ends.map(|plane| plane.map(offset)).collect::<Vec<_>>()
        };
        // Odd sizes: 17x7, and chroma of 9x4.
        assert_eq!(ends_of("yuv420p", 17, 7), [[0, 6 * 64 + 16], [1000, 1000 + 3 * 32 + 8], [2000, 2000 + 3 * 48 + 8]]);
        assert_eq!(ends_of("p010", 8, 2), [[0, 64 + 15], [1000, 1000 + 15]]);
        assert_eq!(ends_of("gray8", 1, 1), [[0, 0]]);
    }
}
