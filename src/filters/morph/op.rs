//! Smallest and largest samples of windows of any size.

use crate::filters::window::{
    Grid, Tile, WindowOp, repeat_border,
    tuning::cpu::{BAND, COLUMNS},
};
use crate::simd::lanes::{Lanes, Pack};

/// The largest radius.
const MOST: usize = 128;

/// Columns of a tile and of all that its windows reach, of two steps, and what is read beyond them.
const ROOM: usize = COLUMNS + 5 * MOST + LANES;

/// What is made of a window.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum What {
    /// The smallest.
    Erode,
    /// The largest.
    Dilate,
    /// The largest of the smallest.
    Open,
    /// The smallest of the largest.
    Close,
    /// The difference.
    MinMax,
}

/// The operation.
#[derive(Clone, Debug)]
pub struct Morph {
    /// What is made.
    pub what: What,
    /// Of the window, by column and by row.
    pub radii: (usize, usize),
    /// The most that a sample changes.
    pub limit: u16,
    /// What stands for a difference of nothing.
    pub nought: u16,
}

impl WindowOp for Morph {
    fn radius(&self) -> (usize, usize) {
        let (rw, rh) = self.radii;
        if matches!(self.what, What::Open | What::Close) { (2 * rw, 2 * rh) } else { (rw, rh) }
    }

    fn band(&self) -> usize {
        BAND.max(2 * self.radii.1)
    }

    fn plain(&self, src: &Grid) -> Grid {
        let (rw, rh) = self.radii;
        // Of a window, the extreme of the extremes of its columns.
        let extreme = |of: &Grid, pick: fn(u16, u16) -> u16| {
            let along =
                |of: &Grid, radii| of.map(|x, y| of.window(radii, x, y).reduce(pick).expect("a window has samples"));
            along(&along(of, (0, rh)), (rw, 0))
        };
        let smallest = |of: &Grid| extreme(of, u16::min);
        let largest = |of: &Grid| extreme(of, u16::max);
        let result = match self.what {
            What::Erode => smallest(src),
            What::Dilate => largest(src),
            What::Open => largest(&smallest(src)),
            What::Close => smallest(&largest(src)),
            What::MinMax => {
                let (low, high) = (smallest(src), largest(src));
                return low.map(|x, y| self.nought.saturating_add(high.at(x, y) - low.at(x, y)));
            }
        };
        result.map(|x, y| self.limited(src.at(x, y), result.at(x, y)))
    }

    #[inline(always)]
    fn tile(&self, tile: &mut Tile) {
        let ((rx, ry), (len, stride)) = (tile.radius, (tile.columns.len(), tile.stride));
        if self.what == What::MinMax || self.limit < u16::MAX {
            let [_, own] = &mut tile.spare;
            own.copy_from_slice(&tile.lanes);
        }
        match self.what {
            What::Erode => self.reduce::<false>(tile, 0, 1),
            What::Dilate => self.reduce::<true>(tile, 0, 1),
            What::Open => self.reduce_twice::<false, true>(tile),
            What::Close => self.reduce_twice::<true, false>(tile),
            What::MinMax => {
                self.reduce::<true>(tile, 0, 1);
                std::mem::swap(&mut tile.lanes, &mut tile.spare[1]);
                self.reduce::<false>(tile, 0, 1);
            }
        }
        for (row, out) in tile.out.chunks_mut(len).enumerate().take(tile.rows.len()) {
            let lanes = &tile.lanes[row * stride..][..len];
            match self.what {
                What::MinMax => {
                    let high = &tile.spare[1][row * stride..][..len];
                    for ((out, low), high) in out.iter_mut().zip(lanes).zip(high) {
                        *out = self.nought.saturating_add(high - low);
                    }
                }
                _ if self.limit < u16::MAX => {
                    let own = &tile.spare[1][(row + ry) * stride + rx..][..len];
                    for ((out, lane), own) in out.iter_mut().zip(lanes).zip(own) {
                        *out = self.limited(*own, *lane);
                    }
                }
                _ => out.copy_from_slice(lanes),
            }
        }
    }
}

impl Morph {
    /// `result`, as near to `own` as the limit says.
    #[inline(always)]
    fn limited(&self, own: u16, result: u16) -> u16 {
        result.max(own.saturating_sub(self.limit)).min(own.saturating_add(self.limit))
    }

    /// Two steps: what the first gives beside the plane is replicated, as its samples are.
    #[inline(always)]
    fn reduce_twice<const FIRST: bool, const SECOND: bool>(&self, tile: &mut Tile) {
        let ((rw, rh), stride) = (self.radii, tile.stride);
        self.reduce::<FIRST>(tile, 0, 2);
        let (wide, high) = (tile.columns.len() + 2 * rw, tile.rows.len() + 2 * rh);
        let inside = tile.inside((rw, rh));
        repeat_border(&mut tile.lanes, stride, (wide, high), inside);
        self.reduce::<SECOND>(tile, 1, 2);
    }

