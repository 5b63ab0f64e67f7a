//! Contrasts of one scale: how many samples of each level the window around a sample has.
//!
//! Every column of a strip has counts of its own, and they lie side by side: samples that are alike side by side change a
//! row of counts with one loop, and rows that are alike change nothing, which is most of a flat area. Those whose code is the
//! same read a few rows of counts, so that contrasts too are computed in vectors.

use super::plan::{FLAT, Plan, TOP};
use super::pool::BINS;
use crate::device::cpu::CpuLevel;
use crate::filters::banding::tuning::cpu::STRIP;
use crate::simd::dispatch::by_level;
use crate::video::{PlaneMut, PlaneRef};
use std::ops::Range;

/// Columns whose contrasts are computed at a time. Counts have as many columns more, which are 0.
const LANES: usize = 16;
const PITCH: usize = STRIP + LANES;

/// What a thread works in.
pub struct Workspace {
    /// A row of counts for each code, with room for the steps below the lowest code and above the highest.
    counts: Vec<u16>,
    /// A row without flat areas.
    nothing: Vec<u16>,
    /// How often contrasts were met, but that of 0.
    pub met: Vec<u32>,
}

impl Workspace {
    pub fn new(plan: &Plan) -> Workspace {
        let codes = usize::from(plan.ceiling()) + 1 + 2 * plan.steps.len();
        let widest = STRIP + 2 * plan.radius;
        Workspace { counts: vec![0; codes * PITCH], nothing: vec![0; widest], met: vec![0; BINS] }
    }
}

by_level!(contrasts = contrasts_of(
    plan: &Plan,
    map: &PlaneRef<'_>,
    rows: Range<usize>,
    out: &mut PlaneMut<'_>,
    workspace: &mut Workspace,
));

/// Makes the contrasts of `rows` of `map` into `out`, which has these rows only, and counts them.
///
/// # Safety
/// The processor has `level`.
pub unsafe fn of_rows(
    level: CpuLevel,
    plan: &Plan,
    map: &PlaneRef<'_>,
    rows: Range<usize>,
    out: &mut PlaneMut<'_>,
    workspace: &mut Workspace,
) {
    // SAFETY: by the caller.
    unsafe { contrasts(level, plan, map, rows, out, workspace) }
}

#[inline(always)]
fn contrasts_of(
    plan: &Plan,
    map: &PlaneRef<'_>,
    rows: Range<usize>,
    out: &mut PlaneMut<'_>,
    Workspace { counts, nothing, met }: &mut Workspace,
) {
    let (radius, height) = (plan.radius, map.height());
    for left in (0..map.width()).step_by(STRIP) {
        let strip = left..(left + STRIP).min(map.width());
        let read = left.saturating_sub(radius)..(strip.end + radius).min(map.width());
        let none = &nothing[..read.len()];
        let row = |y: usize| &map.row_u16(y)[read.clone()];
        let slide = |leaves: &[u16], enters: &[u16], counts: &mut [u16]| {
            let mut change = RowChange { plan, counts, columns: read.start as i32 - left as i32, width: strip.len() };
            change.slide(leaves, enters);
        };
        for y in rows.start.saturating_sub(radius)..(rows.start + radius).min(height) {
            slide(none, row(y), counts);
        }
        for y in rows.clone() {
            let leaves = if y > rows.start && y > radius { row(y - radius - 1) } else { none };
            let enters = if y + radius < height { row(y + radius) } else { none };
            slide(leaves, enters, counts);
            let codes = &map.row_u16(y)[strip.clone()];
            let out = &mut out.row_u16_mut(y - rows.start)[strip.clone()];
            contrasts_of_row(plan, counts, codes, out);
            out.iter().filter(|contrast| **contrast > 0).for_each(|contrast| met[usize::from(*contrast)] += 1);
        }
        // What is still in the window leaves it, so that counts are zero again.
        let last = rows.end.saturating_sub(1);
        for y in last.saturating_sub(radius)..(last + radius + 1).min(height) {
            slide(row(y), none, counts);
        }
    }
}

/// Rows of samples that change the counts of a strip.
struct RowChange<'a> {
    plan: &'a Plan,
    counts: &'a mut [u16],
    /// The first column of the rows, from the strip's first.
    columns: i32,
    /// Of the strip.
    width: usize,
}

