//! The fast kernel: tiles that stay in a processor's second cache, offset by offset. Sums of surroundings run down the columns,
//! so that a row of them costs a row of squares more and one less.

use super::plan::{Offset, Plan};
use super::tuning::cpu::{BAND, COLUMNS};
use super::weights::{Weights, compared};
use crate::device::cpu::CpuLevel;
use crate::error::Result;
use crate::filters::stock::Stock;
use crate::filters::window::repeat_ends;
use crate::filters::{CpuJob, CpuKernel, Frames};
use crate::simd::dispatch::by_level;
use crate::simd::rows::{copy, narrow, widen};
use crate::video::{PlaneMut, Planes};
use std::ops::Range;

/// The kernel.
pub struct Fast {
    plan: Plan,
    level: CpuLevel,
    tiles: Stock<Tile>,
}

impl Fast {
    /// The kernel of `plan` at `level`.
    ///
    /// # Errors
    /// When the processor lacks the level.
    pub fn new(plan: Plan, level: CpuLevel) -> Result<Fast> {
        level.require()?;
        Ok(Fast { tiles: Stock::new(Tile::new(&plan)), plan, level })
    }
}

impl CpuKernel for Fast {
    fn run(&mut self, job: CpuJob<'_>) {
        let CpuJob { src, mut dst, exec, .. } = job;
        let this = &*self;
        exec.bands(&mut dst, BAND, |index, rows, mut band| {
            let own = src.here()[index];
            if !this.plan.components[index] {
                return copy(&own, rows, &mut band);
            }
            let work = Band { plan: &this.plan, src, index, rows };
            // SAFETY: `new` checked that the processor has the level.
            let filter = |tile: &mut Tile| unsafe { run_band(this.level, &work, &mut band, tile) };
            this.tiles.with(|| Tile::new(&this.plan), filter);
        });
    }

    fn path(&self) -> &'static str {
        self.level.name()
    }
}

/// A band of rows.
struct Band<'a> {
    plan: &'a Plan,
    src: Frames<'a, Planes<'a>>,
    /// The component.
    index: usize,
    rows: Range<usize>,
}

/// What a thread works in.
struct Tile {
    /// How far samples are read around a tile.
    reach: usize,
    stride: usize,
    /// Of every frame, the lanes of the tile and around it, and what is compared of them.
    lanes: Vec<Vec<u16>>,
    compared: Vec<Vec<u16>>,
    /// Of every sample of the tile.
    weights: Vec<f32>,
    sums: Vec<f32>,
    largest: Vec<f32>,
    /// Sums of squares down the columns, those of surroundings, and their weights.
    columns: Vec<u32>,
    surroundings: Vec<u32>,
    row: Vec<f32>,
}

impl Tile {
    fn new(plan: &Plan) -> Tile {
        let reach = (plan.search + plan.patch) as usize;
        let stride = COLUMNS + 2 * reach;
        let frames = 2 * plan.frames as usize + 1;
        let lanes = vec![vec![0; stride * (BAND + 2 * reach)]; frames];
        let means = vec![0.0; COLUMNS * BAND];
        Tile {
            reach,
            stride,
            compared: lanes.clone(),
            lanes,
            weights: means.clone(),
            sums: means.clone(),
            largest: means,
            columns: vec![0; COLUMNS + 2 * plan.patch as usize],
            surroundings: vec![0; COLUMNS],
            row: vec![0.0; COLUMNS],
        }
    }

    /// Reads `columns` of the band's rows, and what is around them.
    #[inline(always)]
    fn read(&mut self, work: &Band<'_>, columns: &Range<usize>) {
        let (reach, wide) = (self.reach, columns.len() + 2 * self.reach);
        let frames = work.plan.frames;
        for (offset, (lanes, twelve)) in (-frames..=frames).zip(self.lanes.iter_mut().zip(&mut self.compared)) {
            let plane = &work.src.at(0, offset)[work.index];
            let (start, end) = (columns.start.saturating_sub(reach), (columns.end + reach).min(plane.width()));
            let before = start + reach - columns.start;
            for row in 0..work.rows.len() + 2 * reach {
                let y = (work.rows.start + row).saturating_sub(reach).min(plane.height() - 1);
                let lanes = &mut lanes[row * self.stride..][..wide];
                widen(plane, start, y, &mut lanes[before..][..end - start]);
                repeat_ends(lanes, before..before + (end - start));
                for (twelve, lane) in twelve[row * self.stride..].iter_mut().zip(lanes) {
                    *twelve = compared(*lane);
                }
            }
        }
    }

