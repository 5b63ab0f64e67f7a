//! Pictures in device memory, and copies there and back.

use super::context::Context;
use super::driver::{self, check};
use super::{CudaDevice, DeviceBuffer, Stream, pinned};
use crate::error::{Error, Kind, Result};
use crate::video::{Format, FreeList, Home, MemoryPlanes, Picture, SampleLayout};
use cust::sys::{CUDA_MEMCPY2D, CUmemorytype};
use std::ffi::c_void;
use std::sync::Arc;

/// A component of a picture in device memory, as kernels see it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DevicePlane {
    /// The device's address of the first sample.
    pub address: u64,
    /// Bytes from one row to the next.
    pub pitch: usize,
    /// Samples in a row.
    pub width: usize,
    /// Rows.
    pub height: usize,
    /// How samples are stored.
    pub layout: SampleLayout,
}

/// The components of a picture in device memory, Y, Cb, Cr.
#[derive(Clone, Copy, Debug)]
pub struct DevicePlanes {
    planes: [DevicePlane; 3],
    count: usize,
}

impl DevicePlanes {
    /// Planes made by the caller: one (grey) or three.
    ///
    /// # Panics
    /// When `planes` is empty or longer than three.
    pub fn new(planes: &[DevicePlane]) -> DevicePlanes {
        assert!((1..=3).contains(&planes.len()));
        DevicePlanes { planes: [0, 1, 2].map(|i| planes[planes.len().min(i + 1) - 1]), count: planes.len() }
    }

    /// The components of a picture of this format and size, whose memory planes (address and pitch) are `planes`.
    ///
    /// # Panics
    /// When there are fewer planes than the format has.
    pub fn at(format: Format, width: usize, height: usize, planes: &[(u64, usize)]) -> DevicePlanes {
        let components = [0, 1, 2].map(|component: usize| {
            let component = component.min(format.components() - 1);
            let (plane, offset, layout) = format.component_layout(component);
            let (width, height) = format.component_size(component, width, height);
            let (start, pitch) = planes[plane];
            let address = start + (offset * layout.sample.bytes()) as u64;
            DevicePlane { address, pitch, width, height, layout }
        });
        DevicePlanes { planes: components, count: format.components() }
    }
}

impl std::ops::Deref for DevicePlanes {
    type Target = [DevicePlane];

    fn deref(&self) -> &[DevicePlane] {
        &self.planes[..self.count]
    }
}

impl std::ops::DerefMut for DevicePlanes {
    fn deref_mut(&mut self) -> &mut [DevicePlane] {
        &mut self.planes[..self.count]
    }
}

/// Whose memory a picture lies in.
enum Memory {
    Owned(DeviceBuffer),
    Pooled(PooledBuffer),
    Foreign { context: Arc<Context>, _keep: Box<dyn Send + Sync> },
}

impl Memory {
    /// The buffer, unless the memory is a library's.
    fn buffer(&self) -> Option<&DeviceBuffer> {
        match self {
            Memory::Owned(buffer) => Some(buffer),
            Memory::Pooled(pooled) => Some(pooled.buffer()),
            Memory::Foreign { .. } => None,
        }
    }
}

/// Memory of a pool.
struct PooledBuffer {
    buffer: Option<DeviceBuffer>,
    home: Home<DeviceBuffer>,
}

impl PooledBuffer {
    fn buffer(&self) -> &DeviceBuffer {
        self.buffer.as_ref().expect("it is there until it is dropped")
    }
}

impl Drop for PooledBuffer {
    fn drop(&mut self) {
        if let Some(buffer) = self.buffer.take() {
            self.home.give(buffer);
        }
    }
}

/// A picture in device memory.
pub struct DevicePicture {
    format: Format,
    width: usize,
    height: usize,
    /// Address and pitch of each memory plane.
    planes: [(u64, usize); 3],
    memory: Memory,
}

impl DevicePicture {
    /// Bytes that [`DevicePicture::alloc`] takes, or `None` when they cannot be counted.
    pub fn bytes(format: Format, width: usize, height: usize) -> Option<usize> {
        Picture::bytes(format, width, height)
    }

    /// A picture of its own memory, all zero, rows and planes laid out as in a host [`Picture`].
    ///
    /// # Errors
    /// When the device's memory or the budget does not cover it.
    pub fn alloc(device: &CudaDevice, format: Format, width: usize, height: usize) -> Result<DevicePicture> {
        let buffer = |bytes| DeviceBuffer::new(device, bytes, "frames").map(Memory::Owned);
        DevicePicture::arranged(format, width, height, buffer)
    }

