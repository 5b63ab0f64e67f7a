//! What a sample weighs: IEEE arithmetic of 32 bits in a fixed order, the same on every device.

use std::f64::consts::LOG2_E;

/// Weights go from one down to about two to the power of minus this, which stands for nothing.
const HALVINGS: f64 = 64.0;

/// Added to a small number, it leaves the nearest whole number in the lowest bits.
const ROUND: f32 = 12_582_912.0;

/// Polynomials nearest to 2^x by relative error, for x from −1/2 to 1/2, the constant first; found by Remez' algorithm.
/// The cubic is off by 7.5e-5, the quartic by 2.7e-6.
const CUBIC: [f32; 5] = [0.999_928_06, 0.693_260_97, 0.242_611_13, 0.055_171_67, 0.0];
const QUARTIC: [f32; 5] = [0.999_999_3, 0.693_121_8, 0.240_247_44, 0.055_917_86, 0.009_570_102];

/// The largest sigma of differences, in lanes, with which the cubic is enough. It shifts a result the most where as many
/// samples lie on either side of the middle, weighed too much on one and too little on the other: by its error times
/// `N·w·D/(1 + N·w)`, with the 3721 samples of the largest window about 3.13 sigmas at the most. So that is 0.24 of a code
/// value.
const CUBIC_SIGMA: f64 = 1024.0;

/// The weights of a plane.
#[derive(Clone, Debug)]
pub(super) struct Weights {
    /// The weight of a difference.
    pub curve: WeightCurve,
    /// The level of samples by the columns between, as far as no difference takes any off: one or less.
    pub across: Vec<f32>,
    /// The weight of rows by their distance.
    pub down: Vec<f32>,
    /// What a mean of differences is multiplied by: it undoes the scale, where what is averaged has it.
    pub unscale: f32,
}

/// What weighs differences.
#[derive(Clone, Copy, Debug)]
pub(super) struct WeightCurve {
    /// What compared samples are multiplied by, so that the square of their difference is subtracted from the level.
    /// Of eight significant bits, which leaves products with lanes, and the differences of those, exact.
    pub scale: f32,
    /// Octaves of a level of one: about [`HALVINGS`], and such that they make up for the rounding of the scale.
    pub octaves: f32,
    /// The polynomial that two to a power is taken by, over two to the power of `octaves`.
    pub powers: [f32; 5],
}

impl Weights {
    /// The weights of windows that reach `radii` (columns, rows) far, with the sigmas of distances that go with them;
    /// `sigma_r` is that of differences, in lanes. `apart`: what is averaged is not what the differences are of.
    pub fn new(radii: (usize, usize), sigma_s: (f64, f64), sigma_r: f64, apart: bool) -> Weights {
        let exponent = |distance: f64, sigma: f64| -distance * distance / (2.0 * sigma * sigma);
        let powers = if sigma_r <= CUBIC_SIGMA && !apart { CUBIC } else { QUARTIC };
        let curve = WeightCurve::new(-exponent(1.0, sigma_r) * LOG2_E, powers);
        let level = |i: usize| 1.0 + exponent(i as f64, sigma_s.0) * LOG2_E / f64::from(curve.octaves);
        Weights {
            across: (0..=radii.0).map(|i| level(i) as f32).collect(),
            down: (0..=radii.1).map(|i| libm::exp(exponent(i as f64, sigma_s.1)) as f32).collect(),
            unscale: if apart { 1.0 } else { f64::from(curve.scale).recip() as f32 },
            curve,
        }
    }

    /// How far the window reaches, in columns and rows.
    pub fn radii(&self) -> (usize, usize) {
        (self.across.len() - 1, self.down.len() - 1)
    }

    /// True when the polynomial has no fourth power.
    pub fn is_cubic(&self) -> bool {
        self.curve.powers[4] == 0.0
    }

    /// By how much a lane changes whose window has `sum`, of weighted differences, and `total`, of weights.
    #[inline(always)]
    pub fn change(&self, sum: f32, total: f32) -> f32 {
        (sum / total).mul_add(self.unscale, 0.5).floor()
    }
}

impl WeightCurve {
    /// The curve whose square of a difference of one takes `octaves` off.
    fn new(octaves: f64, powers: [f32; 5]) -> WeightCurve {
        let scale = eight_bits((octaves / HALVINGS).sqrt());
        let octaves = (octaves / (f64::from(scale) * f64::from(scale))) as f32;
        let one = libm::exp2(-f64::from(octaves));
        WeightCurve { scale, octaves, powers: powers.map(|power| (f64::from(power) * one) as f32) }
    }

    /// The weight of a sample in its row, which has `across` of the level, by a difference of scaled samples.
    #[inline(always)]
    pub fn weight<const DEGREE: usize>(&self, difference: f32, across: f32) -> f32 {
        let level = (-difference).mul_add(difference, across).max(0.0);
        let shifted = level.mul_add(self.octaves, ROUND);
        let part = level.mul_add(self.octaves, -(shifted - ROUND));
        let mut power = self.powers[DEGREE];
        for i in (0..DEGREE).rev() {
            power = power.mul_add(part, self.powers[i]);
        }
        f32::from_bits(power.to_bits().wrapping_add(shifted.to_bits() << 23))
    }
}

