//! The kernels of cuda/scale_twice.cu: pictures of twice the size, and of half, whose results have their samples where the
//! compiler knows. Weights may be any, so that borders are no case of their own.

#[cfg(test)]
mod tests;

use super::super::plan::{ComponentPlan, Plan, SampleSource};
use super::super::taps::Taps;
use super::super::tuning::cuda::twice::{BLOCKS, THREADS, WALKS};
use crate::device::cuda::{CudaDevice, DeviceBuffer, DevicePlane, Function, LaunchConfig};
use crate::error::Result;
use crate::filters::cuda::{PlaneArgs, launch};
use crate::filters::device_struct::{device_struct, generated};
use crate::filters::{CudaJob, CudaKernel, Setup};
use crate::video::{SampleLayout, SampleType};

device_struct! {
    /// What is done to one component.
    struct ComponentArgs = "TwiceComponent" {
        src: PlaneArgs,
        dst: PlaneArgs,
        /// For each result of a row its weights.
        across: u64 = "const float4*",
        /// For each step the weights of its rows in the results that they are part of.
        down: u64 = "const float4*",
        /// Where the samples of the first result begin.
        left: i32,
        top: i32,
        /// Steps that results begin with.
        steps: i32,
        /// Tiles side by side.
        tiles: u32,
        blocks: u32,
        /// Bits of stored samples that count, and those that are turned over.
        mask: u32,
        flip: u32,
        flip_back: u32,
        /// From a rounded sample to a stored one.
        up: u32,
        /// From a stored sample to its lane.
        scale: f32,
        /// From a lane to a sample: a factor, what is added before it is rounded down, and the largest.
        share: f32,
        half: f32,
        most: f32,
        unused: u32,
    }
}

device_struct! {
    /// What the kernels get.
    struct Args = "Twice" {
        component: [ComponentArgs; 3],
        /// Steps of a tile that results begin with.
        steps: i32,
        unused: u32,
    }
}

generated! {
    "scale_twice.cuh" after ["../common/plane.cuh"]: ComponentArgs, Args;
}

/// A component that a picture does not have.
const NONE: ComponentArgs = ComponentArgs {
    src: PlaneArgs::NONE,
    dst: PlaneArgs::NONE,
    across: 0,
    down: 0,
    left: 0,
    top: 0,
    steps: 0,
    tiles: 1,
    blocks: 0,
    mask: 0,
    flip: 0,
    flip_back: 0,
    up: 0,
    scale: 0.0,
    share: 0.0,
    half: 0.0,
    most: 0.0,
    unused: 0,
};

/// Two of the result to one of the source, or one to two; and the weights of a result.
#[derive(Clone, Copy)]
struct Shape {
    up: bool,
    taps: usize,
}

/// Shapes that there are kernels for.
const SHAPES: [Shape; 4] = [
    Shape { up: true, taps: 4 },
    Shape { up: true, taps: 6 },
    Shape { up: false, taps: 8 },
    Shape { up: false, taps: 12 },
];

impl Shape {
    fn name(self) -> String {
        format!("scale_{}_{}", if self.up { "twice" } else { "half" }, self.taps)
    }

    /// Results side by side of a block.
    fn columns(self) -> usize {
        THREADS as usize * if self.up { 4 } else { 2 }
    }

    /// Where the samples of result `at` begin, from those of the first.
    fn begin(self, at: usize) -> i64 {
        (if self.up { at.div_ceil(2) } else { 2 * at }) as i64
    }

