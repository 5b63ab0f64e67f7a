//! Parts of a film as text: frames by number, and times in seconds.

use crate::error::{Error, Result};
use crate::params::excerpt;
use crate::video::Rational;
use std::fmt;
use std::str::FromStr;

/// A frame's number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct FrameNumber(u64);

/// Seconds, in units of 10^−9.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Time(u64);

/// Digits behind the point of a time.
const DIGITS: usize = 9;
const SECOND: u64 = 1_000_000_000;

impl FromStr for FrameNumber {
    type Err = ();

    fn from_str(text: &str) -> std::result::Result<FrameNumber, ()> {
        let is_number = text.bytes().all(|c| c.is_ascii_digit());
        text.parse().ok().filter(|_| is_number).map(FrameNumber).ok_or(())
    }
}

impl fmt::Display for FrameNumber {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl FromStr for Time {
    type Err = ();

    fn from_str(text: &str) -> std::result::Result<Time, ()> {
        let (seconds, parts) = text.split_once('.').unwrap_or((text, "0"));
        let is_number =
            [seconds, parts].iter().all(|part| !part.is_empty() && part.bytes().all(|c| c.is_ascii_digit()));
        if !is_number || parts.len() > DIGITS {
            return Err(());
        }
        let seconds = seconds.parse::<u64>().ok().and_then(|seconds| seconds.checked_mul(SECOND));
        let parts = format!("{parts:0<DIGITS$}").parse::<u64>().ok();
        seconds.zip(parts).and_then(|(seconds, parts)| seconds.checked_add(parts)).map(Time).ok_or(())
    }
}

impl fmt::Display for Time {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = format!("{}.{:0DIGITS$}", self.0 / SECOND, self.0 % SECOND);
        f.write_str(text.trim_end_matches('0').trim_end_matches('.'))
    }
}

/// Something that parts are bounded by.
pub trait Bound: FromStr + fmt::Display + Copy + Ord {
    /// What a part of one bound alone is, if that has a meaning.
    const ALONE: bool;
    /// The end of "it takes …".
    const TAKES: &'static str;
}

impl Bound for FrameNumber {
    const ALONE: bool = true;
    const TAKES: &'static str = "frames as 7, 100-200 or 400- (to the end), joined by +";
}

impl Bound for Time {
    const ALONE: bool = false;
    const TAKES: &'static str = "seconds as 10-20.5 or 60- (to the end), joined by +";
}

/// Parts of a film, each from a bound on, and to one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parts<T>(Vec<(T, Option<T>)>);

impl<T: Bound> Parts<T> {
    /// Reads `text`, which is given for `option`.
    ///
    /// # Errors
    /// Where it is no such list, or a part ends before it begins.
    pub fn parse(option: &str, text: &str) -> Result<Parts<T>> {
        let part = |text: &str| match text.split_once('-') {
            None if T::ALONE => text.parse().ok().map(|only| (only, Some(only))),
            None => None,
            Some((from, "")) => from.parse().ok().map(|from| (from, None)),
            Some((from, to)) => {
                let bounds = from.parse().ok().zip(to.parse().ok());
                bounds.filter(|(from, to)| from < to || T::ALONE && from == to).map(|(from, to)| (from, Some(to)))
            }
        };
        text.split('+').map(part).collect::<Option<_>>().map(Parts).ok_or_else(|| {
            Error::bad_argument(format!("option '{option}' cannot be '{}': it takes {}", excerpt(text), T::TAKES))
        })
    }
}

impl Parts<FrameNumber> {
    /// Whether frame `index` is in one of them. Both bounds belong to a part.
    pub fn have(&self, index: u64) -> bool {
        self.0.iter().any(|(from, to)| index >= from.0 && to.is_none_or(|to| index <= to.0))
    }
}

impl Parts<Time> {
    /// Whether a frame that is shown at `pts`, in units of `timebase`, is in one of them. The end belongs to no part.
    pub fn have(&self, pts: i64, timebase: Rational) -> bool {
        let reaches = |bound: Time| {
            let shown = i128::from(pts) * i128::from(timebase.num) * i128::from(SECOND);
            shown >= i128::from(bound.0) * i128::from(timebase.den)
        };
        self.0.iter().any(|(from, to)| reaches(*from) && !to.is_some_and(reaches))
    }
}

impl<T: Bound> fmt::Display for Parts<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, (from, to)) in self.0.iter().enumerate() {
            let plus = if i > 0 { "+" } else { "" };
            match to {
                None => write!(f, "{plus}{from}-")?,
                Some(to) if to == from => write!(f, "{plus}{from}")?,
                Some(to) => write!(f, "{plus}{from}-{to}")?,
            }
        }
        Ok(())
    }
}
