//! The fast kernel: a band's rows pass through a ring that holds a window of them; loops over columns become vectors.

use super::guide::{LumaAt, LumaScratch};
use super::plan::Plan;
use super::weights::{Curve, Weights};
use crate::device::cpu::{CpuExec, CpuLevel};
use crate::error::Result;
use crate::filters::level::by_level;
use crate::filters::rows::{copy, narrow, widen};
use crate::filters::stock::Stock;
use crate::filters::{CpuKernel, Setup};
use crate::video::{FrameProps, PlaneMut, PlaneRef, Planes, PlanesMut};
use std::array::from_fn;
use std::ops::Range;

/// Rows that a thread takes at a time.
const BAND: usize = 64;

/// Columns whose sums stay in the first cache while all their taps are added.
const PART: usize = 128;

/// Taps that are added at a time: sums are then read and written as seldom.
const TAPS: usize = 4;

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
    /// A row of lanes.
    lanes: Vec<u16>,
    luma: LumaScratch,
}

/// Rows of a window, each with the samples beyond both its ends.
#[derive(Default)]
struct Ring {
    rows: Vec<f32>,
    pitch: usize,
    count: usize,
}

impl Ring {
    /// Fits the ring to windows of `radii` on rows of `width`.
    fn fit(&mut self, (columns, rows): (usize, usize), width: usize) {
        (self.pitch, self.count) = (width + 2 * columns, 2 * rows + 1);
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
        let radius = (row.len() - lanes.len()) / 2;
        let (left, row) = row.split_at_mut(radius);
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
        let (mut values, mut guide) = (Ring::default(), Ring::default());
        for component in plan.filtered() {
            let radii = plan.weights(component).radii();
            values.fit(radii, width);
            if plan.is_guided(component) {
                guide.fit(radii, width);
            }
        }
        Scratch { values, guide, lanes: vec![0; width], luma: LumaScratch::new(width) }
    }
}

impl CpuKernel for Fast {
    fn run(&mut self, _: &FrameProps, src: &Planes<'_>, dst: &mut PlanesMut<'_>, exec: &CpuExec) {
        let this = &*self;
        exec.bands(dst, BAND, |component, rows, mut band| {
            if !this.plan.filters(component) {
                return copy(&src[component], rows, &mut band);
            }
            let guided = this.plan.is_guided(component);
            let guide = guided.then(|| LumaAt::new(src[0], this.plan.subsampling));
            let work = Band { weights: this.plan.weights(component), src: src[component], guide, rows };
            // SAFETY: `new` checked that the processor has the level.
            let filter = |scratch: &mut Scratch| unsafe { run_band(this.level, &work, &mut band, scratch) };
            this.scratch.lend(|| Scratch::new(&this.plan, this.width), filter);
        });
    }

    fn path(&self) -> &'static str {
        self.level.name()
    }
}

/// A band of rows to filter.
struct Band<'a> {
    weights: &'a Weights,
    src: PlaneRef<'a>,
    guide: Option<LumaAt<'a>>,
    rows: Range<usize>,
}

by_level!(run_band = band(work: &Band<'_>, dst: &mut PlaneMut<'_>, scratch: &mut Scratch));

#[inline(always)]
fn band(work: &Band<'_>, dst: &mut PlaneMut<'_>, scratch: &mut Scratch) {
    match (work.weights.is_cubic(), work.guide.is_some()) {
        (true, false) => band_of::<3, false>(work, dst, scratch),
        (false, false) => band_of::<4, false>(work, dst, scratch),
        (_, true) => band_of::<4, true>(work, dst, scratch),
    }
}

#[inline(always)]
fn band_of<const DEGREE: usize, const GUIDED: bool>(work: &Band<'_>, dst: &mut PlaneMut<'_>, scratch: &mut Scratch) {
    let Band { weights, src, guide, rows } = work;
    let (width, last, radii) = (src.width(), src.height() - 1, weights.radii());
    let Scratch { values, guide: guides, lanes, luma } = scratch;
    let lanes = &mut lanes[..width];
    values.fit(radii, width);
    if GUIDED {
        guides.fit(radii, width);
    }
    // What is compared is scaled.
    let scale = if GUIDED { 1.0 } else { weights.curve.scale };
    let mut read = rows.start.saturating_sub(radii.1);
    for (row, y) in rows.clone().enumerate() {
        while read <= (y + radii.1).min(last) {
            widen(src, 0, read, lanes);
            values.put(read, lanes, scale);
            if let Some(guide) = guide.filter(|_| GUIDED) {
                guide.row(read, luma, lanes);
                guides.put(read, lanes, weights.curve.scale);
            }
            read += 1;
        }
        widen(src, 0, y, lanes);
        let steers = if GUIDED { &*guides } else { &*values };
        for x in (0..width).step_by(PART) {
            let part = x..(x + PART).min(width);
            let out = &mut lanes[part.clone()];
            Window { weights, values, steers, y, last }.filter::<DEGREE, GUIDED>(part, out);
        }
        narrow(dst, 0, row, lanes);
    }
}

