//! Demuxer and decoder in step: frames of one stream, and the packets of others in between.

use crate::error::{Error, Kind, Result};
use crate::io::libav::decode::decoder::{Decoder, Received};
use crate::io::libav::decode::memory::FrameMemory;
use crate::io::libav::demux::demuxer::{self, Demuxer, MOST_RESYNCS};
use crate::io::libav::demux::ending::Ending;
use crate::io::libav::demux::known::Known;
use crate::io::libav::demux::sequence::Sequence;
use crate::io::libav::demux::streams::{CopiedPacket, CopiedStream};
use crate::io::libav::demux::trim::PacketTimes;
use crate::io::libav::seek::frame_index::FrameIndex;
use crate::io::libav::seek::window::ticks_to_microseconds;
use crate::pipeline::Cancel;
use crate::video::Rational;
use ahead::Ahead;
use clock::Clock;
use ffmpeg::Packet;
use ffmpeg::error::EAGAIN;
use ffmpeg::ffi::AVDiscard;
use ffmpeg::format::stream::Stream;
use ffmpeg::frame::Video;
use ffmpeg_next as ffmpeg;
use std::collections::VecDeque;
use tail::Tail;
use wanted::Wanted;

mod ahead;
mod clock;
mod contents;
mod entry_packet;
mod marks;
mod tail;
mod wanted;

pub use contents::{HeaderContents, PacketHashes};
pub use entry_packet::EntryPacket;

/// Reads a source to its end.
pub(in crate::io::libav) struct Reader {
    demuxer: Demuxer,
    video: usize,
    decoder: Decoder,
    cancel: Cancel,
    /// The container's start time in microseconds.
    origin: i64,
    streams: Vec<Known>,
    /// Packets of copied streams, in the demuxer's order.
    met: VecDeque<Packet>,
    /// Packets of the video that wait for the decoder.
    ahead: Ahead,
    /// The demuxer has nothing more.
    ended: bool,
    /// Follows the video's packets as long as frames may be skipped.
    index: Option<FrameIndex>,
    /// Follows them to the last frame that is wanted, where that is known.
    wanted: Option<Wanted>,
    /// What the packets of the video are, for whoever asked.
    hashes: Option<PacketHashes>,
    /// A sequence, which is read instead of the demuxer.
    sequence: Option<Sequence>,
    /// Has times go on where the source's clock jumps.
    clock: Clock,
    /// Follows where packets lie.
    ending: Ending,
    /// The video's last packets, where nothing else shows whether they are whole.
    tail: Tail,
    /// What the demuxer reported of the end when it was opened.
    error_at_end: Option<String>,
    /// After a jump of a transport stream: packets that may still come before the picture that starts afresh.
    jump: Option<u8>,
    /// A joint of transport streams was logged.
    joint_said: bool,
}

impl Reader {
    /// Reads stream `video` of `demuxer` through `decoder`, and the packets of `copied`, until `cancel` asks to stop.
    pub(in crate::io::libav) fn new(
        mut demuxer: Demuxer,
        video: usize,
        decoder: Decoder,
        copied: &[CopiedStream],
        cancel: Cancel,
    ) -> Reader {
        let origin = demuxer::start_time(&demuxer);
        let known = |stream: Stream| Known::new(&stream, copied.iter().any(|copied| copied.index == stream.index()));
        let streams: Vec<Known> = demuxer.streams().map(known).collect();
        discard(&mut demuxer, |index| index != video && streams.get(index).is_some_and(|stream| !stream.copied));
        let clock = Clock::new(&demuxer, video);
        Reader {
            demuxer,
            video,
            decoder,
            cancel,
            origin,
            streams,
            met: VecDeque::new(),
            ahead: Ahead::default(),
            ended: false,
            index: None,
            wanted: None,
            hashes: None,
            sequence: None,
            clock,
            ending: Ending::default(),
            tail: Tail::default(),
            error_at_end: None,
            jump: None,
            joint_said: false,
        }
    }

