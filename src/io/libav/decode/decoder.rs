//! Packets of one stream to frames, on libav's decoders.

use crate::error::{Error, Kind, Result};
use crate::io::libav;
use crate::io::libav::decode::choice::Means;
use crate::io::libav::decode::damage::Damage;
use crate::io::libav::decode::faults::FaultCounter;
use crate::io::libav::decode::memory::FrameMemory;
use crate::io::libav::logging::Concealed;
use crate::io::libav::mux::decoding_clock::DtsClock;
use crate::io::libav::seek::frame_index::is_discarded;
use ffmpeg::Packet;
use ffmpeg::codec::Id;
use ffmpeg::codec::context::Context;
use ffmpeg::codec::decoder::{self, Opened};
use ffmpeg::ffi;
use ffmpeg::format::stream::Stream;
use ffmpeg::frame::Video;
use ffmpeg::util::error::EAGAIN;
use ffmpeg_next as ffmpeg;
use std::collections::VecDeque;
use std::fmt::Display;
use std::sync::Arc;

/// A decoder.
pub(in crate::io::libav) struct Decoder {
    opened: Opened,
    means: Means,
    /// Threads of a software decoder.
    threads: usize,
    faults: FaultCounter,
    /// Where it puts frames. libav's decoder and what counts its faults use its address until they are dropped.
    memory: Arc<FrameMemory>,
    clock: DtsClock,
    state: State,
    /// Frames of the source up to here.
    frames: u64,
    /// Frames that were given.
    given: u64,
    /// After a jump: frames before this time refer to what was not decoded.
    begins: Option<i64>,
    /// Packets whose frame has not been given yet, where each gives one.
    owed: u64,
    damage: Damage,
    restart: RestartSetup,
}

/// What is needed to decode from the start again, on other means.
#[derive(Default)]
struct RestartSetup {
    /// The packets sent so far, as long as it can be asked for.
    sent: Option<Vec<Packet>>,
    /// Packets that are sent once more, before any new one, and whether the end follows them.
    again: VecDeque<Packet>,
    ended: bool,
    /// Why NVDEC turned the stream down.
    declined: Option<String>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    /// Packets follow.
    Feeding,
    /// After the last packet: frames held back are still given.
    Draining,
    /// Nothing is left.
    Empty,
}

/// What a call of [`Decoder::receive`] finds.
pub(in crate::io::libav) enum Received {
    /// A frame, its `pts` set to libav's best guess.
    Frame(Video),
    /// The decoder needs another packet.
    Starved,
    /// The last frame is out.
    End,
}

impl Decoder {
    /// Opens a decoder for `stream` on `means`: in software libav's default decoder, on `threads` threads (0: as many as
    /// there are cores). On one thread a damaged source decodes to the same frames every time.
    ///
    /// # Errors
    /// When this libav has no decoder for the codec, or it refuses the stream.
    pub(in crate::io::libav) fn open(stream: &Stream, means: Means, threads: usize, damage: Damage) -> Result<Decoder> {
        let memory = Arc::new(FrameMemory::new(threads == 1 || !reorders(stream.parameters().id())));
        let concealed = Concealed::new(Arc::as_ptr(&memory).cast());
        let (opened, clock) = open(stream, &means, threads, &memory)?;
        let sent = (!matches!(means, Means::Software)).then(Vec::new);
        let restart = RestartSetup { sent, ..RestartSetup::default() };
        Ok(Decoder {
            opened,
            faults: FaultCounter::new(concealed, reports_whole(stream, &means)),
            means,
            threads,
            memory,
            clock,
            state: State::Feeding,
            frames: 0,
            given: 0,
            begins: None,
            owed: 0,
            damage,
            restart,
        })
    }

