//! The kernels of cuda/gauss.cu and cuda/gauss_tensor.cu, and the choice between them and [`far`](super::far).

use super::far::{self, Far};
use super::plan::Plan;
use crate::device::cuda::{CudaDevice, DeviceBuffer, DevicePlane, Function, LaunchConfig};
use crate::error::Result;
use crate::filters::cuda::{CHUNK, PlaneArgs, launch};
use crate::filters::device_struct::{device_struct, generated};
use crate::filters::gauss::tuning::cuda::{FAR_ROWS, NEAR_ROWS, TENSOR_RADIUS as TENSOR};
use crate::filters::strips::{Cut, STRIDE, Strips, THREADS};
use crate::filters::tensor::{self, Matrices, Steps, WarpWalk};
use crate::filters::tune;
use crate::filters::{CudaJob, CudaKernel, Setup};
use crate::video::SampleType;
use std::fmt;

/// Radii that have such a kernel, the radius in each up to which weights have a high byte, and the most threads of its
/// blocks. Smaller radii have weights of zero.
const NEAR: [(usize, usize); 7] = [(1, 1), (2, 1), (3, 2), (4, 3), (6, 5), (9, 7), (12, 12)];
const NEAR_THREADS: usize = 128;

/// Weights in memory, zeros behind them.
const WEIGHTS: usize = 200;

/// Rows that those kernels keep in a word, and the most words of a column that they keep.
pub(super) const ROWS: usize = 4;
const MOST_WORDS: usize = 7;

device_struct! {
    /// What is done to one component.
    pub(super) struct ComponentArgs = "Component" {
        src: PlaneArgs,
        dst: PlaneArgs,
        /// 0: the plane is copied.
        pub blurs: u32,
        /// Strips side by side.
        across: u32,
        /// Rows of a block, where blocks walk down.
        rows: u32,
        /// Blocks of the component.
        pub blocks: u32,
    }
}

device_struct! {
    /// Arguments of the kernels.
    struct Args = "Gauss" {
        component: [ComponentArgs; 3],
        /// Of the middle, and of samples ever farther away; zeros up to 200.
        weights: u64 = "const u32*",
        radius: u32,
        /// Chunks of a strip at each end that only help others.
        halo: u32,
        /// For each row of a word and every word around it, the weights of that word's rows: their high and low bytes.
        high: Words,
        low: Words,
    }
}

device_struct! {
    /// Arguments of the kernels on tensor cores.
    struct TensorArgs = "GaussTensor" {
        component: [ComponentArgs; 3],
        walk: WarpWalk,
        radius: u32,
        unused: u32,
    }
}

generated! {
    "gauss.cuh" after ["../common/plane.cuh"]: ComponentArgs, Args;
    "gauss_tensor.cuh" after ["gauss.cuh", "tensor.cuh"]: TensorArgs;
}

/// For each row of a word and every word around it, one byte of the weights of that word's rows.
type Words = [[u32; MOST_WORDS]; ROWS];

/// A kernel built for one stream.
pub(super) struct Kernel {
    plan: Plan,
    strategy: Strategy,
}

/// How it works.
enum Strategy {
    /// Blocks that walk down strips of columns.
    Strips(Box<InStrips>),
    /// Warps on tensor cores.
    Tensor { function: Function, matrices: Matrices },
    /// The same in two kernels.
    Far(Box<Far>),
}

/// What blocks that walk down strips take.
struct InStrips {
    function: Function,
    weights: DeviceBuffer,
    high: Words,
    low: Words,
    strips: Strips,
    /// Bytes of shared memory of a block.
    shared: usize,
}

/// What it may do, and how.
#[derive(Clone)]
enum Candidate {
    Strips(Strips),
    Tensor(Steps),
    Far,
}

impl fmt::Display for Candidate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Candidate::Strips(strips) => strips.fmt(f),
            Candidate::Tensor(steps) => steps.fmt(f),
            Candidate::Far => f.write_str("far"),
        }
    }
}

