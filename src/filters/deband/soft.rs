//! What f3kdb's modes 6 and 7 have instead of a decision: a sample goes part of the distance to the average.

use super::plan::{ComponentPlan, Plan};

/// All of the distance.
pub(super) const WHOLE: u16 = 1 << 15;

/// Shares below one threshold, by the difference; from the threshold on it is 0.
type Shares = Vec<u16>;

/// The shares of one component.
#[derive(Clone, Debug, Default)]
pub(super) struct Soft {
    /// By the difference to the average, to the farthest reference, and to the middle of a pair.
    plain: [Shares; 3],
    /// The same for thresholds that a steady gradient raises.
    raised: [Shares; 3],
}

/// What a share depends on.
#[derive(Clone, Copy)]
pub(super) struct Differences {
    pub average: u16,
    pub farthest: u16,
    pub middles: [u16; 2],
    /// The gradient around the sample goes one way.
    pub is_steady: bool,
}

impl Soft {
    /// The shares of `component`.
    pub(super) fn new(plan: &Plan, component: &ComponentPlan) -> Soft {
        let [plain, raised] = thresholds(plan, component);
        Soft { plain: plain.map(shares), raised: raised.map(shares) }
    }

    /// Of the distance from a sample to `average`, what it goes.
    #[inline(always)]
    pub(super) fn share(&self, differences: Differences) -> u32 {
        let Differences { average, farthest, middles, is_steady } = differences;
        let shares = if is_steady { &self.raised } else { &self.plain };
        let of = |table: usize, difference: u16| {
            shares[table].get(usize::from(difference)).map_or(0, |share| u32::from(*share))
        };
        let middles = times(of(2, middles[0]), of(2, middles[1]));
        times(times(of(0, average), of(1, farthest)), middles)
    }

    /// Every table of shares, those of raised thresholds last.
    #[cfg(feature = "cuda")]
    pub(super) fn tables(&self) -> impl Iterator<Item = &[u16]> {
        self.plain.iter().chain(&self.raised).map(Vec::as_slice)
    }
}

/// The thresholds of `component`, each the length of a table of shares, and those that a steady gradient raises.
pub(super) fn thresholds(plan: &Plan, component: &ComponentPlan) -> [[i32; 3]; 2] {
    let plain = [component.threshold, component.farthest, component.middle];
    let raise = |threshold: i32| libm::round(f64::from(threshold) * plan.angle_boost) as i32;
    [plain, if plan.sample == 7 { plain.map(raise) } else { [0; 3] }]
}

/// What is between `own` and `value`, `share` of the distance from the first: rounded half up.
#[inline(always)]
pub(super) fn between(own: i32, value: i32, share: u32) -> i32 {
    own + (((value - own) * share as i32 + (1 << 14)) >> 15)
}

/// The product of two shares.
#[inline(always)]
fn times(a: u32, b: u32) -> u32 {
    (a * b + (1 << 14)) >> 15
}

/// The tenth root of three times what is left to `threshold`, and 1 at most, by the difference.
fn shares(threshold: i32) -> Shares {
    let left = |difference: i32| (3.0 * (1.0 - f64::from(difference) / f64::from(threshold))).min(1.0);
    (0..threshold).map(|difference| libm::round(libm::pow(left(difference), 0.1) * f64::from(WHOLE)) as u16).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::filters::testing::digest;

    fn soft(thresholds: [i32; 3]) -> Soft {
        Soft { plain: thresholds.map(shares), raised: thresholds.map(|threshold| shares(2 * threshold)) }
    }

    #[test]
    fn shares_are_everywhere_the_same() {
        assert_eq!(digest(shares(1984).into_iter().map(u64::from)), 0xf756_32c8_4eac_5c26);
        assert_eq!(shares(0), [0u16; 0]);
        // Two thirds of the way up all of the distance is gone; at 3/4 of it 3/4 is left: 0.75^0.1 · 32768 = 31838.8.
        assert_eq!([0, 66, 75, 99].map(|at| shares(100)[at]), [WHOLE, WHOLE, 31839, 23076]);
    }

    /// The published formula, in floats.
    #[test]
    fn a_share_is_the_tenth_root_of_a_product() {
        let soft = soft([400, 700, 300]);
        for (average, farthest, first, second) in
            (0..420).step_by(7).flat_map(|d| [(d, 2 * d, d / 2, d / 3), (d / 2, d, d, d / 5), (d, d, 0, d)])
        {
            for is_steady in [false, true] {
                let raised = if is_steady { 2.0 } else { 1.0 };
                let term = |d: i32, t: f64| (3.0 * (1.0 - f64::from(d) / (raised * t))).clamp(0.0, 1.0);
                let product = term(average, 400.0) * term(farthest, 700.0) * term(first, 300.0) * term(second, 300.0);
                let [average, farthest, first, second] = [average, farthest, first, second].map(|d| d as u16);
                let share = soft.share(Differences { average, farthest, middles: [first, second], is_steady });
                let error = f64::from(share) / f64::from(WHOLE) - product.powf(0.1);
                assert!(error.abs() < 1e-4, "{average} {farthest} {first} {second}: {error}");
            }
        }
    }

    #[test]
    fn results_lie_between() {
        assert_eq!(between(100, 200, WHOLE.into()), 200);
        assert_eq!(between(100, 200, 0), 100);
        assert_eq!(between(200, 100, 1 << 14), 150);
        // Half a step up and half a step down both round up.
        assert_eq!([between(100, 101, 1 << 14), between(101, 100, 1 << 14)], [101, 101]);
        assert_eq!(between(0, 19840, WHOLE.into()), 19840);
    }
}
