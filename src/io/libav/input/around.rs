//! Frames around a window, for filters that read them.

use crate::filters::Reach;
use crate::io::libav::seek::window::Side;
use ffmpeg::frame::Video;
use ffmpeg_next as ffmpeg;
use std::collections::VecDeque;

/// The frames that are given: those of the window, and as many before and after as are read for them.
#[derive(Default)]
pub(super) struct ContextFrames {
    reach: Reach,
    /// Before the window its last frames so far; from its first frame on those that are given next.
    frames: VecDeque<Numbered>,
    began: bool,
    /// Frames after the window that were met.
    followed: u32,
}

/// A decoded frame and its place in the source.
pub(super) struct Numbered {
    pub(super) frame: Video,
    pub(super) index: u64,
    /// It lies outside the window.
    pub(super) context: bool,
}

impl ContextFrames {
    pub(super) fn new(reach: Reach) -> ContextFrames {
        ContextFrames { reach, ..ContextFrames::default() }
    }

    /// How many frames before the window are read.
    pub(super) fn before_window(&self) -> usize {
        self.reach.before as usize
    }

    /// Where a frame stands that, taken by itself, stands at `side` of the window: times that run backwards neither close
    /// it at its start nor open it again.
    pub(super) fn side(&self, side: Side) -> Side {
        match side {
            _ if self.followed > 0 => Side::After,
            Side::Before if self.began => Side::Inside,
            side => side,
        }
    }

    /// Takes a frame before the window.
    pub(super) fn before(&mut self, frame: Video, index: u64) {
        if self.reach.before == 0 {
            return;
        }
        if self.frames.len() == self.reach.before as usize {
            self.frames.pop_front();
        }
        self.frames.push_back(Numbered { frame, index, context: true });
    }

    /// Takes a frame of the window.
    pub(super) fn inside(&mut self, frame: Video, index: u64) {
        self.began = true;
        self.frames.push_back(Numbered { frame, index, context: false });
    }

    /// Takes a frame after the window. False when it, and what follows, is not read.
    pub(super) fn after(&mut self, frame: Video, index: u64) -> bool {
        self.followed += 1;
        if self.followed <= self.reach.after {
            self.frames.push_back(Numbered { frame, index, context: true });
        }
        self.followed < self.reach.after
    }

    /// The last frame that is read where `last` is the window's.
    pub(super) fn last_read(&self, last: u64) -> u64 {
        last.saturating_add(self.reach.after.into())
    }

    /// Whether nothing is read after the window.
    pub(super) fn ends_at_once(&self) -> bool {
        self.reach.after == 0
    }

    /// The next frame to give.
    pub(super) fn next(&mut self) -> Option<Numbered> {
        if self.began { self.frames.pop_front() } else { None }
    }

    /// Forgets what was before the window.
    pub(super) fn start_over(&mut self) {
        self.frames.clear();
    }
}
