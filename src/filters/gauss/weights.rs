//! The weights of a Gaussian as integers.

/// The sum of all weights is two to this power.
pub(super) const WEIGHT_BITS: u32 = 15;

/// Bits that the sum of a column keeps below those of a lane: as many as let the sum of a row fit 32 bits.
pub(super) const EXTRA_BITS: u32 = 1;

/// The weight of the middle and of those up to `radius` away on either side, as far as they are not zero.
pub(super) fn weights(sigma: f64, radius: usize) -> Vec<u32> {
    let whole = 1u32 << WEIGHT_BITS;
    let gauss: Vec<f64> = (0..=radius).map(|i| libm::exp(-((i * i) as f64) / (2.0 * sigma * sigma))).collect();
    let sum = gauss[0] + 2.0 * gauss[1..].iter().sum::<f64>();
    let exact: Vec<f64> = gauss.iter().map(|g| g / sum * f64::from(whole)).collect();
    let mut weights: Vec<u32> = exact.iter().map(|w| libm::floor(*w) as u32).collect();
    let mut missing = whole - weights[0] - 2 * weights[1..].iter().sum::<u32>();

    let mut pairs: Vec<usize> = (1..=radius).collect();
    pairs.sort_by(|a, b| exact[*b].fract().total_cmp(&exact[*a].fract()));
    for i in pairs {
        if missing >= 2 {
            weights[i] += 1;
            missing -= 2;
        }
    }
    weights[0] += missing;
    let last = weights.iter().rposition(|w| *w > 0).unwrap_or(0);
    weights.truncate(last + 1);
    weights
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::filters::testing::digest;

    #[test]
    fn weights_are_those_of_the_gaussian_and_sum_to_one() {
        for (sigma, radius) in [(0.1, 1), (0.3, 1), (0.5, 2), (1.0, 3), (3.0, 9), (5.0, 4), (20.0, 60), (64.0, 192)] {
            let weights = weights(sigma, radius);
            assert_eq!(weights[0] + 2 * weights[1..].iter().sum::<u32>(), 1 << WEIGHT_BITS, "sigma {sigma}");
            assert!(weights.windows(2).skip(1).all(|pair| pair[0] >= pair[1]), "sigma {sigma}: {weights:?}");
            let gauss = |i: i64| (-((i * i) as f64) / (2.0 * sigma * sigma)).exp();
            let sum: f64 = (-(radius as i64)..=radius as i64).map(gauss).sum();
            for (i, weight) in weights.iter().enumerate() {
                let exact = gauss(i as i64) / sum * f64::from(1 << WEIGHT_BITS);
                assert!((f64::from(*weight) - exact).abs() < 2.0, "sigma {sigma}: {weight} for {exact}");
            }
        }
    }

    /// Every sigma in steps of 0.05, with the radius that goes with it and a narrower one.
    #[test]
    fn weights_are_the_same_on_every_platform() {
        let of = |step: u32| {
            let sigma = f64::from(step) / 20.0;
            let radius = (3.0 * sigma).ceil() as usize;
            [weights(sigma, radius), weights(sigma, radius.div_ceil(2))].concat()
        };
        assert_eq!(digest((2..=1280).flat_map(of).map(u64::from)), 0xc701_fc82_08fe_0874);
    }

    #[test]
    fn weights_worked_out_by_hand() {
        // sigma 1, radius 1: 1 and e^(−1/2) = 0.60653, over 2.21306, by 32768: 14806.65 and 8980.67. Rounded down they
        // lack 2, which is a pair.
        assert_eq!(weights(1.0, 1), [14806, 8981]);
        // At sigma 0.1, e^(−50) is nothing: the identity.
        assert_eq!(weights(0.1, 1), [1 << WEIGHT_BITS]);
    }
}
