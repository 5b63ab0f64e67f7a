//! The fast kernel: a band's rows pass through a ring that holds a window of them; loops over columns become vectors.

use super::pairs::{PaddedRow, RowPair, WeightedSums, before, padded};
use super::plan::Plan;
use super::weights::Weights;
use crate::device::cpu::CpuLevel;
use crate::error::Result;
use crate::filters::bilateral::tuning::cpu::BAND;
use crate::filters::guide::{LumaAt, LumaScratch};
use crate::filters::stock::Stock;
use crate::filters::{CpuJob, CpuKernel, Setup};
use crate::simd::dispatch::by_level;
use crate::simd::rows::{copy, narrow, widen};
use crate::video::{PlaneMut, PlaneRef};
use std::ops::Range;

/// Added to a whole number of 16 bits, it leaves it in the lowest bits.
const WHOLE: f32 = 8_388_608.0;

/// The kernel.
pub(super) struct Fast {
    plan: Plan,
    level: CpuLevel,
    scratch: Stock<Scratch>,
    /// Columns of the widest plane.
    width: usize,
}

/// What a thread works in.
struct Scratch {
    values: Ring,
    /// What differences are of, where that is not `values`.
    guide: Ring,
    /// The sums of the rows that the window reaches down to from a row, and its own.
    sums: Vec<WeightedSums>,
    /// A row of lanes.
    lanes: Vec<u16>,
    luma: LumaScratch,
}

/// Rows of a window, padded.
#[derive(Default)]
struct Ring {
    rows: Vec<f32>,
    pitch: usize,
    count: usize,
    /// Samples before the first of a row.
    before: usize,
}

impl Ring {
    /// Fits the ring to windows of `radii` on rows of `width`.
    fn fit(&mut self, (columns, rows): (usize, usize), width: usize) {
        (self.pitch, self.count, self.before) = (padded(width, columns), 2 * rows + 1, before(columns));
        let samples = self.pitch * self.count;
        self.rows.resize(self.rows.len().max(samples), 0.0);
    }

    #[inline(always)]
    fn row(&self, y: usize) -> &[f32] {
        &self.rows[y % self.count * self.pitch..][..self.pitch]
    }

    /// Takes in the lanes of row `y`, times `scale`.
    #[inline(always)]
    fn put(&mut self, y: usize, lanes: &[u16], scale: f32) {
        let scaled = |lane: u16| f32::from(lane) * scale;
        let row = &mut self.rows[y % self.count * self.pitch..][..self.pitch];
        let (left, row) = row.split_at_mut(self.before);
        let (middle, right) = row.split_at_mut(lanes.len());
        left.fill(scaled(lanes[0]));
        middle.iter_mut().zip(lanes).for_each(|(value, lane)| *value = scaled(*lane));
        right.fill(scaled(lanes[lanes.len() - 1]));
    }
}

impl Fast {
    /// The kernel of `plan` at `level`.
    ///
    /// # Errors
    /// When the processor lacks the level.
    pub(super) fn new(plan: Plan, setup: &Setup, level: CpuLevel) -> Result<Fast> {
        level.require()?;
        let width = setup.input.width;
        Ok(Fast { scratch: Stock::new(Scratch::new(&plan, width)), plan, level, width })
    }
}

impl Scratch {
    fn new(plan: &Plan, width: usize) -> Scratch {
        let mut scratch = Scratch {
            values: Ring::default(),
            guide: Ring::default(),
            sums: Vec::new(),
            lanes: vec![0; width],
            luma: LumaScratch::new(width),
        };
        for component in plan.filtered() {
            scratch.fit(plan.weights(component).radii(), width, plan.is_guided(component));
        }
        scratch
    }

    /// Fits it to windows of `radii` on rows of `width`.
    fn fit(&mut self, radii: (usize, usize), width: usize, guided: bool) {
        self.values.fit(radii, width);
        if guided {
            self.guide.fit(radii, width);
        }
        let len = padded(width, radii.0);
        self.sums.resize_with(self.sums.len().max(radii.1 + 1), WeightedSums::default);
        self.sums.iter_mut().for_each(|sums| sums.fit(len));
    }
}

impl CpuKernel for Fast {
    fn run(&mut self, job: CpuJob<'_>) {
        let CpuJob { src, mut dst, exec, .. } = job;
        let (src, dst) = (src.here(), &mut dst);
        let this = &*self;
        exec.bands(dst, BAND, |component, rows, mut band| {
            if !this.plan.filters(component) {
                return copy(&src[component], rows, &mut band);
            }
            let guided = this.plan.is_guided(component);
            let guide = guided.then(|| LumaAt::new(src[0], this.plan.subsampling));
            let work =
                Band { level: this.level, weights: this.plan.weights(component), src: src[component], guide, rows };
            // SAFETY: `new` checked that the processor has the level.
            let filter = |scratch: &mut Scratch| unsafe { run_band(this.level, &work, &mut band, scratch) };
            this.scratch.with(|| Scratch::new(&this.plan, this.width), filter);
        });
    }

