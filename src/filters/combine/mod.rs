//! Filters of more than one picture, and the names by which chains call pictures.

pub mod blend;
pub mod diff;
pub mod mask;
pub mod merge;
pub mod names;
pub mod overlay;
