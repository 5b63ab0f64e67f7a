//! The kernels of cuda/rgauss.cu and cuda/rgauss_far.cu.

use super::plan::Plan;
use super::tuning::cuda::{ACROSS_THREADS, DOWN_THREADS, FAR_LINES};
use crate::device::cuda::{CudaDevice, DeviceBuffer, DevicePlanes, Function, LaunchConfig, Stream};
use crate::error::Result;
use crate::filters::cuda::{PlaneArgs, launch};
use crate::filters::device_struct::{device_struct, generated};
use crate::filters::{CudaJob, CudaKernel, Setup};

const WARP: usize = 32;

/// Threads of a block, at most, and lines that have a barrier each.
const MOST_THREADS: usize = 1024;
const BARRIERS: usize = 15;

/// Samples that a thread has in registers: these have kernels.
const EACH: [usize; 2] = [15, 17];

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

/// Words of a line before its first total: sums of warps, the first and the last sample, and totals before that.
fn front(radius: usize) -> usize {
    (WARP + 2 + radius + 2).next_multiple_of(4)
}

/// How the lines of one component are shared out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Share {
    /// Samples of a thread, where a line is in registers.
    each: usize,
    /// Warps of a line.
    warps: usize,
    /// Lines of a block, a power of two.
    lines: usize,
    /// Words that a line works in.
    stride: usize,
}

impl Share {
    /// For lines of `length` samples in registers, and in shared memory of which a block has `limit` bytes. Blocks have about
    /// `threads` threads, and no more of the shared memory than leaves room for as many of them as registers do. None where a
    /// line does not fit.
    fn near(length: usize, radius: usize, threads: usize, limit: usize) -> Option<Share> {
        let warps = |each: usize| length.div_ceil(WARP * each).max(1);
        let fits = |each: &usize| warps(*each) * WARP <= MOST_THREADS;
        let each = EACH.into_iter().filter(fits).min_by_key(|each| warps(*each) * each)?;
        let warps = warps(each);
        // Vectors are aligned, and those of neighbouring columns in other banks.
        let words = front(radius) + WARP * each * warps + radius + 3;
        let stride = (words + WARP - 5) / WARP * WARP + 4;
        let bytes = stride * size_of::<u32>();
        if bytes > limit {
            return None;
        }
        let barriers = if warps > 1 { BARRIERS } else { usize::MAX };
        let most = (threads / WARP / warps).min(limit * threads / MOST_THREADS / bytes).min(barriers).max(1);
        Some(Share { each, warps, lines: 1 << most.ilog2(), stride })
    }

    /// For lines of `length` samples in global memory.
    fn far(length: usize, radius: usize) -> Share {
        // Samples, and running totals, which are continued as far as windows reach.
        Share { each: 0, warps: 1, lines: FAR_LINES, stride: 2 * length + 2 * radius + 3 }
    }

    /// Blocks for so many lines.
    fn blocks(&self, lines: usize) -> usize {
        lines.div_ceil(self.lines)
    }

    /// Bytes that a block works in.
    fn bytes(&self) -> usize {
        self.lines * self.stride * size_of::<u32>()
    }
}

/// How the lines of all components are, in one direction.
struct Lines {
    shares: Vec<Share>,
    is_far: bool,
}

impl Lines {
    /// For lines of these lengths, by component.
    fn new(lengths: &[usize], radius: usize, threads: usize, limit: usize) -> Lines {
        let near: Option<Vec<Share>> =
            lengths.iter().map(|length| Share::near(*length, radius, threads, limit)).collect();
        let is_far = near.is_none();
        let longest = lengths.iter().copied().max().unwrap_or(0);
        Lines { shares: near.unwrap_or_else(|| vec![Share::far(longest, radius); lengths.len()]), is_far }
    }