    /// A picture in memory of `free`, which it goes back to, with whatever its last user left; in new memory, all zero, where there
    /// is none.
    ///
    /// # Errors
    /// As [`DevicePicture::alloc`].
    pub(crate) fn pooled(
        device: &CudaDevice,
        format: Format,
        width: usize,
        height: usize,
        free: &FreeList<DeviceBuffer>,
    ) -> Result<DevicePicture> {
        DevicePicture::arranged(format, width, height, |bytes| {
            let buffer = free.take().map_or_else(|| DeviceBuffer::new(device, bytes, "frames"), Ok)?;
            Ok(Memory::Pooled(PooledBuffer { buffer: Some(buffer), home: free.home() }))
        })
    }

    /// A picture in what `memory` makes of so many bytes.
    fn arranged(
        format: Format,
        width: usize,
        height: usize,
        memory: impl FnOnce(usize) -> Result<Memory>,
    ) -> Result<DevicePicture> {
        let (places, total) = Picture::arrange(format, width, height)
            .ok_or_else(|| Error::new(Kind::OutOfMemory, format!("a {width}x{height} picture cannot be addressed")))?;
        let memory = memory(total)?;
        let start = memory.buffer().map_or(0, DeviceBuffer::address);
        let planes = places.map(|(offset, pitch)| (start + offset as u64, pitch));
        Ok(DevicePicture { format, width, height, planes, memory })
    }

    /// A picture of its own memory that holds the samples of `src`.
    ///
    /// # Errors
    /// As [`DevicePicture::alloc`], and when the copy fails.
    pub fn copy_of(device: &CudaDevice, src: &Picture) -> Result<DevicePicture> {
        let picture = Self::alloc(device, src.format(), src.width(), src.height())?;
        let stream = Stream::new(device)?;
        // SAFETY: the copy is waited for, and nobody knows the picture yet.
        unsafe { picture.upload(src, &stream) }?;
        stream.synchronize()?;
        Ok(picture)
    }

    /// A picture in memory that `keep` keeps alive: a decoder's surface. `planes` gives the address and pitch of each
    /// memory plane. Nothing is uploaded to such a picture.
    ///
    /// # Safety
    /// Each plane must be readable by `device` for `format`, `width` and `height`, and stay unchanged until `keep` is
    /// dropped.
    ///
    /// # Panics
    /// When there are fewer planes than the format has.
    pub unsafe fn foreign(
        device: &CudaDevice,
        format: Format,
        width: usize,
        height: usize,
        planes: &[(u64, usize)],
        keep: Box<dyn Send + Sync>,
    ) -> DevicePicture {
        assert!(planes.len() >= format.planes());
        let at = |i: usize| *planes.get(i).unwrap_or(&planes[0]);
        let memory = Memory::Foreign { context: Arc::clone(device.context()), _keep: keep };
        DevicePicture { format, width, height, planes: [at(0), at(1), at(2)], memory }
    }

    /// Sample format.
    pub fn format(&self) -> Format {
        self.format
    }

    /// Luma width.
    pub fn width(&self) -> usize {
        self.width
    }

    /// Luma height.
    pub fn height(&self) -> usize {
        self.height
    }

    /// The device's address and the pitch of memory plane `plane`.
    ///
    /// # Panics
    /// When there is no such plane.
    pub fn plane(&self, plane: usize) -> (u64, usize) {
        assert!(plane < self.format.planes());
        self.planes[plane]
    }

    /// The same of every memory plane. What stands behind those of the format means nothing.
    pub fn memory(&self) -> &[(u64, usize)] {
        &self.planes
    }

    /// The components, for kernels.
    pub fn planes(&self) -> DevicePlanes {
        DevicePlanes::at(self.format, self.width, self.height, &self.planes)
    }

    /// Puts zeros into all of a picture of its own memory, in `stream`.
    ///
    /// # Errors
    /// When the device refuses it.
    ///
    /// # Panics
    /// When the picture is a library's.
    pub fn clear(&self, stream: &Stream) -> Result<()> {
        let Some(buffer) = self.memory.buffer() else { panic!("a library's picture is only read") };
        self.context().enter()?;
        // SAFETY: the buffer has this size, and is freed only after the stream has been waited for.
        let code = unsafe { driver::cuMemsetD8Async(buffer.address(), 0, buffer.bytes(), stream.as_raw()) };
        check(code, "clearing GPU memory")
    }

