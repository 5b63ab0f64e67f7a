//! The kernels of cuda/point.cu.

use super::tables::{BuiltStep, bytes, compile};
use super::tuning::cuda::{BLOCK, ROWS, THREADS};
use super::{MOST_STEPS, Points, groups};
use crate::device::cuda::{CudaDevice, DeviceBuffer, Function, LaunchConfig};
use crate::error::Result;
use crate::filters::cuda::{PlaneArgs, launch};
use crate::filters::device_struct::{device_struct, generated};
use crate::filters::{CudaJob, CudaKernel, Setup};
use std::ops::Range;

device_struct! {
    /// A component.
    struct ComponentArgs = "PointComponent" {
        src: PlaneArgs,
        /// Without rows where the chain leaves the component where it is stored.
        dst: PlaneArgs,
    }
}

device_struct! {
    /// One step.
    struct StepArgs = "PointStep" {
        /// Of each component, turned by `bits`; null where it stays.
        table: [u64; 3] = "const u16*",
        /// Weights in parts of `2^bits`.
        of: [[i32; 3]; 3],
        /// A `Kind`.
        kind: u32,
        bits: u32,
        /// Of vibrance, in 2^-28, and where it ends.
        slope: i32,
        full: i32,
        unused: u32,
    }
}

device_struct! {
    /// Arguments of the kernels.
    struct Args = "Points" {
        component: [ComponentArgs; 3],
        step: [StepArgs; MOST_STEPS],
        steps: u32,
        /// Blocks of the first group; those that follow belong to chroma.
        first_blocks: u32,
        /// Blocks side by side of each group.
        across: [u32; 2],
    }
}

generated! {
    "point.cuh" after ["../common/plane.cuh"]: ComponentArgs, StepArgs, Args;
}

impl StepArgs {
    const NONE: StepArgs = StepArgs { table: [0; 3], of: [[0; 3]; 3], kind: 0, bits: 1, slope: 0, full: 0, unused: 0 };
}

/// A kernel built for one stream.
pub struct Kernel {
    function: Function,
    /// All but planes and blocks.
    args: Args,
    groups: Vec<Range<usize>>,
    /// What `args` points to.
    _tables: Vec<DeviceBuffer>,
}

impl Kernel {
    /// Bytes of device memory that the kernel holds.
    pub fn memory(points: &Points) -> usize {
        bytes(points)
    }

    /// The kernel of `points`.
    ///
    /// # Errors
    /// When it cannot be loaded or there is no memory for its tables.
    pub fn new(points: &Points, setup: &Setup, device: &CudaDevice) -> Result<Kernel> {
        let groups = groups(setup.input.format);
        let name = if groups[0].len() == 3 { "point_rgb" } else { "point_planes" };
        let steps = compile(points, setup);
        let component = ComponentArgs { src: PlaneArgs::NONE, dst: PlaneArgs::NONE };
        let mut args = Args {
            component: [component; 3],
            step: [StepArgs::NONE; MOST_STEPS],
            steps: steps.len() as u32,
            first_blocks: 0,
            across: [1; 2],
        };
        let mut kept = Vec::new();
        for (to, step) in args.step.iter_mut().zip(&steps) {
            match step {
                BuiltStep::Tables { tables, turned } => {
                    (to.kind, to.bits) = (0, *turned);
                    for (to, table) in to.table.iter_mut().zip(tables) {
                        let Some(table) = table else { continue };
                        let bytes: Vec<u8> = table.entries().iter().flat_map(|entry| entry.to_le_bytes()).collect();
                        let buffer = DeviceBuffer::from_bytes(device, &bytes, "a table of values")?;
                        *to = buffer.address();
                        kept.push(buffer);
                    }
                }
                BuiltStep::Mix(mix) => (to.kind, to.bits, to.of) = (1, mix.bits, mix.of),
                BuiltStep::Vibrance(vibrance) => (to.kind, to.slope, to.full) = (2, vibrance.slope, vibrance.full),
            }
        }
        Ok(Kernel { function: device.function("point", name)?, args, groups, _tables: kept })
    }
}

impl CudaKernel for Kernel {
    fn enqueue(&mut self, job: &CudaJob<'_>) -> Result<()> {
        let (src, dst) = (job.src.here(), job.dst);
        let mut args = self.args;
        for (index, component) in args.component.iter_mut().enumerate().take(src.len()) {
            *component = ComponentArgs { src: PlaneArgs::new(&src[index])?, dst: PlaneArgs::new(&dst[index])? };
        }
        let mut blocks = [0; 2];
        for (i, group) in self.groups.iter().enumerate() {
            if group.clone().all(|c| dst[c].height == 0) {
                continue;
            }
            let rows = if group.len() == 1 { BLOCK.1 * ROWS } else { BLOCK.1 };
            args.across[i] = src[group.start].width.div_ceil(BLOCK.0) as u32;
            blocks[i] = args.across[i] * src[group.start].height.div_ceil(rows) as u32;
        }
        args.first_blocks = blocks[0];
        if blocks == [0; 2] {
            return Ok(());
        }
        let shape = LaunchConfig { grid: [blocks[0] + blocks[1], 1, 1], block: [THREADS, 1, 1], shared: 0 };
        // SAFETY: `Args` is the kernel's parameter; the planes have the sizes they state and outlive the work by the caller,
        // and the tables live as long as this kernel.
        unsafe { launch(&self.function, shape, &args, job.stream) }
    }
}
