//! Pictures in host memory: owned, pooled, or borrowed from a library that counts references.

use crate::error::{Error, Kind, Result};
use crate::video::free::{FreeList, Home};
use crate::video::memory::{ALIGN, Block, Heap, HostAllocator};
use crate::video::{Format, MemoryPlanes, PlaneMut, PlaneRef};
use std::fmt;
use std::ptr::NonNull;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// The most components a picture has.
const MAX_COMPONENTS: usize = 3;

/// Read views of a picture's components, Y, Cb, Cr.
#[derive(Clone, Copy, Debug)]
pub struct Planes<'a> {
    views: [PlaneRef<'a>; MAX_COMPONENTS],
    count: usize,
}

impl<'a> std::ops::Deref for Planes<'a> {
    type Target = [PlaneRef<'a>];

    fn deref(&self) -> &Self::Target {
        &self.views[..self.count]
    }
}

impl<'a> Planes<'a> {
    /// Views made by the caller: one (grey) or three.
    ///
    /// # Panics
    /// When `views` is empty or longer than three.
    pub fn new(views: &[PlaneRef<'a>]) -> Self {
        assert!((1..=MAX_COMPONENTS).contains(&views.len()));
        let at = |i: usize| views[i.min(views.len() - 1)];
        Self { views: [at(0), at(1), at(2)], count: views.len() }
    }

    /// What `view` makes of each.
    pub(crate) fn map(&self, view: impl Fn(&PlaneRef<'a>) -> PlaneRef<'a>) -> Planes<'a> {
        Self { views: self.views.each_ref().map(view), count: self.count }
    }
}

/// Write views of a picture's components, Y, Cb, Cr.
#[derive(Debug)]
pub struct PlanesMut<'a> {
    views: [Option<PlaneMut<'a>>; MAX_COMPONENTS],
    count: usize,
}

impl<'a> PlanesMut<'a> {
    /// Views made by the caller: one (grey) or three.
    ///
    /// # Panics
    /// When there are none or more than three.
    pub fn new(views: impl IntoIterator<Item = PlaneMut<'a>>) -> Self {
        let mut planes = Self { views: [None, None, None], count: 0 };
        for view in views {
            planes.views[planes.count] = Some(view);
            planes.count += 1;
        }
        assert!(planes.count > 0);
        planes
    }

    /// Number of components.
    #[allow(clippy::len_without_is_empty)]
    pub fn len(&self) -> usize {
        self.count
    }

    /// The view of component `component`.
    pub fn get(&self, component: usize) -> &PlaneMut<'a> {
        self.views[component].as_ref().expect("component exists")
    }

    /// The views of all components, to write, for a shorter time.
    pub fn each_mut(&mut self) -> impl Iterator<Item = PlaneMut<'_>> {
        self.views.iter_mut().flatten().map(PlaneMut::reborrow)
    }

    /// The views of all components.
    pub fn into_views(self) -> impl Iterator<Item = PlaneMut<'a>> {
        self.views.into_iter().flatten()
    }

    /// The view of component `component`, to write.
    pub fn get_mut(&mut self, component: usize) -> &mut PlaneMut<'a> {
        self.views[component].as_mut().expect("component exists")
    }
}

/// Whose memory a picture lies in.
enum Memory {
    Owned { block: Block },
    Pooled { block: Option<Block>, home: Home<Block> },
    Foreign { _keep: Box<dyn Send + Sync> },
}

/// A picture in host memory. Dropping it frees the memory, returns it to its pool, or releases the library's reference.
pub struct Picture {
    format: Format,
    width: usize,
    height: usize,
    planes: MemoryPlanes,
    memory: Memory,
}

// SAFETY: the plane pointers lie in `memory`, which is Send.
unsafe impl Send for Picture {}
// SAFETY: shared access only reads.
unsafe impl Sync for Picture {}

impl fmt::Debug for Picture {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Picture({} {}x{})", self.format, self.width, self.height)
    }
}

impl Picture {
    /// Byte offset and pitch of each memory plane, and the bytes of the whole picture; `None` when they cannot be
    /// counted. Pictures on a device are arranged alike, so that one copies to the other in one piece.
    pub fn arrange(format: Format, width: usize, height: usize) -> Option<([(usize, usize); MAX_COMPONENTS], usize)> {
        let mut planes = [(0, 0); MAX_COMPONENTS];
        let mut total = 0usize;
        for (plane, place) in planes.iter_mut().enumerate().take(format.planes()) {
            let (row, rows) = format.plane_size(plane, width, height);
            let pitch = row.checked_next_multiple_of(ALIGN)?;
            *place = (total, pitch);
            total = total.checked_add(pitch.checked_mul(rows)?)?;
        }
        Some((planes, total))
    }

