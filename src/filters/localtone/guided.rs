//! The fast kernel of `people`: guided filters on means of samples.

use super::curves::entry;
use super::grid::{Cpu, Grid, RowWork, Scratch, make_both, some};
use super::plan::{GuidedFilter, People, Plan};
use crate::simd::divide::quotient;

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

impl RowWork for Means<'_> {
    #[inline(always)]
    fn run(self, scratch: &mut Scratch) {
        match self.across {
            4 => self.of::<4>(scratch),
            2 => self.of::<2>(scratch),
            _ => self.of::<1>(scratch),
        }
    }
}

impl Means<'_> {
    /// The rows, each mean of `ACROSS` columns.
    #[inline(always)]
    fn of<const ACROSS: usize>(self, scratch: &mut Scratch) {
        let Means { from, across, down, y, to } = self;
        let columns = &mut scratch.sums[0][..from.width];
        for (i, to) in to.chunks_exact_mut(from.width.div_ceil(across)).enumerate() {
            let rows = (y + i) * down..((y + i + 1) * down).min(from.height);
            columns.fill(0);
            for y in rows.clone() {
                columns.iter_mut().zip(from.row(y)).for_each(|(sum, v)| *sum += i32::from(*v));
            }
            let (whole, rest) = columns.as_chunks::<ACROSS>();
            let (to, last) = to.split_at_mut(whole.len());
            let count = (ACROSS * rows.len()) as i32;
            for (to, columns) in to.iter_mut().zip(whole) {
                let mut sum = count / 2;
                for column in columns {
                    sum += column;
                }
                *to = quotient(sum, count);
            }
            if let [last] = last {
                let count = (rest.len() * rows.len()) as i32;
                *last = (rest.iter().sum::<i32>() + count / 2) / count;
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

impl RowWork for Lines<'_> {
    #[inline(always)]
    fn run(self, scratch: &mut Scratch) {
        let Lines { means, numbers, y, to: [slopes, offsets] } = self;
        let (width, reach) = (means.width, numbers.reach);
        let (columns, rest) = scratch.wide[..4 * width].split_at_mut(2 * width);
        let (columns, (sums, squares)) = (columns.as_chunks_mut::<2>().0, rest.split_at_mut(width));
        columns.fill([0; 2]);
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
                (y - reach_rows..=y + reach_rows).for_each(|y| add(columns, means.near(y), 1));
            } else {
                add(columns, means.near(y + reach_rows), 1);
                add(columns, means.near(y - reach_rows - 1), u64::MAX);
            }
            for ((to, to_squares), [sum, squares]) in
                sums.iter_mut().zip(&mut *squares).zip(Sliding::new(columns, reach))
            {
                (*to, *to_squares) = (sum, squares);
            }
            // In a loop of its own, which is vectors: sums that slide are made one after the other.
            let lines = slopes.iter_mut().zip(offsets).zip(sums.iter().zip(&*squares));
            for ((slope, offset), (sum, squares)) in lines {
                (*slope, *offset) = numbers.line(*sum, *squares);
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

/// Bits of what [`Blur`] is given: means, slopes in 16384ths and offsets in sixteenths.
const BITS: u32 = 18;

/// Rows of rounded means over windows.
struct Blur<'a> {
    from: &'a Grid<i32>,
    reach: usize,
    y: usize,
    to: &'a mut [i32],
}

impl RowWork for Blur<'_> {
    #[inline(always)]
    fn run(self, scratch: &mut Scratch) {
        let Blur { from, reach, y, to } = self;
        let (columns, sums) = scratch.wide[..2 * from.width].split_at_mut(from.width);
        let columns = columns.as_chunks_mut::<1>().0;
        columns.fill([0]);
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
            // They are made one after the other, and divided in vectors.
            let windows = Sliding::new(columns, reach);
            if count < 1 << (31 - BITS) {
                to.iter_mut().zip(windows).for_each(|(to, [sum])| *to = (sum + count / 2) as i32);
                to.iter_mut().for_each(|to| *to = quotient(*to, count as i32));
            } else {
                sums.iter_mut().zip(windows).for_each(|(to, [sum])| *to = sum + count / 2);
                for (to, sum) in to.iter_mut().zip(&*sums) {
                    // Below 2^53 a quotient of floats is on the right side of every whole number.
                    // SAFETY: a mean is no more than what it is of.
                    *to = unsafe { (*sum as f64 / count as f64).to_int_unchecked::<i32>() };
                }
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

impl RowWork for PeopleRows<'_> {
    #[inline(always)]
    fn run(self, scratch: &mut Scratch) {
        let PeopleRows { plan, numbers, planes, light, y, made } = self;
        let width = light.width;
        let [columns, rows @ ..] = &mut scratch.sums;
        let mut rows: [_; 5] = some(rows, width);
        let [base, pointwise, of_middle, of_details] = some(&mut scratch.lanes, width);
        for (i, made) in made.chunks_exact_mut(width).enumerate() {
            let y = y + i;
            for (k, (plane, row)) in planes.iter().zip(&mut rows).enumerate() {
                match k {
                    2 | 3 => enlarge::<2>(plane, y, columns, row),
                    _ => enlarge::<4>(plane, y, columns, row),
                }
            }
            let light = light.row(y);
            // Structures take the places of the slopes, and the wide base that of its offsets.
            let [middle, wide, details, offsets, skin] = rows.each_mut().map(|row| &mut row[..width]);
            for x in 0..width {
                let light = i32::from(light[x]);
                let base = |slope: i32, offset: i32| (slope * light + (offset << 10) + (1 << 13)) >> 14;
                let fine = base(details[x], offsets[x]);
                wide[x] = base(middle[x], wide[x]);
                (middle[x], details[x]) = (fine - wide[x], light - fine);
            }
            // What is looked up is looked up in loops of its own: the rest is vectors.
            base.iter_mut().zip(&*wide).for_each(|(to, v)| *to = entry(&numbers.curve, *v as usize));
            pointwise.iter_mut().zip(light).for_each(|(to, v)| *to = entry(&numbers.curve, usize::from(*v)));
            of_middle.iter_mut().zip(&*middle).for_each(|(to, c)| *to = numbers.share(*c));
            of_details.iter_mut().zip(&*details).for_each(|(to, c)| *to = numbers.share(*c));
            let made = &mut made[..width];
            for x in 0..width {
                let shares = [of_middle[x].into(), of_details[x].into()];
                let detail = numbers.detail([middle[x], details[x]], shares, skin[x]);
                let local = People::local(wide[x], base[x].into(), detail);
                made[x] = plan.mixed(light[x].into(), local, pointwise[x].into()) as u16;
            }
            plan.end(made);
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
    // The first places lie before the first middle, the others in whole steps from there.
    let (first, others) = to.split_at_mut((K / 2).min(to.len()));
    between::<K>(columns[0], columns[1], K / 2, first);
    let (steps, last) = others.as_chunks_mut::<K>();
    let (left, right) = (&columns[1..][..steps.len()], &columns[2..][..steps.len()]);
    for ((step, left), right) in steps.iter_mut().zip(left).zip(right) {
        between::<K>(*left, *right, 0, step);
    }
    let at = 1 + steps.len();
    between::<K>(columns[at], columns[at + 1], 0, last);
}

/// Values on the line between two sums of columns, from place `first` of `K` on. None is negative.
#[inline(always)]
fn between<const K: usize>(left: i32, right: i32, first: usize, to: &mut [i32]) {
    const { assert!(K.is_power_of_two()) };
    let (step, bits) = (right - left, 2 * K.ilog2() + 2);
    let mut sum = 2 * K as i32 * left + (2 * first as i32 + 1) * step + (1 << (bits - 1));
    for to in to {
        *to = sum >> bits;
        sum += 2 * step;
    }
}
