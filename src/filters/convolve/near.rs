//! The kernels of cuda/convolve_near.cu: windows up to 5×5 of 8-bit samples, whose weights are bytes.

use super::op::Convolution;
use super::quotient::{Quotient, code_offset};
use super::weights::Weights;
use crate::device::cuda::{CudaDevice, DevicePlane, Function, LaunchConfig};
use crate::error::Result;
use crate::filters::convolve::tuning::cuda::NEAR_ROWS;
use crate::filters::cuda::{PlaneArgs, launch};
use crate::filters::device_struct::{device_struct, generated};
use crate::filters::strips::{Cut, Strips, THREADS};
use crate::filters::window::Plan;
use crate::filters::{CudaJob, CudaKernel};
use crate::video::SampleType;

/// The largest radius that has such a kernel.
const RADIUS: usize = 2;

/// The largest divisor by which floats divide sums of samples of 8 bits as integers do.
const MOST_DIVISOR: i32 = 8192;

/// The bits of a float to which integers can be added as to the float: 3 · 2^22, as `WHOLE` there.
const WHOLE: i32 = 0x4b40_0000;

device_struct! {
    /// What is done to one component.
    struct ComponentArgs = "NearComponent" {
        src: PlaneArgs,
        dst: PlaneArgs,
        /// 0: the plane is copied.
        computes: u32,
        /// Strips side by side, rows of a block, and blocks in all.
        across: u32,
        rows: u32,
        blocks: u32,
    }
}

device_struct! {
    /// Arguments of the kernels.
    struct Args = "ConvolveNear" {
        component: [ComponentArgs; 3],
        /// Of each row of the window, four bytes and another one.
        weights: [[u32; 2]; 2 * RADIUS + 1],
        /// What sums are more than those of samples less 32768.
        middle: u32,
        quotient: Quotient,
        /// Results of eight bits are made by floats, of sums that begin with this and by these factors.
        is_short: u32,
        begin: i32,
        step: f32,
        half: f32,
    }
}

generated! {
    "convolve_near.cuh" after ["convolve.cuh"]: ComponentArgs, Args;
}

/// A component that a picture does not have.
const NONE: ComponentArgs =
    ComponentArgs { src: PlaneArgs::NONE, dst: PlaneArgs::NONE, computes: 0, across: 1, rows: 1, blocks: 0 };

/// How a sum of 8-bit samples becomes a result of 8 bits: twice rounded, as v16 and then to the byte, it is
/// `floor((sum + more) / divisor)` within a byte.
#[derive(Clone, Copy, Debug)]
struct Short {
    more: i32,
    step: f32,
    half: f32,
}

impl Short {
    /// Of weights whose quotient adds `bias` of 16 bits; `None` where floats could be one off.
    fn new(divisor: i32, bias: i64) -> Option<Short> {
        let more = code_offset(divisor, bias);
        // Half of one over the divisor is nearer to the exact quotient than any error is.
        let (step, half) = (1.0 / f64::from(divisor) / 256.0, 0.5 / f64::from(divisor) / 256.0);
        (divisor <= MOST_DIVISOR).then_some(Short { more, step: step as f32, half: half as f32 })
    }
}

/// The radius of the kernel for such windows.
fn radius(weights: &Weights) -> usize {
    weights.radius().0.max(weights.radius().1).max(1)
}

/// True when these kernels do the work of `plan`, whose operation has these weights.
pub(super) fn serves(plan: &Plan<Convolution>, weights: &Weights) -> bool {
    plan.setup.src.sample() == SampleType::U8 && weights.bytes() == 1 && radius(weights) <= RADIUS
}

/// The weights as rows of bytes, for a kernel of `radius`.
fn rows(weights: &Weights, radius: usize) -> [[u32; 2]; 2 * RADIUS + 1] {
    let (before, above) = (radius - weights.radius().0, radius - weights.radius().1);
    let mut made = [[0; 2]; 2 * RADIUS + 1];
    for (y, row) in weights.values.chunks(weights.columns).enumerate() {
        for (x, weight) in row.iter().enumerate() {
            let column = before + x;
            made[above + y][column / 4] |= u32::from(*weight as u8) << (column % 4 * 8);
        }
    }
    made
}