/// The windows of a row's samples.
struct Window<'a> {
    weights: &'a Weights,
    values: &'a Ring,
    /// What differences are of.
    steers: &'a Ring,
    y: usize,
    last: usize,
}

/// Weighted sums of differences from the middle, and the sums of their weights.
struct Sums {
    sum: [f32; PART],
    total: [f32; PART],
}

impl Sums {
    const NONE: Sums = Sums { sum: [0.0; PART], total: [0.0; PART] };
}

impl<'a> Window<'a> {
    /// The results of the columns of `part`, whose lanes `out` has.
    #[inline(always)]
    fn filter<const DEGREE: usize, const GUIDED: bool>(&self, part: Range<usize>, out: &mut [u16]) {
        let (columns, rows) = self.weights.radii();
        let mut sums = Sums::NONE;
        for v in 0..=2 * rows {
            let mut row = Sums::NONE;
            let y = (self.y + v).saturating_sub(rows).min(self.last);
            let mut tap = 0;
            while tap + TAPS <= 2 * columns {
                self.add::<DEGREE, GUIDED, TAPS>(&part, (y, v < rows), tap, &mut row);
                tap += TAPS;
            }
            // The number of columns is odd.
            match 2 * columns + 1 - tap {
                3 => self.add::<DEGREE, GUIDED, 3>(&part, (y, v < rows), tap, &mut row),
                _ => self.add::<DEGREE, GUIDED, 1>(&part, (y, v < rows), tap, &mut row),
            }
            let down = self.weights.down[v.abs_diff(rows)];
            for x in 0..PART {
                sums.sum[x] = down.mul_add(row.sum[x], sums.sum[x]);
                sums.total[x] = down.mul_add(row.total[x], sums.total[x]);
            }
        }
        for (x, out) in out.iter_mut().enumerate() {
            let value = f32::from(*out) + self.weights.change(sums.sum[x], sums.total[x]);
            *out = value.clamp(0.0, 65535.0) as u16;
        }
    }

    /// Adds `N` samples of row `y`, from the window's column `tap` on, to the sums of each sample of `part`.
    #[inline(always)]
    fn add<const DEGREE: usize, const GUIDED: bool, const N: usize>(
        &self,
        part: &Range<usize>,
        (y, above): (usize, bool),
        tap: usize,
        sums: &mut Sums,
    ) {
        let (columns, _) = self.weights.radii();
        // Rows above the middle go from right to left.
        let at: [usize; N] = from_fn(|k| if above { 2 * columns - tap - k } else { tap + k });
        let across: [f32; N] = at.map(|at| self.weights.across[at.abs_diff(columns)]);
        // Column x lies at x + columns.
        let len = part.len();
        let (values, steers) = (self.values.row(y), self.steers.row(y));
        let beside = |row: &'a [f32]| -> [&'a [f32]; N] { at.map(|at| &row[part.start + at..][..len]) };
        let middle = |ring: &'a Ring| &ring.row(self.y)[part.start + columns..][..len];
        let curve = self.weights.curve;
        add_taps::<DEGREE, GUIDED, N>(
            curve,
            across,
            (beside(values), middle(self.values)),
            (beside(steers), middle(self.steers)),
            &mut sums.sum[..len],
            &mut sums.total[..len],
        );
    }
}

/// Adds `N` samples beside each middle, and the weights that their differences and `across` give.
#[inline(always)]
fn add_taps<const DEGREE: usize, const GUIDED: bool, const N: usize>(
    curve: Curve,
    across: [f32; N],
    values: ([&[f32]; N], &[f32]),
    steers: ([&[f32]; N], &[f32]),
    sums: &mut [f32],
    totals: &mut [f32],
) {
    let len = sums.len();
    let totals = &mut totals[..len];
    let (values, value) = (values.0.map(|row| &row[..len]), &values.1[..len]);
    let (steers, steer) = (steers.0.map(|row| &row[..len]), &steers.1[..len]);
    for x in 0..len {
        let (mut sum, mut total) = (sums[x], totals[x]);
        for k in 0..N {
            let difference = values[k][x] - value[x];
            let apart = if GUIDED { steers[k][x] - steer[x] } else { difference };
            let weight = curve.weight::<DEGREE>(apart, across[k]);
            sum = weight.mul_add(difference, sum);
            total += weight;
        }
        (sums[x], totals[x]) = (sum, total);
    }
}
