//! A filter with its parameters: what it does to streams, and the kernels that it makes for one.

#[cfg(feature = "cuda")]
use super::CudaKernel;
use super::{CpuKernel, Descriptor, Setup, Spec, Wiring};
use crate::device::cpu::CpuLevel;
#[cfg(feature = "cuda")]
use crate::device::cuda::CudaDevice;
use crate::error::Result;
use crate::filters::Points;
use crate::params::{Call, Name};
use crate::video::{FrameProps, StreamInfo};
use std::fmt;
use std::path::Path;
#[cfg(feature = "cuda")]
use std::sync::Arc;

/// A filter with its parameters set.
pub trait Filter: Send + Sync + fmt::Debug {
    /// What this filter is.
    fn descriptor(&self) -> &'static Descriptor;

    /// The call that makes this filter again, canonical.
    fn call(&self) -> Call;

    /// The calls of the filters that it is made of: its own, but for a run that is folded into one.
    fn calls(&self) -> Vec<Call> {
        vec![self.call()]
    }

    /// What it does to the samples at one place, where that is all it does: a plan makes one kernel of a run of such filters.
    /// Streams that [`Filter::spec`] takes alone.
    fn points(&self, input: &StreamInfo) -> Option<Points> {
        let _ = input;
        None
    }

    /// What it does to streams: which frames it reads of each of `inputs`, the chain's own first, and what it gives.
    ///
    /// # Errors
    /// When it cannot filter `inputs` with these parameters.
    fn spec(&self, inputs: &[StreamInfo]) -> Result<Spec>;

    /// The other pictures that it reads, by name.
    fn wiring(&self) -> Wiring {
        Wiring::Reads(Vec::new())
    }

    /// Whether its result is a mixture of the chain's picture and the others, which must stand for the same: a chain makes those of
    /// other files like its own, where the filter refuses them as they are.
    fn mixes(&self) -> bool {
        false
    }

    /// What it knows of the frames around the one it makes, where that is not their pictures: the filter that makes a small
    /// picture of numbers of each frame of its first input. A chain runs it before this one, whose last input the result is,
    /// with a [`Reach`](crate::filters::Reach) of its own as the last of [`Spec::reads`]. [`Filter::spec`] does not get its stream.
    fn survey(&self, input: &StreamInfo) -> Option<Box<dyn Filter>> {
        let _ = input;
        None
    }

    /// The picture by which a chain mixes the result with the filter's first input, as `mask=NAME` asks for. Kernels know
    /// nothing of it.
    fn mask(&self) -> Option<&Name> {
        None
    }

    /// The file that it was made from, if its call names one: the call makes this filter again only while the file is the same.
    fn file(&self) -> Option<&Path> {
        None
    }

    /// What its parameters, though allowed, are likely not meant to do: one line for whoever gave them.
    fn warning(&self) -> Option<String> {
        None
    }

    /// What it assumes of streams that do not state it: one line for whoever runs it.
    fn note(&self, setup: &Setup) -> Option<String> {
        let _ = setup;
        None
    }

    /// Takes from a frame's properties what is no longer true of the picture that this filter makes of it. They have the
    /// number and the time of that picture already.
    fn describe(&self, setup: &Setup, props: &mut FrameProps) {
        let _ = (setup, props);
    }

    /// The plain scalar kernel: written to be read, and what every other kernel is held to.
    fn reference(&self, setup: &Setup) -> Result<Box<dyn CpuKernel>>;

    /// The fast kernel at `level`.
    fn cpu(&self, setup: &Setup, level: CpuLevel) -> Result<Box<dyn CpuKernel>>;

    /// Frames that [`Filter::cuda`]'s kernel is faster to take at a time than one by one, where one leaves most of a device idle.
    /// A run gives it as many as have arrived, and waits for none; [`Setup::batch`] says how many that may be.
    #[cfg(feature = "cuda")]
    fn cuda_batch(&self, setup: &Setup) -> usize {
        let _ = setup;
        1
    }

    /// Bytes of `device`'s memory that [`Filter::cuda`]'s kernel will hold beside the pictures it is given, so that a run which
    /// does not fit is refused before it starts.
    ///
    /// # Errors
    /// When the device has failed.
    #[cfg(feature = "cuda")]
    fn cuda_memory(&self, setup: &Setup, device: &Arc<CudaDevice>) -> Result<usize> {
        let _ = (setup, device);
        Ok(0)
    }

    /// The kernel on a CUDA device.
    ///
    /// # Errors
    /// When the filter has none, or the device cannot take it.
    #[cfg(feature = "cuda")]
    fn cuda(&self, setup: &Setup, device: &Arc<CudaDevice>) -> Result<Box<dyn CudaKernel>> {
        let _ = (setup, device);
        Err(crate::error::Error::unsupported("does not run on CUDA"))
    }
}
