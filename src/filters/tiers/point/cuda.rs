//! The kernels of cuda/point.cu.

use super::tables::{BuiltStep, bytes, compile};
use super::tuning::cuda::{BLOCK, ROWS, TABLE_BITS, TABLE_BYTES, TABLE_ROWS, THREADS};
use super::{MOST_STEPS, Points, groups};
use crate::device::cuda::{CudaDevice, DeviceBuffer, Function, LaunchConfig};
use crate::error::Result;
use crate::filters::cuda::{PlaneArgs, launch};
use crate::filters::device_struct::{device_struct, generated};
use crate::filters::{CudaJob, CudaKernel, Setup};
use crate::video::{SampleLayout, SampleType};
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
        /// Those of the first group, then those of chroma.
        step: [StepArgs; MOST_STEPS + 1],
        steps: [u32; 2],
        /// Blocks of each group.
        blocks: [u32; 2],
        /// Blocks side by side of each group.
        across: [u32; 2],
        /// Blocks of each component of a group, where one table is looked up in shared memory; else 0.
        blocks_by_tables: [u32; 2],
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
    /// Whether what is done to a group is one function of each sample, and those are few.
    by_tables: Vec<bool>,
    /// What `args` points to.
    _tables: Vec<DeviceBuffer>,
}

impl Kernel {
    /// Bytes of device memory that the kernel holds.
    pub fn memory(points: &Points, setup: &Setup) -> usize {
        groups(setup.input.format).iter().map(|group| bytes(&points.of_group(group))).sum()
    }

    /// The kernel of `points`.
    ///
    /// # Errors
    /// When it cannot be loaded or there is no memory for its tables.
    pub fn new(points: &Points, setup: &Setup, device: &CudaDevice) -> Result<Kernel> {
        let groups = groups(setup.input.format);
        let component = ComponentArgs { src: PlaneArgs::NONE, dst: PlaneArgs::NONE };
        let mut args = Args {
            component: [component; 3],
            step: [StepArgs::NONE; MOST_STEPS + 1],
            steps: [0; 2],
            blocks: [0; 2],
            across: [1; 2],
            blocks_by_tables: [0; 2],
        };
        let (mut steps, mut by_tables) = (Vec::new(), Vec::new());
        for (group, count) in groups.iter().zip(&mut args.steps) {
            let of_group = compile(&points.of_group(group), setup);
            *count = of_group.len() as u32;
            let is_function = matches!(&of_group[..], [] | [BuiltStep::Tables { .. }]);
            // What is looked up is stored in vectors of one component.
            let alone = |c| setup.dst.component_layout(c).2.step == 1;
            let fits = |c| has_few_values(setup.src.component_layout(c).2) && alone(c);
            by_tables.push(is_function && group.clone().all(fits));
            steps.extend(of_group);
        }
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
        let name = match groups[0].len() {
            _ if by_tables.iter().all(|by_tables| *by_tables) => "point_tables",
            3 => "point_rgb",
            _ => "point_planes",
        };
        Ok(Kernel { function: device.function("point", name)?, args, groups, by_tables, _tables: kept })
    }
}

/// Whether a block's shared memory has room for a function of such samples.
fn has_few_values(layout: SampleLayout) -> bool {
    layout.step == 1 && layout.sample != SampleType::I16 && usize::from(layout.shift) >= 16 - TABLE_BITS
}

impl CudaKernel for Kernel {
    fn enqueue(&mut self, job: &CudaJob<'_>) -> Result<()> {
        let (src, dst) = (job.src.here(), job.dst);
        let mut args = self.args;
        for (index, component) in args.component.iter_mut().enumerate().take(src.len()) {
            *component = ComponentArgs { src: PlaneArgs::new(&src[index])?, dst: PlaneArgs::new(&dst[index])? };
        }
        for (i, group) in self.groups.iter().enumerate() {
            if group.clone().all(|c| dst[c].height == 0) {
                continue;
            }
            let (first, bytes) = (&src[group.start], src[group.start].layout.sample.bytes());
            let (columns, rows) = match (self.by_tables[i], group.len()) {
                (true, _) => (TABLE_BYTES / bytes, BLOCK.1 * TABLE_ROWS[bytes - 1]),
                (false, 1) => (BLOCK.0, BLOCK.1 * ROWS),
                (false, _) => BLOCK,
            };
            args.across[i] = first.width.div_ceil(columns) as u32;
            args.blocks[i] = args.across[i] * first.height.div_ceil(rows) as u32;
            if self.by_tables[i] {
                args.blocks_by_tables[i] = args.blocks[i];
                args.blocks[i] *= group.len() as u32;
            }
        }
        let blocks = args.blocks.iter().sum();
        if blocks == 0 {
            return Ok(());
        }
        let shape = LaunchConfig { grid: [blocks, 1, 1], block: [THREADS, 1, 1], shared: 0 };
        // SAFETY: `Args` is the kernel's parameter; the planes have the sizes they state and outlive the work by the caller,
        // and the tables live as long as this kernel.
        unsafe { launch(&self.function, shape, &args, job.stream) }
    }
}
