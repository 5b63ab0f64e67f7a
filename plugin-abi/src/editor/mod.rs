//! What editors have in common: effects with their parameters, and pictures of RGBA that a chain filters as YCbCr or RGB.

pub mod chains;
pub mod colours;
pub mod conversion;
pub mod effect;
pub mod image;
pub mod samples;
pub mod scale;
