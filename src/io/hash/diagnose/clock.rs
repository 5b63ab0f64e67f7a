//! Times of two streams in one unit.

use crate::video::Rational;

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
    fn no_number_is_too_large() {
        let clock = Clock::new(Rational::new(1, i32::MAX), Rational::new(i32::MAX, 1));
        assert_eq!((clock.convert(i64::MAX), clock.convert(i64::MIN)), (i64::MAX, i64::MIN));
    }
}
