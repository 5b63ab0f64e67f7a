//! Skipping to a window's first frame: those before it are not decoded where their packets show enough.

use super::open::first_frame;
use super::{Input, InputOptions};
use crate::error::Result;
use crate::io::libav::demux::demuxer;
use crate::io::libav::demux::reader::{EntryPacket, Reader};
use crate::io::libav::demux::sequence::Sequence;
use crate::io::libav::demux::trim::Trim;
use crate::io::libav::seek::frame_index::{FrameIndex, Landing};
use crate::io::libav::seek::window::{Position, Side};
use ffmpeg::frame::Video;
use ffmpeg_next as ffmpeg;
use std::collections::VecDeque;
use std::ffi::OsStr;
use std::fs;

/// Has `reader` follow packets from the first on, if that may save decoding frames of `path`.
pub(super) fn prepare(reader: &mut Reader, path: &OsStr, options: &InputOptions) {
    // Every frame of a sequence is read by itself: nothing needs to be followed.
    let is_wanted = options.window.start.is_some() && options.place.is_none() || options.follow;
    if !is_wanted || reader.sequence().is_some() {
        return;
    }
    let is_file = path != "-" && fs::metadata(path).is_ok_and(|meta| meta.is_file());
    let reason = match (options.strict, is_file) {
        (true, _) => Some("--strict looks for damage in them".to_owned()),
        (_, false) => Some("it is no file that could be opened again".to_owned()),
        (false, true) => reader.begin_index().err().map(|error| error.to_string()),
    };
    reason.inspect(|reason| say_decoded(path, reason));
}

fn say_decoded(path: &OsStr, reason: &str) {
    log::debug!("{}: the frames before the start are decoded too: {reason}", demuxer::name(path));
}

impl Input {
    /// Goes on from `first`, the source's first frame, towards the window. The frame it gives has the index
    /// `self.decoded`.
    pub(super) fn skip(&mut self, first: Video) -> Result<Option<Video>> {
        if self.reader.sequence().is_some_and(Sequence::jumps) {
            return self.begin_sequence(first);
        }
        let mut frame = first;
        while let Some(index) = self.reader.index() {
            if frame.pts().is_some_and(|pts| index.begin(pts, self.decoded)) {
                return self.pass_by(frame);
            }
            self.time = self.reader.frame_time(&frame).unwrap_or(self.time);
            if self.window.side(self.decoded, self.time, self.kept) != Side::Before {
                break;
            }
            self.trim.frame(self.time, Side::Before, &mut self.ready);
            self.around.before(frame, self.decoded);
            self.decoded += 1;
            let Some(next) = self.reader.frame()? else { return Ok(None) };
            frame = next;
            self.hand_on();
        }
        self.reader
            .end_index()
            .and_then(|index| index.finish().reason)
            .inspect(|reason| say_decoded(&self.path, reason));
        Ok(Some(frame))
    }

    /// Goes on at `place`, whose frame has the index `self.decoded` then; from the start where another packet lies there.
    pub(super) fn go_to(&mut self, place: &EntryPacket) -> Result<Option<Video>> {
        let is_there = self.reader.go_to(place)?;
        self.end_behind(place.frame, place.pts);
        if is_there && let Some(frame) = self.reader.frame()?.filter(|frame| frame.pts() == Some(place.pts)) {
            log::debug!("{}: decoding begins at frame {}", demuxer::name(&self.path), place.frame);
            self.decoded = place.frame;
            return Ok(Some(frame));
        }
        log::warn!(
            "{}: frame {} does not lie where the plan says: it is looked for",
            demuxer::name(&self.path),
            place.frame
        );
        self.open_again()?;
        if let Err(reason) = self.reader.begin_index() {
            say_decoded(&self.path, &reason.to_string());
        }
        let first = first_frame(&mut self.reader, self.codec)?;
        self.skip(first)
    }

