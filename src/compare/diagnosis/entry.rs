//! A frame, or a packet, as its hashes.

/// What is known of one frame.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Its place in the source, from 0.
    pub index: u64,
    /// Presentation time, if it has one.
    pub pts: Option<i64>,
    /// Duration; 0 is unknown.
    pub duration: i64,
    /// Whether the source coded it by itself.
    pub key: bool,
    /// Bytes of its samples.
    pub bytes: u64,
    /// The hash of its samples, or those of its planes one behind the other.
    pub hashes: Box<[u8]>,
}
