//! Clocks that start again or jump in mid-stream: recordings that were joined, the cells of a DVD. Times go on as if they had not.

use crate::io::libav::demux::demuxer::Demuxer;
use crate::io::libav::encode::timebase::rescale;
use crate::io::libav::seek::frame_index::discard;
use crate::video::Rational;
use ffmpeg::Packet;
use ffmpeg::ffi;
use ffmpeg::format::stream::Stream;
use ffmpeg::media::Type;
use ffmpeg_next as ffmpeg;
use std::collections::VecDeque;

/// A time that is this much behind the one expected, or ahead of it, in seconds, is of another clock: pictures may pause for a while.
const BEHIND: f64 = 0.1;
const AHEAD: f64 = 60.0;

/// Once the video is on another clock, a packet of sound that is further from its stream's end, in seconds, is so too.
const CONTINUES: f64 = 0.005;

/// Packets of sound that may wait for the video to jump, and packets of the video meanwhile: more than lie between them.
const MOST_HELD: usize = 2048;
const MOST_BETWEEN: usize = 250;

/// Follows the clock of a source whose format lets it jump.
///
/// The video says how far: its frames go on where they ended, and all else on the new clock moves with it, so that sound stays
/// where it was beside the pictures. Each stream comes to the new clock by itself, since streams are interleaved.
pub(super) struct Clock {
    video: usize,
    /// Its streams; none where the format does not let it jump.
    tracks: Vec<Track>,
    /// The clock that the video is on, counted, and what is added to its times, in the video's unit.
    newest: usize,
    offset: i64,
    /// Where the last frame of the video ends, as it is shown, in the video's unit.
    shown: Option<i64>,
    /// Packets of streams that are on a clock that the video is not on yet, and packets of the video since the first of them.
    held: VecDeque<Packet>,
    between: usize,
    ready: VecDeque<Packet>,
    /// How far the clock jumped the last time, in seconds, until that was said.
    jumped: Option<f64>,
}

/// What is known of a stream.
struct Track {
    unit: Rational,
    is_sound: bool,
    /// The clock it is on, and what is added to its times, in its unit.
    clock: usize,
    offset: i64,
    /// The time of its last packet, and where that ends, as the source has them.
    last: Option<i64>,
    end: Option<i64>,
    /// Where what was given of it ends, on the film's clock.
    given: Option<i64>,
}

impl Track {
    fn new(stream: &Stream) -> Track {
        let is_sound = stream.parameters().medium() == Type::Audio;
        Track { unit: stream.time_base().into(), is_sound, clock: 0, offset: 0, last: None, end: None, given: None }
    }

    fn seconds(&self, ticks: i64) -> f64 {
        ticks as f64 * self.unit.value().unwrap_or(0.0)
    }

    /// Notes the time of a packet, and gives it on the film's clock. Where clocks meet, what was there already is not to be heard.
    fn pass(&mut self, mut packet: Packet) -> Packet {
        if let Some(time) = packet.dts().or(packet.pts()) {
            let step = match packet.duration() {
                0 => self.last.map_or(0, |last| time - last),
                duration => duration,
            };
            (self.last, self.end) = (Some(time), Some(time + step));
        }
        packet.set_pts(packet.pts().map(|pts| pts + self.offset));
        packet.set_dts(packet.dts().map(|dts| dts + self.offset));
        if let Some(begin) = packet.pts().filter(|_| self.is_sound) {
            if self.clock > 0 && Some(begin + packet.duration() / 2) < self.given {
                discard(&mut packet);
            }
            self.given = self.given.max(Some(begin + packet.duration()));
        }
        packet
    }
}

impl Clock {
    /// The clock of `demuxer`, whose stream `video` is decoded.
    pub(super) fn new(demuxer: &Demuxer, video: usize) -> Clock {
        // SAFETY: the demuxer is alive, and its format is static.
        let jumps = unsafe { (*(*demuxer.as_ptr()).iformat).flags } & ffi::AVFMT_TS_DISCONT != 0;
        let tracks = if jumps { demuxer.streams().map(|stream| Track::new(&stream)).collect() } else { Vec::new() };
        Clock::of(tracks, video)
    }

    fn of(tracks: Vec<Track>, video: usize) -> Clock {
        Clock {
            video,
            tracks,
            newest: 0,
            offset: 0,
            shown: None,
            held: VecDeque::new(),
            between: 0,
            ready: VecDeque::new(),
            jumped: None,
        }
    }

    /// Whether times are still the source's own.
    pub(super) fn is_the_sources(&self) -> bool {
        self.newest == 0
    }

    /// A packet that waited and can go on.
    pub(super) fn released(&mut self) -> Option<Packet> {
        self.ready.pop_front()
    }

