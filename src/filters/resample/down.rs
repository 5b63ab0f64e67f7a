//! Weighted sums along columns: many columns of few rows at a time.

use std::array::from_fn;

/// Rows that are weighed in one go at most: their sums stay in registers meanwhile.
const MOST: usize = 8;

/// Weighs rows, from the first to the last, and puts into `out` what `end` makes of each sum. Where rows are many, `sums` holds
/// what has been added so far.
#[inline(always)]
pub fn weigh<'a, U>(
    row: impl Fn(usize) -> &'a [f32],
    weights: &[f32],
    sums: &mut [f32],
    out: &mut [U],
    end: impl Fn(f32) -> U,
) {
    let mut done = 0;
    while weights.len() - done > MOST {
        let rows = from_fn(|i| row(done + i));
        add::<MOST>(done == 0, rows, &weights[done..], sums);
        done += MOST;
    }
    let (first, weights, before) = (done == 0, &weights[done..], &*sums);
    let row = |i: usize| row(done + i);
    match weights.len() {
        1 => last::<1, U>(first, from_fn(row), weights, before, out, end),
        2 => last::<2, U>(first, from_fn(row), weights, before, out, end),
        3 => last::<3, U>(first, from_fn(row), weights, before, out, end),
        4 => last::<4, U>(first, from_fn(row), weights, before, out, end),
        5 => last::<5, U>(first, from_fn(row), weights, before, out, end),
        6 => last::<6, U>(first, from_fn(row), weights, before, out, end),
        7 => last::<7, U>(first, from_fn(row), weights, before, out, end),
        _ => last::<MOST, U>(first, from_fn(row), weights, before, out, end),
    }
}

/// Adds `N` weighed rows to the sums, which begin with the `first`.
#[inline(always)]
fn add<const N: usize>(first: bool, rows: [&[f32]; N], weights: &[f32], sums: &mut [f32]) {
    let (rows, weights): (_, [f32; N]) = (rows.map(|row| &row[..sums.len()]), from_fn(|i| weights[i]));
    for (x, sum) in sums.iter_mut().enumerate() {
        let mut value = if first { 0.0 } else { *sum };
        for (row, weight) in rows.iter().zip(&weights) {
            value = row[x].mul_add(*weight, value);
        }
        *sum = value;
    }
}

/// The last `N` rows.
#[inline(always)]
fn last<const N: usize, U>(
    first: bool,
    rows: [&[f32]; N],
    weights: &[f32],
    before: &[f32],
    out: &mut [U],
    end: impl Fn(f32) -> U,
) {
    let (rows, weights): (_, [f32; N]) = (rows.map(|row| &row[..out.len()]), from_fn(|i| weights[i]));
    let weighed =
        |x: usize, begin: f32| rows.iter().zip(&weights).fold(begin, |sum, (row, weight)| row[x].mul_add(*weight, sum));
    match first {
        true => out.iter_mut().enumerate().for_each(|(x, out)| *out = end(weighed(x, 0.0))),
        false => {
            out.iter_mut().zip(before).enumerate().for_each(|(x, (out, before))| *out = end(weighed(x, *before)));
        }
    }
}
