//! Arguments of the kernels of box.

use super::{Intermediate, Plan};
use crate::device::cuda::{DeviceBuffer, DevicePlane, LaunchConfig};
use crate::error::Result;
use crate::filters::boxblur::mean::EightBitMean;
use crate::filters::cuda::{CHUNK, PlaneArgs};
use crate::filters::device_struct::{device_struct, generated};
use crate::filters::strips::Cut;
use crate::filters::tensor::WarpWalk;
use crate::video::SampleType;

device_struct! {
    /// What is done to one component.
    pub(super) struct ComponentArgs = "Component" {
        src: PlaneArgs,
        dst: PlaneArgs,
        /// Of the columns of every window, row by row, stored values: of box_sums.cu.
        row_sums: u64 = "u16*",
        /// Of every column, the sum of all rows down to the end of each band, or of sixteen row sums; null where windows are low.
        totals: u64 = "u32*",
        /// In a row of either, a multiple of eight.
        columns: u32,
        /// 0: the plane is copied.
        blurs: u32,
        /// Strips side by side.
        across: u32,
        /// Rows of a block, where blocks walk down.
        rows: u32,
        /// Blocks of the component.
        blocks: u32,
        /// 1: from eight bits to eight bits in aligned rows, with `EightBitMean`.
        eight: u32,
    }
}

device_struct! {
    /// Arguments of the kernels.
    pub(super) struct Args = "Box" {
        component: [ComponentArgs; 3],
        radius_w: u32,
        radius_h: u32,
        /// Chunks of a strip at each end that only help others.
        halo: u32,
        /// `Mean` of src/filters/boxblur/mean.rs.
        count: u32,
        bias: u32,
        inverse: u32,
        shift: u32,
        /// `EightBitMean` there.
        bias8: u32,
        inverse8: u32,
        byte: u32,
    }
}

device_struct! {
    /// Arguments of the kernels on tensor cores.
    pub(super) struct TensorArgs = "BoxTensor" {
        pub args: Args,
        pub walk: WarpWalk,
    }
}

generated! {
    "box.cuh" after ["../common/plane.cuh"]: ComponentArgs, Args;
    "box_tensor.cuh" after ["box.cuh", "tensor.cuh"]: TensorArgs;
}

impl Args {
    /// For a window of `plan`, and strips that need `halo` chunks on each side.
    pub fn new(plan: &Plan, component: [ComponentArgs; 3], halo: usize) -> Args {
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
    pub fn shape(&self, threads: usize, shared: usize) -> LaunchConfig {
        let blocks = self.component.iter().map(|c| c.blocks).sum();
        LaunchConfig { grid: [blocks, 1, 1], block: [threads as u32, 1, 1], shared: shared as u32 }
    }
}

impl ComponentArgs {
    /// A component that a picture does not have, or that a pass leaves alone.
    pub const NONE: ComponentArgs = ComponentArgs {
        src: PlaneArgs::NONE,
        dst: PlaneArgs::NONE,
        row_sums: 0,
        totals: 0,
        columns: 0,
        blurs: 0,
        across: 1,
        rows: 1,
        blocks: 0,
        eight: 0,
    };

    /// From `src` to `dst`, in blocks as `cut` says; without `blurs`, copied.
    ///
    /// # Errors
    /// When a plane is too large for the kernels.
    pub fn new(
        plan: &Plan,
        src: &DevicePlane,
        dst: &DevicePlane,
        blurs: bool,
        kept: &Intermediate,
        cut: Cut,
    ) -> Result<ComponentArgs> {
        let is_byte = |plane: &DevicePlane| plane.layout.sample == SampleType::U8;
        let dst_in_vectors =
            dst.layout.step == 1 && dst.address.is_multiple_of(CHUNK as u64) && dst.pitch.is_multiple_of(CHUNK);
        let eight = plan.eight_bit_mean().is_some() && is_byte(src) && is_byte(dst) && dst_in_vectors;
        Ok(ComponentArgs {
            src: PlaneArgs::new(src)?,
            dst: PlaneArgs::new(dst)?,
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