    /// Takes a packet in the order of the source, and gives it with a time on the film's clock, unless it waits.
    pub(super) fn take(&mut self, packet: Packet) -> Option<Packet> {
        let stream = packet.stream();
        let time = packet.dts().or(packet.pts());
        let (Some(track), Some(time)) = (self.tracks.get(stream), time) else { return Some(packet) };
        if stream == self.video {
            if self.has_jumped(track, time) {
                self.jump(&packet, time);
            } else if !self.held.is_empty() {
                self.between += 1;
                self.give_up_waiting(MOST_BETWEEN);
            }
            return Some(self.pass(packet));
        }
        let waits = self.held.iter().any(|held| held.stream() == stream);
        if waits || track.is_sound && track.clock == self.newest && self.has_jumped(track, time) {
            self.held.push_back(packet);
            self.give_up_waiting(MOST_BETWEEN);
            return None;
        }
        self.follow(stream, time);
        Some(self.pass(packet))
    }

    /// Lets what waits go on, at the end of the source. False where nothing does.
    pub(super) fn settle(&mut self) -> bool {
        self.give_up_waiting(0);
        !self.ready.is_empty()
    }

    /// How far the clock jumped the last time, in seconds, where that has not been asked for.
    pub(super) fn take_jump(&mut self) -> Option<f64> {
        self.jumped.take()
    }

    /// Whether `time` of `track` is on another clock than its last one.
    fn has_jumped(&self, track: &Track, time: i64) -> bool {
        let Some(last) = track.last else { return false };
        let end = track.end.unwrap_or(last).max(last);
        // Sound may pause while the pictures go on.
        let video = &self.tracks[self.video];
        let reached = video.end.filter(|_| video.clock == track.clock).map(|end| video.seconds(end));
        let latest = reached.map_or(track.seconds(end), |reached| reached.max(track.seconds(end)));
        track.seconds(time - end) < -BEHIND && time < last || track.seconds(time) > latest + AHEAD
    }

    /// Has the video, whose next `packet` is decoded at `time` of another clock, go on where it ended.
    fn jump(&mut self, packet: &Packet, time: i64) {
        let track = &mut self.tracks[self.video];
        let ends = track.end.unwrap_or(time) + track.offset;
        let decoded = ends - time;
        // Neither before what was shown, where the new stream is reordered less.
        let shown = packet.pts().zip(self.shown).map_or(decoded, |(pts, shown)| shown - pts);
        let offset = decoded.max(shown);
        self.jumped = Some(track.seconds(time + track.offset - ends));
        self.newest += 1;
        (self.offset, track.offset, track.clock) = (offset, offset, self.newest);
        (track.last, track.end) = (None, None);
        self.between = 0;
        for packet in std::mem::take(&mut self.held) {
            if self.tracks[packet.stream()].clock < self.newest {
                self.follow_newest(packet.stream());
            }
            let packet = self.pass(packet);
            self.ready.push_back(packet);
        }
    }

    /// Has `stream` change to the video's clock, unless its packet at `time` goes on from the one before.
    fn follow(&mut self, stream: usize, time: i64) {
        let track = &self.tracks[stream];
        let continues = track.end.is_some_and(|end| track.seconds((time - end).abs()) <= CONTINUES);
        if track.clock < self.newest && !(track.is_sound && continues) {
            self.follow_newest(stream);
        }
    }

    fn follow_newest(&mut self, stream: usize) {
        let offset = rescale(self.offset, self.tracks[self.video].unit, self.tracks[stream].unit);
        let track = &mut self.tracks[stream];
        (track.clock, track.offset) = (self.newest, offset);
        (track.last, track.end) = (None, None);
    }

    /// Has the streams that wait go on by themselves where the video gave as many as `most` packets meanwhile, without a jump.
    fn give_up_waiting(&mut self, most: usize) {
        if self.between < most && self.held.len() < MOST_HELD {
            return;
        }
        self.between = 0;
        for packet in std::mem::take(&mut self.held) {
            let stream = packet.stream();
            let time = packet.dts().or(packet.pts());
            let jumps = time.is_some_and(|time| self.has_jumped(&self.tracks[stream], time));
            let track = &mut self.tracks[stream];
            if let (true, Some(end), Some(time)) = (jumps, track.end, time) {
                track.offset += end - time;
            }
            let packet = self.pass(packet);
            self.ready.push_back(packet);
        }
    }

