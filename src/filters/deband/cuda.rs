//! The kernels of cuda/deband.cuh.

mod args;
mod soft;
mod strips;
mod table;
mod tiles;

use self::args::{Args, ComponentArgs, Direct};
use self::soft::SoftTables;
use self::strips::strips;
use self::table::DeviceTable;
use self::tiles::{TileGrid, TiledGroups};
use super::plan::Plan;
use crate::device::cuda::{CudaDevice, DevicePlanes, Function, LaunchConfig};
use crate::error::Result;
use crate::filters::cuda::{PlaneArgs, launch};
use crate::filters::deband::tuning::cuda::GATHER;
use crate::filters::tune;
use crate::filters::{CudaJob, CudaKernel, Setup};
use crate::video::{FrameProps, SampleType};
use std::fmt;
use std::sync::Arc;

/// A kernel built for one stream.
pub(super) struct Kernel {
    plan: Plan,
    table: Arc<DeviceTable>,
    strategy: Strategy,
}

/// How references are read.
enum Strategy {
    /// From tiles in shared memory, or from strips' rings there.
    Tiles(Function, TileGrid),
    /// Where they lie: the range leaves no room for either.
    Gather(Function),
    /// Where they lie as well: for what the other kernels are not compiled for.
    Direct(Function, Option<SoftTables>),
}

impl Kernel {
    /// Bytes of device memory that the kernel of `plan` holds: those of its tables.
    pub(super) fn memory(plan: &Plan) -> usize {
        DeviceTable::memory(plan).saturating_add(SoftTables::memory(plan))
    }

    /// The kernel of `plan`.
    ///
    /// # Errors
    /// When the kernel cannot be loaded or there is no memory for its tables.
    pub(super) fn new(plan: Plan, setup: &Setup, device: &Arc<CudaDevice>) -> Result<Kernel> {
        let (_, _, layout) = setup.src.component_layout(0);
        let strategy = if plan.extend || plan.sample > 2 {
            Strategy::Direct(device.function("deband_direct", "deband_direct")?, SoftTables::new(&plan, device)?)
        } else {
            match Candidate::of(&plan, layout.sample, setup, device) {
                Candidate::AsyncTiles(grid) => Strategy::Tiles(device.function(ASYNC, ASYNC)?, grid),
                Candidate::Tiles(grid) => Strategy::Tiles(tile_kernel(&plan, layout.sample, device)?, grid),
                Candidate::Strips(grid) => Strategy::Tiles(strip_kernel(&plan, layout.sample, &grid, device)?, grid),
                Candidate::Gather => Strategy::Gather(device.function("deband_gather", "deband_gather")?),
            }
        };
        Ok(Kernel { table: DeviceTable::shared(device, &plan)?, strategy, plan })
    }

    fn args(&self, props: &FrameProps, src: &DevicePlanes, dst: &DevicePlanes) -> Result<Args> {
        let eight_bit = src[0].layout.sample == SampleType::U8;
        let draws = self.table.frame(props.frame_index);
        let mut component = [ComponentArgs::NONE; 3];
        for (index, parameters) in self.plan.components.iter().enumerate() {
            let (src, dst) = (PlaneArgs::new(&src[index])?, PlaneArgs::new(&dst[index])?);
            component[index] = ComponentArgs::new(src, dst, draws.noise[index], parameters, &self.plan, eight_bit);
        }
        let by_field = self.plan.by_field(props);
        // The number of the definition: with blur_first, two more.
        let sample = self.plan.sample as u32 + if self.plan.blur_first { 2 } else { 0 };
        Ok(Args::new(component, &draws, by_field, sample))
    }
}

/// How the references of a few samples may be read.
#[derive(Clone)]
enum Candidate {
    AsyncTiles(TileGrid),
    Tiles(TileGrid),
    Strips(TileGrid),
    Gather,
}

impl fmt::Display for Candidate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Candidate::AsyncTiles(grid) => write!(f, "async-tiles-{grid}"),
            Candidate::Tiles(grid) => write!(f, "tiles-{grid}"),
            Candidate::Strips(_) => f.write_str("strips"),
            Candidate::Gather => f.write_str("gather"),
        }
    }
}

