//! The kernels of cuda/morph.cu and cuda/morph_pairs.cu.

use super::op::{Morph, What};
use super::tuning::cuda::{LINES_DOWN, PLACES, THREADS_ACROSS, THREADS_DOWN};
use crate::device::cuda::{CudaDevice, DeviceBuffer, DevicePlane, Function, LaunchConfig};
use crate::error::{Error, Result};
use crate::filters::cuda::{PlaneArgs, launch};
use crate::filters::device_struct::{device_struct, generated};
use crate::filters::window::Plan;
use crate::filters::window::cuda::suffix;
use crate::filters::{CudaJob, CudaKernel};
use crate::video::{SampleLayout, SampleType};

/// The kernels of bytes that go in pairs, where the device compares two at once.
const PAIRS: &str = "morph_pairs";

/// Bytes of shared memory of a thread.
const SHARED: usize = (PLACES + 1) * size_of::<u32>();

/// What becomes of an extreme: it is a step's, or stays near a sample, or another one is taken off.
const BETWEEN: u32 = 0;
const LIMITED: u32 = 1;
const DIFFERENCE: u32 = 2;

device_struct! {
    /// What is done to one component.
    struct ComponentArgs = "MorphComponent" {
        src: PlaneArgs,
        dst: PlaneArgs,
        /// The samples that limit results, or the smallest ones.
        other: PlaneArgs,
        /// 0: the plane is copied.
        computes: u32,
        /// Blocks side by side.
        across: u32,
        /// Blocks of the component.
        blocks: u32,
        /// What stands for a difference of nothing.
        nought: u32,
    }
}

device_struct! {
    /// Arguments of the kernels.
    struct Args = "Morph" {
        component: [ComponentArgs; 3],
        radius: i32,
        /// What becomes of results.
        finish: u32,
        /// The most that a sample changes.
        limit: i32,
        /// 1: the largest samples count, else the smallest.
        is_max: u32,
        /// Words of lines that a block takes, and threads of each.
        lines: u32,
        threads: u32,
    }
}

generated! {
    "morph.cuh" after ["../common/plane.cuh"]: ComponentArgs, Args;
}

impl ComponentArgs {
    /// A component that a picture does not have, or that a launch leaves alone.
    const NONE: ComponentArgs = ComponentArgs {
        src: PlaneArgs::NONE,
        dst: PlaneArgs::NONE,
        other: PlaneArgs::NONE,
        computes: 0,
        across: 1,
        blocks: 0,
        nought: 0,
    };
}

/// A picture that a launch reads or writes.
#[derive(Clone, Copy, PartialEq)]
enum Stage {
    Src,
    /// One of two that the kernel holds.
    Kept(usize),
    Dst,
}

/// Extremes along one axis.
struct Pass {
    function: Function,
    is_down: bool,
    is_max: bool,
    radius: usize,
    block: Block,
    from: Stage,
    to: Stage,
    finish: u32,
}

/// A block: words of lines side by side, and threads of a line, the first of which only help others.
#[derive(Clone, Copy)]
struct Block {
    lines: usize,
    threads: usize,
    halo: usize,
}

impl Block {
    /// Blocks for lines of up to `length` places: those whose warps have the fewest lanes.
    fn new(is_down: bool, radius: usize, length: usize) -> Block {
        let sizes = if is_down { THREADS_DOWN } else { THREADS_ACROSS };
        let lanes = |block: &Block| {
            length.div_ceil(block.places()) * (block.lines * block.threads).next_multiple_of(32) / block.lines
        };
        let blocks = sizes.map(|most| Block::within(most, is_down, radius, length));
        blocks.into_iter().flatten().min_by_key(lanes).expect("the largest block is longer than its halo")
    }

    /// Blocks of up to `most` threads, which take equal parts of a line, if they are longer than their halo.
    fn within(most: usize, is_down: bool, radius: usize, length: usize) -> Option<Block> {
        let halo = (2 * radius).div_ceil(PLACES);
        let along = if is_down { most / LINES_DOWN } else { most };
        let parts = length.div_ceil(PLACES * along.checked_sub(halo).filter(|own| *own > 0)?).max(1);
        let threads = length.div_ceil(PLACES * parts) + halo;
        Some(Block { lines: if is_down { LINES_DOWN } else { (most / threads).max(1) }, threads, halo })
    }

