//! What an output has besides its source: tracks, tags and chapters of other files, and names and flags of tracks.

pub(super) mod added;
pub(super) mod chapters;
pub(super) mod edit;
mod file;
mod font;
pub(super) mod language;
pub(super) mod selector;
pub(super) mod tags;
