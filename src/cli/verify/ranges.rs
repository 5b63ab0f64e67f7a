//! Many places of frames in few words.

use crate::io::hash::Span;
use std::fmt;

/// So many places at regular distances are told as one, and so many at nearly regular ones.
const FEWEST: usize = 4;
const FEWEST_UNEVEN: usize = 8;

/// More than these are not listed.
const MOST: usize = 12;

/// Frames, and where else they are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Occurrence {
    /// The frames.
    pub span: Span,
    /// Where those of a moved one are.
    pub elsewhere: Option<Span>,
}

/// The places, which are in order, each or many in some words: "frames 3-5", "9", "every 5th frame from 14 to 129 (24
/// frames)".
pub fn listed(places: &[Occurrence]) -> Vec<String> {
    let mut words = Vec::new();
    let mut rest = places;
    while let Some(place) = rest.first() {
        if words.len() == MOST {
            words.push(format!("and {} more ranges (--json has all)", rest.len()));
            break;
        }
        let regular = Rhythm::at_start_of(rest);
        let noun = if words.is_empty() { "frames " } else { "" };
        words.push(regular.map_or_else(|| format!("{noun}{place}"), |rhythm| rhythm.to_string()));
        rest = &rest[regular.map_or(1, |rhythm| rhythm.places)..];
    }
    words
}

impl fmt::Display for Occurrence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.span)?;
        self.elsewhere.map_or(Ok(()), |span| write!(f, " (in IN {span})"))
    }
}

/// Places at regular distances: as a change of the frame rate makes them, one more or less.
#[derive(Clone, Copy, Debug)]
struct Rhythm {
    places: usize,
    /// The least and the most frames of a place, and from one place to the next.
    length: (u64, u64),
    step: (u64, u64),
    first: u64,
    last: u64,
    frames: u64,
}

impl Rhythm {
    /// As many of the first places as have one rhythm, where they are enough.
    fn at_start_of(places: &[Occurrence]) -> Option<Rhythm> {
        let Span { first, last } = places.first()?.span;
        let length = last - first + 1;
        let mut rhythm =
            Rhythm { places: 1, length: (length, length), step: (u64::MAX, 0), first, last, frames: length };
        for pair in places.windows(2) {
            let (length, step) = (pair[1].span.frames(), pair[1].span.first.checked_sub(pair[0].span.first)?);
            let lengths = (rhythm.length.0.min(length), rhythm.length.1.max(length));
            let steps = (rhythm.step.0.min(step), rhythm.step.1.max(step));
            // Places that touch are no rhythm, unless it is all of them, frame by frame.
            let touch = pair[1].span.first == pair[0].span.last + 1;
            let fits = if touch { steps == (1, 1) } else { steps.0 > 1 };
            if lengths.1 - lengths.0 > 1 || steps.1 - steps.0 > 1 || !fits {
                break;
            }
            rhythm = Rhythm {
                places: rhythm.places + 1,
                length: lengths,
                step: steps,
                last: pair[1].span.last,
                frames: rhythm.frames + length,
                ..rhythm
            };
        }
        let even = rhythm.length.0 == rhythm.length.1 && rhythm.step.0 == rhythm.step.1;
        (rhythm.places >= if even { FEWEST } else { FEWEST_UNEVEN }).then_some(rhythm)
    }
}

impl fmt::Display for Rhythm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let either = |(least, most): (u64, u64), word: fn(u64) -> String| {
            if least == most { word(least) } else { format!("{} or {}", word(least), word(most)) }
        };
        let number = |n: u64| n.to_string();
        match (self.length, self.step) {
            (_, (1, 1)) => return write!(f, "each frame from {} to {}", self.first, self.last),
            ((1, 1), step) => write!(f, "every {} frame", either(step, ordinal))?,
            (length, step) => write!(f, "{} of every {} frames", either(length, number), either(step, number))?,
        }
        write!(f, " from {} to {} ({} frames)", self.first, self.last, self.frames)
    }
}

/// "5th".
fn ordinal(number: u64) -> String {
    let ending = match (number % 10, number % 100) {
        (_, 11..=13) => "th",
        (1, _) => "st",
        (2, _) => "nd",
        (3, _) => "rd",
        _ => "th",
    };
    format!("{number}{ending}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(spans: impl IntoIterator<Item = (u64, u64)>) -> String {
        let place = |(first, last)| Occurrence { span: Span { first, last }, elsewhere: None };
        listed(&spans.into_iter().map(place).collect::<Vec<_>>()).join(", ")
    }

    #[test]
    fn a_rhythm_is_told_as_one() {
        assert_eq!(told((0..26).map(|i| (4 + 5 * i, 4 + 5 * i))), "every 5th frame from 4 to 129 (26 frames)");
        assert_eq!(told((0..4).map(|i| (3 + 2 * i, 3 + 2 * i))), "every 2nd frame from 3 to 9 (4 frames)");
        assert_eq!(told((0..9).map(|i| (10 * i + 1, 10 * i + 3))), "3 of every 10 frames from 1 to 83 (27 frames)");
        // 24000/1001 to 20.
        let uneven = [5, 11, 17, 22, 28, 34, 40, 45].map(|i| (i, i));
        assert_eq!(told(uneven), "every 5th or 6th frame from 5 to 45 (8 frames)");
        let uneven = (0..8).map(|i| (5 * i / 2, 5 * i / 2 + i % 2));
        assert_eq!(told(uneven), "1 or 2 of every 2 or 3 frames from 0 to 18 (12 frames)");
        assert_eq!(told((3..9).map(|i| (i, i))), "each frame from 3 to 8");
    }

    #[test]
    fn what_is_no_rhythm_is_listed() {
        let broken = [(1, 1), (50, 60)].into_iter().chain((0..5).map(|i| (100 + i * 11, 100 + i * 11)));
        assert_eq!(told(broken), "frames 1, 50-60, every 11th frame from 100 to 144 (5 frames)");
        assert_eq!(told([(1, 1), (3, 3), (5, 5)]), "frames 1, 3, 5", "three are read as they are");
        assert_eq!(told([1, 3, 6, 8, 11].map(|i| (i, i))), "frames 1, 3, 6, 8, 11");
        assert_eq!(told([1, 2, 4, 5, 7, 8, 10, 11, 13].map(|i| (i, i))), "frames 1, 2, 4, 5, 7, 8, 10, 11, 13");
    }

    #[test]
    fn the_list_has_an_end() {
        let squares = |count: u64| told((0..count).map(|i| (i * i * 3, i * i * 3)));
        assert!(!squares(12).contains("more"), "{}", squares(12));
        assert!(squares(1000).ends_with(", and 988 more ranges (--json has all)"), "{}", squares(1000));
        assert_eq!(told([]), "");
    }

    #[test]
    fn ordinals() {
        let all: Vec<_> = [1, 2, 3, 4, 11, 12, 13, 21, 101, 111, 112].map(ordinal).into();
        assert_eq!(all.join(" "), "1st 2nd 3rd 4th 11th 12th 13th 21st 101st 111th 112th");
    }
}
