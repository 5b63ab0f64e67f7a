//! Which part of a source a run covers, and which of its frames packets hold, without decoding them.

pub(super) mod access;
pub(super) mod frame_index;
pub(super) mod window;
