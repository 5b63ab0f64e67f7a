//! Writes a container: its header, its streams, and the packets that are copied.

pub(super) mod capacity;
pub(super) mod context;
pub(super) mod decoding_clock;
pub(super) mod failure;
pub(super) mod header;
pub(super) mod muxer;
pub(super) mod start;
pub(super) mod stream_copy;
pub(super) mod tags;
pub(super) mod warnings;
