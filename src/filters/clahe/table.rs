//! A tile's curve, from its histogram.

use super::plan::{BINS, Levels};

/// A curve at the edges of bins: one more than there are bins.
pub type TileCurve = [u16; BINS + 1];

/// Makes the curve of a tile in which so many lanes are in each bin.
///
/// Counts are in as many parts as there are bins: so the mean is the number of lanes, and what is shared has no remainder.
pub fn make(levels: &Levels, counts: &[u32; BINS], curve: &mut TileCurve) {
    let bins = u64::from(levels.count);
    let counts = &counts[..levels.count as usize];
    let lanes: u64 = counts.iter().map(|count| u64::from(*count)).sum();
    let most = (lanes * u64::from(levels.clip)) >> 8;
    let clipped = |count: &u32| (u64::from(*count) * bins).min(most);
    let shared = lanes * bins - counts.iter().map(clipped).sum::<u64>();
    let mut below = 0;
    for (bin, value) in curve.iter_mut().enumerate().take(counts.len() + 1) {
        *value = levels.edge(below * bins + shared * bin as u64, lanes, bin as u32);
        below += counts.get(bin).map_or(0, clipped);
    }
}

impl Levels {
    /// The curve's value at the edge before `bin`, below which there are `below` of `lanes` times the square of the bins; without
    /// lanes, the edge itself.
    fn edge(&self, below: u64, lanes: u64, bin: u32) -> u16 {
        let (all, start) = (lanes * u64::from(self.count), u64::from(self.first << self.shift));
        let above = match all {
            0 => u64::from(bin) << self.shift,
            _ => ((below << self.shift) + all / 2) / all,
        };
        (start + above).min(65535) as u16
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn curve(levels: Levels, of: &[(usize, u32)]) -> TileCurve {
        let (mut counts, mut curve) = ([0; BINS], [0; BINS + 1]);
        of.iter().for_each(|(bin, count)| counts[*bin] = *count);
        make(&levels, &counts, &mut curve);
        curve
    }

    /// Four bins of 64 from 128 on, 8 lanes: 6 in the second, 2 in the third. The mean is 2, and with a clip of 1.5 a bin counts at
    /// most 3: 3 of the 6 are shared, 3/4 for each bin. So there are 0.75, 4.5, 7.25 and 8 of 8 below the edges: of 256 steps
    /// 24, 144, 232 and 256.
    #[test]
    fn a_curve_worked_out_by_hand() {
        let levels = Levels { shift: 6, first: 2, count: 4, clip: 384 };
        let curve = curve(levels, &[(1, 6), (2, 2)]);
        assert_eq!(curve[..5], [128, 128 + 24, 128 + 144, 128 + 232, 128 + 256]);
    }

    #[test]
    fn nothing_changes_without_lanes_or_with_as_many_everywhere() {
        let levels = Levels { shift: 8, first: 16, count: 219, clip: 512 };
        let even: Vec<_> = (0..219).map(|bin| (bin, 17)).collect();
        for of in [&[][..], &even] {
            let curve = curve(levels, of);
            assert!((0..=219).all(|bin| usize::from(curve[bin]) == (16 + bin) * 256));
        }
    }

    /// The largest histogram there is: no sum overflows, and the curve goes from black to white.
    #[test]
    fn a_picture_of_one_level() {
        let levels = Levels { shift: 8, first: 0, count: 256, clip: 64 << 8 };
        let curve = curve(levels, &[(125, 1 << 28)]);
        assert_eq!((curve[0], curve[256]), (0, 65535));
        assert!(curve.is_sorted() && curve[126] - curve[125] >= 64 * 256);
    }
}