    /// Bytes that [`Picture::alloc`] takes for this shape, or `None` when they cannot be counted.
    pub fn bytes(format: Format, width: usize, height: usize) -> Option<usize> {
        Self::arrange(format, width, height).map(|(_, total)| total)
    }

    /// A picture of its own memory, all zero, rows aligned to 64 bytes.
    pub fn alloc(format: Format, width: usize, height: usize) -> Result<Picture> {
        Self::alloc_in(&Heap, format, width, height)
    }

    /// The same in `allocator`'s memory.
    ///
    /// # Errors
    /// When memory runs out.
    pub fn alloc_in(allocator: &dyn HostAllocator, format: Format, width: usize, height: usize) -> Result<Picture> {
        let total = Self::bytes(format, width, height)
            .ok_or_else(|| Error::new(Kind::OutOfMemory, format!("a {width}x{height} picture cannot be addressed")))?;
        let block = Block::new(allocator, total)?;
        let start = block.start();
        Ok(Self::inside(format, width, height, start, Memory::Owned { block }))
    }

    fn inside(format: Format, width: usize, height: usize, start: NonNull<u8>, memory: Memory) -> Picture {
        let (places, _) = Self::arrange(format, width, height).expect("counted when the block was made");
        // SAFETY: every offset is inside the block, whose size `arrange` gave.
        let planes = places.map(|(offset, pitch)| (unsafe { start.add(offset) }, pitch));
        Picture { format, width, height, planes, memory }
    }

    /// A picture in memory that `keep` keeps alive: `planes` gives the address and pitch of each memory plane.
    /// Such a picture is read only.
    ///
    /// # Safety
    /// Each plane must be readable for `format`, `width` and `height`, and stay unchanged until `keep` is dropped.
    ///
    /// # Panics
    /// When there are fewer planes than the format has.
    pub unsafe fn foreign(
        format: Format,
        width: usize,
        height: usize,
        planes: &[(NonNull<u8>, usize)],
        keep: Box<dyn Send + Sync>,
    ) -> Picture {
        assert!(planes.len() >= format.planes());
        let at = |i: usize| *planes.get(i).unwrap_or(&planes[0]);
        Picture { format, width, height, planes: [at(0), at(1), at(2)], memory: Memory::Foreign { _keep: keep } }
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

    /// Address and pitch of memory plane `plane`.
    pub fn plane(&self, plane: usize) -> (*const u8, usize) {
        assert!(plane < self.format.planes());
        (self.planes[plane].0.as_ptr(), self.planes[plane].1)
    }

    /// The memory planes.
    pub fn memory(&self) -> MemoryPlanes {
        self.planes
    }

    /// The one block that holds every plane, padding included; `None` when the memory is a library's.
    pub fn block(&self) -> Option<&[u8]> {
        match &self.memory {
            Memory::Owned { block } | Memory::Pooled { block: Some(block), .. } => Some(block.as_slice()),
            _ => None,
        }
    }

    /// The same, to write.
    pub fn block_mut(&mut self) -> Option<&mut [u8]> {
        match &mut self.memory {
            Memory::Owned { block } | Memory::Pooled { block: Some(block), .. } => Some(block.as_mut_slice()),
            _ => None,
        }
    }

    /// The bytes of row `y` of memory plane `plane`, without padding.
    pub fn row_bytes(&self, plane: usize, y: usize) -> &[u8] {
        let (row, rows) = self.format.plane_size(plane, self.width, self.height);
        assert!(plane < self.format.planes() && y < rows);
        let (start, pitch) = self.planes[plane];
        // SAFETY: the row is inside the plane by the assertion, and the picture borrows its memory.
        unsafe { std::slice::from_raw_parts(start.as_ptr().add(y * pitch), row) }
    }

    /// The bytes of row `y` of memory plane `plane`, to write.
    ///
    /// # Panics
    /// When the picture is a library's (read only).
    pub fn row_bytes_mut(&mut self, plane: usize, y: usize) -> &mut [u8] {
        assert!(!matches!(self.memory, Memory::Foreign { .. }), "a library's picture is read only");
        let len = self.row_bytes(plane, y).len();
        let (start, pitch) = self.planes[plane];
        // SAFETY: `row_bytes` checked the row; the memory is ours and borrowed exclusively.
        unsafe { std::slice::from_raw_parts_mut(start.as_ptr().add(y * pitch), len) }
    }

    /// Read views of the components.
    pub fn planes(&self) -> Planes<'_> {
        // SAFETY: the picture's memory covers every component of its format and outlives the borrow.
        unsafe { Planes::at(self.format, self.width, self.height, &self.planes) }
    }

