//! Streams and events: the order of work on the device.

use super::CudaDevice;
use super::context::Context;
use super::driver::{self, Code, check, outcome};
use crate::error::Result;
use cust::sys::{CUevent, CUstream};
use std::ffi::c_void;
use std::ptr;
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

/// CU_STREAM_NON_BLOCKING. `cust` takes this flag away, and a stream without it waits for the whole device whenever
/// a library uses the default stream.
const NON_BLOCKING: u32 = 1;

/// CU_EVENT_BLOCKING_SYNC: who waits sleeps, and leaves the processor to the encoder.
const BLOCKING_SYNC: u32 = 1;

/// So long a waiting thread looks again and again before it sleeps. Waking it takes tens of microseconds, as much as the
/// copy of a small frame; and whoever waits longer than this loses nothing by it.
const POLL: Duration = Duration::from_micros(200);

const WAITING: &str = "waiting for the GPU";

/// Work in order; work in different streams overlaps.
pub struct Stream {
    context: Arc<Context>,
    raw: CUstream,
    /// Made elsewhere, and not to be dropped here.
    borrowed: bool,
}

// SAFETY: the driver takes calls on a stream from any thread.
unsafe impl Send for Stream {}
// SAFETY: as above.
unsafe impl Sync for Stream {}

impl Stream {
    /// A new stream of `device`.
    ///
    /// # Errors
    /// When the driver gives none.
    pub fn new(device: &CudaDevice) -> Result<Stream> {
        device.context().enter()?;
        let mut raw = ptr::null_mut();
        // SAFETY: the driver writes a handle.
        check(unsafe { driver::cuStreamCreate(&mut raw, NON_BLOCKING) }, "making a stream")?;
        Ok(Stream { context: Arc::clone(device.context()), raw, borrowed: false })
    }

    /// A stream of `device` that somebody else made and drops; null is the default stream.
    ///
    /// # Safety
    /// `raw` must be a stream's handle (`CUstream`) of the device's context, until this is dropped.
    pub unsafe fn borrowed(device: &CudaDevice, raw: *mut c_void) -> Stream {
        Stream { context: Arc::clone(device.context()), raw: raw.cast(), borrowed: true }
    }

    /// Holds back what is put into this stream from now on until `event` is complete.
    ///
    /// # Errors
    /// When the device has failed.
    pub fn wait_for(&self, event: &Event) -> Result<()> {
        self.context.enter()?;
        // SAFETY: both handles are alive.
        check(unsafe { driver::cuStreamWaitEvent(self.raw, event.raw, 0) }, "ordering two streams")
    }

    /// Waits until everything in the stream is done.
    ///
    /// # Errors
    /// When any of it failed.
    pub fn synchronize(&self) -> Result<()> {
        self.context.enter()?;
        // SAFETY: the handle is alive.
        check(unsafe { driver::cuStreamSynchronize(self.raw) }, WAITING)
    }

    /// The driver's handle, for launches and for libraries that work in this stream.
    pub fn as_raw(&self) -> CUstream {
        self.raw
    }
}

impl Drop for Stream {
    fn drop(&mut self) {
        if !self.borrowed && self.context.enter_to_drop() {
            // SAFETY: made in `new`; the driver frees it when its work is done.
            driver::note(unsafe { driver::cuStreamDestroy_v2(self.raw) }, "dropping a stream");
        }
    }
}

/// A point in a stream: complete when everything put there before is done, and knows when that was.
pub struct Event {
    context: Arc<Context>,
    raw: CUevent,
}

// SAFETY: the driver takes calls on an event from any thread.
unsafe impl Send for Event {}
// SAFETY: as above.
unsafe impl Sync for Event {}

impl Event {
    /// A new event of `device`. An event never recorded counts as complete.
    ///
    /// # Errors
    /// When the driver gives none.
    pub fn new(device: &CudaDevice) -> Result<Event> {
        device.context().enter()?;
        let mut raw = ptr::null_mut();
        // SAFETY: the driver writes a handle.
        check(unsafe { driver::cuEventCreate(&mut raw, BLOCKING_SYNC) }, "making an event")?;
        Ok(Event { context: Arc::clone(device.context()), raw })
    }

    /// Puts the event into `stream`.
    ///
    /// # Errors
    /// When the device has failed.
    pub fn record(&self, stream: &Stream) -> Result<()> {
        self.context.enter()?;
        // SAFETY: both handles are alive.
        check(unsafe { driver::cuEventRecord(self.raw, stream.raw) }, "recording an event")
    }

    /// Waits until the event is complete.
    ///
    /// # Errors
    /// When work before it failed.
    pub fn synchronize(&self) -> Result<()> {
        self.context.enter()?;
        let patience = Instant::now() + POLL;
        while Instant::now() < patience {
            // SAFETY: the handle is alive.
            match outcome(unsafe { driver::cuEventQuery(self.raw) }) {
                Err(Code::NOT_READY) => thread::yield_now(),
                other => return other.map_err(|code| code.error(WAITING)),
            }
        }
        // SAFETY: as above.
        check(unsafe { driver::cuEventSynchronize(self.raw) }, WAITING)
    }

    /// Time from `earlier` to this event, when both are complete.
    ///
    /// # Errors
    /// When one has not been recorded or is not complete.
    pub fn since(&self, earlier: &Event) -> Result<Duration> {
        self.context.enter()?;
        let mut milliseconds = 0.0f32;
        // SAFETY: both handles are alive; the driver writes one number.
        let code = unsafe { driver::cuEventElapsedTime(&mut milliseconds, earlier.raw, self.raw) };
        check(code, "reading a time from the GPU")?;
        Ok(Duration::from_secs_f64(f64::from(milliseconds.max(0.0)) / 1000.0))
    }
}

impl Drop for Event {
    fn drop(&mut self) {
        if self.context.enter_to_drop() {
            // SAFETY: made in `new`.
            driver::note(unsafe { driver::cuEventDestroy_v2(self.raw) }, "dropping an event");
        }
    }
}
