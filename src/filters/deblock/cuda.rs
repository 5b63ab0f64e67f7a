//! The kernel of cuda/deblock.cu.

use super::op::{Deblock, Thresholds};
use crate::device::cuda::CudaDevice;
use crate::error::Result;
use crate::filters::CudaKernel;
use crate::filters::device_struct::{device_struct, generated};
use crate::filters::window::cuda::{TileKernel, block_rows};
use crate::filters::window::tuning::cuda::COLUMNS;
use crate::filters::window::{Plan, WindowOp};

/// Samples side by side that a thread makes: `OUTPUTS` of cuda/deblock.cu.
const OUTPUTS: usize = 4;

device_struct! {
    /// What the kernel computes with.
    struct Consts = "DeblockConsts" {
        thresholds: Thresholds,
        block: i32,
        /// Bits of the components that are chroma of fewer samples than luma.
        chroma: u32,
    }
}

generated! {
    "deblock.cuh" after ["deblock_thresholds.cuh"]: Consts;
}

/// The kernel of `plan`.
///
/// # Errors
/// When it cannot be loaded.
pub fn kernel(plan: &Plan<Deblock>, device: &CudaDevice) -> Result<Box<dyn CudaKernel>> {
    let is_chroma = |op: &Option<Deblock>| op.as_ref().is_some_and(|op| op.is_chroma);
    let chroma = plan.ops.iter().enumerate().map(|(index, op)| u32::from(is_chroma(op)) << index).sum();
    let (block, thresholds, radius) =
        plan.op().map_or((4, Thresholds::default(), (4, 4)), |op| (op.block as i32, op.thresholds, op.radius()));
    let rows = block_rows(OUTPUTS);
    // The tile as it is, and with its upright edges filtered.
    let words = 2 * (COLUMNS + 2 * radius.0) * (rows + 2 * radius.1);
    Ok(Box::new(TileKernel {
        function: device.function("deblock", "deblock")?,
        consts: Consts { thresholds, block, chroma },
        computes: plan.ops.iter().map(Option::is_some).collect(),
        rows,
        shared: words * size_of::<u32>(),
        _tables: Vec::new(),
    }))
}
