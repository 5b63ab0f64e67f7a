//! The kernels of cuda/gradient.cu, and of cuda/gradient_pairs.cu, which take two samples at a time.

mod stages;

use super::level::cells;
use super::plan::{ComponentPlan, Evidence, Offset, Plan, SHARES};
use crate::device::cuda::{CudaDevice, DeviceBuffer, DevicePlane, Function, LaunchConfig, Stream};
use crate::error::Result;
use crate::filters::cuda::{PlaneArgs, launch};
use crate::filters::device_struct::{device_struct, generated};
use crate::filters::gradient::tuning::cuda::{
    COLUMNS, FEW_PAIR_BLOCKS, LEVEL_COLUMNS, MOST_FRAMES, PAIR_ROWS, ROWS, THREADS, VERY_FEW_PAIR_BLOCKS,
};
use crate::filters::tune;
use crate::filters::{CudaJob, CudaKernel, Setup};
use stages::{SampleGrouping, StageLayout, Stages, reach};
use std::fmt;

/// Components of a picture, at most.
const COMPONENTS: usize = 3;

/// Threads of a warp.
const WARP: usize = 32;

/// What bytes of samples become halves of floats with: high ones above 1024, low ones as quarters above 256.
const EXPONENTS: u32 = 0x6464_5c5c;

/// Sums of pairs, in steps of 8 bits, of which evidence is tabled: so many below 0 and above, for each count of pairs.
const MOST_SUM: i32 = 32;
const TALLIES: usize = SHARES.len() * 2 * MOST_SUM as usize;

device_struct! {
    /// Evidence of 8 bits by tallies of pairs: a byte by their sum, for each count of them.
    struct TallyTable = "TallyTable" {
        words: [u32; TALLIES / 4],
    }
}

device_struct! {
    /// Where one sample of a pair lies, to the right if not above or below. The other lies opposite.
    #[derive(Default)]
    struct OffsetArgs = "Offset" {
        columns: i32,
        rows: i32,
    }
}

device_struct! {
    /// What a pass does.
    #[derive(Default)]
    struct Pass = "Pass" {
        pairs: [OffsetArgs; 3],
        near: u32,
        bump: u32,
        limit: u32,
    }
}

device_struct! {
    /// How far away samples are looked at.
    #[derive(Default)]
    struct Reach = "Reach" {
        columns: u32,
        rows: u32,
    }
}

device_struct! {
    /// What is done to one component. Addresses are those of the first sample.
    struct ComponentArgs = "Component" {
        src: PlaneArgs,
        dst: PlaneArgs,
        source: u64 = "u16*",
        /// By passes, in turns.
        made: [u64; 2] = "u16*",
        evidence: u64 = "u8*",
        /// Means of what passes took off cells; in pairs two sums for each, and room for means of rows.
        cells: u64 = "int*",
        /// In pairs, of cells.
        levels: u64 = "int*",
        passes: [Pass; 4],
        /// How far each pass looks.
        reach: [Reach; 4],
        /// Samples from one row of a stage to the next, in pairs words; and bytes from one row of evidence to the next.
        pitch: u32,
        evidence_pitch: u32,
        /// Bounds of results.
        low: u32,
        high: u32,
        /// 0: the plane is copied.
        filters: u32,
        /// Cells of a row, and of a column.
        cells_across: u32,
        cells_down: u32,
        /// Cells from a window's middle to where its weight is nothing.
        window: u32,
        /// Blocks side by side, and of all.
        across: u32,
        blocks: u32,
        /// In pairs, rows of words: the upper half of the picture, in whole cells.
        word_rows: u32,
        unused: u32,
    }
}

device_struct! {
    /// Arguments of the kernels.
    struct Args = "Gradient" {
        /// Of each frame, those that a picture has.
        component: [ComponentArgs; COMPONENTS * MOST_FRAMES],
        /// No launch writes it.
        by_tally: u64 = "TallyTable*",
        /// Of evidence.
        pairs: [OffsetArgs; 6],
        near: u32,
        floor: u32,
        scale: u32,
        /// Of its sum.
        end: u32,
        gain: u32,
        /// What bytes become halves of floats with.
        exponents: u32,
        /// What pairs weigh, by their count.
        shares: [u32; SHARES.len()],
        /// The pass that is done, or before which cells are taken.
        pass: u32,
        /// Of a block of pairs of the source and in the first two passes.
        rows: u32,
        unused: u32,
    }
}

