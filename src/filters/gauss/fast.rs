//! The fast kernel: a band's rows pass through a ring that holds a window of them; loops over columns become vectors.

use super::plan::Plan;
use super::weights::{EXTRA_BITS, WEIGHT_BITS};
use crate::device::cpu::CpuLevel;
use crate::error::Result;
use crate::filters::gauss::tuning::cpu::{BAND, FEW_PAIRS as FEW, PART};
use crate::filters::stock::Stock;
use crate::filters::{CpuJob, CpuKernel, Setup};
use crate::simd::dispatch::by_level;
use crate::simd::rows::{copy, narrow, widen};
use crate::video::{PlaneMut, PlaneRef};
use std::array::from_fn;
use std::ops::Range;

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
    /// The lanes of the window's rows; row y lies at `y % (2·radius + 1)`.
    ring: Vec<u16>,
    /// The sums of a row's columns, with the columns that weights reach beyond both ends.
    columns: Vec<u32>,
    /// The result.
    lanes: Vec<u16>,
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
        let radius = plan.radius();
        Scratch { ring: vec![0; (2 * radius + 1) * width], columns: vec![0; width + 2 * radius], lanes: vec![0; width] }
    }
}

impl CpuKernel for Fast {
    fn run(&mut self, job: CpuJob<'_>) {
        let CpuJob { src, mut dst, exec, .. } = job;
        let (src, dst) = (src.here(), &mut dst);
        let this = &*self;
        exec.bands(dst, BAND.max(this.plan.radius()), |component, rows, mut band| {
            if !this.plan.blurs(component) {
                return copy(&src[component], rows, &mut band);
            }
            let work = Band { weights: &this.plan.weights, src: src[component], rows };
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
    weights: &'a [u32],
    src: PlaneRef<'a>,
    rows: Range<usize>,
}

by_level!(run_band = band(work: &Band<'_>, dst: &mut PlaneMut<'_>, scratch: &mut Scratch));

#[inline(always)]
fn band(work: &Band<'_>, dst: &mut PlaneMut<'_>, scratch: &mut Scratch) {
    let Band { weights, src, rows } = work;
    let (width, last, radius) = (src.width(), src.height() - 1, weights.len() - 1);
    let mut read = rows.start.saturating_sub(radius);
    for (row, y) in rows.clone().enumerate() {
        while read <= (y + radius).min(last) {
            widen(src, 0, read, scratch.ring_row(read, radius, width));
            read += 1;
        }
        for x in (0..width).step_by(PART) {
            scratch.sum_columns(weights, y, last, x..(x + PART).min(width), width);
        }
        let (first, end) = (scratch.columns[radius], scratch.columns[radius + width - 1]);
        scratch.columns[..radius].fill(first);
        scratch.columns[radius + width..][..radius].fill(end);
        for x in (0..width).step_by(PART) {
            scratch.sum_row(weights, x..(x + PART).min(width));
        }
        narrow(dst, 0, row, &scratch.lanes[..width]);
    }
}

impl Scratch {
    #[inline(always)]
    fn ring_row(&mut self, y: usize, radius: usize, width: usize) -> &mut [u16] {
        &mut self.ring[y % (2 * radius + 1) * width..][..width]
    }

    /// The sums of some columns of row `y`.
    #[inline(always)]
    fn sum_columns(&mut self, weights: &[u32], y: usize, last: usize, part: Range<usize>, width: usize) {
        let radius = weights.len() - 1;
        let rows = |y: usize| &self.ring[y % (2 * radius + 1) * width..][part.clone()];
        if let Some(weights) = few(weights) {
            let pairs = from_fn(|i| (rows(y.saturating_sub(i + 1)), rows((y + i + 1).min(last))));
            let columns = self.columns[radius + part.start..].iter_mut();
            return sum_few(weights, rows(y), pairs, WEIGHT_BITS - EXTRA_BITS, columns, |sum| sum);
        }
        let mut sums = [0; PART];
        let sums = &mut sums[..part.len()];
        start(sums, weights[0], rows(y), WEIGHT_BITS - EXTRA_BITS);
        add_pairs(sums, weights, |i| (rows(y.saturating_sub(i)), rows((y + i).min(last))));
        let columns = self.columns[radius + part.start..].iter_mut();
        columns.zip(&*sums).for_each(|(column, sum)| *column = sum >> (WEIGHT_BITS - EXTRA_BITS));
    }

    /// The results of some columns of a row.
    #[inline(always)]
    fn sum_row(&mut self, weights: &[u32], part: Range<usize>) {
        let radius = weights.len() - 1;
        // Column x lies at x + radius.
        let columns = |left: usize| &self.columns[part.start + left..][..part.len()];
        if let Some(weights) = few(weights) {
            let pairs = from_fn(|i| (columns(radius - i - 1), columns(radius + i + 1)));
            let lanes = self.lanes[part.clone()].iter_mut();
            return sum_few(weights, columns(radius), pairs, WEIGHT_BITS + EXTRA_BITS, lanes, |sum| sum as u16);
        }
        let mut sums = [0; PART];
        let sums = &mut sums[..part.len()];
        start(sums, weights[0], columns(radius), WEIGHT_BITS + EXTRA_BITS);
        add_pairs(sums, weights, |i| (columns(radius - i), columns(radius + i)));
        let lanes = self.lanes[part].iter_mut();
        lanes.zip(&*sums).for_each(|(lane, sum)| *lane = (sum >> (WEIGHT_BITS + EXTRA_BITS)) as u16);
    }
}

/// The weight of the middle and those of the pairs around it, where there are [`FEW`].
#[inline(always)]
fn few(weights: &[u32]) -> Option<(u32, &[u32; FEW])> {
    let (own, near) = weights.split_first()?;
    Some((*own, near.try_into().ok()?))
}

/// Weighted sums of the middle and of few pairs around it, in one go: they stay in registers.
#[inline(always)]
fn sum_few<'a, T: Copy + Into<u32>, U: 'a>(
    (own, near): (u32, &[u32; FEW]),
    middle: &[T],
    pairs: [(&[T], &[T]); FEW],
    drop: u32,
    out: impl Iterator<Item = &'a mut U>,
    cast: impl Fn(u32) -> U,
) {
    let len = middle.len();
    let pairs = pairs.map(|(a, b)| (&a[..len], &b[..len]));
    for (x, (out, middle)) in out.zip(middle).enumerate() {
        let mut sum = own * (*middle).into() + (1 << (drop - 1));
        for (weight, (a, b)) in near.iter().zip(&pairs) {
            sum += weight * (a[x].into() + b[x].into());
        }
        *out = cast(sum >> drop);
    }
}

/// Begins sums that are to lose `drop` bits with the middle, and with what rounds them.
#[inline(always)]
fn start<T: Copy + Into<u32>>(sums: &mut [u32], weight: u32, middle: &[T], drop: u32) {
    for (sum, middle) in sums.iter_mut().zip(middle) {
        *sum = weight * (*middle).into() + (1 << (drop - 1));
    }
}

/// Adds the weighted pairs `1..` to the sums, four at a time: each sum is then read and written a quarter as often.
#[inline(always)]
fn add_pairs<'a, T: Copy + Into<u32> + 'a>(
    sums: &mut [u32],
    weights: &[u32],
    pair: impl Fn(usize) -> (&'a [T], &'a [T]),
) {
    let mut i = 1;
    while i + 4 <= weights.len() {
        add::<T, 4>(sums, &weights[i..], from_fn(|k| pair(i + k)));
        i += 4;
    }
    match weights.len() - i {
        3 => add::<T, 3>(sums, &weights[i..], from_fn(|k| pair(i + k))),
        2 => add::<T, 2>(sums, &weights[i..], from_fn(|k| pair(i + k))),
        1 => add::<T, 1>(sums, &weights[i..], from_fn(|k| pair(i + k))),
        _ => {}
    }
}

/// Adds `N` pairs that share a weight each. All weights sum to 2^15 and a column's sum has 17 bits: 32 hold it.
#[inline(always)]
fn add<T: Copy + Into<u32>, const N: usize>(sums: &mut [u32], weights: &[u32], pairs: [(&[T], &[T]); N]) {
    let len = sums.len();
    let weights: [u32; N] = from_fn(|k| weights[k]);
    let pairs = pairs.map(|(a, b)| (&a[..len], &b[..len]));
    for (x, sum) in sums.iter_mut().enumerate() {
        for (weight, (a, b)) in weights.iter().zip(&pairs) {
            *sum += weight * (a[x].into() + b[x].into());
        }
    }
}
