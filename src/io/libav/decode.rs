//! Packets of one stream to frames, on libav's software decoders.

use crate::error::{Error, Kind, Result};
use crate::io::libav;
use crate::io::libav::clock::DtsClock;
use crate::io::libav::damage::Damage;
use crate::io::libav::logging::Concealed;
use crate::io::libav::memory::FrameMemory;
use ffmpeg::Packet;
use ffmpeg::codec::context::Context;
use ffmpeg::codec::decoder::{self, Opened};
use ffmpeg::format::stream::Stream;
use ffmpeg::frame::Video;
use ffmpeg::util::error::EAGAIN;
use ffmpeg_next as ffmpeg;
use std::fmt::Display;
use std::sync::Arc;

/// A software decoder.
pub(super) struct Decoder {
    opened: Opened,
    /// Counts the faults that the decoder tells in its log.
    concealed: Concealed,
    /// Where it puts frames. The two above use its address until they are dropped.
    memory: Arc<FrameMemory>,
    clock: DtsClock,
    state: State,
    /// Frames that came out.
    frames: u64,
    /// Frames marked as damaged.
    marked: u64,
    damage: Damage,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    /// Packets come.
    Feeding,
    /// After the last packet: frames held back still come out.
    Draining,
    /// Nothing is left.
    Empty,
}

/// What a call of [`Decoder::receive`] finds.
pub(super) enum Received {
    /// A frame, its `pts` set to libav's best guess.
    Frame(Video),
    /// The decoder needs another packet.
    Starved,
    /// The last frame is out.
    End,
}

impl Decoder {
    /// Opens libav's default decoder for `stream` on `threads` threads (0: as many as there are cores).
    ///
    /// # Errors
    /// When this libav has no decoder for the codec, or it refuses the stream.
    pub(super) fn open(stream: &Stream, threads: usize, damage: Damage) -> Result<Decoder> {
        let parameters = stream.parameters();
        let id = parameters.id();
        let codec = decoder::find(id)
            .ok_or_else(|| Error::unsupported(format!("this libav has no decoder for {}", id.name())))?;
        let failed = |e| libav::error(format!("the {} decoder does not start", codec.name()), e);
        let mut context = Context::from_parameters(parameters).map_err(failed)?;
        context.set_frame_rate(Some(stream.avg_frame_rate()));
        let memory = Arc::new(FrameMemory::default());
        let concealed = Concealed::new(Arc::as_ptr(&memory).cast());
        // SAFETY: the context is ours and not open yet. Its default thread types, frame and slice, stay.
        let delay = unsafe {
            (*context.as_mut_ptr()).thread_count = i32::try_from(threads).unwrap_or(0);
            (*context.as_ptr()).has_b_frames
        };
        // SAFETY: the context is not open yet, and the decoder keeps the memory longer.
        unsafe { memory.serve(context.as_mut_ptr()) };
        let mut decoder = context.decoder();
        decoder.set_packet_time_base(stream.time_base());
        let opened = decoder.open_as(codec).map_err(failed)?;
        let clock = DtsClock::new(stream, delay);
        Ok(Decoder { opened, memory, clock, state: State::Feeding, frames: 0, marked: 0, concealed, damage })
    }

    /// Where it puts frames.
    pub(super) fn memory(&self) -> &FrameMemory {
        &self.memory
    }

    /// Frames that came out so far.
    pub(super) fn frames(&self) -> u64 {
        self.frames
    }

    /// What was lost so far, in one line.
    pub(super) fn damage(&self) -> Option<Error> {
        self.damage.report(self.frames)
    }

    /// Gives the decoder a packet of `stream`. Call [`Decoder::receive`] until it starves before the next one.
    ///
    /// # Errors
    /// When memory runs out or the run was stopped; damage only if it is fatal by request.
    pub(super) fn send(&mut self, mut packet: Packet, stream: &Stream) -> Result<()> {
        if packet.size() == 0 {
            // To a decoder an empty packet means the end.
            return Ok(());
        }
        self.clock.stamp(&mut packet);
        let sent = self.opened.send_packet(&packet);
        self.clock.sent(packet.duration(), &self.opened, stream);
        sent.or_else(|e| self.fault(e))
    }

    /// Tells the decoder that no packet follows.
    ///
    /// # Errors
    /// As [`Decoder::send`].
    pub(super) fn end(&mut self) -> Result<()> {
        self.state = State::Draining;
        self.opened.send_eof().or_else(|e| self.fault(e))
    }

    /// Notes that the source breaks off before its end.
    ///
    /// # Errors
    /// When damage is fatal by request.
    pub(super) fn cut(&mut self, cause: impl Display) -> Result<()> {
        self.damage.cut(cause)
    }

    /// Notes that the source was unreadable between two packets.
    ///
    /// # Errors
    /// When damage is fatal by request.
    pub(super) fn gap(&mut self, cause: impl Display) -> Result<()> {
        self.damage.place(self.frames, cause)
    }

    /// The next frame in presentation order.
    ///
    /// # Errors
    /// As [`Decoder::send`].
    pub(super) fn receive(&mut self, stream: &Stream) -> Result<Received> {
        loop {
            match self.state {
                State::Feeding => {}
                State::Draining => self.clock.drain(&self.opened, stream),
                State::Empty => {
                    self.count_faulty_frames()?;
                    return Ok(Received::End);
                }
            }
            let mut frame = Video::empty();
            match self.opened.receive_frame(&mut frame) {
                Ok(()) => return self.take(frame).map(Received::Frame),
                Err(ffmpeg::Error::Other { errno: EAGAIN }) if self.state == State::Feeding => {
                    return Ok(Received::Starved);
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
        self.marked += u64::from(frame.is_corrupt() || frame.has_decode_errors());
        self.count_faulty_frames()?;
        self.frames += 1;
        Ok(frame)
    }

    /// Damaged frames are marked, or spoken of, or both.
    fn count_faulty_frames(&mut self) -> Result<()> {
        let told = self.concealed.count();
        self.damage.slices(told.slices, self.frames)?;
        self.damage.frames(self.marked.max(told.frames), self.frames)
    }

    /// Goes on after a fault in the stream, gives up at any other.
    fn fault(&mut self, error: ffmpeg::Error) -> Result<()> {
        match libav::kind(error) {
            kind @ (Kind::OutOfMemory | Kind::Cancelled) => Err(Error::new(kind, error.to_string())),
            _ => self.damage.packet(self.frames, error),
        }
    }
}
