//! The kernels of cuda/convolve.cu, for devices without tensor cores, and the choice between them, [`near`] and [`tensor`].

use super::op::Convolution;
use super::quotient::Quotient;
use super::weights::{Factors, Tap, Weights};
use super::{near, tensor};
use crate::device::cuda::{CudaDevice, DeviceBuffer};
use crate::error::Result;
use crate::filters::CudaKernel;
use crate::filters::convolve::tuning::cuda::{FEW, MANY, MANY_FROM};
use crate::filters::device_struct::{device_struct, generated};
use crate::filters::tune::{self, Outputs};
use crate::filters::window::Plan;
use crate::filters::window::cuda::{SHARED, TileKernel, block_rows, suffix};
use crate::filters::window::tuning::cuda::COLUMNS;
use crate::video::SampleType;
use std::fmt;

device_struct! {
    /// What kernels compute with.
    struct Consts = "Convolve" {
        /// Weights of the window, or of a row of column sums: rows of `fours` times four, floats for samples of 8 bits.
        weights: u64 = "const u32*",
        /// Weights of columns, and three zeros; null where all is done in one pass.
        down: u64 = "const u32*",
        radius_w: i32,
        radius_h: i32,
        fours: i32,
        quotient: Quotient,
    }
}

generated! {
    "convolve.cuh" after ["../common/plane.cuh"]: Quotient, Consts;
}

/// Fours of words that hold a row of the kernel.
fn fours(weights: &Weights) -> usize {
    weights.columns.div_ceil(4)
}

/// The words of the weights: of the window or of a row, then those of a column.
fn tables(weights: &Weights, is_float: bool) -> (Vec<u32>, Vec<u32>) {
    let word = |weight: i32| if is_float { (weight as f32).to_bits() } else { weight as u32 };
    let wide = 4 * fours(weights);
    let lay_out = |taps: &[Tap], rows: usize| {
        let mut words = vec![word(0); rows * wide];
        let columns = weights.columns;
        taps.iter().for_each(|tap| words[tap.index / columns * wide + tap.index % columns] = word(tap.weight));
        words
    };
    match &weights.factors {
        None => (lay_out(&weights.taps(), weights.rows), Vec::new()),
        Some(Factors { down, across }) => {
            let mut column = vec![word(0); weights.rows + 3];
            down.iter().for_each(|tap| column[tap.index] = word(tap.weight));
            (lay_out(across, 1), column)
        }
    }
}

/// Bytes of shared memory of a block whose threads make as many samples side by side.
fn shared(weights: &Weights, outputs: usize) -> usize {
    let rows = block_rows(outputs);
    let sums = if weights.factors.is_some() { rows } else { 0 };
    (COLUMNS + 4 * fours(weights)) * (rows + weights.rows - 1 + sums) * size_of::<u32>()
}

/// How sums are made.
#[derive(Clone, Copy)]
enum Candidate {
    Near,
    Tensor,
    Tiles(Outputs),
}

impl fmt::Display for Candidate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Candidate::Near => f.write_str("near"),
            Candidate::Tensor => f.write_str("tensor"),
            Candidate::Tiles(outputs) => outputs.fmt(f),
        }
    }
}

impl Candidate {
    /// The way for `weights`: the kernels of small windows where they serve, or else tensor cores where there are any, unless tuning
    /// found another.
    fn of(plan: &Plan<Convolution>, weights: &Weights, device: &CudaDevice) -> Candidate {
        let (radius_w, radius_h) = weights.radius();
        let is_many = radius_w >= MANY_FROM && shared(weights, MANY) <= SHARED;
        let tiles = if is_many { [MANY, FEW] } else { [FEW, MANY] };
        let tiles = tiles.into_iter().filter(|outputs| shared(weights, *outputs) <= SHARED);
        let near = near::serves(plan, weights).then_some(Candidate::Near);
        let tensor = tensor::serves(device).then_some(Candidate::Tensor);
        let ways: Vec<_> = near.into_iter().chain(tensor).chain(tiles.map(Outputs).map(Candidate::Tiles)).collect();
        let kind = if weights.factors.is_some() { "product" } else { "any" };
        let case = format!("{kind}{}:r{}x{}", weights.bytes(), tune::coarse(radius_w), tune::coarse(radius_h));
        let case = tune::case(&plan.setup, plan.setup.src, &case);
        device.choose("convolve", &["convolve", "convolve_near", "convolve_tensor"], case, &ways)
    }
}

/// Bytes of device memory that the kernel holds.
pub(super) fn memory(plan: &Plan<Convolution>, device: &CudaDevice) -> usize {
    let Some(Convolution(weights)) = plan.op() else { return 0 };
    match Candidate::of(plan, weights, device) {
        Candidate::Near => 0,
        Candidate::Tensor => tensor::memory(weights),
        Candidate::Tiles(_) => {
            let (window, column) = tables(weights, false);
            (window.len() + column.len()) * size_of::<u32>()
        }
    }
}

/// The kernel of `plan`.
///
/// # Errors
/// When it cannot be loaded, or there is no memory for the weights.
pub(super) fn kernel(plan: Plan<Convolution>, device: &CudaDevice) -> Result<Box<dyn CudaKernel>> {
    let mut outputs = FEW;
    if let Some(Convolution(weights)) = plan.op() {
        match Candidate::of(&plan, weights, device) {
            Candidate::Near => return near::kernel(&plan, weights, device),
            Candidate::Tensor => return tensor::kernel(&plan, weights, device),
            Candidate::Tiles(Outputs(many_or_few)) => outputs = many_or_few,
        }
    }
    let mut consts = Consts { weights: 0, down: 0, radius_w: 0, radius_h: 0, fours: 1, quotient: Quotient::default() };
    let (mut bytes, mut buffers) = (0, Vec::new());
    if let Some(Convolution(weights)) = plan.op() {
        bytes = shared(weights, outputs);
        let (window, column) = tables(weights, plan.setup.src.sample() == SampleType::U8);
        let mut address = |words: &[u32]| {
            if words.is_empty() {
                return Ok(0);
            }
            let data: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
            let buffer = DeviceBuffer::from_bytes(device, &data, "a kernel's weights")?;
            buffers.push(buffer);
            Ok(buffers[buffers.len() - 1].address())
        };
        consts = Consts {
            weights: address(&window)?,
            down: address(&column)?,
            radius_w: weights.radius().0 as i32,
            radius_h: weights.radius().1 as i32,
            fours: fours(weights) as i32,
            quotient: weights.quotient,
        };
    }
    Ok(Box::new(TileKernel {
        function: device.function("convolve", &format!("convolve_{}_{outputs}", suffix(&plan)))?,
        consts,
        computes: plan.ops.iter().map(Option::is_some).collect(),
        rows: block_rows(outputs),
        shared: bytes,
        _tables: buffers,
    }))
}
