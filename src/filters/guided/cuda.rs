//! The kernels of cuda/guided.cu.

use super::Guided;
use super::tuning::{FEW, FEWEST_RADII, FEWEST_ROWS, MANY, MANY_FROM, WARPS};
use crate::device::cuda::{CudaDevice, DeviceBuffer, DevicePlane, Function, LaunchConfig};
use crate::error::Result;
use crate::filters::cuda::{PlaneArgs, launch};
use crate::filters::device_struct::{device_struct, generated};
use crate::filters::window::Plan;
use crate::filters::{CudaJob, CudaKernel};

device_struct! {
    /// What is done to one component.
    struct ComponentArgs = "GuidedComponent" {
        src: PlaneArgs,
        dst: PlaneArgs,
        /// Slopes and offsets, in the halves of words, as many as there are samples.
        lines: u64 = "u32*",
        /// 0: the plane is copied.
        computes: u32,
        /// Blocks side by side.
        across: u32,
        /// Rows of a block.
        rows: u32,
        /// Blocks of the component.
        blocks: u32,
    }
}

device_struct! {
    /// Arguments of the kernels.
    struct Args = "Guided" {
        component: [ComponentArgs; 3],
        /// The variance that is smoothed by half, times the samples of a window.
        edge: u64,
        radius: u32,
        /// Samples of a window, and what divides by them.
        count: u32,
        bias: u32,
        inverse: u32,
        shift: u32,
        unused: u32,
    }
}

generated! {
    "guided.cuh" after ["../common/plane.cuh"]: ComponentArgs, Args;
}

impl ComponentArgs {
    /// A component that a picture does not have, or that a launch leaves alone.
    const NONE: ComponentArgs = ComponentArgs {
        src: PlaneArgs::NONE,
        dst: PlaneArgs::NONE,
        lines: 0,
        computes: 0,
        across: 1,
        rows: 1,
        blocks: 0,
    };
}

/// A kernel built for one stream.
pub(super) struct Kernel {
    /// What makes lines, and what makes results of them.
    passes: [Function; 2],
    /// The operation, and the lines of each component that it is done to.
    op: Option<Guided>,
    lines: Vec<Option<DeviceBuffer>>,
    threads: usize,
    /// Blocks that shall be there, at least, when rows are shared out.
    blocks: usize,
}

/// Bytes of the lines of a component.
fn bytes(plan: &Plan<Guided>, component: usize) -> usize {
    let input = &plan.setup.input;
    let (width, height) = input.format.component_size(component, input.width, input.height);
    width * height * size_of::<u32>()
}

/// Bytes of device memory that the kernel holds.
pub(super) fn memory(plan: &Plan<Guided>) -> usize {
    plan.ops.iter().enumerate().map(|(component, op)| op.as_ref().map_or(0, |_| bytes(plan, component))).sum()
}

impl Kernel {
    /// The kernel of `plan`.
    ///
    /// # Errors
    /// When it cannot be loaded, or there is no memory for lines.
    pub(super) fn new(plan: Plan<Guided>, device: &CudaDevice) -> Result<Kernel> {
        let threads = if plan.op().is_some_and(|op| op.radius >= MANY_FROM) { MANY } else { FEW };
        let function = |name: &str| device.function("guided", &format!("{name}_{threads}"));
        let lines = |(component, op): (usize, &Option<Guided>)| {
            op.as_ref().map(|_| DeviceBuffer::new(device, bytes(&plan, component), "lines of windows")).transpose()
        };
        Ok(Kernel {
            passes: [function("guided_lines")?, function("guided")?],
            lines: plan.ops.iter().enumerate().map(lines).collect::<Result<_>>()?,
            op: plan.op().cloned(),
            threads,
            blocks: WARPS * device.info().multiprocessors * 32 / threads,
        })
    }

    /// What is done to a component; `is_last`: what is copied is copied.
    fn component(&self, src: &DevicePlane, dst: &DevicePlane, index: usize, is_last: bool) -> Result<ComponentArgs> {
        let lines = self.lines[index].as_ref();
        if dst.height == 0 || (lines.is_none() && !is_last) {
            return Ok(ComponentArgs::NONE);
        }
        let radius = self.op.as_ref().filter(|_| lines.is_some()).map_or(0, |op| op.radius);
        let across = dst.width.div_ceil(self.threads - 2 * radius);
        let rows = (dst.height * across).div_ceil(self.blocks).max(FEWEST_ROWS).max(FEWEST_RADII * radius);
        Ok(ComponentArgs {
            src: PlaneArgs::new(src)?,
            dst: PlaneArgs::new(dst)?,
            lines: lines.map_or(0, DeviceBuffer::address),
            computes: lines.is_some().into(),
            across: across as u32,
            rows: rows as u32,
            blocks: (across * dst.height.div_ceil(rows)) as u32,
        })
    }
}

impl CudaKernel for Kernel {
    fn enqueue(&mut self, job: &CudaJob<'_>) -> Result<()> {
        for (pass, function) in self.passes.iter().enumerate() {
            let mut component = [ComponentArgs::NONE; 3];
            for (index, args) in component.iter_mut().enumerate().take(self.lines.len()) {
                *args = self.component(&job.src.here()[index], &job.dst[index], index, pass == 1)?;
            }
            let blocks = component.iter().map(|component| component.blocks).sum();
            if blocks == 0 {
                continue;
            }
            let numbers = self.op.as_ref().map(|op| (op.radius as u32, op.numbers.mean, op.numbers.edge));
            let args = match numbers {
                Some((radius, mean, edge)) => Args {
                    component,
                    edge,
                    radius,
                    count: mean.count,
                    bias: mean.bias,
                    inverse: mean.inverse,
                    shift: mean.shift,
                    unused: 0,
                },
                None => Args { component, edge: 1, radius: 0, count: 1, bias: 0, inverse: 0, shift: 0, unused: 0 },
            };
            let shape = LaunchConfig { grid: [blocks, 1, 1], block: [self.threads as u32, 1, 1], shared: 0 };
            // SAFETY: `Args` is the kernel's parameter; the planes have the sizes they state and outlive the work by the
            // caller; lines were made for planes of these sizes and live as long as this kernel.
            unsafe { launch(function, shape, &args, job.stream) }?;
        }
        Ok(())
    }
}