    /// Decodes from the start again, in software. Frames that were given are given again.
    ///
    /// # Errors
    /// After [`Decoder::settle`], and as [`Decoder::open`].
    pub(in crate::io::libav) fn restart_in_software(&mut self, stream: &Stream) -> Result<()> {
        let again = self.restart.sent.take().ok_or_else(|| Error::internal("a decoder was restarted too late"))?;
        (self.opened, self.clock) = open(stream, &Means::Software, self.threads, &self.memory)?;
        self.means = Means::Software;
        self.restart = RestartSetup {
            again: again.into(),
            ended: self.state != State::Feeding,
            ..std::mem::take(&mut self.restart)
        };
        (self.state, self.frames, self.owed) = (State::Feeding, 0, 0);
        self.faults.restart(self.means.faults());
        self.faults.now_reports_whole(reports_whole(stream, &self.means));
        self.forget_damage();
        Ok(())
    }

    /// Goes on at another place of `stream`: the next packet is that of frame `frame`, and frames before the time
    /// `begins` are dropped. What was sent is forgotten.
    pub(in crate::io::libav) fn jump(&mut self, stream: &Stream, frame: u64, begins: Option<i64>) {
        self.opened.flush();
        self.faults.restart(self.means.faults());
        self.clock = DtsClock::new(stream);
        (self.state, self.frames, self.begins, self.owed) = (State::Feeding, frame, begins, 0);
    }

    /// Counts frames from `frame` on, and gives the count so far.
    pub(in crate::io::libav) fn count_from(&mut self, frame: u64) -> u64 {
        std::mem::replace(&mut self.frames, frame)
    }

    /// Forgets what was lost so far.
    pub(in crate::io::libav) fn forget_damage(&mut self) {
        self.damage = self.damage.restarted();
    }

    /// From now on the decoder stays what it is.
    pub(in crate::io::libav) fn settle(&mut self) {
        self.restart.sent = None;
    }

    /// Why NVDEC did not take the stream.
    pub(in crate::io::libav) fn declined(&self) -> Option<&str> {
        self.restart.declined.as_deref()
    }

    /// Goes over to software when NVDEC turns the stream down before its first frame. Later is too late: the run then
    /// ends at the first frame that is not like the others.
    fn fall_back(&mut self, stream: &Stream) -> Result<bool> {
        let declined = self.means.declined();
        if declined.is_none() || self.frames > 0 {
            return Ok(false);
        }
        self.restart_in_software(stream)?;
        self.restart.declined = declined;
        Ok(true)
    }

    /// Whether it runs on the host.
    pub(in crate::io::libav) fn is_software(&self) -> bool {
        matches!(self.means, Means::Software)
    }

    /// Where it puts frames.
    pub(in crate::io::libav) fn memory(&self) -> &FrameMemory {
        &self.memory
    }

    /// Frames that were given so far, those before a place jumped to as well.
    pub(in crate::io::libav) fn given(&self) -> u64 {
        self.given
    }

    /// The index of the next frame.
    pub(in crate::io::libav) fn frames(&self) -> u64 {
        self.frames
    }

    /// What was lost so far, in one line.
    pub(in crate::io::libav) fn damage(&self) -> Option<String> {
        self.damage.report()
    }

    /// Gives the decoder a packet of `stream`. Call [`Decoder::receive`] until it starves before the next one.
    ///
    /// # Errors
    /// When memory runs out, the GPU has failed or the run was stopped; damage only if it is fatal by request.
    pub(in crate::io::libav) fn send(&mut self, mut packet: Packet, stream: &Stream) -> Result<()> {
        if packet.size() == 0 {
            // To a decoder an empty packet means the end.
            return Ok(());
        }
        if let Some(sent) = &mut self.restart.sent {
            sent.push(packet.clone());
        }
        self.clock.stamp(&mut packet);
        self.owed += u64::from(gives_a_frame(&packet, stream));
        let sent = self.means.listen(|| self.opened.send_packet(&packet));
        self.clock.sent(packet.duration(), &self.opened, stream);
        if self.fall_back(stream)? { Ok(()) } else { sent.or_else(|e| self.fault(e)) }
    }

