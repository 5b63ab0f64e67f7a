//! The kernels of cuda/domain_async.cu.

use super::shape::{self, Block, Extent, Shares, block};
use super::{FrameArgs, Turn, device_tables, frames};
use crate::device::cuda::{CudaDevice, DeviceBuffer, Function, LaunchConfig, Stream};
use crate::error::{Error, Result};
use crate::filters::cuda::launch;
use crate::filters::device_struct::{device_struct, generated};
use crate::filters::domain::plan::{Plan, Table};
use crate::filters::domain::tuning::strips::{FROM_LINES, SHARED};
use crate::filters::domain::tuning::{MOST_FRAMES, OPEN_THREADS, TILE};
use crate::filters::{CudaJob, Setup};
use crate::video::SampleType;

/// Where the kernels are.
const MODULE: &str = "domain_async";

device_struct! {
    /// What is done to one component. Of a frame, samples lie in strips of 32 columns, each row by row.
    struct ComponentArgs = "StripComponent" {
        values: u64 = "float*",
        /// Values at first, of 8 or 16 bits.
        first: u64 = "u8*",
        /// How samples differ from the one to their left, of 8 or 16 bits.
        across: u64 = "u8*",
        /// The same of the one above, by column: vectors of samples below one another.
        down: u64 = "u8*",
        /// Its place in a picture, and that of what steers it: itself, or luma.
        index: u32,
        guide: u32,
        width: u32,
        height: u32,
        strips: u32,
        /// Rows of a strip: the height, filled up.
        rows: u32,
        /// Samples of a frame.
        stride: u32,
        /// Base-two logarithms of the columns and rows of the guide that a sample covers.
        subsampling_w: u32,
        subsampling_h: u32,
        /// 0: the plane is copied.
        filters: u32,
        /// 1: of 8 bits.
        bytes: u32,
        /// Tiles of a line that shared memory has.
        slots: u32,
        /// Blocks of the component, for a frame.
        blocks: u32,
        unused: u32,
    }
}

device_struct! {
    /// Arguments of the kernels.
    struct Args = "DomainStrips" {
        component: [ComponentArgs; 3],
        frame: [FrameArgs; MOST_FRAMES],
        /// What neighbours weigh, by their difference.
        table: u64 = "const float*",
        /// 1: the first pass.
        is_first: u32,
        /// 1: the result is stored.
        is_last: u32,
        /// Rows of a warp.
        lines: u32,
        /// Bytes of shared memory that weights have, and each warp.
        table_bytes: u32,
        share: u32,
        unused: u32,
    }
}

generated! {
    "domain_async.cuh" after ["domain.cuh"]: ComponentArgs, Args;
}

impl ComponentArgs {
    /// A component that a picture does not have.
    const NONE: ComponentArgs = ComponentArgs {
        values: 0,
        first: 0,
        across: 0,
        down: 0,
        index: 0,
        guide: 0,
        width: 0,
        height: 0,
        strips: 0,
        rows: 0,
        stride: 0,
        subsampling_w: 0,
        subsampling_h: 0,
        filters: 0,
        bytes: 0,
        slots: 0,
        blocks: 0,
        unused: 0,
    };
}

/// What kernels keep and how they are launched, worked out before anything is allocated.
struct Layout {
    /// Components that are filtered.
    extents: Vec<Option<Extent>>,
    /// Width and height of each component.
    sizes: Vec<(usize, usize)>,
    /// Frames of a launch, at most.
    frames: usize,
    /// Multiprocessors, and bytes of shared memory of a block.
    multiprocessors: usize,
    shared: usize,
}

