//! A filter built for one stream.

use super::CpuJob;
#[cfg(feature = "cuda")]
use super::CudaJob;
#[cfg(feature = "cuda")]
use crate::error::Result;
#[cfg(feature = "cuda")]
use crate::video::Record;
#[cfg(feature = "cuda")]
use std::sync::Arc;

/// A filter built for one stream on the CPU. Its memory and tables are made when it is built, not a frame at a time.
pub trait CpuKernel: Send {
    /// Filters one frame. The result depends on the parameters and on what the job reads alone: never on earlier jobs.
    fn run(&mut self, job: CpuJob<'_>);

    /// The code path that [`CpuKernel::run`] takes, for tests that the fast one really runs: "reference",
    /// or a [`CpuLevel`](crate::device::cpu::CpuLevel)'s name.
    fn path(&self) -> &'static str;
}

/// A filter built for one stream on a CUDA device. Its memory and tables are made when it is built.
#[cfg(feature = "cuda")]
pub trait CudaKernel: Send {
    /// Puts the work for one frame into the job's stream. The result depends on what a [`CpuKernel`]'s depends on, to the
    /// bit.
    ///
    /// # Errors
    /// When the device refuses the work.
    fn enqueue(&mut self, job: &CudaJob<'_>) -> Result<()>;

    /// Puts the work for several frames into the stream that all their jobs name: no more than
    /// [`Setup::batch`](crate::filters::Setup::batch). Each result is what [`CudaKernel::enqueue`] gives.
    ///
    /// # Errors
    /// When the device refuses the work.
    fn enqueue_batch(&mut self, jobs: &[CudaJob<'_>]) -> Result<()> {
        jobs.iter().try_for_each(|job| self.enqueue(job))
    }

    /// What it measures, if it does.
    fn measure(&self) -> Option<Measure> {
        None
    }

    /// False when recorded work cannot be done again, since a frame's work counts on from that of the frame before.
    fn repeats(&self) -> bool {
        true
    }
}

/// Turns what lies in a record's memory into values.
#[cfg(feature = "cuda")]
pub type Collect = dyn Fn(&[u8], &mut Record) + Send + Sync;

/// How a [`CudaKernel`] measures.
#[cfg(feature = "cuda")]
#[derive(Clone)]
pub struct Measure {
    /// Bytes of zeroed device memory that it measures into, by operations whose order does not matter.
    pub bytes: usize,
    /// Turns these bytes into values: the host's half of a reduction.
    pub collect: Arc<Collect>,
}
