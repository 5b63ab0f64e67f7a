//! The part of a source that a run covers.

use crate::error::{Error, Result};
use crate::video::Rational;
use std::fmt;
use std::str::FromStr;

/// A point in a source.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Position {
    /// A frame by its absolute index, from 0.
    Frame(u64),
    /// Seconds from the container's start time, as ffmpeg's `-ss` counts them: a frame's time is its timestamp minus
    /// the container's `start_time`.
    Time(f64),
}

impl FromStr for Position {
    type Err = Error;

    /// Reads `#250` or `250f` as a frame; `12.5`, `12.5s`, `MM:SS` and `HH:MM:SS.mmm` as a time.
    fn from_str(text: &str) -> Result<Position> {
        let wrong = || {
            Error::bad_argument(format!(
                "position '{text}' is not understood: write seconds (12.5), HH:MM:SS.mmm, or a frame (#250 or 250f)"
            ))
        };
        let trimmed = text.trim();
        if let Some(index) = trimmed.strip_prefix('#').or_else(|| trimmed.strip_suffix('f')) {
            return whole(index).map(Position::Frame).ok_or_else(wrong);
        }
        let parts: Vec<&str> = trimmed.strip_suffix('s').unwrap_or(trimmed).split(':').collect();
        let (seconds, before) = parts.split_last().ok_or_else(wrong)?;
        let seconds = decimal(seconds).ok_or_else(wrong)?;
        let before = before.iter().map(|part| whole(part)).collect::<Option<Vec<_>>>().ok_or_else(wrong)?;
        let (hours, minutes) = match before[..] {
            [] => return Ok(Position::Time(seconds)),
            [minutes] => (0, minutes),
            [_, minutes] if minutes > 59 => return Err(carried(text)),
            [hours, minutes] => (hours, minutes),
            _ => return Err(wrong()),
        };
        if seconds >= 60.0 {
            return Err(carried(text));
        }
        Ok(Position::Time(seconds + minutes as f64 * 60.0 + hours as f64 * 3600.0))
    }
}

/// What would be carried over is a typing mistake.
fn carried(text: &str) -> Error {
    Error::bad_argument(format!("position '{text}': minutes and seconds after a colon must be below 60"))
}

/// Digits only: `parse` would take a sign.
fn whole(text: &str) -> Option<u64> {
    text.bytes().all(|b| b.is_ascii_digit()).then(|| text.parse().ok())?
}

/// Digits and a point only: `parse` would take signs, exponents, "inf" and "nan".
fn decimal(text: &str) -> Option<f64> {
    text.bytes().all(|b| b.is_ascii_digit() || b == b'.').then(|| text.parse().ok())?
}

impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Position::Frame(index) => write!(f, "frame {index}"),
            Position::Time(seconds) => write!(f, "{seconds} s"),
        }
    }
}

/// The frames that a run keeps: those at or after `start` and before `end`, at most `frames` of them.
///
/// Positions are absolute, and so are the indices of the frames kept: noise is the same as in the whole run. Times are
/// compared to the microsecond. The window closes at the first frame at or past its end.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Window {
    /// The first frame kept; `None` is the source's first.
    pub start: Option<Position>,
    /// The first frame after those kept; `None` is the source's end.
    pub end: Option<Position>,
    /// The most frames kept.
    pub frames: Option<u64>,
}

/// Where a frame is relative to a window.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::io::libav) enum Side {
    Before,
    Inside,
    After,
}

impl Window {
    /// True when nothing is cut.
    pub fn is_whole(&self) -> bool {
        *self == Window::default()
    }

    /// Checks what can be checked without the source.
    ///
    /// # Errors
    /// When no frame can be inside.
    pub fn validate(&self) -> Result<()> {
        let empty = match (self.start, self.end) {
            (Some(Position::Frame(start)), Some(Position::Frame(end))) => start >= end,
            (Some(Position::Time(start)), Some(Position::Time(end))) => microseconds(start) >= microseconds(end),
            _ => false,
        };
        match (empty, self.frames) {
            (true, _) => Err(Error::bad_argument("--end must be later than --start")),
            (_, Some(0)) => Err(Error::bad_argument("--frames must be at least 1")),
            _ => Ok(()),
        }
    }

    /// Where a frame is, given its index, its time in microseconds and the frames kept so far.
    pub(in crate::io::libav) fn side(&self, index: u64, time: i64, kept: u64) -> Side {
        let reached = |position: Position| match position {
            Position::Frame(wanted) => index >= wanted,
            Position::Time(wanted) => time >= microseconds(wanted),
        };
        if !self.start.is_none_or(reached) {
            Side::Before
        } else if self.end.is_some_and(reached) || self.frames.is_some_and(|most| kept >= most) {
            Side::After
        } else {
            Side::Inside
        }
    }

    /// From when until when it lasts, in microseconds from the container's start, as far as that is stated. Frames are
    /// counted as `rate` has them.
    pub(in crate::io::libav) fn span(&self, rate: Rational) -> (Option<i64>, Option<i64>) {
        let after = |frames: u64| rate.value().map(|rate| microseconds(frames as f64 / rate));
        let at = |position| match position {
            Position::Frame(index) => after(index),
            Position::Time(seconds) => Some(microseconds(seconds)),
        };
        let from = self.start.and_then(at);
        let length = self.frames.and_then(after);
        let last = length.and_then(|length| Some(self.start.map_or(Some(0), at)?.saturating_add(length)));
        (from, self.end.and_then(at).into_iter().chain(last).min())
    }

