//! Rows of a pyramid: halved with binomial weights, enlarged, and collapsed.

use super::grid::{Cpu, Grid, RowWork, Scratch, some};
use super::plan::{Plan, Pyramid};
use super::tuning::cpu::PART;

/// Levels of one picture from the first half on.
pub fn levels<T: Copy + Default + Send>(pyramid: &Pyramid) -> Vec<Grid<T>> {
    pyramid.sizes[1..].iter().map(|size| Grid::new(*size)).collect()
}

/// Fills `levels` with the halves of what `tables` make of `first`.
pub fn fill<T>(cpu: Cpu<'_>, first: &Grid<T>, table: &[i16], levels: &mut [Grid<i16>])
where
    T: Copy + Default + Send + Sync + Into<i32>,
{
    for level in 0..levels.len() {
        let (before, rest) = levels.split_at_mut(level);
        match before.last() {
            None => rest[0].make(cpu, |y, to| cpu.work(DownTable { from: first, table, y, to })),
            Some(from) => rest[0].make(cpu, |y, to| cpu.work(Down { from, y, to })),
        }
    }
}

/// Rows of half of a plane.
struct Down<'a> {
    from: &'a Grid<i16>,
    y: usize,
    to: &'a mut [i16],
}

impl RowWork for Down<'_> {
    #[inline(always)]
    fn run(self, scratch: &mut Scratch) {
        let Down { from, y, to } = self;
        let columns = &mut scratch.sums[0][..from.width + 4];
        for (i, to) in to.chunks_exact_mut(from.width.div_ceil(2)).enumerate() {
            let middle = 2 * (y + i) as isize;
            down_row([-2, -1, 0, 1, 2].map(|dy| from.near(middle + dy)), columns, to);
        }
    }
}

/// Rows of half of what a table makes of a plane.
struct DownTable<'a, T> {
    from: &'a Grid<T>,
    table: &'a [i16],
    y: usize,
    to: &'a mut [i16],
}

impl<T: Copy + Default + Send + Into<i32>> RowWork for DownTable<'_, T> {
    #[inline(always)]
    fn run(self, scratch: &mut Scratch) {
        let DownTable { from, table, y, to } = self;
        let (width, height) = (from.width, from.height as isize);
        let columns = &mut scratch.sums[0][..width + 4];
        // The rows that are read, each looked up once: row `r` of the plane is in place `r % 5`.
        let rows: [_; 5] = some(&mut scratch.values, width);
        let mut known = -1;
        for (i, to) in to.chunks_exact_mut(width.div_ceil(2)).enumerate() {
            let middle = 2 * (y + i) as isize;
            let last = (middle + 2).min(height - 1);
            for row in (known + 1).max(middle - 2).max(0)..=last {
                let read = from.row(row as usize);
                for (to, v) in rows[row as usize % 5].iter_mut().zip(read) {
                    *to = table[Into::<i32>::into(*v) as usize];
                }
            }
            known = last;
            let row = |dy: isize| &*rows[(middle + dy).clamp(0, height - 1) as usize % 5];
            down_row([-2, -1, 0, 1, 2].map(row), columns, to);
        }
    }
}

/// A row of half of five rows; `columns` has room for four samples more than they have.
#[inline(always)]
fn down_row(rows: [&[i16]; 5], columns: &mut [i32], to: &mut [i16]) {
    let width = rows[0].len();
    let [a, b, c, d, e] = rows.map(|row| &row[..width]);
    let inside = &mut columns[2..2 + width];
    for (i, sum) in inside.iter_mut().enumerate() {
        let [a, b, c, d, e] = [a[i], b[i], c[i], d[i], e[i]].map(i32::from);
        *sum = a + e + 4 * (b + d) + 6 * c;
    }
    let (first, last) = (columns[2], columns[width + 1]);
    columns[..2].fill(first);
    columns[width + 2..].fill(last);
    for (x, to) in to.iter_mut().enumerate() {
        let v = &columns[2 * x..2 * x + 5];
        *to = ((v[0] + v[4] + 4 * (v[1] + v[3]) + 6 * v[2] + 128) >> 8) as i16;
    }
}

