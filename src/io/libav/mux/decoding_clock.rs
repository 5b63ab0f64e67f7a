//! Decoding times for packets that state none, counted on as ffmpeg's command counts them.

use ffmpeg::Rescale;
use ffmpeg::codec::decoder::Opened;
use ffmpeg::ffi;
use ffmpeg::format::stream::Stream;
use ffmpeg::mathematics::rescale::TIME_BASE;
use ffmpeg_next as ffmpeg;
use std::collections::VecDeque;

/// Follows a stream's decoding times in microseconds and fills the gaps from durations and the frame rate.
///
/// A decoder gives a frame without a presentation time the decoding time of its packet. Raw streams and AVI state few
/// or none, so these guesses decide their timestamps; guessing as ffmpeg does keeps frame lists comparable.
pub(in crate::io::libav) struct DtsClock {
    timebase: ffmpeg::Rational,
    /// The time of the packet or frame at hand, and of the one after it.
    now: Option<i64>,
    next: Option<i64>,
    /// How far the packet at hand carries the clock.
    step: i64,
    /// True once the packet at hand gave a frame.
    gave_frame: bool,
    /// Times of frames that are decoded after the last packet.
    tail: VecDeque<i64>,
}

impl DtsClock {
    /// A clock for `stream`: it starts before zero by as many frames as the decoder holds back.
    pub(in crate::io::libav) fn new(stream: &Stream) -> DtsClock {
        // SAFETY: the parameters are alive.
        let delay = unsafe { (*stream.parameters().as_ptr()).video_delay };
        let rate = stream.avg_frame_rate();
        let start = match rate.numerator() {
            0 => 0,
            _ => (f64::from(-delay) * f64::from(TIME_BASE.denominator()) / f64::from(rate)) as i64,
        };
        let timebase = stream.time_base();
        DtsClock { timebase, now: Some(start), next: None, step: 0, gave_frame: false, tail: VecDeque::new() }
    }

    /// Stamps `packet` with its decoding time, before it is decoded.
    pub(in crate::io::libav) fn stamp(&mut self, packet: &mut ffmpeg::Packet) {
        if let Some(dts) = packet.dts() {
            self.next = Some(dts.rescale(self.timebase, TIME_BASE));
        }
        self.tick();
        packet.set_dts(self.now.map(|dts| dts.rescale(TIME_BASE, self.timebase)));
    }

    /// Notes that the decoder took a packet of `duration`.
    pub(in crate::io::libav) fn sent(&mut self, duration: i64, decoder: &Opened, stream: &Stream) {
        self.step = match duration {
            0 => nominal_step(decoder, stream),
            _ => duration.rescale(self.timebase, TIME_BASE),
        };
        self.gave_frame = false;
        self.advance();
    }

    /// Notes that the packet at hand gave a frame.
    pub(in crate::io::libav) fn frame(&mut self) {
        if self.gave_frame {
            self.advance();
        }
        self.gave_frame = true;
        self.now = self.next;
    }

    /// Notes that the decoder is asked for one more frame after the last packet.
    pub(in crate::io::libav) fn drain(&mut self, decoder: &Opened, stream: &Stream) {
        self.tick();
        self.tail.extend(self.now.map(|dts| dts.rescale(TIME_BASE, self.timebase)));
        self.step = nominal_step(decoder, stream);
        self.advance();
    }

    /// The time of a frame after the last packet that has none of its own.
    pub(in crate::io::libav) fn tail_time(&mut self) -> Option<i64> {
        self.tail.pop_front()
    }

    fn tick(&mut self) {
        self.now = self.next.or(self.now);
        self.next = self.now;
    }

    fn advance(&mut self) {
        self.next = self.now.filter(|_| self.step != 0).map(|now| now.saturating_add(self.step));
    }
}

/// A frame's duration in microseconds by the decoder's frame rate; 0 when that is not known.
fn nominal_step(decoder: &Opened, stream: &Stream) -> i64 {
    // SAFETY: decoder and stream are alive, and so is the stream's parser when it has one.
    let (rate, ticks_per_frame, repeat) = unsafe {
        let context = &*decoder.as_ptr();
        let parser = ffi::av_stream_get_parser(stream.as_ptr()).as_ref();
        (context.framerate, i64::from(context.ticks_per_frame), parser.map(|parser| i64::from(parser.repeat_pict)))
    };
    if rate.num == 0 || rate.den == 0 || ticks_per_frame == 0 {
        return 0;
    }
    let ticks = repeat.map_or(ticks_per_frame, |repeat| repeat + 1);
    i64::from(TIME_BASE.denominator()) * i64::from(rate.den) * ticks / i64::from(rate.num) / ticks_per_frame
}