    /// Step `step` of `steps`: every lane becomes an extreme of the window that it begins, so that the results lie at the
    /// beginning of rows and columns.
    #[inline(always)]
    fn reduce<const MAX: bool>(&self, tile: &mut Tile, step: usize, steps: usize) {
        let (rw, rh) = self.radii;
        let left = 2 * (steps - step);
        let (wide, high) = (tile.columns.len() + left * rw, tile.rows.len() + left * rh);
        reduce_columns::<MAX>(&mut tile.lanes, &mut tile.spare[0], tile.stride, (wide, high), 2 * rh + 1);
        let mut buffers = [[0; ROOM]; 2];
        for row in 0..if rw > 0 { high - 2 * rh } else { 0 } {
            reduce_row::<MAX>(&mut tile.lanes[row * tile.stride..][..wide], &mut buffers, 2 * rw + 1);
        }
    }
}

/// Lanes that are compared at a time: loops over slices that may lie in one another would not become vectors.
const LANES: usize = 32;

/// Extremes of lanes.
#[inline(always)]
fn extreme<const MAX: bool>(a: &[u16; LANES], b: &[u16; LANES]) -> [u16; LANES] {
    if MAX { Pack(*a).max(Pack(*b)).0 } else { Pack(*a).min(Pack(*b)).0 }
}

/// The vectors of lanes.
#[inline(always)]
fn packs(lanes: &[u16]) -> &[[u16; LANES]] {
    lanes.as_chunks().0
}

#[inline(always)]
fn packs_mut(lanes: &mut [u16]) -> &mut [[u16; LANES]] {
    lanes.as_chunks_mut().0
}

/// Extremes of `window` rows, from each row on. Rows are cut into blocks of as many: a window is the end of one and the
/// beginning of the next.
#[inline(always)]
fn reduce_columns<const MAX: bool>(
    lanes: &mut [u16],
    ends: &mut [u16],
    stride: usize,
    (wide, high): (usize, usize),
    window: usize,
) {
    if window == 1 {
        return;
    }
    let wide = wide.next_multiple_of(LANES);
    for row in (0..high).rev() {
        let (own, below) = ends[row * stride..].split_at_mut(stride);
        let lanes = &lanes[row * stride..][..wide];
        if row % window == window - 1 || row == high - 1 {
            own[..wide].copy_from_slice(lanes);
        } else {
            for ((end, lane), below) in packs_mut(&mut own[..wide]).iter_mut().zip(packs(lanes)).zip(packs(below)) {
                *end = extreme::<MAX>(lane, below);
            }
        }
    }
    for row in 1..high {
        let (above, own) = lanes.split_at_mut(row * stride);
        let above = &above[(row - 1) * stride..][..wide];
        if row % window != 0 {
            for (lane, above) in packs_mut(&mut own[..wide]).iter_mut().zip(packs(above)) {
                *lane = extreme::<MAX>(lane, above);
            }
        }
    }
    for row in 0..=high - window {
        let (own, below) = lanes[row * stride..].split_at_mut(stride);
        let (ends, begins) = (&ends[row * stride..][..wide], &below[(window - 2) * stride..][..wide]);
        for ((lane, end), begin) in packs_mut(&mut own[..wide]).iter_mut().zip(packs(ends)).zip(packs(begins)) {
            *lane = extreme::<MAX>(end, begin);
        }
    }
}

/// Extremes of `window` lanes, from each lane on: of one, two, four, … lanes, and of two such that cover the window.
#[inline(always)]
fn reduce_row<const MAX: bool>(row: &mut [u16], buffers: &mut [[u16; ROOM]; 2], window: usize) {
    let [from, to] = buffers;
    let (mut from, mut to) = (from, to);
    let len = row.len().next_multiple_of(LANES);
    from[..row.len()].copy_from_slice(row);
    let mut span = 1;
    while 2 * span <= window {
        join::<MAX>(&mut to[..len], &from[..], span);
        std::mem::swap(&mut from, &mut to);
        span *= 2;
    }
    join::<MAX>(&mut to[..len], &from[..], window - span);
    row.copy_from_slice(&to[..row.len()]);
}

/// Extremes of two lanes so far apart.
#[inline(always)]
fn join<const MAX: bool>(to: &mut [u16], from: &[u16], apart: usize) {
    for ((to, a), b) in packs_mut(to).iter_mut().zip(packs(from)).zip(packs(&from[apart..])) {
        *to = extreme::<MAX>(a, b);
    }
}
