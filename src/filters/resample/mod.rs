//! Filters that make samples at other places: sizes, subsampling, shifts. Each says where samples lie before and after, and one
//! kernel serves them all: the weighted sums of one direction, then those of the other.

#[cfg(feature = "cuda")]
mod cuda;
mod fast;
pub mod format;
mod kernel;
mod light;
mod plan;
mod reference;
mod sample_grid;
pub mod scale;
pub mod shift;
mod taps;
#[cfg(test)]
mod tests;
mod tuning;

use crate::device::cpu::CpuLevel;
#[cfg(feature = "cuda")]
use crate::device::cuda::CudaDevice;
use crate::error::Result;
#[cfg(feature = "cuda")]
use crate::filters::CudaKernel;
use crate::filters::remap::forget_places;
use crate::filters::siting::Siting;
use crate::filters::{CpuKernel, Descriptor, Filter, Setup, Spec};
use crate::params::{Call, Params};
use crate::video::{FrameProps, StreamInfo};
pub(super) use kernel::{ResamplingKernel, Shape};
use plan::Plan;
use std::fmt::Debug;
#[cfg(feature = "cuda")]
use std::sync::Arc;

/// Where the samples of a stream lie, and where those that are made of it.
#[derive(Clone, Debug)]
pub struct Sampling {
    /// The stream that is made.
    pub output: StreamInfo,
    /// The left and the upper end of what is shown of the source, for each component, in `taps::FINE` parts of a luma sample.
    pub start: [[i64; 2]; 3],
    /// Its width and height, likewise.
    pub size: [i64; 2],
    /// Where chroma sits in the source.
    pub siting_in: Siting,
    /// And in the result.
    pub siting_out: Siting,
    /// The kernel of luma, grey and RGB.
    pub kernel: ResamplingKernel,
    /// The kernel of chroma.
    pub chroma_kernel: ResamplingKernel,
    /// The share by which results are held between the samples beside them.
    pub antiring: f64,
    /// Whether luma, grey and RGB are weighed as light.
    pub linear: bool,
}

impl Sampling {
    /// `input` as it is, by `kernel`.
    fn of(input: &StreamInfo, kernel: ResamplingKernel) -> Sampling {
        let siting = Siting::of(input);
        Sampling {
            output: input.clone(),
            start: [[0, 0]; 3],
            size: [input.width, input.height].map(|side| side as i64 * taps::FINE),
            siting_in: siting,
            siting_out: siting,
            kernel,
            chroma_kernel: kernel,
            antiring: 0.0,
            linear: false,
        }
    }
}

/// The parameters of a filter that makes samples at other places.
pub trait Resample: Params + Debug + Send + Sync + 'static {
    /// What the filter is.
    const DESCRIPTOR: &'static Descriptor;

    /// Where the samples of `input` go.
    ///
    /// # Errors
    /// When it cannot be done to `input`, with what can.
    fn sampling(&self, input: &StreamInfo) -> Result<Sampling>;
}

/// A filter that makes samples at other places.
#[derive(Debug)]
pub struct Resampled<P>(P);

impl<P: Resample> Resampled<P> {
    /// The filter that `call` asks for.
    ///
    /// # Errors
    /// As [`Params::from_call`].
    fn create(call: &Call) -> Result<Box<dyn Filter>> {
        Ok(Box::new(Resampled(P::from_call(call)?)))
    }

    fn plan(&self, setup: &Setup) -> Result<Plan> {
        Ok(Plan::new(&self.0.sampling(&setup.input)?, &setup.input))
    }
}

impl<P: Resample> Filter for Resampled<P> {
    fn descriptor(&self) -> &'static Descriptor {
        P::DESCRIPTOR
    }

    fn call(&self) -> Call {
        self.0.to_call(P::DESCRIPTOR.name)
    }

    fn spec(&self, inputs: &[StreamInfo]) -> Result<Spec> {
        let sampling = self.0.sampling(&inputs[0])?;
        let copied = Plan::copied(&sampling, &inputs[0]);
        Ok(Spec::copying(sampling.output, |component| copied[component]))
    }

    fn describe(&self, setup: &Setup, props: &mut FrameProps) {
        // `spec` has not refused the stream.
        let Ok(sampling) = self.0.sampling(&setup.input) else { return };
        let size = [setup.output.width, setup.output.height].map(|side| side as i64 * taps::FINE);
        if sampling.size != size || sampling.start[0] != [0, 0] {
            forget_places(props);
        }
    }

    fn reference(&self, setup: &Setup) -> Result<Box<dyn CpuKernel>> {
        Ok(Box::new(reference::Reference(self.plan(setup)?)))
    }

    fn cpu(&self, setup: &Setup, level: CpuLevel) -> Result<Box<dyn CpuKernel>> {
        Ok(Box::new(fast::Fast::new(self.plan(setup)?, setup, level)?))
    }

    #[cfg(feature = "cuda")]
    fn cuda_memory(&self, setup: &Setup, _: &Arc<CudaDevice>) -> Result<usize> {
        cuda::memory(&self.plan(setup)?, setup)
    }

    #[cfg(feature = "cuda")]
    fn cuda(&self, setup: &Setup, device: &Arc<CudaDevice>) -> Result<Box<dyn CudaKernel>> {
        cuda::build(&self.plan(setup)?, setup, device)
    }
}

/// What every filter's option `kernel` says of itself.
macro_rules! kernel_doc {
    () => {
        "What samples weigh by their distance. Sharp and calm: `spline36`; sharper, with more ringing: `lanczos`, `spline64`; \
         softer: `bicubic`, `mitchell`; the mean of what is covered: `area`; pixels: `point`."
    };
}
use kernel_doc;

/// What every filter's option `antiring` says of itself.
macro_rules! antiring_doc {
    () => {
        "How far results are held between the two samples beside their place, in directions that are not reduced: 0 not at all, \
         1 wholly, so that nothing rings."
    };
}
use antiring_doc;
