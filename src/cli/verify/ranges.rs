//! Many runs of frames in few words.

use crate::io::hash::Span;
use std::fmt;

/// At least so many runs at a regular distance are reported as one.
const FEWEST: usize = 4;

/// More runs than these are not listed.
const MOST: usize = 12;

/// Frames, and where else they are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Occurrence {
    /// The frames.
    pub span: Span,
    /// Where those of a moved one are.
    pub elsewhere: Option<Span>,
}

/// The runs, which are in order, one by one or as a regular series: "frames 3-5", "9", "every 5th frame from 14 to 129 (24
/// frames)".
pub fn listed(runs: &[Occurrence]) -> Vec<String> {
    let mut words = Vec::new();
    let mut rest = runs;
    while let Some(run) = rest.first() {
        if words.len() == MOST {
            words.push(format!("and {} more ranges (--json has all)", rest.len()));
            break;
        }
        let regular = Regular::at_start_of(rest);
        let noun = if words.is_empty() { "frames " } else { "" };
        words.push(regular.map_or_else(|| format!("{noun}{run}"), |regular| regular.to_string()));
        rest = &rest[regular.map_or(1, |regular| regular.runs)..];
    }
    words
}

impl fmt::Display for Occurrence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.span)?;
        self.elsewhere.map_or(Ok(()), |span| write!(f, " (in IN {span})"))
    }
}

/// Runs of one length at one distance, as a change of the frame rate drops or repeats frames.
#[derive(Clone, Copy, Debug)]
struct Regular {
    runs: usize,
    /// Frames of a run, and from the first of one to the first of the next.
    length: u64,
    step: u64,
    first: u64,
    last: u64,
}

impl Regular {
    /// As many of the first runs as are regular, where they are enough.
    fn at_start_of(runs: &[Occurrence]) -> Option<Regular> {
        let [one, two, ..] = runs else { return None };
        let (length, step) = (one.span.frames(), two.span.first.checked_sub(one.span.first)?);
        let follows = |pair: &&[Occurrence]| {
            pair[1].span.frames() == length && pair[1].span.first.checked_sub(pair[0].span.first) == Some(step)
        };
        let count = 1 + runs.windows(2).take_while(follows).count();
        // Runs that touch are regular only frame by frame.
        let is_regular = count >= FEWEST && (step > length || (length, step) == (1, 1));
        is_regular.then(|| Regular {
            runs: count,
            length,
            step,
            first: one.span.first,
            last: runs[count - 1].span.last,
        })
    }
}

impl fmt::Display for Regular {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.length, self.step) {
            (_, 1) => return write!(f, "each frame from {} to {}", self.first, self.last),
            (1, step) => write!(f, "every {} frame", ordinal(step))?,
            (length, step) => write!(f, "{length} of every {step} frames")?,
        }
        write!(f, " from {} to {} ({} frames)", self.first, self.last, self.runs as u64 * self.length)
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

    fn listed_spans(spans: impl IntoIterator<Item = (u64, u64)>) -> String {
        let place = |(first, last)| Occurrence { span: Span { first, last }, elsewhere: None };
        listed(&spans.into_iter().map(place).collect::<Vec<_>>()).join(", ")
    }

    #[test]
    fn regular_runs_are_one() {
        assert_eq!(listed_spans((0..26).map(|i| (4 + 5 * i, 4 + 5 * i))), "every 5th frame from 4 to 129 (26 frames)");
        assert_eq!(listed_spans((0..4).map(|i| (3 + 2 * i, 3 + 2 * i))), "every 2nd frame from 3 to 9 (4 frames)");
        assert_eq!(
            listed_spans((0..9).map(|i| (10 * i + 1, 10 * i + 3))),
            "3 of every 10 frames from 1 to 83 (27 frames)"
        );
        assert_eq!(listed_spans((3..9).map(|i| (i, i))), "each frame from 3 to 8");
    }

    #[test]
    fn other_runs_are_listed() {
        let broken = [(1, 1), (50, 60)].into_iter().chain((0..5).map(|i| (100 + i * 11, 100 + i * 11)));
        assert_eq!(listed_spans(broken), "frames 1, 50-60, every 11th frame from 100 to 144 (5 frames)");
        assert_eq!(listed_spans([(1, 1), (3, 3), (5, 5)]), "frames 1, 3, 5", "three are read as they are");
        // 24000/1001 to 20 frames a second.
        assert_eq!(listed_spans([5, 11, 17, 22, 28].map(|i| (i, i))), "frames 5, 11, 17, 22, 28");
        assert_eq!(listed_spans([1, 3, 6, 8, 11].map(|i| (i, i))), "frames 1, 3, 6, 8, 11");
        assert_eq!(listed_spans([1, 2, 4, 5, 7, 8, 10, 11, 13].map(|i| (i, i))), "frames 1, 2, 4, 5, 7, 8, 10, 11, 13");
    }

    #[test]
    fn the_list_has_an_end() {
        let squares = |count: u64| listed_spans((0..count).map(|i| (i * i * 3, i * i * 3)));
        assert!(!squares(12).contains("more"), "{}", squares(12));
        assert!(squares(1000).ends_with(", and 988 more ranges (--json has all)"), "{}", squares(1000));
        assert_eq!(listed_spans([]), "");
    }

    #[test]
    fn ordinals() {
        let all: Vec<_> = [1, 2, 3, 4, 11, 12, 13, 21, 101, 111, 112].map(ordinal).into();
        assert_eq!(all.join(" "), "1st 2nd 3rd 4th 11th 12th 13th 21st 101st 111th 112th");
    }
}