    /// Notes what the packets of the video are, from the next on.
    pub(in crate::io::libav) fn note_contents(&mut self) {
        self.hashes = Some(PacketHashes::default());
    }

    /// What the packets of the video are that were read since the source was opened, or gone on with at a place.
    pub(in crate::io::libav) fn contents(&mut self) -> Option<PacketHashes> {
        let mut hashes = self.hashes.take()?;
        hashes.sort();
        Some(hashes)
    }

    /// At the end of the source, `error_at_end` is what is wrong with it, unless it is `None`.
    pub(in crate::io::libav) fn expect_fault(&mut self, error_at_end: Option<String>) {
        self.error_at_end = error_at_end;
    }

    /// Takes packets or frames from `sequence`.
    pub(in crate::io::libav) fn read_sequence(&mut self, sequence: Sequence) {
        self.sequence = Some(sequence);
    }

    /// The sequence that is read.
    pub(in crate::io::libav) fn sequence(&self) -> Option<&Sequence> {
        self.sequence.as_ref()
    }

    /// Goes on with frame `index` of the sequence.
    pub(in crate::io::libav) fn jump_in_sequence(&mut self, index: usize) {
        let Some(sequence) = &mut self.sequence else { return };
        sequence.jump(index);
        self.ended = false;
        self.ahead = Ahead::default();
        self.decoder.jump(&stream(&self.demuxer, self.video), index as u64, None);
    }

    /// Names the picture that did not decode, `taken` frames before the decoder's next one. A sequence with a picture less
    /// would be another one.
    fn check_picture(&self, taken: u64) -> Result<()> {
        let Some(pictures) = self.sequence.as_ref().filter(|_| self.decoder.faults() > 0) else { return Ok(()) };
        let file = pictures.file(self.decoder.frames().saturating_sub(taken)).map(|file| file.display().to_string());
        let cause = self.decoder.damage().map_or_else(String::new, |damage| format!(": {damage}"));
        Err(Error::corrupt(format!("{} does not decode{cause}", file.unwrap_or_default())))
    }

    /// The demuxer, to ask it things.
    pub(in crate::io::libav) fn demuxer(&self) -> &Demuxer {
        &self.demuxer
    }

    /// Where the decoder puts frames.
    pub(in crate::io::libav) fn memory(&self) -> &FrameMemory {
        self.decoder.memory()
    }

    /// Has the video decoded from its start again, in software.
    ///
    /// # Errors
    /// After [`Reader::settle`], or when the decoder does not start.
    pub(in crate::io::libav) fn restart_in_software(&mut self) -> Result<()> {
        self.decoder.restart_in_software(&stream(&self.demuxer, self.video))
    }

    /// From now on it cannot return to the start.
    pub(in crate::io::libav) fn settle(&mut self) {
        self.decoder.settle();
    }

    /// Why NVDEC did not take the video.
    pub(in crate::io::libav) fn declined(&self) -> Option<&str> {
        self.decoder.declined()
    }

    /// What was lost so far, in one line.
    pub(in crate::io::libav) fn damage(&self) -> Option<String> {
        self.decoder.damage()
    }

    /// A packet of a copied stream that was met while looking for the last frame, and when it is shown.
    pub(in crate::io::libav) fn met(&mut self) -> Option<(Option<PacketTimes>, CopiedPacket)> {
        let packet = self.met.pop_front()?;
        Some(self.shown(packet))
    }

    /// A packet of a copied stream, moved by its stream's delay, and when it is shown.
    pub(in crate::io::libav) fn shown(&mut self, mut packet: Packet) -> (Option<PacketTimes>, CopiedPacket) {
        let origin = self.origin;
        let span = self.streams.get_mut(packet.stream()).and_then(|stream| stream.shown(&mut packet, origin));
        (span, CopiedPacket { stream: packet.stream(), packet, kept: (None, None) })
    }

