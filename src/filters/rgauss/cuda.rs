//! The kernels of cuda/rgauss.cu.

use super::plan::Plan;
use super::tuning::cuda::MOST_LINES;
use crate::device::cuda::{CudaDevice, DeviceBuffer, DevicePlanes, Function, LaunchConfig, Stream};
use crate::error::Result;
use crate::filters::cuda::{PlaneArgs, launch};
use crate::filters::device_struct::{device_struct, generated};
use crate::filters::{CudaJob, CudaKernel, Setup};

/// Threads of a warp, which blurs a line.
const WARP: usize = 32;

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
        unused: u32,
    }
}

device_struct! {
    /// Arguments of the kernels.
    struct Args = "Rgauss" {
        component: [ComponentArgs; 3],
        /// Where blocks work, where lines do not fit their shared memory; else null.
        scratch: u64 = "u32*",
        /// `ExtendedBox` of src/filters/rgauss/plan.rs.
        radius: u32,
        ends: u32,
        half: u32,
        inverse: u32,
        passes: u32,
        /// The base-two logarithm of the lines of a block.
        lines: u32,
        /// Words that a line works in.
        stride: u32,
        unused: u32,
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
        unused: 0,
    };
}

/// How the lines of a launch are shared out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Share {
    /// Lines of a block, a power of two.
    lines: usize,
    /// Words that a line works in.
    stride: usize,
    in_shared: bool,
}

impl Share {
    /// For lines of `length` samples, on a device whose blocks have `limit` bytes of shared memory: as many as leave room for
    /// another block, or one, or, where that does not fit, lines in global memory.
    fn new(length: usize, radius: usize, limit: usize) -> Share {
        // Samples, and running totals, which are continued as far as windows reach.
        let words = 2 * length + 2 * radius + 3;
        // Words of neighbouring columns are in other banks.
        let stride = |lines: usize| words + (WARP / lines + WARP - words % WARP) % WARP;
        let share = |lines| Share { lines, stride: stride(lines), in_shared: true };
        let fits = |share: &Share| share.bytes() <= if share.lines > 1 { limit / 2 } else { limit };
        let shares = [MOST_LINES, 4, 2, 1].map(share).into_iter();
        shares.clone().find(fits).unwrap_or(Share { in_shared: false, ..share(MOST_LINES) })
    }

    /// Bytes that a block works in.
    fn bytes(&self) -> usize {
        self.lines * self.stride * size_of::<u32>()
    }

    fn shared(&self) -> u32 {
        if self.in_shared { self.bytes() as u32 } else { 0 }
    }

    /// Blocks for so many lines.
    fn blocks(&self, lines: usize) -> usize {
        lines.div_ceil(self.lines)
    }

    /// Bytes of global memory for launches over planes of so many lines.
    fn scratch(&self, lines: impl Iterator<Item = usize>) -> usize {
        if self.in_shared { 0 } else { lines.map(|lines| self.blocks(lines)).sum::<usize>() * self.bytes() }
    }
}

/// Bytes of shared memory that a block may have, by compute capability.
fn shared_limit(compute: (u32, u32)) -> usize {
    let kibibytes = match compute {
        (7, 0 | 2) => 96,
        (7, _) => 64,
        (8, 0 | 7) => 163,
        (9 | 10, _) => 227,
        (8.., _) => 99,
        _ => 48,
    };
    kibibytes << 10
}

/// What a kernel keeps, worked out before anything is allocated.
struct Layout {
    down: Share,
    across: Share,
    /// Width and height of each component that is blurred.
    sizes: Vec<Option<(usize, usize)>>,
    /// The height of each component: the launch over rows also copies those that are not blurred.
    heights: Vec<usize>,
}

impl Layout {
    fn new(plan: &Plan, setup: &Setup, device: &CudaDevice) -> Layout {
        let (format, width, height) = (setup.input.format, setup.input.width, setup.input.height);
        let limit = shared_limit(device.compute());
        let size = |index| plan.blurs(index).then(|| format.component_size(index, width, height));
        Layout {
            down: Share::new(height, plan.window.radius, limit),
            across: Share::new(width, plan.window.radius, limit),
            sizes: (0..format.components()).map(size).collect(),
            heights: (0..format.components()).map(|index| format.component_size(index, width, height).1).collect(),
        }
    }

