//! The template of a component: a sheet of grain, from which blocks take parts.

use super::plan::{Plan, key};
use crate::filters::random::mix;

/// The standard deviation of a template's grain, in bits.
pub(super) const GRAIN_BITS: u32 = 10;

/// Columns and rows of a block.
pub(super) const BLOCK: usize = 32;
/// Columns and rows that it shares with the next one.
pub(super) const OVERLAP: usize = 2;

/// Places that a block may have in a template: every eighth column, so that vectors of grain are aligned, and every row.
pub(super) const STEP: usize = 8;
const PLACES: (usize, usize) = (32, 128);

/// Columns and rows of a template. Columns are those of whole vectors.
pub(super) const COLUMNS: usize = (STEP * (PLACES.0 - 1) + BLOCK + OVERLAP).next_multiple_of(STEP);
pub(super) const ROWS: usize = PLACES.1 - 1 + BLOCK + OVERLAP;

/// How far back the autoregression reads.
const LAG: usize = 3;
/// Samples before it in the order of making, in a square of that reach.
const TAPS: usize = 2 * LAG * (LAG + 1);
/// Bits of a factor that are below one.
const FACTOR_BITS: u32 = 12;
/// Columns on each side, and rows above, that the autoregression begins in.
const MARGIN: usize = 16;

/// The largest grain there is.
const MOST: f64 = 8191.0;

/// A sheet of grain, whose mean is zero and whose standard deviation is one: `1 << GRAIN_BITS`.
pub(super) struct Template {
    grain: Vec<i16>,
}

/// The templates of the components that are worked on.
pub(super) fn templates(plan: &Plan) -> Vec<Option<Template>> {
    (0..plan.components.len()).map(|index| plan.works_on(index).then(|| Template::new(plan, index))).collect()
}

impl Template {
    /// That of component `component`.
    pub fn new(plan: &Plan, component: usize) -> Template {
        let scale = if plan.components[component].follows_luma { plan.subsampling } else { (0, 0) };
        let factors = factors(plan.size, scale);
        let sheet = |number: usize| unit(&sheet(key(plan.seed, u64::MAX - number as u64), &factors));
        let made = match plan.own {
            // R, G and B share a sheet, and add some of their own.
            Some(own) if own > 0.0 => {
                let (shared, added) = (sheet(3), sheet(component));
                unit(&shared.iter().zip(&added).map(|(shared, added)| shared + own * added).collect::<Vec<_>>())
            }
            Some(_) => sheet(3),
            None => sheet(component),
        };
        let whole = f64::from(1 << GRAIN_BITS);
        Template { grain: made.iter().map(|value| libm::round(value * whole).clamp(-MOST, MOST) as i16).collect() }
    }

    /// The part of a row that begins at a place.
    #[inline(always)]
    pub fn row(&self, (x, y): (usize, usize), row: usize) -> &[i16; BLOCK + OVERLAP] {
        self.grain[(y + row) * COLUMNS + x..][..BLOCK + OVERLAP].try_into().expect("the slice has this length")
    }

    /// All of it, row by row.
    #[cfg(any(test, feature = "cuda"))]
    pub fn grain(&self) -> &[i16] {
        &self.grain
    }
}

/// Where block (`column`, `row`) begins in every template, in the frame of `key`.
#[inline(always)]
pub(super) fn place(key: u64, column: usize, row: usize) -> (usize, usize) {
    let bits = mix(key.wrapping_add((row as u64) << 32 | column as u64)) as usize;
    (bits % PLACES.0 * STEP, bits / PLACES.0 % PLACES.1)
}

/// Grain in the overlap of two blocks: of the earlier one and of the later, in its first or second sample. The squares of
/// weights have a sum of one, nearly, so that grain is as strong there as elsewhere.
#[inline(always)]
pub(super) fn blend(sample: usize, earlier: i16, later: i16) -> i16 {
    let (more, less) = (27, 17);
    let (of_earlier, of_later) = if sample == 0 { (more, less) } else { (less, more) };
    ((i32::from(earlier) * of_earlier + i32::from(later) * of_later + 16) >> 5) as i16
}