    /// The weights of each result by the places that this shape has for them, and where those of the first begin; `None` where
    /// a result needs others. Zeros count for nothing: a sum with them is the sum without.
    fn place(self, taps: &Taps) -> Option<(i32, Vec<f32>)> {
        if taps.stride > 1 || taps.beside.is_some() {
            return None;
        }
        let results = || (0..taps.first.len()).map(|at| (at, taps.first[at] as i64, taps.weights_of(at)));
        let (mut least, mut most) = (i64::MIN, i64::MAX);
        for (at, first, weights) in results() {
            let counts = |weight: &f32| *weight != 0.0;
            let start = first + weights.iter().position(counts)? as i64;
            let end = first + weights.iter().rposition(counts)? as i64 + 1;
            least = least.max(end - self.taps as i64 - self.begin(at));
            most = most.min(start - self.begin(at));
        }
        if least > most {
            return None;
        }
        let mut placed = vec![0.0; taps.first.len() * self.taps];
        for (at, first, weights) in results() {
            let begin = first - self.begin(at) - least;
            for (k, weight) in weights.iter().enumerate().filter(|(_, weight)| **weight != 0.0) {
                placed[at * self.taps + (begin + k as i64) as usize] = *weight;
            }
        }
        Some((least as i32, placed))
    }

    /// Steps from a result's first row to its last.
    fn kept(self) -> usize {
        if self.up { self.taps } else { self.taps / 2 }
    }

    /// Steps that the results of so many rows begin with.
    fn steps(self, rows: usize) -> usize {
        if self.up { rows / 2 + 1 } else { rows }
    }

    /// The weights of columns by steps: of each the results that it is part of, from those that begin with it on.
    fn by_steps(self, weights: &[f32]) -> Vec<f32> {
        let (rows, results) = if self.up { (1, 2) } else { (2, 1) };
        let (height, begun) = (weights.len() / self.taps, self.steps(weights.len() / self.taps));
        let mut table = Vec::new();
        for step in 0..begun + self.kept() - 1 {
            for (result, age, row) in
                (0..results).flat_map(|h| (0..self.kept()).flat_map(move |k| (0..rows).map(move |r| (h, k, r))))
            {
                let pair = step.checked_sub(age).filter(|pair| *pair < begun);
                // Where there are two, the first begins a row above the step's.
                let y = pair.and_then(|pair| (results * pair + result).checked_sub(results - 1));
                let weight = y.filter(|y| *y < height).map(|y| weights[y * self.taps + rows * age + row]);
                table.push(weight.unwrap_or(0.0));
            }
        }
        table
    }
}

/// One component: its tables, and what of its arguments no frame changes.
struct Draft {
    source: usize,
    across: Vec<f32>,
    down: Vec<f32>,
    args: ComponentArgs,
}

impl Draft {
    fn new(work: &ComponentPlan, shape: Shape, setup: &Setup, index: usize) -> Option<Draft> {
        let (SampleSource::Component(source), None) = (work.source, &work.light) else { return None };
        let (left, mut across) = shape.place(work.across.as_ref()?)?;
        let (top, down) = shape.place(work.down.as_ref()?)?;
        let output = &setup.output;
        let to = output.format.component_size(index, output.width, output.height);
        // A block's last threads may have no results.
        across.resize(to.0.next_multiple_of(shape.columns()) * shape.taps, 0.0);
        let tiles = to.0.div_ceil(shape.columns()) as u32;
        let args = ComponentArgs { left, top, steps: shape.steps(to.1) as i32, tiles, ..NONE };
        Some(Draft { source, across, down: shape.by_steps(&down), args })
    }

    /// Blocks, where results begin with so many steps of each.
    fn blocks(&self, steps: u32) -> u32 {
        self.args.tiles * (self.args.steps as u32).div_ceil(steps)
    }

    /// What a kernel gets.
    fn component(&self, src: &DevicePlane, dst: &DevicePlane, steps: u32) -> Result<ComponentArgs> {
        let (from, to) = (src.layout, dst.layout);
        let is_signed = |layout: SampleLayout| layout.sample == SampleType::I16;
        let flip = |layout| if is_signed(layout) { 0x8000_8000 } else { 0 };
        // YC48 takes lanes as they are.
        let depth = if is_signed(to) { 16 } else { to.bit_depth };
        let drop = 16 - depth;
        Ok(ComponentArgs {
            src: PlaneArgs::new(src)?,
            dst: PlaneArgs::new(dst)?,
            blocks: if dst.height == 0 { 0 } else { self.blocks(steps) },
            mask: if from.sample == SampleType::U8 { u32::MAX } else { (0xffff >> from.shift) * 0x1_0001 },
            flip: flip(from),
            flip_back: flip(to),
            up: u32::from(drop - to.shift),
            scale: (1u32 << from.shift) as f32,
            share: 1.0 / (1u32 << drop) as f32,
            half: if drop > 0 { 0.5 } else { 0.0 },
            most: ((1u32 << depth) - 1) as f32,
            ..self.args
        })
    }
}

