//! `convolve`: weighted sums of the samples around a place.

mod bytes;
#[cfg(feature = "cuda")]
mod cuda;
mod foreign;
pub(crate) mod kernel;
#[cfg(feature = "cuda")]
mod near;
mod op;
mod pairs;
mod quotient;
mod simd;
#[cfg(feature = "cuda")]
mod tensor;
#[cfg(test)]
mod tests;
mod tuning;
mod weights;

use crate::error::Result;
use crate::filters::planes::PlaneSet;
use crate::filters::window::{self, Windowed};
use crate::filters::{Alias, Descriptor, Footprint};
#[cfg(feature = "cuda")]
use crate::filters::{CudaKernel, window::Plan};
use crate::params::{Choice, ParamKind, Params};
use crate::video::StreamInfo;
use kernel::KernelRows;
use op::Convolution;
use std::sync::Arc;
use weights::Weights;

crate::params! {
    /// The parameters of `convolve`.
    pub struct ConvolveParams {
        /// The weights of the samples around a place, row by row: numbers with `/` between rows, or the name of a file with a row
        /// a line. Rows and columns are odd in number, up to 61. A list without `/` of 9, 25, … numbers is a square.
        kernel: KernelRows = KernelRows::identity(), KernelRows::FORM, unit "", aliases ["k", "matrix"];
        /// What the sum is divided by. `auto` is the sum of the kernel's numbers, or 1 where that is 0.
        divisor: Option<f64> = None, ParamKind::Float { min: 0.0001, max: 32767.0 }, unit "", aliases ["div"];
        /// What is added then.
        bias: f64 = 0.0, ParamKind::Float { min: -255.0, max: 255.0 }, unit "code values of 8 bits", aliases [];
        /// Columns of a kernel that is given as one list. `auto` makes it a square, or one row.
        width: Option<i64> = None, ParamKind::Int { min: 1, max: 61 }, unit "columns", aliases ["w"];
        #[doc = crate::filters::planes::planes_doc!()]
        planes: PlaneSet = PlaneSet::Yuv, ParamKind::Choice(<PlaneSet as Choice>::WORDS), unit "", aliases [];
    }
    presets {
        "sharpen": "A sample and its difference from its four neighbours", [("kernel", "0 -1 0/-1 5 -1/0 -1 0")];
        "emboss": "Relief, lit from the upper left", [("kernel", "-2 -1 0/-1 1 1/0 1 2")];
        "edge": "What differs from its eight neighbours, about the middle",
            [("kernel", "-1 -1 -1/-1 8 -1/-1 -1 -1"), ("bias", "128")];
        "laplacian": "The second derivative, about the middle", [("kernel", "0 1 0/1 -4 1/0 1 0"), ("bias", "128")];
        "gauss3": "Binomial blur of 3x3", [("kernel", "1 2 1/2 4 2/1 2 1")];
        "gauss5": "Binomial blur of 5x5",
            [("kernel", "1 4 6 4 1/4 16 24 16 4/6 24 36 24 6/4 16 24 16 4/1 4 6 4 1")];
    }
    elsewhere {
        ["rdiv"]: "give one over it as 'divisor'";
        ["mode"]: "a row is written '1 2 1' with width=3, and a column '1/2/1'";
    }
}

/// What `convolve` is.
pub static DESCRIPTOR: Descriptor = Descriptor {
    name: "convolve",
    aliases: &[Alias::foreign("FFmpeg", "convolution", "convolve=kernel=2:divisor=1").rewritten(foreign::convolution)],
    summary: "Weighs the samples around a place with a kernel of your own, up to 61x61",
    definition: include_str!("definition.md"),
    schema: ConvolveParams::SCHEMA,
    accepts: |_| true,
    footprint: Footprint::Window("half the kernel in every direction, on every plane"),
    temporal: "",
    changes: &[],
    neutral: &["kernel=1", "kernel='0 0 0/0 3 0/0 0 0'"],
    cases: &[
        "kernel='0 1 0/1 3 1/0 1 0':divisor=9",
        "kernel='1 3 3 1 0/2 6 6 2 0/1 3 3 1 0'",
        "kernel='1 2 3/4 -9 6/7 8 19':bias=-3:planes=y",
        "kernel='-1 0 1 2 3/0.5 0.25 -0.125 0 1/1 1 1 1 7/9 8 7 6 5/1 -2 3 -4 5':divisor=40",
        "kernel='1 0 0 0 0 2 0 0 0 0 3':width=11",
        "kernel='1/2/3/4/5/4/3/2/1':planes=uv",
        "kernel='-1 0 1/-2 0 2/-1 0 1':bias=128",
    ],
    create: window::create::<ConvolveParams>,
};

impl ConvolveParams {
    /// The weights, and what is added: checked when the filter is made.
    fn weights(&self) -> Result<Weights> {
        let kernel = self.kernel.shaped(self.width.map(|width| width as usize))?;
        Weights::new(&kernel, self.divisor, libm::round(self.bias * 256.0) as i64)
    }
}

impl Windowed for ConvolveParams {
    type Op = Convolution;
    const DESCRIPTOR: &'static Descriptor = &DESCRIPTOR;

    fn planes(&self) -> PlaneSet {
        self.planes
    }

    fn check(&self) -> Result<()> {
        self.weights().map(|_| ())
    }

    fn warning(&self) -> Option<String> {
        let is_nothing = self.weights().is_ok_and(|weights| weights.is_identity());
        is_nothing.then(|| "convolve changes nothing: give it a kernel= or a preset=".to_owned())
    }

    fn op(&self, _: &StreamInfo, _: usize) -> Option<Convolution> {
        let weights = self.weights().ok().filter(|weights| !weights.is_identity())?;
        Some(Convolution(Arc::new(weights)))
    }

    #[cfg(feature = "cuda")]
    fn cuda_memory(plan: &Plan<Convolution>, device: &crate::device::cuda::CudaDevice) -> usize {
        cuda::memory(plan, device)
    }

    #[cfg(feature = "cuda")]
    fn cuda(plan: Plan<Convolution>, device: &crate::device::cuda::CudaDevice) -> Result<Box<dyn CudaKernel>> {
        cuda::kernel(plan, device)
    }
}
