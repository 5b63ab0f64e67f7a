//! A picture on the device, and copies of host pictures to it and back.

use crate::device::cuda::{CudaDevice, DevicePicture, PinnedAllocator, Stream, is_pinned, is_pinned_at};
use crate::error::{Error, Result};
use crate::video::{Format, MemoryPlanes, Picture, Planes, PlanesMut};

/// A picture on the device, and page-locked memory for host pictures whose own is not.
pub struct StagedPicture {
    pub picture: DevicePicture,
    staging: Option<Picture>,
}

impl StagedPicture {
    pub fn new(device: &CudaDevice, (format, width, height): (Format, usize, usize)) -> Result<StagedPicture> {
        Ok(StagedPicture { picture: DevicePicture::alloc(device, format, width, height)?, staging: None })
    }

    /// Starts the copy of `src` to the device, through page-locked memory if its own is not. `idle` is called before that
    /// memory is written again.
    ///
    /// # Safety
    /// `src` and this place must stay, unchanged, until the copy is done.
    pub unsafe fn upload(
        &mut self,
        device: &CudaDevice,
        src: &Planes<'_>,
        stream: &Stream,
        idle: impl FnOnce() -> Result<()>,
    ) -> Result<()> {
        let format = self.picture.format();
        let memory = src.memory(format).ok_or_else(foreign)?;
        if self.is_within_reach(device, &memory) {
            // SAFETY: the caller's promise.
            return unsafe { self.picture.upload_planes(&memory, stream) };
        }
        idle()?;
        self.staging(device)?.planes_mut().copy_from(src, format);
        let StagedPicture { picture, staging: Some(staging) } = self else { return Err(foreign()) };
        // SAFETY: as above.
        unsafe { picture.upload(staging, stream) }
    }

    /// The same of a picture, which lies in one kind of memory.
    ///
    /// # Safety
    /// As [`StagedPicture::upload`].
    pub unsafe fn upload_picture(
        &mut self,
        device: &CudaDevice,
        src: &Picture,
        stream: &Stream,
        idle: impl FnOnce() -> Result<()>,
    ) -> Result<()> {
        if is_pinned(device, src) {
            // SAFETY: the caller's promise.
            return unsafe { self.picture.upload(src, stream) };
        }
        // SAFETY: as above.
        unsafe { self.upload(device, &src.planes(), stream, idle) }
    }

    /// Starts the copy from the device to `dst`, or to page-locked memory if its own is not: then it gives false.
    ///
    /// # Safety
    /// Both must stay, and `dst` be used by nobody else, until the copy is done.
    pub unsafe fn download(&mut self, device: &CudaDevice, dst: &mut PlanesMut<'_>, stream: &Stream) -> Result<bool> {
        let format = self.picture.format();
        let memory = dst.as_ref().memory(format).ok_or_else(foreign)?;
        if self.is_within_reach(device, &memory) {
            // SAFETY: the caller's promise.
            return unsafe { self.picture.download_planes(&memory, stream) }.map(|()| true);
        }
        self.staging(device)?;
        let StagedPicture { picture, staging: Some(staging) } = self else { return Err(foreign()) };
        // SAFETY: as above.
        unsafe { picture.download(staging, stream) }.map(|()| false)
    }

    /// Whether the device reads and writes all of `memory`, a picture of this place, by itself.
    fn is_within_reach(&self, device: &CudaDevice, memory: &MemoryPlanes) -> bool {
        let size = (self.picture.width(), self.picture.height());
        ends(self.picture.format(), size, memory).flatten().all(|address| is_pinned_at(device, address))
    }

    /// Page-locked memory in which a frame waits.
    pub fn staging(&mut self, device: &CudaDevice) -> Result<&mut Picture> {
        let StagedPicture { picture, staging } = self;
        match staging {
            Some(staging) => Ok(staging),
            None => {
                let (format, width, height) = (picture.format(), picture.width(), picture.height());
                Ok(staging.insert(Picture::alloc_in(&PinnedAllocator::new(device), format, width, height)?))
            }
        }
    }

    /// Host memory it holds.
    pub fn host_bytes(&self) -> usize {
        self.staging.as_ref().and_then(|p| Picture::bytes(p.format(), p.width(), p.height())).unwrap_or(0)
    }
}

pub fn foreign() -> Error {
    Error::internal("a frame is not what the plan says")
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