/// What is done to a stream whose pictures double or halve.
pub struct Twice {
    shape: Shape,
    drafts: Vec<Draft>,
}

impl Twice {
    /// What `plan` is, if it is that.
    pub fn of(plan: &Plan, setup: &Setup) -> Option<Twice> {
        SHAPES.iter().find_map(|shape| {
            let draft = |(index, work)| Draft::new(work, *shape, setup, index);
            let drafts = plan.components.iter().enumerate().map(draft).collect::<Option<Vec<_>>>()?;
            (!plan.down_first).then_some(Twice { shape: *shape, drafts })
        })
    }

    /// Bytes of device memory that the kernel holds.
    pub fn memory(&self) -> usize {
        self.drafts.iter().map(|draft| size_of_val(&draft.across[..]) + size_of_val(&draft.down[..])).sum()
    }

    /// Steps of a block that results begin with: those that begin above it cost as many on top, so that they are many, unless
    /// there were too few blocks.
    fn steps(&self, multiprocessors: usize) -> u32 {
        let steps = |walk: u32| walk - self.shape.kept() as u32 + 1;
        let blocks = |steps| self.drafts.iter().map(|draft| draft.blocks(steps) as usize).sum::<usize>();
        let long = steps(WALKS.1);
        if blocks(long) < BLOCKS * multiprocessors { steps(WALKS.0) } else { long }
    }

    /// The kernel.
    ///
    /// # Errors
    /// When it cannot be loaded, or there is no memory for its tables.
    pub fn load(mut self, device: &CudaDevice) -> Result<Kernel> {
        let mut memory = Vec::new();
        let mut put = |table: Vec<f32>| {
            let bytes: Vec<u8> = table.iter().flat_map(|weight| weight.to_le_bytes()).collect();
            memory.push(DeviceBuffer::from_bytes(device, &bytes, "weights")?);
            Ok::<_, crate::error::Error>(memory[memory.len() - 1].address())
        };
        for draft in &mut self.drafts {
            draft.args.across = put(std::mem::take(&mut draft.across))?;
            draft.args.down = put(std::mem::take(&mut draft.down))?;
        }
        let function = device.function("scale_twice", &self.shape.name())?;
        let steps = self.steps(device.info().multiprocessors);
        Ok(Kernel { function, drafts: self.drafts, steps, _memory: memory })
    }
}

/// A kernel built for one stream.
pub struct Kernel {
    function: Function,
    drafts: Vec<Draft>,
    steps: u32,
    /// Tables.
    _memory: Vec<DeviceBuffer>,
}

impl CudaKernel for Kernel {
    fn enqueue(&mut self, job: &CudaJob<'_>) -> Result<()> {
        let (src, dst) = (job.src.here(), job.dst);
        let mut component = [NONE; 3];
        for (index, draft) in self.drafts.iter().enumerate() {
            component[index] = draft.component(&src[draft.source], &dst[index], self.steps)?;
        }
        let blocks: u32 = component.iter().map(|component| component.blocks).sum();
        if blocks == 0 {
            return Ok(());
        }
        let args = Args { component, steps: self.steps as i32, unused: 0 };
        let shape = LaunchConfig { grid: [blocks, 1, 1], block: [THREADS, 1, 1], shared: 0 };
        // SAFETY: `Args` is the kernel's parameter, and its tables live as long as this kernel; the planes have the sizes they
        // state and outlive the work by the caller.
        unsafe { launch(&self.function, shape, &args, job.stream) }
    }
}
