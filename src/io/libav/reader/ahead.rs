//! Reading ahead of the decoder, to where decoding has to begin.

use super::{Reader, discard, stream};
use crate::error::Result;
use crate::io::libav::demux::Demuxer;
use crate::io::libav::ending::Ending;
use crate::io::libav::skim::{Landing, Skim};
use std::collections::VecDeque;

impl Reader {
    /// Follows packets from the first on, so that frames can be passed by.
    ///
    /// # Errors
    /// Why they have to be decoded.
    pub(in crate::io::libav) fn begin_skim(&mut self) -> Result<()> {
        self.skim = Some(Skim::new(&stream(&self.demuxer, self.video))?);
        Ok(())
    }

    /// What follows packets, as long as that may lead somewhere.
    pub(in crate::io::libav) fn skim(&mut self) -> Option<&mut Skim> {
        self.skim.as_mut().filter(|skim| skim.is_sure())
    }

    /// Ends what [`Reader::begin_skim`] began.
    pub(in crate::io::libav) fn end_skim(&mut self) -> Option<Skim> {
        self.skim.take()
    }

    /// Reads the next packet of the video without decoding it. False when that leads no further.
    ///
    /// # Errors
    /// As [`Reader::frame`].
    pub(in crate::io::libav) fn look_ahead(&mut self) -> Result<bool> {
        let Some(at) = self.skim().map(|skim| skim.frames()) else { return Ok(false) };
        let decoded = self.decoder.count_from(at);
        let packet = self.video_packet();
        self.decoder.count_from(decoded);
        Ok(packet?.is_some())
    }

    /// Has decoding go on at `landing`, the first frame to come out being of time `pts`, or, where the decoder has met
    /// that place already (it was given `sent` packets), behind what it was given. True when frames are passed by.
    pub(in crate::io::libav) fn land(&mut self, landing: &mut Landing, sent: u64) -> bool {
        let point = landing.point;
        self.ahead = std::mem::take(&mut landing.packets);
        let Some(&pts) = landing.times.front().filter(|_| point.packet > sent) else {
            self.ahead.drain(..(sent - point.packet) as usize);
            return false;
        };
        self.decoder.jump(&stream(&self.demuxer, self.video), point.frame, Some(pts));
        true
    }

    /// Begins again with `demuxer`, the source opened once more.
    pub(in crate::io::libav) fn start_over(&mut self, mut demuxer: Demuxer) {
        let (video, streams) = (self.video, &self.streams);
        discard(&mut demuxer, |index| index != video && streams.get(index).is_some_and(|stream| !stream.copied));
        self.demuxer = demuxer;
        self.streams.iter_mut().for_each(|stream| stream.time = 0);
        (self.met, self.ahead) = (VecDeque::new(), VecDeque::new());
        (self.ended, self.skim, self.ending, self.jump) = (false, None, Ending::default(), None);
        self.decoder.jump(&stream(&self.demuxer, self.video), 0, None);
        self.decoder.forget_damage();
    }
}