generated! {
    "gradient.cuh" after ["../common/plane.cuh"]: TallyTable, OffsetArgs, Pass, Reach, ComponentArgs, Args;
}

impl TallyTable {
    /// As the reference finds it.
    fn new(evidence: &Evidence) -> TallyTable {
        let found = |at: usize| {
            let (count, sum) = (at / (2 * MOST_SUM as usize), (at as i32 % (2 * MOST_SUM) - MOST_SUM) << 8);
            let away = ((sum * i32::from(SHARES[count]) + 16384) >> 15).abs();
            ((away - i32::from(evidence.floor)).max(0) * i32::from(evidence.scale)).min(255) as u8
        };
        TallyTable { words: std::array::from_fn(|i| u32::from_le_bytes([0, 1, 2, 3].map(|at| found(4 * i + at)))) }
    }
}

impl OffsetArgs {
    /// The sample of the pair that lies to the right.
    fn new((columns, rows): Offset) -> OffsetArgs {
        let sign = if columns < 0 { -1 } else { 1 };
        OffsetArgs { columns: sign * columns as i32, rows: sign * rows as i32 }
    }
}

/// What a launch does, and so how planes are cut into blocks.
#[derive(Clone, Copy)]
enum Launch {
    /// Widens the source; copies what is not filtered.
    Open,
    /// Looks for evidence and does the first pass, or does another but the last. In pairs the third one sums cells.
    Pass,
    /// Takes the means of cells, or in pairs finds their levels.
    Cells,
    /// Does the last pass and blends.
    Last,
}

impl ComponentArgs {
    /// A component that a picture does not have.
    const NONE: ComponentArgs = ComponentArgs {
        src: PlaneArgs::NONE,
        dst: PlaneArgs::NONE,
        source: 0,
        made: [0; 2],
        evidence: 0,
        cells: 0,
        levels: 0,
        passes: [Pass { pairs: [OffsetArgs { columns: 0, rows: 0 }; 3], near: 0, bump: 0, limit: 0 }; 4],
        reach: [Reach { columns: 0, rows: 0 }; 4],
        pitch: 0,
        evidence_pitch: 0,
        low: 0,
        high: 0,
        filters: 0,
        cells_across: 0,
        cells_down: 0,
        window: 0,
        across: 1,
        blocks: 0,
        word_rows: 0,
        unused: 0,
    };
}

/// Rows of a block in the first two passes, where samples lie in pairs: of four rows it has four warps. A block of the source has no
/// less than eight.
#[derive(Clone, Copy)]
struct BlockRows(usize);

impl fmt::Display for BlockRows {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "rows-{}", self.0)
    }
}

impl BlockRows {
    /// Those for `plan`, by the frames of a launch: the fewer, the fewer blocks there are to keep the device busy to the end of the
    /// launch. Tuning may have found another way for frames alone and for whole batches, which are what it measures.
    fn choose(plan: &Plan, setup: &Setup, device: &CudaDevice) -> Vec<BlockRows> {
        let blocks = |(index, _)| {
            let (width, height) = size_of_component(setup, index);
            width.div_ceil(COLUMNS) * SampleGrouping::Pairs.rows(height).div_ceil(PAIR_ROWS)
        };
        let filtered = plan.components.iter().enumerate().filter(|(_, numbers)| numbers.filters);
        let blocks = filtered.map(blocks).sum::<usize>();
        let of_launch = |frames_at_once: usize| {
            let most = BlockRows(PAIR_ROWS);
            let [half, quarter] = [2, 4].map(|part| BlockRows(PAIR_ROWS / part));
            let ways = match frames_at_once * blocks / device.info().multiprocessors {
                ..VERY_FEW_PAIR_BLOCKS => [quarter, half, most],
                VERY_FEW_PAIR_BLOCKS..FEW_PAIR_BLOCKS => [half, quarter, most],
                _ => [most, half, quarter],
            };
            if ![1, frames(setup)].contains(&frames_at_once) {
                return ways[0];
            }
            let case = tune::case(setup, setup.src, &format!("b{frames_at_once}"));
            device.choose("gradient", &[SampleGrouping::PAIRS], case, &ways)
        };
        (1..=frames(setup)).map(of_launch).collect()
    }
}

/// A kernel built for one stream.
pub(super) struct Kernel {
    plan: Plan,
    way: SampleGrouping,
    /// By the frames of a launch.
    rows: Vec<BlockRows>,
    /// Of each frame of a launch, of each component that is filtered.
    stages: Vec<Vec<Option<Stages>>>,
    by_tally: DeviceBuffer,
    open: Function,
    cells: Function,
    passes: [Function; 4],
}

