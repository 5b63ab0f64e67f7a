//! Where decoded samples lie: one after the other, with silence where the source has a gap, and cut to a window.

use crate::error::Result;
use crate::io::libav::encode::timebase::rescale;
use crate::io::libav::recode::sound::samples;
use crate::video::Rational;
use ffmpeg_next::frame::Audio;

/// Samples may be this far, in seconds, from where their times say before silence is put in, or some of them are left out.
/// Times of containers are rounded and clocks drift, but no packet of a common codec is shorter.
const TOLERANCE: f64 = 0.01;

/// Silence is made in pieces of this many samples at most.
const PIECE: i64 = 1 << 14;

const MICROSECOND: Rational = Rational::new(1, 1_000_000);

/// Follows the samples of one rate.
pub(super) struct Timeline {
    unit: Rational,
    rate: i32,
    /// The next sample.
    next: Option<i64>,
    /// What is kept, in samples.
    from: Option<i64>,
    until: Option<i64>,
}

/// What becomes of a frame: silence before it, samples left out at its start, and samples kept.
#[derive(Debug, PartialEq, Eq)]
struct Adjustment {
    at: i64,
    silence: i64,
    skip: i64,
    keep: i64,
}

impl Timeline {
    /// A timeline of `rate` samples a second for frames whose times are on `unit`.
    pub(super) fn new(unit: Rational, rate: i32) -> Timeline {
        Timeline { unit, rate, next: None, from: None, until: None }
    }

    /// Keeps only what is from `from` to before `until`, in microseconds of the source's clock.
    pub(super) fn keep(&mut self, (from, until): (Option<i64>, Option<i64>)) {
        let samples = |time: i64| rescale(time, MICROSECOND, Rational::new(1, self.rate));
        self.from = from.map(samples).or(self.from);
        self.until = until.map(samples).or(self.until);
    }

    /// The same place at another rate.
    pub(super) fn at_rate(&self, rate: i32) -> Timeline {
        let same = |time: Option<i64>| time.map(|time| rescale(time, self.sample(), Rational::new(1, rate)));
        let (next, from, until) = (same(self.next), same(self.from), same(self.until));
        Timeline { unit: self.unit, rate, next, from, until }
    }

    fn sample(&self) -> Rational {
        Rational::new(1, self.rate)
    }

    /// Places `frame`, whose time is `time`. Gives frames that follow each other, their times in samples.
    ///
    /// # Errors
    /// When memory runs out.
    pub(super) fn place(&mut self, mut frame: Audio, time: Option<i64>, out: &mut Vec<Audio>) -> Result<()> {
        let place = self.find(time, frame.samples() as i64);
        for start in (0..place.silence).step_by(PIECE as usize) {
            let mut silence = samples::silence_like(&frame, PIECE.min(place.silence - start))?;
            silence.set_pts(Some(place.at - place.silence + start));
            out.push(silence);
        }
        if place.keep > 0 {
            samples::cut(&mut frame, place.skip, place.keep);
            frame.set_pts(Some(place.at));
            out.push(frame);
        }
        Ok(())
    }

    /// Where `count` samples of `time` lie, and that the next ones follow.
    fn find(&mut self, time: Option<i64>, count: i64) -> Adjustment {
        let unit = self.unit.value().unwrap_or(0.0) * f64::from(self.rate);
        let tolerance = (f64::from(self.rate) * TOLERANCE).max(unit * 0.75) as i64;
        let stated = time.map(|time| rescale(time, self.unit, self.sample()));
        let start = match (self.next, stated) {
            // A time in a coarse unit is not the start's own: what is less than a tick from 0 was rounded.
            (None, Some(stated)) if stated.abs() as f64 <= unit && unit > 1.0 => 0,
            (Some(next), Some(stated)) if (stated - next).abs() <= tolerance => next,
            (next, stated) => stated.or(next).unwrap_or(0),
        };
        // What overlaps with what was there, or lies before the window, is left out.
        let from = self.next.max(self.from).unwrap_or(i64::MIN);
        let until = self.until.unwrap_or(i64::MAX);
        let (first, last) = (start.max(from).min(start + count), (start + count).min(until));
        let kept = (last - first).max(0);
        // A window's beginning does not fill with silence what is before the first sample.
        let silence = match self.next {
            Some(next) if kept > 0 => first - next.max(self.from.unwrap_or(next)).min(first),
            _ => 0,
        };
        self.next = Some(self.next.map_or(start + count, |next| next.max(start + count)));
        Adjustment { at: first, silence, skip: first - start, keep: kept }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn places(timeline: &mut Timeline, frames: &[(Option<i64>, i64)]) -> Vec<(i64, i64, i64, i64)> {
        let found = frames.iter().map(|(time, count)| timeline.find(*time, *count));
        found.map(|place| (place.at, place.silence, place.skip, place.keep)).collect()
    }

    fn timeline() -> Timeline {
        Timeline::new(Rational::new(1, 1000), 48_000)
    }

    #[test]
    fn rounded_times_make_no_gaps() {
        // 1024 samples are 21.33 ms; the first time is a rounded 0.
        let frames = [(Some(-1), 1024), (Some(21), 1024), (Some(43), 1024), (None, 1024)];
        assert_eq!(
            places(&mut timeline(), &frames),
            [(0, 0, 0, 1024), (1024, 0, 0, 1024), (2048, 0, 0, 1024), (3072, 0, 0, 1024)]
        );
    }

    #[test]
    fn gaps_become_silence_and_overlaps_go() {
        let frames = [(Some(100), 960), (Some(140), 960), (Some(130), 960), (Some(160), 4800)];
        let expected = [(4800, 0, 0, 960), (6720, 960, 0, 960), (7200, 0, 960, 0), (7680, 0, 0, 4800)];
        assert_eq!(places(&mut timeline(), &frames), expected);
    }

    #[test]
    fn a_window_cuts_to_the_sample() {
        let mut timeline = timeline();
        timeline.keep((Some(30_000), None));
        assert_eq!(places(&mut timeline, &[(Some(0), 960), (Some(20), 960)]), [(960, 0, 960, 0), (1440, 0, 480, 480)]);
        timeline.keep((Some(30_000), Some(50_000)));
        assert_eq!(places(&mut timeline, &[(Some(40), 960), (Some(60), 960)]), [(1920, 0, 0, 480), (2880, 0, 0, 0)]);
    }
}
