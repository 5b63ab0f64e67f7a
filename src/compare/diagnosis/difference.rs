//! What differs between two sequences of frames.

use std::fmt;

/// What is wrong with a run of frames.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DifferenceKind {
    /// They are not there.
    Missing,
    /// They should not be there.
    Extra,
    /// They show the frame before them again: in the place of the expected frames, or where none was expected.
    Duplicated,
    /// They are there, but elsewhere in the order.
    Moved,
    /// They are all that both have: the found frame n is the expected frame n + `by`.
    Shifted {
        /// How many frames later in the video the found frames begin.
        by: i64,
    },
    /// Their samples differ.
    Pixels {
        /// In these planes; empty where a frame has one hash.
        planes: Vec<usize>,
    },
    /// Their times differ.
    Time {
        /// How much later the first one is, in the expected unit; `None`: only one of the two has a time.
        first: Option<i64>,
        /// How much later the last one is.
        last: Option<i64>,
    },
}

/// Frames, by their numbers in the source.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Span {
    /// The first.
    pub first: u64,
    /// The last, which is one of them.
    pub last: u64,
}

impl Span {
    /// How many they are.
    pub fn frames(self) -> u64 {
        self.last - self.first + 1
    }
}

impl fmt::Display for Span {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.first == self.last { write!(f, "{}", self.first) } else { write!(f, "{}-{}", self.first, self.last) }
    }
}

/// A run of frames that have the same difference.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// How.
    pub what: DifferenceKind,
    /// The expected frames.
    pub expected: Option<Span>,
    /// The frames that were found for them.
    pub found: Option<Span>,
}

impl Difference {
    /// The number of the first frame it is about: an expected one where there is one.
    pub fn first(&self) -> u64 {
        self.expected.or(self.found).map_or(0, |span| span.first)
    }
}
