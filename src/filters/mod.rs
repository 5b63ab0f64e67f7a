//! The filters, and what every filter tells about itself.
//!
//! A filter is three touches: its file here, its kernels in `cuda/`, and its line in `registry.rs`.

use crate::device::cpu::{CpuExec, CpuLevel};
#[cfg(feature = "cuda")]
use crate::device::cuda::{CudaDevice, DevicePlanes, Stream};
use crate::error::Result;
use crate::params::{Call, Schema};
use crate::video::{Format, FrameProps, Planes, PlanesMut, StreamInfo};
use std::fmt;

mod alias;
pub mod bilateral;
pub mod boxblur;
#[cfg(feature = "cuda")]
mod cuda;
pub mod deband;
pub mod depth;
pub mod docs;
pub mod gauss;
pub mod gradient;
pub(crate) mod level;
pub mod planes;
pub mod range;
mod registry;
mod requant;
pub(crate) mod rows;
mod stock;
#[cfg(feature = "cuda")]
mod strips;
#[cfg(feature = "cuda")]
mod tensor;
#[cfg(test)]
mod testing;

pub use alias::{Alias, Foreign};
pub use registry::{ALL, chain, create, find, find_or_suggest};

/// How far from a sample a filter reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Footprint {
    /// Only the sample itself.
    Point,
    /// The sample's neighbourhood; the text says how far.
    Window(&'static str),
    /// Samples to the left and in rows above may change a sample (error diffusion).
    Causal,
}

/// What a filter may change about a stream besides its samples.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    /// The bit depth.
    BitDepth,
    /// The sample range.
    Range,
}

/// What a filter is: one constant a filter, from which help, documentation, host tables and tests come.
pub struct Descriptor {
    /// The name in a chain.
    pub name: &'static str,
    /// Other names it answers to.
    pub aliases: &'static [Alias],
    /// One line.
    pub summary: &'static str,
    /// What it computes, in Markdown, with its source.
    pub definition: &'static str,
    /// Its parameters and presets.
    pub schema: &'static Schema,
    /// Which formats it takes. It gives the same model, layout and subsampling.
    pub accepts: fn(Format) -> bool,
    /// How far it reads.
    pub footprint: Footprint,
    /// Frames it needs (before, after) the one it makes.
    pub temporal: (u32, u32),
    /// What it may change.
    pub changes: &'static [Change],
    /// Arguments with which it is the identity on every format it takes.
    pub neutral: &'static [&'static str],
    /// Arguments that the test harness and the benches run it with.
    pub cases: &'static [&'static str],
    /// Makes the filter from checked arguments.
    pub create: fn(&Call) -> Result<Box<dyn Filter>>,
}

impl Descriptor {
    /// Every name it answers to, its own first.
    pub fn names(&self) -> impl Iterator<Item = &'static str> {
        std::iter::once(self.name).chain(self.aliases.iter().map(|alias| alias.name))
    }
}

impl fmt::Debug for Descriptor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Descriptor({})", self.name)
    }
}

/// What a kernel is built for: nominal streams and the storage its pictures have.
#[derive(Clone, Debug)]
pub struct Setup {
    /// The stream the filter gets; `format.bit_depth()` is nominal.
    pub input: StreamInfo,
    /// The stream it gives, as [`Filter::output`] said.
    pub output: StreamInfo,
    /// Storage of the pictures it reads: the source's own format, or v16.
    pub src: Format,
    /// Storage of the pictures it writes: v16, or the sink's own format. Every kernel narrows while it writes.
    pub dst: Format,
}

/// A filter with its parameters set.
pub trait Filter: Send + Sync + fmt::Debug {
    /// What this filter is.
    fn descriptor(&self) -> &'static Descriptor;

    /// The call that makes this filter again, canonical.
    fn call(&self) -> Call;

    /// The stream it gives for `input`.
    ///
    /// # Errors
    /// When it cannot filter `input` with these parameters.
    fn output(&self, input: &StreamInfo) -> Result<StreamInfo> {
        Ok(input.clone())
    }

    /// True when it passes component `component` of `input` on as it is. A chain may then leave the component where it
    /// lies: the kernels find a target of no rows, and write nothing.
    fn passes(&self, _component: usize, _input: &StreamInfo) -> bool {
        false
    }

    /// True when it would change no sample of `input`, so that a chain may leave it out.
    fn is_identity(&self, input: &StreamInfo) -> bool;

    /// What its parameters, though allowed, are likely not meant to do: one line for whoever gave them.
    fn doubt(&self) -> Option<String> {
        None
    }

    /// The depth it rounds `input` to, when it does nothing else: the kernel before it can then do that while it writes.
    fn only_rounds(&self, _input: &StreamInfo) -> Option<u8> {
        None
    }

    /// The plain scalar kernel: written to be read, and what every other kernel is held to.
    fn reference(&self, setup: &Setup) -> Result<Box<dyn CpuKernel>>;

    /// The fast kernel at `level`.
    fn cpu(&self, setup: &Setup, level: CpuLevel) -> Result<Box<dyn CpuKernel>>;

    /// The kernel on a CUDA device.
    ///
    /// # Errors
    /// When the filter has none, or the device cannot take it.
    #[cfg(feature = "cuda")]
    fn cuda(&self, setup: &Setup, device: &std::sync::Arc<CudaDevice>) -> Result<Box<dyn CudaKernel>> {
        let _ = (setup, device);
        Err(crate::error::Error::unsupported("does not run on CUDA"))
    }
}

/// A filter built for one stream on a CUDA device. Its memory and tables are made when it is built.
#[cfg(feature = "cuda")]
pub trait CudaKernel: Send {
    /// Puts the work for one frame into `stream`. Frames come in one stream, so memory of the kernel's own is free
    /// again when the next frame's work begins. The result depends on what a [`CpuKernel`]'s depends on, to the bit.
    ///
    /// # Errors
    /// When the device refuses the work.
    fn enqueue(&mut self, props: &FrameProps, src: &DevicePlanes, dst: &DevicePlanes, stream: &Stream) -> Result<()>;

    /// False when recorded work cannot be done again, since a frame's work counts on from that of the frame before.
    fn repeats(&self) -> bool {
        true
    }
}

/// A filter built for one stream on the CPU. Its memory and tables are made when it is built, not a frame at a time.
pub trait CpuKernel: Send {
    /// Filters one frame. The result depends on the parameters, `props` and `src` alone: never on earlier frames.
    fn run(&mut self, props: &FrameProps, src: &Planes<'_>, dst: &mut PlanesMut<'_>, exec: &CpuExec);

    /// The code path that [`CpuKernel::run`] takes, for tests that the fast one really runs: "reference",
    /// or a [`CpuLevel`]'s name.
    fn path(&self) -> &'static str;
}
