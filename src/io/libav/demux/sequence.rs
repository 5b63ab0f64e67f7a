//! Sources of which any frame is read without those before it: pictures in files, and frames of a script.

use crate::io::libav::pictures::feed::PictureFeed;
use crate::io::libav::script::feed::ScriptFeed;
use std::path::Path;

/// Such a source. The demuxer beside it says what its frames are, and has none.
pub(in crate::io::libav) enum Sequence {
    /// Files, each a packet.
    Pictures(PictureFeed),
    /// Frames, which need no decoder.
    Script(ScriptFeed),
}

impl Sequence {
    /// The number of frames.
    pub(in crate::io::libav) fn count(&self) -> usize {
        match self {
            Sequence::Pictures(pictures) => pictures.count(),
            Sequence::Script(script) => script.count(),
        }
    }

    /// The time of frame `index`, where that is known without those before it.
    pub(in crate::io::libav) fn time(&self, index: usize) -> Option<i64> {
        match self {
            Sequence::Pictures(pictures) => Some(pictures.time(index)),
            Sequence::Script(script) => script.time(index),
        }
    }

    /// Whether a jump is still to come; until then there is the first frame alone.
    pub(in crate::io::libav) fn jumps(&self) -> bool {
        match self {
            Sequence::Pictures(pictures) => pictures.jumps(),
            Sequence::Script(script) => script.jumps(),
        }
    }

    /// Goes on with frame `index`.
    pub(in crate::io::libav) fn jump(&mut self, index: usize) {
        match self {
            Sequence::Pictures(pictures) => pictures.jump(index),
            Sequence::Script(script) => script.jump(index),
        }
    }

    /// The file of frame `index`, where it has one of its own.
    pub(in crate::io::libav) fn file(&self, index: u64) -> Option<&Path> {
        match self {
            Sequence::Pictures(pictures) => pictures.file(index),
            Sequence::Script(_) => None,
        }
    }
}
