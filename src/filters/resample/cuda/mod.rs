//! The kernels of cuda/scale.cu, and the choice between them and [`twice`].

mod tiles;
mod twice;

use super::plan::{ComponentPlan, Plan, SampleSource};
use super::taps::Taps;
use super::tuning::cuda::{FAR, THREADS};
use crate::device::cuda::{CudaDevice, DeviceBuffer, DevicePlane, Function, LaunchConfig};
use crate::error::Result;
use crate::filters::cuda::{PlaneArgs, launch};
use crate::filters::device_struct::{device_struct, generated};
use crate::filters::{CudaJob, CudaKernel, Setup};
use tiles::{How, choose, padded, shared, spans, unchanged};
use twice::Twice;

device_struct! {
    /// The weights of one direction.
    struct Direction = "ScaleDirection" {
        /// For each result the first sample that it is made from.
        first: u64 = "const int*",
        /// Across: for each tap the weights of all results. Down: for each result those of all taps.
        weights: u64 = "const float*",
        /// The two samples beside each result, where results are held between them.
        beside: u64 = "const int2*",
        /// The first sample that each tile is made from.
        origin: u64 = "const int*",
        /// Weights of a result.
        count: u32,
        /// From one sample that is weighed to the next.
        stride: u32,
    }
}

device_struct! {
    /// What is done to one component.
    struct ComponentArgs = "ScaleComponent" {
        src: PlaneArgs,
        dst: PlaneArgs,
        across: Direction,
        down: Direction,
        /// Tables to light and back, where samples are weighed as light.
        from_lane: u64 = "const float*",
        to_lane: u64 = "const float*",
        /// What lies between the directions of a strong reduction.
        between: u64 = "float*",
        black: f32,
        /// The lane of all samples, where it `fills`.
        lane: u32,
        fills: u32,
        down_first: u32,
        /// Columns and rows that a tile is made from, at most; columns are a multiple of four.
        source_columns: u32,
        source_rows: u32,
        /// Tiles side by side.
        tiles: u32,
        blocks: u32,
    }
}

device_struct! {
    /// What the kernels get.
    struct Args = "Scale" {
        component: [ComponentArgs; 3],
        antiring: f32,
        /// Floats of a row of the source's tile.
        pitch: u32,
        /// Rows of a tile.
        rows: u32,
        /// Rows of the largest tile's source.
        source_rows: u32,
    }
}

generated! {
    "scale.cuh" after ["../common/plane.cuh"]: Direction, ComponentArgs, Args;
}

const NO_DIRECTION: Direction = Direction { first: 0, weights: 0, beside: 0, origin: 0, count: 0, stride: 1 };

/// A component that a picture does not have.
const NONE: ComponentArgs = ComponentArgs {
    src: PlaneArgs::NONE,
    dst: PlaneArgs::NONE,
    across: NO_DIRECTION,
    down: NO_DIRECTION,
    from_lane: 0,
    to_lane: 0,
    between: 0,
    black: 0.0,
    lane: 0,
    fills: 0,
    down_first: 0,
    source_columns: 0,
    source_rows: 0,
    tiles: 1,
    blocks: 0,
};

/// One component as the device reads it.
struct Draft {
    component: ComponentArgs,
    source: SampleSource,
    /// Directions as kernels have them: none that leaves samples as they are.
    across: Taps,
    down: Taps,
    from: (usize, usize),
    to: (usize, usize),
}

/// Bytes of device memory that the kernel of `plan` holds.
///
/// # Errors
/// None: tables are only counted.
pub fn memory(plan: &Plan, setup: &Setup) -> Result<usize> {
    Twice::of(plan, setup).map_or_else(|| Kernel::memory(plan, setup), |twice| Ok(twice.memory()))
}

/// The kernel of `plan`.
///
/// # Errors
/// When it cannot be loaded, or there is no memory for its tables.
pub fn build(plan: &Plan, setup: &Setup, device: &CudaDevice) -> Result<Box<dyn CudaKernel>> {
    Ok(match Twice::of(plan, setup) {
        Some(twice) => Box::new(twice.load(device)?),
        None => Box::new(Kernel::new(plan, setup, device)?),
    })
}

/// A kernel built for one stream.
struct Kernel {
    drafts: Vec<Draft>,
    functions: Vec<Function>,
    how: How,
    down_first: bool,
    antiring: f32,
    pitch: usize,
    source_rows: usize,
    /// Tables and what lies between directions.
    _memory: Vec<DeviceBuffer>,
}

