//! What differs, gathered into runs of frames.

use super::time_scale::TimeScale;
use super::{Difference, DifferenceKind, Entry, Span};
use std::ops::Range;

/// One explanation of what differs: there are several where frames repeat.
pub struct Explanation {
    scale: TimeScale,
    runs: Vec<DifferenceRun>,
    /// How often the time by which frames are late changes within a run.
    steps: usize,
    /// Frames with the samples they should have.
    pub same: usize,
    /// How much later all frames are, which is no difference.
    pub offset: i64,
}

/// Frames, by their places, that have the same difference.
struct DifferenceRun {
    what: DifferenceKind,
    expected: Range<usize>,
    found: Range<usize>,
}

impl Explanation {
    pub fn new(scale: TimeScale, offset: i64) -> Explanation {
        Explanation { scale, runs: Vec::new(), steps: 0, same: 0, offset }
    }

    /// How long it is: the runs, and the steps within them.
    pub fn length(&self) -> usize {
        self.runs.len() + self.steps
    }

    /// How many frames they hold. Those of a shift are as they should be.
    pub fn frames(&self) -> usize {
        let runs = self.runs.iter().filter(|run| !matches!(run.what, DifferenceKind::Shifted { .. }));
        runs.map(|run| run.expected.len().max(run.found.len())).sum()
    }

    /// Adds a frame, to the run that it continues or as one of its own.
    pub fn add(&mut self, what: DifferenceKind, expected: Range<usize>, found: Range<usize>) {
        // A frame is in two runs at most, so the run that it continues is one of the last.
        let run = self.runs.iter_mut().rev().take(4).find(|run| run.goes_on(&what, &expected, &found));
        match run {
            Some(run) => {
                (run.expected.end, run.found.end) = (expected.end, found.end);
                if let (DifferenceKind::Time { last: Some(last), .. }, DifferenceKind::Time { last: Some(now), .. }) =
                    (&mut run.what, what)
                    && !self.scale.same(now.saturating_sub(*last))
                {
                    self.steps += 1;
                    *last = now;
                }
            }
            None => self.runs.push(DifferenceRun { what, expected, found }),
        }
    }

    /// The whole explanation, in order, with the `shift` of sequences of these lengths, if any.
    pub fn end(mut self, shift: i64, expected: usize, found: usize) -> Explanation {
        let by = shift.unsigned_abs() as usize;
        let places = if shift > 0 { (by..expected, 0..found - by) } else { (0..expected - by, by..found) };
        if shift != 0 {
            self.runs.insert(
                0,
                DifferenceRun { what: DifferenceKind::Shifted { by: shift }, expected: places.0, found: places.1 },
            );
        }
        self.runs.sort_by_key(|run| (run.expected.start, run.found.start));
        self
    }

    /// The runs by the frames' numbers.
    pub fn numbered(&self, expected: &[Entry], found: &[Entry]) -> Vec<Difference> {
        let span = |entries: &[Entry], places: &Range<usize>| match &entries[places.clone()] {
            [] => None,
            [first, ..] => Some(Span { first: first.index, last: entries[places.end - 1].index }),
        };
        let difference = |run: &DifferenceRun| Difference {
            what: run.what.clone(),
            expected: span(expected, &run.expected),
            found: span(found, &run.found),
        };
        self.runs.iter().map(difference).collect()
    }
}

impl DifferenceRun {
    fn goes_on(&self, what: &DifferenceKind, expected: &Range<usize>, found: &Range<usize>) -> bool {
        let alike = match (&self.what, what) {
            (DifferenceKind::Time { last: Some(_), .. }, DifferenceKind::Time { last: Some(_), .. }) => true,
            (ours, theirs) => ours == theirs,
        };
        alike && self.expected.end == expected.start && self.found.end == found.start
    }
}
