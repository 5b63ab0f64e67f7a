//! The kernels of cuda/rgauss.cu, cuda/rgauss_double.cu and cuda/rgauss_far.cu.

mod share;

use super::plan::Plan;
use crate::device::cuda::{CudaDevice, DeviceBuffer, DevicePlanes, Function, LaunchConfig, Stream};
use crate::error::Result;
use crate::filters::cuda::{PlaneArgs, launch};
use crate::filters::device_struct::{device_struct, generated};
use crate::filters::{CudaJob, CudaKernel, Setup};
use share::{ACROSS, DOWN, LATE_ACROSS, LATE_DOWN, Lines, has_doubles};

/// Samples that a row of blurred columns is a multiple of.
const ALIGN: usize = 32;

device_struct! {
    /// What is done to one component.
    struct ComponentArgs = "Component" {
        src: PlaneArgs,
        dst: PlaneArgs,
        /// Blurred columns, row by row.
        columns: u64 = "u32*",
        /// Samples from one row of them to the next.
        pitch: u32,
        /// 0: the plane is copied.
        blurs: u32,
        /// Blocks of the component.
        blocks: u32,
        /// Samples of a thread, and warps of a line.
        each: u32,
        warps: u32,
        /// The base-two logarithm of the lines of a block.
        lines: u32,
        /// Words that a line works in.
        stride: u32,
        unused: u32,
    }
}

device_struct! {
    /// Arguments of the kernels.
    struct Args = "Rgauss" {
        component: [ComponentArgs; 3],
        /// Where blocks work, where lines are in global memory; else null.
        scratch: u64 = "u32*",
        /// `ExtendedBox` of src/filters/rgauss/plan.rs.
        radius: u32,
        ends: u32,
        half: u32,
        inverse: u32,
        passes: u32,
        /// Words of a line before its first total.
        front: u32,
        /// `ExtendedBox::inverse_double`.
        inverse_double: f64,
    }
}

generated! {
    "rgauss.cuh" after ["../common/plane.cuh"]: ComponentArgs, Args;
}

impl ComponentArgs {
    /// A component that a picture does not have, or that a launch leaves alone.
    const NONE: ComponentArgs = ComponentArgs {
        src: PlaneArgs::NONE,
        dst: PlaneArgs::NONE,
        columns: 0,
        pitch: 0,
        blurs: 0,
        blocks: 0,
        each: 0,
        warps: 0,
        lines: 0,
        stride: 0,
        unused: 0,
    };
}

/// What a kernel keeps, worked out before anything is allocated.
struct Layout {
    down: Lines,
    across: Lines,
    /// Width and height of each component.
    sizes: Vec<(usize, usize)>,
    /// Which are blurred: the launch over rows also copies the others.
    blurs: Vec<bool>,
}

impl Layout {
    fn new(plan: &Plan, setup: &Setup, device: &CudaDevice) -> Layout {
        let (format, width, height) = (setup.input.format, setup.input.width, setup.input.height);
        let sizes = (0..format.components()).map(|index| format.component_size(index, width, height)).collect();
        let blurs = (0..format.components()).map(|index| plan.blurs(index)).collect();
        Layout::of(sizes, blurs, plan.window.radius, device.block_shared(), has_doubles(device.compute()))
    }

    /// Where a block may have `shared` bytes of shared memory.
    fn of(sizes: Vec<(usize, usize)>, blurs: Vec<bool>, radius: usize, shared: usize, has_doubles: bool) -> Layout {
        let (widths, heights): (Vec<usize>, Vec<usize>) = sizes.iter().copied().unzip();
        let first = usize::from(!has_doubles);
        let down = Lines::new(&heights, radius, &[LATE_DOWN, DOWN][first..], shared);
        let across = Lines::new(&widths, radius, &[LATE_ACROSS, ACROSS][first..], shared);
        Layout { down, across, sizes, blurs }
    }

    /// Bytes of blurred columns of a component.
    fn columns(&self, index: usize) -> usize {
        let (width, height) = self.sizes[index];
        if self.blurs[index] { width.next_multiple_of(ALIGN) * height * size_of::<u32>() } else { 0 }
    }

    /// Bytes for lines in global memory. The launches follow one another, so they share it.
    fn scratch(&self) -> usize {
        let (widths, heights): (Vec<usize>, Vec<usize>) = self.sizes.iter().copied().unzip();
        self.down.scratch(&widths).max(self.across.scratch(&heights))
    }

    /// All bytes of device memory.
    fn memory(&self) -> usize {
        (0..self.sizes.len()).map(|index| self.columns(index)).sum::<usize>() + self.scratch()
    }
}

/// A kernel built for one stream.
pub(super) struct Kernel {
    plan: Plan,
    layout: Layout,
    columns: Vec<Option<DeviceBuffer>>,
    scratch: Option<DeviceBuffer>,
    down: Function,
    across: Function,
}

