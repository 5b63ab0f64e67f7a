//! The kernels of cuda/gauss.cu.

use super::plan::Plan;
use crate::device::cuda::{CudaDevice, DeviceBuffer, DevicePlane, DevicePlanes, Function, Shape, Stream};
use crate::error::Result;
use crate::filters::cuda::{CHUNK, Plane, launch, layout};
use crate::filters::strips::{STRIDE, Strips, THREADS};
use crate::filters::{CudaKernel, Setup};
use crate::video::{FrameProps, SampleType};

/// The fewest rows of a block: one after the other, rows find in the cache what they share.
const FEWEST_ROWS: usize = 8;

/// Words of shared memory that weights have, and that a thread has for two rows of sums.
const SHARED: (usize, usize) = (196, 2 * STRIDE);

/// Rows that `gauss_near*_u8` keep in a word, and the most words of a column that they keep.
const ROWS: usize = 4;
const MOST_WORDS: usize = 7;

/// What is done to one component. Mirrors `Component` of cuda/gauss.cu.
#[repr(C)]
#[derive(Clone, Copy)]
struct Component {
    src: Plane,
    dst: Plane,
    blurs: u32,
    across: u32,
    rows: u32,
    blocks: u32,
}

layout!(Component: 64 { src: 0, dst: 24, blurs: 48, across: 52, rows: 56, blocks: 60 });

/// Mirrors `Gauss` of cuda/gauss.cu.
#[repr(C)]
#[derive(Clone, Copy)]
struct Args {
    component: [Component; 3],
    weights: u64,
    radius: u32,
    halo: u32,
    high: Words,
    low: Words,
}

layout!(Args: 432 { component: 0, weights: 192, radius: 200, halo: 204, high: 208, low: 320 });

/// For each row of a word and every word around it, one byte of the weights of that word's rows.
type Words = [[u32; MOST_WORDS]; ROWS];

/// A kernel built for one stream.
pub(super) struct Kernel {
    plan: Plan,
    function: Function,
    weights: DeviceBuffer,
    high: Words,
    low: Words,
    strips: Strips,
}

impl Kernel {
    /// The kernel of `plan`.
    ///
    /// # Errors
    /// When the kernel cannot be loaded or there is no memory for the weights.
    pub(super) fn new(plan: Plan, setup: &Setup, device: &CudaDevice) -> Result<Kernel> {
        // Words above and below that hold all rows around those of one.
        let reach = plan.radius().div_ceil(ROWS).max(1);
        let name = match setup.src.sample() {
            SampleType::U8 if 2 * reach < MOST_WORDS => format!("gauss_near{reach}_u8"),
            SampleType::U8 => "gauss_u8".to_owned(),
            SampleType::U16 | SampleType::I16 => "gauss_u16".to_owned(),
        };
        let weights: Vec<u8> = plan.weights.iter().flat_map(|weight| weight.to_le_bytes()).collect();
        let size = |component| setup.input.format.component_size(component, setup.input.width, setup.input.height);
        let sizes: Vec<_> = (0..setup.input.format.components()).map(size).collect();
        let halo = plan.radius().div_ceil(CHUNK);
        Ok(Kernel {
            function: device.function("gauss", &name)?,
            weights: DeviceBuffer::from_bytes(device, &weights, "weights")?,
            high: words(&plan.weights, reach, 8),
            low: words(&plan.weights, reach, 0),
            strips: Strips::choose(&THREADS, halo, FEWEST_ROWS, &sizes, device.info().multiprocessors),
            plan,
        })
    }
}

/// The bytes of the weights from bit `shift` on, for words up to `reach` away, as far as there is room for them.
fn words(weights: &[u32], reach: usize, shift: u32) -> Words {
    let byte = |from: usize, word: usize, row: usize| {
        let distance = (ROWS * word + row).abs_diff(ROWS * reach + from);
        weights.get(distance).map_or(0, |weight| (weight >> shift) as u8)
    };
    let word = |from, word| u32::from_le_bytes(std::array::from_fn(|row| byte(from, word, row)));
    std::array::from_fn(|from| std::array::from_fn(|i| word(from, i)))
}

impl Component {
    /// A component that a picture does not have.
    const NONE: Component = Component { src: Plane::NONE, dst: Plane::NONE, blurs: 0, across: 1, rows: 1, blocks: 0 };

    fn new(src: &DevicePlane, dst: &DevicePlane, blurs: bool, strips: &Strips) -> Result<Component> {
        let across = strips.across(src.width);
        let rows = strips.rows(src.width, src.height);
        Ok(Component {
            src: Plane::new(src)?,
            dst: Plane::new(dst)?,
            blurs: blurs.into(),
            across: across as u32,
            rows: rows as u32,
            blocks: (across * src.height.div_ceil(rows)) as u32,
        })
    }
}

impl CudaKernel for Kernel {
    fn enqueue(&mut self, _: &FrameProps, src: &DevicePlanes, dst: &DevicePlanes, stream: &Stream) -> Result<()> {
        let mut component = [Component::NONE; 3];
        for (index, (src, dst)) in src.iter().zip(dst.iter()).enumerate() {
            component[index] = Component::new(src, dst, self.plan.blurs(index), &self.strips)?;
        }
        let args = Args {
            component,
            weights: self.weights.address(),
            radius: self.plan.radius() as u32,
            halo: self.strips.halo as u32,
            high: self.high,
            low: self.low,
        };
        let blocks = component.iter().map(|c| c.blocks).sum();
        let shared = (SHARED.0 + SHARED.1 * self.strips.threads) * size_of::<u32>();
        let shape = Shape { grid: [blocks, 1, 1], block: [self.strips.threads as u32, 1, 1], shared: shared as u32 };
        // SAFETY: `Args` is the kernel's parameter; the planes have the sizes they state and outlive the work by the
        // caller; the weights, as many as the radius says, live as long as this kernel and fit the shared memory.
        unsafe { launch(&self.function, shape, &args, stream) }
    }
}
