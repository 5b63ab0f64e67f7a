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
//! first shift and less than `2^-10` to `m`: it is `q` or `q − 1`, and the remainder decides which.

/// Divides by the number of lanes in a window.
#[derive(Clone, Copy, Debug)]
pub(in crate::filters) struct Mean {
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

/// From eight bits to eight bits: the mean in v16, and that rounded, in one multiplication.
///
/// With `s` the sum of `n` samples the mean in v16 is `floor((256·s + (n − 1)/2) / n)`, and rounded to eight bits
/// `floor((mean + 128) / 256)`. Floors of fractions of floors join: this is `q = floor(t/n)` for `t = s + bias` and
/// `bias = floor(((n − 1)/2 + 128·n) / 256)`, and `t < 256·n`.
///
/// With `m = ceil(2^p/n)`, `t·m/2^p` exceeds `t/n` by less than `t/2^p`, so that it does not reach the next integer while
/// `t·n ≤ 2^p`. That holds for `p = 32` and `n < 2^12`, and for `p = 40` and `n < 2^16`, where `m` still fits 32 bits
/// because `n ≥ 2^12`; `q` then is byte 0 or byte 1 of the product's high half.
#[cfg(feature = "cuda")]
#[derive(Clone, Copy, Debug)]
pub(super) struct EightBitMean {
    /// What rounds, when it is added to the sum.
    pub bias: u32,
    /// About 2^32 or 2^40 over the count.
    pub inverse: u32,
    /// Which byte of the product's high half is the mean.
    pub byte: u32,
}

#[cfg(feature = "cuda")]
impl EightBitMean {
    /// The mean of `count` samples, an odd number; `None` from 2^16 samples on.
    pub fn of(count: u32) -> Option<EightBitMean> {
        let byte = u32::from(count >= 1 << 12);
        let bias = ((count - 1) / 2 + 128 * count) / 256;
        let inverse = (1u64 << (32 + 8 * byte)).div_ceil(u64::from(count)) as u32;
        (count > 1 && is_narrow(count)).then_some(EightBitMean { bias, inverse, byte })
    }

    /// What takes the means out of two products, for CUDA's `__byte_perm`: byte `byte` of either.
    pub fn selector(self) -> u32 {
        (4 + self.byte) << 4 | self.byte
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

    /// Every sum of small windows, and the sums around every step of large ones.
    #[cfg(feature = "cuda")]
    #[test]
    fn eight_bits_are_rounded_as_through_v16() {
        for side in [3, 5, 7, 31, 63, 65, 91, 201, 255u32] {
            let count = side * side;
            let eight = EightBitMean::of(count).unwrap();
            let got = |sum: u32| high(sum + eight.bias, eight.inverse) >> (8 * eight.byte) & 0xff;
            let wanted = |sum: u32| ((sum * 256 + (count - 1) / 2) / count + 128) / 256;
            let steps = (0..=255 * 2u32).flat_map(|half| (half * count / 2).saturating_sub(3)..=half * count / 2 + 3);
            let sums: Vec<u32> = if side < 65 { (0..=255 * count).collect() } else { steps.collect() };
            for sum in sums.into_iter().filter(|sum| *sum <= 255 * count) {
                assert_eq!(got(sum), wanted(sum), "{sum} over {count}");
            }
        }
        assert!(EightBitMean::of(257 * 257).is_none());
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
