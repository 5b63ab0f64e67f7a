//! The fast kernel of `people`: guided filters on means of samples.

use super::grid::{Cpu, Grid, make_both};
use super::plan::{GuidedFilter, People, Plan};
use crate::simd::dispatch::Work;

/// A guided filter's planes: means, and what the base follows of the guide (slope, offset) before and after it is smoothed.
struct GuidedPlanes {
    means: Grid<i32>,
    lines: [Grid<i32>; 2],
    smooth: [Grid<i32>; 2],
}

impl GuidedPlanes {
    fn new(numbers: &GuidedFilter, width: usize, height: usize) -> GuidedPlanes {
        let grid = || Grid::new(numbers.size(width, height));
        GuidedPlanes { means: grid(), lines: [grid(), grid()], smooth: [grid(), grid()] }
    }

    fn run(&mut self, cpu: Cpu<'_>, numbers: &GuidedFilter, light: &Grid<u16>) {
        let GuidedPlanes { means, lines: [slopes, offsets], smooth } = self;
        let (across, down) = (numbers.mean, numbers.mean);
        means.make(cpu, |y, to| cpu.work(Means { from: light, across, down, y, to }));
        make_both([slopes, offsets], cpu, |y, to| cpu.work(Lines { means, numbers, y, to }));
        for (from, to) in [slopes, offsets].into_iter().zip(smooth) {
            to.make(cpu, |y, to| cpu.work(Blur { from, reach: numbers.reach, y, to }));
        }
    }
}

/// What `people` works in.
pub struct PeopleKernel {
    wide: GuidedPlanes,
    fine: GuidedPlanes,
    /// Skin: of blocks of 4×4 samples, and its means.
    skin: [Grid<i32>; 2],
}

impl PeopleKernel {
    pub fn new(numbers: &People, width: usize, height: usize) -> PeopleKernel {
        let skin = || Grid::new((width.div_ceil(4), height.div_ceil(4)));
        PeopleKernel {
            wide: GuidedPlanes::new(&numbers.wide, width, height),
            fine: GuidedPlanes::new(&numbers.fine, width, height),
            skin: [skin(), skin()],
        }
    }

    /// Makes `made` of `light`, where `mask` says what is skin, at every place of chroma.
    pub fn run(
        &mut self,
        cpu: Cpu<'_>,
        plan: &Plan,
        numbers: &People,
        mask: Option<&Grid<u16>>,
        light: &Grid<u16>,
        made: &mut Grid<u16>,
    ) {
        let PeopleKernel { wide, fine, skin: [blocks, skin] } = self;
        wide.run(cpu, &numbers.wide, light);
        fine.run(cpu, &numbers.fine, light);
        if let Some(mask) = mask {
            let (across, down) = (4 >> plan.halved.0, 4 >> plan.halved.1);
            blocks.make(cpu, |y, to| cpu.work(Means { from: mask, across, down, y, to }));
            skin.make(cpu, |y, to| cpu.work(Blur { from: blocks, reach: 2, y, to }));
        }
        let planes = [&wide.smooth[0], &wide.smooth[1], &fine.smooth[0], &fine.smooth[1], skin];
        made.make(cpu, |y, made| cpu.work(PeopleRows { plan, numbers, planes, light, y, made }));
    }
}

/// Rows of rounded means, as far as there are samples.
struct Means<'a> {
    from: &'a Grid<u16>,
    across: usize,
    down: usize,
    y: usize,
    to: &'a mut [i32],
}

impl Work for Means<'_> {
    #[inline(always)]
    fn run(self) {
        let Means { from, across, down, y, to } = self;
        let mut columns = vec![0; from.width];
        for (i, to) in to.chunks_exact_mut(from.width.div_ceil(across)).enumerate() {
            let rows = (y + i) * down..((y + i + 1) * down).min(from.height);
            columns.fill(0);
            for y in rows.clone() {
                columns.iter_mut().zip(from.row(y)).for_each(|(sum, v)| *sum += i32::from(*v));
            }
            for (to, columns) in to.iter_mut().zip(columns.chunks(across)) {
                let count = (columns.len() * rows.len()) as i32;
                *to = (columns.iter().sum::<i32>() + count / 2) / count;
            }
        }
    }
}

/// Rows of slopes and offsets.
struct Lines<'a> {
    means: &'a Grid<i32>,
    numbers: &'a GuidedFilter,
    y: usize,
    to: [&'a mut [i32]; 2],
}

impl Work for Lines<'_> {
    #[inline(always)]
    fn run(self) {
        let Lines { means, numbers, y, to: [slopes, offsets] } = self;
        let (width, reach) = (means.width, numbers.reach);
        let mut columns = vec![[0u64; 2]; width];
        let add = |columns: &mut [[u64; 2]], row: &[i32], sign: u64| {
            for (sum, v) in columns.iter_mut().zip(row) {
                let v = *v as u64;
                *sum = [sum[0].wrapping_add(sign.wrapping_mul(v)), sum[1].wrapping_add(sign.wrapping_mul(v * v))];
            }
        };
        let rows = slopes.chunks_exact_mut(width).zip(offsets.chunks_exact_mut(width));
        for (i, (slopes, offsets)) in rows.enumerate() {
            let (y, reach_rows) = ((y + i) as isize, reach as isize);
            if i == 0 {
                (y - reach_rows..=y + reach_rows).for_each(|y| add(&mut columns, means.near(y), 1));
            } else {
                add(&mut columns, means.near(y + reach_rows), 1);
                add(&mut columns, means.near(y - reach_rows - 1), u64::MAX);
            }
            let sums = Sliding::new(&columns, reach).map(|[sum, squares]| numbers.line(sum, squares));
            for ((slope, offset), line) in slopes.iter_mut().zip(offsets).zip(sums) {
                (*slope, *offset) = line;
            }
        }
    }
}

