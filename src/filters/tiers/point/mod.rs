//! Point filters: a sample of the result depends on the samples at its own place alone.
//!
//! Such a filter states its steps ([`Points`]); kernels are here. A plan makes one kernel of a run of such filters, whose steps
//! follow one another as the filters would: each gives the 16 bits that lie between filters, so that the bytes are the same.

#[cfg(feature = "cuda")]
mod cuda;
mod fast;
mod folded;
mod nominal;
mod reference;
mod steps;
#[cfg(feature = "cuda")]
mod stored;
mod tables;
#[cfg(test)]
mod tests;
mod tuning;

pub use folded::Folded;
pub(crate) use nominal::{Nominal, gamma};
pub use steps::Points;
use steps::groups;
pub(crate) use steps::{LUMA, Map, Mix, Step, Vibrance};

use crate::device::cpu::CpuLevel;
#[cfg(feature = "cuda")]
use crate::device::cuda::CudaDevice;
use crate::error::Result;
#[cfg(feature = "cuda")]
use crate::filters::CudaKernel;
use crate::filters::{CpuKernel, Descriptor, Filter, Setup, Spec};
use crate::params::{Call, Params};
use crate::video::StreamInfo;
use std::fmt;
#[cfg(feature = "cuda")]
use std::sync::Arc;

/// The most steps of a kernel: a run of filters with more becomes several.
pub const MOST_STEPS: usize = 12;

/// The parameters of a filter that works on samples at one place.
pub(crate) trait Pointwise: Params + fmt::Debug + Send + Sync + 'static {
    /// What the filter is.
    const DESCRIPTOR: &'static Descriptor;

    /// Refuses a stream that it cannot filter.
    ///
    /// # Errors
    /// With what does not fit.
    fn check(&self, input: &StreamInfo) -> Result<()> {
        let _ = input;
        Ok(())
    }

    /// What it does.
    fn points(&self, input: &StreamInfo) -> Points;
}

/// Makes the filter that `call` asks for: what a descriptor's `create` is.
///
/// # Errors
/// For arguments that are none of its parameters' values.
pub(crate) fn create<P: Pointwise>(call: &Call) -> Result<Box<dyn Filter>> {
    Ok(Box::new(PointFilter(P::from_call(call)?)))
}

/// A filter of this kind with its parameters set.
#[derive(Debug)]
struct PointFilter<P>(P);

impl<P: Pointwise> Filter for PointFilter<P> {
    fn descriptor(&self) -> &'static Descriptor {
        P::DESCRIPTOR
    }

    fn call(&self) -> Call {
        self.0.to_call(P::DESCRIPTOR.name)
    }

    fn spec(&self, inputs: &[StreamInfo]) -> Result<Spec> {
        self.0.check(&inputs[0])?;
        let points = self.0.points(&inputs[0]);
        Ok(Spec::copying(inputs[0].clone(), |component| !points.touches(component)))
    }

    fn points(&self, input: &StreamInfo) -> Option<Points> {
        Some(self.0.points(input))
    }

    fn reference(&self, setup: &Setup) -> Result<Box<dyn CpuKernel>> {
        reference(self.0.points(&setup.input), setup)
    }

    fn cpu(&self, setup: &Setup, level: CpuLevel) -> Result<Box<dyn CpuKernel>> {
        cpu(&self.0.points(&setup.input), setup, level)
    }

    #[cfg(feature = "cuda")]
    fn cuda_memory(&self, setup: &Setup, _: &Arc<CudaDevice>) -> Result<usize> {
        Ok(cuda::Kernel::memory(&self.0.points(&setup.input), setup))
    }

    #[cfg(feature = "cuda")]
    fn cuda(&self, setup: &Setup, device: &Arc<CudaDevice>) -> Result<Box<dyn CudaKernel>> {
        Ok(Box::new(cuda::Kernel::new(&self.0.points(&setup.input), setup, device)?))
    }
}

fn reference(points: Points, setup: &Setup) -> Result<Box<dyn CpuKernel>> {
    Ok(Box::new(reference::Reference::new(points, setup)))
}

fn cpu(points: &Points, setup: &Setup, level: CpuLevel) -> Result<Box<dyn CpuKernel>> {
    Ok(Box::new(fast::Fast::new(points, setup, level)?))
}

/// What a function gives for all values, in order.
#[cfg(test)]
pub(crate) fn table(map: Map) -> impl Iterator<Item = u64> {
    (0..=u16::MAX).map(move |value| map(value).into())
}
