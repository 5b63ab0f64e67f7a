//! Structural similarity over windows of 8×8 samples, four apart: what ffmpeg's `ssim` filter computes.
//!
//! Wang, Bovik, Sheikh, Simoncelli: Image quality assessment: from error visibility to structural similarity, IEEE
//! Transactions on Image Processing 13(4), 2004, with a flat window, K1 = 0.01 and K2 = 0.03.

use crate::compare::cells::{CellRow, Sum};
use crate::compare::difference::peak;

/// Sums over a window, from which its similarity follows.
#[derive(Clone, Copy)]
struct Window {
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

    /// The similarities of all windows that `upper` and `lower` make, added from left to right.
    #[inline(always)]
    pub(super) fn of_row<S: Sum>(&self, upper: &CellRow<S>, lower: &CellRow<S>) -> f64 {
        let windows = upper.a.len() - 1;
        let around = |upper: &[S], lower: &[S], i: usize| {
            let at = |cells: &[S], i: usize| -> u64 { cells[i].into() };
            (at(upper, i) + at(upper, i + 1) + at(lower, i) + at(lower, i + 1)) as f64
        };
        let window = |i: usize| Window {
            a: around(&upper.a, &lower.a, i),
            b: around(&upper.b, &lower.b, i),
            product: around(&upper.product, &lower.product, i),
            squared: around(&upper.squared, &lower.squared, i),
        };
        (0..windows).map(|i| self.of(window(i))).sum()
    }

    /// All but the quotient is exact: at 16 bits the sums stay below 2^53.
    #[inline(always)]
    fn of(&self, Window { a, b, product, squared }: Window) -> f64 {
        let squares = squared + 2.0 * product;
        let variances = squares * self.samples - a * a - b * b;
        let covariance = product * self.samples - a * b;
        let luminance = (2.0 * a * b + self.c1) / (a * a + b * b + self.c1);
        luminance * ((2.0 * covariance + self.c2) / (variances + self.c2))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_window_by_hand() {
        // 64 samples of 100 against 64 of 110 at 8 bits: no variance, so only the means count.
        // C1 = 0.0001·65025·64 = 416.16, rounded 416; sums are 6400 and 7040.
        let ssim = Ssim::new(64, 8);
        let flat = ssim.of(Window { a: 6400.0, b: 7040.0, product: 704_000.0, squared: 6400.0 });
        assert_eq!(flat, (2.0 * 6400.0 * 7040.0 + 416.0) / (6400.0 * 6400.0 + 7040.0 * 7040.0 + 416.0));
        // Half 0 and half 2 against all 1: means are equal, the first varies: Σa² = 32·4, Σa = Σb = 64, Σab = 64.
        // n·Σ(a²+b²) − (Σa)² − (Σb)² = 64·192 − 2·4096 = 4096; C2 = 0.0009·65025·64·63 = 235962.7, rounded 235963.
        let half = ssim.of(Window { a: 64.0, b: 64.0, product: 64.0, squared: 64.0 });
        assert_eq!(half, 235_963.0 / (4096.0 + 235_963.0));
    }

    #[test]
    fn a_lone_sample_is_compared_too() {
        let ssim = Ssim::new(1, 8);
        assert_eq!(ssim.of(Window { a: 9.0, b: 9.0, product: 81.0, squared: 0.0 }), 1.0);
        assert!(ssim.of(Window { a: 0.0, b: 255.0, product: 0.0, squared: 65025.0 }) < 0.001);
    }
}
