//! The parameters worked out for one stream: what every kernel computes with.
//!
//! # Division
//! A pass gives `q = floor((256·s + w·e + D/2) / D)`, where `s` is the sum of a window, `e` that of the two samples beyond its
//! ends, and `D = 2·d`. The numerator has 38 bits; kernels get by with 32.
//!
//! With `u = w·e + d`, halving both sides of the fraction changes no floor: `q = floor(t/d)` for `t = 128·s + floor(u/2)`. What is
//! left of `t` behind seven bits is `h = s + floor(u/256)`, below `2^30 + 2^22`. As an estimate serves `p = floor(h·m / 2^32)` with
//! `m = floor((2^39 − 1)/d)`, which fits 32 bits as `d ≥ 384`. It never exceeds `t/d`, and falls short of it by less than
//! `128/d ≤ 1/3` for the bits that `h` lacks, and by at most `h/2^32 < 1/3` for what `m` lacks: `p` is `q` or `q − 1`, and the
//! remainder, of which 32 bits suffice, decides which.
//!
//! # Division by doubles
//! A GPU with units for doubles divides in one step. `q` is `n/D` rounded half up, where `n = (256 - w)·s + w·(s + e) < 2^38`. The
//! bits of `n` are those of the double `n·2^-1074`. Multiplied by `2^1010·m` and added to `2^-12` in one rounding, to the nearest, it
//! gives `2^-12 + q·2^-64`, whose low bits are `q`: `m` is the second double above `1/D` at most, and so above it, which lifts halves,
//! and less than `2^-51/D` above, which lifts nothing else, since `n` times that is less than a step of `n/D`.

use super::RgaussParams;
use crate::filters::planes::PlaneSet;
use crate::video::{Format, StreamInfo};

/// Bits that a sample keeps below those of a lane between passes.
pub(super) const EXTRA_BITS: u32 = 4;

/// What rounds them off.
pub(super) const EXTRA_HALF: u32 = 1 << (EXTRA_BITS - 1);

/// What a sample inside the window weighs.
pub(super) const WHOLE: u32 = 256;

/// The parameters worked out for one stream.
#[derive(Clone, Debug)]
pub(super) struct Plan {
    pub window: ExtendedBox,
    /// How often it goes over columns, and over rows.
    pub passes: usize,
    format: Format,
    planes: PlaneSet,
}

/// A box whose ends weigh less than one sample.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ExtendedBox {
    /// How far samples weigh [`WHOLE`].
    pub radius: usize,
    /// What the two samples beyond weigh.
    pub ends: u32,
    /// Half of what all weigh together.
    pub half: u32,
    /// About 2^39 over that.
    pub inverse: u32,
}

impl Plan {
    /// What `params` mean for `stream`.
    pub fn new(params: &RgaussParams, stream: &StreamInfo) -> Plan {
        Plan {
            window: ExtendedBox::new(params.sigma, params.passes as u32),
            passes: params.passes as usize,
            format: stream.format,
            planes: params.planes,
        }
    }

    /// True when component `component` is blurred, and not just copied.
    pub fn blurs(&self, component: usize) -> bool {
        self.planes.has(self.format, component)
    }
}

impl ExtendedBox {
    /// The box of which `passes` have the variance of a Gaussian of `sigma`, from 2 to 512.
    pub fn new(sigma: f64, passes: u32) -> ExtendedBox {
        let variance = sigma * sigma / f64::from(passes);
        let radius = ((12.0 * sigma * sigma / f64::from(passes) + 1.0).sqrt() - 1.0) / 2.0;
        let r = libm::floor(radius);
        let ends = (2.0 * r + 1.0) * (r * (r + 1.0) - 3.0 * variance) / (6.0 * (variance - (r + 1.0) * (r + 1.0)));
        ExtendedBox::of(r as usize, libm::round(f64::from(WHOLE) * ends) as u32)
    }

    /// The box that reaches `radius` samples, and one more that weighs `ends`.
    fn of(radius: usize, ends: u32) -> ExtendedBox {
        let half = WHOLE / 2 * (2 * radius as u32 + 1) + ends;
        let inverse = ((1u64 << 39) - 1) / u64::from(half);
        ExtendedBox { radius, ends, half, inverse: inverse as u32 }
    }

    /// `2^1010·m` of the module's documentation.
    #[cfg(any(test, feature = "cuda"))]
    pub fn inverse_double(self) -> f64 {
        let whole = f64::from(2 * self.half);
        // A power of two: exact.
        (1.0 / whole).next_up() * f64::from_bits((1023 + 1010) << 52)
    }

