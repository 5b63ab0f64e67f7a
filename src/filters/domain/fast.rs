//! The fast kernel: sixteen lines at once. Blocks of rows are smoothed forth and back, then blocks of columns, each turned from the
//! other direction's blocks while it is read.

use super::plan::{DROP, Plan, Table};
use crate::device::cpu::CpuLevel;
use crate::error::Result;
use crate::filters::guide::{LumaAt, LumaScratch};
use crate::filters::lines::{self, Across, LINES, LineBlocks, transpose};
use crate::filters::stock::Stock;
use crate::filters::{CpuJob, CpuKernel, Setup};
use crate::simd::dispatch::by_level;
use crate::simd::rows::{copy, narrow, widen};
use crate::video::{PlaneMut, PlaneRef};

/// The kernel.
pub(super) struct Fast {
    plan: Plan,
    level: CpuLevel,
    /// Of each component that is filtered.
    stages: Vec<Option<Stages>>,
    scratch: Stock<Scratch>,
    /// Samples of the longest line.
    longest: usize,
}

/// One component between sweeps, and what steers it.
struct Stages {
    rows: LineBlocks<f32>,
    columns: LineBlocks<f32>,
    guide_rows: LineBlocks<u16>,
    guide_columns: LineBlocks<u16>,
}

/// What a thread works in.
struct Scratch {
    /// Of each sample and the one before it.
    weights: Vec<Across<f32>>,
    /// A block of rows, turned, and as they are.
    samples: Vec<Across<u16>>,
    lanes: Vec<u16>,
    luma: LumaScratch,
}

impl Scratch {
    fn new(longest: usize) -> Scratch {
        let longest = longest.next_multiple_of(LINES);
        Scratch {
            weights: vec![[0.0; LINES]; longest],
            samples: vec![[0; LINES]; longest],
            lanes: vec![0; LINES * longest],
            luma: LumaScratch::new(longest),
        }
    }
}

impl Fast {
    /// The kernel of `plan` at `level`.
    ///
    /// # Errors
    /// When the processor lacks the level.
    pub(super) fn new(plan: Plan, setup: &Setup, level: CpuLevel) -> Result<Fast> {
        level.require()?;
        let (format, width, height) = (setup.input.format, setup.input.width, setup.input.height);
        let stages = |component| {
            let (width, height) = format.component_size(component, width, height);
            plan.filters(component).then(|| Stages {
                rows: LineBlocks::new(height, width),
                columns: LineBlocks::new(width, height),
                guide_rows: LineBlocks::new(height, width),
                guide_columns: LineBlocks::new(width, height),
            })
        };
        let (stages, longest) = ((0..format.components()).map(stages).collect(), width.max(height));
        Ok(Fast { scratch: Stock::new(Scratch::new(longest)), plan, level, stages, longest })
    }
}

impl CpuKernel for Fast {
    fn run(&mut self, job: CpuJob<'_>) {
        let CpuJob { src, mut dst, exec, .. } = job;
        let (src, dst) = (src.here(), &mut dst);
        let Fast { plan, level, stages, scratch, longest } = self;
        // Steps wait for one another, so that wider vectors save nothing there.
        let (level, new) = (lines::turning(*level), || Scratch::new(*longest));
        for (component, stages) in stages.iter_mut().enumerate().filter(|(c, _)| dst.get(*c).height() > 0) {
            let Some(Stages { rows, columns, guide_rows, guide_columns }) = stages else { continue };
            let plane = src[component];
            let luma = plan.is_guided(component).then(|| LumaAt::new(src[0], plan.subsampling));
            let steering = Rows { plane, luma };
            guide_rows.each(exec, 1, |block, out| {
                // SAFETY: `new` checked that the processor has the level, or a higher one.
                scratch.with(new, |scratch| unsafe { run_open(level, &steering, block, out, scratch) });
            });
            // SAFETY: as above.
            guide_columns.each(exec, 1, |block, out| unsafe { run_turn(level, guide_rows, block, out) });
            for (pass, table) in plan.tables.iter().enumerate() {
                rows.each(exec, 1, |block, out| {
                    let from =
                        if pass == 0 { Input::Source(Rows { plane, luma: None }) } else { Input::Lines(columns) };
                    let work = Sweep { from, table, guide: guide_rows.block(block), length: plane.width() };
                    // SAFETY: as above.
                    scratch.with(new, |scratch| unsafe { run_sweep(level, &work, block, out, scratch) });
                });
                columns.each(exec, 1, |block, out| {
                    let guide = guide_columns.block(block);
                    let work = Sweep { from: Input::Lines(rows), table, guide, length: plane.height() };
                    // SAFETY: as above.
                    scratch.with(new, |scratch| unsafe { run_sweep(level, &work, block, out, scratch) });
                });
            }
        }
        exec.bands(dst, LINES, |component, rows, mut band| match &stages[component] {
            Some(Stages { columns, .. }) => {
                let close =
                    // SAFETY: as above.
                    |scratch: &mut Scratch| unsafe { run_close(level, columns, rows.start, &mut band, scratch) };
                scratch.with(new, close);
            }
            None => copy(&src[component], rows, &mut band),
        });
    }