/// Sums over windows of a row, which reach to both sides; beyond its ends the last of it counts.
struct Sliding<'a, const N: usize> {
    row: &'a [[u64; N]],
    reach: usize,
    x: usize,
    sums: [u64; N],
}

impl<'a, const N: usize> Sliding<'a, N> {
    #[inline(always)]
    fn new(row: &'a [[u64; N]], reach: usize) -> Sliding<'a, N> {
        let mut sums = [0; N];
        // The window before the first: one place to the left.
        for x in -(reach as isize) - 1..reach as isize {
            let at = row[x.clamp(0, row.len() as isize - 1) as usize];
            sums.iter_mut().zip(at).for_each(|(sum, v)| *sum += v);
        }
        Sliding { row, reach, x: 0, sums }
    }
}

impl<const N: usize> Iterator for Sliding<'_, N> {
    type Item = [u64; N];

    #[inline(always)]
    fn next(&mut self) -> Option<[u64; N]> {
        let Sliding { row, reach, x, sums } = self;
        if *x >= row.len() {
            return None;
        }
        let (new, old) = (row[(*x + *reach).min(row.len() - 1)], row[x.saturating_sub(*reach + 1)]);
        for (sum, (new, old)) in sums.iter_mut().zip(new.into_iter().zip(old)) {
            *sum = *sum + new - old;
        }
        *x += 1;
        Some(*sums)
    }
}

/// Rows of rounded means over windows.
struct Blur<'a> {
    from: &'a Grid<i32>,
    reach: usize,
    y: usize,
    to: &'a mut [i32],
}

impl Work for Blur<'_> {
    #[inline(always)]
    fn run(self) {
        let Blur { from, reach, y, to } = self;
        let mut columns = vec![[0u64; 1]; from.width];
        // Below 2^53 a quotient of floats is on the right side of every whole number.
        let count = ((2 * reach + 1) * (2 * reach + 1)) as u64;
        for (i, to) in to.chunks_exact_mut(from.width).enumerate() {
            let (y, reach_rows) = ((y + i) as isize, reach as isize);
            if i == 0 {
                for y in y - reach_rows..=y + reach_rows {
                    columns.iter_mut().zip(from.near(y)).for_each(|(sum, v)| sum[0] += *v as u64);
                }
            } else {
                let rows = from.near(y + reach_rows).iter().zip(from.near(y - reach_rows - 1));
                columns.iter_mut().zip(rows).for_each(|(sum, (new, old))| sum[0] = sum[0] + *new as u64 - *old as u64);
            }
            for (to, [sum]) in to.iter_mut().zip(Sliding::new(&columns, reach)) {
                *to = ((sum + count / 2) as f64 / count as f64) as i32;
            }
        }
    }
}

/// Rows of the result.
struct PeopleRows<'a> {
    plan: &'a Plan,
    numbers: &'a People,
    /// Slopes and offsets of the wide filter and of the fine one, and skin.
    planes: [&'a Grid<i32>; 5],
    light: &'a Grid<u16>,
    y: usize,
    made: &'a mut [u16],
}

impl Work for PeopleRows<'_> {
    #[inline(always)]
    fn run(self) {
        let PeopleRows { plan, numbers, planes, light, y, made } = self;
        let width = light.width;
        let mut columns = vec![0; width + 2];
        let mut rows: [Vec<i32>; 5] = std::array::from_fn(|_| vec![0; width]);
        for (i, made) in made.chunks_exact_mut(width).enumerate() {
            let y = y + i;
            for (k, (plane, row)) in planes.iter().zip(&mut rows).enumerate() {
                match k {
                    2 | 3 => enlarge::<2>(plane, y, &mut columns, row),
                    _ => enlarge::<4>(plane, y, &mut columns, row),
                }
            }
            for (x, (made, light)) in made.iter_mut().zip(light.row(y)).enumerate() {
                let light = i32::from(*light);
                let [wide_slope, wide_offset, slope, offset, skin] = rows.each_ref().map(|row| row[x]);
                let base = |slope: i32, offset: i32| (slope * light + (offset << 10) + (1 << 13)) >> 14;
                let (wide, fine) = (base(wide_slope, wide_offset), base(slope, offset));
                let (local, base) = numbers.result(light, wide, fine, skin);
                *made = plan.bounded(light, local, base) as u16;
            }
        }
    }
}

/// Row `y` of a plane `K` times as large, along straight lines between middles.
#[inline(always)]
fn enlarge<const K: usize>(plane: &Grid<i32>, y: usize, columns: &mut [i32], to: &mut [i32]) {
    let all = 2 * K as i32;
    let place = y + K / 2;
    let (above, weight) = ((place / K) as isize - 1, 2 * (place % K) as i32 + 1);
    let columns = &mut columns[..plane.width + 2];
    let inside = &mut columns[1..=plane.width];
    for ((column, a), b) in inside.iter_mut().zip(plane.near(above)).zip(plane.near(above + 1)) {
        *column = (all - weight) * a + weight * b;
    }
    columns[0] = columns[1];
    columns[plane.width + 1] = columns[plane.width];
    for (x, to) in to.iter_mut().enumerate() {
        let (q, t) = ((x + K / 2) / K, (x + K / 2) % K);
        let weight = 2 * t as i32 + 1;
        *to = ((all - weight) * columns[q] + weight * columns[q + 1] + all * all / 2) / (all * all);
    }
}