impl RowChange<'_> {
    /// The window moves on: one row leaves it, and another enters.
    #[inline(always)]
    fn slide(&mut self, leaves: &[u16], enters: &[u16]) {
        let mut x = 0;
        while x < enters.len() {
            let end = (x + LANES).min(enters.len());
            if leaves[x..end] == enters[x..end] {
                x = end;
                continue;
            }
            let pair = (leaves[x], enters[x]);
            let like = leaves[x..].iter().zip(&enters[x..]).take_while(|(a, b)| (**a, **b) == pair).count();
            if pair.0 != pair.1 {
                self.add::<false>(pair.0, x..x + like);
                self.add::<true>(pair.1, x..x + like);
            }
            x += like;
        }
    }

    /// Adds samples side by side that are alike to the windows that have them, or takes them off.
    #[inline(always)]
    fn add<const ENTER: bool>(&mut self, marked: u16, columns: Range<usize>) {
        let code = marked & TOP;
        if marked & FLAT == 0 || code > self.plan.ceiling() {
            return;
        }
        let radius = self.plan.radius as i16;
        let (start, end) = (columns.start as i32 + self.columns, columns.end as i32 + self.columns);
        let (start, end) = (start as i16, end as i16);
        let windows = (start - radius).max(0) as usize..((end + radius) as usize).min(self.width);
        let row = (usize::from(code) + self.plan.steps.len()) * PITCH;
        let counts = &mut self.counts[row..row + PITCH];
        for x in windows {
            let column = x as i16;
            let samples = ((column + radius + 1).min(end) - (column - radius).max(start)) as u16;
            counts[x] = if ENTER { counts[x].wrapping_add(samples) } else { counts[x].wrapping_sub(samples) };
        }
    }
}

/// The contrasts of a row of a strip.
#[inline(always)]
fn contrasts_of_row(plan: &Plan, counts: &[u16], codes: &[u16], out: &mut [u16]) {
    let mut x = 0;
    while x < codes.len() {
        let marked = codes[x];
        let end = x + codes[x..].iter().take_while(|code| **code == marked).count();
        let code = marked & TOP;
        if marked & FLAT != 0 && code <= plan.ceiling() {
            for from in (x..end).step_by(LANES) {
                let contrasts = contrasts_of_lanes(plan, counts, code, from);
                let count = LANES.min(end - from);
                out[from..from + count].copy_from_slice(&contrasts[..count]);
            }
        } else {
            out[x..end].fill(0);
        }
        x = end;
    }
}

/// The contrasts of samples of one code from column `x` of the strip on.
#[inline(always)]
fn contrasts_of_lanes(plan: &Plan, counts: &[u16], code: u16, x: usize) -> [u16; LANES] {
    let middle = usize::from(code) + plan.steps.len();
    let level = |row: usize| -> &[u16; LANES] {
        let at = row * PITCH + x;
        counts[at..at + LANES].try_into().expect("as many columns as lanes")
    };
    let own = level(middle);
    // The highest of fractions, which is divided once: a numerator, without the sample's own level and the gain, and a
    // denominator.
    let (mut high, mut low) = ([0u32; LANES], [1u32; LANES]);
    for (i, step) in plan.steps.iter().enumerate() {
        if code < step.lowest || code > step.highest {
            continue;
        }
        let (above, below) = (level(middle + i + 1), level(middle - i - 1));
        for lane in 0..LANES {
            let other = u32::from(above[lane].max(below[lane]));
            let (weighed, both) = (step.weight * other, other + u32::from(own[lane]));
            let higher = weighed * low[lane] > high[lane] * both;
            high[lane] = if higher { weighed } else { high[lane] };
            low[lane] = if higher { both } else { low[lane] };
        }
    }
    let mut contrasts = [0; LANES];
    for lane in 0..LANES {
        // Vectors divide doubles, and no integers. Both are whole and below 2³¹, so that the quotient is cut to the same.
        let numerator = (high[lane] * u32::from(own[lane]) * plan.gain).cast_signed();
        let quotient = f64::from(numerator) / f64::from(low[lane].cast_signed());
        // SAFETY: it is from 0 to 65535.
        contrasts[lane] = unsafe { quotient.to_int_unchecked::<i32>() } as u16;
    }
    contrasts
}
