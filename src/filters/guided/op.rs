//! Lines of all windows of a plane, and the means of lines: by sums that run along.

use super::MOST;
use super::line::Numbers;
use crate::filters::window::{Grid, Tile, WindowOp, repeat_border, tuning::cpu::BAND, tuning::cpu::COLUMNS};

/// Columns of a tile and of all that its windows reach, twice, and one.
const ROOM: usize = COLUMNS + 4 * MOST + 1;

/// The operation.
#[derive(Clone, Debug)]
pub struct Guided {
    /// Of one window.
    pub radius: usize,
    /// What sums become lines by.
    pub numbers: Numbers,
}

impl WindowOp for Guided {
    fn radius(&self) -> (usize, usize) {
        (2 * self.radius, 2 * self.radius)
    }

    fn band(&self) -> usize {
        BAND.max(4 * self.radius)
    }

    fn plain(&self, src: &Grid) -> Grid {
        let radii = (self.radius, self.radius);
        let [slopes, offsets] = src.map_both(|x, y| {
            let add = |(sum, squares): (u32, u64), v| (sum + u32::from(v), squares + u64::from(v) * u64::from(v));
            let (sum, squares) = src.window(radii, x, y).fold((0, 0), add);
            self.numbers.line(sum, squares)
        });
        src.map(|x, y| {
            let sum = |of: &Grid| of.window(radii, x, y).map(u32::from).sum();
            self.numbers.result(src.at(x, y), sum(&slopes), sum(&offsets))
        })
    }

    #[inline(always)]
    fn tile(&self, tile: &mut Tile) {
        self.make_lines(tile);
        self.make_results(tile);
    }
}

impl Guided {
    /// Puts slopes and offsets of the tile's part, and of the radius around it, into its spare lanes.
    #[inline(always)]
    fn make_lines(&self, tile: &mut Tile) {
        let (radius, numbers, stride) = (self.radius, self.numbers, tile.stride);
        let (wide, high) = (tile.columns.len() + 2 * radius, tile.rows.len() + 2 * radius);
        let inside = tile.inside((radius, radius));
        let Tile { lanes, spare: [slopes, offsets], .. } = tile;
        let (mut columns, mut columns_of_squares) = ([0; ROOM], [0; ROOM]);
        let (mut sums, mut sums_of_squares) = ([0; ROOM], [0; ROOM]);
        for row in 0..high {
            let lanes = |row: usize| &lanes[row * stride..][..wide + 2 * radius];
            run_down(row, radius, |row, enters| {
                add(&mut columns, lanes(row), |column: u32, v| match enters {
                    true => column + u32::from(v),
                    false => column - u32::from(v),
                });
                add(&mut columns_of_squares, lanes(row), |column: u64, v| {
                    let square = u64::from(u32::from(v) * u32::from(v));
                    if enters { column + square } else { column - square }
                });
            });
            run_across(&columns[..wide + 2 * radius], &mut sums, u32::wrapping_add);
            run_across(&columns_of_squares[..wide + 2 * radius], &mut sums_of_squares, u64::wrapping_add);
            let (slopes, offsets) = (&mut slopes[row * stride..][..wide], &mut offsets[row * stride..][..wide]);
            let (before, upto) = (&sums[..wide], &sums[2 * radius + 1..][..wide]);
            let (before_2, upto_2) = (&sums_of_squares[..wide], &sums_of_squares[2 * radius + 1..][..wide]);
            for x in 0..wide {
                (slopes[x], offsets[x]) = numbers.line(upto[x].wrapping_sub(before[x]), upto_2[x] - before_2[x]);
            }
        }
        repeat_border(slopes, stride, (wide, high), inside.clone());
        repeat_border(offsets, stride, (wide, high), inside);
    }

    /// The results, from the lines.
    #[inline(always)]
    fn make_results(&self, tile: &mut Tile) {
        let (radius, numbers, stride, len) = (self.radius, self.numbers, tile.stride, tile.columns.len());
        let Tile { lanes, spare: lines, out, rows, .. } = tile;
        let wide = len + 2 * radius;
        let mut columns = [[0; ROOM]; 2];
        let mut sums = [[0; ROOM]; 2];
        for (row, out) in out.chunks_mut(len).enumerate().take(rows.len()) {
            for ((lines, columns), sums) in lines.iter().zip(&mut columns).zip(&mut sums) {
                run_down(row, radius, |row, enters| {
                    add(columns, &lines[row * stride..][..wide], |column: u32, v| match enters {
                        true => column + u32::from(v),
                        false => column - u32::from(v),
                    });
                });
                run_across(&columns[..wide], sums, u32::wrapping_add);
            }
            let own = &lanes[(row + 2 * radius) * stride + 2 * radius..][..len];
            let [slopes, offsets] = &sums;
            let window = |sums: &[u32; ROOM], x: usize| sums[x + 2 * radius + 1].wrapping_sub(sums[x]);
            for (x, (out, lane)) in out.iter_mut().zip(own).enumerate() {
                *out = numbers.result(*lane, window(slopes, x), window(offsets, x));
            }
        }
    }
}

/// Calls `add` with the rows that enter windows whose first row is `row`, and with the one that leaves them: at the first row,
/// all of the window enter.
#[inline(always)]
fn run_down(row: usize, radius: usize, mut add: impl FnMut(usize, bool)) {
    if row == 0 {
        (0..2 * radius).for_each(|row| add(row, true));
    } else {
        add(row - 1, false);
    }
    add(row + 2 * radius, true);
}

#[inline(always)]
fn add<S: Copy>(columns: &mut [S; ROOM], lanes: &[u16], value: impl Fn(S, u16) -> S) {
    for (column, lane) in columns[..lanes.len()].iter_mut().zip(lanes) {
        *column = value(*column, *lane);
    }
}

/// Sums of the first columns: of none, of one, and so on. The sum of a window is the difference of two.
#[inline(always)]
fn run_across<S: Copy + Default>(columns: &[S], sums: &mut [S; ROOM], plus: impl Fn(S, S) -> S) {
    let mut sum = S::default();
    sums[0] = sum;
    for (to, column) in sums[1..].iter_mut().zip(columns) {
        sum = plus(sum, *column);
        *to = sum;
    }
}
