//! The kernels of cuda/rank.cu.

use super::Rank;
use crate::device::cuda::CudaDevice;
use crate::error::Result;
use crate::filters::CudaKernel;
use crate::filters::device_struct::{device_struct, generated};
use crate::filters::window::cuda::{TileKernel, block_rows};
use crate::filters::window::tuning::cuda::COLUMNS;
use crate::filters::window::{Plan, WindowOp};

/// Samples side by side that a thread makes: `OUTPUTS` of cuda/rank.cu.
const OUTPUTS: usize = 4;

device_struct! {
    /// What kernels compute with.
    struct Consts = "RankConsts" {
        /// Samples of the window that are in order before the result.
        before: u32,
    }
}

generated! {
    "rank.cuh" after ["../common/plane.cuh"]: Consts;
}

/// The kernel of `plan`.
///
/// # Errors
/// When it cannot be loaded.
pub fn kernel(plan: &Plan<Rank>, device: &CudaDevice) -> Result<Box<dyn CudaKernel>> {
    // Of what changes nothing, every plane is copied by the smallest kernel.
    let (radius, before) = plan.op().map_or((1, 0), |op| (op.radius().0, op.before));
    let (rows, wide) = (block_rows(OUTPUTS), COLUMNS + (2 * radius).next_multiple_of(4));
    Ok(Box::new(TileKernel {
        function: device.function("rank", &format!("rank_{radius}"))?,
        consts: Consts { before: before as u32 },
        computes: plan.ops.iter().map(Option::is_some).collect(),
        rows,
        shared: wide * (rows + 2 * radius) * size_of::<u32>(),
        _tables: Vec::new(),
    }))
}
