//! The kernels of cuda/gauss_far_tensor.cu: radii beyond those of `tensor`, in two kernels with sums of columns between them.

use super::cuda::{ComponentArgs, components, shape};
use super::plan::Plan;
use crate::device::cuda::{CudaDevice, DeviceBuffer, Function};
use crate::error::Result;
use crate::filters::cuda::launch;
use crate::filters::device_struct::{device_struct, generated};
use crate::filters::strips::Cut;
use crate::filters::{CudaJob, Setup, tensor};
use crate::video::SampleType;

/// The module.
const MODULE: &str = "gauss_far_tensor";

/// Rows or columns of a block of the weights' matrix, columns of a patch of sums, and lanes of a warp.
const BAND: usize = 16;
const PATCH: usize = 32;
const LANES: usize = 32;

/// Warps of a block: one below the other where columns are summed, and else side by side.
const WARPS: usize = 4;

/// Rows whose sums lie together, bytes of a sum, and columns that a warp makes of them.
const GROUP: usize = 8;
const SUM_BYTES: usize = 3;
const ACROSS: usize = 4 * BAND;

device_struct! {
    /// Arguments of the kernels.
    struct Args = "GaussFar" {
        component: [ComponentArgs; 3],
        /// Of the weights' matrix: of each sixteen columns and each byte of a weight, 32 threads'.
        fragments: u64 = "const uint2*",
        /// Bytes of column sums.
        sums: u64 = "uint2*",
        /// The first patch of sums of each component.
        first: [u32; 3],
        /// The radius, rounded up to patches.
        reach: u32,
    }
}

generated! {
    "gauss_far_tensor.cuh" after ["gauss.cuh"]: Args;
}

/// True when these kernels do the work of `plan` there.
pub(super) fn serves(plan: &Plan, setup: &Setup, device: &CudaDevice) -> bool {
    let blurs_any = (0..setup.input.format.components()).any(|component| plan.blurs(component));
    blurs_any && plan.radius() > tensor::RADIUS && tensor::serves(device, MODULE, setup.src)
}

/// What the kernels hold on the device.
struct Layout {
    /// The first patch of sums of each component, and how many all have.
    first: [u32; 3],
    patches: usize,
    /// Bytes of a weight, and of a sample.
    weight_bytes: usize,
    sample_bytes: usize,
}

impl Layout {
    fn new(plan: &Plan, setup: &Setup) -> Layout {
        let (mut first, mut patches) = ([0; 3], 0);
        for component in (0..setup.input.format.components()).filter(|component| plan.blurs(*component)) {
            let (width, height) = setup.input.format.component_size(component, setup.input.width, setup.input.height);
            first[component] = patches as u32;
            // A warp sums the columns of 64 rows at most, all of which have a place.
            patches += width.div_ceil(PATCH) * height.next_multiple_of(4 * BAND) / GROUP;
        }
        let weight_bytes = if plan.weights.iter().all(|weight| *weight < 256) { 1 } else { 2 };
        let sample_bytes = if setup.src.sample() == SampleType::U8 { 1 } else { 2 };
        Layout { first, patches, weight_bytes, sample_bytes }
    }

    /// Bytes of the sums.
    fn sums(&self) -> usize {
        self.patches * PATCH * GROUP * SUM_BYTES
    }

    /// Rows that a warp sums columns of: fewer where the sums of their bytes take more registers.
    fn rows(&self) -> usize {
        if self.sample_bytes + self.weight_bytes == 2 { 4 * BAND } else { 2 * BAND }
    }
}

/// Columns from a result's to the first of its matrix.
fn reach(plan: &Plan) -> usize {
    plan.radius().next_multiple_of(PATCH)
}

/// What threads hold of the matrix whose row `m` has the weights from column `m` on, as far as its rows go, which is sixteen, and
/// zeros for as many sixteens of rows as a warp makes after them.
fn fragments(plan: &Plan, bytes: usize) -> Vec<u8> {
    let reach = reach(plan);
    let mut made = Vec::new();
    for block in 0..2 * reach / BAND + ACROSS / BAND {
        for byte in 0..bytes {
            for i in 0..LANES * 8 {
                let (lane, half, part) = (i / 8, i / 4 % 2, i % 4);
                let (row, column) = (lane / 4 + 8 * half, BAND * block + lane % 4 * 4 + part);
                let weight = plan.weights.get(column.abs_diff(row + reach)).copied().unwrap_or(0);
                made.push((weight >> (8 * byte)) as u8);
            }
        }
    }
    made
}

/// Kernels built for one stream.
pub(super) struct Far {
    down: Function,
    across: Function,
    fragments: DeviceBuffer,
    sums: DeviceBuffer,
    layout: Layout,
    reach: u32,
}

impl Far {
    /// Bytes of device memory that the kernels of `plan` hold.
    pub(super) fn memory(plan: &Plan, setup: &Setup) -> usize {
        let layout = Layout::new(plan, setup);
        layout.sums() + fragments(plan, layout.weight_bytes).len()
    }

    /// The kernels of `plan`.
    ///
    /// # Errors
    /// When they cannot be loaded, or there is no memory for what they hold.
    pub(super) fn new(plan: &Plan, setup: &Setup, device: &CudaDevice) -> Result<Far> {
        let layout = Layout::new(plan, setup);
        let kernel = |pass| {
            let name = format!("gauss_far_{pass}_u{}_{}", 8 * layout.sample_bytes, layout.weight_bytes);
            device.function(MODULE, &name)
        };
        Ok(Far {
            down: kernel("down")?,
            across: kernel("across")?,
            fragments: DeviceBuffer::from_bytes(device, &fragments(plan, layout.weight_bytes), "weights")?,
            sums: DeviceBuffer::new(device, layout.sums(), "sums of columns")?,
            layout,
            reach: reach(plan) as u32,
        })
    }

    /// Puts both kernels into the job's stream.
    pub(super) fn enqueue(&self, plan: &Plan, job: &CudaJob<'_>) -> Result<()> {
        let rows = WARPS * self.layout.rows();
        let mut down = components(plan, job, |src, dst| Cut::new(src.width.div_ceil(PATCH), rows, dst))?;
        down.iter_mut().filter(|component| component.blurs == 0).for_each(|component| component.blocks = 0);
        let across = components(plan, job, |src, dst| Cut::new(src.width.div_ceil(WARPS * ACROSS), GROUP, dst))?;
        for (function, component) in [(&self.down, down), (&self.across, across)] {
            let shape = shape(&component, WARPS * LANES, 0);
            if shape.grid[0] == 0 {
                continue;
            }
            let args = Args {
                component,
                fragments: self.fragments.address(),
                sums: self.sums.address(),
                first: self.layout.first,
                reach: self.reach,
            };
            // SAFETY: `Args` is the kernels' parameter; the planes have the sizes they state and outlive the work by the caller; the
            // matrix and the sums, of which there are as many as the planes' sizes ask for, live as long as this kernel.
            unsafe { launch(function, shape, &args, job.stream) }?;
        }
        Ok(())
    }
}