/// A kernel built for one stream.
struct Kernel {
    function: Function,
    args: Args,
    strips: Strips,
    computes: Vec<bool>,
}

/// The kernel of `plan`, whose operation has these weights, where it serves. It holds no memory on the device.
///
/// # Errors
/// When it cannot be loaded.
pub(super) fn kernel(plan: &Plan<Convolution>, weights: &Weights, device: &CudaDevice) -> Result<Box<dyn CudaKernel>> {
    let radius = radius(weights);
    let input = &plan.setup.input;
    let size = |component| input.format.component_size(component, input.width, input.height);
    let sizes: Vec<_> = (0..input.format.components()).map(size).collect();
    let short = Short::new(weights.quotient.divisor, weights.bias);
    let sum: i32 = weights.values.iter().sum();
    let args = Args {
        component: [NONE; 3],
        weights: rows(weights, radius),
        middle: (sum << 15).cast_unsigned(),
        quotient: weights.quotient,
        is_short: short.is_some().into(),
        begin: WHOLE + short.map_or(0, |short| short.more),
        step: short.map_or(0.0, |short| short.step),
        half: short.map_or(0.0, |short| short.half),
    };
    Ok(Box::new(Kernel {
        function: device.function("convolve_near", &format!("convolve_near_{radius}"))?,
        args,
        strips: Strips::choose(&THREADS[..1], 1, NEAR_ROWS, &sizes, device.info().multiprocessors),
        computes: plan.ops.iter().map(Option::is_some).collect(),
    }))
}

impl Kernel {
    fn component(&self, src: &DevicePlane, dst: &DevicePlane, computes: bool) -> Result<ComponentArgs> {
        let Cut { across, rows, blocks } = self.strips.cut(src, dst);
        Ok(ComponentArgs {
            src: PlaneArgs::new(src)?,
            dst: PlaneArgs::new(dst)?,
            computes: computes.into(),
            across,
            rows,
            blocks,
        })
    }
}

impl CudaKernel for Kernel {
    fn enqueue(&mut self, job: &CudaJob<'_>) -> Result<()> {
        let mut args = self.args;
        for (index, computes) in self.computes.iter().enumerate() {
            args.component[index] = self.component(&job.src.here()[index], &job.dst[index], *computes)?;
        }
        let blocks = args.component.iter().map(|component| component.blocks).sum();
        if blocks == 0 {
            return Ok(());
        }
        let shape = LaunchConfig { grid: [blocks, 1, 1], block: [self.strips.threads as u32, 1, 1], shared: 0 };
        // SAFETY: `Args` is the kernels' parameter; the planes have the sizes they state and outlive the work by the caller.
        unsafe { launch(&self.function, shape, &args, job.stream) }
    }
}

#[cfg(test)]
mod tests {
    use super::Short;
    use crate::filters::convolve::quotient::Quotient;

    /// As the kernel computes it.
    fn quotient(short: Short, sum: i32) -> u8 {
        let part = ((sum + short.more) as f32).mul_add(short.step, short.half).clamp(0.0, 1.0);
        (f64::from(part) * f64::from(255.999_98_f32)).floor() as u8
    }

    #[test]
    fn short_quotients_are_those_of_integers_rounded_to_bytes() {
        for (divisor, bias) in
            [1, 2, 3, 9, 41, 256, 999, 8191, 8192].into_iter().flat_map(|d| [(d, 0), (d, -65280), (d, 32767)])
        {
            let short = Short::new(divisor, bias).unwrap();
            // Samples are eight bits below v16, and 32768 less.
            let exact = Quotient::new(0, divisor as u32, bias);
            let near = (-1..=257).flat_map(|code| (-2..=2).map(move |by| code * divisor - short.more + by));
            for sum in near.chain((-3000..3000).map(|step| step * 139)).filter(|sum| sum.abs() < 1 << 22) {
                let rounded = (u32::from(exact.of(sum << 8)) + 128) >> 8;
                assert_eq!(u32::from(quotient(short, sum)), rounded.min(255), "{sum} over {divisor}, {bias} more");
            }
        }
        assert!(Short::new(8193, 0).is_none());
    }
}
