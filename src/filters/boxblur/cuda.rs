//! The kernels of cuda/box.cu and cuda/box_tensor.cu.

use super::mean::EightBitMean;
use super::plan::Plan;
use crate::device::cuda::{
    CudaDevice, DeviceBuffer, DevicePicture, DevicePlane, DevicePlanes, Function, Shape, Stream,
};
use crate::error::Result;
use crate::filters::cuda::{CHUNK, Plane, launch, layout};
use crate::filters::strips::{Cut, Rows, STRIDE, Strips, THREADS};
use crate::filters::tensor::{self, Matrices, Walk};
use crate::filters::{CudaKernel, Setup};
use crate::video::{Format, FrameProps, SampleType};

/// Rows of a total, and from how many rows of a window on totals are worth their pass over the picture.
const TOTAL_ROWS: usize = 16;
const HIGH: usize = 4 * TOTAL_ROWS;

/// The largest radius by column that has a kernel of its own.
const NEAR: usize = 3;

/// How rows are shared out for those kernels, and for the others. Fewer warps than that wait longer; more of them sum more
/// first windows.
const NEAR_ROWS: Rows = Rows { fewest: 8, step: 4, warps: 16 };
const WIDE_ROWS: Rows = Rows { fewest: 12, step: 2, warps: 12 };

/// Rows that a thread of the others has in shared memory at a time.
const ROWS: usize = 2;

/// Threads of a block of `box_totals_*`.
const TOTAL_THREADS: usize = 128;

/// What is done to one component. Mirrors `Component` of cuda/box.cuh.
#[repr(C)]
#[derive(Clone, Copy)]
struct Component {
    src: Plane,
    dst: Plane,
    totals: u64,
    totals_columns: u32,
    blurs: u32,
    across: u32,
    rows: u32,
    blocks: u32,
    eight: u32,
}

layout!(Component: 80 {
    src: 0, dst: 24, totals: 48, totals_columns: 56, blurs: 60, across: 64, rows: 68, blocks: 72, eight: 76,
});

/// Mirrors `Box` of cuda/box.cuh.
#[repr(C)]
#[derive(Clone, Copy)]
struct Args {
    component: [Component; 3],
    radius_w: u32,
    radius_h: u32,
    halo: u32,
    count: u32,
    bias: u32,
    inverse: u32,
    shift: u32,
    bias8: u32,
    inverse8: u32,
    byte: u32,
}

layout!(Args: 280 {
    component: 0, radius_w: 240, radius_h: 244, halo: 248, count: 252, bias: 256, inverse: 260, shift: 264, bias8: 268,
    inverse8: 272, byte: 276,
});

/// Mirrors `BoxTensor` of cuda/box_tensor.cu.
#[repr(C)]
#[derive(Clone, Copy)]
struct TensorArgs {
    args: Args,
    walk: Walk,
}

layout!(TensorArgs: 296 { args: 0, walk: 280 });

/// What makes a pass over samples of one type.
enum Pass {
    /// Blocks that walk down strips of columns.
    Strips { rows: Function, totals: Function },
    /// Warps on tensor cores.
    Tensor { function: Function, matrices: Matrices },
}

/// A kernel built for one stream.
pub(super) struct Kernel {
    plan: Plan,
    /// Of the first pass, which reads the source's samples, and of those that follow.
    first: Pass,
    later: Pass,
    /// What passes write that are not the last, in turns.
    between: Vec<DevicePicture>,
    /// Totals of each component, where windows are high.
    totals: Vec<DeviceBuffer>,
    strips: Strips,
}