    /// Signals the decoder that no packet follows.
    ///
    /// # Errors
    /// As [`Decoder::send`].
    pub(in crate::io::libav) fn end(&mut self) -> Result<()> {
        self.state = State::Draining;
        self.opened.send_eof().or_else(|e| self.fault(e))
    }

    /// Notes that the source breaks off before its end.
    ///
    /// # Errors
    /// When damage is fatal by request.
    pub(in crate::io::libav) fn cut(&mut self, cause: impl Display) -> Result<()> {
        self.damage.cut(cause)
    }

    /// Notes that the source was unreadable between two packets.
    ///
    /// # Errors
    /// When damage is fatal by request.
    pub(in crate::io::libav) fn gap(&mut self, cause: impl Display) -> Result<()> {
        self.damage.place(self.frames, cause)
    }

    /// Looks, behind the last frame that is wanted, whether those that were given are whole, where that is certain only when none is
    /// held back: the others are decoded by now, and passed by.
    ///
    /// # Errors
    /// As [`Decoder::send`].
    pub(in crate::io::libav) fn check_given(&mut self, stream: &Stream) -> Result<()> {
        if !self.faults.counts_whole() {
            return Ok(());
        }
        let frames = self.frames;
        if self.state == State::Feeding {
            self.end()?;
        }
        while !matches!(self.receive(stream)?, Received::End) {}
        self.frames = frames;
        Ok(())
    }

    /// How much was lost so far: packets, frames, slices, references, places of the container.
    pub(in crate::io::libav) fn faults(&self) -> u64 {
        self.damage.faults()
    }

    /// The next frame in presentation order.
    ///
    /// # Errors
    /// As [`Decoder::send`].
    pub(in crate::io::libav) fn receive(&mut self, stream: &Stream) -> Result<Received> {
        loop {
            match self.state {
                State::Feeding => {}
                State::Draining => self.clock.drain(&self.opened, stream),
                State::Empty => {
                    self.count_faulty_frames()?;
                    self.damage.missing(std::mem::take(&mut self.owed))?;
                    return Ok(Received::End);
                }
            }
            let mut frame = Video::empty();
            let received = self.means.listen(|| self.opened.receive_frame(&mut frame));
            if self.fall_back(stream)? {
                continue;
            }
            match received {
                Ok(()) => {
                    self.given += 1;
                    self.faults.given();
                    self.owed = self.owed.saturating_sub(1);
                    if self.begins.is_none_or(|begins| frame.timestamp() >= Some(begins)) {
                        // Behind a joint of recordings times may start over.
                        self.begins = None;
                        return self.take(frame).map(Received::Frame);
                    }
                }
                Err(ffmpeg::Error::Other { errno: EAGAIN }) if self.state == State::Feeding => {
                    match self.restart.again.pop_front() {
                        Some(packet) => self.send(packet, stream)?,
                        None if std::mem::take(&mut self.restart.ended) => self.end()?,
                        None => return Ok(Received::Starved),
                    }
                }
                // While draining there is nothing to wait for.
                Err(ffmpeg::Error::Eof | ffmpeg::Error::Other { errno: EAGAIN }) => self.state = State::Empty,
                Err(error) => self.fault(error)?,
            }
        }
    }

    fn take(&mut self, mut frame: Video) -> Result<Video> {
        // What ffmpeg shows: the frame's own time unless its stream's times prove broken, then the decoding time.
        let time = match (frame.timestamp(), self.state) {
            (None, State::Draining) => self.clock.tail_time(),
            (time, _) => time,
        };
        let time = time.or(frame.pts());
        frame.set_pts(time);
        self.clock.frame();
        self.faults.taken(&frame);
        self.count_faulty_frames()?;
        self.frames += 1;
        Ok(frame)
    }

    fn count_faulty_frames(&mut self) -> Result<()> {
        let found = self.faults.find(self.means.faults());
        self.damage.slices(found.slices, self.frames)?;
        self.damage.references(found.references, self.frames)?;
        self.damage.frames(found.frames, self.frames)
    }

