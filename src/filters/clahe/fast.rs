//! The fast kernel: histograms tile by tile, then bands of rows, each of which joins the curves of two rows of tiles first.

use super::plan::{BINS, JOINED, Levels, ONE, Plan};
use super::table::{TileCurve, make};
use super::tuning::cpu::{BAND, TABLES};
use crate::device::cpu::{CpuExec, CpuLevel};
use crate::error::Result;
use crate::filters::stock::Stock;
use crate::filters::{CpuJob, CpuKernel};
use crate::simd::dispatch::by_level;
use crate::simd::rows::{copy, narrow, widen};
use crate::video::{PlaneMut, PlaneRef};
use std::ops::Range;
use std::sync::{PoisonError, RwLock};

/// The kernel.
pub(super) struct Fast {
    plan: Plan,
    level: CpuLevel,
    /// Of each plane that is worked on, tile by tile.
    tiles: Vec<RwLock<Tile>>,
    spans: Vec<Span>,
    scratch: Stock<Scratch>,
}

/// What a tile is worked out in.
struct Tile {
    counts: [[u32; BINS]; TABLES],
    lanes: Vec<u16>,
    curve: TileCurve,
}

/// Columns between the same two tiles.
struct Span {
    columns: Range<usize>,
    tiles: (usize, usize),
    /// Weights of the second tile, column by column.
    weights: Vec<u16>,
}

/// A row's joined curves at the edges of bins, of each column of tiles, 256 times as large.
type Joined = [u32; BINS + 1];

/// What a thread works in.
struct Scratch {
    curves: Vec<Joined>,
    lanes: Vec<u16>,
}

impl Scratch {
    fn new(plan: &Plan) -> Scratch {
        Scratch { curves: vec![[0; BINS + 1]; plan.tiles.0], lanes: vec![0; plan.width] }
    }
}

impl Fast {
    /// The kernel of `plan` at `level`.
    ///
    /// # Errors
    /// When the processor lacks the level.
    pub(super) fn new(plan: Plan, level: CpuLevel) -> Result<Fast> {
        level.require()?;
        let tile = |index: usize| {
            let lanes = vec![0; plan.tile(index).0.len()];
            RwLock::new(Tile { counts: [[0; BINS]; TABLES], lanes, curve: [0; BINS + 1] })
        };
        let tiles = plan.tiles.0 * plan.tiles.1;
        Ok(Fast {
            tiles: (0..plan.computed() * tiles).map(|index| tile(index % tiles)).collect(),
            spans: spans(&plan),
            scratch: Stock::new(Scratch::new(&plan)),
            plan,
            level,
        })
    }

    /// Works out the curves of a frame.
    fn measure(&self, src: &[PlaneRef<'_>], exec: &CpuExec) {
        let tiles = self.plan.tiles.0 * self.plan.tiles.1;
        exec.each(self.tiles.len(), |index| {
            let (component, (columns, rows)) = (index / tiles, self.plan.tile(index % tiles));
            let work = Part { src: src[component], columns, rows, levels: self.plan.levels };
            let mut tile = self.tiles[index].write().unwrap_or_else(PoisonError::into_inner);
            // SAFETY: `new` checked that the processor has the level.
            unsafe { run_count(self.level, &work, &mut tile) };
        });
    }
}

/// The columns of `plan`, cut where tiles change.
fn spans(plan: &Plan) -> Vec<Span> {
    let mut spans: Vec<Span> = Vec::new();
    for x in 0..plan.width {
        let (left, right, weight) = plan.column(x);
        match spans.last_mut().filter(|span| span.tiles == (left, right)) {
            Some(span) => {
                span.columns.end = x + 1;
                span.weights.push(weight as u16);
            }
            None => spans.push(Span { columns: x..x + 1, tiles: (left, right), weights: vec![weight as u16] }),
        }
    }
    spans
}

impl CpuKernel for Fast {
    fn run(&mut self, job: CpuJob<'_>) {
        let CpuJob { src, mut dst, exec, .. } = job;
        let (this, src) = (&*self, src.here());
        this.measure(src, exec);
        exec.bands(&mut dst, BAND, |component, rows, mut band| {
            if !this.plan.works_on(component) {
                return copy(&src[component], rows, &mut band);
            }
            let tiles = this.plan.tiles.0 * this.plan.tiles.1;
            let work = Band {
                plan: &this.plan,
                spans: &this.spans,
                src: src[component],
                tiles: &this.tiles[component * tiles..][..tiles],
                rows,
            };
            // SAFETY: `new` checked that the processor has the level.
            let filter = |scratch: &mut Scratch| unsafe { run_band(this.level, &work, &mut band, scratch) };
            this.scratch.with(|| Scratch::new(&this.plan), filter);
        });
    }