    fn pass(&mut self, packet: Packet) -> Packet {
        let stream = packet.stream();
        let packet = self.tracks[stream].pass(packet);
        if stream == self.video {
            let end = packet.pts().map(|pts| pts + packet.duration());
            self.shown = self.shown.max(end);
        }
        packet
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::io::libav::seek::frame_index::is_discarded;

    const UNIT: Rational = Rational::new(1, 1000);

    fn clock() -> Clock {
        let track = |is_sound| Track { unit: UNIT, is_sound, clock: 0, offset: 0, last: None, end: None, given: None };
        Clock::of(vec![track(false), track(true), track(false)], 0)
    }

    /// What becomes of packets of a video (`v`, 40 ms), sound (`a`, 20 ms) and subtitles (`s`), given as streams and times;
    /// `-` where sound is not to be heard.
    fn given(clock: &mut Clock, packets: &[(char, i64)]) -> Vec<(char, i64)> {
        const NAMES: [char; 3] = ['v', 'a', 's'];
        let packet = |&(name, time): &(char, i64)| {
            let stream = NAMES.iter().position(|known| *known == name).unwrap();
            let mut packet = Packet::copy(b"x");
            packet.set_stream(stream);
            packet.set_pts(Some(time));
            packet.set_dts(Some(time));
            packet.set_duration([40, 20, 0][stream]);
            packet
        };
        let mut out = Vec::new();
        for packet in packets.iter().map(packet) {
            out.extend(clock.take(packet));
            out.extend(std::iter::from_fn(|| clock.released()));
        }
        clock.settle();
        out.extend(std::iter::from_fn(|| clock.released()));
        let name = |packet: &Packet| if is_discarded(packet) { '-' } else { NAMES[packet.stream()] };
        out.iter().map(|packet| (name(packet), packet.pts().unwrap())).collect()
    }

    #[test]
    fn frames_go_on_where_they_ended_and_sound_stays_beside_them() {
        let mut clock = clock();
        let packets =
            [('v', 1000), ('a', 1000), ('a', 1020), ('v', 1040), ('a', 1040), ('v', 500), ('a', 510), ('s', 520)];
        let expected = [1000, 1000, 1020, 1040, 1040, 1080, 1090, 1100];
        assert_eq!(given(&mut clock, &packets).iter().map(|packet| packet.1).collect::<Vec<_>>(), expected);
        assert_eq!((clock.take_jump(), clock.take_jump()), (Some(-0.58), None));
        assert!(!clock.is_the_sources());
    }

    #[test]
    fn streams_come_to_the_new_clock_in_any_order() {
        // Sound is there before the video, and ended after it: what was heard already is not heard again.
        let packets =
            [('v', 1000), ('a', 1000), ('a', 1020), ('a', 1040), ('a', 300), ('a', 320), ('v', 300), ('a', 340)];
        let expected =
            [('v', 1000), ('a', 1000), ('a', 1020), ('a', 1040), ('v', 1040), ('-', 1040), ('a', 1060), ('a', 1080)];
        assert_eq!(given(&mut clock(), &packets), expected);
        // The last of the sound comes after the video's first.
        let packets = [('v', 1000), ('a', 1000), ('v', 0), ('a', 1020), ('v', 40), ('a', 0), ('a', 20)];
        let expected = [('v', 1000), ('a', 1000), ('v', 1040), ('a', 1020), ('v', 1080), ('a', 1040), ('a', 1060)];
        assert_eq!(given(&mut clock(), &packets), expected);
    }

    #[test]
    fn a_clock_that_is_far_ahead_has_jumped_and_a_pause_has_not() {
        let packets = [('v', 0), ('a', 0), ('v', 500_000), ('a', 500_020)];
        assert_eq!(given(&mut clock(), &packets), [('v', 0), ('a', 0), ('v', 40), ('a', 60)]);
        let packets = [('v', 0), ('a', 0), ('v', 50_000), ('v', 100_000), ('a', 99_000), ('a', 99_020)];
        assert_eq!(given(&mut clock(), &packets), packets);
    }

    #[test]
    fn sound_whose_clock_alone_jumps_goes_on() {
        let packets = [('v', 0), ('a', 900), ('a', 920), ('v', 40), ('a', 0), ('a', 20), ('v', 80)];
        let expected = [('v', 0), ('a', 900), ('a', 920), ('v', 40), ('v', 80), ('a', 940), ('a', 960)];
        assert_eq!(given(&mut clock(), &packets), expected);
    }

    #[test]
    fn frames_that_are_reordered_less_are_not_shown_before_the_last() {
        let mut clock = clock();
        let mut video = |pts, dts| {
            let mut packet = Packet::copy(b"x");
            packet.set_pts(Some(pts));
            packet.set_dts(Some(dts));
            packet.set_duration(40);
            clock.take(packet).and_then(|packet| packet.pts()).unwrap()
        };
        assert_eq!(
            [(1080, 1000), (1200, 1040), (300, 300), (340, 340)].map(|(p, d)| video(p, d)),
            [1080, 1200, 1240, 1280]
        );
    }
}
