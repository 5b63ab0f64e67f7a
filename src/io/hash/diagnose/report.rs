//! How a video compares with a text.

use crate::io::hash::diagnose::beside::StreamDifference;
use crate::io::hash::record::{HashFile, Trait};
use std::fmt;

/// What is wrong with a run of frames.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FaultKind {
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
        /// In these planes; empty where the text has one hash a frame.
        planes: Vec<usize>,
    },
    /// Their times differ.
    Time {
        /// How much later the first one is, in the text's unit; `None`: only one of the two has a time.
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

/// A run of frames that differ in one way.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// How.
    pub what: FaultKind,
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

/// How a video compares with a text.
#[derive(Clone, Debug, PartialEq)]
pub struct Diagnosis {
    /// Frames in the text.
    pub expected: usize,
    /// Frames in the video; `None`: they cannot be compared.
    pub found: Option<usize>,
    /// What describes the stream and differs.
    pub traits: Vec<Trait>,
    /// How the streams beside the frames differ.
    pub streams: Vec<StreamDifference>,
    /// What differs, in the order of the frames.
    pub differences: Vec<Difference>,
    /// Frames of both that have the same samples.
    pub same: usize,
    /// How much later all frames are, where that is no difference. In the text's unit.
    pub offset: i64,
}

impl Diagnosis {
    /// Of a stream whose frames cannot be compared.
    pub fn apart(file: &HashFile, traits: Vec<Trait>) -> Diagnosis {
        let (expected, differences, streams) = (file.frames.len(), Vec::new(), Vec::new());
        Diagnosis { expected, found: None, traits, streams, differences, same: 0, offset: 0 }
    }

    /// True when nothing differs.
    pub fn is_match(&self) -> bool {
        self.traits.is_empty() && self.streams.is_empty() && self.differences.is_empty()
    }

    /// True when both have the same samples in the same order.
    pub fn same_samples(&self) -> bool {
        self.found == Some(self.same) && self.expected == self.same
    }

    /// The number of the first frame that differs.
    pub fn first(&self) -> Option<u64> {
        self.differences.iter().map(Difference::first).min()
    }
}
