//! The kernels of cuda/domain.cu.

use super::{FrameArgs, Turn, device_tables, frames};
use crate::device::cuda::{CudaDevice, DeviceBuffer, Function, LaunchConfig, Stream};
use crate::error::Result;
use crate::filters::cuda::launch;
use crate::filters::device_struct::{device_struct, generated};
use crate::filters::domain::plan::{Plan, Table};
use crate::filters::domain::tuning::{CARRIERS, LINES, MOST_FRAMES, OPEN_THREADS, STAGES, TILE};
use crate::filters::{CudaJob, Setup};

device_struct! {
    /// What is done to one component.
    struct ComponentArgs = "Component" {
        /// Samples row by row, filled up to whole tiles, and what steers them.
        values: u64 = "float*",
        steers: u64 = "u16*",
        /// Its place in a picture, and that of what steers it: itself, or luma.
        index: u32,
        guide: u32,
        width: u32,
        height: u32,
        /// Samples from one row to the next, and from one frame to the next.
        pitch: u32,
        stride: u32,
        /// Base-two logarithms of the columns and rows of the guide that a sample covers.
        subsampling_w: u32,
        subsampling_h: u32,
        /// 0: the plane is copied.
        filters: u32,
        /// Blocks of the component, for a frame.
        blocks: u32,
    }
}

device_struct! {
    /// Arguments of the kernels.
    struct Args = "Domain" {
        component: [ComponentArgs; 3],
        frame: [FrameArgs; MOST_FRAMES],
        /// What neighbours weigh, by their difference.
        table: u64 = "const float*",
        /// 1: the result is stored.
        last: u32,
        unused: u32,
    }
}

generated! {
    "domain.cuh" after ["../common/plane.cuh"]: ComponentArgs, FrameArgs, Args;
}

impl ComponentArgs {
    /// A component that a picture does not have.
    const NONE: ComponentArgs = ComponentArgs {
        values: 0,
        steers: 0,
        index: 0,
        guide: 0,
        width: 0,
        height: 0,
        pitch: 0,
        stride: 0,
        subsampling_w: 0,
        subsampling_h: 0,
        filters: 0,
        blocks: 0,
    };
}

/// A component's samples of one frame, filled up to whole tiles: from one row to the next, and of all.
fn filled_up((width, height): (usize, usize)) -> (usize, usize) {
    let pitch = width.next_multiple_of(TILE);
    (pitch, pitch * height.next_multiple_of(TILE))
}

/// Bytes of a sample: its value, and what steers it.
const SAMPLE_BYTES: usize = size_of::<f32>() + size_of::<u16>();

/// What a kernel keeps, worked out before anything is allocated.
struct Layout {
    /// Width and height of each component.
    sizes: Vec<(usize, usize)>,
    /// Which are filtered.
    filters: Vec<bool>,
    /// Frames of a launch.
    frames: usize,
}

impl Layout {
    fn new(plan: &Plan, setup: &Setup) -> Layout {
        let Setup { input, batch, .. } = setup;
        let components = 0..input.format.components();
        // Kernels count samples of all frames in 32 bits.
        let counted = u32::MAX as usize / filled_up((input.width, input.height)).1;
        Layout {
            sizes: components.clone().map(|i| input.format.component_size(i, input.width, input.height)).collect(),
            filters: components.map(|index| plan.filters(index)).collect(),
            frames: (*batch).min(MOST_FRAMES).min(counted).max(1),
        }
    }

    /// Bytes of the samples of a component, where it is filtered. Behind the last row one more is read of what steers, and not used.
    fn bytes(&self, index: usize) -> usize {
        let (pitch, samples) = filled_up(self.sizes[index]);
        if self.filters[index] { self.frames * samples * SAMPLE_BYTES + pitch * size_of::<u16>() } else { 0 }
    }
}

/// What goes along lines in tiles that other warps bring and take away.
pub(super) struct Tiles {
    plan: Plan,
    layout: Layout,
    /// Of each component that is filtered: values of all frames, and then what steers them.
    samples: Vec<Option<DeviceBuffer>>,
    tables: DeviceBuffer,
    open: Function,
    across: Function,
    down: Function,
}