fn bytes_of(values: impl Iterator<Item = [u8; 4]>) -> Vec<u8> {
    values.flatten().collect()
}

impl Draft {
    fn new(work: &ComponentPlan, down_first: bool, setup: &Setup, index: usize) -> Draft {
        let (input, output) = (&setup.input, &setup.output);
        let from = match work.source {
            SampleSource::Component(from) => input.format.component_size(from, input.width, input.height),
            SampleSource::Lane(_) => (1, 1),
        };
        let to = output.format.component_size(index, output.width, output.height);
        let direction = |taps: &Option<Taps>, size| taps.clone().unwrap_or_else(|| unchanged(size));
        let mut component = NONE;
        if let SampleSource::Lane(lane) = work.source {
            (component.lane, component.fills) = (lane.into(), 1);
        }
        component.down_first = down_first.into();
        component.black = work.light.as_ref().map_or(0.0, |light| light.black);
        let [across, down] = [direction(&work.across, to.0), direction(&work.down, to.1)];
        Draft { component, source: work.source, across, down, from, to }
    }

    /// Bytes between the directions of a strong reduction.
    fn between(&self) -> usize {
        let samples = if self.component.down_first > 0 { self.from.0 * self.to.1 } else { self.to.0 * self.from.1 };
        samples * size_of::<f32>()
    }
}

impl Kernel {
    fn memory(plan: &Plan, setup: &Setup) -> Result<usize> {
        let mut drafts = drafts(plan, setup);
        let how = choose(&drafts, plan.down_first).0;
        let mut bytes = 0;
        put_tables(&mut drafts, plan, &how, |table| {
            bytes += table.len();
            Ok(0)
        })?;
        let between = if how == How::Far { drafts.iter().map(Draft::between).sum() } else { 0 };
        Ok(bytes + between)
    }

    fn new(plan: &Plan, setup: &Setup, device: &CudaDevice) -> Result<Kernel> {
        let mut drafts = drafts(plan, setup);
        let (how, pitch, source_rows) = choose(&drafts, plan.down_first);
        let mut memory = Vec::new();
        put_tables(&mut drafts, plan, &how, |table| {
            memory.push(DeviceBuffer::from_bytes(device, table, "weights")?);
            Ok(memory[memory.len() - 1].address())
        })?;
        if how == How::Far {
            for draft in &mut drafts {
                let between = DeviceBuffer::new(device, draft.between(), "samples between two directions")?;
                draft.component.between = between.address();
                memory.push(between);
            }
        }
        let names = match how {
            How::Far => vec!["scale_far_first".to_owned(), "scale_far_second".to_owned()],
            How::Tiles { taps, halves, .. } => {
                let order = match (halves, plan.down_first) {
                    (true, _) => "halves",
                    (_, true) => "columns",
                    _ => "rows",
                };
                vec![format!("scale_{order}_{}", taps.map_or("any".to_owned(), |taps| taps.to_string()))]
            }
        };
        let functions = names.iter().map(|name| device.function("scale", name)).collect::<Result<Vec<_>>>()?;
        let (down_first, antiring) = (plan.down_first, plan.antiring);
        Ok(Kernel { drafts, functions, how, down_first, antiring, pitch, source_rows, _memory: memory })
    }
}

/// What `plan` does to each component.
fn drafts(plan: &Plan, setup: &Setup) -> Vec<Draft> {
    let draft = |(index, work): (usize, &ComponentPlan)| Draft::new(work, plan.down_first, setup, index);
    plan.components.iter().enumerate().map(draft).collect()
}

/// Gives every table of `plan` to `put`, which answers with its address for `drafts`.
fn put_tables(drafts: &mut [Draft], plan: &Plan, how: &How, mut put: impl FnMut(&[u8]) -> Result<u64>) -> Result<()> {
    let mut light_tables = None;
    if let Some(light) = plan.components.iter().find_map(|work| work.light.as_ref()) {
        let bytes = |table: &[f32]| bytes_of(table.iter().map(|value| value.to_le_bytes()));
        light_tables = Some((put(&bytes(&light.from_lane))?, put(&bytes(&light.to_lane))?));
    }
    for (draft, work) in drafts.iter_mut().zip(&plan.components).filter(|(draft, _)| draft.component.fills == 0) {
        let (taps, (tile_columns, tile_rows)) = match *how {
            How::Tiles { columns, rows, taps, .. } => (taps, (columns, rows)),
            How::Far => (None, draft.to),
        };
        let of = |direction: &Taps| padded(direction, taps.unwrap_or(direction.count));
        let (across, down) = (of(&draft.across), of(&draft.down));
        let (columns, longest) = spans(&across, tile_columns, 4);
        let component = &mut draft.component;
        component.source_columns = longest as u32;
        let (lines, longest) = spans(&down, tile_rows, 1);
        component.source_rows = longest as u32;
        component.across = direction(&across, &columns, true, &mut put)?;
        component.down = direction(&down, &lines, false, &mut put)?;
        if work.light.is_some() {
            (component.from_lane, component.to_lane) = light_tables.unwrap_or_default();
        }
    }
    Ok(())
}

