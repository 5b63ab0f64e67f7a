//! The kernels of cuda/clahe.cu.

use super::plan::{BINS, Plan};
use super::tuning::cuda::{COLUMNS, COUNTED, ROWS, THREADS};
use crate::device::cuda::{CudaDevice, DeviceBuffer, Function, LaunchConfig};
use crate::error::Result;
use crate::filters::cuda::{PlaneArgs, launch};
use crate::filters::device_struct::{device_struct, generated};
use crate::filters::{CudaJob, CudaKernel};

device_struct! {
    /// What is done to one component.
    struct ComponentArgs = "ClaheComponent" {
        src: PlaneArgs,
        dst: PlaneArgs,
        /// How often bins are met, tile by tile. Zeros between frames.
        counts: u64 = "u32*",
        /// Curves at the edges before and after bins, in the halves of words, tile by tile.
        curves: u64 = "u32*",
        /// 0: the plane is copied.
        computes: u32,
        /// Blocks side by side, or of a tile.
        across: u32,
        /// Blocks of the component.
        blocks: u32,
        unused: u32,
    }
}

device_struct! {
    /// Arguments of the kernels.
    struct Args = "Clahe" {
        component: [ComponentArgs; 3],
        /// Tiles across and down.
        tiles_w: u32,
        tiles_h: u32,
        /// Bits of a lane that are below its bin's number.
        shift: u32,
        /// The bin that black begins.
        first: u32,
        /// Bins from black to white.
        count: u32,
        /// How much a bin counts at most, in 256ths of the mean of all.
        clip: u32,
    }
}

generated! {
    "clahe.cuh" after ["../common/plane.cuh"]: ComponentArgs, Args;
}

impl ComponentArgs {
    /// A component that a picture does not have, or that a launch leaves alone.
    const NONE: ComponentArgs = ComponentArgs {
        src: PlaneArgs::NONE,
        dst: PlaneArgs::NONE,
        counts: 0,
        curves: 0,
        computes: 0,
        across: 1,
        blocks: 0,
        unused: 0,
    };
}

/// What is done, in this order: tiles are counted, curves made of that, and samples of these.
#[derive(Clone, Copy, PartialEq)]
enum Step {
    Count,
    Curve,
    Make,
}

/// A component's tiles.
struct Tiles {
    counts: DeviceBuffer,
    curves: DeviceBuffer,
}

/// A kernel built for one stream.
pub(super) struct Kernel {
    plan: Plan,
    steps: [(Step, Function); 3],
    /// Of each component that is worked on.
    tiles: Vec<Tiles>,
}

/// Bytes of the counts, and of the curves, of a component.
fn bytes(plan: &Plan) -> usize {
    plan.tiles.0 * plan.tiles.1 * BINS * size_of::<u32>()
}

/// Bytes of device memory that the kernel holds.
pub(super) fn memory(plan: &Plan) -> usize {
    2 * bytes(plan) * plan.computed()
}

impl Kernel {
    /// The kernel of `plan`.
    ///
    /// # Errors
    /// When it cannot be loaded, or there is no memory for tiles.
    pub(super) fn new(plan: Plan, device: &CudaDevice) -> Result<Kernel> {
        let step = |step: Step, name: &str| Ok((step, device.function("clahe", name)?));
        let tiles = |_| {
            Ok(Tiles {
                counts: DeviceBuffer::from_bytes(device, &vec![0; bytes(&plan)], "histograms")?,
                curves: DeviceBuffer::new(device, bytes(&plan), "curves")?,
            })
        };
        Ok(Kernel {
            tiles: (0..plan.computed()).map(tiles).collect::<Result<_>>()?,
            steps: [
                step(Step::Count, "clahe_count")?,
                step(Step::Curve, "clahe_curve")?,
                step(Step::Make, "clahe_make")?,
            ],
            plan,
        })
    }

    /// What a step does to a component.
    fn component(&self, job: &CudaJob<'_>, step: Step, index: usize) -> Result<ComponentArgs> {
        let (src, dst, tiles) = (&job.src.here()[index], &job.dst[index], self.tiles.get(index));
        if dst.height == 0 || (tiles.is_none() && step != Step::Make) {
            return Ok(ComponentArgs::NONE);
        }
        let count = self.plan.tiles.0 * self.plan.tiles.1;
        let (across, down) = match step {
            Step::Count => ((src.width * src.height).div_ceil(count * COUNTED), count),
            Step::Curve => (1, count),
            Step::Make => (dst.width.div_ceil(COLUMNS), dst.height.div_ceil(ROWS)),
        };
        Ok(ComponentArgs {
            src: PlaneArgs::new(src)?,
            dst: PlaneArgs::new(dst)?,
            counts: tiles.map_or(0, |tiles| tiles.counts.address()),
            curves: tiles.map_or(0, |tiles| tiles.curves.address()),
            computes: tiles.is_some().into(),
            across: across as u32,
            blocks: (across * down) as u32,
            unused: 0,
        })
    }
}

impl CudaKernel for Kernel {
    fn enqueue(&mut self, job: &CudaJob<'_>) -> Result<()> {
        let levels = self.plan.levels;
        for (step, function) in &self.steps {
            let mut component = [ComponentArgs::NONE; 3];
            for (index, args) in component.iter_mut().enumerate().take(job.dst.len()) {
                *args = self.component(job, *step, index)?;
            }
            let blocks = component.iter().map(|component| component.blocks).sum();
            if blocks == 0 {
                continue;
            }
            let args = Args {
                component,
                tiles_w: self.plan.tiles.0 as u32,
                tiles_h: self.plan.tiles.1 as u32,
                shift: levels.shift,
                first: levels.first,
                count: levels.count,
                clip: levels.clip,
            };
            let threads = if *step == Step::Curve { BINS } else { THREADS };
            let shape = LaunchConfig { grid: [blocks, 1, 1], block: [threads as u32, 1, 1], shared: 0 };
            // SAFETY: `Args` is the kernel's parameter; the planes have the sizes they state and outlive the work by the
            // caller; counts and curves were made for as many tiles and live as long as this kernel.
            unsafe { launch(function, shape, &args, job.stream) }?;
        }
        Ok(())
    }
}
