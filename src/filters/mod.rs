//! The filters, and how every filter describes itself.
//!
//! A filter is three touches: its file here, its kernels in `cuda/`, and its line in `registry.rs`.

use crate::device::cpu::CpuLevel;
#[cfg(feature = "cuda")]
use crate::device::cuda::CudaDevice;
use crate::error::Result;
use crate::params::{Call, Name, Schema};
#[cfg(feature = "cuda")]
use crate::video::Record;
use crate::video::{Format, FrameProps, StreamInfo};
use std::fmt;
use std::path::Path;
#[cfg(feature = "cuda")]
use std::sync::Arc;

mod adjust;
mod affine;
mod alias;
pub mod banding;
pub mod bilateral;
mod blend;
pub mod boxblur;
mod clahe;
pub mod colour;
mod convolve;
#[cfg(feature = "cuda")]
mod cuda;
mod curve;
mod curves;
pub mod deband;
mod deblock;
pub mod depth;
pub(crate) mod device_struct;
mod diff;
pub mod docs;
pub mod domain;
mod edges;
mod expr;
pub mod fields;
pub mod gauss;
pub mod gradient;
mod guide;
mod guided;
mod job;
mod levels;
mod lines;
pub mod local;
pub mod localtone;
mod mask;
pub(crate) mod masked;
mod measure;
mod median;
mod merge;
mod morph;
mod names;
mod nlmeans;
mod overlay;
pub mod planes;
pub(crate) mod point;
mod program;
pub mod range;
mod rank;
mod registry;
pub mod remap;
mod requant;
pub mod resample;
pub mod rgauss;
mod saturation;
pub mod select;
mod siting;
mod spec;
pub mod stats;
mod stock;
#[cfg(feature = "cuda")]
mod strips;
mod surface_blur;
pub mod survey;
#[cfg(feature = "cuda")]
mod tensor;
#[cfg(test)]
pub(crate) mod testing;
mod tmedian;
mod tsoften;
mod unsharp;
mod window;
mod zones;

pub use alias::{Alias, Foreign};
#[cfg(feature = "cuda")]
pub use job::CudaJob;
pub use job::{CpuJob, Frames, InputWindow};
pub use point::Points;
pub use program::{chain_file, program, read_chain};
pub use registry::{ALL, chain, create, find, find_or_suggest, pinned};
pub use spec::{Cycle, Origin, Reach, Spec, Wiring};

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
    /// Width and height.
    Size,
    /// Components, subsampling.
    Layout,
    /// Matrix, transfer, primaries or chroma siting.
    Colour,
    /// How bright the picture is meant to be: its HDR metadata no longer holds.
    Grading,
    /// The sample aspect ratio.
    Aspect,
    /// How many frames there are, and their times.
    Rate,
}