    fn context(&self) -> &Context {
        match &self.memory {
            Memory::Owned(buffer) => buffer.context(),
            Memory::Pooled(pooled) => pooled.buffer().context(),
            Memory::Foreign { context, .. } => context,
        }
    }

    fn assert_same_shape(&self, host: &Picture) {
        let shape = |format: Format, width, height| (format, width, height);
        assert_eq!(
            shape(self.format, self.width, self.height),
            shape(host.format(), host.width(), host.height()),
            "a copy between pictures of different shapes"
        );
    }

    /// Puts a copy of `src` to this picture into `stream`.
    ///
    /// # Errors
    /// When the copy is refused.
    ///
    /// # Safety
    /// `src` must live, unchanged, until the copy is done, and nothing else may use this picture meanwhile.
    ///
    /// # Panics
    /// When the pictures differ in shape, or this one is a library's.
    pub unsafe fn upload(&self, src: &Picture, stream: &Stream) -> Result<()> {
        self.assert_same_shape(src);
        let Some(buffer) = self.memory.buffer() else { panic!("a library's picture is only read") };
        self.context().enter()?;
        if let Some(block) = src.block() {
            // SAFETY: the pictures have one arrangement, so the blocks have one size; the caller keeps both alive.
            let code = unsafe {
                driver::cuMemcpyHtoDAsync_v2(buffer.address(), block.as_ptr().cast(), block.len(), stream.as_raw())
            };
            return check(code, "uploading a frame");
        }
        // SAFETY: the picture's planes hold their rows, and the caller keeps them.
        unsafe { self.upload_planes(&src.memory(), stream) }
    }

    /// The same from memory planes, such as a caller's.
    ///
    /// # Errors
    /// When the copy is refused.
    ///
    /// # Safety
    /// As [`DevicePicture::upload`]; every plane must hold the rows of a picture of this format and size.
    pub unsafe fn upload_planes(&self, src: &MemoryPlanes, stream: &Stream) -> Result<()> {
        self.context().enter()?;
        for (plane, (host, host_pitch)) in src.iter().enumerate().take(self.format.planes()) {
            let (device, pitch) = self.planes[plane];
            let copy = CUDA_MEMCPY2D {
                srcMemoryType: CUmemorytype::CU_MEMORYTYPE_HOST,
                srcHost: host.as_ptr().cast(),
                srcPitch: *host_pitch,
                dstMemoryType: CUmemorytype::CU_MEMORYTYPE_DEVICE,
                dstDevice: device,
                dstPitch: pitch,
                ..self.rows(plane)
            };
            // SAFETY: both planes hold these rows; the caller keeps both alive.
            check(unsafe { driver::cuMemcpy2DAsync_v2(&copy, stream.as_raw()) }, "uploading a frame")?;
        }
        Ok(())
    }

    /// Puts a copy of this picture to `dst` into `stream`.
    ///
    /// # Errors
    /// When the copy is refused.
    ///
    /// # Safety
    /// Both pictures must live until the copy is done, and nothing else may use `dst` or change this one meanwhile.
    ///
    /// # Panics
    /// When the pictures differ in shape, or `dst` is a library's.
    pub unsafe fn download(&self, dst: &mut Picture, stream: &Stream) -> Result<()> {
        self.assert_same_shape(dst);
        self.context().enter()?;
        if let (Some(buffer), Some(block)) = (self.memory.buffer(), dst.block_mut()) {
            // SAFETY: as in `upload`.
            let code = unsafe {
                driver::cuMemcpyDtoHAsync_v2(block.as_mut_ptr().cast(), buffer.address(), block.len(), stream.as_raw())
            };
            return check(code, "downloading a frame");
        }
        // SAFETY: the picture's planes hold their rows, and the caller keeps them.
        unsafe { self.download_planes(&dst.memory(), stream) }
    }

    /// A copy on the host, of what `stream` leaves here.
    ///
    /// # Errors
    /// When there is no memory for it, or the device has failed.
    pub fn read(&self, stream: &Stream) -> Result<Picture> {
        let mut copy = Picture::alloc(self.format, self.width, self.height)?;
        // SAFETY: both live until the stream has been waited for; nobody else has the copy.
        let put = unsafe { self.download(&mut copy, stream) };
        put.and(stream.synchronize())?;
        Ok(copy)
    }

