//! A clip of a script, as the chain has it.

use crate::host_port::Storage;
use vramp::video::StreamInfo;

/// A clip.
#[derive(Clone, Debug)]
pub struct Clip {
    /// The stream; that of a clip in floating point is the 16-bit stream that it is filtered as.
    pub info: StreamInfo,
    /// Whether the clip is in floating point.
    pub float: bool,
}

impl Clip {
    /// How the host stores its frames.
    pub fn storage(&self) -> Storage {
        if self.float { Storage::Float(self.info.format) } else { Storage::Plain(self.info.format) }
    }
}