    fn path(&self) -> &'static str {
        self.level.name()
    }
}

/// A band of rows to filter.
struct Band<'a> {
    level: CpuLevel,
    weights: &'a Weights,
    src: PlaneRef<'a>,
    guide: Option<LumaAt<'a>>,
    rows: Range<usize>,
}

by_level!(run_band = band(work: &Band<'_>, dst: &mut PlaneMut<'_>, scratch: &mut Scratch));

#[inline(always)]
fn band(work: &Band<'_>, dst: &mut PlaneMut<'_>, scratch: &mut Scratch) {
    let (width, rows, (_, radius)) = (work.src.width(), &work.rows, work.weights.radii());
    scratch.fit(work.weights.radii(), width, work.guide.is_some());
    for y in rows.start.saturating_sub(radius)..rows.start + radius {
        work.read(y, scratch);
    }
    for y in rows.start..rows.end.min(rows.start + radius) {
        work.open(y, scratch);
    }
    for (row, y) in rows.clone().enumerate() {
        work.read(y + radius, scratch);
        if y + radius < rows.end {
            work.open(y + radius, scratch);
        }
        work.close(y, scratch);
        narrow(dst, 0, row, &scratch.lanes[..width]);
    }
}

impl<'a> Band<'a> {
    /// Takes in row `y`, if there is one.
    #[inline(always)]
    fn read(&self, y: usize, scratch: &mut Scratch) {
        if y >= self.src.height() {
            return;
        }
        let scale = self.weights.curve.scale;
        let lanes = &mut scratch.lanes[..self.src.width()];
        widen(&self.src, 0, y, lanes);
        scratch.values.put(y, lanes, if self.guide.is_some() { 1.0 } else { scale });
        if let Some(guide) = self.guide {
            guide.row(y, &mut scratch.luma, lanes);
            scratch.guide.put(y, lanes, scale);
        }
    }

    /// Starts the sums of row `y`: with the rows of its window that lie above the band.
    #[inline(always)]
    fn open(&self, y: usize, scratch: &mut Scratch) {
        let (_, radius) = self.weights.radii();
        let Scratch { values, guide, sums, .. } = scratch;
        let sums = &mut sums[y % (radius + 1)];
        sums.clear();
        for v in (1 + y - self.rows.start..=radius).rev() {
            let pair = RowPair { leftward: true, ..self.pair(y, y.saturating_sub(v), v, values, guide) };
            // SAFETY: the processor has the level, at which this runs.
            unsafe { pair.add(self.level, sums, None) };
        }
    }

    /// Adds row `y` itself to its sums, and the rows below, to whose sums it is added as well: the results are then in `lanes`.
    #[inline(always)]
    fn close(&self, y: usize, scratch: &mut Scratch) {
        let (columns, radius) = self.weights.radii();
        let Scratch { values, guide, sums, lanes, .. } = scratch;
        let slot = |y: usize| y % (radius + 1);
        for v in 0..=radius {
            let below = y + v;
            let pair = self.pair(y, below.min(self.src.height() - 1), v, values, guide);
            let (first, second) = match sums.get_disjoint_mut([slot(y), slot(below)]) {
                Ok([first, second]) if below < self.rows.end => (first, Some(second)),
                _ => (&mut sums[slot(y)], None),
            };
            // SAFETY: the processor has the level, at which this runs.
            unsafe { pair.add(self.level, first, second) };
        }
        let lanes = &mut lanes[..self.src.width()];
        widen(&self.src, 0, y, lanes);
        let (sums, from) = (&sums[slot(y)], before(columns));
        for (lane, (sum, total)) in lanes.iter_mut().zip(sums.sum[from..].iter().zip(&sums.total[from..])) {
            let value = (f32::from(*lane) + self.weights.change(*sum, *total)).clamp(0.0, 65535.0);
            *lane = (value + WHOLE).to_bits() as u16;
        }
    }

    /// Row `y` and row `beside` of its window, `v` from its middle.
    #[inline(always)]
    fn pair<'b>(&self, y: usize, beside: usize, v: usize, values: &'b Ring, guide: &'b Ring) -> RowPair<'b>
    where
        'a: 'b,
    {
        let guided = self.guide.is_some();
        let row =
            |y: usize| PaddedRow { values: values.row(y), steers: if guided { guide.row(y) } else { values.row(y) } };
        RowPair {
            weights: self.weights,
            guided,
            width: self.src.width(),
            first: row(y),
            second: row(beside),
            down: self.weights.down[v],
            leftward: false,
        }
    }
}