    /// Goes on after a fault in the stream, gives up at any other.
    fn fault(&mut self, error: ffmpeg::Error) -> Result<()> {
        match libav::kind(error) {
            kind @ (Kind::OutOfMemory | Kind::Cancelled) => Err(Error::new(kind, error.to_string())),
            _ => {
                self.means.check()?;
                self.owed = self.owed.saturating_sub(1);
                self.damage.packet(self.frames, error)
            }
        }
    }
}

/// Whether the decoder of `stream` on `means` reports which frames are whole: HEVC's, in the versions that were looked at.
fn reports_whole(stream: &Stream, means: &Means) -> bool {
    const LOOKED_AT: u32 = 61;
    // SAFETY: libav's version is a number.
    let major = unsafe { ffi::avcodec_version() } >> 16;
    matches!(means, Means::Software) && stream.parameters().id() == Id::HEVC && major <= LOOKED_AT
}

/// Whether `packet` must give a frame: AV1's containers hold temporal units, of which each shows one.
fn gives_a_frame(packet: &Packet, stream: &Stream) -> bool {
    stream.parameters().id() == Id::AV1 && !is_discarded(packet)
}

/// Whether frames of the codec are shown in another order than they are coded in. Its decoder then reports what it could
/// not fill; those of simpler codecs may leave samples of a damaged frame as they were, without a word.
fn reorders(id: Id) -> bool {
    // SAFETY: libav gives a descriptor that lives as long as the process, or null.
    let descriptor = unsafe { ffi::avcodec_descriptor_get(id.into()).as_ref() };
    descriptor.is_some_and(|descriptor| descriptor.props & ffi::AV_CODEC_PROP_REORDER != 0)
}

