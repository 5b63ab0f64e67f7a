//! Filters of colour: components become R'G'B', its light is worked on, and components are made of it again.
//!
//! A filter states streams and a `LightSteps`; places of chroma, matrices and kernels are here.

mod cube;
#[cfg(feature = "cuda")]
mod cuda;
mod fast;
mod gamut;
mod light;
pub mod lut;
pub mod lut3d;
pub mod matrix;
mod primaries;
mod recipe;
mod reference;
mod siting;
mod table;
#[cfg(test)]
mod tests;
pub mod tonemap;
pub mod transfer;
mod tuning;
mod ycbcr;

use crate::device::cpu::CpuLevel;
#[cfg(feature = "cuda")]
use crate::device::cuda::CudaDevice;
use crate::error::{Error, Result};
#[cfg(feature = "cuda")]
use crate::filters::CudaKernel;
use crate::filters::depth::Depth;
use crate::filters::requant::Dither;
use crate::filters::survey::{Smoothing, SurveyParams, survey};
use crate::filters::{CpuKernel, Descriptor, Filter, Setup, Spec};
use crate::params::{Call, Params};
use crate::video::{Format, Model, StreamInfo};
pub(super) use primaries::luma_weights;
use recipe::{Recipe, RgbStep};
use std::fmt::Debug;
use std::path::Path;
#[cfg(feature = "cuda")]
use std::sync::Arc;
use tonemap::peaks::Peaks;
pub(super) use ycbcr::Decode;

/// H.273's code points.
const BT709: u8 = 1;
const UNSPECIFIED: u8 = 2;
const BT2020: u8 = 9;

/// The parameters of a filter of colour.
pub trait Grade: Debug + Send + Sync + 'static {
    /// What the filter is.
    const DESCRIPTOR: &'static Descriptor;

    /// The call that makes the filter again.
    fn call(&self) -> Call;

    /// As [`Filter::file`].
    fn file(&self) -> Option<&Path> {
        None
    }

    /// `input` with what it does not state about its colours, and what parameters say of them.
    ///
    /// # Errors
    /// When it is no stream that the filter takes, with what to do.
    fn source(&self, input: &StreamInfo) -> Result<StreamInfo>;

    /// The stream that `source` becomes.
    ///
    /// # Errors
    /// When it cannot become that.
    fn output(&self, source: &StreamInfo) -> Result<StreamInfo>;

    /// What is done to R'G'B' in between.
    fn work(&self, source: &StreamInfo, output: &StreamInfo) -> RgbStep;

    /// The surveys of frames, and how they become the peaks that light follows; `None`: all are treated alike.
    fn smoothing(&self) -> Option<(Smoothing, SurveyParams)> {
        None
    }

    /// What the gain of light follows from frame to frame.
    fn peaks(&self, source: &StreamInfo) -> Option<Peaks> {
        let _ = source;
        None
    }

    /// Whether `output` is `source` with the same samples.
    fn is_identity(&self, source: &StreamInfo, output: &StreamInfo) -> bool {
        (output.format, output.color) == (source.format, source.color)
    }

    /// What is taken for granted about `input`, which does not state it.
    fn note(&self, input: &StreamInfo) -> Option<String> {
        let _ = input;
        None
    }

    /// What parameters are likely not meant to do.
    fn warning(&self) -> Option<String> {
        None
    }
}

/// A filter of colour.
#[derive(Debug)]
pub struct Graded<P>(P);

impl<P: Grade + Params> Graded<P> {
    /// The filter that `call` asks for.
    ///
    /// # Errors
    /// As [`Params::from_call`].
    fn create(call: &Call) -> Result<Box<dyn Filter>> {
        Ok(Box::new(Graded(P::from_call(call)?)))
    }
}

impl<P: Grade> Graded<P> {
    /// `input` with all that is known of its colours, and what it becomes.
    fn streams(&self, input: &StreamInfo) -> Result<(StreamInfo, StreamInfo)> {
        let source = self.0.source(input)?;
        let output = self.0.output(&source)?;
        Ok((source, output))
    }

