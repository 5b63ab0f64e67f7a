//! Which packets of copied streams belong to the frames that a window keeps.

use crate::io::libav::CopiedPacket;
use crate::io::libav::encode::timebase::rescale;
use crate::io::libav::seek::window::{Side, microseconds_to_ticks};
use crate::pipeline::{self, Item};
use crate::video::Rational;
use ffmpeg_next::Packet;
use ffmpeg_next::packet::Mut;
use std::collections::VecDeque;

/// How far past the window's end, in microseconds, the demuxer is read for packets that still belong inside: more
/// than the interleaving of any sane file.
pub(in crate::io::libav) const INTERLEAVING: i64 = 10_000_000;

/// How much of a stream that is decoded goes before a window, in microseconds, for its decoder to warm up: three times what Opus
/// asks for.
const WARM_UP: i64 = 240_000;

/// How much of a stream goes before a window, in microseconds, where its container has a decoder warm up on it and skips what
/// that gives: what Opus asks for (RFC 7845), and more than other codecs need.
const CARRIED: i64 = 80_000;

/// When a packet is shown: its times in microseconds, and the unit of its own.
#[derive(Clone, Copy)]
pub(in crate::io::libav) struct PacketTimes {
    pub(in crate::io::libav) time: i64,
    /// Its end where it can be cut (subtitles, PCM, what is decoded or skipped), else its time.
    pub(in crate::io::libav) until: i64,
    pub(in crate::io::libav) unit: Rational,
    /// What PCM is cut by.
    pub(in crate::io::libav) samples: Option<PcmSamples>,
    /// It is decoded: whoever does that cuts it to what is kept.
    pub(in crate::io::libav) decoded: bool,
    /// The output's container skips what of it is before the window.
    pub(in crate::io::libav) skipped: bool,
    /// It comes earlier than the source has it, so that its start may be before the film's.
    pub(in crate::io::libav) moved: bool,
}

/// The samples of a packet of PCM, those of all channels at one time together.
#[derive(Clone, Copy)]
pub(in crate::io::libav) struct PcmSamples {
    pub(in crate::io::libav) bytes: usize,
    pub(in crate::io::libav) rate: i32,
}

impl PacketTimes {
    /// Whether some of it is at `from` or later.
    fn reaches(self, from: i64) -> bool {
        let lead = match self {
            PacketTimes { decoded: true, .. } => WARM_UP,
            PacketTimes { skipped: true, .. } => CARRIED,
            _ => 0,
        };
        self.time >= from || self.until > from - lead
    }

    /// Whether it is known what of it belongs inside a window that goes on to `time` at least.
    fn is_settled(self, time: i64) -> bool {
        if self.decoded { self.until <= time } else { self.time < time }
    }

    /// The packet without what of it is before `from`.
    fn cut(self, from: i64, mut packet: CopiedPacket) -> Item {
        if self.time < from && !self.decoded && !self.skipped {
            let CopiedPacket { packet, .. } = &mut packet;
            let late = match self.samples {
                None => microseconds_to_ticks(from - self.time, self.unit),
                Some(samples) => samples.leave_out(packet, from - self.time, self.unit),
            };
            packet.set_pts(packet.pts().map(|pts| pts + late));
            packet.set_dts(packet.dts().map(|dts| dts + late));
            packet.set_duration((packet.duration() - late).max(0));
        }
        item(packet)
    }
}

impl PcmSamples {
    /// Takes from `packet` the samples of its first `time` microseconds, all but one at most. Gives how long those last in
    /// `unit`.
    fn leave_out(self, packet: &mut Packet, time: i64, unit: Rational) -> i64 {
        let sample = Rational::new(1, self.rate);
        let most = (packet.size() / self.bytes).saturating_sub(1);
        let count = usize::try_from(microseconds_to_ticks(time, sample)).unwrap_or(0).min(most);
        let bytes = count * self.bytes;
        // SAFETY: fewer bytes than the packet has; its buffer keeps the memory, from wherever the data starts.
        unsafe {
            let raw = packet.as_mut_ptr();
            (*raw).data = (*raw).data.add(bytes);
            (*raw).size -= bytes as i32;
        }
        rescale(count as i64, sample, unit)
    }
}

