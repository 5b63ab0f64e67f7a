//! The kernels of cuda/bilateral.cu.

use super::MOST;
use super::plan::Plan;
use super::weights::Weights;
use crate::device::cuda::{CudaDevice, DevicePlane, DevicePlanes, Function, LaunchConfig, Stream};
use crate::error::Result;
use crate::filters::bilateral::tuning::cuda::{COLUMNS, FEW, MANY, MANY_FROM, THREADS};
use crate::filters::cuda::{PlaneArgs, launch};
use crate::filters::device_struct::{device_struct, generated};
use crate::filters::tune::{self, Outputs};
use crate::filters::{CudaJob, CudaKernel, Setup};

/// Words of shared memory that the weights of columns and rows have.
const TABLES: usize = 128;

device_struct! {
    /// Weights as kernels see them.
    #[derive(PartialEq)]
    struct WeightTable = "Weights" {
        radius_w: u32,
        radius_h: u32,
        /// Of compared samples: the square of their difference is subtracted from the level.
        scale: f32,
        /// Of a level of one.
        octaves: f32,
        /// Of a mean of differences.
        unscale: f32,
        /// Two to a power, over two to the power of `octaves`.
        curve: [f32; 5],
        /// The level of samples by the columns between.
        across: [f32; MOST + 1],
        /// The weight of rows by their distance.
        down: [f32; MOST + 1],
    }
}

impl WeightTable {
    fn new(weights: &Weights) -> WeightTable {
        let (radius_w, radius_h) = weights.radii();
        let fill = |from: &[f32]| std::array::from_fn(|i| from.get(i).copied().unwrap_or(0.0));
        WeightTable {
            radius_w: radius_w as u32,
            radius_h: radius_h as u32,
            scale: weights.curve.scale,
            octaves: weights.curve.octaves,
            unscale: weights.unscale,
            curve: weights.curve.powers,
            across: fill(&weights.across),
            down: fill(&weights.down),
        }
    }

    /// Bytes of shared memory that a block of `rows`, the samples around it and the weights take.
    fn shared(&self, rows: usize) -> u32 {
        let columns = (COLUMNS + 2 * self.radius_w as usize).next_multiple_of(4);
        let rows = rows + 2 * self.radius_h as usize;
        ((TABLES + columns * rows) * size_of::<u32>()) as u32
    }
}

device_struct! {
    /// What is done to one component.
    struct ComponentArgs = "Component" {
        src: PlaneArgs,
        dst: PlaneArgs,
        /// 0: the plane is copied.
        filters: u32,
        /// Blocks side by side.
        across: u32,
        /// Blocks of the component.
        blocks: u32,
        unused: u32,
    }
}

impl ComponentArgs {
    /// A component that a picture does not have, or that another launch makes.
    const NONE: ComponentArgs =
        ComponentArgs { src: PlaneArgs::NONE, dst: PlaneArgs::NONE, filters: 0, across: 1, blocks: 0, unused: 0 };

    fn new(src: &DevicePlane, dst: &DevicePlane, filters: bool, rows: usize) -> Result<ComponentArgs> {
        let across = src.width.div_ceil(COLUMNS);
        Ok(ComponentArgs {
            src: PlaneArgs::new(src)?,
            dst: PlaneArgs::new(dst)?,
            filters: filters.into(),
            across: across as u32,
            blocks: (across * dst.height.div_ceil(rows)) as u32,
            unused: 0,
        })
    }
}

device_struct! {
    /// Arguments of the kernels. Components whose weights differ are of different launches: so weights have fixed places,
    /// from where arithmetic takes them without a read.
    struct Args = "Bilateral" {
        component: [ComponentArgs; 3],
        weights: WeightTable,
        /// The guide.
        luma: PlaneArgs,
        /// Base-two logarithms.
        subsampling_w: u32,
        subsampling_h: u32,
    }
}

generated! {
    "bilateral.cuh" after ["../common/plane.cuh"]: WeightTable, ComponentArgs, Args;
}