impl Layout {
    /// `None`: the device or the picture is not one that the kernels serve.
    fn new(plan: &Plan, setup: &Setup, device: &CudaDevice) -> Option<Layout> {
        let Setup { input, src, batch, .. } = setup;
        if !device.runs(MODULE) {
            return None;
        }
        let components = 0..input.format.components();
        let sizes: Vec<_> = components.map(|i| input.format.component_size(i, input.width, input.height)).collect();
        let extent = |(index, &(width, height)): (usize, &(usize, usize))| {
            // A mean of bytes is none.
            let is_mean = plan.is_guided(index) && plan.subsampling != (0, 0);
            let bytes = if src.sample() == SampleType::U8 && !is_mean { 1 } else { 2 };
            plan.filters(index).then_some(Extent { width, height, bytes })
        };
        let extents: Vec<_> = sizes.iter().enumerate().map(extent).collect();
        let (multiprocessors, shared) = (device.info().multiprocessors, device.block_shared());
        let fits = |turn| block(&extents, turn, 1, multiprocessors, shared).is_some();
        // Kernels count bytes of what differs in all frames in 32 bits.
        let bytes = extents.iter().flatten().map(|extent| extent.samples() * extent.bytes).max()?;
        let counted = u32::MAX as usize / bytes;
        if counted == 0 || !fits(Turn::Across) || !fits(Turn::Down) {
            return None;
        }
        let frames = shape::frames(&extents, (*batch).min(MOST_FRAMES).min(counted), multiprocessors, shared);
        Some(Layout { extents, sizes, frames, multiprocessors, shared })
    }

    /// Whether strips were measured to be faster.
    fn is_faster(&self) -> bool {
        let bytes = self.extents.iter().flatten().map(|extent| extent.bytes).max().unwrap_or(1);
        self.shared >= SHARED && shape::mean_lines(&self.extents, self.frames) >= FROM_LINES[bytes - 1]
    }

    /// Bytes of the samples of a component, where it is filtered.
    fn bytes(&self, index: usize) -> usize {
        self.extents[index].map_or(0, |extent| self.frames * extent.samples() * extent.sample_bytes())
    }
}

/// Whether strips serve, and then whether they are faster than tiles.
pub(super) fn serves(plan: &Plan, setup: &Setup, device: &CudaDevice) -> Option<bool> {
    Layout::new(plan, setup, device).map(|layout| layout.is_faster())
}

/// Why there are no strips.
fn unserved() -> Error {
    Error::internal("domain: a device that does not serve strips")
}

/// Where lines are gone along in strips.
pub(super) struct Strips {
    plan: Plan,
    layout: Layout,
    /// Of each component that is filtered, of all frames: values, what they were at first, and how they differ.
    samples: Vec<Option<DeviceBuffer>>,
    tables: DeviceBuffer,
    open: Function,
    /// Of so many fours of rows a warp.
    across: [(usize, Function); 3],
    down: Function,
}

impl Strips {
    /// Bytes of device memory that the kernels of `plan` hold, where they serve.
    pub(super) fn memory(plan: &Plan, setup: &Setup, device: &CudaDevice) -> usize {
        let samples = |layout: Layout| (0..layout.sizes.len()).map(|index| layout.bytes(index)).sum::<usize>();
        size_of_val(&*plan.tables) + Layout::new(plan, setup, device).map_or(0, samples)
    }

    /// The kernels of `plan`.
    ///
    /// # Errors
    /// When they cannot be loaded, or there is no memory for what is kept.
    pub(super) fn new(plan: Plan, setup: &Setup, device: &CudaDevice) -> Result<Strips> {
        let layout = Layout::new(&plan, setup, device).ok_or_else(unserved)?;
        let buffer = |bytes: usize| (bytes > 0).then(|| DeviceBuffer::new(device, bytes, "samples")).transpose();
        let function = |name: &str| {
            let function = device.function(MODULE, name)?;
            function.allow_shared(layout.shared as u32)?;
            Ok::<_, Error>(function)
        };
        Ok(Strips {
            samples: (0..layout.sizes.len()).map(|index| buffer(layout.bytes(index))).collect::<Result<_>>()?,
            tables: device_tables(&plan, device)?,
            open: device.function(MODULE, "domain_strips_open")?,
            across: [
                (6, function("domain_strips_across_6")?),
                (5, function("domain_strips_across_5")?),
                (3, function("domain_strips_across_3")?),
            ],
            down: function("domain_strips_down")?,
            layout,
            plan,
        })
    }

    /// Frames of a launch, at most.
    pub(super) fn frames(&self) -> usize {
        self.layout.frames
    }