impl Kernel {
    /// The kernel of `plan`.
    ///
    /// # Errors
    /// When the kernel cannot be loaded or there is no memory for what is kept between passes.
    pub(super) fn new(plan: Plan, setup: &Setup, device: &CudaDevice) -> Result<Kernel> {
        let (width, height, v16) = (setup.input.width, setup.input.height, setup.input.format.to_v16());
        let picture = |_| DevicePicture::alloc(device, v16, width, height);
        let sizes: Vec<_> =
            (0..v16.components()).map(|component| v16.component_size(component, width, height)).collect();
        let bytes = |(width, height): (usize, usize)| {
            height.div_ceil(TOTAL_ROWS) * width.next_multiple_of(CHUNK) * size_of::<u32>()
        };
        let is_high = plan.window().1 >= HIGH;
        let totals = |size: &(usize, usize)| DeviceBuffer::new(device, bytes(*size), "sums of rows");
        let halo = (plan.radius_w + 1).div_ceil(CHUNK);
        let is_near = (1..=NEAR).contains(&plan.radius_w);
        let threads = if is_near { &THREADS[..1] } else { &THREADS };
        let rows = if is_near { NEAR_ROWS } else { WIDE_ROWS };
        Ok(Kernel {
            first: Pass::load(&plan, setup.src, device, &sizes)?,
            later: Pass::load(&plan, v16, device, &sizes)?,
            between: (1..plan.passes).take(2).map(picture).collect::<Result<_>>()?,
            totals: sizes.iter().filter(|_| is_high).map(totals).collect::<Result<_>>()?,
            strips: Strips::choose(threads, halo, rows, &sizes, device.info().multiprocessors),
            plan,
        })
    }

    /// One pass over all components, or over those alone that are blurred.
    fn pass(&self, pass: &Pass, src: &[DevicePlane], dst: &[DevicePlane], all: bool, stream: &Stream) -> Result<()> {
        let (mean, eight) = (self.plan.mean(), self.plan.eight_bit_mean());
        let mut component = [Component::NONE; 3];
        for (index, (src, dst)) in src.iter().zip(dst).enumerate() {
            let blurs = self.plan.blurs(index);
            if blurs || all {
                let totals = self.totals.get(index).filter(|_| blurs);
                let cut = match pass {
                    Pass::Strips { .. } => self.strips.cut(src, dst),
                    Pass::Tensor { matrices, .. } => matrices.cut(src, dst),
                };
                component[index] = Component::new(src, dst, totals, blurs, eight.is_some(), cut)?;
            }
        }
        let args = Args {
            component,
            radius_w: self.plan.radius_w as u32,
            radius_h: self.plan.radius_h as u32,
            halo: self.strips.halo as u32,
            count: mean.count,
            bias: mean.bias,
            inverse: mean.inverse,
            shift: mean.shift,
            bias8: eight.map_or(0, |eight| eight.bias),
            inverse8: eight.map_or(0, |eight| eight.inverse),
            byte: eight.map_or(0, EightBitMean::selector),
        };
        let blocks = component.iter().map(|c| c.blocks).sum();
        let (rows, totals) = match pass {
            Pass::Strips { rows, totals } => (rows, totals),
            Pass::Tensor { function, matrices } => {
                let shape = Shape { grid: [blocks, 1, 1], block: [tensor::THREADS as u32, 1, 1], shared: 0 };
                // SAFETY: `TensorArgs` is the kernel's parameter; the planes have the sizes they state and outlive the work
                // by the caller, and the matrices live as long as this kernel.
                return unsafe { launch(function, shape, &TensorArgs { args, walk: matrices.walk() }, stream) };
            }
        };
        if !self.totals.is_empty() {
            let chunks = src.iter().map(|p| p.width.div_ceil(CHUNK) * p.height.div_ceil(TOTAL_ROWS)).max().unwrap_or(0);
            let grid = [chunks.div_ceil(TOTAL_THREADS) as u32, src.len() as u32, 1];
            let shape = Shape { grid, block: [TOTAL_THREADS as u32, 1, 1], shared: 0 };
            // SAFETY: `Args` is the kernel's parameter; the planes are as above, and the totals were made for planes of
            // these sizes and live as long as this kernel.
            unsafe { launch(totals, shape, &args, stream) }?;
        }
        let sum = if mean.is_narrow() { size_of::<u32>() } else { size_of::<u64>() };
        let shared = (ROWS * STRIDE * self.strips.threads * sum) as u32;
        let shape = Shape { grid: [blocks, 1, 1], block: [self.strips.threads as u32, 1, 1], shared };
        // SAFETY: as above; the strips cover the planes, and their sums fit the shared memory.
        unsafe { launch(rows, shape, &args, stream) }
    }
}