/// A kernel built for one stream.
pub(super) struct Kernel {
    plan: Plan,
    turns: Vec<Turn>,
}

/// A launch: for components whose weights are the same. The first takes those along that are copied.
struct Turn {
    name: String,
    function: Function,
    weights: WeightTable,
    components: Vec<usize>,
    /// Rows and bytes of shared memory of a block.
    rows: usize,
    shared: u32,
}

impl Kernel {
    /// The kernel of `plan`.
    ///
    /// # Errors
    /// When the kernel cannot be loaded.
    pub(super) fn new(plan: Plan, setup: &Setup, device: &CudaDevice) -> Result<Kernel> {
        let mut turns: Vec<Turn> = Vec::new();
        for component in plan.filtered() {
            let turn = Turn::new(&plan, component, setup, device)?;
            match turns.iter_mut().find(|other| other.is_like(&turn)) {
                Some(other) => other.components.push(component),
                None => turns.push(turn),
            }
        }
        if turns.is_empty() {
            turns.push(Turn::new(&plan, 0, setup, device)?);
        }
        let rest = (0..setup.input.format.components()).filter(|component| !plan.filters(*component));
        let first = &mut turns[0].components;
        first.retain(|component| plan.filters(*component));
        first.extend(rest);
        Ok(Kernel { plan, turns })
    }
}

impl Turn {
    /// The launch for `component`.
    fn new(plan: &Plan, component: usize, setup: &Setup, device: &CudaDevice) -> Result<Turn> {
        let weights = plan.weights(component);
        let kind = match (plan.is_guided(component), weights.is_cubic()) {
            (true, _) => "guided",
            (false, true) => "cubic",
            (false, false) => "quartic",
        };
        let (radius_w, radius_h) = weights.radii();
        let ways = if radius_w < MANY_FROM { [FEW, MANY] } else { [MANY, FEW] }.map(Outputs);
        let case = format!("{kind}:r{}x{}", tune::coarse(radius_w), tune::coarse(radius_h));
        let Outputs(outputs) = device.choose("bilateral", &["bilateral"], tune::case(setup, setup.src, &case), &ways);
        let rows = THREADS * outputs / COLUMNS;
        let table = WeightTable::new(weights);
        let name = format!("bilateral_{kind}{outputs}");
        Ok(Turn {
            function: device.function("bilateral", &name)?,
            name,
            weights: table,
            components: vec![component],
            rows,
            shared: table.shared(rows),
        })
    }

    /// True for launches of the same kernel with the same weights.
    fn is_like(&self, other: &Turn) -> bool {
        self.name == other.name && self.weights == other.weights
    }

    fn enqueue(&self, plan: &Plan, src: &DevicePlanes, dst: &DevicePlanes, stream: &Stream) -> Result<()> {
        let mut component = [ComponentArgs::NONE; 3];
        for index in self.components.iter().copied() {
            component[index] = ComponentArgs::new(&src[index], &dst[index], plan.filters(index), self.rows)?;
        }
        let blocks = component.iter().map(|c| c.blocks).sum();
        if blocks == 0 {
            return Ok(());
        }
        let (subsampling_w, subsampling_h) = plan.subsampling;
        let args = Args {
            component,
            weights: self.weights,
            luma: PlaneArgs::new(&src[0])?,
            subsampling_w: subsampling_w as u32,
            subsampling_h: subsampling_h as u32,
        };
        let shape = LaunchConfig { grid: [blocks, 1, 1], block: [THREADS as u32, 1, 1], shared: self.shared };
        // SAFETY: `Args` is the kernel's parameter; the planes have the sizes they state and outlive the work by the
        // caller; the shared memory holds what a block of any filtered component puts there.
        unsafe { launch(&self.function, shape, &args, stream) }
    }
}

impl CudaKernel for Kernel {
    fn enqueue(&mut self, job: &CudaJob<'_>) -> Result<()> {
        let CudaJob { src, dst, stream, .. } = *job;
        let src = src.here();
        self.turns.iter().try_for_each(|turn| turn.enqueue(&self.plan, src, dst, stream))
    }
}
