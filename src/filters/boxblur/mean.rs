//! The rounded mean of the lanes of a window from their sum, without a division.
//!
//! Let `n` be their number, `L = floor(log2 n)`, and `t` the sum plus `(n − 1)/2`, which is below `2^16·n`. The mean is
//! `q = floor(t/n)`, and `t = q·n + r`.
//!
//! **`n` odd, from 3 below 2^16.** Then `t < 2^32`. With `p = 32 + L`, `e = 2^p mod n` and `m = floor(2^p/n)`, which
//! fits 32 bits as `n > 2^L`, one of `e` and `n − e` is at most `2^L`, for `n < 2^(L+1)`.
//! - If `n − e ≤ 2^L`: `t·(m + 1)/2^p = t/n + t·(n − e)/(n·2^p)`, which exceeds `t/n` by less than `1/n` and so does not
//!   reach the next integer.
//! - If `e ≤ 2^L`: `(t + 1)·m/2^p = (t + 1)/n − (t + 1)·e/(n·2^p)`. The first term is from `q + 1/n` to `q + 1`; the
//!   second is above 0 and at most `1/n`.
//!
//! **`n` from 2^16 below 2^21.** Then `t >> 5` fits 32 bits. `floor((t >> 5)·m/2^(p−5))` loses less than `32/n` to the
//! first shift and less than `2^-10` to `m`: it is `q` or `q − 1`, and the remainder tells which.

/// Divides by the number of lanes in a window.
#[derive(Clone, Copy, Debug)]
pub(super) struct Mean {
    /// Lanes of a window.
    pub count: u32,
    /// What rounds, when it is added to the sum.
    pub bias: u32,
    /// About 2^32 times a power of two over the count.
    pub inverse: u32,
    /// What takes that power of two off again.
    pub shift: u32,
}

impl Mean {
    /// The mean of `count` lanes, an odd number.
    pub fn of(count: u32) -> Mean {
        let log = count.max(2).ilog2();
        let (power, half) = (1u64 << (32 + log), (count - 1) / 2);
        let (floor, rest) = (power / u64::from(count), power % u64::from(count));
        let (bias, inverse, shift) = match (is_narrow(count), rest <= 1 << log) {
            (true, true) => (half + 1, floor, log),
            (true, false) => (half, floor + 1, log),
            (false, _) => (half, floor, log - 5),
        };
        Mean { count, bias, inverse: inverse as u32, shift }
    }

    /// True when [`Mean::narrow`] holds sums of every lane.
    pub fn is_narrow(self) -> bool {
        is_narrow(self.count)
    }

    /// The mean of up to 65535 lanes.
    #[inline(always)]
    pub fn narrow(self, sum: u32) -> u16 {
        (high(sum.wrapping_add(self.bias), self.inverse) >> self.shift) as u16
    }

    /// The mean of more lanes than that.
    #[inline(always)]
    pub fn wide(self, sum: u64) -> u16 {
        let sum = sum + u64::from(self.bias);
        let mean = high((sum >> 5) as u32, self.inverse) >> self.shift;
        let rest = (sum as u32).wrapping_sub(mean.wrapping_mul(self.count));
        (mean + u32::from(rest >= self.count)) as u16
    }
}

fn is_narrow(count: u32) -> bool {
    count <= u32::from(u16::MAX)
}

/// The high half of a product.
#[inline(always)]
fn high(a: u32, b: u32) -> u32 {
    ((u64::from(a) * u64::from(b)) >> 32) as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mean(mean: Mean, sum: u64) -> u64 {
        u64::from(if mean.is_narrow() { mean.narrow(sum as u32) } else { mean.wide(sum) })
    }

    /// Sums around some steps of the mean, for every window of few columns and many of the others.
    #[test]
    fn means_are_exact_at_every_step() {
        let sides = || (1..=1025u64).step_by(2);
        let windows = sides().flat_map(|a| sides().map(move |b| (a, b)));
        let counts = windows.filter(|(a, b)| a <= b && (*a < 16 || a * b % 7 == 0)).map(|(a, b)| a * b);
        for count in counts.filter(|count| *count > 1) {
            let divide = Mean::of(count as u32);
            let steps = [0, 1, 2, 255, 256, 4095, 32767, 32768, 43690, 65533, 65534, 65535];
            for q in steps {
                // The smallest and the largest sum whose mean is q.
                let (low, high) = ((q * count).saturating_sub((count - 1) / 2), q * count + (count - 1) / 2);
                for sum in [low, low + 1, q * count, high - 1, high].into_iter().filter(|s| *s <= 65535 * count) {
                    assert_eq!(mean(divide, sum), (sum + (count - 1) / 2) / count, "{sum} over {count}");
                }
            }
        }
    }

    /// Every step of the mean, for the windows of square radii on both sides of 16 bits.
    #[test]
    fn no_step_is_left_out() {
        for side in [3, 5, 31, 181, 183, 201, 255, 257, 1023, 1025u64] {
            let (count, divide) = (side * side, Mean::of((side * side) as u32));
            for q in 1..=65535 {
                let first = q * count - (count - 1) / 2;
                assert_eq!((mean(divide, first - 1), mean(divide, first)), (q - 1, q), "{count}");
            }
        }
    }
}
