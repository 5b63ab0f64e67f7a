//! The kernels of cuda/remap.cu.

use super::map::{Map, Outside};
use crate::device::cuda::{CudaDevice, DevicePlane, DevicePlanes, Function, LaunchConfig, Stream};
use crate::error::Result;
use crate::filters::cuda::{CHUNK, PlaneArgs, launch};
use crate::filters::device_struct::{device_struct, generated};
use crate::filters::remap::tuning::cuda::{DOWN, ROWS, TILE, TILE_BYTES, TURNERS, VECTOR, WIDE};
use crate::simd::rows::SIGN;
use crate::video::{SampleLayout, SampleType};

device_struct! {
    /// How one component moves.
    struct ComponentArgs = "Component" {
        src: PlaneArgs,
        dst: PlaneArgs,
        /// The source's column that the result's first column shows; its first row, where rows become columns.
        column: i32,
        /// 1 or -1.
        column_step: i32,
        /// Likewise.
        row: i32,
        row_step: i32,
        /// What lies beside the source: four bytes of it as they are stored, or a value where `unit` is 0.
        fill: u32,
        /// Bytes of what moves as it is stored; 0: samples that go from one storage to another.
        unit: u32,
        /// 1: rows beside the source show the nearest.
        nearest: u32,
        blocks: u32,
        /// Blocks in a row.
        across: u32,
        unused: u32,
    }
}

device_struct! {
    /// Arguments of the kernels.
    struct Args = "Remap" {
        component: [ComponentArgs; 3],
    }
}

generated! {
    "remap.cuh" after ["../common/plane.cuh"]: ComponentArgs, Args;
}

/// A component of which nothing moves.
const NONE: ComponentArgs = ComponentArgs {
    src: PlaneArgs::NONE,
    dst: PlaneArgs::NONE,
    column: 0,
    column_step: 1,
    row: 0,
    row_step: 1,
    fill: 0,
    unit: 1,
    nearest: 0,
    blocks: 0,
    across: 1,
    unused: 0,
};

/// Moves samples on a device.
pub struct Mover {
    maps: [Map; 3],
    function: Function,
}

impl Mover {
    /// By `maps`.
    ///
    /// # Errors
    /// When the kernel cannot be loaded.
    pub fn new(maps: [Map; 3], device: &CudaDevice) -> Result<Mover> {
        let function = match maps[0].swap {
            true => device.function("remap", "remap_swap")?,
            false => device.function("remap", "remap_rows")?,
        };
        Ok(Mover { maps, function })
    }

    /// Puts the move from `src` to `dst` into `stream`.
    ///
    /// # Errors
    /// When a plane is too large or the launch is refused.
    pub fn apply(&self, src: &DevicePlanes, dst: &DevicePlanes, stream: &Stream) -> Result<()> {
        let mut args = Args { component: [NONE; 3] };
        let pairs = lie_in_pairs(src) && lie_in_pairs(dst) && src[1].layout == dst[1].layout;
        for (index, (src, dst)) in src.iter().zip(dst.iter()).enumerate() {
            args.component[index] = match index {
                1 if pairs => self.pairs(src, dst)?,
                2 if pairs => NONE,
                _ => self.samples(index, src, dst)?,
            };
        }
        let blocks = args.component.iter().map(|component| component.blocks).sum();
        if blocks == 0 {
            return Ok(());
        }
        let threads = if self.maps[0].swap { TURNERS } else { (WIDE * DOWN) as u32 };
        let shape = LaunchConfig { grid: [blocks, 1, 1], block: [threads, 1, 1], shared: 0 };
        // SAFETY: `Args` is the kernel's parameter, and the planes have the sizes they state and outlive the work by the
        // caller.
        unsafe { launch(&self.function, shape, &args, stream) }
    }

    /// How samples of a component move: as they are stored where both store them alike.
    fn samples(&self, index: usize, src: &DevicePlane, dst: &DevicePlane) -> Result<ComponentArgs> {
        let lane = self.maps[index].fill();
        let layout = dst.layout;
        if src.layout != layout {
            return self.component(index, src, dst, 0, lane.into());
        }
        if layout.step == 1 {
            let unit = layout.sample.bytes();
            return self.component(index, src, dst, unit, repeated(layout.narrow(lane), unit));
        }
        match layout.sample {
            SampleType::U8 => self.component(index, src, dst, 0, lane.into()),
            SampleType::I16 => self.component(index, src, dst, 0, i32::from((lane ^ SIGN) as i16).cast_unsigned()),
            // Words of 16 bits are taken for v16.
            SampleType::U16 => {
                let plain = SampleLayout { shift: 0, bit_depth: 16, ..layout };
                let [src, dst] = [src, dst].map(|plane| DevicePlane { layout: plain, ..*plane });
                self.component(index, &src, &dst, 0, layout.narrow(lane).into())
            }
        }
    }

    /// How pairs of chroma move.
    fn pairs(&self, src: &DevicePlane, dst: &DevicePlane) -> Result<ComponentArgs> {
        let unit = 2 * dst.layout.sample.bytes();
        let [cb, cr] = [1, 2].map(|index| u32::from(dst.layout.narrow(self.maps[index].fill())));
        let pair = cb | cr << (8 * dst.layout.sample.bytes());
        self.component(1, src, dst, unit, if unit == 2 { pair * 0x1_0001 } else { pair })
    }

    fn component(
        &self,
        index: usize,
        src: &DevicePlane,
        dst: &DevicePlane,
        unit: usize,
        fill: u32,
    ) -> Result<ComponentArgs> {
        let map = &self.maps[index];
        // Samples of a block across and down.
        let (across, down) = match (map.swap, unit) {
            (false, 0) => (WIDE * CHUNK, DOWN * ROWS),
            (false, unit) => (WIDE * VECTOR / unit, DOWN * ROWS),
            (true, 0) => (TILE, TILE),
            (true, unit) => (TILE_BYTES / unit, TILE_BYTES / unit),
        };
        let across = dst.width.div_ceil(across) as u32;
        Ok(ComponentArgs {
            src: PlaneArgs::new(src)?,
            dst: PlaneArgs::new(dst)?,
            column: map.columns.first as i32,
            column_step: map.columns.step as i32,
            row: map.rows.first as i32,
            row_step: map.rows.step as i32,
            fill,
            unit: unit as u32,
            nearest: u32::from(map.beside == Outside::NearestRow),
            blocks: across * dst.height.div_ceil(down) as u32,
            across,
            unused: 0,
        })
    }
}

/// A stored sample as often as four bytes hold it.
fn repeated(sample: u16, bytes: usize) -> u32 {
    if bytes == 1 { u32::from(sample) * 0x0101_0101 } else { u32::from(sample) * 0x1_0001 }
}

/// True when the chroma of `planes` lies in pairs that can be moved as one.
fn lie_in_pairs(planes: &DevicePlanes) -> bool {
    let [_, cb, cr] = planes[..] else { return false };
    let pair = 2 * cb.layout.sample.bytes();
    let together = cr.address == cb.address + pair as u64 / 2 && cr.pitch == cb.pitch && cr.layout == cb.layout;
    let whole = cb.address.is_multiple_of(pair as u64) && cb.pitch.is_multiple_of(pair);
    cb.layout.step == 2 && together && whole && (cb.width, cb.height) == (cr.width, cr.height)
}
