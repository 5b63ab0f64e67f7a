//! Filters that move samples and compute none: each is a map of places in integers, and one kernel serves them all.

pub mod crop;
#[cfg(feature = "cuda")]
mod cuda;
mod fast;
pub mod hflip;
mod map;
pub mod pad;
mod reference;
pub mod rotate;
mod swap;
#[cfg(test)]
mod tests;
pub mod transpose;
mod tuning;
pub mod vflip;

#[cfg(feature = "cuda")]
pub(super) use cuda::Mover as CudaMover;
pub(super) use fast::Mover as CpuMover;
pub(super) use map::{Axis, Geometry, Map};
pub(super) use reference::apply as apply_plainly;

use crate::device::cpu::CpuLevel;
#[cfg(feature = "cuda")]
use crate::device::cuda::CudaDevice;
use crate::error::{Error, Result};
use crate::filters::{CpuJob, CpuKernel, Descriptor, Filter, Setup, Spec};
#[cfg(feature = "cuda")]
use crate::filters::{CudaJob, CudaKernel};
use crate::params::{Call, Params};
use crate::video::{FrameProps, SideData, StreamInfo};
use std::fmt::Debug;
#[cfg(feature = "cuda")]
use std::sync::Arc;

/// The parameters of a filter that moves samples.
pub trait Remap: Params + Debug + Send + Sync + 'static {
    /// What the filter is.
    const DESCRIPTOR: &'static Descriptor;

    /// Where the samples of `input` go.
    ///
    /// # Errors
    /// When it cannot be done to `input`, with what can.
    fn geometry(&self, input: &StreamInfo) -> Result<Geometry>;
}

/// A filter that moves samples.
#[derive(Debug)]
pub struct Remapped<P>(P);

impl<P: Remap> Remapped<P> {
    /// The filter with `params`.
    pub fn new(params: P) -> Remapped<P> {
        Remapped(params)
    }

    /// The filter that `call` asks for.
    ///
    /// # Errors
    /// As [`Params::from_call`].
    fn create(call: &Call) -> Result<Box<dyn Filter>> {
        Ok(Box::new(Remapped(P::from_call(call)?)))
    }

    fn maps(&self, setup: &Setup) -> Result<[Map; 3]> {
        Ok(self.0.geometry(&setup.input)?.maps(&setup.input))
    }
}

impl<P: Remap> Filter for Remapped<P> {
    fn descriptor(&self) -> &'static Descriptor {
        P::DESCRIPTOR
    }

    fn call(&self) -> Call {
        self.0.to_call(P::DESCRIPTOR.name)
    }

    fn spec(&self, inputs: &[StreamInfo]) -> Result<Spec> {
        let input = &inputs[0];
        let geometry = self.0.geometry(input)?;
        check_fields(&geometry, input)?;
        let output = geometry.output(input);
        Ok(match geometry.is_identity(input) {
            true => Spec::copying(output, |_| true),
            false => Spec::computed(output),
        })
    }

    fn describe(&self, setup: &Setup, props: &mut FrameProps) {
        // `spec` has not refused the stream.
        let Ok(geometry) = self.0.geometry(&setup.input) else { return };
        if !geometry.is_identity(&setup.input) {
            forget_places(props);
            props.field_order = geometry.field_order(props.field_order, setup.input.height);
        }
    }

    fn reference(&self, setup: &Setup) -> Result<Box<dyn CpuKernel>> {
        Ok(reference(self.maps(setup)?))
    }

    fn cpu(&self, setup: &Setup, level: CpuLevel) -> Result<Box<dyn CpuKernel>> {
        cpu(self.maps(setup)?, level)
    }

    #[cfg(feature = "cuda")]
    fn cuda(&self, setup: &Setup, device: &Arc<CudaDevice>) -> Result<Box<dyn CudaKernel>> {
        cuda(self.maps(setup)?, device)
    }
}

/// The plain kernel that moves samples by `maps`.
pub(super) fn reference(maps: [Map; 3]) -> Box<dyn CpuKernel> {
    Box::new(Reference(maps))
}

/// The fast one at `level`.
pub(super) fn cpu(maps: [Map; 3], level: CpuLevel) -> Result<Box<dyn CpuKernel>> {
    Ok(Box::new(Fast(CpuMover::new(maps, level)?)))
}

/// The one on `device`.
#[cfg(feature = "cuda")]
pub(super) fn cuda(maps: [Map; 3], device: &CudaDevice) -> Result<Box<dyn CudaKernel>> {
    Ok(Box::new(Cuda(CudaMover::new(maps, device)?)))
}

/// Removes metadata about places in the picture.
pub(super) fn forget_places(props: &mut FrameProps) {
    props.side_data.retain(|data| !SideData::OF_PLACES.contains(&data.kind));
}

/// Refuses what would move the fields of chroma and those of luma apart.
fn check_fields(geometry: &Geometry, input: &StreamInfo) -> Result<()> {
    let [luma, chroma] = [0, input.format.components() - 1].map(|component| {
        let (_, height) = input.format.component_size(component, input.width, input.height);
        geometry.exchanges_fields(height, input.format.subsampling_h() * u8::from(component > 0))
    });
    if !input.field_order.is_interlaced() || geometry.swap || luma == chroma {
        return Ok(());
    }
    let height = input.height;
    let (below, above) = (height / 4 * 4, height.next_multiple_of(4));
    Err(Error::unsupported(format!(
        "{height} rows of interlaced {} cannot be turned over: luma and chroma would change fields apart; crop them to \
         {below} or pad them to {above} first",
        input.format
    )))
}

struct Reference([Map; 3]);

impl CpuKernel for Reference {
    fn run(&mut self, job: CpuJob<'_>) {
        let CpuJob { src, mut dst, .. } = job;
        apply_plainly(&self.0, src.here(), &mut dst);
    }

    fn path(&self) -> &'static str {
        "reference"
    }
}

struct Fast(CpuMover);

impl CpuKernel for Fast {
    fn run(&mut self, job: CpuJob<'_>) {
        let CpuJob { src, mut dst, exec, .. } = job;
        self.0.apply(src.here(), &mut dst, exec);
    }

    fn path(&self) -> &'static str {
        self.0.level().name()
    }
}

#[cfg(feature = "cuda")]
struct Cuda(CudaMover);

#[cfg(feature = "cuda")]
impl CudaKernel for Cuda {
    fn enqueue(&mut self, job: &CudaJob<'_>) -> Result<()> {
        self.0.apply(job.src.here(), job.dst, job.stream)
    }
}
