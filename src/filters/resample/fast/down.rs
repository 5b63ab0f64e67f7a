//! Weighted sums along columns: many columns of few rows at a time. Loops are plain ones: what iterators do by themselves is
//! compiled without the vector level of who calls them.

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
        add::<MOST>(done == 0, rows(&row, done), &weights[done..], sums);
        done += MOST;
    }
    let (first, weights, before) = (done == 0, &weights[done..], &*sums);
    match weights.len() {
        1 => last::<1, U>(first, rows(&row, done), weights, before, out, end),
        2 => last::<2, U>(first, rows(&row, done), weights, before, out, end),
        3 => last::<3, U>(first, rows(&row, done), weights, before, out, end),
        4 => last::<4, U>(first, rows(&row, done), weights, before, out, end),
        5 => last::<5, U>(first, rows(&row, done), weights, before, out, end),
        6 => last::<6, U>(first, rows(&row, done), weights, before, out, end),
        7 => last::<7, U>(first, rows(&row, done), weights, before, out, end),
        _ => last::<MOST, U>(first, rows(&row, done), weights, before, out, end),
    }
}

/// `N` rows, from row `from` on.
#[inline(always)]
fn rows<'a, const N: usize>(row: &impl Fn(usize) -> &'a [f32], from: usize) -> [&'a [f32]; N] {
    let mut rows: [&[f32]; N] = [&[]; N];
    for (i, slot) in rows.iter_mut().enumerate() {
        *slot = row(from + i);
    }
    rows
}

/// `rows`, each as long as `len`.
#[inline(always)]
fn cut<const N: usize>(mut rows: [&[f32]; N], len: usize) -> [&[f32]; N] {
    for row in &mut rows {
        *row = &row[..len];
    }
    rows
}

/// The weights as an array.
#[inline(always)]
fn array<const N: usize>(weights: &[f32]) -> [f32; N] {
    let mut array = [0.0; N];
    array.copy_from_slice(&weights[..N]);
    array
}

/// Adds `N` weighed rows to the sums, which begin with the `first`.
#[inline(always)]
fn add<const N: usize>(first: bool, rows: [&[f32]; N], weights: &[f32], sums: &mut [f32]) {
    let (rows, weights) = (cut(rows, sums.len()), array::<N>(weights));
    for x in 0..sums.len() {
        let mut sum = if first { 0.0 } else { sums[x] };
        for k in 0..N {
            sum = rows[k][x].mul_add(weights[k], sum);
        }
        sums[x] = sum;
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
    let (rows, weights) = (cut(rows, out.len()), array::<N>(weights));
    if first {
        for x in 0..out.len() {
            let mut sum = 0.0;
            for k in 0..N {
                sum = rows[k][x].mul_add(weights[k], sum);
            }
            out[x] = end(sum);
        }
        return;
    }
    let before = &before[..out.len()];
    for x in 0..out.len() {
        let mut sum = before[x];
        for k in 0..N {
            sum = rows[k][x].mul_add(weights[k], sum);
        }
        out[x] = end(sum);
    }
}