impl Tiles {
    /// Bytes of device memory that the kernels of `plan` hold.
    pub(super) fn memory(plan: &Plan, setup: &Setup) -> usize {
        let layout = Layout::new(plan, setup);
        size_of_val(&*plan.tables) + (0..layout.sizes.len()).map(|index| layout.bytes(index)).sum::<usize>()
    }

    /// The kernels of `plan`.
    ///
    /// # Errors
    /// When they cannot be loaded or there is no memory for what is kept.
    pub(super) fn new(plan: Plan, setup: &Setup, device: &CudaDevice) -> Result<Tiles> {
        let layout = Layout::new(&plan, setup);
        let buffer = |bytes: usize| (bytes > 0).then(|| DeviceBuffer::new(device, bytes, "samples")).transpose();
        Ok(Tiles {
            samples: (0..layout.sizes.len()).map(|index| buffer(layout.bytes(index))).collect::<Result<_>>()?,
            tables: device_tables(&plan, device)?,
            open: device.function("domain", "domain_open")?,
            across: device.function("domain", "domain_across")?,
            down: device.function("domain", "domain_down")?,
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
        for (index, samples) in self.samples.iter().enumerate() {
            let (width, height) = self.layout.sizes[index];
            let (pitch, stride) = filled_up((width, height));
            let guided = self.plan.is_guided(index);
            let subsampling = if guided { self.plan.subsampling } else { (0, 0) };
            let values = samples.as_ref().map_or(0, DeviceBuffer::address);
            component[index] = ComponentArgs {
                values,
                steers: values + (self.layout.frames * stride * size_of::<f32>()) as u64,
                index: index as u32,
                guide: if guided { 0 } else { index as u32 },
                width: width as u32,
                height: height as u32,
                pitch: pitch as u32,
                stride: stride as u32,
                subsampling_w: subsampling.0 as u32,
                subsampling_h: subsampling.1 as u32,
                filters: samples.is_some().into(),
                blocks: 0,
            };
        }
        Ok(Args { component, frame: frames(jobs)?, table: 0, last: 0, unused: 0 })
    }

    /// Puts one launch for so many frames into `stream`.
    fn turn(&self, args: &mut Args, turn: Turn, frames: usize, stream: &Stream) -> Result<()> {
        for component in &mut args.component {
            // A target of no rows is a component that stays where it is, in all frames.
            let made = args.frame[0].dst[component.index as usize].size().1 > 0
                && (component.filters == 1 || matches!(turn, Turn::Open));
            let blocks = match turn {
                Turn::Open => component.stride / (TILE * TILE) as u32,
                Turn::Across => component.height.div_ceil(LINES as u32),
                Turn::Down => component.width.div_ceil(LINES as u32),
            };
            component.blocks = if made { blocks } else { 0 };
        }
        let blocks = args.component.iter().map(|component| component.blocks).sum();
        if blocks == 0 {
            return Ok(());
        }
        // A warp that goes along lines, and those that bring and take away what it needs.
        let sweep = TILE * (1 + STAGES * CARRIERS);
        let (function, threads) = match turn {
            Turn::Open => (&self.open, OPEN_THREADS),
            Turn::Across => (&self.across, sweep),
            Turn::Down => (&self.down, sweep),
        };
        let shape = LaunchConfig { grid: [blocks, frames as u32, 1], block: [threads as u32, 1, 1], shared: 0 };
        // SAFETY: `Args` is the kernels' parameter; the planes have the sizes they state and outlive the work by the caller;
        // there is room for whole tiles of planes of these sizes, of as many frames, which lives as long as this kernel, as
        // tables do.
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
            self.turn(&mut args, Turn::Across, jobs.len(), stream)?;
            args.last = (pass + 1 == passes).into();
            self.turn(&mut args, Turn::Down, jobs.len(), stream)?;
        }
        Ok(())
    }
}