    /// Has nothing read behind what is wanted, as far as that is known: the reader is at the packet of frame `first`, shown at `pts`.
    pub(super) fn end_behind(&mut self, first: u64, pts: i64) {
        let start = match self.window.start {
            None => 0,
            Some(Position::Frame(start)) => start,
            Some(Position::Time(_)) => return,
        };
        if let Some(frames) = self.window.frames.filter(|_| self.is_planned) {
            self.reader.end_behind(self.around.last_read(start.saturating_add(frames - 1)), first, pts);
        }
    }

    /// Goes on from `first`, a sequence's first frame, with the first one that is read for the window.
    fn begin_sequence(&mut self, first: Video) -> Result<Option<Video>> {
        let Some(sequence) = self.reader.sequence() else { return Ok(Some(first)) };
        let time = |index| self.reader.time(sequence.time(index).unwrap_or(0));
        let side = |index: &usize| self.window.side(*index as u64, time(*index), 0);
        let inside = (0..sequence.count()).find(|index| side(index) != Side::Before).unwrap_or(sequence.count());
        let begin = inside.saturating_sub(self.around.before_window());
        if begin == 0 {
            self.reader.jump_in_sequence(1);
            return Ok(Some(first));
        }
        (self.decoded, self.time) = (begin as u64, time(begin - 1));
        self.reader.jump_in_sequence(begin);
        self.reader.frame()
    }

    /// Skips what lies between `frame`, from which on packets show what follows, and the window.
    fn pass_by(&mut self, frame: Video) -> Result<Option<Video>> {
        self.find_window()?;
        let Some(landing) = self.reader.end_index().map(FrameIndex::finish) else { return Ok(Some(frame)) };
        if !self.reader.land(&landing) {
            if landing.times.len() > 1 {
                say_decoded(
                    &self.path,
                    landing.reason.unwrap_or("no key frame at which decoding can begin lies between"),
                );
            }
            return Ok(Some(frame));
        }
        drop(frame);
        let reason = landing.reason.map_or_else(String::new, |reason| format!(", and at no later one: {reason}"));
        log::debug!("{}: decoding begins at frame {}{reason}", demuxer::name(&self.path), landing.point.frame);
        match self.arrive(landing)? {
            Some(frame) => Ok(Some(frame)),
            None => self.start_over().map(Some),
        }
    }

    /// Reads until the window's first frame is found among those that will be decoded, or nothing is certain any more.
    fn find_window(&mut self) -> Result<()> {
        loop {
            while let Some(certain) = self.reader.index().and_then(FrameIndex::certain) {
                let time = self.reader.time(certain.pts);
                if self.window.side(certain.frame, time, self.kept) != Side::Before {
                    return Ok(());
                }
                self.trim.frame(time, Side::Before, &mut self.ready);
            }
            if !self.reader.look_ahead()? {
                return Ok(());
            }
            self.hand_on();
        }
    }

    /// Decodes from `landing` on, as far as it predicts the frames, and gives the last of those frames. `None` when
    /// other frames are decoded, or with faults: what a decoder puts in their place depends on what it decoded before.
    fn arrive(&mut self, landing: Landing) -> Result<Option<Video>> {
        let (mut last, faults) = (None, self.reader.faults());
        for (index, pts) in (landing.point.frame..).zip(landing.times) {
            if let Some(frame) = last.take() {
                self.around.before(frame, self.decoded);
            }
            last = self.reader.frame()?.filter(|frame| frame.pts() == Some(pts));
            if last.is_none() {
                break;
            }
            self.decoded = index;
        }
        Ok(last.filter(|_| self.reader.faults() == faults))
    }

    /// Decodes every frame after all.
    fn start_over(&mut self) -> Result<Video> {
        log::debug!("{}: what decodes there is not what its packets say", demuxer::name(&self.path));
        self.open_again()?;
        first_frame(&mut self.reader, self.codec)
    }

    /// Opens the source once more.
    fn open_again(&mut self) -> Result<()> {
        let demuxer = demuxer::open_at(&self.path, self.rate, self.reader.cancel())?;
        self.reader.start_over(demuxer);
        (self.trim, self.ready) = (Trim::new(false, self.reader.origin()), VecDeque::new());
        (self.decoded, self.time) = (0, 0);
        self.around.start_over();
        Ok(())
    }
}
