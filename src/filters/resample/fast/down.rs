//! Weighted sums along columns: many columns of few rows at a time. Loops are plain ones: what iterators do by themselves is
//! compiled without the vector level of who calls them.

/// Rows that are weighed in one go at most: their sums stay in registers meanwhile.
const MOST: usize = 8;

/// Does `$weighed::<N>` for the `N` of 1 to [`MOST`] that `$len` is.
macro_rules! by_count {
    ($len:expr, $weighed:ident($($arg:expr),*)) => {
        match $len {
            1 => $weighed::<1>($($arg),*),
            2 => $weighed::<2>($($arg),*),
            3 => $weighed::<3>($($arg),*),
            4 => $weighed::<4>($($arg),*),
            5 => $weighed::<5>($($arg),*),
            6 => $weighed::<6>($($arg),*),
            7 => $weighed::<7>($($arg),*),
            _ => $weighed::<MOST>($($arg),*),
        }
    };
}

/// Weighs rows, from the first to the last, and puts each sum into `out`. Where rows are many, `sums` holds
/// what has been added so far.
#[inline(always)]
pub fn weigh<'a>(row: impl Fn(usize) -> &'a [f32], weights: &[f32], sums: &mut [f32], out: &mut [f32]) {
    let mut done = 0;
    while weights.len() - done > MOST {
        add::<MOST>(done == 0, rows(&row, done, sums.len()), array(weights, done), sums);
        done += MOST;
    }
    match done {
        0 => by_count!(weights.len(), last(&row, 0, weights, None, out)),
        _ => {
            let before = Some(&sums[..out.len()]);
            by_count!(weights.len() - done, last(&row, done, weights, before, out))
        }
    }
}

/// `N` rows, from row `from` on, each as long as `len`.
#[inline(always)]
fn rows<'a, const N: usize>(row: &impl Fn(usize) -> &'a [f32], from: usize, len: usize) -> [&'a [f32]; N] {
    let mut rows: [&[f32]; N] = [&[]; N];
    for (i, slot) in rows.iter_mut().enumerate() {
        *slot = &row(from + i)[..len];
    }
    rows
}

/// `N` weights, from weight `from` on.
#[inline(always)]
fn array<const N: usize>(weights: &[f32], from: usize) -> [f32; N] {
    let mut array = [0.0; N];
    array.copy_from_slice(&weights[from..from + N]);
    array
}

/// Adds `N` weighed rows to the sums, which begin with the `first`.
#[inline(always)]
fn add<const N: usize>(first: bool, rows: [&[f32]; N], weights: [f32; N], sums: &mut [f32]) {
    for x in 0..sums.len() {
        let mut sum = if first { 0.0 } else { sums[x] };
        for k in 0..N {
            sum = rows[k][x].mul_add(weights[k], sum);
        }
        sums[x] = sum;
    }
}

/// The last `N` rows, added to what `before` has of each column.
#[inline(always)]
fn last<'a, const N: usize>(
    row: &impl Fn(usize) -> &'a [f32],
    done: usize,
    weights: &[f32],
    before: Option<&[f32]>,
    out: &mut [f32],
) {
    let (rows, weights) = (rows::<N>(row, done, out.len()), array::<N>(weights, done));
    for x in 0..out.len() {
        let mut sum = match before {
            Some(before) => before[x],
            None => 0.0,
        };
        for k in 0..N {
            sum = rows[k][x].mul_add(weights[k], sum);
        }
        out[x] = sum;
    }
}
