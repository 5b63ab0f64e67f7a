//! Which packets of copied streams belong to the frames that a window keeps.

use crate::io::libav::CopiedPacket;
use crate::io::libav::window::Side;
use crate::pipeline::{Item, Packet};
use std::collections::VecDeque;

/// How far past the window's end, in microseconds, the demuxer is read for packets that still belong inside: more
/// than the interleaving of any sane file.
const INTERLEAVING: i64 = 10_000_000;

/// Cuts copied streams to the kept frames: packets from the first frame's time up to the time of the first frame
/// after the last.
///
/// The end can be a frame whose time is not known yet, so a packet waits until a later frame has come.
pub(super) struct Gate {
    state: State,
    waiting: VecDeque<(i64, CopiedPacket)>,
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

impl Gate {
    /// A gate for a run of the whole source, or of a part.
    pub(super) fn new(whole: bool) -> Gate {
        Gate { state: if whole { State::Whole } else { State::Before }, waiting: VecDeque::new() }
    }

    /// Takes a packet of `time` (microseconds). One without a time belongs to the whole source and always passes.
    pub(super) fn packet(&mut self, time: Option<i64>, packet: CopiedPacket, out: &mut VecDeque<Item>) {
        let Some(time) = time else { return out.push_back(item(packet)) };
        match self.state {
            State::Whole => out.push_back(item(packet)),
            State::Before | State::Open(_) => self.waiting.push_back((time, packet)),
            State::Closed(from, until) if (from..until).contains(&time) => out.push_back(item(packet)),
            State::Closed(..) => {}
        }
    }

    /// Takes the news of a decoded frame, before the frame itself is handed on.
    pub(super) fn frame(&mut self, time: i64, side: Side, out: &mut VecDeque<Item>) {
        match (self.state, side) {
            (State::Before, Side::Before) => self.waiting.retain(|(t, _)| *t >= time),
            (State::Before, Side::Inside) => {
                self.waiting.retain(|(t, _)| *t >= time);
                self.state = State::Open(time);
            }
            (State::Open(from), side) => {
                for _ in 0..self.waiting.len() {
                    match self.waiting.pop_front() {
                        Some((t, packet)) if t < time => {
                            if t >= from {
                                out.push_back(item(packet));
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
    pub(super) fn finish(&mut self, out: &mut VecDeque<Item>) {
        if let State::Open(from) = self.state {
            let rest = self.waiting.drain(..).filter(|(t, _)| *t >= from);
            out.extend(rest.map(|(_, packet)| item(packet)));
        }
    }

    /// True once a packet of `time` says that no more belong inside.
    pub(super) fn is_past(&self, time: Option<i64>) -> bool {
        matches!((self.state, time), (State::Closed(_, until), Some(time)) if time > until.saturating_add(INTERLEAVING))
    }
}

/// A packet as the pipeline carries it.
fn item(packet: CopiedPacket) -> Item {
    Item::Packet(Packet(Box::new(packet)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use ffmpeg_next as ffmpeg;

    /// Runs events (packets `p`, frames before `b`, inside `i`, after `a`, each with a time) and lists what comes out.
    fn run(events: &[(char, i64)]) -> Vec<i64> {
        let (mut gate, mut out) = (Gate::new(false), VecDeque::new());
        for &(event, time) in events {
            match event {
                'p' => {
                    let mut packet = ffmpeg::Packet::empty();
                    packet.set_pts(Some(time));
                    gate.packet(Some(time), CopiedPacket { stream: 1, packet }, &mut out);
                }
                'b' => gate.frame(time, Side::Before, &mut out),
                'i' => gate.frame(time, Side::Inside, &mut out),
                _ => gate.frame(time, Side::After, &mut out),
            }
        }
        gate.finish(&mut out);
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
    fn a_source_that_ends_inside_keeps_its_tail() {
        assert_eq!(run(&[('b', 0), ('p', 5), ('i', 10), ('p', 20), ('p', 9), ('p', 30)]), [20, 30]);
    }

    #[test]
    fn a_window_that_never_begins_passes_nothing() {
        assert!(run(&[('p', 5), ('b', 0), ('p', 20)]).is_empty());
    }
}
