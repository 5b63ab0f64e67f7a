//! The sum of the contrasts of all scales.

use super::plan::{Plan, SCALES, WEIGHTS};
use crate::video::{Record, Value};

/// Contrasts that a table counts apart.
pub const BINS: usize = 1 << 16;

/// The sum of the contrasts that count at one scale, from how often each was met. Those of 0 need not be counted.
pub fn sum_of_highest(counts: &[u32], counted: u64) -> u64 {
    let mut left = counted;
    let mut sum = 0;
    for (contrast, count) in counts.iter().enumerate().rev() {
        let taken = left.min(u64::from(*count));
        sum += taken * contrast as u64;
        left -= taken;
    }
    sum
}

/// Writes down the index, and what each scale adds to it, of the sums of all scales.
pub fn finish(plan: &Plan, sums: [u64; SCALES], record: &mut Record) {
    let share = |scale: usize| {
        let (sum, counted) = (sums[scale] * u64::from(WEIGHTS[scale]), plan.counted(scale));
        sum as f64 / (counted * u64::from(plan.gain) * u64::from(plan.area)) as f64
    };
    let shares: [f64; SCALES] = std::array::from_fn(share);
    record.push(super::INDEX, Value::Float(shares.iter().sum()));
    for (scale, share) in shares.into_iter().enumerate() {
        record.push(format!("cambi_scale_{scale}"), Value::Float(share));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_highest_count() {
        let mut counts = vec![0; BINS];
        (counts[65535], counts[10], counts[1]) = (2, 3, 100);
        assert_eq!(sum_of_highest(&counts, 1), 65535);
        assert_eq!(sum_of_highest(&counts, 4), 2 * 65535 + 20);
        assert_eq!(sum_of_highest(&counts, 1000), 2 * 65535 + 30 + 100);
    }
}