/// How alike grain is at a distance: as round grains of diameter `size` cover one another, thrown at random.
fn likeness(size: f64, (dx, dy): (f64, f64)) -> f64 {
    let part = libm::sqrt(dx * dx + dy * dy) / size;
    let covered = libm::acos(part.min(1.0)) - part * libm::sqrt((1.0 - part * part).max(0.0));
    covered * std::f64::consts::FRAC_2_PI
}

/// The place of each tap, from the sample that is made on.
fn taps() -> [(isize, isize); TAPS] {
    let reach = LAG as isize;
    std::array::from_fn(|i| (i as isize % (2 * reach + 1) - reach, i as isize / (2 * reach + 1) - reach))
}

/// The factors of the autoregression whose grain is like grain of diameter `size` (Yule and Walker's equations), where a sample
/// covers columns and rows of luma, in base-two logarithms.
fn factors(size: f64, scale: (usize, usize)) -> [i32; TAPS] {
    let taps = taps();
    let like = |(dx, dy): (isize, isize)| {
        likeness(size, (dx as f64 * f64::from(1 << scale.0), dy as f64 * f64::from(1 << scale.1)))
    };
    let mut rows: [[f64; TAPS + 1]; TAPS] = std::array::from_fn(|i| {
        std::array::from_fn(|j| like(taps.get(j).map_or(taps[i], |tap| (tap.0 - taps[i].0, tap.1 - taps[i].1))))
    });
    // The matrix is positive definite: elimination needs no other order of rows.
    for pivot in 0..TAPS {
        let from = rows[pivot];
        for row in &mut rows[pivot + 1..] {
            let times = row[pivot] / from[pivot];
            row.iter_mut().zip(&from).skip(pivot).for_each(|(value, from)| *value -= times * from);
        }
    }
    let mut solved = [0.0; TAPS];
    for i in (0..TAPS).rev() {
        let known: f64 = (i + 1..TAPS).map(|j| rows[i][j] * solved[j]).sum();
        solved[i] = (rows[i][TAPS] - known) / rows[i][i];
    }
    solved.map(|factor| libm::round(factor * f64::from(1 << FACTOR_BITS)) as i32)
}

/// Grain of whatever strength: white noise that goes through the autoregression, in integers.
fn sheet(key: u64, factors: &[i32; TAPS]) -> Vec<i32> {
    let (width, height) = (COLUMNS + 2 * MARGIN, ROWS + MARGIN);
    let mut grain: Vec<i32> = (0..width * height).map(|i| normal(mix(key.wrapping_add(i as u64)))).collect();
    let taps = taps().map(|(dx, dy)| dy * width as isize + dx);
    for y in LAG..height {
        for at in y * width + LAG..(y + 1) * width - LAG {
            let before = |tap: isize| i64::from(grain[at.wrapping_add_signed(tap)]);
            let sum: i64 = taps.iter().zip(factors).map(|(tap, factor)| before(*tap) * i64::from(*factor)).sum();
            grain[at] += ((sum + (1 << FACTOR_BITS >> 1)) >> FACTOR_BITS) as i32;
        }
    }
    let inside = |row: &[i32]| row[MARGIN..][..COLUMNS].to_vec();
    grain.chunks(width).skip(MARGIN).flat_map(inside).collect()
}

/// A number of the normal distribution, of 64 random bits (Box and Muller).
fn normal(bits: u64) -> i32 {
    let whole = f64::from(1u32 << 31) * 2.0;
    let (first, second) = (((bits >> 32) as f64 + 1.0) / whole, (bits & 0xffff_ffff) as f64 / whole);
    let value = libm::sqrt(-2.0 * libm::log(first)) * libm::cos(std::f64::consts::TAU * second);
    libm::round(value * f64::from(1 << GRAIN_BITS)) as i32
}

/// The same with a mean of zero and a standard deviation of one.
fn unit<T: Copy + Into<f64>>(values: &[T]) -> Vec<f64> {
    let count = values.len() as f64;
    let mean = values.iter().map(|value| (*value).into()).sum::<f64>() / count;
    let variance = values.iter().map(|value| ((*value).into() - mean) * ((*value).into() - mean)).sum::<f64>() / count;
    let deviation = libm::sqrt(variance);
    values.iter().map(|value| ((*value).into() - mean) / deviation).collect()
}
