//! What every filter states, and what the runner gives it: the contract that docs/ARCHITECTURE.md describes.
//!
//! A [`Descriptor`] makes a [`Filter`] from arguments; the filter answers with a [`Spec`] for the streams that it gets, and makes
//! a kernel for them; the kernel gets a job for each frame.

mod alias;
mod descriptor;
mod filter;
mod job;
mod kernel;
mod planned;
mod setup;
mod spec;

pub use alias::{Alias, Foreign};
pub use descriptor::{Change, Descriptor, Footprint};
pub use filter::Filter;
#[cfg(feature = "cuda")]
pub use job::CudaJob;
pub use job::{CpuJob, Frames, InputWindow};
pub use kernel::CpuKernel;
#[cfg(feature = "cuda")]
pub use kernel::{Collect, CudaKernel, Measure};
pub(crate) use planned::planned;
pub use setup::{Setup, SideStorage};
pub use spec::{Cycle, Origin, Reach, Spec, Wiring};
