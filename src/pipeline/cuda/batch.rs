//! Several frames at a time, for kernels that leave most of a device idle with one.
//!
//! A batch is what has arrived, never what is waited for: a source that is slower than the device has its frames made one by one.
//! While the device is behind, frames wait, and the next batch takes them. So that they do, no more than one batch is queued
//! behind the one that is being made.

use crate::device::cuda::{CudaDevice, Event, Stream};
use crate::error::Result;
use crate::pipeline::ChainPlan;

/// Frames that the last part of `plan` gains by making at a time. Earlier parts make theirs when a later one reads them.
pub fn wanted(plan: &ChainPlan) -> usize {
    let stages = plan.parts.last().map_or(&[][..], |part| &part.stages);
    let of = |stage: &usize| plan.stages[*stage].filter.cuda_batch(&plan.stages[*stage].setup);
    stages.iter().map(of).max().unwrap_or(1).max(1)
}

/// Keeps batches from being queued too early.
pub struct Pace {
    /// The ends of the last two.
    ends: [Event; 2],
}

impl Pace {
    /// For the first batch.
    ///
    /// # Errors
    /// When the device refuses it.
    pub fn new(device: &CudaDevice) -> Result<Pace> {
        Ok(Pace { ends: [Event::new(device)?, Event::new(device)?] })
    }

    /// Waits until the last batch is all that the device has to do.
    ///
    /// # Errors
    /// When the device fails.
    pub fn wait(&self) -> Result<()> {
        self.ends[0].synchronize()
    }

    /// Notes that a batch is in `stream`.
    ///
    /// # Errors
    /// When the device refuses it.
    pub fn mark(&mut self, stream: &Stream) -> Result<()> {
        self.ends.swap(0, 1);
        self.ends[1].record(stream)
    }
}
