//! The kernels of cuda/banding.cu.

use super::plan::{MOST_STEPS, Plan, SCALES};
use super::pool::{BINS, finish, sum_of_highest};
use crate::device::cuda::{CudaDevice, DeviceBuffer, Function, LaunchConfig, Stream};
use crate::error::Result;
use crate::filters::banding::tuning::cuda::{CONTRAST_ROWS as TALL, THREADS, TILE};
use crate::filters::cuda::{PlaneArgs, launch};
use crate::filters::device_struct::{device_struct, generated};
use crate::filters::remap::{CudaMover, Map};
use crate::filters::{CudaJob, CudaKernel, Measure};
use crate::video::Record;
use std::sync::Arc;

/// Bytes of shared memory that every device gives a block.
const SHARED: usize = 48 << 10;

device_struct! {
    /// A step between two levels.
    #[derive(Default)]
    struct Step = "Step" {
        weight: u32,
        lowest: u32,
        highest: u32,
    }
}

device_struct! {
    /// A scale.
    #[derive(Default)]
    struct Scale = "Scale" {
        map: u64 = "u16*",
        /// Null where the map of contrasts is not wanted.
        contrasts: u64 = "u16*",
        counts: u64 = "u32*",
        width: u32,
        height: u32,
        /// Blocks side by side that look for contrasts, and all of them.
        across: u32,
        blocks: u32,
    }
}

device_struct! {
    /// Arguments of the kernels.
    struct Args = "Banding" {
        src: PlaneArgs,
        /// What becomes the map.
        dst: [PlaneArgs; 3],
        codes: u64 = "u16*",
        marked: u64 = "u16*",
        scale: [Scale; SCALES],
        steps: [Step; MOST_STEPS],
        step_count: u32,
        depth: u32,
        smooths: u32,
        flat: u32,
        radius: u32,
        ceiling: u32,
        gain: u32,
        black: u32,
        white: u32,
        /// Columns of a block that looks for contrasts.
        wide: u32,
        /// The scale that is made.
        making: u32,
        unused: u32,
    }
}

generated! {
    "banding.cuh" after ["../common/plane.cuh"]: Step, Scale, Args;
}

/// A kernel built for one stream.
pub struct Kernel {
    plan: Arc<Plan>,
    memory: DeviceBuffer,
    codes: Function,
    mark: Function,
    modes: Function,
    contrasts: Function,
    map: Function,
    copies: CudaMover,
}

/// Where planes of 16 bits lie in the kernel's memory, one behind the other.
struct PlaneOffsets {
    end: usize,
}

impl PlaneOffsets {
    /// The first byte of the next one.
    fn next(&mut self, (width, height): (usize, usize)) -> usize {
        let start = self.end;
        self.end = start + (2 * width * height).next_multiple_of(256);
        start
    }
}

impl Kernel {
    /// Bytes of device memory that the kernel of `plan` holds.
    pub fn memory(plan: &Plan) -> usize {
        let mut places = PlaneOffsets { end: 0 };
        Kernel::args(plan, 0, 0, &mut places);
        places.end
    }

    /// The kernel of `plan`.
    ///
    /// # Errors
    /// When the kernels cannot be loaded or memory does not suffice.
    pub fn new(plan: Plan, device: &CudaDevice) -> Result<Kernel> {
        Ok(Kernel {
            memory: DeviceBuffer::new(device, Kernel::memory(&plan), "banding's scales")?,
            plan: Arc::new(plan),
            codes: device.function("banding", "banding_codes")?,
            mark: device.function("banding", "banding_mark")?,
            modes: device.function("banding", "banding_modes")?,
            contrasts: device.function("banding", "banding_contrasts")?,
            map: device.function("banding", "banding_map")?,
            copies: CudaMover::new([Map::ROWS; 3], device)?,
        })
    }

