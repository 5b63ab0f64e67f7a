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
    /// Copying frames to the GPU; nothing on the CPU.
    pub upload: Duration,
    /// The chain.
    pub chain: Duration,
    /// Copying frames from the GPU; nothing on the CPU.
    pub download: Duration,
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
    /// GPU memory of frames and filters; nothing on the CPU.
    pub device_bytes: usize,
}

/// What a chain did so far, and what it holds.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ChainUsage {
    /// Time in the chain's kernels.
    pub chain: Duration,
    /// Time of uploads to the GPU.
    pub upload: Duration,
    /// Time of downloads from the GPU.
    pub download: Duration,
    /// Time in each filter.
    pub filters: Vec<FilterTime>,
    /// Host memory.
    pub host_bytes: usize,
    /// GPU memory.
    pub device_bytes: usize,
}