    /// What is known of the stream of that index.
    pub(in crate::io::libav) fn stream_mut(&mut self, index: usize) -> Option<&mut Known> {
        self.streams.get_mut(index)
    }

    /// The time of `frame` in microseconds from the container's start.
    pub(in crate::io::libav) fn frame_time(&self, frame: &Video) -> Option<i64> {
        frame.pts().map(|pts| self.time(pts))
    }

    /// `ticks` of the video in microseconds from the container's start.
    pub(in crate::io::libav) fn time(&self, ticks: i64) -> i64 {
        self.since_start(ticks, self.video)
    }

    /// Stops it.
    pub(in crate::io::libav) fn cancel(&self) -> &Cancel {
        &self.cancel
    }

    /// Looks behind the last frame that is wanted whether those that were given are whole.
    ///
    /// # Errors
    /// As [`Reader::frame`].
    pub(in crate::io::libav) fn check_given(&mut self) -> Result<()> {
        self.decoder.check_given(&stream(&self.demuxer, self.video))
    }

    /// How much was lost so far.
    pub(in crate::io::libav) fn faults(&self) -> u64 {
        self.decoder.faults()
    }

    /// Frames that were decoded, wherever they are.
    pub(in crate::io::libav) fn frames_decoded(&self) -> u64 {
        match &self.sequence {
            Some(Sequence::Script(script)) => script.given(),
            _ => self.decoder.given(),
        }
    }

    /// The container's start time in microseconds.
    pub(in crate::io::libav) fn origin(&self) -> i64 {
        self.origin
    }

    fn since_start(&self, ticks: i64, stream: usize) -> i64 {
        let timebase = self.streams.get(stream).map_or(Rational::new(0, 1), |stream| stream.timebase);
        ticks_to_microseconds(ticks, timebase).saturating_sub(self.origin)
    }

    /// The next frame in presentation order, or `None` after the last.
    ///
    /// # Errors
    /// When memory runs out, the run was stopped, or damage is fatal by request.
    pub(in crate::io::libav) fn frame(&mut self) -> Result<Option<Video>> {
        if let Some(Sequence::Script(script)) = &mut self.sequence {
            return script.frame(&self.cancel);
        }
        loop {
            match self.decoder.receive(&stream(&self.demuxer, self.video))? {
                Received::Frame(frame) => {
                    self.check_picture(1)?;
                    return Ok(Some(frame));
                }
                Received::End => {
                    self.check_picture(0)?;
                    self.check_tail()?;
                    return Ok(None);
                }
                Received::Starved => self.feed()?,
            }
        }
    }

    /// The next packet of any stream, undecoded: for when no frame is wanted any more.
    ///
    /// # Errors
    /// As [`Reader::frame`].
    pub(in crate::io::libav) fn packet(&mut self) -> Result<Option<Packet>> {
        match &mut self.sequence {
            Some(Sequence::Pictures(pictures)) => return pictures.packet(),
            Some(Sequence::Script(_)) => return Ok(None),
            None => {}
        }
        for _ in 0..MOST_RESYNCS {
            if let Some(packet) = self.clock.released() {
                return Ok(Some(packet));
            }
            let cause = match demuxer::read(&mut self.demuxer) {
                (Ok(packet), line) => {
                    line.map_or(Ok(()), |line| self.decoder.gap(line))?;
                    self.ending.packet(&packet);
                    match self.on_clock(packet) {
                        None => continue,
                        packet => return Ok(packet),
                    }
                }
                _ if self.cancel.is_requested() => return Err(Error::new(Kind::Cancelled, "stopped")),
                (Err(ffmpeg::Error::Other { errno: EAGAIN }), line) => {
                    self.decoder.gap(line.unwrap_or_else(|| "nothing that can be read".to_owned()))?;
                    continue;
                }
                (Err(ffmpeg::Error::Eof), line) if self.clock.settle() => {
                    self.error_at_end = line.or_else(|| self.error_at_end.take());
                    continue;
                }
                (Err(ffmpeg::Error::Eof), line) => {
                    if self.decoder.faults() == 0
                        && let Some(hole) = Ending::hole(&self.demuxer)
                    {
                        self.decoder.gap(hole)?;
                    }
                    line.or_else(|| self.error_at_end.take()).or_else(|| self.ending.fault(&self.demuxer))
                }
                (Err(error), None) => Some(error.to_string()),
                (Err(error), Some(line)) => Some(format!("{line} ({error})")),
            };
            cause.map_or(Ok(()), |cause| self.decoder.cut(cause))?;
            return Ok(None);
        }
        self.decoder.cut("nothing that can be read follows")?;
        Ok(None)
    }

