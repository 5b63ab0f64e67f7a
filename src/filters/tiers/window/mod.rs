//! The third tier of filters: a sample of the result is a function of the window around its place in the same plane, a
//! window that may be large.
//!
//! A filter says what it does to a plane ([`WindowOp`]), once in plain words and once for a tile of samples with all that
//! its windows reach. This module owns all else: the planes option, storage, borders, tiles over threads, vector levels and
//! the launch of CUDA kernels that are made of cuda/common/window.cuh.

mod bytes;
#[cfg(feature = "cuda")]
pub(crate) mod cuda;
mod fast;
mod grid;
mod reference;
mod tile;
pub(crate) mod tuning;

pub use bytes::ByteRows;
pub use grid::Grid;
pub use tile::Tile;
pub(crate) use tile::{repeat_border, repeat_ends};

use crate::device::cpu::CpuLevel;
#[cfg(feature = "cuda")]
use crate::device::cuda::CudaDevice;
use crate::error::Result;
#[cfg(feature = "cuda")]
use crate::filters::CudaKernel;
use crate::filters::planes::PlaneSet;
use crate::filters::{CpuKernel, Descriptor, Filter, Setup, Spec};
use crate::params::{Call, Params};
use crate::video::StreamInfo;
use std::fmt;
#[cfg(feature = "cuda")]
use std::sync::Arc;

/// What is done to a plane. Values are lanes of 16 bits: v16, or YC48 with its sign bit flipped.
pub trait WindowOp: Clone + Send + Sync + 'static {
    /// How far a result reaches, in columns and rows.
    fn radius(&self) -> (usize, usize);

    /// Rows that are worth a tile's rows above and below.
    fn band(&self) -> usize {
        tuning::cpu::BAND
    }

    /// The definition: the result of a whole plane.
    fn plain(&self, src: &Grid) -> Grid;

    /// The same for a tile, from its lanes to its `out`. It and what it calls is `#[inline(always)]`: it is compiled once for
    /// each vector level.
    fn tile(&self, tile: &mut Tile);

    /// Whether it has a form of its own for planes of bytes whose results are bytes.
    fn takes_bytes(&self) -> bool {
        false
    }

    /// That form: the codes of a row of results, of those around it. What `plain` makes is rounded to them.
    fn byte_row(&self, _rows: &ByteRows, _out: &mut [u8]) {}
}

/// The parameters of a filter of this tier.
pub trait Windowed: Params + fmt::Debug + Send + Sync + 'static {
    /// What is done to a plane.
    type Op: WindowOp;

    /// What the filter is.
    const DESCRIPTOR: &'static Descriptor;

    /// The planes that it works on.
    fn planes(&self) -> PlaneSet;

    /// Refuses parameters that do not fit one another.
    ///
    /// # Errors
    /// With what does not fit.
    fn check(&self) -> Result<()> {
        Ok(())
    }

    /// What is likely not meant.
    fn warning(&self) -> Option<String> {
        None
    }

    /// What is done to a component, or `None` where nothing changes. Asked for the planes that it works on alone.
    fn op(&self, input: &StreamInfo, component: usize) -> Option<Self::Op>;

    /// Bytes of device memory that the kernel for these components holds.
    #[cfg(feature = "cuda")]
    fn cuda_memory(plan: &Plan<Self::Op>, device: &CudaDevice) -> usize;

    /// The kernel on a CUDA device.
    ///
    /// # Errors
    /// When it cannot be loaded, or there is no memory for it.
    #[cfg(feature = "cuda")]
    fn cuda(plan: Plan<Self::Op>, device: &CudaDevice) -> Result<Box<dyn CudaKernel>>;
}

/// A filter with its parameters, built for a stream.
pub struct Plan<O> {
    /// The stream, and how its pictures are stored: kernels for the CPU learn that from pictures.
    #[cfg(feature = "cuda")]
    pub setup: Setup,
    /// What is done to each component; `None`: it is copied.
    pub ops: Vec<Option<O>>,
}

impl<O> Plan<O> {
    /// What `params` mean for the pictures of `setup`.
    fn new<T: Windowed<Op = O>>(params: &T, setup: &Setup) -> Plan<O> {
        Plan {
            #[cfg(feature = "cuda")]
            setup: setup.clone(),
            ops: ops(params, &setup.input),
        }
    }

    /// The operation, which is the same wherever one is done.
    pub fn op(&self) -> Option<&O> {
        self.ops.iter().flatten().next()
    }
}

/// What is done to each component of `input`.
fn ops<T: Windowed>(params: &T, input: &StreamInfo) -> Vec<Option<T::Op>> {
    let format = input.format;
    let op = |component| params.planes().has(format, component).then(|| params.op(input, component)).flatten();
    (0..format.components()).map(op).collect()
}

/// Makes the filter that `call` asks for: what a descriptor's `create` is.
///
/// # Errors
/// For arguments that are none of its parameters' values, or do not fit one another.
pub fn create<T: Windowed>(call: &Call) -> Result<Box<dyn Filter>> {
    let params = T::from_call(call)?;
    params.check().map_err(|error| error.context(T::DESCRIPTOR.name))?;
    Ok(Box::new(WindowFilter { params }))
}

/// A filter of this tier with its parameters set.
#[derive(Debug)]
struct WindowFilter<T> {
    params: T,
}

impl<T: Windowed> Filter for WindowFilter<T> {
    fn descriptor(&self) -> &'static Descriptor {
        T::DESCRIPTOR
    }

    fn call(&self) -> Call {
        self.params.to_call(T::DESCRIPTOR.name)
    }

    fn spec(&self, inputs: &[StreamInfo]) -> Result<Spec> {
        let ops = ops(&self.params, &inputs[0]);
        Ok(Spec::copying(inputs[0].clone(), |component| ops[component].is_none()))
    }

    fn warning(&self) -> Option<String> {
        self.params.warning()
    }

    fn reference(&self, setup: &Setup) -> Result<Box<dyn CpuKernel>> {
        Ok(Box::new(reference::Reference::new(Plan::new(&self.params, setup))))
    }

    fn cpu(&self, setup: &Setup, level: CpuLevel) -> Result<Box<dyn CpuKernel>> {
        Ok(Box::new(fast::Fast::new(Plan::new(&self.params, setup), setup.input.width, level)?))
    }

    #[cfg(feature = "cuda")]
    fn cuda_memory(&self, setup: &Setup, device: &Arc<CudaDevice>) -> Result<usize> {
        Ok(T::cuda_memory(&Plan::new(&self.params, setup), device))
    }

    #[cfg(feature = "cuda")]
    fn cuda(&self, setup: &Setup, device: &Arc<CudaDevice>) -> Result<Box<dyn CudaKernel>> {
        T::cuda(Plan::new(&self.params, setup), device)
    }
}