impl Candidate {
    /// The way for `plan`: tensor cores where they do the work and are faster, unless tuning found another.
    fn of(plan: &Plan, setup: &Setup, device: &CudaDevice) -> Candidate {
        let size = |component| setup.input.format.component_size(component, setup.input.width, setup.input.height);
        let sizes: Vec<_> = (0..setup.input.format.components()).map(size).collect();
        let (radius, sample) = (plan.radius(), setup.src.sample());
        let mut ways: Vec<_> =
            InStrips::ways(plan, sample, device, &sizes).into_iter().map(Candidate::Strips).collect();
        if (1..=tensor::RADIUS).contains(&radius) && tensor::serves(device, "gauss_tensor", setup.src) {
            let is_faster = sample != SampleType::U8 || radius >= TENSOR;
            let place = if is_faster { 0 } else { ways.len() };
            ways.splice(place..place, Steps::ways(device, &sizes).into_iter().map(Candidate::Tensor));
        }
        if far::serves(plan, setup, device) {
            ways.insert(0, Candidate::Far);
        }
        let case = tune::case(setup, setup.src, &format!("r{}", tune::coarse(radius)));
        device.choose("gauss", &["gauss", "gauss_far_tensor", "gauss_tensor"], case, &ways)
    }
}

impl Kernel {
    /// Bytes of device memory that the kernel of `plan` holds: its weights'.
    pub(super) fn memory(plan: &Plan, setup: &Setup, device: &CudaDevice) -> usize {
        match Candidate::of(plan, setup, device) {
            Candidate::Far => Far::memory(plan, setup),
            Candidate::Tensor(_) => Matrices::memory(plan.radius(), 2),
            Candidate::Strips(_) => WEIGHTS * size_of::<u32>(),
        }
    }

    /// The kernel of `plan`.
    ///
    /// # Errors
    /// When the kernel cannot be loaded or there is no memory for the weights.
    pub(super) fn new(plan: Plan, setup: &Setup, device: &CudaDevice) -> Result<Kernel> {
        let steps = match Candidate::of(&plan, setup, device) {
            Candidate::Far => {
                let strategy = Strategy::Far(Box::new(Far::new(&plan, setup, device)?));
                return Ok(Kernel { plan, strategy });
            }
            Candidate::Tensor(steps) => steps,
            Candidate::Strips(strips) => {
                let strategy = Strategy::Strips(Box::new(InStrips::new(&plan, setup.src.sample(), device, strips)?));
                return Ok(Kernel { plan, strategy });
            }
        };
        let weight = |distance: usize| plan.weights.get(distance).copied().unwrap_or(0);
        let (low, high) = (|distance| weight(distance) as u8, |distance| (weight(distance) >> 8) as u8);
        let strategy = Strategy::Tensor {
            function: tensor::kernel(device, "gauss_tensor", plan.radius(), setup.src)?,
            matrices: Matrices::new(device, plan.radius(), [&low, &high], [&low, &high], steps)?,
        };
        Ok(Kernel { plan, strategy })
    }
}

impl InStrips {
    /// The radius of the kernel of its own that takes samples so stored, and the words above and below that hold all rows
    /// around those of one, and as many columns.
    fn near(plan: &Plan, sample: SampleType) -> (Option<usize>, usize) {
        let high = plan.weights.iter().rposition(|weight| *weight > 0xff).unwrap_or(0);
        let serves = |near: &(usize, usize)| sample == SampleType::U8 && near.0 >= plan.radius() && near.1 >= high;
        let near = NEAR.into_iter().find(serves).map(|near| near.0);
        (near, near.unwrap_or(0).div_ceil(ROWS))
    }

    /// How planes of `sizes` may be cut.
    fn ways(plan: &Plan, sample: SampleType, device: &CudaDevice, sizes: &[(usize, usize)]) -> Vec<Strips> {
        let (near, reach) = InStrips::near(plan, sample);
        let halo = plan.radius().max(reach * ROWS).div_ceil(CHUNK);
        let threads = THREADS.iter().copied().filter(|threads| near.is_none() || *threads <= NEAR_THREADS);
        let rows = if near.is_some() { NEAR_ROWS } else { FAR_ROWS };
        Strips::ways(&threads.collect::<Vec<_>>(), halo, rows, sizes, device.info().multiprocessors)
    }

