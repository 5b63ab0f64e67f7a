//! The fast kernel: sums run along sixteen lines at once, and all passes over a block of lines are done while it is in cache.

use super::plan::{EXTRA_BITS, EXTRA_HALF, ExtendedBox, Plan};
use super::tuning::cpu::BLOCKS;
use crate::device::cpu::CpuLevel;
use crate::error::Result;
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
    /// Of each component that is blurred: its columns behind all passes over them.
    columns: Vec<Option<LineBlocks<u32>>>,
    scratch: Stock<Scratch>,
    /// Samples of the longest line.
    longest: usize,
}

/// What a thread works in.
struct Scratch {
    /// A block of lines, and what a pass makes of it.
    lines: [Vec<Across<u32>>; 2],
    /// Rows of lanes.
    lanes: Vec<u16>,
}

impl Scratch {
    fn new(longest: usize) -> Scratch {
        let longest = longest.next_multiple_of(LINES);
        let lines = || vec![[0; LINES]; longest];
        Scratch { lines: [lines(), lines()], lanes: vec![0; LINES * longest] }
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
        let blocks = |component| {
            let (width, height) = format.component_size(component, width, height);
            plan.blurs(component).then(|| LineBlocks::new(width, height))
        };
        let (columns, longest) = ((0..format.components()).map(blocks).collect(), width.max(height));
        Ok(Fast { scratch: Stock::new(Scratch::new(longest)), plan, level, columns, longest })
    }
}

impl CpuKernel for Fast {
    fn run(&mut self, job: CpuJob<'_>) {
        let CpuJob { src, mut dst, exec, .. } = job;
        let (src, dst) = (src.here(), &mut dst);
        let Fast { plan, level, columns, scratch, longest } = self;
        let new = || Scratch::new(*longest);
        for (component, columns) in columns.iter_mut().enumerate().filter(|(c, _)| dst.get(*c).height() > 0) {
            let Some(columns) = columns else { continue };
            columns.each(exec, BLOCKS, |first, blocks| {
                let work = Columns { plan, src: src[component], first };
                // SAFETY: `new` checked that the processor has the level.
                scratch.with(new, |scratch| unsafe { run_columns(*level, &work, blocks, scratch) });
            });
        }
        exec.bands(dst, LINES, |component, rows, mut band| match &columns[component] {
            Some(columns) => {
                let work = Rows { plan, columns, block: rows.start / LINES };
                // SAFETY: as above.
                scratch.with(new, |scratch| unsafe { blur_rows(*level, &work, &mut band, scratch) });
            }
            None => copy(&src[component], rows, &mut band),
        });
    }

    fn path(&self) -> &'static str {
        self.level.name()
    }
}

/// Blocks of columns to blur, from number `first` on.
struct Columns<'a> {
    plan: &'a Plan,
    src: PlaneRef<'a>,
    first: usize,
}

/// A block of rows to blur.
struct Rows<'a> {
    plan: &'a Plan,
    columns: &'a LineBlocks<u32>,
    block: usize,
}

by_level!(run_columns = blur_columns(work: &Columns<'_>, blocks: &mut [Across<u32>], scratch: &mut Scratch));
by_level!(run_turn = turn(rows: &Rows<'_>, lines: &mut [Across<u32>]));
by_level!(run_passes = passes(plan: &Plan, lines: &mut [Across<u32>], other: &mut [Across<u32>]));
by_level!(run_round = round(lines: &[Across<u32>], dst: &mut PlaneMut<'_>, lanes: &mut [u16]));

/// The lanes of columns, and all passes over them.
#[inline(always)]
fn blur_columns(work: &Columns<'_>, blocks: &mut [Across<u32>], scratch: &mut Scratch) {
    let Columns { plan, src, first } = work;
    let (height, left) = (src.height(), first * LINES);
    let stride = height.next_multiple_of(LINES);
    let lanes = &mut scratch.lanes[..BLOCKS * LINES];
    let columns = (src.width() - left).min(lanes.len());
    lanes.fill(0);
    for y in 0..height {
        widen(src, left, y, &mut lanes[..columns]);
        for (lanes, block) in lanes.as_chunks::<LINES>().0.iter().zip(blocks.chunks_exact_mut(stride)) {
            for (to, lane) in block[y].iter_mut().zip(lanes) {
                *to = u32::from(*lane) << EXTRA_BITS;
            }
        }
    }
    for block in blocks.chunks_exact_mut(stride) {
        passes(plan, &mut block[..height], &mut scratch.lines[0][..height]);
    }
}

/// Blurs a block of rows.
///
/// # Safety
/// The processor has `level`.
unsafe fn blur_rows(level: CpuLevel, work: &Rows<'_>, dst: &mut PlaneMut<'_>, scratch: &mut Scratch) {
    let width = dst.width();
    let [lines, other] = &mut scratch.lines;
    let lines = &mut lines[..width.next_multiple_of(LINES)];
    let turning = lines::turning(level);
    // SAFETY: the caller vouches for the level, and those below it are there as well.
    unsafe {
        run_turn(turning, work, lines);
        run_passes(level, work.plan, &mut lines[..width], &mut other[..width]);
        run_round(turning, lines, dst, &mut scratch.lanes);
    }
}

#[inline(always)]
fn turn(rows: &Rows<'_>, lines: &mut [Across<u32>]) {
    rows.columns.cross(rows.block, lines);
}

/// Rounds a block of rows and stores it.
#[inline(always)]
fn round(lines: &[Across<u32>], dst: &mut PlaneMut<'_>, lanes: &mut [u16]) {
    let (width, stride) = (dst.width(), lines.len());
    for (i, tile) in lines.as_chunks::<LINES>().0.iter().enumerate() {
        for (row, samples) in transpose(tile).iter().enumerate() {
            let lanes = &mut lanes[row * stride + i * LINES..][..LINES];
            for (lane, sample) in lanes.iter_mut().zip(samples) {
                *lane = ((sample + EXTRA_HALF) >> EXTRA_BITS) as u16;
            }
        }
    }
    for row in 0..dst.height() {
        narrow(dst, 0, row, &lanes[row * stride..][..width]);
    }
}

/// All passes over a block of lines.
#[inline(always)]
fn passes(plan: &Plan, lines: &mut [Across<u32>], other: &mut [Across<u32>]) {
    for _ in 0..plan.passes / 2 {
        pass(plan.window, lines, other);
        pass(plan.window, other, lines);
    }
    if plan.passes % 2 == 1 {
        pass(plan.window, lines, other);
        lines.copy_from_slice(other);
    }
}

#[inline(always)]
fn pass(window: ExtendedBox, from: &[Across<u32>], to: &mut [Across<u32>]) {
    let (radius, last) = (window.radius, from.len() - 1);
    // A sample at the border is replicated beyond it.
    let mut sums = [0; LINES];
    for i in 0..=2 * radius {
        let samples = from[i.saturating_sub(radius).min(last)];
        for (sum, sample) in sums.iter_mut().zip(samples) {
            *sum += sample;
        }
    }
    let mut before = from[0];
    for (i, to) in to.iter_mut().enumerate() {
        let (leaving, next) = (from[i.saturating_sub(radius)], from[(i + radius + 1).min(last)]);
        for line in 0..LINES {
            to[line] = window.mean(sums[line], before[line] + next[line]);
            sums[line] = sums[line] + next[line] - leaving[line];
        }
        before = leaving;
    }
}