/// Part of row `y` of the double of `half`, from the even column `x` on. `sums` has room for half as many samples and two.
#[inline(always)]
pub fn up_part(half: &Grid<i16>, x: usize, y: usize, sums: &mut [i32], to: &mut [i32]) {
    let (first, count) = (x / 2, to.len().div_ceil(2));
    let near = |dy: isize| half.near((y / 2) as isize + dy);
    let [above, here, below] = [near(-1), near(0), near(1)];
    let even = y.is_multiple_of(2);
    let column = |i: usize| {
        let [a, b, c] = [above[i], here[i], below[i]].map(i32::from);
        if even { a + 6 * b + c } else { 4 * (b + c) }
    };
    sums[0] = column(first.saturating_sub(1));
    sums[count + 1] = column((first + count).min(half.width - 1));
    let inside = &mut sums[1..=count];
    let [above, here, below] = [above, here, below].map(|row| &row[first..first + count]);
    if even {
        for (i, sum) in inside.iter_mut().enumerate() {
            *sum = i32::from(above[i]) + 6 * i32::from(here[i]) + i32::from(below[i]);
        }
    } else {
        for (i, sum) in inside.iter_mut().enumerate() {
            *sum = 4 * (i32::from(here[i]) + i32::from(below[i]));
        }
    }
    let sums = &sums[..count + 2];
    let (pairs, odd) = to.as_chunks_mut::<2>();
    for (i, pair) in pairs.iter_mut().enumerate() {
        *pair = [(sums[i] + 6 * sums[i + 1] + sums[i + 2] + 32) >> 6, (4 * (sums[i + 1] + sums[i + 2]) + 32) >> 6];
    }
    if let [odd] = odd {
        *odd = (sums[count - 1] + 6 * sums[count] + sums[count + 1] + 32) >> 6;
    }
}

/// Adds to `sums` what coefficients of `level` become.
#[inline(always)]
pub fn amplify_part(pyramid: &Pyramid, level: usize, coefficients: &[i32], sums: &mut [i32]) {
    let mut shares = [0; PART];
    let shares = &mut shares[..coefficients.len()];
    if pyramid.amounts[level] != 0 {
        shares.iter_mut().zip(coefficients).for_each(|(share, c)| *share = pyramid.share(*c));
    }
    for ((sum, c), share) in sums.iter_mut().zip(coefficients).zip(shares) {
        *sum += pyramid.amplified(level, *c, i32::from(*share));
    }
}

/// What rows of a level become, and where they go.
pub enum LevelTarget<'a> {
    /// A level that is enlarged again.
    Level(&'a mut [i16]),
    /// The picture: light, and what the pointwise method makes of it.
    Light { plan: &'a Plan, light: &'a Grid<u16>, base: &'a [i16], made: &'a mut [u16] },
}

impl LevelTarget<'_> {
    /// Rows of `width` samples.
    pub fn rows(&self, width: usize) -> usize {
        match self {
            LevelTarget::Level(to) => to.len() / width,
            LevelTarget::Light { made, .. } => made.len() / width,
        }
    }

    /// Takes row `i` from column `x` on, which is row `y` of the plane.
    #[inline(always)]
    pub fn put(&mut self, width: usize, (x, i): (usize, usize), y: usize, values: &[i32]) {
        match self {
            LevelTarget::Level(to) => {
                let to = &mut to[i * width + x..][..values.len()];
                to.iter_mut().zip(values).for_each(|(to, v)| *to = (*v).clamp(-32_768, 32_767) as i16);
            }
            LevelTarget::Light { plan, light, base, made } => {
                let made = &mut made[i * width + x..][..values.len()];
                let light = &light.row(y)[x..][..values.len()];
                let mut bases = [0; PART];
                let bases = &mut bases[..values.len()];
                // What is looked up is looked up first: the rest is vectors.
                bases.iter_mut().zip(light).for_each(|(to, light)| *to = base[usize::from(*light)]);
                for (((made, v), light), base) in made.iter_mut().zip(values).zip(light).zip(bases) {
                    let local = (*v).clamp(-32_768, 32_767);
                    *made = plan.mixed(i32::from(*light), local, i32::from(*base)) as u16;
                }
                plan.end(made);
            }
        }
    }
}
