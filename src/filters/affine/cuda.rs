//! The kernel of cuda/affine.cu.

use super::tuning::cuda::{DOWN, WIDE};
use super::{Plan, weights};
use crate::device::cuda::{CudaDevice, DeviceBuffer, Function, LaunchConfig};
use crate::error::Result;
use crate::filters::cuda::{PlaneArgs, launch};
use crate::filters::device_struct::{device_struct, generated};
use crate::filters::strips::Cut;
use crate::filters::{CudaJob, CudaKernel};

device_struct! {
    /// What is done to one component.
    struct ComponentArgs = "AffineComponent" {
        src: PlaneArgs,
        dst: PlaneArgs,
        /// Where samples lie in the source, as `SourceMap` has it.
        column: [i64; 3],
        row: [i64; 3],
        /// The lane of what is shown where the picture is not.
        fill: u32,
        /// 1: the nearest sample is shown there.
        replicates: u32,
        /// 0: the plane is copied.
        computes: u32,
        across: u32,
        blocks: u32,
        unused: u32,
    }
}

device_struct! {
    /// Arguments of the kernel.
    struct Args = "AffineArgs" {
        component: [ComponentArgs; 3],
        /// Of each phase four weights of 16 bits.
        weights: u64 = "const uint2*",
    }
}

generated! {
    "affine.cuh" after ["../common/plane.cuh"]: ComponentArgs, Args;
}

/// A component that a picture does not have.
const NONE: ComponentArgs = ComponentArgs {
    src: PlaneArgs::NONE,
    dst: PlaneArgs::NONE,
    column: [0; 3],
    row: [0; 3],
    fill: 0,
    replicates: 0,
    computes: 0,
    across: 1,
    blocks: 0,
    unused: 0,
};

/// A kernel built for one stream.
pub struct Kernel {
    plan: Plan,
    function: Function,
    weights: DeviceBuffer,
}

impl Kernel {
    /// The kernel of `plan`.
    ///
    /// # Errors
    /// When it cannot be loaded or there is no memory for the weights.
    pub(super) fn new(plan: Plan, device: &CudaDevice) -> Result<Kernel> {
        let bytes: Vec<u8> = plan.weights.0.iter().flatten().flat_map(|weight| weight.to_le_bytes()).collect();
        debug_assert_eq!(bytes.len(), weights::BYTES);
        let weights = DeviceBuffer::from_bytes(device, &bytes, "weights")?;
        Ok(Kernel { plan, function: device.function("affine", "affine")?, weights })
    }
}

impl CudaKernel for Kernel {
    fn enqueue(&mut self, job: &CudaJob<'_>) -> Result<()> {
        let mut args = Args { component: [NONE; 3], weights: self.weights.address() };
        for (index, component) in self.plan.components.iter().enumerate() {
            let (src, dst) = (&job.src.here()[index], &job.dst[index]);
            let cut = Cut::new(dst.width.div_ceil(WIDE), DOWN, dst);
            let to = &mut args.component[index];
            *to = ComponentArgs {
                src: PlaneArgs::new(src)?,
                dst: PlaneArgs::new(dst)?,
                across: cut.across,
                blocks: cut.blocks,
                ..NONE
            };
            if let Some(component) = component {
                (to.column, to.row, to.computes) = (component.places.column, component.places.row, 1);
                (to.fill, to.replicates) = (component.fill.unwrap_or(0).into(), component.fill.is_none().into());
            }
        }
        let blocks = args.component.iter().map(|component| component.blocks).sum();
        if blocks == 0 {
            return Ok(());
        }
        let shape = LaunchConfig { grid: [blocks, 1, 1], block: [(WIDE * DOWN) as u32, 1, 1], shared: 0 };
        // SAFETY: `Args` is the kernel's parameter; the planes have the sizes they state and outlive the work by the caller,
        // and the weights live as long as this kernel.
        unsafe { launch(&self.function, shape, &args, job.stream) }
    }
}
