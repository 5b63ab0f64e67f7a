//! One side of a chain: how a host's pictures lie there, and how planes of float are converted.

use super::HostPlane;
use super::storage::{Pixels, Storage, memory_plane};
use crate::editor::conversion::Conversion;
use crate::editor::image::{Image, RectI};
use crate::float::FloatScale;
use std::ptr::NonNull;
use std::slice;
use vramp::error::{Error, Result};
use vramp::video::{MemoryPlanes, Picture, PicturePool, Planes, StreamInfo};

/// One side of a chain: the host's pictures there.
pub struct HostPort {
    pub(super) storage: Storage,
    pub(super) stream: StreamInfo,
    /// Where pictures are converted to and from.
    pub(super) pool: Option<PicturePool>,
    /// What converts pixels of RGBA.
    pub(super) conversion: Option<Conversion>,
}

impl HostPort {
    /// The port to a stream whose pictures the host stores as `storage`.
    ///
    /// # Errors
    /// When the pictures are too large to be addressed.
    pub(super) fn new(storage: Storage, stream: &StreamInfo) -> Result<HostPort> {
        let pool = || PicturePool::new(0, storage.format(), stream.width, stream.height);
        let pool = if matches!(storage, Storage::Plain(_)) { None } else { Some(pool()?) };
        let conversion = match storage {
            Storage::Rgba(pixels) => Some(Conversion::new(pixels.depth, pixels.colours, [stream, stream], false)),
            Storage::Plain(_) | Storage::Float(_) => None,
        };
        Ok(HostPort { storage, stream: stream.clone(), pool, conversion })
    }

    /// How the host stores its pictures.
    pub fn storage(&self) -> Storage {
        self.storage
    }

    /// The stream behind the port.
    pub fn stream(&self) -> &StreamInfo {
        &self.stream
    }

    fn plane_size(&self, plane: usize) -> (usize, usize) {
        self.storage.plane_size(plane, self.stream.width, self.stream.height)
    }

