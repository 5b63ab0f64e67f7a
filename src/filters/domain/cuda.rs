//! The kernels of cuda/domain.cu.

use super::plan::{Plan, Table};
use super::tuning::{CARRIERS, OPEN_THREADS, STAGES, TILE};
use crate::device::cuda::{CudaDevice, DeviceBuffer, DevicePlanes, Function, LaunchConfig, Stream};
use crate::error::Result;
use crate::filters::cuda::{PlaneArgs, launch};
use crate::filters::device_struct::{device_struct, generated};
use crate::filters::{CudaJob, CudaKernel, Setup};

device_struct! {
    /// What is done to one component. Its stages are filled up to whole tiles.
    struct ComponentArgs = "Component" {
        src: PlaneArgs,
        dst: PlaneArgs,
        /// What steers it: itself, or luma.
        guide: PlaneArgs,
        /// Samples row by row, and column by column.
        rows: u64 = "float*",
        columns: u64 = "float*",
        guide_rows: u64 = "u16*",
        guide_columns: u64 = "u16*",
        /// Samples of a row, and of a column, of the stages.
        width: u32,
        height: u32,
        /// Base-two logarithms of the columns and rows of the guide that a sample covers.
        subsampling_w: u32,
        subsampling_h: u32,
        /// 0: the plane is copied.
        filters: u32,
        /// Blocks of the component.
        blocks: u32,
    }
}

device_struct! {
    /// Arguments of the kernels.
    struct Args = "Domain" {
        component: [ComponentArgs; 3],
        /// What neighbours weigh, by their difference.
        table: u64 = "const float*",
        /// 0: along rows.
        down: u32,
        /// 1: the result is stored.
        last: u32,
    }
}

generated! {
    "domain.cuh" after ["../common/plane.cuh"]: ComponentArgs, Args;
}

impl ComponentArgs {
    /// A component that a picture does not have.
    const NONE: ComponentArgs = ComponentArgs {
        src: PlaneArgs::NONE,
        dst: PlaneArgs::NONE,
        guide: PlaneArgs::NONE,
        rows: 0,
        columns: 0,
        guide_rows: 0,
        guide_columns: 0,
        width: 0,
        height: 0,
        subsampling_w: 0,
        subsampling_h: 0,
        filters: 0,
        blocks: 0,
    };
}

/// A launch.
#[derive(Clone, Copy)]
enum Turn {
    /// Reads the source, and copies what is not filtered.
    Open,
    /// Forth and back along rows.
    Across,
    /// Forth and back along columns.
    Down,
}

/// Bytes of a component's stages, where it is filtered: floats and guides, each by rows and by columns.
fn stages(plan: &Plan, setup: &Setup, index: usize) -> usize {
    let (width, height) = setup.input.format.component_size(index, setup.input.width, setup.input.height);
    let samples = width.next_multiple_of(TILE) * height.next_multiple_of(TILE);
    if plan.filters(index) { samples * 2 * (size_of::<f32>() + size_of::<u16>()) } else { 0 }
}

/// A kernel built for one stream.
pub(super) struct Kernel {
    plan: Plan,
    /// Of each component that is filtered.
    stages: Vec<Option<DeviceBuffer>>,
    tables: DeviceBuffer,
    open: Function,
    sweep: Function,
}

impl Kernel {
    /// Bytes of device memory that the kernel of `plan` holds.
    pub(super) fn memory(plan: &Plan, setup: &Setup) -> usize {
        let stages = (0..setup.input.format.components()).map(|index| stages(plan, setup, index));
        size_of_val(&*plan.tables) + stages.sum::<usize>()
    }

