//! An encoder's unit of time, and the source's times in it.

use crate::video::Rational;

/// `value` in units of `from` as units of `to`, rounded to the nearest, halves away from zero.
pub(in crate::io::libav) fn rescale(value: i64, from: Rational, to: Rational) -> i64 {
    let numerator = i128::from(value) * i128::from(from.num) * i128::from(to.den);
    let denominator = i128::from(from.den) * i128::from(to.num);
    let half = denominator / 2 * numerator.signum();
    i64::try_from((numerator + half) / denominator).unwrap_or(if numerator < 0 { i64::MIN } else { i64::MAX })
}

/// How strictly an encoder or a container keeps time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::io::libav) enum Timing {
    /// Any time of the source's timebase.
    Free,
    /// One frame every 1/frame rate, so that the source's times must lie there.
    Constant,
    /// Frames follow each other and have no times.
    Untimed,
}

/// The encoder's clock: ticks of one unit, counted from the first frame.
#[derive(Clone, Debug)]
pub(in crate::io::libav) struct EncoderClock {
    timing: Timing,
    source: Rational,
    unit: Rational,
    origin: Option<i64>,
    frames: i64,
}

impl EncoderClock {
    /// A clock for a source of timebase `source` and nominal `frame_rate`. Without a known rate it ticks as the source.
    pub(in crate::io::libav) fn new(timing: Timing, source: Rational, frame_rate: Rational) -> EncoderClock {
        let regular = timing != Timing::Free && frame_rate.num > 0 && frame_rate.den > 0;
        let unit = if regular { Rational::new(frame_rate.den, frame_rate.num) } else { source };
        EncoderClock { timing, source, unit, origin: None, frames: 0 }
    }

    /// Counts from `origin`, before the first frame, where frames lie at whole ticks: a part that begins elsewhere would be off the
    /// beat.
    pub(in crate::io::libav) fn count_from(&mut self, origin: i64) {
        if self.timing == Timing::Constant {
            self.origin = Some(origin);
        }
    }

    /// The length of a tick in seconds.
    pub(in crate::io::libav) fn unit(&self) -> Rational {
        self.unit
    }

    /// How strictly it keeps time.
    pub(in crate::io::libav) fn timing(&self) -> Timing {
        self.timing
    }

    /// The tick of the next frame, shown at `pts`, and whether the frame lies exactly there.
    pub(in crate::io::libav) fn tick(&mut self, pts: i64) -> (i64, bool) {
        let origin = *self.origin.get_or_insert(pts);
        let nearest = rescale(pts - origin, self.source, self.unit);
        let tick = if self.timing == Timing::Untimed { self.frames } else { nearest };
        self.frames += 1;
        (tick, self.time(tick) == pts)
    }

    /// The time of a tick in the source's timebase.
    pub(in crate::io::libav) fn time(&self, tick: i64) -> i64 {
        self.origin.unwrap_or(0) + rescale(tick, self.unit, self.source)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rescaling_rounds_halves_away_from_zero() {
        let (thirds, halves) = (Rational::new(1, 3), Rational::new(1, 2));
        assert_eq!([-3, -2, -1, 1, 2, 3].map(|v| rescale(v, thirds, halves)), [-2, -1, -1, 1, 1, 2]);
        assert_eq!([-3, -1, 1, 3].map(|v| rescale(v, Rational::new(1, 2), Rational::new(1, 1))), [-2, -1, 1, 2]);
        assert_eq!(rescale(i64::MAX, Rational::new(1, 1), Rational::new(1, 90_000)), i64::MAX);
    }

    #[test]
    fn a_free_clock_takes_any_time() {
        let mut clock = EncoderClock::new(Timing::Free, Rational::new(1, 1000), Rational::new(25, 1));
        for pts in [126_000, 126_001, 126_777] {
            let (tick, exact) = clock.tick(pts);
            assert!(exact);
            assert_eq!(clock.time(tick), pts);
        }
        assert_eq!(clock.time(-80), 125_920, "decode times before the first frame");
    }

    #[test]
    fn a_constant_clock_takes_the_rate_even_as_rounded_by_the_source() {
        // 24000/1001 fps in milliseconds, from an odd start.
        let mut clock = EncoderClock::new(Timing::Constant, Rational::new(1, 1000), Rational::new(24_000, 1001));
        let ticks: Vec<_> = [7, 49, 90, 132, 174].map(|pts| clock.tick(pts)).to_vec();
        assert_eq!(ticks, [(0, true), (1, true), (2, true), (3, true), (4, true)]);
        assert_eq!(clock.time(4), 174);
        assert_eq!(clock.tick(200), (5, false));
    }

    #[test]
    fn a_part_keeps_the_beat_of_its_film() {
        // Frame 1 of 24000/1001 fps lies at 41.7 ms, which is 42; 50 frames later at 2127.1, which is not 42 + 2085.4.
        let clock = || EncoderClock::new(Timing::Constant, Rational::new(1, 1000), Rational::new(24_000, 1001));
        let (mut alone, mut of_film) = (clock(), clock());
        of_film.count_from(0);
        assert_eq!([42, 2127].map(|pts| alone.tick(pts)), [(0, true), (50, true)]);
        assert_eq!([42, 2127, 2169].map(|pts| of_film.tick(pts)), [(1, true), (51, true), (52, true)]);
        assert_eq!(alone.tick(2169), (51, true));
        let mut free = EncoderClock::new(Timing::Free, Rational::new(1, 1000), Rational::new(24_000, 1001));
        free.count_from(0);
        assert_eq!(free.tick(42), (0, true), "other clocks count from the part's first frame");
    }

    #[test]
    fn untimed_frames_are_counted() {
        let mut clock = EncoderClock::new(Timing::Untimed, Rational::new(1, 1000), Rational::new(25, 1));
        assert_eq!([0, 13, 500].map(|pts| clock.tick(pts)), [(0, true), (1, false), (2, false)]);
    }
}