    fn path(&self) -> &'static str {
        self.level.name()
    }
}

/// A tile's samples.
struct Part<'a> {
    src: PlaneRef<'a>,
    columns: Range<usize>,
    rows: Range<usize>,
    levels: Levels,
}

by_level!(run_count = count(work: &Part<'_>, tile: &mut Tile));

/// Works out a tile's curve.
#[inline(always)]
fn count(work: &Part<'_>, tile: &mut Tile) {
    let Tile { counts, lanes, curve } = tile;
    *counts = [[0; BINS]; TABLES];
    for y in work.rows.clone() {
        widen(&work.src, work.columns.start, y, lanes);
        for four in lanes.chunks(TABLES) {
            for (lane, counts) in four.iter().zip(&mut *counts) {
                if let Some(bin) = work.levels.bin(*lane) {
                    counts[bin % BINS] += 1;
                }
            }
        }
    }
    let [first, others @ ..] = counts;
    for other in others {
        first.iter_mut().zip(other).for_each(|(sum, count)| *sum += *count);
    }
    make(&work.levels, first, curve);
}

/// A band of rows to make.
struct Band<'a> {
    plan: &'a Plan,
    spans: &'a [Span],
    src: PlaneRef<'a>,
    /// Of the plane.
    tiles: &'a [RwLock<Tile>],
    rows: Range<usize>,
}

by_level!(run_band = band(work: &Band<'_>, dst: &mut PlaneMut<'_>, scratch: &mut Scratch));

#[inline(always)]
fn band(work: &Band<'_>, dst: &mut PlaneMut<'_>, scratch: &mut Scratch) {
    let Scratch { curves, lanes } = scratch;
    for (row, y) in work.rows.clone().enumerate() {
        work.join(y, curves);
        widen(&work.src, 0, y, lanes);
        for Span { columns, tiles: (left, right), weights } in work.spans {
            let two = [&curves[*left], &curves[*right]];
            look_up(&work.plan.levels, two, weights, &mut lanes[columns.clone()]);
        }
        narrow(dst, 0, row, lanes);
    }
}

impl Band<'_> {
    /// Joins the curves of the tiles above and below row `y`.
    #[inline(always)]
    fn join(&self, y: usize, curves: &mut [Joined]) {
        let (across, (above, below, weight)) = (self.plan.tiles.0, self.plan.row(y));
        for (column, joined) in curves.iter_mut().enumerate() {
            let tile = |row: usize| self.tiles[row * across + column].read().unwrap_or_else(PoisonError::into_inner);
            let (upper, lower) = (tile(above), tile(below));
            for ((joined, upper), lower) in joined.iter_mut().zip(&upper.curve).zip(&lower.curve) {
                *joined = u32::from(*upper) * (ONE - weight) + u32::from(*lower) * weight;
            }
        }
    }
}

/// Gives lanes what the curves of two columns of tiles make of them, of which the second has these weights.
#[inline(always)]
fn look_up(levels: &Levels, [left, right]: [&Joined; 2], weights: &[u16], lanes: &mut [u16]) {
    let (shift, mask) = (levels.shift, (1 << levels.shift) - 1);
    for (lane, weight) in lanes.iter_mut().zip(weights) {
        let Some(bin) = levels.bin(*lane) else { continue };
        // No bin is beyond the last: so the compiler need not ask.
        let (bin, weight, step) = (bin % BINS, u32::from(*weight), u32::from(*lane) & mask);
        let joined = |edge: usize| (left[edge] * (ONE - weight) + right[edge] * weight) >> (16 - JOINED);
        let value = joined(bin) * ((1 << shift) - step) + joined(bin + 1) * step;
        *lane = ((value + (1 << (shift + JOINED - 1))) >> (shift + JOINED)) as u16;
    }
}
