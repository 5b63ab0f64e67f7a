//! Where software decoders put their frames: libav's memory, or that of an allocator of the caller's, so that a device
//! can read frames where the decoder left them.

use crate::io::libav::format::pixfmt;
use crate::video::HostAllocator;
use ffmpeg::ffi::{self, AVBufferRef, AVCodecContext, AVFrame, AVPixelFormat};
use ffmpeg_next as ffmpeg;
use std::ffi::{c_int, c_void};
use std::ptr::{NonNull, addr_of_mut};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// Planes start on this many bytes, and end so many before the next begins: decoders read and write past their rows.
const ALIGN: usize = 64;
const SLACK: usize = 128;

/// The most planes a native format has.
const PLANES: usize = 3;

/// The memory of one decoder's frames. Blocks that libav has let go of serve again.
#[derive(Default)]
pub(in crate::io::libav) struct FrameMemory {
    allocator: OnceLock<Arc<dyn HostAllocator>>,
    free: Mutex<Vec<Block>>,
    /// Every frame begins as zeros: a damaged one then never shows what happened to lie there.
    cleared: bool,
}

/// One frame's memory.
struct Block {
    start: NonNull<u8>,
    bytes: usize,
    _keeper: Box<dyn Send + Sync>,
}

// SAFETY: a block owns plain bytes.
unsafe impl Send for Block {}

/// A block that libav holds.
struct LoanedBlock {
    block: Block,
    owner: Arc<FrameMemory>,
}

/// Where the planes of a frame lie in its block.
struct PlaneOffsets {
    offsets: [usize; PLANES],
    linesizes: [c_int; PLANES],
    count: usize,
    bytes: usize,
}

impl FrameMemory {
    /// Memory that is `cleared` for every frame, or not.
    pub(in crate::io::libav) fn new(cleared: bool) -> FrameMemory {
        FrameMemory { cleared, ..FrameMemory::default() }
    }

    /// Has `context` ask this memory for its frames. Both must not be open yet.
    ///
    /// # Safety
    /// The memory must live at least as long as the context.
    pub(in crate::io::libav) unsafe fn serve(self: &Arc<FrameMemory>, context: *mut AVCodecContext) {
        // SAFETY: the caller's context is valid and not in use.
        unsafe {
            (*context).opaque = Arc::as_ptr(self).cast_mut().cast();
            (*context).get_buffer2 = Some(get_buffer);
            // Before FFmpeg 6 frame threads take turns unless a flag says that they need not.
            #[cfg(libav_takes_turns)]
            #[allow(deprecated)]
            {
                (*context).thread_safe_callbacks = 1;
            }
        }
    }

    /// From now on frames lie in `allocator`'s memory. Only the first call counts.
    pub(in crate::io::libav) fn use_allocator(&self, allocator: Arc<dyn HostAllocator>) {
        let _ = self.allocator.set(allocator);
    }

    /// A block of `bytes` bytes: one that was used before, if it has the size.
    fn take(&self, bytes: usize) -> Option<Block> {
        let allocator = self.allocator.get()?;
        let mut free = self.free.lock().unwrap_or_else(PoisonError::into_inner);
        free.retain(|block| block.bytes == bytes);
        free.pop().or_else(|| {
            let (start, keeper) = allocator.allocate(bytes).inspect_err(|e| log::debug!("{e}")).ok()?;
            Some(Block { start, bytes, _keeper: keeper })
        })
    }

    /// Fills in the buffer of `frame`. False, and nothing done, when libav's own memory must do.
    ///
    /// # Safety
    /// As libav calls it: both pointers are valid, and the frame's format and size are set.
    unsafe fn provide(self: &Arc<FrameMemory>, context: *mut AVCodecContext, frame: *mut AVFrame) -> bool {
        // SAFETY: the caller's pointers are valid.
        let Some(places) = (unsafe { places(context, frame) }) else { return false };
        let Some(block) = self.take(places.bytes) else { return false };
        let start = block.start.as_ptr();
        let loan = Box::into_raw(Box::new(LoanedBlock { block, owner: Arc::clone(self) }));
        // SAFETY: the block has these bytes until `release` gets it back, which libav calls once.
        let buffer = unsafe { ffi::av_buffer_create(start, places.bytes as _, Some(release), loan.cast(), 0) };
        if buffer.is_null() {
            // SAFETY: libav did not take it.
            drop(unsafe { Box::from_raw(loan) });
            return false;
        }
        // SAFETY: the frame is the caller's to fill; every offset is inside the block.
        unsafe { fill(frame, buffer, start, &places) };
        true
    }
}