    /// Threads of a block, of about `threads`.
    fn threads(&self, threads: usize) -> usize {
        let warps = self.shares.iter().map(|share| share.warps).max().unwrap_or(1);
        if self.is_far { WARP * FAR_LINES } else { threads.max(WARP * warps) }
    }

    /// Bytes of shared memory of a block.
    fn shared(&self) -> u32 {
        let most = self.shares.iter().map(Share::bytes).max().unwrap_or(0);
        if self.is_far { 0 } else { most as u32 }
    }

    /// Bytes of global memory that launches work in: lines of each component, as many as there are.
    fn scratch(&self, lines: &[usize]) -> usize {
        let bytes = self.shares.iter().zip(lines).map(|(share, lines)| share.blocks(*lines) * share.bytes());
        if self.is_far { bytes.sum() } else { 0 }
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
        Layout::of(sizes, blurs, plan.window.radius, shared_limit(device.compute()))
    }

    fn of(sizes: Vec<(usize, usize)>, blurs: Vec<bool>, radius: usize, limit: usize) -> Layout {
        let (widths, heights): (Vec<usize>, Vec<usize>) = sizes.iter().copied().unzip();
        let down = Lines::new(&heights, radius, DOWN_THREADS, limit);
        let across = Lines::new(&widths, radius, ACROSS_THREADS, limit);
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
            let (module, name) = if lines.is_far { ("rgauss_far", far) } else { ("rgauss", near) };
            let function = device.function(module, name)?;
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
        let (lines, function, threads) = if down {
            (&self.layout.down, &self.down, DOWN_THREADS)
        } else {
            (&self.layout.across, &self.across, ACROSS_THREADS)
        };
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
            front: front(window.radius) as u32,
        };
        let block = [lines.threads(threads) as u32, 1, 1];
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
    use super::*;

    #[test]
    fn lines_are_where_they_fit() {
        let hopper = shared_limit((9, 0));
        let near = |length, threads, limit| Share::near(length, 16, threads, limit);
        // 1080p's columns: two warps of 17 samples a thread have 1088 of them, and eight columns are side by side.
        let share = near(1080, DOWN_THREADS, hopper).unwrap();
        assert_eq!((share.each, share.warps, share.lines, share.stride % WARP), (17, 2, 8, 4));
        // 4K's rows: eight warps of 15 have exactly 3840.
        let share = near(3840, ACROSS_THREADS, hopper).unwrap();
        assert_eq!((share.each, share.warps, share.lines), (15, 8, 1));
        // The oldest devices take 8K's rows so, with the widest windows; and nobody more than a block has threads for.
        assert_eq!(Share::near(7680, 511, ACROSS_THREADS, shared_limit((6, 1))).unwrap().lines, 1);
        assert_eq!(near(17_409, ACROSS_THREADS, hopper), None);
        assert_eq!(near(12_345, ACROSS_THREADS, shared_limit((6, 1))), None);
        for length in [1, 31, 500, 5_432, 16_500, 17_408] {
            let share = near(length, DOWN_THREADS, hopper).unwrap();
            assert!(share.bytes() <= hopper && WARP * share.warps * share.each >= length);
            assert!(share.warps * share.lines * WARP <= DOWN_THREADS.max(share.warps * WARP));
            assert!(share.warps == 1 || share.lines <= BARRIERS);
        }
    }

    #[test]
    fn long_lines_are_in_global_memory() {
        let sizes = vec![(20_000, 4320), (10_000, 2160), (10_000, 2160)];
        let layout = Layout::of(sizes, vec![false, true, true], 16, shared_limit((9, 0)));
        assert!(layout.across.is_far && !layout.down.is_far && layout.across.shared() == 0);
        // A launch over rows has blocks for planes that are copied too.
        let share = Share::far(20_000, 16);
        assert_eq!(layout.scratch(), (540 + 270 + 270) * share.bytes());
        assert_eq!(layout.memory(), layout.scratch() + 2 * 10_016 * 2160 * 4);
    }
}
