//! The launch of kernels that are made of cuda/common/window.cuh.

use super::Plan;
use super::tuning::cuda::{COLUMNS, THREADS};
use crate::device::cuda::{DeviceBuffer, DevicePlane, Function, LaunchConfig};
use crate::error::Result;
use crate::filters::cuda::PlaneArgs;
use crate::filters::device_struct::{DeviceStruct, device_struct, generated};
use crate::filters::{CudaJob, CudaKernel};
use crate::video::SampleType;

/// Bytes of shared memory that a block has on every device.
pub(crate) const SHARED: usize = 48 * 1024;

device_struct! {
    /// What is done to one component.
    struct ComponentArgs = "WindowComponent" {
        src: PlaneArgs,
        dst: PlaneArgs,
        /// 0: the plane is copied.
        computes: u32,
        /// Blocks side by side.
        across: u32,
        /// Blocks of the component.
        blocks: u32,
        unused: u32,
    }
}

device_struct! {
    /// The first argument of the kernels, whatever their function is.
    struct Args = "WindowArgs" {
        component: [ComponentArgs; 3],
    }
}

generated! {
    "window.cuh" after ["../common/plane.cuh"]: ComponentArgs, Args;
}

impl ComponentArgs {
    /// A component that a picture does not have.
    const NONE: ComponentArgs =
        ComponentArgs { src: PlaneArgs::NONE, dst: PlaneArgs::NONE, computes: 0, across: 1, blocks: 0, unused: 0 };

    fn new(src: &DevicePlane, dst: &DevicePlane, computes: bool, rows: usize) -> Result<ComponentArgs> {
        let across = src.width.div_ceil(COLUMNS);
        Ok(ComponentArgs {
            src: PlaneArgs::new(src)?,
            dst: PlaneArgs::new(dst)?,
            computes: computes.into(),
            across: across as u32,
            blocks: (across * dst.height.div_ceil(rows)) as u32,
            unused: 0,
        })
    }
}

/// The ending of a kernel's name for pictures of this plan.
pub(crate) fn suffix<O>(plan: &Plan<O>) -> &'static str {
    if plan.setup.src.sample() == SampleType::U8 { "u8" } else { "u16" }
}

/// Rows of a block whose threads make as many samples side by side.
pub(crate) const fn block_rows(outputs: usize) -> usize {
    THREADS * outputs / COLUMNS
}

/// A kernel built for one stream.
pub(crate) struct TileKernel<C> {
    pub function: Function,
    /// What the function gets.
    pub consts: C,
    /// Which components it works on; the others are copied.
    pub computes: Vec<bool>,
    /// Rows of a block.
    pub rows: usize,
    /// Bytes of shared memory of a block, at most [`SHARED`].
    pub shared: usize,
    /// What `consts` points to.
    pub _tables: Vec<DeviceBuffer>,
}

impl<C: DeviceStruct + Send> CudaKernel for TileKernel<C> {
    fn enqueue(&mut self, job: &CudaJob<'_>) -> Result<()> {
        let mut args = Args { component: [ComponentArgs::NONE; 3] };
        for (index, computes) in self.computes.iter().enumerate() {
            args.component[index] = ComponentArgs::new(&job.src.here()[index], &job.dst[index], *computes, self.rows)?;
        }
        let blocks = args.component.iter().map(|component| component.blocks).sum();
        if blocks == 0 {
            return Ok(());
        }
        let shape = LaunchConfig { grid: [blocks, 1, 1], block: [THREADS as u32, 1, 1], shared: self.shared as u32 };
        let params = [(&raw const args).cast(), (&raw const self.consts).cast()];
        // SAFETY: the kernel's parameters are `Args` and the function's constants; the planes have the sizes they state and
        // outlive the work by the caller, the tables live as long as this kernel, and the shared memory holds what a block
        // puts there.
        unsafe { self.function.launch(shape, &params, job.stream) }
    }
}