/// Frames of a launch.
fn frames(setup: &Setup) -> usize {
    setup.batch.clamp(1, MOST_FRAMES)
}

/// The size of component `index`.
fn size_of_component(setup: &Setup, index: usize) -> (usize, usize) {
    setup.input.format.component_size(index, setup.input.width, setup.input.height)
}

impl Kernel {
    /// Bytes of device memory that the kernel of `plan` holds: the stages, and a table.
    pub(super) fn memory(plan: &Plan, setup: &Setup, device: &CudaDevice) -> usize {
        let way = SampleGrouping::choose(plan, device);
        let filtered = plan.components.iter().enumerate().filter(|(_, numbers)| numbers.filters);
        let bytes = |(index, numbers)| StageLayout::new(way, numbers, size_of_component(setup, index)).bytes;
        frames(setup) * filtered.map(bytes).sum::<usize>() + TALLIES
    }

    /// The kernel of `plan`.
    ///
    /// # Errors
    /// When the kernels cannot be loaded or there is no memory for the stages.
    pub(super) fn new(plan: Plan, setup: &Setup, device: &CudaDevice) -> Result<Kernel> {
        let way = SampleGrouping::choose(&plan, device);
        let stages = |(index, numbers): (usize, &ComponentPlan)| {
            let size = size_of_component(setup, index);
            numbers.filters.then(|| Stages::new(device, way, numbers, size)).transpose()
        };
        let pass = |index: usize| device.function(way.module(), way.passes()[index]);
        let rows = match way {
            SampleGrouping::Singly => vec![BlockRows(PAIR_ROWS); frames(setup)],
            SampleGrouping::Pairs => BlockRows::choose(&plan, setup, device),
        };
        let by_tally = TallyTable::new(&plan.evidence).words.map(u32::to_le_bytes);
        Ok(Kernel {
            stages: (0..frames(setup))
                .map(|_| plan.components.iter().enumerate().map(stages).collect())
                .collect::<Result<_>>()?,
            by_tally: DeviceBuffer::from_bytes(device, by_tally.as_flattened(), "gradient's table")?,
            plan,
            way,
            rows,
            open: device.function(way.module(), "gradient_open")?,
            cells: device.function(way.module(), "gradient_cells")?,
            passes: [pass(0)?, pass(1)?, pass(2)?, pass(3)?],
        })
    }

    /// Arguments for component `index` of frame `frame` of a launch.
    fn component(&self, frame: usize, index: usize, src: &DevicePlane, dst: &DevicePlane) -> Result<ComponentArgs> {
        let numbers = &self.plan.components[index];
        let mut args = ComponentArgs {
            src: PlaneArgs::new(src)?,
            dst: PlaneArgs::new(dst)?,
            low: numbers.low.into(),
            high: numbers.high.into(),
            cells_across: cells(src.width) as u32,
            cells_down: cells(src.height) as u32,
            window: numbers.window as u32,
            across: src.width.div_ceil(COLUMNS) as u32,
            ..ComponentArgs::NONE
        };
        if let Some(stages) = &self.stages[frame][index] {
            args.filters = 1;
            args.source = stages.stage(0);
            args.made = [stages.stage(1), stages.stage(2)];
            args.evidence = stages.evidence();
            args.cells = stages.cells();
            args.levels = stages.levels();
            args.word_rows = self.way.rows(src.height) as u32;
            args.pitch = stages.pitch() as u32;
            args.evidence_pitch = stages.evidence_pitch() as u32;
            args.reach = std::array::from_fn(|i| {
                let (columns, rows) = reach(numbers, i);
                Reach { columns: columns as u32, rows: rows as u32 }
            });
            args.passes = numbers.passes.map(|pass| Pass {
                pairs: pass.offsets.map(OffsetArgs::new),
                near: pass.near.into(),
                bump: pass.bump.into(),
                limit: pass.limit.into(),
            });
        }
        Ok(args)
    }

