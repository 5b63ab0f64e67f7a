//! Times of two streams in one unit.

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

/// From a video's unit of time to the expected one.
#[derive(Clone, Copy, Debug)]
pub struct TimeScale {
    /// The unit of the video over the expected one.
    num: i128,
    den: i128,
    /// How far times may be apart that are the same.
    slack: i64,
}

impl TimeScale {
    /// For times of which neighbours are `distance` expected units apart. Those are the same that `times` says, and
    /// that rounding cannot distinguish: within one of the coarser unit where the units differ, and always less than half the
    /// distance. Where a unit is unknown, both are taken for the same.
    pub fn new(text: Rational, video: Rational, times: Times, distance: Option<i64>) -> TimeScale {
        let num = i128::from(video.num) * i128::from(text.den);
        let den = i128::from(video.den) * i128::from(text.num);
        let is_one_unit = num <= 0 || den <= 0 || num == den;
        let (num, den) = if is_one_unit { (1, 1) } else { (num, den) };
        let ceil = |num: i128, den: i128| num.div_euclid(den) + i128::from(num % den != 0);
        let coarser = ceil(num, den);
        let slack = match times {
            // An offset was rounded, too.
            Times::Offset if is_one_unit => 1,
            // There may have been a container between the two that counts milliseconds, as Matroska does.
            Times::Offset => coarser.max(ceil(text.den.into(), 1000 * i128::from(text.num))),
            _ if is_one_unit => 0,
            _ => coarser,
        };
        let slack = i64::try_from(slack).unwrap_or(i64::MAX);
        let most = distance.map_or(i64::MAX, |distance| (distance.max(1) - 1) / 2);
        TimeScale { num, den, slack: slack.min(most) }
    }

    /// How far apart neighbours of `times` are, most of which have the same distance.
    pub fn distance(times: impl Iterator<Item = i64>) -> Option<i64> {
        let mut times: Vec<_> = times.collect();
        times.sort_unstable();
        let mut distances: Vec<_> = times.windows(2).map(|pair| pair[1].saturating_sub(pair[0])).collect();
        distances.retain(|distance| *distance > 0);
        distances.sort_unstable();
        distances.get(distances.len() / 2).copied()
    }

    /// A time of the video in the expected unit, rounded.
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
        let (exact, offset) = (Times::Exact, Times::Offset);
        for (text, video, times, distance, pts, converted, same, other) in [
            (mp4, mp4, exact, 512, 16896, 16896, 0, 1),
            (mp4, mp4, offset, 512, 16896, 16896, 1, 2),
            (mp4, mkv, exact, 512, 1320, 16896, 13, 14),
            (mp4, mkv, exact, 13, 1320, 16896, 6, 7),
            (mkv, mp4, exact, 40, 16896, 1320, 1, 2),
            (mkv, mp4, exact, 1, 16896, 1320, 0, 1),
            (mkv, mkv, offset, 2, 5, 5, 0, 1),
            (Rational::new(1, 30_000), Rational::new(1, 60_000), exact, 1001, 2002, 1001, 1, 2),
            (Rational::new(1, 30_000), Rational::new(1, 60_000), offset, 1001, 2002, 1001, 30, 31),
            // A frame of 1000 fps.
            (mp4, Rational::new(1, 90_000), exact, 13, 90, 13, 1, 2),
            (Rational::new(1, 90_000), mp4, offset, 90, 13, 91, 44, 45),
            (mkv, Rational::new(0, 1), exact, 40, 5, 5, 0, 1),
        ] {
            let clock = TimeScale::new(text, video, times, Some(distance));
            assert_eq!(clock.convert(pts), converted, "{text} {video}");
            assert!(clock.same(same) && clock.same(-same) && !clock.same(other), "{text} {video}");
        }
    }

    #[test]
    fn distances_are_those_of_most_frames() {
        assert_eq!(TimeScale::distance([0, 80, 40, 41, 120, 160, 160, 200].into_iter()), Some(40));
        assert_eq!(TimeScale::distance([7, 7].into_iter()), None);
        assert_eq!(TimeScale::distance([i64::MIN, i64::MAX].into_iter()), Some(i64::MAX));
    }

    #[test]
    fn times_are_taken_for_the_nearest_that_is_the_same() {
        let clock = TimeScale::new(Rational::new(1, 12800), Rational::new(1, 1000), Times::Exact, None);
        let known = [0, 512, 530];
        for (time, snapped) in [(-13, 0), (-14, -14), (13, 0), (14, 14), (525, 530), (518, 512), (543, 530), (544, 544)]
        {
            assert_eq!(clock.snap(time, &known), snapped);
        }
        assert_eq!(clock.snap(7, &[]), 7);
    }

    #[test]
    fn a_majority_is_the_middle_of_a_crowd() {
        let clock = TimeScale::new(Rational::new(1, 12800), Rational::new(1, 1000), Times::Exact, None);
        assert_eq!(clock.majority(vec![]), None);
        assert_eq!(clock.majority(vec![900, 100, 110, 120, 1000, 1010]), Some(110));
        assert_eq!(clock.majority(vec![900, 100, 110, 120, 1000, 1010, 1100]), None);
        let extreme = TimeScale::new(Rational::new(1, 25), Rational::new(1, 25), Times::Exact, None);
        assert_eq!(extreme.majority(vec![i64::MAX, i64::MIN, 7, 7]), Some(7));
    }

    #[test]
    fn no_number_is_too_large() {
        let clock = TimeScale::new(Rational::new(1, i32::MAX), Rational::new(i32::MAX, 1), Times::Offset, None);
        assert_eq!((clock.convert(i64::MAX), clock.convert(i64::MIN)), (i64::MAX, i64::MIN));
    }
}
