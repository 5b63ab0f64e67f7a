//! Order statistics of windows, by counting.
//!
//! Loops over columns are as long as a constant says: what is left of others would be done without vectors.

#![allow(clippy::needless_range_loop)]

use crate::filters::window::{Grid, Tile, WindowOp};
use std::array::from_fn;

/// Results side by side: parts of a tile's columns.
const PART: usize = 256;

/// The operation.
#[derive(Clone, Debug)]
pub struct Rank {
    radius: usize,
    /// Samples of the window that are in order before the result.
    pub(super) before: usize,
}

impl Rank {
    /// The sample that has `percent` of the others before it.
    pub fn new(radius: usize, percent: f64) -> Rank {
        let others = (2 * radius + 1).pow(2) - 1;
        Rank { radius, before: libm::floor(percent * others as f64 / 100.0 + 0.5) as usize }
    }
}

impl WindowOp for Rank {
    fn radius(&self) -> (usize, usize) {
        (self.radius, self.radius)
    }

    fn plain(&self, src: &Grid) -> Grid {
        src.map(|x, y| {
            let mut window: Vec<u16> = src.window(self.radius(), x, y).collect();
            window.sort_unstable();
            window[self.before]
        })
    }

    #[inline(always)]
    fn tile(&self, tile: &mut Tile) {
        let len = tile.columns.len();
        for (row, out) in tile.out.chunks_mut(len).enumerate().take(tile.rows.len()) {
            for (x, out) in (0..len).step_by(PART).zip(out.chunks_mut(PART)) {
                let rows = &tile.lanes[row * tile.stride + x..];
                macro_rules! by_radius {
                    ($($window:literal)+) => {
                        match 2 * self.radius + 1 {
                            $( $window => search::<$window>(rows, tile.stride, tile.zeros, self.before as u16), )+
                            _ => unreachable!("the parameter's limits"),
                        }
                    };
                }
                out.copy_from_slice(&by_radius!(3 5 7 9 11 13 15)[..out.len()]);
            }
        }
    }
}

/// The results of the windows of `WINDOW` columns and rows that begin at the first lanes of `rows`, bit by bit from the highest
/// on: a bit is set when no more samples than come before the result are below what then stands there.
#[inline(always)]
fn search<const WINDOW: usize>(rows: &[u16], stride: usize, zeros: u32, before: u16) -> [u16; PART] {
    let (mut results, mut tried, mut below) = ([0; PART], [0; PART], [0; PART]);
    for bit in (zeros..16).rev() {
        for i in 0..PART {
            tried[i] = results[i] | 1 << bit;
            below[i] = 0;
        }
        for row in 0..WINDOW {
            count::<WINDOW>(&mut below, &tried, &rows[row * stride..]);
        }
        for i in 0..PART {
            results[i] |= u16::from(below[i] <= before) << bit;
        }
    }
    results
}

/// Adds the lanes of each window of a row that are below what is tried.
#[inline(always)]
fn count<const WINDOW: usize>(below: &mut [u16; PART], tried: &[u16; PART], row: &[u16]) {
    let columns: [&[u16; PART]; WINDOW] = from_fn(|column| row[column..].first_chunk().expect("tiles are padded"));
    for i in 0..PART {
        let mut sum = below[i];
        for column in &columns {
            sum += u16::from(column[i] < tried[i]);
        }
        below[i] = sum;
    }
}