/// What a filter is: one constant a filter, from which help, documentation, host tables and tests are made.
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
    /// Which formats of its first input it takes.
    pub accepts: fn(Format) -> bool,
    /// How far it reads.
    pub footprint: Footprint,
    /// Frames that it reads around the one it makes, in words; empty when there are none.
    pub temporal: &'static str,
    /// What it may change.
    pub changes: &'static [Change],
    /// Arguments with which it is the identity on every format it takes; none where it always changes something.
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

    /// The text of a call with `args`, as a chain writes it.
    pub fn text(&self, args: &str) -> String {
        if args.is_empty() { self.name.to_owned() } else { format!("{}={args}", self.name) }
    }

    /// A chain that runs the filter with `args` on frames of its own: other pictures that it reads are earlier points of the
    /// chain. `None` for what only names pictures.
    ///
    /// # Errors
    /// When the arguments are wrong.
    pub fn example(&self, args: &str) -> Result<Option<String>> {
        let text = self.text(args);
        let call = crate::params::parse_chain(&text)?.into_iter().next();
        let call = call.ok_or_else(|| crate::error::Error::internal("a call that is none"))?;
        let Wiring::Reads(names) = (self.create)(&call)?.wiring() else { return Ok(None) };
        let keep = |(i, name): (usize, &String)| format!("keep={name},box=radius={},", i + 1);
        Ok(Some(names.iter().enumerate().map(keep).collect::<String>() + &text))
    }

    /// Whether it computes anything. What only says which picture is which (`keep`, `use`) is done with when a chain is
    /// planned.
    pub fn has_kernels(&self) -> bool {
        matches!(self.bare_wiring(), Wiring::Reads(_))
    }

    /// Whether it computes, from the chain's own picture alone.
    pub fn stands_alone(&self) -> bool {
        self.bare_wiring() == Wiring::Reads(Vec::new())
    }

    /// The names that it reads by default.
    fn bare_wiring(&self) -> Wiring {
        let bare = Call { name: self.name.to_owned(), args: Vec::new() };
        (self.create)(&bare).map_or(Wiring::Reads(Vec::new()), |filter| filter.wiring())
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
    /// The inputs beside it, in the order of [`Filter::wiring`].
    pub sides: Vec<SideStorage>,
    /// The stream it gives, as [`Filter::spec`] states.
    pub output: StreamInfo,
    /// Storage of the pictures it reads: the source's own format, or v16.
    pub src: Format,
    /// Storage of the pictures it writes: v16, or the sink's own format. Every kernel narrows while it writes.
    pub dst: Format,
}

impl Setup {
    /// A kernel of one input.
    pub fn of(input: StreamInfo, src: Format, output: StreamInfo, dst: Format) -> Setup {
        Setup { input, sides: Vec::new(), output, src, dst }
    }

    /// How pictures of input `index` are stored.
    pub fn storage(&self, index: usize) -> Format {
        if index == 0 { self.src } else { self.sides[index - 1].src }
    }

    /// The same, to change.
    pub(crate) fn storage_mut(&mut self, index: usize) -> &mut Format {
        if index == 0 { &mut self.src } else { &mut self.sides[index - 1].src }
    }

    /// Every input, the chain's own first.
    pub fn inputs(&self) -> Vec<StreamInfo> {
        std::iter::once(&self.input).chain(self.sides.iter().map(|side| &side.info)).cloned().collect()
    }
}

/// An input beside the chain's own.
#[derive(Clone, Debug)]
pub struct SideStorage {
    /// The stream.
    pub info: StreamInfo,
    /// Storage of its pictures.
    pub src: Format,
}

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

    /// What it knows of the frames around the one it makes, where that is not their pictures: the filter that makes a small
    /// picture of numbers of each frame of its first input. A chain runs it before this one, whose last input the result is,
    /// with a [`Reach`] of its own as the last of [`Spec::reads`]. [`Filter::spec`] does not get its stream.
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

    /// Bytes of `device`'s memory that [`Filter::cuda`]'s kernel will hold beside the pictures it is given, so that a run which
    /// does not fit is refused before it starts.
    ///
    /// # Errors
    /// When the device has failed.
    #[cfg(feature = "cuda")]
    fn cuda_memory(&self, setup: &Setup, device: &std::sync::Arc<CudaDevice>) -> Result<usize> {
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

/// A filter built for one stream on a CUDA device. Its memory and tables are made when it is built.
#[cfg(feature = "cuda")]
pub trait CudaKernel: Send {
    /// Puts the work for one frame into the job's stream. The result depends on what a [`CpuKernel`]'s depends on, to the
    /// bit.
    ///
    /// # Errors
    /// When the device refuses the work.
    fn enqueue(&mut self, job: &CudaJob<'_>) -> Result<()>;

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

/// A filter built for one stream on the CPU. Its memory and tables are made when it is built, not a frame at a time.
pub trait CpuKernel: Send {
    /// Filters one frame. The result depends on the parameters and on what the job reads alone: never on earlier jobs.
    fn run(&mut self, job: CpuJob<'_>);

    /// The code path that [`CpuKernel::run`] takes, for tests that the fast one really runs: "reference",
    /// or a [`CpuLevel`]'s name.
    fn path(&self) -> &'static str;
}