    /// The same to memory planes, such as a caller's.
    ///
    /// # Errors
    /// When the copy is refused.
    ///
    /// # Safety
    /// As [`DevicePicture::download`]; every plane must have room for the rows of a picture of this format and size.
    pub unsafe fn download_planes(&self, dst: &MemoryPlanes, stream: &Stream) -> Result<()> {
        self.context().enter()?;
        for (plane, (host, host_pitch)) in dst.iter().enumerate().take(self.format.planes()) {
            let (device, pitch) = self.planes[plane];
            let copy = CUDA_MEMCPY2D {
                srcMemoryType: CUmemorytype::CU_MEMORYTYPE_DEVICE,
                srcDevice: device,
                srcPitch: pitch,
                dstMemoryType: CUmemorytype::CU_MEMORYTYPE_HOST,
                dstHost: host.as_ptr().cast::<c_void>(),
                dstPitch: *host_pitch,
                ..self.rows(plane)
            };
            // SAFETY: both planes hold these rows; the caller keeps both alive.
            check(unsafe { driver::cuMemcpy2DAsync_v2(&copy, stream.as_raw()) }, "downloading a frame")?;
        }
        Ok(())
    }

    /// A copy of plane `plane` from nowhere to nowhere.
    fn rows(&self, plane: usize) -> CUDA_MEMCPY2D {
        let (row_bytes, rows) = self.format.plane_size(plane, self.width, self.height);
        CUDA_MEMCPY2D { WidthInBytes: row_bytes, Height: rows, ..empty_copy() }
    }
}

/// A copy of nothing, whose fields the callers fill.
fn empty_copy() -> CUDA_MEMCPY2D {
    CUDA_MEMCPY2D {
        srcXInBytes: 0,
        srcY: 0,
        srcMemoryType: CUmemorytype::CU_MEMORYTYPE_HOST,
        srcHost: std::ptr::null(),
        srcDevice: 0,
        srcArray: std::ptr::null_mut(),
        srcPitch: 0,
        dstXInBytes: 0,
        dstY: 0,
        dstMemoryType: CUmemorytype::CU_MEMORYTYPE_HOST,
        dstHost: std::ptr::null_mut(),
        dstDevice: 0,
        dstArray: std::ptr::null_mut(),
        dstPitch: 0,
        WidthInBytes: 0,
        Height: 0,
    }
}

/// Whether copies from `picture` run at full speed and beside the host: its memory is page-locked.
pub fn is_pinned(device: &CudaDevice, picture: &Picture) -> bool {
    is_pinned_at(device, picture.plane(0).0)
}

/// Whether the memory at `address` is page-locked.
pub fn is_pinned_at(device: &CudaDevice, address: *const u8) -> bool {
    pinned::is_pinned(device.context(), address)
}

/// Puts a copy of a picture of this format and size, which lies at the memory planes `src` (address and pitch), to those
/// of `dst` into `stream`.
///
/// # Errors
/// When the copy is refused.
///
/// # Safety
/// Both must be memory of `device` with the rows of such a picture until the copy is done; nobody else may use `dst`, or
/// change `src`, meanwhile.
pub unsafe fn copy_on_device(
    device: &CudaDevice,
    (format, width, height): (Format, usize, usize),
    src: &[(u64, usize)],
    dst: &[(u64, usize)],
    stream: &Stream,
) -> Result<()> {
    device.context().enter()?;
    for (plane, (from, to)) in src.iter().zip(dst).enumerate().take(format.planes()) {
        let (row_bytes, rows) = format.plane_size(plane, width, height);
        let copy = CUDA_MEMCPY2D {
            srcMemoryType: CUmemorytype::CU_MEMORYTYPE_DEVICE,
            srcDevice: from.0,
            srcPitch: from.1,
            dstMemoryType: CUmemorytype::CU_MEMORYTYPE_DEVICE,
            dstDevice: to.0,
            dstPitch: to.1,
            WidthInBytes: row_bytes,
            Height: rows,
            ..empty_copy()
        };
        // SAFETY: the caller vouches for both.
        check(unsafe { driver::cuMemcpy2DAsync_v2(&copy, stream.as_raw()) }, "copying on the GPU")?;
    }
    Ok(())
}
