//! Filters of the frames around the one at hand.

pub mod tmedian;
pub mod tsoften;