    /// Places of a line that a block makes.
    fn places(&self) -> usize {
        (self.threads - self.halo) * PLACES
    }
}

/// A kernel built for one stream.
pub(super) struct Kernel {
    plan: Plan<Morph>,
    passes: Vec<Pass>,
    /// What passes write that are not the last, of each component that is worked on.
    kept: [[Option<DeviceBuffer>; 2]; 3],
}

/// Axes (true: down columns) and ends (true: the largest) in the order in which extremes are taken.
fn steps(op: &Morph) -> Vec<(bool, bool)> {
    let along_both = |max| [(false, max), (true, max)];
    let steps = match op.what {
        What::Erode => along_both(false).to_vec(),
        What::Dilate => along_both(true).to_vec(),
        What::Open => [along_both(false), along_both(true)].concat(),
        What::Close => [along_both(true), along_both(false)].concat(),
        // Each along both axes, however far: the difference is of two pictures.
        What::MinMax => return [along_both(false), along_both(true)].concat(),
    };
    steps.into_iter().filter(|(is_down, _)| radius(op, *is_down) > 0).collect()
}

fn radius(op: &Morph, is_down: bool) -> usize {
    if is_down { op.radii.1 } else { op.radii.0 }
}

/// The layout of what passes keep: codes of 8 bits, or lanes.
fn kept_layout(plan: &Plan<Morph>) -> SampleLayout {
    match plan.setup.src.sample() {
        SampleType::U8 => SampleLayout { sample: SampleType::U8, step: 1, shift: 8, bit_depth: 8 },
        _ => SampleLayout { sample: SampleType::U16, step: 1, shift: 0, bit_depth: 16 },
    }
}

/// Bytes from one row of a kept plane to the next, and rows.
fn kept_size(plan: &Plan<Morph>, component: usize) -> (usize, usize) {
    let input = &plan.setup.input;
    let (width, height) = input.format.component_size(component, input.width, input.height);
    ((width * kept_layout(plan).sample.bytes()).next_multiple_of(128), height)
}

/// Pictures that are kept.
fn kept_count(op: &Morph) -> usize {
    (steps(op).len() - 1).min(2)
}

/// Bytes of device memory that the kernel holds.
pub(super) fn memory(plan: &Plan<Morph>) -> usize {
    let bytes = |(component, op): (usize, &Option<Morph>)| {
        let (pitch, height) = kept_size(plan, component);
        op.as_ref().map_or(0, |op| pitch * height * kept_count(op))
    };
    plan.ops.iter().enumerate().map(bytes).sum()
}

impl Kernel {
    /// The kernel of `plan`.
    ///
    /// # Errors
    /// When it cannot be loaded, or there is no memory for what is kept.
    pub(super) fn new(plan: Plan<Morph>, device: &CudaDevice) -> Result<Kernel> {
        let (width, height) = (plan.setup.input.width, plan.setup.input.height);
        let has_pairs = plan.setup.src.sample() == SampleType::U8 && device.runs(PAIRS);
        let pass = |is_down: bool, is_max: bool, radius: usize, from, to, finish| {
            let axis = if is_down { "down" } else { "across" };
            // No chunk is longer than a window.
            let chunk = match radius {
                0..4 => 2,
                4..8 => 8,
                _ => 16,
            };
            // In small windows there is less to compare than to put in pairs.
            let module = if has_pairs && chunk > 2 { PAIRS } else { "morph" };
            let function = device.function(module, &format!("morph_{axis}_{chunk}_{}", suffix(&plan)))?;
            let block = Block::new(is_down, radius, if is_down { height } else { width });
            Ok::<_, Error>(Pass { function, is_down, is_max, radius, block, from, to, finish })
        };
        let mut passes = Vec::new();
        let Some(op) = plan.op() else {
            passes.push(pass(true, false, 1, Stage::Src, Stage::Dst, BETWEEN)?);
            return Ok(Kernel { plan, passes, kept: Default::default() });
        };
        let (steps, is_difference) = (steps(op), op.what == What::MinMax);
        for (i, (is_down, is_max)) in steps.iter().copied().enumerate() {
            let is_last = i + 1 == steps.len();
            // The largest samples begin at the source again.
            let from = if i == 0 || (is_difference && i == 2) { Stage::Src } else { Stage::Kept((i - 1) % 2) };
            let to = if is_last { Stage::Dst } else { Stage::Kept(i % 2) };
            let finish = match is_last {
                true if is_difference => DIFFERENCE,
                true if op.limit < u16::MAX => LIMITED,
                _ => BETWEEN,
            };
            passes.push(pass(is_down, is_max, radius(op, is_down), from, to, finish)?);
        }
        let mut kept: [[Option<DeviceBuffer>; 2]; 3] = Default::default();
        for (component, op) in plan.ops.iter().enumerate() {
            let (pitch, height) = kept_size(&plan, component);
            let count = op.as_ref().map_or(0, kept_count);
            for buffer in kept[component].iter_mut().take(count) {
                *buffer = Some(DeviceBuffer::new(device, pitch * height, "extremes")?);
            }
        }
        Ok(Kernel { plan, passes, kept })
    }

