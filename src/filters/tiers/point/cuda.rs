//! The kernels of cuda/point.cu and cuda/point_stairs.cu.

use super::stored::{of_each, stairs};
use super::tables::{BuiltStep, Table, compile};
use super::tuning::cuda::{BLOCK, ROWS, STAIR_BLOCKS, STAIR_ROWS, TABLE_BITS, TABLE_BYTES, TABLE_ROWS, THREADS};
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
        /// Of each component, turned by `bits`, or as it is stored; null where it stays.
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

    /// `step`, whose tables are added to `kept`.
    fn new(step: &BuiltStep, device: &CudaDevice, kept: &mut Vec<DeviceBuffer>) -> Result<StepArgs> {
        let mut made = StepArgs::NONE;
        match step {
            BuiltStep::Tables { tables, turned } => {
                (made.kind, made.bits) = (0, *turned);
                for (to, table) in made.table.iter_mut().zip(tables) {
                    let Some(table) = table else { continue };
                    let bytes: Vec<u8> = table.entries().iter().flat_map(|entry| entry.to_le_bytes()).collect();
                    *to = upload(&bytes, device, kept)?;
                }
            }
            BuiltStep::Mix(mix) => (made.kind, made.bits, made.of) = (1, mix.bits, mix.of),
            BuiltStep::Vibrance(vibrance) => (made.kind, made.slope, made.full) = (2, vibrance.slope, vibrance.full),
        }
        Ok(made)
    }
}

/// What is done to the components of a group.
enum GroupWork {
    /// One function of each sample: what is stored for each value of each component.
    Stored(Vec<Vec<u8>>),
    Steps(Vec<BuiltStep>),
}

impl GroupWork {
    fn new(points: &Points, group: &Range<usize>, setup: &Setup) -> GroupWork {
        let steps = compile(&points.of_group(group), setup);
        if !is_function(&steps) || !group.clone().all(|c| is_looked_up(c, setup)) {
            return GroupWork::Steps(steps);
        }
        let of = |c: usize| {
            let (table, turned) = match steps.first() {
                Some(BuiltStep::Tables { tables, turned }) => (tables[c].as_ref(), *turned),
                _ => (None, 0),
            };
            let [src, dst] = [&setup.src, &setup.dst].map(|format| format.component_layout(c).2);
            of_each(table, turned, src, dst)
        };
        GroupWork::Stored(group.clone().map(of).collect())
    }

    fn is_stored(&self) -> bool {
        matches!(self, GroupWork::Stored(_))
    }

    /// The stairs of Cb and Cr, if the last of several steps is such a one.
    fn stairs(&self, setup: &Setup) -> Option<[Vec<u8>; 2]> {
        let GroupWork::Steps(steps) = self else { return None };
        let [_, .., BuiltStep::Tables { tables: [_, Some(cb), Some(cr)], turned: 0 }] = &steps[..] else { return None };
        let of = |table: &Table, c| {
            let layout = setup.dst.component_layout(c).2;
            let is_low = layout.step == 1 && layout.shift + layout.bit_depth == 16;
            stairs(table, layout).filter(|_| is_low && !setup.src.is_yc48())
        };
        Some([of(cb, 1)?, of(cr, 2)?])
    }

    /// Bytes of its tables.
    fn bytes(&self) -> usize {
        match self {
            GroupWork::Stored(tables) => tables.iter().map(Vec::len).sum(),
            GroupWork::Steps(steps) => steps.iter().map(BuiltStep::bytes).sum(),
        }
    }

    /// The arguments of the steps, whose tables are added to `kept`.
    fn args(&self, group: &Range<usize>, device: &CudaDevice, kept: &mut Vec<DeviceBuffer>) -> Result<Vec<StepArgs>> {
        match self {
            GroupWork::Stored(tables) => {
                let mut made = StepArgs::NONE;
                for (c, table) in group.clone().zip(tables) {
                    made.table[c] = upload(table, device, kept)?;
                }
                Ok(vec![made])
            }
            GroupWork::Steps(steps) => steps.iter().map(|step| StepArgs::new(step, device, kept)).collect(),
        }
    }
}

/// What is done to all components.
struct PointWork {
    groups: Vec<(Range<usize>, GroupWork)>,
    stairs: Option<[Vec<u8>; 2]>,
}

impl PointWork {
    fn new(points: &Points, setup: &Setup) -> PointWork {
        let work = |group: Range<usize>| (group.clone(), GroupWork::new(points, &group, setup));
        let groups: Vec<_> = groups(setup.input.format).into_iter().map(work).collect();
        let stairs = match &groups[..] {
            [(_, luma), (_, chroma)] if luma.is_stored() => chroma.stairs(setup),
            _ => None,
        };
        PointWork { groups, stairs }
    }

    /// Bytes of all tables.
    fn bytes(&self) -> usize {
        let of_groups: usize = self.groups.iter().map(|(_, work)| work.bytes()).sum();
        of_groups + self.stairs.iter().flatten().map(Vec::len).sum::<usize>()
    }
}

/// Where `bytes` are in a buffer that is added to `kept`.
fn upload(bytes: &[u8], device: &CudaDevice, kept: &mut Vec<DeviceBuffer>) -> Result<u64> {
    kept.push(DeviceBuffer::from_bytes(device, bytes, "a table of values")?);
    Ok(kept[kept.len() - 1].address())
}