    /// What kernels of `setup` compute; `None`: nothing changes, whatever components mean.
    fn recipe(&self, setup: &Setup) -> Result<Option<Recipe>> {
        let (source, output) = self.streams(&setup.input)?;
        let changes = !self.0.is_identity(&source, &output);
        Ok(changes.then(|| Recipe {
            peaks: self.0.peaks(&source),
            ..Recipe::new(&source, &output, self.0.work(&source, &output))
        }))
    }
}

impl<P: Grade> Filter for Graded<P> {
    fn descriptor(&self) -> &'static Descriptor {
        P::DESCRIPTOR
    }

    fn call(&self) -> Call {
        self.0.call()
    }

    fn file(&self) -> Option<&Path> {
        self.0.file()
    }

    fn spec(&self, inputs: &[StreamInfo]) -> Result<Spec> {
        let (source, output) = self.streams(&inputs[0])?;
        let mut spec = match self.0.is_identity(&source, &output) {
            true => Spec::copying(inputs[0].clone(), |_| true),
            false => Spec::computed(output),
        };
        spec.reads.extend(self.0.smoothing().map(|(smoothing, _)| smoothing.reach()));
        Ok(spec)
    }

    fn survey(&self, _: &StreamInfo) -> Option<Box<dyn Filter>> {
        self.0.smoothing().map(|(_, params)| survey(params))
    }

    fn note(&self, setup: &Setup) -> Option<String> {
        self.0.note(&setup.input)
    }

    fn warning(&self) -> Option<String> {
        self.0.warning()
    }

    fn reference(&self, setup: &Setup) -> Result<Box<dyn CpuKernel>> {
        match self.recipe(setup)? {
            Some(recipe) => Ok(Box::new(reference::Reference(recipe))),
            None => copying(setup).reference(setup),
        }
    }

    fn cpu(&self, setup: &Setup, level: CpuLevel) -> Result<Box<dyn CpuKernel>> {
        match self.recipe(setup)? {
            Some(recipe) => Ok(Box::new(fast::Fast::new(recipe, setup.input.width, level)?)),
            None => copying(setup).cpu(setup, level),
        }
    }

    #[cfg(feature = "cuda")]
    fn cuda_memory(&self, setup: &Setup, device: &Arc<CudaDevice>) -> Result<usize> {
        match self.recipe(setup)? {
            Some(recipe) => Ok(cuda::memory(&recipe)),
            None => copying(setup).cuda_memory(setup, device),
        }
    }

    #[cfg(feature = "cuda")]
    fn cuda(&self, setup: &Setup, device: &Arc<CudaDevice>) -> Result<Box<dyn CudaKernel>> {
        match self.recipe(setup)? {
            Some(recipe) => Ok(Box::new(cuda::Kernel::new(&recipe, device)?)),
            None => copying(setup).cuda(setup, device),
        }
    }
}

/// The filter that copies: a change to the depth that pictures have.
fn copying(setup: &Setup) -> Depth {
    Depth::to(setup.input.format.bit_depth(), Dither::None)
}

/// Formats with colours, whose components lie in planes.
fn has_colours(format: Format) -> bool {
    format.model() != Model::Gray && !format.is_yc48()
}

/// Refuses a stream whose components are no sums of R'G'B' that are known; `option` states what they are.
fn check_matrix(info: &StreamInfo, option: &str) -> Result<()> {
    let tag = info.color.matrix;
    if info.format.model() == Model::Rgb || primaries::luma_weights(tag).is_some() {
        return Ok(());
    }
    let name = crate::video::code_point_name("matrix", tag).unwrap_or("unknown");
    Err(Error::unsupported(match tag {
        UNSPECIFIED => {
            format!("the stream does not state its matrix: add {option}bt709, {option}bt601 or {option}bt2020")
        }
        _ => format!("the stream's matrix is {name} ({tag}), which is not converted: bt709, bt601 and bt2020 are"),
    }))
}
