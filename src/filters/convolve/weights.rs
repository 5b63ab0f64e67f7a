//! A kernel in integers: what is computed with.

use super::bytes::ByteSums;
use super::kernel::Shaped;
use super::pairs::{Pair, pairs};
use super::quotient::{MOST_DIVISOR, Quotient};
use crate::error::{Error, Result};

/// The largest sum of the absolute values of all weights: products with 16-bit samples then fit 31 bits.
pub const MOST_SUM: i64 = 32767;

/// The most bits that numbers which are not whole get behind the point.
const MOST_BITS: u32 = 14;

/// Weights, and what becomes of their sum.
#[derive(Clone, Debug, PartialEq)]
pub struct Weights {
    pub columns: usize,
    pub rows: usize,
    /// Row by row.
    pub values: Vec<i32>,
    /// Those that count, two at a time.
    pub pairs: Vec<Pair>,
    /// How bytes become bytes, if there is a short way.
    pub byte_sums: Option<ByteSums>,
    pub quotient: Quotient,
    /// What the quotient adds, of 16 bits.
    pub bias: i64,
    /// Columns and rows whose products the weights are, if there are such.
    pub factors: Option<Factors>,
}

/// A weight that is not 0, and its number.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tap {
    pub index: usize,
    pub weight: i32,
}

/// Weights of a column, and those of a row.
#[derive(Clone, Debug, PartialEq)]
pub struct Factors {
    pub down: Vec<Tap>,
    pub across: Vec<Tap>,
}

impl Weights {
    /// `kernel` over `divisor`, or over the sum of its numbers where that is not 0; and `bias` of 16 bits.
    ///
    /// # Errors
    /// When sums could overflow.
    pub fn new(kernel: &Shaped, divisor: Option<f64>, bias: i64) -> Result<Weights> {
        let Shaped { columns, rows, ref values } = *kernel;
        let most = MOST_SUM as f64;
        let total: f64 = values.iter().map(|value| value.abs()).sum();
        let is_whole = values.iter().chain(&divisor).all(|value| value.fract() == 0.0);
        // Rounding may add one to each.
        let room = if is_whole { most } else { most - values.len() as f64 };
        if total > room {
            return Err(Error::bad_argument(format!(
                "the absolute values of the kernel sum to {total}, and results could overflow: divide its numbers so that \
                 they sum to at most {room}"
            )));
        }
        let fits = |bits: &u32| {
            let scale = f64::from(1u32 << bits);
            total * scale <= room && divisor.unwrap_or(0.0) * scale <= f64::from(MOST_DIVISOR)
        };
        let bits = if is_whole { 0 } else { (0..=MOST_BITS).rev().find(fits).unwrap_or(0) };
        let scale = f64::from(1u32 << bits);
        let mut values = whole(values, scale);
        let sum: i64 = values.iter().map(|value| i64::from(*value)).sum();
        let mut over = match divisor {
            Some(divisor) => libm::round(divisor * scale).max(1.0) as i64,
            None if sum == 0 => i64::from(1u32 << bits),
            None => sum,
        };
        if over < 0 {
            over = -over;
            values.iter_mut().for_each(|value| *value = -*value);
        }
        let sum: i64 = values.iter().map(|value| i64::from(*value)).sum();
        let quotient = Quotient::new(sum, over as u32, bias);
        let pairs = pairs(&values, columns);
        Ok(Weights {
            columns,
            rows,
            factors: Factors::of(columns, &values),
            byte_sums: ByteSums::new(&pairs, rows, quotient.divisor, bias),
            pairs,
            values,
            quotient,
            bias,
        })
    }

    /// Bytes that hold each of the weights.
    #[cfg(feature = "cuda")]
    pub fn bytes(&self) -> usize {
        if self.values.iter().all(|weight| i8::try_from(*weight).is_ok()) { 1 } else { 2 }
    }

    /// Those that count.
    #[cfg(feature = "cuda")]
    pub fn taps(&self) -> Vec<Tap> {
        taps(&self.values)
    }

    /// How far windows reach, in columns and rows.
    pub fn radius(&self) -> (usize, usize) {
        (self.columns / 2, self.rows / 2)
    }

    /// Whether results are the samples themselves.
    pub fn is_identity(&self) -> bool {
        let middle = self.values.len() / 2;
        let alone = self.values.iter().enumerate().all(|(i, value)| i == middle || *value == 0);
        alone && self.quotient.keeps(self.values[middle])
    }
}

/// `values` times `scale` in integers: rounded down, and those that lost most up again until the sum is the nearest to that
/// of the values.
fn whole(values: &[f64], scale: f64) -> Vec<i32> {
    let exact: Vec<f64> = values.iter().map(|value| value * scale).collect();
    let mut whole: Vec<i32> = exact.iter().map(|value| libm::floor(*value) as i32).collect();
    let lost = |i: &usize| exact[*i] - libm::floor(exact[*i]);
    let missing = libm::round((0..exact.len()).map(|i| lost(&i)).sum()) as usize;
    let mut order: Vec<usize> = (0..exact.len()).collect();
    order.sort_by(|a, b| lost(b).total_cmp(&lost(a)));
    order[..missing].iter().for_each(|i| whole[*i] += 1);
    whole
}

impl Factors {
    /// Products of both passes.
    pub fn products(&self) -> usize {
        self.down.len() + self.across.len()
    }

    /// The factors of weights in rows of `columns`, where every row is a multiple of one, and two passes take fewer products.
    /// Sums are integers that fit, so the order of additions changes no result.
    fn of(columns: usize, values: &[i32]) -> Option<Factors> {
        let rows: Vec<&[i32]> = values.chunks(columns).collect();
        let first = rows.iter().find(|row| row.iter().any(|value| *value != 0))?;
        let common = first.iter().fold(0, |common, value| gcd(common, value.abs()));
        let across: Vec<i32> = first.iter().map(|value| value / common).collect();
        let lead = across.iter().position(|value| *value != 0)?;
        let down: Vec<i32> = rows.iter().map(|row| row[lead] / across[lead]).collect();
        let is_product = |(row, down): (&&[i32], &i32)| row.iter().zip(&across).all(|(value, a)| *value == a * down);
        let (is_rank_one, down) = (rows.iter().zip(&down).all(is_product), taps(&down));
        let factors = Factors { down, across: taps(&across) };
        (is_rank_one && factors.products() < taps(values).len()).then_some(factors)
    }
}

/// The weights that are not 0.
fn taps(values: &[i32]) -> Vec<Tap> {
    let taps = values.iter().enumerate().map(|(index, weight)| Tap { index, weight: *weight });
    taps.filter(|tap| tap.weight != 0).collect()
}

fn gcd(a: i32, b: i32) -> i32 {
    if b == 0 { a } else { gcd(b, a % b) }
}
