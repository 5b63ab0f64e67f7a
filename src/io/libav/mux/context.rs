//! A libav container for writing, and where it writes.

use crate::error::{Error, Kind, Result};
use crate::io::libav::encode::settings::Settings;
use crate::io::libav::logging;
use crate::io::libav::mux::capacity;
use crate::io::libav::mux::failure;
use crate::io::{Outlet, TempFile};
use ffmpeg_next::ffi::{self, AVFormatContext, AVOutputFormat, AVStream};
use std::ffi::CString;
use std::ptr::{self, NonNull};

/// An `AVFormatContext` of ours, for writing.
pub(in crate::io::libav) struct Context {
    context: NonNull<AVFormatContext>,
    /// Whether it writes to memory that nobody reads.
    scratch: bool,
}

impl Drop for Context {
    fn drop(&mut self) {
        // SAFETY: the context is ours and not used again; its file is open, scratch memory, or null.
        unsafe {
            let context = self.context.as_ptr();
            if self.scratch {
                self.discard_scratch();
            } else {
                ffi::avio_closep(&mut (*context).pb);
            }
            ffi::avformat_free_context(context);
        }
    }
}

impl Context {
    /// An empty context.
    ///
    /// # Errors
    /// When memory runs out.
    pub(in crate::io::libav) fn new(container: &'static AVOutputFormat) -> Result<Context> {
        let mut context = ptr::null_mut();
        // SAFETY: the container is static and decides alone; gives a context or null.
        unsafe { ffi::avformat_alloc_output_context2(&mut context, container, ptr::null(), ptr::null()) };
        let context = NonNull::new(context).ok_or_else(out_of_memory)?;
        // Samples of more than 8 bits are y4m's common extension.
        if capacity::name(container) == "yuv4mpegpipe" {
            // SAFETY: the context is ours.
            unsafe { (*context.as_ptr()).strict_std_compliance = ffi::FF_COMPLIANCE_UNOFFICIAL };
        }
        Ok(Context { context, scratch: false })
    }

    pub(in crate::io::libav) fn as_ptr(&self) -> *mut AVFormatContext {
        self.context.as_ptr()
    }

    /// The container's options.
    pub(in crate::io::libav) fn settings(&self, owner: &'static str) -> Settings<'_> {
        // SAFETY: the context lives as long as the borrow.
        unsafe { Settings::of(self.as_ptr().cast(), owner) }
    }

    /// A new stream.
    ///
    /// # Errors
    /// When memory runs out.
    pub(in crate::io::libav) fn stream(&self) -> Result<*mut AVStream> {
        // SAFETY: the context is ours; gives a stream it owns, or null.
        let stream = unsafe { ffi::avformat_new_stream(self.as_ptr(), ptr::null()) };
        if stream.is_null() { Err(out_of_memory()) } else { Ok(stream) }
    }

    /// Opens where `file` is written. `what` is what messages call it.
    ///
    /// # Errors
    /// When it cannot be opened.
    pub(in crate::io::libav) fn open(&mut self, file: &TempFile, what: &str) -> Result<()> {
        // The protocol is explicit, or a colon in the name would be taken for one.
        let url = match file.outlet() {
            Outlet::File(path) => [b"file:", path.as_os_str().as_encoded_bytes()].concat(),
            Outlet::Stream(descriptor) => format!("pipe:{descriptor}").into_bytes(),
        };
        let url = CString::new(url).map_err(|_| Error::bad_argument(format!("{what} has a zero byte in it")))?;
        // SAFETY: the context is ours and has no file yet; it keeps a copy of the name, to read the file at its end.
        let code = unsafe {
            let context = self.as_ptr();
            (*context).url = ffi::av_strdup(url.as_ptr());
            let (flags, none) = (ffi::AVIO_FLAG_WRITE, ptr::null_mut());
            ffi::avio_open2(&mut (*context).pb, url.as_ptr(), flags, ptr::null(), none)
        };
        if code < 0 { Err(failure::error(what, code, Kind::Io)) } else { Ok(()) }
    }

    /// Gives it memory to write to instead of a file.
    ///
    /// # Errors
    /// When memory runs out.
    pub(in crate::io::libav) fn open_scratch(&mut self) -> Result<()> {
        // SAFETY: the context is ours and has no file yet.
        let code = unsafe { ffi::avio_open_dyn_buf(&mut (*self.as_ptr()).pb) };
        self.scratch = code >= 0;
        if code < 0 { Err(out_of_memory()) } else { Ok(()) }
    }

    /// Frees that memory. Gives how many bytes were written to it.
    pub(in crate::io::libav) fn discard_scratch(&mut self) -> usize {
        self.scratch = false;
        let mut bytes = ptr::null_mut();
        // SAFETY: the file is the memory that `open_scratch` made; closing hands it over, and the context forgets it.
        unsafe {
            let context = self.as_ptr();
            let length = ffi::avio_close_dyn_buf((*context).pb, &mut bytes);
            (*context).pb = ptr::null_mut();
            ffi::av_free(bytes.cast());
            usize::try_from(length).unwrap_or(0)
        }
    }

    /// Writes the header. `what` is what messages call the output.
    ///
    /// # Errors
    /// When the container refuses its contents, with the reason it logs, or the file cannot be written.
    pub(in crate::io::libav) fn write_header(&mut self, what: &str) -> Result<()> {
        // SAFETY: the context is complete and has a file; null is no further options.
        let write = || unsafe { ffi::avformat_write_header(self.as_ptr(), ptr::null_mut()) };
        let (code, heard) = logging::listen(write);
        if code < 0 { Err(failure::refusal(what, code, &heard)) } else { Ok(()) }
    }
}

/// The error for a container that finds no memory.
pub(in crate::io::libav) fn out_of_memory() -> Error {
    Error::new(Kind::OutOfMemory, "no memory for a container's header")
}
