//! What the kernels of box are told.

use super::{Kept, Plan};
use crate::device::cuda::{DeviceBuffer, DevicePlane, Shape};
use crate::error::Result;
use crate::filters::boxblur::mean::EightBitMean;
use crate::filters::cuda::{CHUNK, Plane, layout};
use crate::filters::strips::Cut;
use crate::filters::tensor::Walk;
use crate::video::SampleType;

/// What is done to one component. Mirrors `Component` of cuda/box.cuh.
#[repr(C)]
#[derive(Clone, Copy)]
pub(super) struct Component {
    src: Plane,
    dst: Plane,
    row_sums: u64,
    totals: u64,
    columns: u32,
    blurs: u32,
    across: u32,
    rows: u32,
    blocks: u32,
    eight: u32,
}

layout!(Component: 88 {
    src: 0, dst: 24, row_sums: 48, totals: 56, columns: 64, blurs: 68, across: 72, rows: 76, blocks: 80, eight: 84,
});

/// Mirrors `Box` of cuda/box.cuh.
#[repr(C)]
#[derive(Clone, Copy)]
pub(super) struct Args {
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

layout!(Args: 304 {
    component: 0, radius_w: 264, radius_h: 268, halo: 272, count: 276, bias: 280, inverse: 284, shift: 288, bias8: 292,
    inverse8: 296, byte: 300,
});

/// Mirrors `BoxTensor` of cuda/box_tensor.cu.
#[repr(C)]
#[derive(Clone, Copy)]
pub(super) struct TensorArgs {
    pub args: Args,
    pub walk: Walk,
}

layout!(TensorArgs: 320 { args: 0, walk: 304 });

impl Args {
    /// For a window of `plan`, and strips that need `halo` chunks on each side.
    pub fn new(plan: &Plan, component: [Component; 3], halo: usize) -> Args {
        let (mean, eight) = (plan.mean(), plan.eight_bit_mean());
        Args {
            component,
            radius_w: plan.radius_w as u32,
            radius_h: plan.radius_h as u32,
            halo: halo as u32,
            count: mean.count,
            bias: mean.bias,
            inverse: mean.inverse,
            shift: mean.shift,
            bias8: eight.map_or(0, |eight| eight.bias),
            inverse8: eight.map_or(0, |eight| eight.inverse),
            byte: eight.map_or(0, EightBitMean::selector),
        }
    }

    /// All components' blocks, with as many threads and bytes of shared memory.
    pub fn shape(&self, threads: usize, shared: usize) -> Shape {
        let blocks = self.component.iter().map(|c| c.blocks).sum();
        Shape { grid: [blocks, 1, 1], block: [threads as u32, 1, 1], shared: shared as u32 }
    }
}

impl Component {
    /// A component that a picture does not have, or that a pass leaves alone.
    pub const NONE: Component = Component {
        src: Plane::NONE,
        dst: Plane::NONE,
        row_sums: 0,
        totals: 0,
        columns: 0,
        blurs: 0,
        across: 1,
        rows: 1,
        blocks: 0,
        eight: 0,
    };

    /// From `src` to `dst`, in blocks as `cut` says; without `blurs`, passed on.
    ///
    /// # Errors
    /// When a plane is too large for the kernels.
    pub fn new(
        plan: &Plan,
        src: &DevicePlane,
        dst: &DevicePlane,
        blurs: bool,
        kept: &Kept,
        cut: Cut,
    ) -> Result<Component> {
        let is_byte = |plane: &DevicePlane| plane.layout.sample == SampleType::U8;
        let dst_in_vectors =
            dst.layout.step == 1 && dst.address.is_multiple_of(CHUNK as u64) && dst.pitch.is_multiple_of(CHUNK);
        let eight = plan.eight_bit_mean().is_some() && is_byte(src) && is_byte(dst) && dst_in_vectors;
        Ok(Component {
            src: Plane::new(src)?,
            dst: Plane::new(dst)?,
            row_sums: address(&kept.row_sums),
            totals: address(&kept.totals),
            columns: src.width.next_multiple_of(CHUNK) as u32,
            blurs: blurs.into(),
            across: cut.across,
            rows: cut.rows,
            blocks: cut.blocks,
            eight: eight.into(),
        })
    }
}

/// Where a buffer is: nowhere, where there is none.
fn address(buffer: &Option<DeviceBuffer>) -> u64 {
    buffer.as_ref().map_or(0, DeviceBuffer::address)
}