/// A kernel built for one stream.
pub struct Kernel {
    function: Function,
    /// What is faster for planes that it takes.
    stairs: Option<Stairs>,
    /// All but planes and blocks.
    args: Args,
    groups: Vec<Range<usize>>,
    /// Whether what is done to a group is one function of each sample, and those are few.
    by_tables: Vec<bool>,
    /// What `args` points to.
    _tables: Vec<DeviceBuffer>,
}

/// The kernel of cuda/point_stairs.cu: luma by tables, and chroma whose last step rises slowly.
struct Stairs {
    function: Function,
    /// The last step.
    step: StepArgs,
    /// Blocks that use the device well.
    blocks: usize,
    _tables: [DeviceBuffer; 2],
}

impl Stairs {
    /// The kernel for the stairs of Cb and Cr.
    fn new(stairs: &[Vec<u8>; 2], device: &CudaDevice) -> Result<Stairs> {
        let upload = |bytes: &[u8]| DeviceBuffer::from_bytes(device, bytes, "a table of stairs");
        let tables = [upload(&stairs[0])?, upload(&stairs[1])?];
        let step = StepArgs { table: [0, tables[0].address(), tables[1].address()], ..StepArgs::NONE };
        let blocks = STAIR_BLOCKS * device.info().multiprocessors;
        Ok(Stairs { function: device.function("point_stairs", "point_stairs")?, step, blocks, _tables: tables })
    }

    /// Rows of a block of chroma in a picture of this size.
    fn rows(&self, width: usize, height: usize) -> usize {
        let blocks = width.div_ceil(BLOCK.0) * height.div_ceil(BLOCK.1);
        BLOCK.1 * (blocks / self.blocks).clamp(1, STAIR_ROWS)
    }

    /// Whether chroma lies in whole vectors.
    fn takes(&self, args: &Args) -> bool {
        args.component[1..].iter().all(|ComponentArgs { src, dst }| {
            let ((width, _), (_, rows)) = (src.size(), dst.size());
            rows > 0 && width.is_multiple_of(8) && src.fits_vectors(16) && dst.fits_vectors(16)
        })
    }
}

impl Kernel {
    /// Bytes of device memory that the kernel holds.
    pub fn memory(points: &Points, setup: &Setup) -> usize {
        PointWork::new(points, setup).bytes()
    }

    /// The kernel of `points`.
    ///
    /// # Errors
    /// When it cannot be loaded or there is no memory for its tables.
    pub fn new(points: &Points, setup: &Setup, device: &CudaDevice) -> Result<Kernel> {
        let work = PointWork::new(points, setup);
        let component = ComponentArgs { src: PlaneArgs::NONE, dst: PlaneArgs::NONE };
        let mut args = Args {
            component: [component; 3],
            step: [StepArgs::NONE; MOST_STEPS + 1],
            steps: [0; 2],
            blocks: [0; 2],
            across: [1; 2],
            blocks_by_tables: [0; 2],
        };
        let mut kept = Vec::new();
        let mut next = args.step.iter_mut();
        for ((group, work), count) in work.groups.iter().zip(&mut args.steps) {
            let steps = work.args(group, device, &mut kept)?;
            *count = steps.len() as u32;
            // A pair asks its second only where it has the first.
            steps.into_iter().zip(next.by_ref()).for_each(|(step, to)| *to = step);
        }
        let by_tables: Vec<bool> = work.groups.iter().map(|(_, work)| work.is_stored()).collect();
        let stairs = work.stairs.as_ref().map(|stairs| Stairs::new(stairs, device)).transpose()?;
        let groups: Vec<_> = work.groups.into_iter().map(|(group, _)| group).collect();
        let name = match groups[0].len() {
            _ if by_tables.iter().all(|by_tables| *by_tables) => "point_tables",
            3 => "point_rgb",
            _ => "point_planes",
        };
        let function = device.function("point", name)?;
        Ok(Kernel { function, stairs, args, groups, by_tables, _tables: kept })
    }
}

/// Whether steps are a function of each sample.
fn is_function(steps: &[BuiltStep]) -> bool {
    matches!(steps, [] | [BuiltStep::Tables { .. }])
}

/// Whether a function of component `c` is looked up in shared memory, which is stored in vectors of one component.
fn is_looked_up(c: usize, setup: &Setup) -> bool {
    has_few_values(setup.src.component_layout(c).2) && setup.dst.component_layout(c).2.step == 1
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
        let stairs = self.stairs.as_ref().filter(|stairs| stairs.takes(&args));
        if let Some(stairs) = stairs {
            args.step[(args.steps[0] + args.steps[1] - 1) as usize] = stairs.step;
        }
        for (i, group) in self.groups.iter().enumerate() {
            if group.clone().all(|c| dst[c].height == 0) {
                continue;
            }
            let (first, bytes) = (&src[group.start], src[group.start].layout.sample.bytes());
            let (columns, rows) = match (self.by_tables[i], group.len(), stairs) {
                (true, ..) => (TABLE_BYTES / bytes, BLOCK.1 * TABLE_ROWS[bytes - 1]),
                (false, 1, _) => (BLOCK.0, BLOCK.1 * ROWS),
                (false, _, Some(stairs)) => (BLOCK.0, stairs.rows(first.width, first.height)),
                (false, _, None) => BLOCK,
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
        unsafe { launch(stairs.map_or(&self.function, |stairs| &stairs.function), shape, &args, job.stream) }
    }
}
