//! Times of two streams in one unit.

use crate::io::hash::record::Layout;
use crate::video::Rational;

/// Which times of frames are the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Times {
    /// Equal ones.
    Exact,
    /// Those that are later or earlier by as much as all others.
    Offset,
    /// All.
    Ignore,
}

impl Times {
    /// What a text of this layout can tell: ffmpeg, which wrote it, may have counted from zero.
    pub fn of(layout: Layout) -> Times {
        match layout {
            Layout::Vramp => Times::Exact,
            Layout::Ffmpeg => Times::Offset,
        }
    }
}

/// From a video's unit of time to a text's.
#[derive(Clone, Copy, Debug)]
pub struct Clock {
    /// The unit of the video over that of the text.
    num: i128,
    den: i128,
    /// How far times may be apart that are the same: the coarser unit cannot tell them, or a millisecond.
    slack: i64,
}

impl Clock {
    /// Where a unit is unknown, both are taken for the same.
    pub fn new(text: Rational, video: Rational) -> Clock {
        let num = i128::from(video.num) * i128::from(text.den);
        let den = i128::from(video.den) * i128::from(text.num);
        if num <= 0 || den <= 0 || num == den {
            return Clock { num: 1, den: 1, slack: 0 };
        }
        // Nor can a container between the two that counts milliseconds, as Matroska does.
        let ceil = |num: i128, den: i128| num.div_euclid(den) + i128::from(num % den != 0);
        let slack = ceil(num, den).max(ceil(text.den.into(), 1000 * i128::from(text.num)));
        Clock { num, den, slack: i64::try_from(slack).unwrap_or(i64::MAX) }
    }

    /// A time of the video in the text's unit, rounded.
    pub fn convert(self, pts: i64) -> i64 {
        let rounded = (2 * i128::from(pts) * self.num + self.den).div_euclid(2 * self.den);
        rounded.clamp(i64::MIN.into(), i64::MAX.into()) as i64
    }

    /// The one of the sorted times `known` that is the same as `time` and nearest to it, or else `time`.
    pub fn snap(self, time: i64, known: &[i64]) -> i64 {
        let next = known.partition_point(|known| *known < time);
        let beside = known.get(next).into_iter().chain(next.checked_sub(1).map(|before| &known[before]));
        let nearest = beside.min_by_key(|known| known.abs_diff(time));
        nearest.copied().filter(|known| known.abs_diff(time) <= self.slack.unsigned_abs()).unwrap_or(time)
    }

    /// What at least half of the differences are: their middle, so that rounding counts in both directions.
    pub fn majority(self, mut differences: Vec<i64>) -> Option<i64> {
        differences.sort_unstable();
        let width = 2 * i128::from(self.slack);
        let mut start = 0;
        let mut most: Option<(usize, i128)> = None;
        for (end, last) in differences.iter().copied().enumerate() {
            while i128::from(last) - i128::from(differences[start]) > width {
                start += 1;
            }
            let count = end + 1 - start;
            if most.is_none_or(|(known, _)| count > known) {
                most = Some((count, (i128::from(differences[start]) + i128::from(last)).div_euclid(2)));
            }
        }
        let (_, middle) = most.filter(|(count, _)| 2 * count >= differences.len())?;
        i64::try_from(middle).ok()
    }

    /// Whether times so far apart are the same.
    pub fn same(self, difference: i64) -> bool {
        difference.unsigned_abs() <= self.slack.unsigned_abs()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_coarser_unit_is_believed_as_far_as_it_goes() {
        let (mp4, mkv) = (Rational::new(1, 12800), Rational::new(1, 1000));
        // 33 frames of 25 fps: 1.32 s.
        for (text, video, pts, converted, same, other) in [
            (mp4, mp4, 16896, 16896, 0, 1),
            (mp4, mkv, 1320, 16896, 13, 14),
            (mkv, mp4, 16896, 1320, 1, 2),
            (Rational::new(1, 30_000), Rational::new(1, 60_000), 2002, 1001, 30, 31),
            (mkv, Rational::new(0, 1), 5, 5, 0, 1),
        ] {
            let clock = Clock::new(text, video);
            assert_eq!(clock.convert(pts), converted, "{text} {video}");
            assert!(clock.same(same) && clock.same(-same) && !clock.same(other), "{text} {video}");
        }
    }

    #[test]
    fn times_are_taken_for_the_nearest_that_is_the_same() {
        let clock = Clock::new(Rational::new(1, 12800), Rational::new(1, 1000));
        let known = [0, 512, 530];
        for (time, snapped) in [(-13, 0), (-14, -14), (13, 0), (14, 14), (525, 530), (518, 512), (543, 530), (544, 544)]
        {
            assert_eq!(clock.snap(time, &known), snapped);
        }
        assert_eq!(clock.snap(7, &[]), 7);
    }

    #[test]
    fn a_majority_is_the_middle_of_a_crowd() {
        let clock = Clock::new(Rational::new(1, 12800), Rational::new(1, 1000));
        assert_eq!(clock.majority(vec![]), None);
        assert_eq!(clock.majority(vec![900, 100, 110, 120, 1000, 1010]), Some(110));
        assert_eq!(clock.majority(vec![900, 100, 110, 120, 1000, 1010, 1100]), None);
        let extreme = Clock::new(Rational::new(1, 25), Rational::new(1, 25));
        assert_eq!(extreme.majority(vec![i64::MAX, i64::MIN, 7, 7]), Some(7));
    }

    #[test]
    fn no_number_is_too_large() {
        let clock = Clock::new(Rational::new(1, i32::MAX), Rational::new(i32::MAX, 1));
        assert_eq!((clock.convert(i64::MAX), clock.convert(i64::MIN)), (i64::MAX, i64::MIN));
    }
}