    /// A component of a stage.
    fn plane(&self, job: &CudaJob<'_>, stage: Stage, index: usize) -> DevicePlane {
        let src = job.src.here()[index];
        match stage {
            Stage::Src => src,
            Stage::Dst => job.dst[index],
            Stage::Kept(number) => DevicePlane {
                address: self.kept[index][number].as_ref().map_or(0, DeviceBuffer::address),
                pitch: kept_size(&self.plan, index).0,
                layout: kept_layout(&self.plan),
                ..src
            },
        }
    }

    /// What a pass does to a component.
    fn component(&self, job: &CudaJob<'_>, pass: &Pass, index: usize) -> Result<ComponentArgs> {
        let op = self.plan.ops[index].as_ref();
        // What is copied, the last pass copies; what stays where it is has no rows.
        let is_idle = if op.is_some() { job.dst[index].height == 0 } else { pass.to != Stage::Dst };
        if is_idle {
            return Ok(ComponentArgs::NONE);
        }
        let from = if op.is_some() { pass.from } else { Stage::Src };
        let (src, dst) = (self.plane(job, from, index), self.plane(job, pass.to, index));
        let other = if pass.finish == DIFFERENCE { Stage::Kept(1) } else { Stage::Src };
        let beside = pass.block.lines * size_of::<u32>() / kept_layout(&self.plan).sample.bytes();
        let along = pass.block.places();
        let (wide, high) = if pass.is_down { (dst.width, dst.height) } else { (dst.height, dst.width) };
        let across = wide.div_ceil(beside);
        Ok(ComponentArgs {
            src: PlaneArgs::new(&src)?,
            dst: PlaneArgs::new(&dst)?,
            other: PlaneArgs::new(&self.plane(job, other, index))?,
            computes: op.is_some().into(),
            across: across as u32,
            blocks: if dst.height == 0 { 0 } else { (across * high.div_ceil(along)) as u32 },
            nought: op.map_or(0, |op| op.nought.into()),
        })
    }
}

impl CudaKernel for Kernel {
    fn enqueue(&mut self, job: &CudaJob<'_>) -> Result<()> {
        let limit = self.plan.op().map_or(0, |op| op.limit.into());
        for pass in &self.passes {
            let mut component = [ComponentArgs::NONE; 3];
            for (index, args) in component.iter_mut().enumerate().take(self.plan.ops.len()) {
                *args = self.component(job, pass, index)?;
            }
            let blocks = component.iter().map(|component| component.blocks).sum();
            if blocks == 0 {
                continue;
            }
            let Block { lines, threads, .. } = pass.block;
            let args = Args {
                component,
                radius: pass.radius as i32,
                finish: pass.finish,
                limit,
                is_max: pass.is_max.into(),
                lines: lines as u32,
                threads: threads as u32,
            };
            let (wide, high) = if pass.is_down { (lines, threads) } else { (threads, lines) };
            let shape = LaunchConfig {
                grid: [blocks, 1, 1],
                block: [wide as u32, high as u32, 1],
                shared: (lines * threads * SHARED) as u32,
            };
            // SAFETY: `Args` is the kernel's parameter; the planes have the sizes they state; those of the job outlive the
            // work by the caller, and those that are kept were made for pictures of this size and live as long as this kernel.
            unsafe { launch(&pass.function, shape, &args, job.stream) }?;
        }
        Ok(())
    }
}
