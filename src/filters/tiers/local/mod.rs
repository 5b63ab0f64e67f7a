//! The second tier of filters: a sample of the result is a function of few samples near its place, in any of the frames
//! that are read.
//!
//! A filter says what the function is ([`Local`]); this module owns all else: the planes option, storage, borders, bands
//! of rows over threads, vector levels, the plain loop of the reference, and the launch of its CUDA twin, which is a
//! template over the same function (cuda/common/local.cuh).

#[cfg(feature = "cuda")]
mod cuda;
mod fast;
#[cfg(test)]
mod median;
mod near;
mod plan;
mod reference;
mod tuning;

pub use crate::simd::lanes::Lanes;
pub use crate::simd::order::{middle_of, middle_of_three};
pub use near::{Around, Near};
pub use plan::ComponentSource;

use crate::device::cpu::CpuLevel;
#[cfg(feature = "cuda")]
use crate::device::cuda::CudaDevice;
use crate::error::{Error, Result};
#[cfg(feature = "cuda")]
use crate::filters::CudaKernel;
use crate::filters::device_struct::{DeviceStruct, device_struct};
use crate::filters::likening::likening;
use crate::filters::planes::PlaneSet;
use crate::filters::{CpuKernel, Descriptor, Filter, Reach, Setup, Spec, Wiring};
use crate::params::{Call, Params};
use crate::video::{FrameProps, StreamInfo};
use plan::Plan;
use std::fmt;
#[cfg(feature = "cuda")]
use std::sync::Arc;

device_struct! {
    /// For functions that need no constants.
    #[derive(Default)]
    pub struct NoConsts = "LocalNoConsts" {
        unused: u32,
    }
}

/// The most sources that a sample may have, and the largest radius.
pub const MOST_SOURCES: usize = 8;
/// The same of rows and columns to each side.
pub const MOST_RADIUS: usize = 2;

/// The parameters of a filter that makes a sample from samples near its place.
///
/// Values are lanes of 16 bits: v16, or YC48 with its sign bit flipped, which keeps order, differences and means.
pub trait Local: Params + fmt::Debug + Send + Sync + 'static {
    /// What the function gets for a component, on the CPU and in a kernel.
    type Consts: DeviceStruct + Default + Send + Sync + 'static;

    /// The file in `cuda/` that has its kernels.
    const MODULE: &'static str;

    /// The file that has the same kernels for two samples at a time, if there is one: those of at most 14 bits, on devices that
    /// take minima of pairs (cuda/common/rows.cuh).
    const PAIRS: Option<&'static str> = None;

    /// Whether the function gives one of the samples that it reads, by their order alone, at least with some parameters. Then it may
    /// be given samples as they are stored, and [`PAIRS`](Local::PAIRS) takes two at a time; so no source of it is shrunk.
    const ORDERS: bool = false;

    /// What the filter is.
    const DESCRIPTOR: &'static Descriptor;

    /// The kernel: its name there, without the type of samples.
    fn kernel(&self) -> String {
        Self::MODULE.to_owned()
    }

    /// Whether the function does what [`ORDERS`](Local::ORDERS) says, with these parameters.
    fn only_orders(&self) -> bool {
        Self::ORDERS
    }

    /// The planes that it works on.
    fn planes(&self) -> PlaneSet {
        PlaneSet::Yuv
    }

    /// The names of the pictures that it reads besides the chain's own.
    fn others(&self) -> Vec<String> {
        Vec::new()
    }

    /// Whether its result is a mixture of its pictures: what [`Filter::mixes`] says.
    fn mixes(&self) -> bool {
        false
    }

    /// The frames that it reads of the chain's own input.
    fn reach(&self) -> Reach {
        Reach::NONE
    }

    /// How far it reads to each side, up and down. Only filters of one source reach farther than the sample's own place.
    fn radius(&self) -> usize {
        0
    }

    /// Refuses streams that it cannot filter. Those beside the first must be like it unless a filter knows better.
    ///
    /// # Errors
    /// With what does not fit.
    fn check(&self, inputs: &[StreamInfo]) -> Result<()> {
        inputs[1..].iter().zip(self.others()).try_for_each(|(other, name)| check_alike(&inputs[0], other, &name))
    }

    /// Where a component's samples come from, by their numbers in [`Near::at`]: its own in every frame that is read, those
    /// of the first input in order of time before those of other inputs.
    fn sources(&self, inputs: &[StreamInfo], component: usize) -> Vec<ComponentSource> {
        let Reach { before, after } = self.reach();
        let own = (-(before as isize)..=after as isize)
            .map(|offset| ComponentSource { offset, ..ComponentSource::of(0, component) });
        own.chain((1..inputs.len()).map(|input| ComponentSource::of(input, component))).collect()
    }

    /// What the function gets for a component, or `None` where it changes nothing and the component is copied.
    /// Asked for the planes that it works on alone.
    fn consts(&self, inputs: &[StreamInfo], component: usize) -> Option<Self::Consts>;

    /// A result for each of 65536 values, where the function looks them up; empty where it does not.
    fn table(&self, inputs: &[StreamInfo], component: usize) -> Vec<u16> {
        let _ = (inputs, component);
        Vec::new()
    }

    /// Whether it works on this frame, or passes it on.
    fn applies(&self, input: &StreamInfo, props: &FrameProps) -> bool {
        let _ = (input, props);
        true
    }

    /// The function: the definition, for one sample.
    fn sample(consts: &Self::Consts, near: &impl Near<u16>) -> u16;

    /// The same for a vector of samples side by side. Without it the definition is what the compiler makes vectors of,
    /// which it can where that is arithmetic without branches.
    #[inline(always)]
    fn lanes<V: Lanes>(consts: &Self::Consts, around: &impl Around<V>) -> V {
        V::from_fn(|lane| Self::sample(consts, &around.lane(lane)))
    }
}

