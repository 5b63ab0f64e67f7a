//! Means that are weighed by differences, in 32-bit floats whose order is fixed.

use crate::filters::window::{Grid, Tile, WindowOp};
use std::array::from_fn;

/// The largest radius.
const MOST: usize = 64;

/// Results side by side, part of a tile's columns: their sums and a row of the window stay in a processor's first cache.
const PART: usize = 256;

/// Samples of a row of the window that are added at a time: sums stay in registers as long.
const TAPS: usize = 8;

/// The operation.
#[derive(Clone, Debug)]
pub struct SurfaceBlur {
    radius: usize,
    /// The weight of a sample that does not differ: 2.5 thresholds, in lanes.
    pub(super) limit: f32,
}

impl SurfaceBlur {
    /// Of a threshold in lanes.
    pub fn new(radius: usize, threshold: u32) -> SurfaceBlur {
        SurfaceBlur { radius, limit: threshold as f32 * 2.5 }
    }

    #[inline(always)]
    fn weight(&self, difference: f32) -> f32 {
        (self.limit - difference.abs()).max(0.0)
    }
}

/// `middle`, changed by a mean of differences.
#[inline(always)]
fn changed(middle: f32, sum: f32, total: f32) -> u16 {
    (middle + (sum / total + 0.5).floor()).clamp(0.0, 65535.0) as u16
}

impl WindowOp for SurfaceBlur {
    fn radius(&self) -> (usize, usize) {
        (self.radius, self.radius)
    }

    fn plain(&self, src: &Grid) -> Grid {
        src.map(|x, y| {
            let middle = f32::from(src.at(x, y));
            let (mut sum, mut total) = (0.0, 0.0);
            for v in -(self.radius as isize)..=self.radius as isize {
                let (mut row_sum, mut row_total) = (0.0f32, 0.0);
                for lane in src.window((self.radius, 0), x, y + v) {
                    let difference = f32::from(lane) - middle;
                    let weight = self.weight(difference);
                    // Without a weight nothing is added.
                    if weight > 0.0 {
                        row_sum = weight.mul_add(difference, row_sum);
                        row_total += weight;
                    }
                }
                sum += row_sum;
                total += row_total;
            }
            changed(middle, sum, total)
        })
    }

    #[inline(always)]
    fn tile(&self, tile: &mut Tile) {
        let (len, reach) = (tile.columns.len(), 2 * self.radius);
        let mut samples = [0.0; PART + 2 * MOST];
        let mut parts = Sums::default();
        for (row, out) in tile.out.chunks_mut(len).enumerate().take(tile.rows.len()) {
            for (x, out) in (0..len).step_by(PART).zip(out.chunks_mut(PART)) {
                let lanes = |row: usize| &tile.lanes[row * tile.stride + x..];
                read(&mut parts.middle[..out.len()], &lanes(row + self.radius)[self.radius..]);
                (parts.sum, parts.total) = ([0.0; PART], [0.0; PART]);
                for v in 0..=reach {
                    let samples = &mut samples[..out.len() + reach];
                    read(samples, lanes(row + v));
                    self.add_row(&mut parts, samples);
                }
                for (i, out) in out.iter_mut().enumerate() {
                    *out = changed(parts.middle[i], parts.sum[i], parts.total[i]);
                }
            }
        }
    }
}

/// Of some places side by side: their samples, and the sums of their windows and of a row of these.
struct Sums {
    middle: [f32; PART],
    sum: [f32; PART],
    total: [f32; PART],
    row_sum: [f32; PART],
    row_total: [f32; PART],
}

impl Default for Sums {
    fn default() -> Sums {
        let none = [0.0; PART];
        Sums { middle: none, sum: none, total: none, row_sum: none, row_total: none }
    }
}

#[inline(always)]
fn read(samples: &mut [f32], lanes: &[u16]) {
    samples.iter_mut().zip(lanes).for_each(|(sample, lane)| *sample = f32::from(*lane));
}

impl SurfaceBlur {
    /// Adds a row of the windows, which begin at the first of `samples`.
    #[inline(always)]
    fn add_row(&self, sums: &mut Sums, samples: &[f32]) {
        let len = samples.len() - 2 * self.radius;
        let Sums { middle, sum, total, row_sum, row_total } = sums;
        let (row_sum, row_total) = (&mut row_sum[..len], &mut row_total[..len]);
        row_sum.fill(0.0);
        row_total.fill(0.0);
        let mut tap = 0;
        while tap + TAPS <= 2 * self.radius + 1 {
            self.add::<TAPS>(row_sum, row_total, &middle[..len], &samples[tap..]);
            tap += TAPS;
        }
        macro_rules! by_count {
            ($($count:literal)+) => {
                match 2 * self.radius + 1 - tap {
                    $( $count => self.add::<$count>(row_sum, row_total, &middle[..len], &samples[tap..]), )+
                    _ => unreachable!("windows have odd widths"),
                }
            };
        }
        by_count!(1 3 5 7);
        sum.iter_mut().zip(row_sum).for_each(|(sum, row)| *sum += *row);
        total.iter_mut().zip(row_total).for_each(|(total, row)| *total += *row);
    }

    /// Adds `N` samples of a row, the first of them from `samples` on.
    #[inline(always)]
    fn add<const N: usize>(&self, sum: &mut [f32], total: &mut [f32], middle: &[f32], samples: &[f32]) {
        let len = middle.len();
        let taps: [&[f32]; N] = from_fn(|tap| &samples[tap..][..len]);
        let (sum, total) = (&mut sum[..len], &mut total[..len]);
        for x in 0..len {
            let (mut s, mut t) = (sum[x], total[x]);
            for tap in &taps {
                let difference = tap[x] - middle[x];
                let weight = self.weight(difference);
                s = weight.mul_add(difference, s);
                t += weight;
            }
            (sum[x], total[x]) = (s, t);
        }
    }
}