    /// Frames inside a source of `total` frames, where positions in time do not hide it.
    pub(in crate::io::libav) fn count(&self, total: u64) -> Option<u64> {
        let at = |position: Option<Position>, absent: u64| match position {
            None => Some(absent),
            Some(Position::Frame(index)) => Some(index.min(total)),
            Some(Position::Time(_)) => None,
        };
        let between = at(self.end, total)?.saturating_sub(at(self.start, 0)?);
        Some(between.min(self.frames.unwrap_or(u64::MAX)))
    }
}

fn microseconds(seconds: f64) -> i64 {
    (seconds * 1e6).round() as i64
}

/// `ticks` of `unit` in microseconds, rounded to nearest; the largest time where it does not fit.
pub(in crate::io::libav) fn ticks_to_microseconds(ticks: i64, unit: Rational) -> i64 {
    let (num, den) = (i128::from(unit.num) * 1_000_000, i128::from(unit.den.max(1)));
    let scaled = (i128::from(ticks) * num * 2 + den).div_euclid(den * 2);
    i64::try_from(scaled).unwrap_or(i64::MAX)
}

/// The first tick of `unit` that is no earlier than `time` (microseconds).
pub(in crate::io::libav) fn microseconds_to_ticks(time: i64, unit: Rational) -> i64 {
    let tick = (i128::from(unit.num) * 1_000_000).max(1);
    let scaled = (i128::from(time) * i128::from(unit.den) + tick - 1).div_euclid(tick);
    i64::try_from(scaled).unwrap_or(if time < 0 { i64::MIN } else { i64::MAX })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_are_read() {
        for (text, position) in [
            ("12.5", Position::Time(12.5)),
            ("12.5s", Position::Time(12.5)),
            ("0", Position::Time(0.0)),
            (".25", Position::Time(0.25)),
            ("1:02", Position::Time(62.0)),
            ("01:02:03.250", Position::Time(3723.25)),
            ("90:59.9", Position::Time(5459.9)),
            ("100:59:00", Position::Time(363_540.0)),
            ("75", Position::Time(75.0)),
            ("#250", Position::Frame(250)),
            ("250f", Position::Frame(250)),
            ("0f", Position::Frame(0)),
        ] {
            assert_eq!(text.parse::<Position>().unwrap(), position, "{text}");
        }
        for text in
            ["", "f", "#", "s", "-1", "+1", "1:2:3:4", "nan", "inf", "1e3", "#-1", "1.5f", "1:", ":1", "1:-2", "12x"]
        {
            assert!(text.parse::<Position>().is_err(), "{text}");
        }
        for text in ["12:61", "0:60", "1:60:00", "1:00:60.5"] {
            let error = text.parse::<Position>().unwrap_err();
            assert!(error.message().contains("below 60"), "{error}");
        }
    }

    #[test]
    fn sides() {
        let window = Window { start: Some(Position::Frame(3)), end: Some(Position::Time(0.2)), frames: Some(2) };
        assert_eq!(window.side(2, 0, 0), Side::Before);
        assert_eq!(window.side(3, 199_999, 0), Side::Inside);
        assert_eq!(window.side(3, 200_000, 0), Side::After);
        assert_eq!(window.side(5, 0, 2), Side::After);
        assert_eq!(Window::default().side(0, -5, 0), Side::Inside);
    }

    #[test]
    fn windows_that_hold_nothing_are_refused() {
        let window = |start: &str, end: &str| Window {
            start: Some(start.parse().unwrap()),
            end: Some(end.parse().unwrap()),
            frames: None,
        };
        assert!(window("1", "1").validate().is_err());
        assert!(window("#4", "#3").validate().is_err());
        assert!(window("#4", "0.1").validate().is_ok(), "a frame and a time cannot be compared");
        assert!(Window { frames: Some(0), ..Window::default() }.validate().is_err());
    }

    #[test]
    fn frames_inside_are_counted_where_that_is_possible() {
        let frames = |start, end, frames| Window { start, end, frames }.count(100);
        assert_eq!(frames(None, None, None), Some(100));
        assert_eq!(frames(Some(Position::Frame(90)), None, Some(20)), Some(10));
        assert_eq!(frames(Some(Position::Frame(10)), Some(Position::Frame(500)), None), Some(90));
        assert_eq!(frames(None, Some(Position::Time(1.0)), None), None);
    }

    #[test]
    fn windows_last_as_long_as_they_say() {
        let rate = Rational::new(25, 1);
        let span = |start: &str, end: &str, frames| {
            let position = |text: &str| text.parse().ok();
            Window { start: position(start), end: position(end), frames }.span(rate)
        };
        assert_eq!(span("", "", None), (None, None));
        assert_eq!(span("1", "#50", None), (Some(1_000_000), Some(2_000_000)));
        assert_eq!(span("#50", "9", Some(5)), (Some(2_000_000), Some(2_200_000)));
        assert_eq!(span("", "0.1", Some(5)), (None, Some(100_000)));
        let unknown = Window { start: Some(Position::Frame(1)), end: None, frames: Some(1) };
        assert_eq!(unknown.span(Rational::new(0, 1)), (None, None));
    }

    #[test]
    fn times_become_the_tick_at_or_after_them() {
        let ticks = |time| microseconds_to_ticks(time, Rational::new(1, 1000));
        assert_eq!([ticks(0), ticks(1), ticks(1000), ticks(1001), ticks(-1)], [0, 1, 1, 2, 0]);
    }

    #[test]
    fn ticks_round_to_the_nearest_microsecond() {
        assert_eq!(ticks_to_microseconds(1, Rational::new(1001, 30000)), 33367);
        assert_eq!(ticks_to_microseconds(-1, Rational::new(1, 3)), -333_333);
        assert_eq!(ticks_to_microseconds(i64::MAX, Rational::new(i32::MAX, 1)), i64::MAX);
    }
}