impl Pass {
    /// The kernels for pictures stored as `src`, whose components have these sizes.
    fn load(plan: &Plan, src: Format, device: &CudaDevice, sizes: &[(usize, usize)]) -> Result<Pass> {
        let is_near = (1..=NEAR).contains(&plan.radius_w);
        let is_small = plan.radius_w.max(plan.radius_h) <= tensor::RADIUS;
        if !is_near && is_small && src.sample() == SampleType::U8 && device.runs("box_tensor") {
            let name = format!("box_tensor{}", tensor::groups(plan.radius_h));
            let down = |distance| u8::from(distance <= plan.radius_h);
            let across = |distance| u8::from(distance <= plan.radius_w);
            return Ok(Pass::Tensor {
                function: device.function("box_tensor", &name)?,
                matrices: Matrices::new(device, plan.radius_h, [&down], [&across], sizes)?,
            });
        }
        let suffix = if src.sample() == SampleType::U8 { "u8" } else { "u16" };
        let rows = match plan.radius_w {
            radius @ 1..=NEAR => format!("box_w{radius}"),
            _ if plan.mean().is_narrow() => "box".to_owned(),
            _ => "box_wide".to_owned(),
        };
        Ok(Pass::Strips {
            rows: device.function("box", &format!("{rows}_{suffix}"))?,
            totals: device.function("box", &format!("box_totals_{suffix}"))?,
        })
    }
}

impl Component {
    /// A component that a picture does not have, or that a pass leaves alone.
    const NONE: Component = Component {
        src: Plane::NONE,
        dst: Plane::NONE,
        totals: 0,
        totals_columns: 0,
        blurs: 0,
        across: 1,
        rows: 1,
        blocks: 0,
        eight: 0,
    };

    fn new(
        src: &DevicePlane,
        dst: &DevicePlane,
        totals: Option<&DeviceBuffer>,
        blurs: bool,
        may_be_eight: bool,
        cut: Cut,
    ) -> Result<Component> {
        let is_byte = |plane: &DevicePlane| plane.layout.sample == SampleType::U8;
        let dst_in_vectors =
            dst.layout.step == 1 && dst.address.is_multiple_of(CHUNK as u64) && dst.pitch.is_multiple_of(CHUNK);
        let eight = may_be_eight && is_byte(src) && is_byte(dst) && dst_in_vectors;
        Ok(Component {
            src: Plane::new(src)?,
            dst: Plane::new(dst)?,
            totals: totals.map_or(0, DeviceBuffer::address),
            totals_columns: src.width.next_multiple_of(CHUNK) as u32,
            blurs: blurs.into(),
            across: cut.across,
            rows: cut.rows,
            blocks: cut.blocks,
            eight: eight.into(),
        })
    }
}

impl CudaKernel for Kernel {
    fn enqueue(&mut self, _: &FrameProps, src: &DevicePlanes, dst: &DevicePlanes, stream: &Stream) -> Result<()> {
        let mut from: Vec<DevicePlane> = src.to_vec();
        for pass in 1..=self.plan.passes {
            let (is_first, is_last) = (pass == 1, pass == self.plan.passes);
            let kernels = if is_first { &self.first } else { &self.later };
            // The first pass is the one that reads what the source stores, so it passes on what none blurs.
            let to = |index: usize| {
                if is_last || !self.plan.blurs(index) {
                    dst[index]
                } else {
                    self.between[(pass - 1) % 2].planes()[index]
                }
            };
            let to: Vec<DevicePlane> = (0..src.len()).map(to).collect();
            self.pass(kernels, &from, &to, is_first, stream)?;
            from = to;
        }
        Ok(())
    }
}
