//! Reads a source: opens it, says what is in it, and hands out the packets that a run keeps.

pub(super) mod beside;
pub(super) mod chapters;
pub(super) mod concat;
pub(super) mod decoding_times;
pub(super) mod demuxer;
pub(super) mod editions;
pub(super) mod ending;
pub(super) mod known;
pub(super) mod opening;
pub(super) mod reader;
pub(super) mod sequence;
pub(super) mod streams;
pub(super) mod trim;