/// Cuts copied streams to the kept frames: packets from the first frame's time up to the time of the first frame
/// after the last. A subtitle that is already shown at the first frame begins there, and so does PCM, to the sample.
///
/// The end can be a frame whose time is not known yet, so a packet waits until a later frame is decoded.
pub(in crate::io::libav) struct Trim {
    state: State,
    /// The container's start time in microseconds.
    origin: i64,
    waiting: VecDeque<(PacketTimes, CopiedPacket)>,
}

#[derive(Clone, Copy)]
enum State {
    /// Nothing is cut.
    Whole,
    /// The window has not begun.
    Before,
    /// It began at this time.
    Open(i64),
    /// It began and ended at these times.
    Closed(i64, i64),
}

impl Trim {
    /// A trim for a run of the whole source, or of a part.
    pub(in crate::io::libav) fn new(whole: bool, origin: i64) -> Trim {
        Trim { state: if whole { State::Whole } else { State::Before }, origin, waiting: VecDeque::new() }
    }

    /// What of a packet shown in `span` is inside from `from` to `until`.
    fn keep(&self, (span, mut packet): (PacketTimes, CopiedPacket), from: i64, until: Option<i64>) -> Item {
        packet.kept = (Some(from + self.origin), until.map(|until| until + self.origin));
        span.cut(from, packet)
    }

    /// Takes a packet shown in `span`. One without a time belongs to the whole source and always passes.
    pub(in crate::io::libav) fn packet(
        &mut self,
        span: Option<PacketTimes>,
        packet: CopiedPacket,
        out: &mut VecDeque<Item>,
    ) {
        let Some(span) = span else { return out.push_back(item(packet)) };
        match self.state {
            State::Whole if span.moved && span.reaches(0) => out.push_back(self.keep((span, packet), 0, None)),
            State::Whole if span.moved => {}
            State::Whole => out.push_back(item(packet)),
            State::Before | State::Open(_) => self.waiting.push_back((span, packet)),
            State::Closed(from, until) if span.time < until && span.reaches(from) => {
                out.push_back(self.keep((span, packet), from, Some(until)));
            }
            State::Closed(..) => {}
        }
    }

    /// Whether a packet shown in `span` is over before the frame at `time`, and no earlier one is kept.
    pub(in crate::io::libav) fn is_before(&self, span: Option<PacketTimes>, time: i64) -> bool {
        matches!(self.state, State::Before) && span.is_some_and(|span| !span.reaches(time))
    }

    /// Takes the news of a decoded frame, before the frame itself is given.
    pub(in crate::io::libav) fn frame(&mut self, time: i64, side: Side, out: &mut VecDeque<Item>) {
        match (self.state, side) {
            (State::Before, Side::Before) => self.waiting.retain(|(span, _)| span.reaches(time)),
            (State::Before, Side::Inside) => {
                self.waiting.retain(|(span, _)| span.reaches(time));
                self.state = State::Open(time);
            }
            (State::Open(from), side) => {
                let end = (side == Side::After).then_some(time);
                for _ in 0..self.waiting.len() {
                    match self.waiting.pop_front() {
                        Some((span, packet)) if span.is_settled(time) || end.is_some() && span.time < time => {
                            if span.reaches(from) {
                                out.push_back(self.keep((span, packet), from, end));
                            }
                        }
                        Some(later) => self.waiting.push_back(later),
                        None => break,
                    }
                }
                if side == Side::After {
                    self.waiting.clear();
                    self.state = State::Closed(from, time);
                }
            }
            _ => {}
        }
    }

    /// Lets the rest through when the source ends inside the window.
    pub(in crate::io::libav) fn finish(&mut self, out: &mut VecDeque<Item>) {
        if let State::Open(from) = self.state {
            let rest = std::mem::take(&mut self.waiting).into_iter().filter(|(span, _)| span.reaches(from));
            out.extend(rest.map(|packet| self.keep(packet, from, None)));
        }
    }

    /// True once a packet shown in `span` says that no more belong inside.
    pub(in crate::io::libav) fn is_past(&self, span: Option<PacketTimes>) -> bool {
        let late = |until: i64, span: PacketTimes| span.time > until.saturating_add(INTERLEAVING);
        matches!((self.state, span), (State::Closed(_, until), Some(span)) if late(until, span))
    }
}