    /// The kernel of `plan`.
    ///
    /// # Errors
    /// When the kernels cannot be loaded or there is no memory for what is kept.
    pub(super) fn new(plan: Plan, setup: &Setup, device: &CudaDevice) -> Result<Kernel> {
        let buffer = |bytes: usize| (bytes > 0).then(|| DeviceBuffer::new(device, bytes, "stages")).transpose();
        let tables: Vec<u8> = plan.tables.iter().flatten().flat_map(|weight| weight.to_ne_bytes()).collect();
        Ok(Kernel {
            stages: (0..setup.input.format.components())
                .map(|index| buffer(stages(&plan, setup, index)))
                .collect::<Result<_>>()?,
            tables: DeviceBuffer::from_bytes(device, &tables, "weights")?,
            open: device.function("domain", "domain_open")?,
            sweep: device.function("domain", "domain_sweep")?,
            plan,
        })
    }

    /// Arguments of all launches for `src` and `dst`.
    fn args(&self, src: &DevicePlanes, dst: &DevicePlanes) -> Result<Args> {
        let mut component = [ComponentArgs::NONE; 3];
        for (index, stages) in self.stages.iter().enumerate() {
            let guided = self.plan.is_guided(index);
            let (plane, guide) = (&src[index], &src[if guided { 0 } else { index }]);
            let (width, height) = (plane.width.next_multiple_of(TILE), plane.height.next_multiple_of(TILE));
            let start = stages.as_ref().map_or(0, DeviceBuffer::address);
            // Floats by rows and by columns, then guides.
            let floats = (width * height * size_of::<f32>()) as u64;
            let guides = (width * height * size_of::<u16>()) as u64;
            let subsampling = if guided { self.plan.subsampling } else { (0, 0) };
            component[index] = ComponentArgs {
                src: PlaneArgs::new(plane)?,
                dst: PlaneArgs::new(&dst[index])?,
                guide: PlaneArgs::new(guide)?,
                rows: start,
                columns: start + floats,
                guide_rows: start + 2 * floats,
                guide_columns: start + 2 * floats + guides,
                width: width as u32,
                height: height as u32,
                subsampling_w: subsampling.0 as u32,
                subsampling_h: subsampling.1 as u32,
                filters: stages.is_some().into(),
                blocks: 0,
            };
        }
        Ok(Args { component, table: 0, down: 0, last: 0 })
    }

    /// Puts one launch into `stream`.
    fn turn(&self, args: &mut Args, turn: Turn, stream: &Stream) -> Result<()> {
        for component in &mut args.component {
            // A target of no rows is a component that stays where it is.
            let made = component.dst.size().1 > 0 && (component.filters == 1 || matches!(turn, Turn::Open));
            let (across, down) = (component.width / TILE as u32, component.height / TILE as u32);
            let blocks = match turn {
                Turn::Open => across * down,
                Turn::Across => down,
                Turn::Down => across,
            };
            component.blocks = if made { blocks } else { 0 };
        }
        let blocks = args.component.iter().map(|component| component.blocks).sum();
        if blocks == 0 {
            return Ok(());
        }
        let (function, threads) = match turn {
            Turn::Open => (&self.open, OPEN_THREADS),
            // A warp that goes along lines, and those that bring and take away what it needs.
            Turn::Across | Turn::Down => (&self.sweep, TILE * (1 + STAGES * CARRIERS)),
        };
        let shape = LaunchConfig { grid: [blocks, 1, 1], block: [threads as u32, 1, 1], shared: 0 };
        // SAFETY: `Args` is the kernels' parameter; the planes have the sizes they state and outlive the work by the caller;
        // stages have room for whole tiles of planes of these sizes, and live as long as this kernel, as tables do.
        unsafe { launch(function, shape, &*args, stream) }
    }
}

impl CudaKernel for Kernel {
    fn enqueue(&mut self, job: &CudaJob<'_>) -> Result<()> {
        let CudaJob { src, dst, stream, .. } = *job;
        let mut args = self.args(src.here(), dst)?;
        self.turn(&mut args, Turn::Open, stream)?;
        let passes = self.plan.tables.len();
        for pass in 0..passes {
            args.table = self.tables.address() + (pass * size_of::<Table>()) as u64;
            args.down = 0;
            self.turn(&mut args, Turn::Across, stream)?;
            args.down = 1;
            args.last = (pass + 1 == passes).into();
            self.turn(&mut args, Turn::Down, stream)?;
        }
        Ok(())
    }
}
