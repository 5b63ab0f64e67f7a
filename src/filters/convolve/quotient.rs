//! A sum of weighted samples over the divisor, rounded: exact, and without a division.

use crate::filters::device_struct::{DeviceStruct, device_struct};

/// The largest divisor: 65536 times it fits 31 bits.
pub const MOST_DIVISOR: u32 = 32767;

/// What no sum of weighted samples is beyond: weights sum to less than 2^15, and samples are 2^15 around 0.
const MOST: i64 = 1 << 30;

device_struct! {
    /// How a sum becomes a result.
    #[derive(Debug, Default, PartialEq)]
    pub struct Quotient = "ConvolveQuotient" {
        /// Sums below have the result 0, and those above 65535.
        low: i32,
        high: i32,
        /// Added to a sum, modulo 2^32, so that the result is the integer part of what is then divided.
        offset: u32,
        pub divisor: i32,
        /// One over the divisor.
        inverse: f32,
    }
}

const _: fn() = || {
    fn crosses<T: DeviceStruct>() {}
    crosses::<Quotient>();
};

/// What is added to a sum of codes of 8 bits, so that the integer part of what is then divided is the code that two roundings
/// give, to 16 bits and to 8: `floor((sum + offset) / divisor)`, within 0 and 255.
pub fn code_offset(divisor: i32, bias: i64) -> i32 {
    // Halves of a 16-bit number and of a code.
    ((2 * bias + 257) * i64::from(divisor)).div_euclid(512) as i32
}

impl Quotient {
    /// For sums of samples less 32768, by weights that sum to `sum`: `floor(samples / divisor + bias + 1/2)`.
    pub fn new(sum: i64, divisor: u32, bias: i64) -> Quotient {
        let over = i64::from(divisor);
        let end = 65536 * over - 1;
        // Beyond these ends every result is the same.
        let offset = ((sum << 15) + bias * over + over / 2).clamp(-MOST, end + MOST);
        let limit = |value: i64| value.clamp(i32::MIN.into(), i32::MAX.into()) as i32;
        Quotient {
            low: limit(-offset),
            high: limit(end - offset),
            offset: offset as u32,
            divisor: divisor as i32,
            inverse: 1.0 / divisor as f32,
        }
    }

    /// The result of a sum.
    #[inline(always)]
    pub fn of(&self, sum: i32) -> u16 {
        let dividend = sum.max(self.low).min(self.high).wrapping_add_unsigned(self.offset);
        // SAFETY: below 2^31 over at least 1, by at most a few units in the last place more.
        let near = unsafe { (dividend as f32 * self.inverse).to_int_unchecked::<i32>() };
        // One off, at most: floats have 24 bits, and the result 16.
        let rest = dividend - near * self.divisor;
        (near + i32::from(rest >= self.divisor) - i32::from(rest < 0)) as u16
    }

    /// Whether a sample of this weight alone becomes itself.
    pub fn keeps(&self, weight: i32) -> bool {
        *self == Quotient::new(weight.into(), weight.unsigned_abs(), 0) && weight > 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotients_are_those_of_integers() {
        let divisors = [1, 2, 3, 7, 9, 255, 16384, 32767];
        let cases = divisors.iter().flat_map(|d| [(d, 0), (d, -65280), (d, 65280)]);
        for (&divisor, bias) in cases {
            for sum in [0i64, 1, -1, i64::from(divisor), 32767, -32767] {
                let quotient = Quotient::new(sum, divisor, bias);
                for step in -8_000i64..=8_000 {
                    // All over the sums that there may be, and close together around where results are in range.
                    let near = step * i64::from(divisor) * 5 - (sum << 15);
                    for total in [step * 134_217 + step % 7, near] {
                        let Some(total) = Some(total).filter(|total| total.abs() <= MOST) else { continue };
                        let over = i64::from(divisor);
                        let exact = (2 * (total + (sum << 15) + bias * over) + over).div_euclid(2 * over);
                        let got = quotient.of(total as i32);
                        assert_eq!(i64::from(got), exact.clamp(0, 65535), "{sum} {divisor} {bias}: {total}");
                    }
                }
            }
        }
    }
}
