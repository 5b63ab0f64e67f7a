//! The kernels of cuda/convolve_tensor.cu.

use super::op::Convolution;
use super::quotient::Quotient;
use super::weights::Weights;
use crate::device::cuda::{CudaDevice, DeviceBuffer};
use crate::error::Result;
use crate::filters::CudaKernel;
use crate::filters::device_struct::{device_struct, generated};
use crate::filters::window::Plan;
use crate::filters::window::cuda::{TileKernel, suffix};
use crate::filters::window::tuning::cuda::COLUMNS;
use crate::video::SampleType;

/// The module.
const MODULE: &str = "convolve_tensor";

/// Rows of a block: `ROWS` there.
const ROWS: usize = 64;

/// Columns of a matrix of weights and of results, and threads that share one.
const CHUNK: usize = 32;
const TILE: usize = 16;
const LANES: usize = 32;

device_struct! {
    /// What kernels compute with.
    struct Consts = "ConvolveTensor" {
        /// Of the weights' matrices: for each row of the window, each chunk of columns and each byte of a weight, 32 threads'.
        fragments: u64 = "const uint4*",
        radius_h: i32,
        /// Columns that a tile's samples begin before its results.
        before: i32,
        /// What sums are more than those of samples less 32768.
        middle: u32,
        quotient: Quotient,
    }
}

generated! {
    "convolve_tensor.cuh" after ["convolve.cuh"]: Consts;
}

/// How weights lie in matrices.
struct Matrices<'w> {
    weights: &'w Weights,
    /// Columns before the first that a window of the first result holds, so that samples are read in words.
    before: usize,
    /// Chunks of columns that the windows of a tile's results hold.
    chunks: usize,
    /// Bytes of a weight.
    bytes: usize,
}

impl<'w> Matrices<'w> {
    fn new(weights: &'w Weights) -> Matrices<'w> {
        let radius = weights.radius().0;
        let before = radius.next_multiple_of(4);
        let chunks = (before - radius + TILE - 1 + weights.columns).div_ceil(CHUNK);
        Matrices { weights, before, chunks, bytes: weights.bytes() }
    }

    /// Bytes of all.
    fn len(&self) -> usize {
        self.weights.rows * self.chunks * self.bytes * TILE * CHUNK
    }

    /// The weight, of the window's row `v`, that result `m` of a tile gives column `k`.
    fn weight(&self, v: usize, m: usize, k: usize) -> i32 {
        let columns = self.weights.columns;
        let x = k.checked_sub(m + self.before - self.weights.radius().0).filter(|x| *x < columns);
        x.map_or(0, |x| self.weights.values[v * columns + x])
    }

    /// What threads hold of the matrices, one after the other: four words each, of results eight and columns sixteen apart.
    fn fragments(&self) -> Vec<u8> {
        let mut made = Vec::with_capacity(self.len());
        for v in 0..self.weights.rows {
            for chunk in 0..self.chunks {
                for byte in 0..self.bytes {
                    for i in 0..LANES * 16 {
                        let (lane, word, part) = (i / 16, i / 4 % 4, i % 4);
                        let m = lane / 4 + word % 2 * 8;
                        let k = chunk * CHUNK + lane % 4 * 4 + word / 2 * 16 + part;
                        made.push((self.weight(v, m, k) >> (8 * byte)) as u8);
                    }
                }
            }
        }
        made
    }

    /// Bytes of shared memory of a block, of samples of so many bytes: those that windows hold, or the results.
    fn shared(&self, sample: usize) -> usize {
        let (rows, columns) = (ROWS + self.weights.rows - 1, COLUMNS - TILE + CHUNK * self.chunks);
        (rows * columns * sample).max(ROWS * (COLUMNS + 4) * size_of::<u16>())
    }
}

/// Whether the device has tensor cores.
pub(super) fn serves(device: &CudaDevice) -> bool {
    device.runs(MODULE)
}

/// Bytes of device memory that the kernel holds.
pub(super) fn memory(weights: &Weights) -> usize {
    Matrices::new(weights).len()
}

/// The kernel of `plan`, whose operation has these weights, for a device that it serves.
///
/// # Errors
/// When it cannot be loaded, or there is no memory for the weights.
pub(super) fn kernel(plan: &Plan<Convolution>, weights: &Weights, device: &CudaDevice) -> Result<Box<dyn CudaKernel>> {
    let matrices = Matrices::new(weights);
    let name = format!("convolve_{}_{}_{}", suffix(plan), matrices.chunks, matrices.bytes);
    let function = device.function(MODULE, &name)?;
    let shared = matrices.shared(if plan.setup.src.sample() == SampleType::U8 { 1 } else { 2 });
    function.allow_shared(shared as u32)?;
    let fragments = DeviceBuffer::from_bytes(device, &matrices.fragments(), "a kernel's weights")?;
    let sum: i32 = weights.values.iter().sum();
    let consts = Consts {
        fragments: fragments.address(),
        radius_h: weights.radius().1 as i32,
        before: matrices.before as i32,
        middle: (sum << 15).cast_unsigned(),
        quotient: weights.quotient,
    };
    let computes = plan.ops.iter().map(Option::is_some).collect();
    Ok(Box::new(TileKernel { function, consts, computes, rows: ROWS, shared, _tables: vec![fragments] }))
}

#[cfg(test)]
mod tests {
    use super::{CHUNK, LANES, Matrices, TILE};
    use crate::filters::convolve::kernel::Shaped;
    use crate::filters::convolve::weights::Weights;

    /// Every matrix, put together of the threads' words as `mma.m16n8k32` lays them out, has a row of the window in each of its
    /// rows, one column farther each time, and zeros beside it.
    #[test]
    fn fragments_are_windows_side_by_side() {
        for (columns, rows, scale) in [(1, 1, 3), (3, 3, 9), (5, 3, 700), (17, 1, 5), (61, 3, 1), (19, 3, -200)] {
            let values = (0..columns * rows).map(|i| f64::from((i as i32 * 7 % 11 - 4) * scale)).collect();
            let weights = Weights::new(&Shaped { columns, rows, values }, None, 0).unwrap();
            let matrices = Matrices::new(&weights);
            let fragments = matrices.fragments();
            assert_eq!(fragments.len(), matrices.len());
            let side = matrices.before - columns / 2;
            for (v, m, k) in (0..rows * TILE * CHUNK * matrices.chunks).map(|i| {
                (
                    i / (TILE * CHUNK * matrices.chunks),
                    i / (CHUNK * matrices.chunks) % TILE,
                    i % (CHUNK * matrices.chunks),
                )
            }) {
                let (chunk, column) = (k / CHUNK, k % CHUNK);
                // A thread has rows `lane / 4` and eight below, and columns from `4 * (lane % 4)` and 16 beyond.
                let lane = m % 8 * 4 + column % 16 / 4;
                let place = (lane * 4 + m / 8 + column / 16 * 2) * 4 + column % 4;
                let byte =
                    |byte| fragments[((v * matrices.chunks + chunk) * matrices.bytes + byte) * LANES * 16 + place];
                let made = match matrices.bytes {
                    1 => i32::from(byte(0).cast_signed()),
                    _ => i32::from(byte(1).cast_signed()) * 256 + i32::from(byte(0)),
                };
                let inside = (m + side..m + side + columns).contains(&k);
                let expected = if inside { weights.values[v * columns + k - m - side] } else { 0 };
                assert_eq!(made, expected, "{columns}x{rows}, row {v}, result {m}, column {k}");
            }
        }
    }
}
