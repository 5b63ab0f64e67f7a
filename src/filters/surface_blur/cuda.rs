//! The kernels of cuda/surface_blur.cu.

use super::SurfaceBlur;
use super::tuning::{FEW, MANY, MANY_FROM};
use crate::device::cuda::CudaDevice;
use crate::error::Result;
use crate::filters::CudaKernel;
use crate::filters::device_struct::{device_struct, generated};
use crate::filters::window::cuda::{SHARED, TileKernel, block_rows};
use crate::filters::window::tuning::cuda::COLUMNS;
use crate::filters::window::{Plan, WindowOp};

device_struct! {
    /// What kernels compute with.
    struct Consts = "SurfaceBlur" {
        radius: i32,
        /// Rows of samples that shared memory holds at a time.
        rows: i32,
        /// What samples are multiplied by, a power of two: the limit is then one or less.
        scale: f32,
        /// The opposite.
        unscale: f32,
        /// The weight of a sample that does not differ, scaled.
        limit: f32,
        unused: u32,
    }
}

generated! {
    "surface_blur.cuh" after ["../common/plane.cuh"]: Consts;
}

impl Consts {
    /// What `op` is for blocks of `rows` rows.
    fn new(op: &SurfaceBlur, rows: usize) -> Consts {
        let (radius, _) = op.radius();
        let all = rows + 2 * radius;
        let unscale = libm::exp2(libm::ceil(libm::log2(op.limit.into()))) as f32;
        Consts {
            radius: radius as i32,
            rows: all.min(SHARED / (pitch(radius) * size_of::<f32>())) as i32,
            scale: unscale.recip(),
            unscale,
            limit: op.limit / unscale,
            unused: 0,
        }
    }
}

/// Words of a row of samples in shared memory.
fn pitch(radius: usize) -> usize {
    COLUMNS + (2 * radius).next_multiple_of(4)
}

/// The kernel of `plan`.
///
/// # Errors
/// When it cannot be loaded.
pub fn kernel(plan: &Plan<SurfaceBlur>, device: &CudaDevice) -> Result<Box<dyn CudaKernel>> {
    // Of what changes nothing, every plane is copied.
    let op = plan.op().cloned().unwrap_or_else(|| SurfaceBlur::new(1, 1));
    let (radius, _) = op.radius();
    let outputs = if radius < MANY_FROM { FEW } else { MANY };
    let consts = Consts::new(&op, block_rows(outputs));
    Ok(Box::new(TileKernel {
        function: device.function("surface_blur", &format!("surface_blur_{outputs}"))?,
        computes: plan.ops.iter().map(Option::is_some).collect(),
        rows: block_rows(outputs),
        shared: pitch(radius) * consts.rows as usize * size_of::<f32>(),
        consts,
        _tables: Vec::new(),
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Scaled by a power of two, limits lose nothing: bytes are those of the CPU.
    #[test]
    fn limits_are_scaled_exactly() {
        for threshold in [1, 2, 3, 256, 1280, 6554, 65_280] {
            let op = SurfaceBlur::new(64, threshold);
            let consts = Consts::new(&op, 32);
            assert!(consts.limit <= 1.0 && consts.limit > 0.5, "{threshold}: {}", consts.limit);
            assert_eq!(consts.limit * consts.unscale, op.limit);
            assert_eq!((consts.scale.to_bits() & 0x7f_ffff, consts.scale * consts.unscale), (0, 1.0));
            assert_eq!(consts.rows, 64);
        }
    }
}
