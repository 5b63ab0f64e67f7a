//! A reference that libav counts.

use ffmpeg_next::ffi::{self, AVBufferRef};
use std::ptr::NonNull;

/// A reference of libav's, which goes when it is dropped.
pub(in crate::io::libav) struct BufferRef(pub(in crate::io::libav) NonNull<AVBufferRef>);

// SAFETY: libav counts references atomically.
unsafe impl Send for BufferRef {}

impl Drop for BufferRef {
    fn drop(&mut self) {
        let mut raw = self.0.as_ptr();
        // SAFETY: the reference is ours and is not used again.
        unsafe { ffi::av_buffer_unref(&mut raw) }
    }
}
