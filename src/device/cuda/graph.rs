//! Work recorded once and done again and again in one call: what the device takes, without the host between launches.

use super::context::Context;
use super::driver::{self, check};
use super::{CudaDevice, Event, Stream};
use crate::error::{Error, Result};
use cust::sys::{CUgraph, CUgraphExec};
use std::ptr;
use std::sync::Arc;
use std::time::Duration;

/// CU_STREAM_CAPTURE_MODE_THREAD_LOCAL: other threads may call the driver meanwhile.
const CAPTURE_THREAD_LOCAL: u32 = 1;

/// Recorded work, with the memory and the kernels that it uses.
pub struct Graph<M> {
    context: Arc<Context>,
    raw: CUgraphExec,
    stream: Stream,
    begin: Event,
    end: Event,
    uses: M,
}

impl<M> Graph<M> {
    /// Records what `work` puts into the stream it is given; nothing of it is done yet. `uses` holds everything that the
    /// work uses on the device.
    ///
    /// # Errors
    /// `work`'s own, and when it did something that cannot be recorded, as waiting for the device.
    pub fn record(
        device: &CudaDevice,
        mut uses: M,
        work: impl FnOnce(&mut M, &Stream) -> Result<()>,
    ) -> Result<Graph<M>> {
        let (stream, begin, end) = (Stream::new(device)?, Event::new(device)?, Event::new(device)?);
        let captured = capture(&stream, |stream| work(&mut uses, stream))?;
        let mut raw = ptr::null_mut();
        // SAFETY: the recording is whole; the driver writes a handle.
        check(unsafe { driver::cuGraphInstantiateWithFlags(&mut raw, captured.0, 0) }, "making a graph ready")?;
        Ok(Graph { context: Arc::clone(device.context()), raw, stream, begin, end, uses })
    }

    /// What the work uses.
    pub fn uses(&self) -> &M {
        &self.uses
    }

    /// Does the work once more, waits for it, and returns how long the device took.
    ///
    /// # Errors
    /// When any of it failed.
    pub fn run(&self) -> Result<Duration> {
        self.begin.record(&self.stream)?;
        // SAFETY: both handles are alive, and so is what the work uses.
        check(unsafe { driver::cuGraphLaunch(self.raw, self.stream.as_raw()) }, "launching a graph")?;
        self.end.record(&self.stream)?;
        self.end.synchronize()?;
        self.end.since(&self.begin)
    }
}

impl<M> Drop for Graph<M> {
    fn drop(&mut self) {
        if self.context.enter_to_drop() {
            // SAFETY: made in `record`; every run has been waited for, or the device has failed.
            driver::note(unsafe { driver::cuGraphExecDestroy(self.raw) }, "dropping a graph");
        }
    }
}

/// A recording, from which graphs are made.
struct Captured(CUgraph);

impl Drop for Captured {
    fn drop(&mut self) {
        // SAFETY: made by `capture`, on a thread that has entered the device.
        driver::note(unsafe { driver::cuGraphDestroy(self.0) }, "dropping a recording");
    }
}

/// Records what `work` puts into `stream`. The recording ends whether that goes well or not.
fn capture(stream: &Stream, work: impl FnOnce(&Stream) -> Result<()>) -> Result<Captured> {
    // SAFETY: the handle is alive.
    check(unsafe { driver::cuStreamBeginCapture_v2(stream.as_raw(), CAPTURE_THREAD_LOCAL) }, "beginning to record")?;
    let done = work(stream);
    let mut raw = ptr::null_mut();
    // SAFETY: the stream is recording; the driver writes a handle, or none where the work cannot be recorded.
    let ended = check(unsafe { driver::cuStreamEndCapture(stream.as_raw(), &mut raw) }, "recording work of the GPU");
    let captured = (!raw.is_null()).then(|| Captured(raw));
    done.and(ended)?;
    captured.ok_or_else(|| Error::internal("the driver made no recording"))
}