/// Asks libav how the planes of `frame` must lie. `None` where its own memory must do: the decoder insists, or the
/// chain will not read the frame as it is.
///
/// # Safety
/// As [`FrameMemory::provide`].
unsafe fn places(context: *mut AVCodecContext, frame: *const AVFrame) -> Option<PlaneOffsets> {
    // SAFETY: the caller's pointers are valid; libav fills the arrays it is given.
    unsafe {
        let takes_any = (*(*context).codec).capabilities & ffi::AV_CODEC_CAP_DR1 as i32 != 0;
        let pixel: AVPixelFormat = std::mem::transmute::<c_int, AVPixelFormat>((*frame).format);
        let native = pixfmt::native(pixel.into()).filter(|_| takes_any)?;

        let (mut width, mut height, mut aligns) = ((*frame).width, (*frame).height, [0; 8]);
        ffi::avcodec_align_dimensions2(context, &mut width, &mut height, aligns.as_mut_ptr());
        // Rows are as far apart as in libav's own memory, where the first frames may lie: decoders take one distance for
        // all frames that they refer to.
        let mut linesizes = [0; 4];
        loop {
            if ffi::av_image_fill_linesizes(linesizes.as_mut_ptr(), pixel, width) < 0 {
                return None;
            }
            if linesizes.iter().zip(aligns).all(|(linesize, align)| align <= 1 || linesize % align == 0) {
                break;
            }
            width = width.checked_add(width & width.wrapping_neg())?;
        }
        let mut sizes = [0; 4];
        let wide = linesizes.map(|linesize| linesize as isize);
        if ffi::av_image_fill_plane_sizes(sizes.as_mut_ptr(), pixel, height, wide.as_ptr()) < 0 {
            return None;
        }
        let count = native.format.planes();
        let mut places = PlaneOffsets { offsets: [0; PLANES], linesizes: [0; PLANES], count, bytes: 0 };
        for plane in 0..count {
            places.offsets[plane] = places.bytes;
            places.linesizes[plane] = linesizes[plane];
            places.bytes = (places.bytes + sizes[plane] + SLACK).checked_next_multiple_of(ALIGN)?;
        }
        Some(places)
    }
}

/// Points `frame` into `buffer`, whose bytes begin at `start`.
///
/// # Safety
/// The frame is the caller's to fill, and the buffer covers the places.
unsafe fn fill(frame: *mut AVFrame, buffer: *mut AVBufferRef, start: *mut u8, places: &PlaneOffsets) {
    // SAFETY: the caller vouches for the frame and the places.
    unsafe {
        (*frame).buf[0] = buffer;
        (*frame).extended_data = addr_of_mut!((*frame).data).cast();
        for plane in 0..places.count {
            (*frame).data[plane] = start.add(places.offsets[plane]);
            (*frame).linesize[plane] = places.linesizes[plane];
        }
    }
}

/// Called by libav, on any thread, for the memory of a frame.
unsafe extern "C" fn get_buffer(context: *mut AVCodecContext, frame: *mut AVFrame, flags: c_int) -> c_int {
    // SAFETY: `serve` set the pointer to an Arc's inside, which outlives the context. ManuallyDrop: the count is not ours.
    unsafe {
        let memory = std::mem::ManuallyDrop::new(Arc::from_raw((*context).opaque.cast::<FrameMemory>().cast_const()));
        let got =
            if memory.provide(context, frame) { 0 } else { ffi::avcodec_default_get_buffer2(context, frame, flags) };
        if memory.cleared && got >= 0 {
            clear(frame);
        }
        got
    }
}

/// Sets all samples of a new frame to zero.
///
/// # Safety
/// The frame is valid, and its buffers are its own.
unsafe fn clear(frame: *mut AVFrame) {
    // SAFETY: the caller vouches for the frame; libav states the size of every buffer.
    unsafe {
        for buffer in (*frame).buf.into_iter().filter(|buffer| !buffer.is_null()) {
            (*buffer).data.write_bytes(0, (*buffer).size);
        }
    }
}

/// Called by libav, on any thread, when it releases a frame.
unsafe extern "C" fn release(loan: *mut c_void, _data: *mut u8) {
    // SAFETY: `loan` is from `Box::into_raw` in `provide`, and libav frees a buffer once.
    let LoanedBlock { block, owner } = *unsafe { Box::from_raw(loan.cast::<LoanedBlock>()) };
    owner.free.lock().unwrap_or_else(PoisonError::into_inner).push(block);
}
