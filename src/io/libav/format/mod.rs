//! Between libav's pixel formats and colour words and ours, and conversions for an encoder.

pub(super) mod alpha;
pub(super) mod color;
pub(super) mod convert;
pub(super) mod hdr;
pub(super) mod negotiate;
pub(super) mod pack;
pub mod pixfmt;
pub(super) mod wrap;