    /// True when `packet` is of a copied stream. Streams that turn up after the opening are not.
    pub(in crate::io::libav) fn is_copied(&self, packet: &Packet) -> bool {
        self.streams.get(packet.stream()).is_some_and(|stream| stream.copied)
    }

    /// Gives the decoder its next packet, or the end.
    fn feed(&mut self) -> Result<()> {
        if self.cancel.is_requested() {
            return Err(Error::new(Kind::Cancelled, "stopped"));
        }
        if self.ahead.is_empty()
            && !self.has_all_wanted()
            && let Some(packet) = self.video_packet()?
        {
            self.ahead.push(packet);
        }
        match self.ahead.pop() {
            Some(packet) => self.decoder.send(packet, &stream(&self.demuxer, self.video)),
            None => self.decoder.end(),
        }
    }

    /// Looks once, behind the last frame of a source in which nothing was lost, whether that frame is whole.
    ///
    /// # Errors
    /// When it is not, and damage is fatal.
    pub(in crate::io::libav) fn check_tail(&mut self) -> Result<()> {
        let tail = std::mem::take(&mut self.tail);
        if self.decoder.damage().is_some() {
            return Ok(());
        }
        let fault = tail.fault(&stream(&self.demuxer, self.video), &self.cancel);
        fault.map_or(Ok(()), |cause| self.decoder.cut(cause))
    }

    /// The demuxer's next packet of the video that is not empty, and what lies before it.
    fn video_packet(&mut self) -> Result<Option<Packet>> {
        while !self.ended {
            let faults = self.decoder.faults();
            let packet = self.packet()?;
            match &packet {
                Some(packet) if packet.stream() == self.video => self.note_marks(packet)?,
                Some(_) => {}
                None => {
                    self.ended = true;
                    self.note_loss()?;
                }
            }
            if self.decoder.faults() > faults {
                self.index.iter_mut().for_each(FrameIndex::gap);
                self.wanted = None;
            }
            match packet {
                Some(packet) if packet.stream() == self.video && packet.size() > 0 => {
                    self.tail.packet(&packet, &stream(&self.demuxer, self.video), &self.demuxer);
                    self.index.iter_mut().for_each(|index| index.take(&packet));
                    self.wanted.iter_mut().for_each(|wanted| wanted.take(&packet));
                    self.hashes.iter_mut().for_each(|hashes| hashes.take(&packet));
                    return Ok(Some(packet));
                }
                Some(packet) if self.is_copied(&packet) => self.met.push_back(packet),
                _ => {}
            }
        }
        Ok(None)
    }
}

/// Has `demuxer` leave out the streams whose index is `unwanted`.
pub(in crate::io::libav) fn discard(demuxer: &mut Demuxer, unwanted: impl Fn(usize) -> bool) {
    for index in (0..demuxer.streams().len()).filter(|index| unwanted(*index)) {
        // SAFETY: the demuxer has a stream of this index, and nothing else refers to it now.
        unsafe { (**(*demuxer.as_mut_ptr()).streams.add(index)).discard = AVDiscard::AVDISCARD_ALL };
    }
}

fn stream(demuxer: &Demuxer, index: usize) -> Stream<'_> {
    demuxer.stream(index).expect("streams do not go away")
}