    /// Write views of the components.
    ///
    /// # Panics
    /// When the picture is a library's (read only).
    pub fn planes_mut(&mut self) -> PlanesMut<'_> {
        assert!(!matches!(self.memory, Memory::Foreign { .. }), "a library's picture is read only");
        // SAFETY: the memory is ours and borrowed exclusively.
        unsafe { PlanesMut::at(self.format, self.width, self.height, &self.planes) }
    }
}

impl Drop for Picture {
    fn drop(&mut self) {
        if let Memory::Pooled { block, home } = &mut self.memory
            && let Some(block) = block.take()
        {
            home.give(block);
        }
    }
}

/// Pictures that circulate: dropping one returns its memory. The pool starts with as many as its user keeps in flight
/// and grows only while someone (an encoder with frames in its own queue) holds on to more.
pub struct PicturePool {
    format: Format,
    width: usize,
    height: usize,
    picture_bytes: usize,
    allocator: Arc<dyn HostAllocator>,
    allocated: AtomicUsize,
    free: FreeList<Block>,
}

impl PicturePool {
    /// Allocates `count` pictures.
    ///
    /// # Errors
    /// When memory runs out.
    pub fn new(count: usize, format: Format, width: usize, height: usize) -> Result<PicturePool> {
        Self::new_in(Arc::new(Heap), count, format, width, height)
    }

    /// The same in `allocator`'s memory.
    ///
    /// # Errors
    /// When memory runs out.
    pub fn new_in(
        allocator: Arc<dyn HostAllocator>,
        count: usize,
        format: Format,
        width: usize,
        height: usize,
    ) -> Result<PicturePool> {
        let picture_bytes = Picture::bytes(format, width, height)
            .ok_or_else(|| Error::new(Kind::OutOfMemory, format!("a {width}x{height} picture cannot be addressed")))?;
        let free = FreeList::new();
        for _ in 0..count {
            free.home().give(Block::new(allocator.as_ref(), picture_bytes)?);
        }
        let allocated = AtomicUsize::new(count);
        Ok(PicturePool { format, width, height, picture_bytes, allocator, allocated, free })
    }

    /// A picture whose samples are whatever its last user left.
    ///
    /// # Errors
    /// When none is free and memory runs out.
    pub fn take(&self) -> Result<Picture> {
        let block = match self.free.take() {
            Some(block) => block,
            None => {
                self.allocated.fetch_add(1, Ordering::Relaxed);
                Block::new(self.allocator.as_ref(), self.picture_bytes)?
            }
        };
        let start = block.start();
        let memory = Memory::Pooled { block: Some(block), home: self.free.home() };
        Ok(Picture::inside(self.format, self.width, self.height, start, memory))
    }

    /// Pictures made so far.
    pub fn allocated(&self) -> usize {
        self.allocated.load(Ordering::Relaxed)
    }

    /// Bytes of all pictures made so far.
    pub fn bytes(&self) -> usize {
        self.allocated() * self.picture_bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_dropped_picture_is_used_again() {
        let pool = PicturePool::new(1, Format::yuv(1, 1, 10).unwrap(), 5, 3).unwrap();
        let first = pool.take().unwrap();
        let address = first.plane(0).0;
        let second = pool.take().unwrap();
        assert_eq!(pool.allocated(), 2, "the pool grows while both are held");
        drop(first);
        assert_eq!(pool.take().unwrap().plane(0).0, address);
        drop((pool, second));
    }

    #[test]
    fn components_of_every_layout_are_apart() {
        for format in ["gray8", "yuv420p", "yuv422p10", "yuv444p16", "nv12", "p010", "yc48"] {
            let format: Format = format.parse().unwrap();
            let mut picture = Picture::alloc(format, 5, 3).unwrap();
            for component in 0..format.components() {
                let mut planes = picture.planes_mut();
                let plane = planes.get_mut(component);
                let (width, height) = (plane.width(), plane.height());
                for (x, y) in (0..height).flat_map(|y| (0..width).map(move |x| (x, y))) {
                    plane.set(x, y, (component * 64 + y * 8 + x) as i32);
                }
            }
            for (component, plane) in picture.planes().iter().enumerate() {
                for (x, y) in (0..plane.height()).flat_map(|y| (0..plane.width()).map(move |x| (x, y))) {
                    assert_eq!(plane.get(x, y), (component * 64 + y * 8 + x) as i32, "{format} {component} ({x}, {y})");
                }
            }
        }
    }
}