/// The nearest number of eight significant bits.
fn eight_bits(value: f64) -> f32 {
    const DROPPED: u32 = 16;
    let bits = (value as f32).to_bits() + (1 << (DROPPED - 1));
    f32::from_bits(bits >> DROPPED << DROPPED)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::filters::testing::digest;

    #[test]
    fn weights_are_near_the_gaussians() {
        for (sigma_r, apart, bound) in [(1024.0, false, 9e-5), (1024.0, true, 1e-5), (20_000.0, false, 1e-5)] {
            let weights = Weights::new((9, 9), (3.0, 3.0), sigma_r, apart);
            assert_eq!(weights.is_cubic(), bound > 1e-5, "{sigma_r}");
            for (columns, across) in weights.across.iter().enumerate() {
                for difference in (0..65536).step_by(7) {
                    let exact = (-f64::from(difference).powi(2) / (2.0 * sigma_r * sigma_r)
                        - (columns * columns) as f64 / 18.0)
                        .exp();
                    let scaled = difference as f32 * weights.curve.scale;
                    let of = |degree_four: bool| match degree_four {
                        true => weights.curve.weight::<4>(scaled, *across),
                        false => weights.curve.weight::<3>(scaled, *across),
                    };
                    let weight = f64::from(of(!weights.is_cubic()));
                    // The fourth power is nothing where there is none.
                    assert_eq!(weight, f64::from(of(true)));
                    let off = (weight - exact).abs();
                    assert!(off <= bound * exact + 8e-20, "{difference}, {columns}: {weight} for {exact}");
                }
            }
        }
    }

    #[test]
    fn weights_are_the_same_on_every_platform() {
        let of = |step: u32| {
            let (sigma_s, sigma_r) = (f64::from(step) / 20.0, f64::from(step * step) / 7.0);
            let weights = Weights::new((30, 30), (sigma_s, sigma_s / 2.0), sigma_r, step.is_multiple_of(2));
            let WeightCurve { scale, octaves, powers } = weights.curve;
            [weights.across, weights.down, vec![weights.unscale, scale, octaves], powers.to_vec()].concat()
        };
        assert_eq!(digest((2..=900).flat_map(of).map(|value| value.to_bits().into())), 0xada8_0157_6931_fdff);
    }

    #[test]
    fn weights_worked_out_by_hand() {
        // sigma 1024 and no distance: e^(−1/2) at one sigma, of which 7.5e-5 may be missing; e^(−8) at four.
        let weights = Weights::new((1, 1), (1.0, 1.0), 1024.0, false);
        let weight = |difference: f32, across: f32| weights.curve.weight::<3>(difference * weights.curve.scale, across);
        for (difference, expected) in [(0.0, 1.0), (1024.0, 0.606_531), (-1024.0, 0.606_531), (4096.0, 0.000_335_463)] {
            let weight = weight(difference, weights.across[0]);
            assert!((weight / expected - 1.0).abs() < 8e-5, "{difference}: {weight}");
        }
        // One column to the side at sigma 1: e^(−1/2) again. One row: the same.
        assert!((weight(0.0, weights.across[1]) / 0.606_531 - 1.0).abs() < 8e-5);
        assert!((weights.down[1] - 0.606_531).abs() < 1e-6);
        // 2^−64 stands for nothing.
        assert_eq!(weight(65535.0, weights.across[0]), weights.curve.powers[0]);
    }

    #[test]
    fn scaled_lanes_and_their_differences_are_exact() {
        for sigma_r in [1.6, 25.6, 64.0, 1024.0, 1111.1, 20_000.0, 131_072.0] {
            let Weights { curve: WeightCurve { scale, octaves, powers }, .. } =
                Weights::new((1, 1), (1.0, 1.0), sigma_r, false);
            for lane in 0..=u16::MAX {
                assert_eq!(f64::from(f32::from(lane) * scale), f64::from(lane) * f64::from(scale), "{sigma_r}: {lane}");
                let beside = f32::from(lane / 3) * scale;
                assert_eq!(f32::from(lane) * scale - beside, f32::from(lane - lane / 3) * scale, "{sigma_r}: {lane}");
            }
            // The octaves of a difference of one sigma are half of log2(e), whatever the scale was rounded to.
            let sigma = f64::from(scale) * sigma_r;
            assert!((f64::from(octaves) * sigma * sigma / (LOG2_E / 2.0) - 1.0).abs() < 1e-7, "{sigma_r}");
            assert!((octaves - 64.0).abs() <= 0.51, "{sigma_r}: {octaves}");
            // The least of weights is a plain number yet.
            assert!(powers[0] > 2f32.powi(-66), "{sigma_r}");
        }
    }
}