impl Candidate {
    /// The way for `plan`: tiles where they fit, else strips where those do, unless tuning found another.
    fn of(plan: &Plan, sample: SampleType, setup: &Setup, device: &CudaDevice) -> Candidate {
        const MODULES: [&str; 7] =
            ["deband_u8", "deband_u16", ASYNC, "deband_s16x3", "deband_blur", "deband_ring", "deband_gather"];
        let (groups, info) = (TiledGroups::of(plan, sample.bytes()), device.info());
        let is_async = copies_asynchronously(plan, setup, device);
        let async_tiles = if is_async { TileGrid::asynchronous(&groups, info.multiprocessors) } else { Vec::new() };
        let async_tiles = async_tiles.into_iter().map(Candidate::AsyncTiles);
        let tiles = TileGrid::ways(&groups, info.multiprocessors).into_iter().map(Candidate::Tiles);
        // Their kernels are not compiled for `blur_first`.
        let strips = if plan.blur_first { None } else { strips(&groups, info.multiprocessors, device.block_shared()) };
        let others = strips.map(Candidate::Strips).into_iter().chain([Candidate::Gather]);
        let ways: Vec<_> = async_tiles.chain(tiles).chain(others).collect();
        let ranges = [&plan.components[0], &plan.components[plan.components.len() - 1]].map(|c| tune::coarse(c.range));
        let kind = match (plan.blur_first, is_async) {
            (true, _) => "blur",
            (false, true) => "async",
            (false, false) => "plain",
        };
        let case = format!("{kind}{}:r{}x{}", plan.sample, ranges[0], ranges[1]);
        device.choose("deband", &MODULES, tune::case(setup, setup.src, &case), &ways)
    }
}

/// The kernel that copies tiles asynchronously, and its module.
const ASYNC: &str = "deband_async";

/// Whether that kernel does what `plan` says, on `device`: a pair of references, of planes of 16 bits that stay so.
fn copies_asynchronously(plan: &Plan, setup: &Setup, device: &CudaDevice) -> bool {
    let is_pair = plan.sample == 1 && !plan.blur_first;
    is_pair && [setup.src, setup.dst].iter().all(|format| *format == format.to_v16()) && device.runs(ASYNC)
}

/// The kernel that works in tiles of samples stored as `sample`.
fn tile_kernel(plan: &Plan, sample: SampleType, device: &CudaDevice) -> Result<Function> {
    let (module, suffix) = match sample {
        SampleType::U8 => ("deband_u8", "u8"),
        SampleType::U16 => ("deband_u16", "u16"),
        SampleType::I16 => ("deband_s16x3", "s16x3"),
    };
    match plan.blur_first {
        false => device.function(module, &format!("deband_s{}_{suffix}", plan.sample)),
        true => device.function("deband_blur", &format!("deband_s{}_blur_{suffix}", plan.sample)),
    }
}

/// The kernel that works in strips of samples stored as `sample`, with room for their rings.
fn strip_kernel(plan: &Plan, sample: SampleType, grid: &TileGrid, device: &CudaDevice) -> Result<Function> {
    let bits = 8 * sample.bytes();
    let function = device.function("deband_ring", &format!("deband_ring_s{}_u{bits}", plan.sample))?;
    function.allow_shared(grid.shared as u32)?;
    Ok(function)
}

impl CudaKernel for Kernel {
    fn enqueue(&mut self, job: &CudaJob<'_>) -> Result<()> {
        let CudaJob { props, src, dst, stream, .. } = *job;
        let src = src.here();
        let mut args = self.args(props, src, dst)?;
        let (function, shape) = match &self.strategy {
            Strategy::Tiles(function, grid) => {
                args.set_grid(grid);
                let shape = LaunchConfig {
                    grid: [grid.blocks(), 1, 1],
                    block: [grid.threads, 1, 1],
                    shared: grid.shared as u32,
                };
                (function, shape)
            }
            Strategy::Gather(function) | Strategy::Direct(function, _) => {
                let (threads, (wide, high)) = GATHER;
                let blocks =
                    [src[0].width.div_ceil(wide) as u32, src[0].height.div_ceil(high) as u32, src.len() as u32];
                (function, LaunchConfig { grid: blocks, block: [threads, 1, 1], shared: 0 })
            }
        };
        // SAFETY: `Direct` is the parameter of that kernel, and `Args` of all others; the planes have the sizes they state and
        // outlive the work by the caller; the random table covers every row of them, the others every threshold and slope, and
        // all live as long as this kernel.
        unsafe {
            match &self.strategy {
                Strategy::Direct(_, soft) => {
                    launch(function, shape, &Direct::new(args, &self.plan, soft.as_ref()), stream)
                }
                _ => launch(function, shape, &args, stream),
            }
        }
    }
}
