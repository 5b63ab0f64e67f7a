//! The kernels of cuda/bilateral.cu.

use super::MOST;
use super::plan::Plan;
use super::weights::Weights;
use crate::device::cuda::{CudaDevice, DevicePlane, DevicePlanes, Function, Shape, Stream};
use crate::error::Result;
use crate::filters::cuda::{Plane, launch, layout};
use crate::filters::{CudaKernel, Setup};
use crate::video::FrameProps;

/// Columns and threads of a block.
const COLUMNS: usize = 64;
const THREADS: usize = 256;

/// Samples side by side whose windows a thread weighs: few, or many from a radius on where more samples around a block
/// cost less than a thread saves on its rows.
const FEW: usize = 4;
const MANY: usize = 8;
const MANY_FROM: usize = 6;

/// Words of shared memory that the weights of columns and rows have.
const TABLES: usize = 128;

/// Weights as kernels see them. Mirrors `Weights` of cuda/bilateral.cu.
#[repr(C)]
#[derive(Clone, Copy)]
struct Table {
    radius_w: u32,
    radius_h: u32,
    scale: f32,
    octaves: f32,
    unscale: f32,
    curve: [f32; 5],
    across: [f32; MOST + 1],
    down: [f32; MOST + 1],
}

layout!(Table: 288 {
    radius_w: 0, radius_h: 4, scale: 8, octaves: 12, unscale: 16, curve: 20, across: 40, down: 164,
});

impl Table {
    fn new(weights: &Weights) -> Table {
        let (radius_w, radius_h) = weights.radii();
        let fill = |from: &[f32]| std::array::from_fn(|i| from.get(i).copied().unwrap_or(0.0));
        Table {
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

/// How a component is weighed: `Choice` of cuda/bilateral.cu.
const PASSED_ON: u32 = 0;
const OF_LUMA: u32 = 1;
const OF_CHROMA: u32 = 2;

/// What is done to one component. Mirrors `Component` of cuda/bilateral.cu.
#[repr(C)]
#[derive(Clone, Copy)]
struct Component {
    src: Plane,
    dst: Plane,
    weights: u32,
    guided: u32,
    across: u32,
    blocks: u32,
}

layout!(Component: 64 { src: 0, dst: 24, weights: 48, guided: 52, across: 56, blocks: 60 });

impl Component {
    /// A component that a picture does not have.
    const NONE: Component =
        Component { src: Plane::NONE, dst: Plane::NONE, weights: PASSED_ON, guided: 0, across: 1, blocks: 0 };

    fn new(src: &DevicePlane, dst: &DevicePlane, plan: &Plan, index: usize, rows: usize) -> Result<Component> {
        let across = src.width.div_ceil(COLUMNS);
        Ok(Component {
            src: Plane::new(src)?,
            dst: Plane::new(dst)?,
            weights: match (plan.filters(index), plan.is_chroma(index)) {
                (false, _) => PASSED_ON,
                (true, false) => OF_LUMA,
                (true, true) => OF_CHROMA,
            },
            guided: plan.is_guided(index).into(),
            across: across as u32,
            blocks: (across * dst.height.div_ceil(rows)) as u32,
        })
    }
}

/// Mirrors `Bilateral` of cuda/bilateral.cu.
#[repr(C)]
#[derive(Clone, Copy)]
struct Args {
    component: [Component; 3],
    luma: Table,
    chroma: Table,
    subsampling_w: u32,
    subsampling_h: u32,
}

layout!(Args: 776 { component: 0, luma: 192, chroma: 480, subsampling_w: 768, subsampling_h: 772 });

/// A kernel built for one stream.
pub(super) struct Kernel {
    plan: Plan,
    function: Function,
    luma: Table,
    chroma: Table,
    /// Rows and bytes of shared memory of a block.
    rows: usize,
    shared: u32,
}

impl Kernel {
    /// The kernel of `plan`.
    ///
    /// # Errors
    /// When the kernel cannot be loaded.
    pub(super) fn new(plan: Plan, _: &Setup, device: &CudaDevice) -> Result<Kernel> {
        let guided = plan.filtered().any(|component| plan.is_guided(component));
        let cubic = plan.filtered().all(|component| plan.weights(component).is_cubic());
        let weights = match (guided, cubic) {
            (true, _) => "guided",
            (false, true) => "cubic",
            (false, false) => "quartic",
        };
        let radius = plan.filtered().map(|component| plan.weights(component).radii().0).max().unwrap_or(0);
        let outputs = if radius < MANY_FROM { FEW } else { MANY };
        let rows = THREADS * outputs / COLUMNS;
        let (luma, chroma) = (Table::new(plan.weights(0)), Table::new(plan.weights(1)));
        let tables = plan.filtered().map(|component| if plan.is_chroma(component) { chroma } else { luma });
        let shared = tables.map(|table| table.shared(rows)).max().unwrap_or(0);
        let function = device.function("bilateral", &format!("bilateral_{weights}{outputs}"))?;
        Ok(Kernel { plan, function, luma, chroma, rows, shared })
    }
}

impl CudaKernel for Kernel {
    fn enqueue(&mut self, _: &FrameProps, src: &DevicePlanes, dst: &DevicePlanes, stream: &Stream) -> Result<()> {
        let mut component = [Component::NONE; 3];
        for (index, (src, dst)) in src.iter().zip(dst.iter()).enumerate() {
            component[index] = Component::new(src, dst, &self.plan, index, self.rows)?;
        }
        let blocks = component.iter().map(|c| c.blocks).sum();
        let (subsampling_w, subsampling_h) = self.plan.subsampling;
        let args = Args {
            component,
            luma: self.luma,
            chroma: self.chroma,
            subsampling_w: subsampling_w as u32,
            subsampling_h: subsampling_h as u32,
        };
        let shape = Shape { grid: [blocks, 1, 1], block: [THREADS as u32, 1, 1], shared: self.shared };
        // SAFETY: `Args` is the kernel's parameter; the planes have the sizes they state and outlive the work by the
        // caller; the shared memory holds what a block of any filtered component puts there.
        unsafe { launch(&self.function, shape, &args, stream) }
    }
}
