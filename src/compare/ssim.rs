//! Structural similarity over windows of 8×8 samples, four apart: what ffmpeg's `ssim` filter computes.
//!
//! Wang, Bovik, Sheikh, Simoncelli: Image quality assessment: from error visibility to structural similarity, IEEE
//! Transactions on Image Processing 13(4), 2004, with a flat window, K1 = 0.01 and K2 = 0.03.

use crate::compare::cells::{CellRow, CellSum};
use crate::compare::difference::peak;
use std::array;

/// Windows that are worked on together, and added up apart from each other: a vector of any level.
pub(super) const LANES: usize = 8;

/// Sums over a window, from which its similarity follows.
#[derive(Clone, Copy)]
struct WindowSums {
    a: f64,
    b: f64,
    /// Σ a·b.
    product: f64,
    /// Σ (a − b)².
    squared: f64,
}

/// The similarity of windows of one size at one bit depth.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ssim {
    samples: f64,
    c1: f64,
    c2: f64,
}

impl Ssim {
    /// For windows of `samples` samples at `bit_depth`.
    pub(super) fn new(samples: usize, bit_depth: u8) -> Ssim {
        let (n, peak) = (samples as f64, peak(bit_depth));
        // Sums take the place of means and unbiased variances, so the second constant is scaled by n(n−1). The first is
        // scaled by n as in x264 and ffmpeg, where n² would be right; it matters in near black alone. Rounding is theirs.
        // A lone sample has no variance, and the second constant is there for the quotient alone.
        let c1 = (0.01 * 0.01 * peak * peak * n).round();
        let c2 = (0.03 * 0.03 * peak * peak * n * (n - 1.0).max(1.0)).round();
        Ssim { samples: n, c1, c2 }
    }

    /// All but the quotient is exact: at 16 bits the sums stay below 2^53.
    #[inline(always)]
    fn of(&self, WindowSums { a, b, product, squared }: WindowSums) -> f64 {
        let squares = squared + 2.0 * product;
        let variances = squares * self.samples - a * a - b * b;
        let covariance = product * self.samples - a * b;
        let luminance = (2.0 * a * b + self.c1) / (a * a + b * b + self.c1);
        luminance * ((2.0 * covariance + self.c2) / (variances + self.c2))
    }
}

/// The sum of the similarities of the windows that `upper` and `lower` make.
#[inline(always)]
pub(super) fn of_row<S: CellSum>(ssim: Ssim, upper: &CellRow<S>, lower: &CellRow<S>) -> f64 {
    let mut lanes = [0.0; LANES];
    for first in (0..upper.windows).step_by(LANES) {
        let a = around(&upper.a, &lower.a, first);
        let b = around(&upper.b, &lower.b, first);
        let product = around(&upper.product, &lower.product, first);
        let squared = around(&upper.squared, &lower.squared, first);
        let values: [f64; LANES] =
            array::from_fn(|i| ssim.of(WindowSums { a: a[i], b: b[i], product: product[i], squared: squared[i] }));
        // Past the last window are empty cells.
        let there = LANES.min(upper.windows - first);
        lanes[..there].iter_mut().zip(values).for_each(|(lane, value)| *lane += value);
    }
    lanes.iter().sum()
}

/// The sums over the windows from `first` on, each of two cells by two.
#[inline(always)]
fn around<S: CellSum>(upper: &[S], lower: &[S], first: usize) -> [f64; LANES] {
    let (upper, lower) = (&upper[first..first + LANES + 1], &lower[first..first + LANES + 1]);
    let columns: [S; LANES + 1] = array::from_fn(|i| upper[i] + lower[i]);
    array::from_fn(|i| {
        let sum: u64 = (columns[i] + columns[i + 1]).into();
        sum as f64
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_window_by_hand() {
        // 64 samples of 100 against 64 of 110 at 8 bits: no variance, so only the means count.
        // C1 = 0.0001·65025·64 = 416.16, rounded 416; sums are 6400 and 7040.
        let ssim = Ssim::new(64, 8);
        let flat = ssim.of(WindowSums { a: 6400.0, b: 7040.0, product: 704_000.0, squared: 6400.0 });
        assert_eq!(flat, (2.0 * 6400.0 * 7040.0 + 416.0) / (6400.0 * 6400.0 + 7040.0 * 7040.0 + 416.0));
        // Half 0 and half 2 against all 1: means are equal, the first varies: Σa² = 32·4, Σa = Σb = 64, Σab = 64.
        // n·Σ(a²+b²) − (Σa)² − (Σb)² = 64·192 − 2·4096 = 4096; C2 = 0.0009·65025·64·63 = 235962.7, rounded 235963.
        let half = ssim.of(WindowSums { a: 64.0, b: 64.0, product: 64.0, squared: 64.0 });
        assert_eq!(half, 235_963.0 / (4096.0 + 235_963.0));
    }

    #[test]
    fn a_lone_sample_is_compared_too() {
        let ssim = Ssim::new(1, 8);
        assert_eq!(ssim.of(WindowSums { a: 9.0, b: 9.0, product: 81.0, squared: 0.0 }), 1.0);
        assert!(ssim.of(WindowSums { a: 0.0, b: 255.0, product: 0.0, squared: 65025.0 }) < 0.001);
    }
}