/// Opens a decoder on `means` that puts its frames into `memory`.
fn open(stream: &Stream, means: &Means, threads: usize, memory: &Arc<FrameMemory>) -> Result<(Opened, DtsClock)> {
    let parameters = stream.parameters();
    let id = parameters.id();
    let codec = match means {
        Means::Software => decoder::find(id),
        #[cfg(feature = "cuda")]
        Means::Nvdec(nvdec) => Some(nvdec.codec()),
    };
    let codec = codec.ok_or_else(|| {
        // SAFETY: the parameters are alive.
        let tag = unsafe { (*parameters.as_ptr()).codec_tag };
        match (id, tag) {
            (Id::None, 0) => Error::corrupt("it does not say what its video is coded in"),
            _ => Error::unsupported(format!("this libav has no decoder for {}", id.name())),
        }
    })?;
    let failed = |e| {
        let error = libav::error(format!("the {} decoder does not start", codec.name()), e);
        // It reads no file: what it says of one is about the headers (Theora's: "Operation not permitted").
        if error.kind() == Kind::Io { Error::corrupt(error.message()) } else { error }
    };
    let mut context = Context::from_parameters(parameters).map_err(failed)?;
    context.set_frame_rate(Some(stream.avg_frame_rate()));
    // SAFETY: the context is ours and not open yet. Its default thread types, frame and slice, stay.
    unsafe { (*context.as_mut_ptr()).thread_count = i32::try_from(threads).unwrap_or(0) };
    // SAFETY: the context is not open yet, and the decoder keeps the memory longer.
    unsafe { memory.serve(context.as_mut_ptr()) };
    #[cfg(feature = "cuda")]
    if let Means::Nvdec(nvdec) = means {
        // SAFETY: as above; it is opened for the codec below.
        unsafe { nvdec.serve(context.as_mut_ptr()) }?;
    }
    let mut decoder = context.decoder();
    decoder.set_packet_time_base(stream.time_base());
    let opened = decoder.open_as(codec).map_err(failed)?;
    Ok((opened, DtsClock::new(stream)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::io::libav::demux::demuxer::{self, Demuxer};
    use crate::io::libav::demux::streams;
    use crate::pipeline::Cancel;
    use std::ops::Range;

    const CLIP: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/samples/big-buck-bunny-720p.mp4");

    /// A clip while it is decoded.
    struct Film {
        decoder: Decoder,
        demuxer: Demuxer,
        video: usize,
        /// Packets that were sent, and those that are damaged before.
        sent: usize,
        torn: Range<usize>,
    }

    impl Film {
        fn open(threads: usize, strict: bool, torn: Range<usize>) -> Film {
            let demuxer = demuxer::open(CLIP.as_ref(), &Cancel::default()).unwrap();
            let stream = streams::best_video(&demuxer).unwrap();
            let decoder = Decoder::open(&stream, Means::Software, threads, Damage::new(strict)).unwrap();
            let video = stream.index();
            Film { decoder, demuxer, video, sent: 0, torn }
        }

        /// The times and some samples of the frames from the next on, at most `count`.
        fn frames(&mut self, count: usize) -> Vec<(Option<i64>, Vec<u8>)> {
            let mut frames = Vec::new();
            while frames.len() < count {
                match self.decoder.receive(&self.demuxer.stream(self.video).unwrap()).unwrap() {
                    Received::Frame(frame) => frames.push((frame.pts(), frame.data(0)[..256].to_vec())),
                    Received::End => break,
                    Received::Starved => self.feed(),
                }
            }
            frames
        }

        fn feed(&mut self) {
            let mut packet = Packet::empty();
            match packet.read(&mut self.demuxer) {
                Ok(()) if packet.stream() != self.video => {}
                Ok(()) => {
                    let bytes = packet.data_mut().unwrap();
                    if self.torn.contains(&self.sent) {
                        let half = bytes.len() / 2;
                        bytes[half..].fill(0x15);
                    }
                    self.sent += 1;
                    self.decoder.send(packet, &self.demuxer.stream(self.video).unwrap()).unwrap();
                }
                Err(_) => self.decoder.end().unwrap(),
            }
        }

        /// Goes on with the clip's first frame, and forgets what was lost.
        fn start_over(&mut self) {
            (self.demuxer, self.sent) = (demuxer::open(CLIP.as_ref(), &Cancel::default()).unwrap(), 0);
            self.decoder.jump(&self.demuxer.stream(self.video).unwrap(), 0, None);
            self.decoder.forget_damage();
        }

        /// What was lost, without the place where that was seen first.
        fn damage(&self) -> Option<String> {
            self.decoder.damage().map(|damage| damage.split(" (").next().unwrap().to_owned())
        }
    }

    #[test]
    fn a_restart_gives_every_frame_from_the_first_on() {
        let expected = Film::open(1, true, 0..0).frames(usize::MAX);
        assert!(expected.len() > 20);
        // After some frames, and after the last.
        for (threads, taken) in [(1, 0), (1, 1), (3, 5), (2, usize::MAX)] {
            let mut film = Film::open(threads, true, 0..0);
            film.decoder.restart.sent = Some(Vec::new());
            film.frames(taken);
            let stream = film.video;
            film.decoder.restart_in_software(&film.demuxer.stream(stream).unwrap()).unwrap();
            assert!(film.frames(usize::MAX) == expected, "after {taken} frames");
            let again = film.decoder.restart_in_software(&film.demuxer.stream(stream).unwrap());
            assert!(again.is_err(), "there is no way back");
        }
    }

    #[test]
    fn damage_of_frames_that_were_begun_is_counted_once_where_they_are_decoded_again() {
        for threads in [1, 3, 8] {
            let mut film = Film::open(threads, false, 2..9);
            film.frames(usize::MAX);
            let once = film.damage().expect("it is damaged");
            assert!(once.contains("decoded with faults"), "{once}");
            let mut film = Film::open(threads, false, 2..9);
            film.frames(1);
            film.start_over();
            film.frames(usize::MAX);
            assert_eq!(film.damage(), Some(once), "{threads} threads");
            // What is not given at all does not count.
            film.start_over();
            film.frames(1);
            film.torn = 0..0;
            film.start_over();
            film.frames(usize::MAX);
            assert_eq!(film.damage(), None, "{threads} threads");
        }
    }
}