    /// Adds the samples at `offset` to the means of `rows` rows of `count` columns.
    #[inline(always)]
    fn add(&mut self, plan: &Plan, offset: Offset, rows: usize, count: usize) {
        let (reach, stride, patch) = (self.reach, self.stride, plan.patch as usize);
        let wide = count + 2 * patch;
        let (own, other) = (plan.frames as usize, (plan.frames + offset.frame) as usize);
        // Where a row of surroundings begins, from the first row of those of the first row; and how far away the other is.
        let begin = |row: usize| (reach - patch + row) * stride + reach - patch;
        let away = offset.y * stride as isize + offset.x;
        let pair = |row: usize| {
            let at = begin(row);
            (&self.compared[own][at..][..wide], &self.compared[other][at.wrapping_add_signed(away)..][..wide])
        };
        self.columns[..wide].fill(0);
        for row in 0..2 * patch {
            let (a, b) = pair(row);
            for ((sum, a), b) in self.columns.iter_mut().zip(a).zip(b) {
                *sum += square(*a, *b);
            }
        }
        for row in 0..rows {
            let (a, b) = pair(row + 2 * patch);
            for ((sum, a), b) in self.columns.iter_mut().zip(a).zip(b) {
                *sum += square(*a, *b);
            }
            let surroundings = &mut self.surroundings[..count];
            surroundings.copy_from_slice(&self.columns[..count]);
            for column in 1..=2 * patch {
                for (sum, more) in surroundings.iter_mut().zip(&self.columns[column..]) {
                    *sum += more;
                }
            }
            weigh(&plan.weights, surroundings, &mut self.row);
            let at = (reach + row) * stride + reach;
            let samples = &self.lanes[own][at..][..count];
            let others = &self.lanes[other][at.wrapping_add_signed(away)..][..count];
            let means = row * COLUMNS..row * COLUMNS + count;
            let (weights, sums) = (&mut self.weights[means.clone()], &mut self.sums[means.clone()]);
            let largest = &mut self.largest[means];
            for i in 0..count {
                let weight = self.row[i];
                weights[i] += weight;
                sums[i] = weight.mul_add((i32::from(others[i]) - i32::from(samples[i])) as f32, sums[i]);
                largest[i] = if weight > largest[i] { weight } else { largest[i] };
            }
            let (a, b) = pair(row);
            for ((sum, a), b) in self.columns.iter_mut().zip(a).zip(b) {
                *sum -= square(*a, *b);
            }
        }
    }

    /// The means of row `row`.
    #[inline(always)]
    fn write(&self, wref: f32, frame: usize, row: usize, columns: &Range<usize>, dst: &mut PlaneMut<'_>) {
        let count = columns.len();
        let own = &self.lanes[frame][(self.reach + row) * self.stride + self.reach..][..count];
        let mut out = [0; COLUMNS];
        for (i, (out, own)) in out.iter_mut().zip(own).enumerate() {
            let at = row * COLUMNS + i;
            let mean =
                super::weights::Mean { weights: self.weights[at], sum: self.sums[at], largest: self.largest[at] };
            *out = mean.lane(*own, wref);
        }
        narrow(dst, columns.start, row, &out[..count]);
    }
}

#[inline(always)]
fn square(a: u16, b: u16) -> u32 {
    let difference = i32::from(a) - i32::from(b);
    (difference * difference) as u32
}

#[inline(always)]
fn weigh(weights: &Weights, sums: &[u32], out: &mut [f32]) {
    for (out, sum) in out.iter_mut().zip(sums) {
        *out = weights.of(*sum);
    }
}

by_level!(run_band = band(work: &Band<'_>, dst: &mut PlaneMut<'_>, tile: &mut Tile));

#[inline(always)]
fn band(work: &Band<'_>, dst: &mut PlaneMut<'_>, tile: &mut Tile) {
    let (plan, rows) = (work.plan, work.rows.len());
    for start in (0..dst.width()).step_by(COLUMNS) {
        let columns = start..(start + COLUMNS).min(dst.width());
        tile.read(work, &columns);
        for means in [&mut tile.weights, &mut tile.sums, &mut tile.largest] {
            means.fill(0.0);
        }
        for offset in plan.offsets() {
            tile.add(plan, offset, rows, columns.len());
        }
        (0..rows).for_each(|row| tile.write(plan.wref, plan.frames as usize, row, &columns, dst));
    }
}
