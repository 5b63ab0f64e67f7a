//! The kernel of cuda/nlmeans.cu.

use super::plan::Plan;
use super::tuning::cuda::{HIGH, THREADS, WIDE};
use crate::device::cuda::{CudaDevice, DeviceBuffer, Function, LaunchConfig};
use crate::error::Result;
use crate::filters::cuda::{PlaneArgs, launch};
use crate::filters::device_struct::{device_struct, generated};
use crate::filters::strips::Cut;
use crate::filters::{CudaJob, CudaKernel};

/// The most frames that are read.
const MOST_FRAMES: usize = 9;

device_struct! {
    /// What is done to one component.
    struct ComponentArgs = "NlmeansComponent" {
        /// In order of time.
        src: [PlaneArgs; MOST_FRAMES],
        dst: PlaneArgs,
        /// 0: the plane is copied.
        computes: u32,
        across: u32,
        blocks: u32,
        unused: u32,
    }
}

device_struct! {
    /// Arguments of the kernel.
    struct Args = "NlmeansArgs" {
        component: [ComponentArgs; 3],
        table: u64 = "const float*",
        /// From a sum to its place in the table.
        factor: u32,
        shift: u32,
        /// Frames before and after; samples that are searched to each side, and that surroundings reach.
        frames: i32,
        search: i32,
        patch: i32,
        wref: f32,
    }
}

generated! {
    "nlmeans.cuh" after ["../common/plane.cuh"]: ComponentArgs, Args;
}

/// A component that a picture does not have.
const NONE: ComponentArgs = ComponentArgs {
    src: [PlaneArgs::NONE; MOST_FRAMES],
    dst: PlaneArgs::NONE,
    computes: 0,
    across: 1,
    blocks: 0,
    unused: 0,
};

/// A kernel built for one stream.
pub struct Kernel {
    plan: Plan,
    function: Function,
    table: DeviceBuffer,
}

impl Kernel {
    /// The kernel of `plan`.
    ///
    /// # Errors
    /// When it cannot be loaded or there is no memory for the weights.
    pub fn new(plan: Plan, device: &CudaDevice) -> Result<Kernel> {
        let bytes: Vec<u8> = plan.weights.table.iter().flat_map(|weight| weight.to_le_bytes()).collect();
        let table = DeviceBuffer::from_bytes(device, &bytes, "weights")?;
        Ok(Kernel { plan, function: device.function("nlmeans", "nlmeans")?, table })
    }

    /// Bytes of shared memory of a block: samples and squares of the tile and around it, and sums along its rows.
    fn shared(&self) -> usize {
        let (wide, high) = (WIDE + 2 * self.plan.patch as usize, HIGH + 2 * self.plan.patch as usize);
        (2 * wide * high + WIDE * high) * size_of::<u32>()
    }
}

impl CudaKernel for Kernel {
    fn enqueue(&mut self, job: &CudaJob<'_>) -> Result<()> {
        let Plan { weights, components, frames, search, patch, wref } = &self.plan;
        let mut args = Args {
            component: [NONE; 3],
            table: self.table.address(),
            factor: weights.factor,
            shift: weights.shift,
            frames: *frames as i32,
            search: *search as i32,
            patch: *patch as i32,
            wref: *wref,
        };
        for (index, computes) in components.iter().enumerate() {
            let dst = &job.dst[index];
            let cut = Cut::new(dst.width.div_ceil(WIDE), HIGH, dst);
            let mut src = [PlaneArgs::NONE; MOST_FRAMES];
            for (src, offset) in src.iter_mut().zip(-frames..=*frames) {
                *src = PlaneArgs::new(&job.src.at(0, offset)[index])?;
            }
            args.component[index] = ComponentArgs {
                src,
                dst: PlaneArgs::new(dst)?,
                computes: (*computes).into(),
                across: cut.across,
                blocks: cut.blocks,
                unused: 0,
            };
        }
        let blocks = args.component.iter().map(|component| component.blocks).sum();
        if blocks == 0 {
            return Ok(());
        }
        let shape = LaunchConfig { grid: [blocks, 1, 1], block: [THREADS, 1, 1], shared: self.shared() as u32 };
        // SAFETY: `Args` is the kernel's parameter; the planes have the sizes they state and outlive the work by the caller,
        // the table lives as long as this kernel, and the shared memory holds what a block puts there.
        unsafe { launch(&self.function, shape, &args, job.stream) }
    }
}