    /// Arguments of all launches for `jobs`.
    fn args(&self, jobs: &[CudaJob<'_>]) -> Result<Args> {
        let mut component = [ComponentArgs::NONE; 3];
        for (index, (width, height)) in self.layout.sizes.iter().copied().enumerate() {
            let extent = self.layout.extents[index];
            let Extent { bytes, .. } = extent.unwrap_or(Extent { width, height, bytes: 1 });
            let shape = Extent { width, height, bytes };
            let guided = self.plan.is_guided(index);
            let subsampling = if guided { self.plan.subsampling } else { (0, 0) };
            let values = self.samples[index].as_ref().map_or(0, DeviceBuffer::address);
            let count = (self.layout.frames * shape.samples()) as u64;
            let first = values + count * size_of::<f32>() as u64;
            component[index] = ComponentArgs {
                values,
                first,
                across: first + count * bytes as u64,
                down: first + 2 * count * bytes as u64,
                index: index as u32,
                guide: if guided { 0 } else { index as u32 },
                width: width as u32,
                height: height as u32,
                strips: shape.strips() as u32,
                rows: shape.rows() as u32,
                stride: shape.samples() as u32,
                subsampling_w: subsampling.0 as u32,
                subsampling_h: subsampling.1 as u32,
                filters: extent.is_some().into(),
                bytes: (bytes == 1).into(),
                slots: 0,
                blocks: 0,
                unused: 0,
            };
        }
        let frame = frames(jobs)?;
        Ok(Args { component, frame, table: 0, is_first: 0, is_last: 0, lines: 0, table_bytes: 0, share: 0, unused: 0 })
    }

    /// Puts one launch for so many frames into `stream`.
    fn turn(&self, args: &mut Args, turn: Turn, frames: usize, stream: &Stream) -> Result<()> {
        let Layout { extents, sizes, multiprocessors, shared, .. } = &self.layout;
        let (block, shares) = match turn {
            Turn::Open => (Block { lines: TILE, warps: OPEN_THREADS / TILE }, Shares::default()),
            _ => {
                let (block, _) = block(extents, turn, frames, *multiprocessors, *shared).ok_or_else(unserved)?;
                (block, Shares::new(extents, turn, block, args.is_first == 1, *shared).ok_or_else(unserved)?)
            }
        };
        for (index, (width, height)) in sizes.iter().copied().enumerate() {
            let component = &mut args.component[index];
            // A target of no rows is a component that stays where it is, in all frames.
            let made = args.frame[0].dst[index].size().1 > 0 && (component.filters == 1 || turn == Turn::Open);
            let blocks = Extent { width, height, bytes: 1 }.blocks(turn, block);
            (component.slots, component.blocks) = (shares.slots[index] as u32, if made { blocks as u32 } else { 0 });
        }
        let blocks = args.component.iter().map(|component| component.blocks).sum();
        if blocks == 0 {
            return Ok(());
        }
        (args.lines, args.table_bytes, args.share) = (block.lines as u32, shares.table as u32, shares.share as u32);
        let fours = block.lines.div_ceil(4);
        let function = match turn {
            Turn::Open => &self.open,
            Turn::Across => &self.across.iter().find(|(of, _)| *of == fours).ok_or_else(unserved)?.1,
            Turn::Down => &self.down,
        };
        let shape = LaunchConfig {
            grid: [blocks, frames as u32, 1],
            block: [(TILE * block.warps) as u32, 1, 1],
            shared: shares.bytes(block.warps) as u32,
        };
        // SAFETY: `Args` is the kernels' parameter; the planes have the sizes they state and outlive the work by the caller;
        // there is room for strips of planes of these sizes, of as many frames, which lives as long as this kernel, as tables do;
        // a block has the shared memory that its shares take.
        unsafe { launch(function, shape, &*args, stream) }
    }

    /// Puts the work for `jobs`, no more than a launch takes, into their stream.
    pub(super) fn put(&self, jobs: &[CudaJob<'_>]) -> Result<()> {
        let Some(CudaJob { stream, .. }) = jobs.first() else { return Ok(()) };
        let mut args = self.args(jobs)?;
        self.turn(&mut args, Turn::Open, jobs.len(), stream)?;
        let passes = self.plan.tables.len();
        for pass in 0..passes {
            args.table = self.tables.address() + (pass * size_of::<Table>()) as u64;
            args.is_first = (pass == 0).into();
            self.turn(&mut args, Turn::Across, jobs.len(), stream)?;
            args.is_last = (pass + 1 == passes).into();
            self.turn(&mut args, Turn::Down, jobs.len(), stream)?;
        }
        Ok(())
    }
}