    /// Bytes of blurred columns.
    fn columns((width, height): (usize, usize)) -> usize {
        width.next_multiple_of(ALIGN) * height * size_of::<u32>()
    }

    /// Bytes for lines that do not fit shared memory. The launches follow one another, so they share it.
    fn scratch(&self) -> usize {
        let down = self.down.scratch(self.sizes.iter().flatten().map(|size| size.0));
        down.max(self.across.scratch(self.heights.iter().copied()))
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
        let layout = Layout::new(plan, setup, device);
        layout.sizes.iter().flatten().map(|size| Layout::columns(*size)).sum::<usize>() + layout.scratch()
    }

    /// The kernel of `plan`.
    ///
    /// # Errors
    /// When the kernels cannot be loaded or there is no memory for what is kept.
    pub(super) fn new(plan: Plan, setup: &Setup, device: &CudaDevice) -> Result<Kernel> {
        let layout = Layout::new(&plan, setup, device);
        let function = |name, share: &Share| {
            let function = device.function("rgauss", name)?;
            function.allow_shared(share.shared())?;
            Ok(function)
        };
        let buffer = |bytes: usize, what| (bytes > 0).then(|| DeviceBuffer::new(device, bytes, what)).transpose();
        let columns = |size: &Option<(usize, usize)>| buffer(size.map_or(0, Layout::columns), "blurred columns");
        Ok(Kernel {
            down: function("rgauss_down", &layout.down)?,
            across: function("rgauss_across", &layout.across)?,
            columns: layout.sizes.iter().map(columns).collect::<Result<_>>()?,
            scratch: buffer(layout.scratch(), "lines")?,
            layout,
            plan,
        })
    }

    /// A launch over columns, or over rows. That over rows also copies what is not blurred.
    fn turn(&self, down: bool, src: &DevicePlanes, dst: &DevicePlanes, stream: &Stream) -> Result<()> {
        let (share, function) =
            if down { (&self.layout.down, &self.down) } else { (&self.layout.across, &self.across) };
        let mut component = [ComponentArgs::NONE; 3];
        for (index, columns) in self.columns.iter().enumerate() {
            let (src, dst) = (&src[index], &dst[index]);
            // A target of no rows is a component that stays where it is.
            let lines = match (down, columns) {
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
                blocks: share.blocks(lines) as u32,
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
            scratch: self.scratch.as_ref().filter(|_| !share.in_shared).map_or(0, DeviceBuffer::address),
            radius: window.radius as u32,
            ends: window.ends,
            half: window.half,
            inverse: window.inverse,
            passes: self.plan.passes as u32,
            lines: share.lines.ilog2(),
            stride: share.stride as u32,
            unused: 0,
        };
        let threads = (WARP * share.lines) as u32;
        let shape = LaunchConfig { grid: [blocks, 1, 1], block: [threads, 1, 1], shared: share.shared() };
        // SAFETY: `Args` is the kernel's parameter; the planes have the sizes they state and outlive the work by the caller;
        // columns were made for planes of these sizes, and lines of all blocks have room, here or in shared memory.
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
    use super::*;

    #[test]
    fn lines_are_where_they_fit() {
        let hopper = shared_limit((9, 0));
        // 1080p's columns at sigma 20: 2·1080 + 35 words, eight of them and another block beside.
        let share = Share::new(1080, 16, hopper);
        assert_eq!((share.lines, share.stride % WARP, share.in_shared), (8, 4, true));
        assert_eq!(Share::new(3840, 16, hopper).lines, 2);
        // A block of the oldest devices has one line of that, and none of 8K.
        assert_eq!(Share::new(3840, 16, shared_limit((6, 1))).lines, 1);
        let long = Share::new(7680, 511, shared_limit((6, 1)));
        assert!(!long.in_shared && long.shared() == 0);
        assert_eq!(long.scratch([4320, 1].into_iter()), (540 + 1) * long.bytes());
        // A launch over rows has blocks for planes that are copied too.
        let heights = vec![4320, 2160, 2160];
        let sizes = vec![None, Some((3840, 2160)), Some((3840, 2160))];
        let layout = Layout { down: Share::new(4320, 16, hopper), across: long, sizes, heights };
        assert_eq!(layout.scratch(), (540 + 270 + 270) * long.bytes());
        for length in [1, 31, 500, 12_345] {
            let share = Share::new(length, 3, hopper);
            assert!(share.shared() as usize <= hopper && share.stride >= 2 * length + 9);
        }
    }
}