    /// Arguments of the kernels, without planes: with memory of the kernel's own at `memory` and the record's at `record`.
    fn args(plan: &Plan, memory: u64, record: u64, places: &mut PlaneOffsets) -> Args {
        let wide = if shared(plan, TILE.0) <= SHARED { TILE.0 } else { TILE.0 / 2 };
        let mut place = |size| memory + places.next(size) as u64;
        let (codes, marked) = (place(plan.sizes[0]), place(plan.sizes[0]));
        let scale = |scale: usize| {
            let (width, height) = plan.sizes[scale];
            let across = width.div_ceil(wide);
            Scale {
                map: place((width, height)),
                contrasts: if plan.map { place((width, height)) } else { 0 },
                counts: record + (4 * BINS * scale) as u64,
                width: width as u32,
                height: height as u32,
                across: across as u32,
                blocks: (across * height.div_ceil(TALL)) as u32,
            }
        };
        let scale = std::array::from_fn(scale);
        let mut steps = [Step::default(); MOST_STEPS];
        for (arg, step) in steps.iter_mut().zip(&plan.steps) {
            *arg = Step { weight: step.weight, lowest: step.lowest.into(), highest: step.highest.into() };
        }
        Args {
            src: PlaneArgs::NONE,
            dst: [PlaneArgs::NONE; 3],
            codes,
            marked,
            scale,
            steps,
            step_count: plan.steps.len() as u32,
            depth: plan.depth,
            smooths: plan.smooths.into(),
            flat: plan.flat,
            radius: plan.radius as u32,
            ceiling: plan.ceiling().into(),
            gain: plan.gain,
            black: plan.black,
            white: plan.white,
            wide: wide as u32,
            making: 0,
            unused: 0,
        }
    }
}

/// Bytes of shared memory that a block of `wide` columns counts in.
fn shared(plan: &Plan, wide: usize) -> usize {
    (usize::from(plan.ceiling()) + 1 + 2 * plan.steps.len()) * wide * size_of::<u16>()
}

/// Blocks of a tile each that cover a plane.
fn tiles((width, height): (usize, usize)) -> LaunchConfig {
    let blocks = width.div_ceil(TILE.0) * height.div_ceil(TILE.1);
    LaunchConfig { grid: [blocks as u32, 1, 1], block: [THREADS, 1, 1], shared: 0 }
}

/// Puts one launch into `stream`.
fn put(function: &Function, shape: LaunchConfig, args: &Args, stream: &Stream) -> Result<()> {
    if shape.grid[0] == 0 {
        return Ok(());
    }
    // SAFETY: `Args` is the kernels' parameter; planes have the sizes they state, the kernel's and the record's memory have
    // room for what `args` lays out, and all of it outlives the work by the caller.
    unsafe { launch(function, shape, args, stream) }
}

impl CudaKernel for Kernel {
    fn enqueue(&mut self, job: &CudaJob<'_>) -> Result<()> {
        let (plan, src, stream) = (&*self.plan, job.src.here(), job.stream);
        let mut args = Kernel::args(plan, self.memory.address(), job.record, &mut PlaneOffsets { end: 0 });
        args.src = PlaneArgs::new(&src[0])?;
        put(&self.codes, tiles(plan.sizes[0]), &args, stream)?;
        put(&self.mark, tiles(plan.sizes[0]), &args, stream)?;
        for (scale, size) in plan.sizes.iter().enumerate() {
            args.making = scale as u32;
            put(&self.modes, tiles(*size), &args, stream)?;
        }
        let blocks = args.scale.iter().map(|scale| scale.blocks).sum();
        let counts = shared(plan, args.wide as usize) as u32;
        let shape = LaunchConfig { grid: [blocks, 1, 1], block: [TILE.0 as u32, 1, 1], shared: counts };
        put(&self.contrasts, shape, &args, stream)?;
        if !plan.map {
            return self.copies.apply(src, job.dst, stream);
        }
        for (arg, dst) in args.dst.iter_mut().zip(job.dst.iter()) {
            *arg = PlaneArgs::new(dst)?;
        }
        put(&self.map, tiles(plan.sizes[0]), &args, stream)
    }

    fn measure(&self) -> Option<Measure> {
        let plan = self.plan.clone();
        let collect = move |bytes: &[u8], record: &mut Record| {
            let words: Vec<u32> =
                bytes.chunks_exact(4).map(|word| u32::from_le_bytes([word[0], word[1], word[2], word[3]])).collect();
            let sum = |scale: usize| sum_of_highest(&words[scale * BINS..][..BINS], plan.counted(scale));
            finish(&plan, std::array::from_fn(sum), record);
        };
        Some(Measure { bytes: 4 * BINS * SCALES, collect: Arc::new(collect) })
    }
}