    fn new(plan: &Plan, sample: SampleType, device: &CudaDevice, strips: Strips) -> Result<InStrips> {
        let (near, reach) = InStrips::near(plan, sample);
        let name = match (near, sample == SampleType::U8) {
            (Some(near), _) => format!("gauss_near{near}_u8"),
            (None, true) => "gauss_u8".to_owned(),
            (None, false) => "gauss_u16".to_owned(),
        };
        let mut weights: Vec<u8> = plan.weights.iter().flat_map(|weight| weight.to_le_bytes()).collect();
        weights.resize(WEIGHTS * size_of::<u32>(), 0);
        let words_of_a_thread = if near.is_some() { ROWS * CHUNK } else { 2 * STRIDE };
        let weights_beside = if near.is_some() { 0 } else { WEIGHTS };
        Ok(InStrips {
            function: device.function("gauss", &name)?,
            weights: DeviceBuffer::from_bytes(device, &weights, "weights")?,
            high: words(&plan.weights, reach, 8),
            low: words(&plan.weights, reach, 0),
            shared: (weights_beside + words_of_a_thread * strips.threads) * size_of::<u32>(),
            strips,
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

impl ComponentArgs {
    /// A component that a picture does not have.
    const NONE: ComponentArgs =
        ComponentArgs { src: PlaneArgs::NONE, dst: PlaneArgs::NONE, blurs: 0, across: 1, rows: 1, blocks: 0 };

    fn new(src: &DevicePlane, dst: &DevicePlane, blurs: bool, cut: Cut) -> Result<ComponentArgs> {
        Ok(ComponentArgs {
            src: PlaneArgs::new(src)?,
            dst: PlaneArgs::new(dst)?,
            blurs: blurs.into(),
            across: cut.across,
            rows: cut.rows,
            blocks: cut.blocks,
        })
    }
}

/// The components of a job, each cut into blocks by `cut`.
pub(super) fn components(
    plan: &Plan,
    job: &CudaJob<'_>,
    cut: impl Fn(&DevicePlane, &DevicePlane) -> Cut,
) -> Result<[ComponentArgs; 3]> {
    let mut component = [ComponentArgs::NONE; 3];
    for (index, (src, dst)) in job.src.here().iter().zip(job.dst.iter()).enumerate() {
        component[index] = ComponentArgs::new(src, dst, plan.blurs(index), cut(src, dst))?;
    }
    Ok(component)
}

/// The launch of a kernel on all blocks of some components.
pub(super) fn shape(component: &[ComponentArgs; 3], threads: usize, shared: usize) -> LaunchConfig {
    let blocks = component.iter().map(|c| c.blocks).sum();
    LaunchConfig { grid: [blocks, 1, 1], block: [threads as u32, 1, 1], shared: shared as u32 }
}

impl CudaKernel for Kernel {
    fn enqueue(&mut self, job: &CudaJob<'_>) -> Result<()> {
        let (plan, stream) = (&self.plan, job.stream);
        let radius = plan.radius() as u32;
        match &self.strategy {
            Strategy::Far(far) => far.enqueue(plan, job),
            Strategy::Tensor { function, matrices } => {
                let component = components(plan, job, |src, dst| matrices.cut(src, dst))?;
                let args = TensorArgs { component, walk: matrices.walk(), radius, unused: 0 };
                let shape = shape(&component, tensor::THREADS, 0);
                // SAFETY: `TensorArgs` is the kernel's parameter; the planes have the sizes they state and outlive the work
                // by the caller, and the matrices live as long as this kernel.
                unsafe { launch(function, shape, &args, stream) }
            }
            Strategy::Strips(strategy) => {
                let InStrips { function, weights, high, low, strips, shared } = strategy.as_ref();
                let component = components(plan, job, |src, dst| strips.cut(src, dst))?;
                let (weights, halo) = (weights.address(), strips.halo as u32);
                let args = Args { component, weights, radius, halo, high: *high, low: *low };
                let shape = shape(&component, strips.threads, *shared);
                // SAFETY: as above; the weights, as many as the radius says, live as long as this kernel and fit the shared
                // memory.
                unsafe { launch(function, shape, &args, stream) }
            }
        }
    }
}
