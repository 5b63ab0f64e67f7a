//! From sums of a window to its line, and from sums of lines to a result.

use crate::filters::boxblur::mean::Mean;

/// A slope of one.
const ONE: u32 = 1 << 16;

/// What sums become lines and results by.
#[derive(Clone, Copy, Debug)]
pub struct Numbers {
    /// Of the samples of a window.
    pub mean: Mean,
    /// The variance that is smoothed by half, times the samples of a window.
    pub edge: u64,
}

impl Numbers {
    /// Of windows of this radius; `edge` is a variance of lanes.
    pub fn new(radius: u32, edge: u32) -> Numbers {
        let count = (2 * radius + 1).pow(2);
        Numbers { mean: Mean::of(count), edge: u64::from(count) * u64::from(edge) }
    }

    /// The slope, in 65536ths, and the offset, of a window with these sums of its lanes and of their squares.
    #[inline(always)]
    pub fn line(&self, sum: u32, squares: u64) -> (u16, u16) {
        let mean = u32::from(self.mean.narrow(sum));
        // The sum of the squares of what lanes differ from the rounded mean.
        let spread = squares - u64::from(mean) * u64::from(2 * sum - self.mean.count * mean);
        let slope = real(spread) / real(spread + self.edge) * ONE as f32 + 0.5;
        // SAFETY: a share is from 0 to 1, since an edge is not 0. A conversion that asks does not become vectors.
        let slope = (unsafe { slope.to_int_unchecked::<i32>() } as u32).min(ONE - 1);
        let offset = (u64::from(ONE - slope) * u64::from(sum)) >> 16;
        (slope as u16, self.mean.narrow(offset as u32))
    }

    /// The result for a lane whose windows have these sums of slopes and of offsets.
    #[inline(always)]
    pub fn result(&self, lane: u16, slopes: u32, offsets: u32) -> u16 {
        // At most 65535 times the samples, and half of them, as the mean may be.
        let sum = ((u64::from(slopes) * u64::from(lane)) >> 16) as u32 + offsets;
        self.mean.narrow(sum)
    }
}

/// The float nearest to a whole number below 2^52, without an instruction that few processors have.
#[inline(always)]
fn real(whole: u64) -> f32 {
    const BIT: u64 = 1 << 52;
    (f64::from_bits(whole | (BIT as f64).to_bits()) - BIT as f64) as f32
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Nine lanes, five of 0 and four of 900: sum 3600, mean 400, spread 5·400² + 4·500² = 1,800,000, variance 200,000. By an
    /// edge of 200,000 the slope is a half, and the offset half of the mean.
    #[test]
    fn a_line_worked_out_by_hand() {
        let numbers = Numbers::new(1, 200_000);
        assert_eq!(numbers.line(3600, 4 * 900 * 900), (32768, 200));
        // Flat lanes have no slope; white and black, the steepest there are, nearly one.
        assert_eq!(numbers.line(9 * 65535, 9 * 65535 * 65535), (0, 65535));
        assert_eq!(Numbers::new(1, 1).line(4 * 65535, 4 * 65535 * 65535), (65535, 0));
        assert_eq!(numbers.result(900, 9 * 32768, 9 * 200), 650);
    }

    /// The largest sums that there are.
    #[test]
    fn results_stay_in_range() {
        for radius in [1, 8, 64] {
            let (numbers, count) = (Numbers::new(radius, 1), (2 * radius + 1).pow(2));
            for slope in [0, 1, 2, 255, 32767, 32769, 65535] {
                // Of windows that are white: as the offset is for that slope.
                let offset = numbers.mean.narrow(((u64::from(ONE - slope) * u64::from(count * 65535)) >> 16) as u32);
                let white = numbers.result(65535, slope * count, u32::from(offset) * count);
                assert!(white >= 65534, "radius {radius}, slope {slope}: {white}");
            }
        }
    }

    #[test]
    fn whole_numbers_are_rounded_once() {
        for whole in [0, 1, 16_777_217, 16_777_219, (1 << 47) - 1, (1 << 40) + (1 << 16), (1 << 40) + (1 << 16) + 1] {
            assert_eq!(real(whole), whole as f32, "{whole}");
        }
    }
}
