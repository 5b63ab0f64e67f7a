//! What machines say of their work, a line each time: for `vramp status` alone. Nothing is decided by it.

use serde::{Deserialize, Serialize};

/// What happened to a part.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Event {
    /// It is made.
    Done,
    /// It was not made.
    Failed,
}

/// A line.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Record {
    /// The part.
    pub part: u32,
    /// What happened.
    pub event: Event,
    /// When, in seconds since 1970.
    pub at: u64,
    /// How long it took, in seconds.
    pub seconds: f64,
    /// How many frames were made.
    pub frames: u32,
    /// Why it failed.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub error: Option<String>,
}
