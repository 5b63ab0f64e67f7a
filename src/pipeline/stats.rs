//! Where the time went.

use std::time::Duration;

/// Time one filter of the chain took.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FilterTime {
    /// The filter.
    pub name: &'static str,
    /// Its kernel's time, all frames together.
    pub busy: Duration,
}

impl FilterTime {
    pub(super) fn new(name: &'static str) -> Self {
        Self { name, busy: Duration::ZERO }
    }

    pub(super) fn add(&mut self, time: Duration) {
        self.busy += time;
    }
}

/// Time each stage worked, not counting its waits for the others.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Busy {
    /// Reading and decoding.
    pub decode: Duration,
    /// The chain.
    pub chain: Duration,
    /// Encoding and writing.
    pub encode: Duration,
}

/// What a run did.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Summary {
    /// Frames filtered and handed to the sink.
    pub frames: u64,
    /// Wall time.
    pub wall: Duration,
    /// Work of each stage.
    pub busy: Busy,
    /// Work of each filter.
    pub filters: Vec<FilterTime>,
    /// Pictures that circulated between chain and sink.
    pub pictures: usize,
    /// Host memory of those pictures and of the pictures between filters.
    pub picture_bytes: usize,
}