/// A packet as the pipeline carries it.
fn item(packet: CopiedPacket) -> Item {
    Item::Packet(pipeline::Packet(Box::new(packet)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use ffmpeg_next as ffmpeg;

    const MICROSECOND: Rational = Rational::new(1, 1_000_000);

    /// Runs events (packets `p`, subtitles `s` of 15 microseconds, frames before `b`, inside `i`, after `a`, each with a
    /// time) and lists what is kept.
    fn run(events: &[(char, i64)]) -> Vec<i64> {
        let (mut trim, mut out) = (Trim::new(false, 0), VecDeque::new());
        for &(event, time) in events {
            match event {
                'p' | 's' => {
                    let duration = if event == 's' { 15 } else { 0 };
                    let mut packet = ffmpeg::Packet::empty();
                    packet.set_pts(Some(time));
                    packet.set_duration(duration);
                    let span = PacketTimes {
                        time,
                        until: time + duration,
                        unit: MICROSECOND,
                        samples: None,
                        decoded: false,
                        skipped: false,
                        moved: false,
                    };
                    trim.packet(Some(span), CopiedPacket { stream: 1, packet, kept: (None, None) }, &mut out);
                }
                'b' => trim.frame(time, Side::Before, &mut out),
                'i' => trim.frame(time, Side::Inside, &mut out),
                _ => trim.frame(time, Side::After, &mut out),
            }
        }
        trim.finish(&mut out);
        let times = out.into_iter().map(|item| match item {
            Item::Packet(packet) => packet.0.downcast::<CopiedPacket>().unwrap().packet.pts().unwrap(),
            _ => unreachable!("only packets went in"),
        });
        times.collect()
    }

    #[test]
    fn packets_from_the_first_kept_frame_to_the_first_after_the_last_pass() {
        // Sound runs ahead of the pictures at the start and behind them at the end.
        let events = [
            ('p', 0),
            ('p', 30),
            ('b', 0),
            ('p', 40),
            ('b', 20),
            ('i', 40),
            ('p', 50),
            ('p', 90),
            ('i', 60),
            ('a', 80),
            ('p', 70),
            ('p', 80),
            ('p', 20),
        ];
        assert_eq!(run(&events), [40, 50, 70]);
    }

    #[test]
    fn a_subtitle_that_is_shown_at_the_start_begins_there() {
        let events = [('s', 20), ('b', 0), ('s', 28), ('b', 20), ('i', 40), ('s', 50), ('s', 79), ('a', 80), ('s', 30)];
        assert_eq!(run(&events), [40, 50, 79, 40]);
    }

    #[test]
    fn pcm_is_cut_to_the_sample() {
        let (mut trim, mut out) = (Trim::new(false, 0), VecDeque::new());
        let mut packet = ffmpeg::Packet::copy(&[0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
        packet.set_pts(Some(30));
        packet.set_duration(50);
        let samples = Some(PcmSamples { bytes: 2, rate: 100_000 });
        let span = PacketTimes {
            time: 30,
            until: 80,
            unit: MICROSECOND,
            samples,
            decoded: false,
            skipped: false,
            moved: false,
        };
        trim.packet(Some(span), CopiedPacket { stream: 1, packet, kept: (None, None) }, &mut out);
        trim.frame(0, Side::Before, &mut out);
        trim.frame(55, Side::Inside, &mut out);
        trim.finish(&mut out);
        let Some(Item::Packet(packet)) = out.pop_front() else { panic!("the packet reaches into the window") };
        let packet = packet.0.downcast::<CopiedPacket>().unwrap().packet;
        assert_eq!((packet.pts(), packet.duration(), packet.data()), (Some(60), 20, Some(&[6, 7, 8, 9][..])));
    }

    #[test]
    fn a_source_that_ends_inside_keeps_its_tail() {
        assert_eq!(run(&[('b', 0), ('p', 5), ('i', 10), ('p', 20), ('p', 9), ('p', 30)]), [20, 30]);
    }

    #[test]
    fn a_window_that_never_begins_passes_nothing() {
        assert!(run(&[('p', 5), ('b', 0), ('p', 20)]).is_empty());
    }
}
