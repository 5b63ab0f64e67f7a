//! Reading ahead of the decoder, to where decoding has to begin.

use super::{Clock, PacketHashes, Reader, Tail, discard, stream};
use crate::error::Result;
use crate::io::libav::demux::demuxer::Demuxer;
use crate::io::libav::demux::ending::Ending;
use crate::io::libav::seek::frame_index::{FrameIndex, Landing};
use ffmpeg::Packet;
use ffmpeg_next as ffmpeg;
use std::collections::VecDeque;

/// The most bytes of packets that wait for a place where decoding can begin.
const MOST_BYTES: usize = 256 << 20;

/// Packets that wait for the decoder, in decoding order.
#[derive(Default)]
pub(super) struct Ahead {
    packets: VecDeque<Packet>,
    bytes: usize,
    /// The number of the first of them, counted from the source's first.
    next: u64,
    /// Some were dropped.
    passed: bool,
}

impl Ahead {
    pub(super) fn is_empty(&self) -> bool {
        self.packets.is_empty()
    }

    pub(super) fn push(&mut self, packet: Packet) {
        self.bytes += packet.size();
        self.packets.push_back(packet);
    }

    pub(super) fn pop(&mut self) -> Option<Packet> {
        let packet = self.packets.pop_front()?;
        self.bytes -= packet.size();
        self.next += 1;
        Some(packet)
    }

    /// Drops those before packet `number`.
    fn pass_by(&mut self, number: u64) {
        while self.next < number && self.pop().is_some() {
            self.passed = true;
        }
    }
}

impl Reader {
    /// Follows packets from the first on, so that frames can be skipped.
    ///
    /// # Errors
    /// Why they have to be decoded.
    pub(in crate::io::libav) fn begin_index(&mut self) -> Result<()> {
        self.index = Some(FrameIndex::new(&stream(&self.demuxer, self.video))?);
        Ok(())
    }

    /// What follows packets, as long as that may lead somewhere.
    pub(in crate::io::libav) fn index(&mut self) -> Option<&mut FrameIndex> {
        self.index.as_mut().filter(|index| index.is_sure())
    }

    /// Ends what [`Reader::begin_index`] began.
    pub(in crate::io::libav) fn end_index(&mut self) -> Option<FrameIndex> {
        self.index.take()
    }

    /// Reads the next packet of the video without decoding it. False when that leads no further.
    ///
    /// # Errors
    /// As [`Reader::frame`].
    pub(in crate::io::libav) fn look_ahead(&mut self) -> Result<bool> {
        let Some(index) = self.index() else { return Ok(false) };
        let (at, landing) = (index.frames(), index.landing());
        self.ahead.pass_by(landing.packet);
        let decoded = self.decoder.count_from(at);
        let packet = self.video_packet();
        self.decoder.count_from(decoded);
        let Some(packet) = packet? else { return Ok(false) };
        self.ahead.push(packet);
        if let Some(index) = self.index.as_mut().filter(|_| self.ahead.bytes > MOST_BYTES) {
            index.end("its key frames are too far apart");
        }
        Ok(true)
    }

    /// Has decoding go on at `landing`, unless the decoder was given
    /// that place already. True when frames are skipped.
    pub(in crate::io::libav) fn land(&mut self, landing: &Landing) -> bool {
        self.ahead.pass_by(landing.point.packet);
        if self.ahead.passed {
            self.decoder.jump(&stream(&self.demuxer, self.video), landing.point.frame, landing.times.front().copied());
        }
        self.ahead.passed
    }

    /// The packet that [`Reader::look_ahead`] read last, and its number in decoding order.
    pub(in crate::io::libav) fn newest(&self) -> Option<(u64, &Packet)> {
        let number = self.index.as_ref()?.packets().checked_sub(1)?;
        Some((number, self.ahead.packets.back()?))
    }

    /// Whether packets can be looked for by their times: the source's clock has not jumped.
    pub(in crate::io::libav) fn is_on_the_sources_clock(&self) -> bool {
        self.clock.is_the_sources()
    }

    /// Notes that no packet follows: every frame that was followed is certain.
    pub(in crate::io::libav) fn close_index(&mut self) {
        self.index.iter_mut().for_each(FrameIndex::close);
    }

    /// Why packets are followed no more.
    pub(in crate::io::libav) fn doubt(&self) -> Option<&'static str> {
        self.index.as_ref().map_or(Some("nothing follows them"), FrameIndex::reason)
    }

    /// Begins again with `demuxer`, the source opened once more.
    pub(in crate::io::libav) fn start_over(&mut self, mut demuxer: Demuxer) {
        let (video, streams) = (self.video, &self.streams);
        discard(&mut demuxer, |index| index != video && streams.get(index).is_some_and(|stream| !stream.copied));
        self.demuxer = demuxer;
        self.streams.iter_mut().for_each(|stream| stream.time = 0);
        (self.met, self.ahead) = (VecDeque::new(), Ahead::default());
        self.hashes = self.hashes.take().map(|_| PacketHashes::default());
        (self.ended, self.index, self.ending, self.jump) = (false, None, Ending::default(), None);
        (self.tail, self.wanted) = (Tail::default(), None);
        self.clock = Clock::new(&self.demuxer, self.video);
        self.decoder.jump(&stream(&self.demuxer, self.video), 0, None);
        self.decoder.forget_damage();
    }
}