    fn path(&self) -> &'static str {
        self.level.name()
    }
}

/// Rows of a plane, or of luma where its samples are.
struct Rows<'a> {
    plane: PlaneRef<'a>,
    luma: Option<LumaAt<'a>>,
}

/// A block of lines to smooth.
struct Sweep<'a> {
    from: Input<'a>,
    table: &'a Table,
    guide: &'a [Across<u16>],
    length: usize,
}

/// Where a block is read.
enum Input<'a> {
    Source(Rows<'a>),
    /// The lines that cross it.
    Lines(&'a LineBlocks<f32>),
}

by_level!(run_open = open(rows: &Rows<'_>, block: usize, out: &mut [Across<u16>], scratch: &mut Scratch));
by_level!(run_turn = turn(from: &LineBlocks<u16>, block: usize, out: &mut [Across<u16>]));
by_level!(run_sweep = sweep(work: &Sweep<'_>, block: usize, out: &mut [Across<f32>], scratch: &mut Scratch));
by_level!(run_close = close(
    columns: &LineBlocks<f32>,
    first: usize,
    dst: &mut PlaneMut<'_>,
    scratch: &mut Scratch,
));

/// The lanes of a block of rows.
#[inline(always)]
fn open(rows: &Rows<'_>, block: usize, out: &mut [Across<u16>], scratch: &mut Scratch) {
    let Scratch { lanes, luma, .. } = scratch;
    read(rows, block, out, lanes, luma);
}

#[inline(always)]
fn read(rows: &Rows<'_>, block: usize, out: &mut [Across<u16>], lanes: &mut [u16], scratch: &mut LumaScratch) {
    let (width, height, stride) = (rows.plane.width(), rows.plane.height(), out.len());
    for (i, lanes) in lanes.chunks_exact_mut(stride).take(LINES).enumerate() {
        let y = block * LINES + i;
        match &rows.luma {
            _ if y >= height => lanes.fill(0),
            Some(luma) => luma.row(y, scratch, &mut lanes[..width]),
            None => widen(&rows.plane, 0, y, &mut lanes[..width]),
        }
        lanes[width..].fill(0);
    }
    for (i, out) in out.as_chunks_mut::<LINES>().0.iter_mut().enumerate() {
        let mut tile = [[0; LINES]; LINES];
        for (row, tile) in tile.iter_mut().enumerate() {
            tile.copy_from_slice(&lanes[row * stride + i * LINES..][..LINES]);
        }
        *out = transpose(&tile);
    }
}

#[inline(always)]
fn turn(from: &LineBlocks<u16>, block: usize, out: &mut [Across<u16>]) {
    from.cross(block, out);
}

/// Reads a block and goes forth and back along its lines.
#[inline(always)]
fn sweep(work: &Sweep<'_>, block: usize, out: &mut [Across<f32>], scratch: &mut Scratch) {
    let Sweep { from, table, guide, length } = work;
    match from {
        Input::Lines(lines) => lines.cross(block, out),
        Input::Source(rows) => {
            let samples = &mut scratch.samples[..out.len()];
            read(rows, block, samples, &mut scratch.lanes, &mut scratch.luma);
            for (out, samples) in out.iter_mut().zip(samples) {
                for (out, sample) in out.iter_mut().zip(samples) {
                    *out = f32::from(*sample);
                }
            }
        }
    }
    let (values, weights) = (&mut out[..*length], &mut scratch.weights[..*length]);
    for ((weights, before), here) in weights[1..].iter_mut().zip(&guide[..]).zip(&guide[1..*length]) {
        for line in 0..LINES {
            weights[line] = table[usize::from(here[line].abs_diff(before[line]) >> DROP)];
        }
    }
    let mut near = values[0];
    for (value, weight) in values.iter_mut().zip(&*weights) {
        step(&mut near, value, weight);
    }
    for (value, weight) in values[..length - 1].iter_mut().zip(&weights[1..]).rev() {
        step(&mut near, value, weight);
    }
}

/// From a sample of each line to its neighbour.
#[inline(always)]
fn step(near: &mut Across<f32>, value: &mut Across<f32>, weight: &Across<f32>) {
    for line in 0..LINES {
        near[line] = weight[line].mul_add(near[line] - value[line], value[line]);
    }
    *value = *near;
}

/// Rounds the rows from `first` on.
#[inline(always)]
fn close(columns: &LineBlocks<f32>, first: usize, dst: &mut PlaneMut<'_>, scratch: &mut Scratch) {
    let width = dst.width();
    for row in 0..dst.height() {
        let lanes = &mut scratch.lanes[..width.next_multiple_of(LINES)];
        for (block, lanes) in lanes.as_chunks_mut::<LINES>().0.iter_mut().enumerate() {
            let values = &columns.block(block)[first + row];
            for (lane, value) in lanes.iter_mut().zip(values) {
                *lane = (value + 0.5) as u16;
            }
        }
        narrow(dst, 0, row, &lanes[..width]);
    }
}