impl Kernel {
    /// Bytes of device memory that the kernel of `plan` holds.
    pub(super) fn memory(plan: &Plan, setup: &Setup, device: &CudaDevice) -> usize {
        Layout::new(plan, setup, device).memory()
    }

    /// The kernel of `plan`.
    ///
    /// # Errors
    /// When the kernels cannot be loaded or there is no memory for what is kept.
    pub(super) fn new(plan: Plan, setup: &Setup, device: &CudaDevice) -> Result<Kernel> {
        let layout = Layout::new(&plan, setup, device);
        let function = |near, far, lines: &Lines| {
            let function = device.function(lines.module(), if lines.is_far { far } else { near })?;
            function.allow_shared(lines.shared())?;
            Ok(function)
        };
        let buffer = |bytes: usize, what| (bytes > 0).then(|| DeviceBuffer::new(device, bytes, what)).transpose();
        let columns = (0..layout.sizes.len()).map(|index| buffer(layout.columns(index), "blurred columns"));
        Ok(Kernel {
            down: function("rgauss_down", "rgauss_far_down", &layout.down)?,
            across: function("rgauss_across", "rgauss_far_across", &layout.across)?,
            columns: columns.collect::<Result<_>>()?,
            scratch: buffer(layout.scratch(), "lines")?,
            layout,
            plan,
        })
    }

    /// A launch over columns, or over rows. That over rows also copies what is not blurred.
    fn turn(&self, down: bool, src: &DevicePlanes, dst: &DevicePlanes, stream: &Stream) -> Result<()> {
        let (lines, function) =
            if down { (&self.layout.down, &self.down) } else { (&self.layout.across, &self.across) };
        let mut component = [ComponentArgs::NONE; 3];
        for (index, columns) in self.columns.iter().enumerate() {
            let (src, dst, share) = (&src[index], &dst[index], &lines.shares[index]);
            // A target of no rows is a component that stays where it is.
            let count = match (down, columns) {
                _ if dst.height == 0 => 0,
                (true, Some(_)) => src.width,
                (true, None) => 0,
                (false, _) => src.height,
            };
            component[index] = ComponentArgs {
                src: PlaneArgs::new(src)?,
                dst: PlaneArgs::new(dst)?,
                columns: columns.as_ref().map_or(0, DeviceBuffer::address),
                pitch: src.width.next_multiple_of(ALIGN) as u32,
                blurs: columns.is_some().into(),
                blocks: share.blocks(count) as u32,
                each: share.each as u32,
                warps: share.warps as u32,
                lines: share.lines.ilog2(),
                stride: share.stride as u32,
                unused: 0,
            };
        }
        let blocks = component.iter().map(|c| c.blocks).sum();
        if blocks == 0 {
            return Ok(());
        }
        let window = self.plan.window;
        let args = Args {
            component,
            scratch: self.scratch.as_ref().filter(|_| lines.is_far).map_or(0, DeviceBuffer::address),
            radius: window.radius as u32,
            ends: window.ends,
            half: window.half,
            inverse: window.inverse,
            passes: self.plan.passes as u32,
            front: lines.shape.front(window.radius) as u32,
            inverse_double: window.inverse_double(),
        };
        let block = [lines.threads() as u32, 1, 1];
        let shape = LaunchConfig { grid: [blocks, 1, 1], block, shared: lines.shared() };
        // SAFETY: `Args` is the kernel's parameter; the planes have the sizes they state and outlive the work by the caller;
        // columns were made for planes of these sizes, and lines of all blocks have room, in shared memory or in scratch.
        unsafe { launch(function, shape, &args, stream) }
    }
}

impl CudaKernel for Kernel {
    fn enqueue(&mut self, job: &CudaJob<'_>) -> Result<()> {
        let CudaJob { src, dst, stream, .. } = *job;
        self.turn(true, src.here(), dst, stream)?;
        self.turn(false, src.here(), dst, stream)
    }
}

#[cfg(test)]
mod tests {
    use super::share::Share;
    use super::*;

    #[test]
    fn long_lines_are_in_global_memory() {
        let sizes = vec![(20_000, 4320), (10_000, 2160), (10_000, 2160)];
        let layout = Layout::of(sizes, vec![false, true, true], 16, 227 << 10, true);
        assert!(layout.across.is_far && !layout.down.is_far && layout.across.shared() == 0);
        // A launch over rows has blocks for planes that are copied too.
        let share = Share::far(20_000, 16);
        assert_eq!(layout.scratch(), (540 + 270 + 270) * share.bytes());
        assert_eq!(layout.memory(), layout.scratch() + 2 * 10_016 * 2160 * 4);
    }
}
