//! The memory pictures lie in.

use crate::error::{Error, Kind, Result};
use std::alloc::{Layout, alloc_zeroed, dealloc};
use std::ptr::NonNull;
use std::slice;

/// Rows and blocks start on this many bytes, so that no vector store of one row touches the next.
pub(crate) const ALIGN: usize = 64;

/// Where the memory of pictures comes from: the heap, or memory that a device can reach by itself.
///
/// # Safety
/// The block that `allocate` returns must start on 64 bytes, be zeroed, and stay readable and writable in
/// place for `bytes` bytes, by nobody else, until its keeper is dropped.
pub unsafe trait HostAllocator: Send + Sync {
    /// A block of `bytes` bytes and its keeper: dropping the keeper frees the block.
    ///
    /// # Errors
    /// When memory runs out.
    fn allocate(&self, bytes: usize) -> Result<(NonNull<u8>, Box<dyn Send + Sync>)>;
}

/// The process's heap.
#[derive(Clone, Copy, Debug)]
pub struct Heap;

// SAFETY: the block is allocated zeroed, with the alignment asked for, and freed by its keeper alone.
unsafe impl HostAllocator for Heap {
    fn allocate(&self, bytes: usize) -> Result<(NonNull<u8>, Box<dyn Send + Sync>)> {
        let out_of_memory = || Error::new(Kind::OutOfMemory, format!("no memory for a picture of {bytes} bytes"));
        let layout = Layout::from_size_align(bytes.max(1), ALIGN).map_err(|_| out_of_memory())?;
        // SAFETY: the layout's size is not zero.
        let start = NonNull::new(unsafe { alloc_zeroed(layout) }).ok_or_else(out_of_memory)?;
        Ok((start, Box::new(HeapBlock { start, layout })))
    }
}

struct HeapBlock {
    start: NonNull<u8>,
    layout: Layout,
}

// SAFETY: a block owns plain bytes.
unsafe impl Send for HeapBlock {}
// SAFETY: it gives no access to them.
unsafe impl Sync for HeapBlock {}

impl Drop for HeapBlock {
    fn drop(&mut self) {
        // SAFETY: allocated by `Heap` with this layout.
        unsafe { dealloc(self.start.as_ptr(), self.layout) }
    }
}

/// One allocation that holds all planes of a picture.
pub(super) struct Block {
    start: NonNull<u8>,
    bytes: usize,
    _keeper: Box<dyn Send + Sync>,
}

// SAFETY: a Block owns plain bytes.
unsafe impl Send for Block {}
// SAFETY: shared access only reads.
unsafe impl Sync for Block {}

impl Block {
    pub(super) fn new(allocator: &dyn HostAllocator, bytes: usize) -> Result<Block> {
        let (start, keeper) = allocator.allocate(bytes)?;
        Ok(Block { start, bytes, _keeper: keeper })
    }

    pub(super) fn start(&self) -> NonNull<u8> {
        self.start
    }

    pub(super) fn as_slice(&self) -> &[u8] {
        // SAFETY: the allocator gave these bytes, initialised, to this block alone.
        unsafe { slice::from_raw_parts(self.start.as_ptr(), self.bytes) }
    }

    pub(super) fn as_mut_slice(&mut self) -> &mut [u8] {
        // SAFETY: as above, and `self` is borrowed exclusively.
        unsafe { slice::from_raw_parts_mut(self.start.as_ptr(), self.bytes) }
    }
}