    /// Puts one launch for so many frames into `stream`.
    fn turn(&self, args: &mut Args, turn: Launch, pass: usize, frames: usize, stream: &Stream) -> Result<()> {
        args.pass = pass as u32;
        let BlockRows(rows) = self.rows[frames - 1];
        let (pair_rows, threads) = match turn {
            Launch::Open => (rows.max(THREADS / WARP), THREADS),
            Launch::Pass if pass < 2 => (rows, THREADS.min(rows * WARP)),
            _ => (PAIR_ROWS, THREADS),
        };
        args.rows = pair_rows as u32;
        for (component, numbers) in args.component.iter_mut().zip(self.plan.components.iter().cycle()) {
            let (width, height) = component.src.size();
            // A target of no rows is a component that stays where it is.
            let wanted = numbers.filters || (matches!(turn, Launch::Open) && component.dst.size().1 > 0);
            let across = component.across as usize;
            let pairs = self.way == SampleGrouping::Pairs && numbers.filters;
            let blocks = match turn {
                _ if !wanted => 0,
                Launch::Cells if pairs => cells(width).div_ceil(LEVEL_COLUMNS),
                // A warp takes the means of as many columns as a block of samples has.
                Launch::Cells => (across * cells(height)).div_ceil(THREADS / WARP),
                _ if pairs => across * self.way.rows(height).div_ceil(pair_rows),
                _ => across * height.div_ceil(ROWS),
            };
            component.blocks = blocks as u32;
        }
        let blocks = args.component.iter().map(|component| component.blocks).sum();
        if blocks == 0 {
            return Ok(());
        }
        let function = match turn {
            Launch::Open => &self.open,
            Launch::Cells => &self.cells,
            Launch::Pass | Launch::Last => &self.passes[pass],
        };
        let shape = LaunchConfig { grid: [blocks, 1, 1], block: [threads as u32, 1, 1], shared: 0 };
        // SAFETY: `Args` is the kernels' parameter; the planes have the sizes they state and outlive the work by the caller;
        // stages have room for what blocks and offsets reach beyond planes, and live as long as this kernel.
        unsafe { launch(function, shape, &*args, stream) }
    }
}

/// Every `fields`th row of `plane` from row `field` on.
fn rows_of(plane: &DevicePlane, field: usize, fields: usize) -> DevicePlane {
    DevicePlane {
        address: plane.address + (field * plane.pitch) as u64,
        pitch: plane.pitch * fields,
        height: (plane.height - field.min(plane.height)).div_ceil(fields),
        ..*plane
    }
}

impl Kernel {
    /// Puts the work for `jobs`, no more than a launch takes, into their stream. All have as many fields.
    fn put(&self, jobs: &[CudaJob<'_>], fields: usize) -> Result<()> {
        let Some(CudaJob { stream, .. }) = jobs.first() else { return Ok(()) };
        for field in 0..fields {
            let mut component = [ComponentArgs::NONE; COMPONENTS * MOST_FRAMES];
            let mut next = component.iter_mut();
            for (frame, job) in jobs.iter().enumerate() {
                let (src, dst) = (job.src.here(), job.dst);
                for (index, args) in next.by_ref().take(self.plan.components.len()).enumerate() {
                    let [src, dst] = [&src[index], &dst[index]].map(|plane| rows_of(plane, field, fields));
                    *args = self.component(frame, index, &src, &dst)?;
                }
            }
            let evidence = self.plan.evidence;
            let mut args = Args {
                component,
                pairs: evidence.offsets.map(OffsetArgs::new),
                near: evidence.near.into(),
                floor: evidence.floor.into(),
                scale: evidence.scale.into(),
                end: evidence.end.into(),
                gain: evidence.gain.into(),
                exponents: EXPONENTS,
                shares: SHARES.map(u32::from),
                by_tally: self.by_tally.address(),
                pass: 0,
                rows: PAIR_ROWS as u32,
                unused: 0,
            };
            self.turn(&mut args, Launch::Open, 0, jobs.len(), stream)?;
            for pass in 0..3 {
                self.turn(&mut args, Launch::Pass, pass, jobs.len(), stream)?;
            }
            self.turn(&mut args, Launch::Cells, 3, jobs.len(), stream)?;
            self.turn(&mut args, Launch::Last, 3, jobs.len(), stream)?;
        }
        Ok(())
    }
}

impl CudaKernel for Kernel {
    fn enqueue(&mut self, job: &CudaJob<'_>) -> Result<()> {
        self.put(std::slice::from_ref(job), self.plan.fields(job.props))
    }

    fn enqueue_batch(&mut self, jobs: &[CudaJob<'_>]) -> Result<()> {
        let fields = |job: &CudaJob<'_>| self.plan.fields(job.props);
        let alike = jobs.chunk_by(|a, b| fields(a) == fields(b));
        alike.flat_map(|jobs| jobs.chunks(self.stages.len())).try_for_each(|jobs| self.put(jobs, fields(&jobs[0])))
    }
}