/// Refuses `other`, a stream called `name`, whose samples do not stand for what those of `first` stand for.
///
/// # Errors
/// With what differs, and what makes it alike where there is such a filter.
pub fn check_alike(first: &StreamInfo, other: &StreamInfo, name: &str) -> Result<()> {
    if (first.width, first.height) != (other.width, other.height) {
        return Err(Error::unsupported(format!(
            "the picture '{name}' has {}x{}, and the chain's has {}x{}: they must be of one size: scale makes '{name}' like it",
            other.width, other.height, first.width, first.height
        )));
    }
    check_samples(first, other, name)
}

/// The same, for pictures of any size.
///
/// # Errors
/// As [`check_alike`].
pub fn check_samples(first: &StreamInfo, other: &StreamInfo, name: &str) -> Result<()> {
    let components = |info: &StreamInfo| {
        let format = info.format;
        (format.model(), format.subsampling_w(), format.subsampling_h(), format.is_yc48())
    };
    // Full range has its white at another value at each depth.
    let white = |info: &StreamInfo| info.is_full_range().then(|| info.format.bit_depth());
    if components(first) != components(other) || (white(first) != white(other) && !first.format.is_yc48()) {
        let range = |info: &StreamInfo| if info.is_full_range() { "full" } else { "limited" };
        return Err(Error::unsupported(format!(
            "the picture '{name}' is {} of {} range, and the chain's is {} of {} range: they must be alike{}",
            other.format,
            range(other),
            first.format,
            range(first),
            likening_names(first, other).map_or_else(String::new, |how| format!(": {how} makes '{name}' like it"))
        )));
    }
    Ok(())
}

/// The names of the filters that make `other` like `first`, if there are some.
fn likening_names(first: &StreamInfo, other: &StreamInfo) -> Option<String> {
    let filters = likening(first, other)?;
    Some(filters.iter().map(|filter| filter.descriptor().name).collect::<Vec<_>>().join(","))
}

/// Makes the filter that `call` asks for: what a descriptor's `create` is.
///
/// # Errors
/// For arguments that are none of its parameters' values.
pub fn create<T: Local>(call: &Call) -> Result<Box<dyn Filter>> {
    Ok(of(T::from_call(call)?))
}

/// The filter with these parameters.
pub fn of<T: Local>(params: T) -> Box<dyn Filter> {
    Box::new(LocalFilter { params })
}

/// A filter of this tier with its parameters set.
#[derive(Debug)]
struct LocalFilter<T> {
    params: T,
}

impl<T: Local> Filter for LocalFilter<T> {
    fn descriptor(&self) -> &'static Descriptor {
        T::DESCRIPTOR
    }

    fn call(&self) -> Call {
        self.params.to_call(T::DESCRIPTOR.name)
    }

    fn wiring(&self) -> Wiring {
        Wiring::Reads(self.params.others())
    }

    fn mixes(&self) -> bool {
        self.params.mixes()
    }

    fn spec(&self, inputs: &[StreamInfo]) -> Result<Spec> {
        self.params.check(inputs)?;
        let format = inputs[0].format;
        let computes =
            |component| self.params.planes().has(format, component) && self.params.consts(inputs, component).is_some();
        let mut spec = Spec::copying(inputs[0].clone(), |component| !computes(component));
        spec.reads = vec![Reach::NONE; inputs.len()];
        Ok(spec.reading(self.params.reach()))
    }

    fn reference(&self, setup: &Setup) -> Result<Box<dyn CpuKernel>> {
        Ok(Box::new(reference::Reference::new(Plan::new(&self.params, setup))))
    }

    fn cpu(&self, setup: &Setup, level: CpuLevel) -> Result<Box<dyn CpuKernel>> {
        Ok(Box::new(fast::Fast::new(Plan::new(&self.params, setup), level)?))
    }

    #[cfg(feature = "cuda")]
    fn cuda_memory(&self, setup: &Setup, _: &Arc<CudaDevice>) -> Result<usize> {
        let plan = Plan::new(&self.params, setup);
        Ok(plan.components.iter().flatten().map(|component| size_of_val(&*component.table)).sum())
    }

    #[cfg(feature = "cuda")]
    fn cuda(&self, setup: &Setup, device: &Arc<CudaDevice>) -> Result<Box<dyn CudaKernel>> {
        Ok(Box::new(cuda::Kernel::new(Plan::new(&self.params, setup), device)?))
    }
}