    /// Refuses planes that cannot hold a picture, and gives those that there are.
    ///
    /// # Errors
    /// With the plane and what is wrong with it.
    pub(super) fn check<'p>(&self, planes: &'p [HostPlane]) -> Result<&'p [HostPlane]> {
        let (count, align) = (self.storage.planes(), self.storage.sample_bytes());
        let wrong = |plane: usize, why: String| Err(Error::bad_argument(format!("plane {plane} {why}")));
        if planes.len() < count {
            return wrong(planes.len(), "is missing".to_owned());
        }
        for (plane, (start, pitch)) in planes[..count].iter().enumerate() {
            let (row, _) = self.plane_size(plane);
            if start.is_null() {
                return wrong(plane, "is NULL".to_owned());
            }
            let step = pitch.unsigned_abs();
            if step < row || step > i32::MAX as usize || *pitch < 0 && !self.storage.takes_either_order() {
                return wrong(plane, format!("has a pitch of {pitch} bytes: a row is {row} bytes long"));
            }
            if !start.addr().is_multiple_of(align) || !step.is_multiple_of(align) {
                return wrong(plane, format!("and its pitch must be multiples of {align} bytes, a sample's size"));
            }
            if self.lowest(plane, (*start, *pitch)).and_then(|low| low.checked_add(self.bytes(plane, step))).is_none() {
                return wrong(plane, "reaches beyond the end of memory".to_owned());
            }
        }
        Ok(&planes[..count])
    }

    /// Bytes from the lowest to the highest of a plane.
    fn bytes(&self, plane: usize, step: usize) -> usize {
        let (row, rows) = self.plane_size(plane);
        (rows - 1) * step + row
    }

    /// The lowest address of a plane, if there is such an address.
    fn lowest(&self, plane: usize, (start, pitch): HostPlane) -> Option<usize> {
        let above = if pitch < 0 { self.plane_size(plane).1 - 1 } else { 0 };
        start.addr().checked_sub(above * pitch.unsigned_abs())
    }

    /// The addresses of each plane, which were looked at.
    pub(super) fn spans<'p>(&'p self, planes: &'p [HostPlane]) -> impl Iterator<Item = (usize, usize)> + 'p {
        planes.iter().enumerate().map(|(i, plane)| {
            let low = self.lowest(i, *plane).unwrap_or(0);
            (low, low + self.bytes(i, plane.1.unsigned_abs()))
        })
    }

    /// The host's pixels of RGBA as an image, whose rows count from the bottom; `what` names it in errors.
    pub(super) fn image(&self, plane: HostPlane, pixels: Pixels, what: &str) -> Result<Image> {
        let (start, pitch) = plane;
        let StreamInfo { width, height, .. } = self.stream;
        let bounds = RectI { x1: 0, y1: 0, x2: width as i32, y2: height as i32 };
        let bottom = start.wrapping_offset(pitch * (height as isize - 1));
        Image::new((bottom, -pitch), bounds, pixels.depth, pixels.is_premultiplied, what)
    }

    /// The host's planes as the chain orders them.
    pub(super) fn memory(&self, planes: &[HostPlane]) -> MemoryPlanes {
        let mut memory = [(NonNull::dangling(), 0); 3];
        for (plane, (start, pitch)) in planes.iter().enumerate() {
            if let Some(start) = NonNull::new(*start) {
                memory[memory_plane(self.storage.format(), plane)] = (start, pitch.unsigned_abs());
            }
        }
        memory
    }

    /// The host's picture as it lies.
    ///
    /// # Safety
    /// The planes must be readable for such a picture, and stay so.
    pub(super) unsafe fn view<'a>(&self, planes: &[HostPlane]) -> Planes<'a> {
        let StreamInfo { width, height, .. } = self.stream;
        let planes = &planes[..self.storage.planes()];
        // SAFETY: the caller's promise, unchanged.
        unsafe { Planes::at(self.storage.format(), width, height, &self.memory(planes)) }
    }

    /// Converts the host's planes of float.
    ///
    /// # Safety
    /// The planes must be readable for such a picture.
    pub(super) unsafe fn float_in(&self, planes: &[HostPlane], picture: &mut Picture) {
        let mut views = picture.planes_mut();
        for (component, plane) in planes.iter().enumerate().take(views.len()) {
            let view = views.get_mut(component);
            let (width, height) = (view.width(), view.height());
            let scale = FloatScale::of(&self.stream, component);
            for y in 0..height {
                // SAFETY: the caller's promise.
                scale.to_16_bits(unsafe { row(*plane, y, width) }, view.row_u16_mut(y));
            }
        }
    }

    /// Converts to the host's planes of float; `src` is the host's source, and `carried` what became of it where its values
    /// beyond 16 bits are kept.
    ///
    /// # Safety
    /// The planes must be readable and writable for such pictures.
    pub(super) unsafe fn float_out(
        &self,
        picture: &Picture,
        src: &[HostPlane],
        carried: Option<&Picture>,
        planes: &[HostPlane],
    ) {
        let views = picture.planes();
        let carried = carried.map(Picture::planes);
        for (component, view) in views.iter().enumerate() {
            let scale = FloatScale::of(&self.stream, component);
            for y in 0..view.height() {
                // SAFETY: the caller's promise.
                let to = unsafe { row_mut(planes[component], y, view.width()) };
                match &carried {
                    None => scale.from_16_bits(view.row_u16(y), to),
                    Some(before) => {
                        // SAFETY: as above; source and target do not overlap.
                        let origin = unsafe { row(src[component], y, view.width()) };
                        scale.carry(origin, before[component].row_u16(y), view.row_u16(y), to);
                    }
                }
            }
        }
    }
}

/// Row `y` of a host's plane.
///
/// # Safety
/// The row must hold `count` samples, aligned, that nobody writes to.
unsafe fn row<'a, T>((start, pitch): HostPlane, y: usize, count: usize) -> &'a [T] {
    // SAFETY: the caller's promise, unchanged.
    unsafe { slice::from_raw_parts(start.offset(y as isize * pitch).cast(), count) }
}

/// The same, to write.
///
/// # Safety
/// As [`row`], and nobody else may use it.
unsafe fn row_mut<'a, T>((start, pitch): HostPlane, y: usize, count: usize) -> &'a mut [T] {
    // SAFETY: the caller's promise, unchanged.
    unsafe { slice::from_raw_parts_mut(start.offset(y as isize * pitch).cast(), count) }
}