    /// What a pass gives for a window's sum, and the sum of the two samples beyond its ends.
    #[inline(always)]
    pub fn mean(self, sum: u32, beyond: u32) -> u32 {
        let rest = self.ends * beyond + self.half;
        let high = sum + (rest >> 8);
        let estimate = ((u64::from(high) * u64::from(self.inverse)) >> 32) as u32;
        let left = (sum << 7).wrapping_add(rest >> 1).wrapping_sub(estimate.wrapping_mul(self.half));
        // Below 2^19: compared with their signs, which vectors do at once.
        estimate + u32::from(left.cast_signed() >= self.half.cast_signed())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::filters::testing::digest;

    /// The largest sample between passes.
    const MOST: u64 = 65535 << EXTRA_BITS;

    /// `mean` as cuda/rgauss_double.cu has it.
    fn mean_by_doubles(window: ExtendedBox, sum: u64, beyond: u64) -> u64 {
        let ends = u64::from(window.ends);
        let weighed = (256 - ends) * sum + ends * (sum + beyond);
        f64::from_bits(weighed).mul_add(window.inverse_double(), 1.0 / 4096.0).to_bits() & 0xffff_ffff
    }

    fn exact(window: ExtendedBox, sum: u64, beyond: u64) -> u64 {
        let (ends, half) = (u64::from(window.ends), u64::from(window.half));
        (256 * sum + ends * beyond + half) / (2 * half)
    }

    /// The sums on both sides of steps of the quotient, and at their ends, for windows of every radius.
    #[test]
    fn means_are_exact_at_every_step() {
        for radius in 0..=511usize {
            let most = (2 * radius as u64 + 1) * MOST;
            for ends in [0, 1, 77, 128, 129, 255, 256].into_iter().filter(|ends| radius > 0 || *ends == 256) {
                let window = ExtendedBox::of(radius, ends);
                let [ends, half] = [window.ends, window.half].map(u64::from);
                for beyond in [0, 1, 4095, MOST, 2 * MOST - 1, 2 * MOST] {
                    let steps = (1..40).chain((1..=MOST).rev().step_by(14_009));
                    // The first sum whose quotient is `step`, where there is one.
                    let first = |step: u64| (2 * half * step).saturating_sub(ends * beyond + half).div_ceil(256);
                    for sum in steps.flat_map(|step| [first(step).saturating_sub(1), first(step)]).chain([0, most]) {
                        let sum = sum.min(most);
                        let got = window.mean(sum as u32, beyond as u32);
                        assert_eq!(u64::from(got), exact(window, sum, beyond), "{window:?} {sum} {beyond}");
                        assert_eq!(mean_by_doubles(window, sum, beyond), u64::from(got), "{window:?} {sum} {beyond}");
                    }
                }
            }
        }
    }

    #[test]
    fn boxes_are_those_of_the_paper() {
        // sigma 20 in 4 passes: variance 100; (sqrt(1201) − 1)/2 = 16.83, so 16 to each side; 33·(272 − 300)/(6·(100 − 289))
        // = 0.8148, of 256 208.6.
        let window = ExtendedBox::new(20.0, 4);
        assert_eq!((window.radius, window.ends, window.half), (16, 209, 128 * 33 + 209));
        // sigma 2 in 6 passes: variance 2/3; (sqrt(9) − 1)/2 is 1 exactly, and nothing is left for the ends.
        assert_eq!((ExtendedBox::new(2.0, 6).radius, ExtendedBox::new(2.0, 6).ends), (1, 0));
        // The widest: variance 512²/3, (sqrt(1048577) − 1)/2 = 511.5.
        assert_eq!(ExtendedBox::new(512.0, 3).radius, 511);
    }

    /// What `passes` of a box weigh, as fractions, the middle in the middle.
    fn impulse(window: ExtendedBox, passes: u32) -> Vec<f64> {
        let end = f64::from(window.ends) / f64::from(2 * window.half);
        let mut one = vec![f64::from(WHOLE) / f64::from(2 * window.half); 2 * window.radius + 1];
        one.insert(0, end);
        one.push(end);
        (0..passes).fold(vec![1.0], |all, _| {
            let mut next = vec![0.0; all.len() + one.len() - 1];
            for (i, a) in all.iter().enumerate() {
                one.iter().enumerate().for_each(|(j, b)| next[i + j] += a * b);
            }
            next
        })
    }

    /// The bounds that the definition states, from sigma 3 on.
    #[test]
    fn the_gaussian_is_near() {
        for (passes, most, all) in [(3, 0.064, 0.058), (4, 0.036, 0.041), (5, 0.034, 0.033), (6, 0.028, 0.028)] {
            for sigma in [3.0, 3.16, 3.36, 3.48, 3.56, 3.88, 4.0, 4.24, 5.0, 7.7, 10.0, 20.0, 33.0] {
                let weights = impulse(ExtendedBox::new(sigma, passes), passes);
                let middle = (weights.len() / 2) as f64;
                let gauss: Vec<f64> = (0..weights.len())
                    .map(|i| libm::exp(-(i as f64 - middle) * (i as f64 - middle) / (2.0 * sigma * sigma)))
                    .collect();
                // Of the whole Gaussian, however far it goes.
                let sum = sigma * (2.0 * std::f64::consts::PI).sqrt();
                let differences = || weights.iter().zip(&gauss).map(|(a, b)| (a - b / sum).abs());
                let peak = differences().fold(0.0, f64::max) * sum;
                assert!(peak <= most, "{passes} passes, sigma {sigma}: {peak} of the peak");
                let total = differences().sum::<f64>() + 1.0 - gauss.iter().sum::<f64>() / sum;
                assert!(total <= all, "{passes} passes, sigma {sigma}: {total} in all");
                let variance: f64 = weights.iter().enumerate().map(|(i, w)| w * (i as f64 - middle).powi(2)).sum();
                assert!((variance.sqrt() - sigma).abs() <= 0.004, "{passes} {sigma}: {}", variance.sqrt());
            }
        }
    }

    #[test]
    fn numbers_are_the_same_everywhere() {
        let sigmas = (20..=5120).map(|tenth| f64::from(tenth) / 10.0);
        let boxes = sigmas.flat_map(|sigma| (3..=6).map(move |passes| ExtendedBox::new(sigma, passes)));
        let words = boxes.flat_map(|b| [b.radius as u64, b.ends.into(), b.half.into(), b.inverse.into()]);
        assert_eq!(digest(words), 1_712_500_983_151_033_410);
    }
}