/// A direction's tables in device memory.
fn direction(
    taps: &Taps,
    origins: &[i32],
    by_tap: bool,
    put: &mut impl FnMut(&[u8]) -> Result<u64>,
) -> Result<Direction> {
    let results = taps.first.len();
    let weight = |i: usize| match by_tap {
        true => taps.weights_of(i % results)[i / results],
        false => taps.weights[i],
    };
    let number = |i: usize| (i as i32).to_le_bytes();
    let beside = match &taps.beside {
        Some(beside) => put(&bytes_of(beside.iter().flatten().map(|i| number(*i))))?,
        None => 0,
    };
    Ok(Direction {
        first: put(&bytes_of(taps.first.iter().map(|i| number(*i))))?,
        weights: put(&bytes_of((0..taps.weights.len()).map(|i| weight(i).to_le_bytes())))?,
        beside,
        origin: put(&bytes_of(origins.iter().map(|i| i.to_le_bytes())))?,
        count: taps.count as u32,
        stride: taps.stride as u32,
    })
}

impl Draft {
    /// What a kernel gets: `blocks` counts those for a picture of so many columns and rows.
    fn component(
        &self,
        src: &DevicePlane,
        dst: &DevicePlane,
        (across, down): (usize, usize),
        (width, height): (usize, usize),
    ) -> Result<ComponentArgs> {
        let tiles = width.div_ceil(across);
        let blocks = if dst.height == 0 { 0 } else { tiles * height.div_ceil(down) };
        Ok(ComponentArgs {
            src: PlaneArgs::new(src)?,
            dst: PlaneArgs::new(dst)?,
            tiles: tiles as u32,
            blocks: blocks as u32,
            ..self.component
        })
    }
}

impl CudaKernel for Kernel {
    fn enqueue(&mut self, job: &CudaJob<'_>) -> Result<()> {
        let (src, dst) = (job.src.here(), job.dst);
        let passes = match self.how {
            // There is one function.
            How::Tiles { columns, rows, .. } => [((columns, rows), false); 2],
            How::Far => [(FAR, true), (FAR, false)],
        };
        for (function, (block, is_first_of_two)) in self.functions.iter().zip(passes) {
            let mut component = [NONE; 3];
            for (index, draft) in self.drafts.iter().enumerate() {
                let from = match draft.source {
                    SampleSource::Component(from) => &src[from],
                    SampleSource::Lane(_) => &src[0],
                };
                let made = match (is_first_of_two, self.down_first) {
                    (false, _) => draft.to,
                    (true, true) => (draft.from.0, draft.to.1),
                    (true, false) => (draft.to.0, draft.from.1),
                };
                component[index] = draft.component(from, &dst[index], block, made)?;
            }
            let blocks: u32 = component.iter().map(|component| component.blocks).sum();
            if blocks == 0 {
                return Ok(());
            }
            let (rows, bytes) = match self.how {
                How::Tiles { columns, rows, .. } => {
                    (rows, shared(self.pitch, self.source_rows, (columns, rows), self.down_first))
                }
                How::Far => (0, 0),
            };
            let args = Args {
                component,
                antiring: self.antiring,
                pitch: self.pitch as u32,
                rows: rows as u32,
                source_rows: self.source_rows as u32,
            };
            let shape = LaunchConfig { grid: [blocks, 1, 1], block: [THREADS, 1, 1], shared: bytes as u32 };
            // SAFETY: `Args` is the kernel's parameter, and its tables live as long as this kernel; the planes have the sizes
            // they state and outlive the work by the caller; `choose` gave the shared memory that tiles need.
            unsafe { launch(function, shape, &args, job.stream)? };
        }
        Ok(())
    }
}
