//! Faulty frames, which decoders mark, or log, or both, or do not report whole.

use crate::io::libav::logging::Concealed;
use ffmpeg::frame::Video;
use ffmpeg_next as ffmpeg;

/// Counts the faults of a decoder, from where it began or was flushed last.
pub(super) struct FaultCounter {
    /// What the decoder logs.
    concealed: Concealed,
    /// It is known to report which frames are whole; others show it by doing so.
    reports_whole: bool,
    /// Frames that it gave, and those of them that it marked as damaged.
    given: u64,
    marked: u64,
    /// Complaints, and the frames they belong to.
    complaints: u64,
    complained: u64,
    /// Faults that its means had counted before.
    before: u64,
    /// What was found already.
    found: Found,
}

/// Numbers of faults.
#[derive(Clone, Copy, Default)]
pub(super) struct Found {
    /// Frames decoded with faults.
    pub(super) frames: u64,
    /// Slices that are not what their checksums say.
    pub(super) slices: u64,
    /// References to frames that are lost.
    pub(super) references: u64,
}

impl FaultCounter {
    /// Of a decoder that logs to `concealed`, and is known to report which frames are whole or not.
    pub(super) fn new(concealed: Concealed, reports_whole: bool) -> FaultCounter {
        let (complaints, found) = (0, Found::default());
        FaultCounter { concealed, reports_whole, given: 0, marked: 0, complaints, complained: 0, before: 0, found }
    }

    /// Forgets all, of frames that were begun and will not be given as well: no thread of the decoder is at work. Its means counted
    /// `before` faults so far.
    pub(super) fn restart(&mut self, before: u64) {
        self.concealed.restart();
        (self.given, self.marked, self.complaints, self.complained) = (0, 0, 0, 0);
        (self.before, self.found) = (before, Found::default());
    }

    /// From now on another decoder logs there.
    pub(super) fn now_reports_whole(&mut self, reports_whole: bool) {
        self.reports_whole = reports_whole;
    }

    /// Whether frames that are not whole show by the number of those that are, which is certain when the decoder holds none back.
    pub(super) fn counts_whole(&self) -> bool {
        self.reports_whole || self.concealed.count().whole > 0
    }

    /// The decoder gave a frame.
    pub(super) fn given(&mut self) {
        self.given += 1;
    }

    /// It is `frame`, and nothing that is passed by.
    pub(super) fn taken(&mut self, frame: &Video) {
        self.marked += u64::from(frame.is_corrupt() || frame.has_decode_errors());
    }

    /// What was not found before. The decoder's means counted `elsewhere` faults.
    pub(super) fn find(&mut self, elsewhere: u64) -> Found {
        let reported = self.concealed.count();
        if reported.complaints > self.complaints {
            self.complaints = reported.complaints;
            self.complained += 1;
        }
        // A decoder that reports whole frames does so before it gives each.
        let gaps = if self.counts_whole() { self.given.saturating_sub(reported.whole) } else { 0 };
        let frames = [self.marked, reported.frames, elsewhere - self.before, gaps, self.complained];
        let frames = frames.into_iter().fold(self.found.frames, u64::max);
        let found = Found { frames, slices: reported.slices, references: reported.references };
        let before = std::mem::replace(&mut self.found, found);
        Found {
            frames: found.frames - before.frames,
            slices: found.slices - before.slices,
            references: found.references - before.references,
        }
    }
}
