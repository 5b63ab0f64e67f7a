//! `--keep-partial`: for a run that is asked to stop, the input ends there.

use crate::error::{Error, Kind, Result};
use crate::filters::Reach;
use crate::io::libav::CopiedPacket;
use crate::pipeline::{Cancel, Item, Packet, Source};
use crate::video::{FrameProps, Rational, StreamInfo};
use std::collections::{HashMap, VecDeque};

/// A source that ends when it is asked to, so that what was done until then becomes a whole output.
///
/// Sound and subtitles run ahead of the pictures, by as much as the container interleaves and the decoder holds back.
/// So that they end together, a packet waits here until the frames reach its time.
pub struct Endable<'a> {
    source: &'a mut dyn Source,
    /// Asks for the end. The source itself may watch it too: its waiting is then over.
    stop: Cancel,
    /// The unit of times of each copied stream.
    units: HashMap<usize, Rational>,
    /// Where the last frame ends, in seconds.
    until: Option<f64>,
    frames: u64,
    waiting: VecDeque<Item>,
    ready: VecDeque<Item>,
    ended_early: bool,
}

impl<'a> Endable<'a> {
    /// `source`, until `stop` asks; `copied` are the streams whose packets come between its frames, and their units.
    pub fn new(
        source: &'a mut dyn Source,
        copied: impl IntoIterator<Item = (usize, Rational)>,
        stop: Cancel,
    ) -> Endable<'a> {
        Endable {
            source,
            stop,
            units: copied.into_iter().collect(),
            until: None,
            frames: 0,
            waiting: VecDeque::new(),
            ready: VecDeque::new(),
            ended_early: false,
        }
    }

    /// Whether it was ended before the source was.
    pub fn ended_early(&self) -> bool {
        self.ended_early
    }

    fn end_early(&mut self) -> Result<Option<Item>> {
        if self.frames == 0 {
            return Err(Error::new(Kind::Cancelled, "stopped before the first frame; no output was kept"));
        }
        self.ended_early = true;
        Ok(None)
    }

    /// Makes a frame ready, after the packets that begin before it ends.
    fn frame(&mut self, frame: Item) {
        let Some(props) = props(&frame) else { return };
        let end = props.pts.zip(self.source.info().timebase.value());
        self.until = end.map(|(pts, unit)| (pts + props.duration) as f64 * unit).or(self.until);
        self.frames += 1;
        for item in std::mem::take(&mut self.waiting) {
            if self.is_due(&item) { self.ready.push_back(item) } else { self.waiting.push_back(item) }
        }
        self.ready.push_back(frame);
    }

    /// Whether the frames have reached the time of `item`, a packet. One without a time is always due.
    fn is_due(&self, item: &Item) -> bool {
        let time = self.time(item);
        time.is_none_or(|time| self.until.is_some_and(|until| time < until))
    }

    fn time(&self, item: &Item) -> Option<f64> {
        let Item::Packet(Packet(packet)) = item else { return None };
        let CopiedPacket { stream, packet, .. } = packet.downcast_ref()?;
        let unit = self.units.get(stream)?.value()?;
        Some(packet.pts().or(packet.dts())? as f64 * unit)
    }
}

impl Source for Endable<'_> {
    fn info(&self) -> &StreamInfo {
        self.source.info()
    }

    fn next(&mut self) -> Result<Option<Item>> {
        loop {
            if let Some(item) = self.ready.pop_front() {
                return Ok(Some(item));
            }
            if self.stop.is_requested() {
                return self.end_early();
            }
            match self.source.next() {
                Ok(Some(packet @ Item::Packet(_))) if self.is_due(&packet) => self.ready.push_back(packet),
                Ok(Some(packet @ Item::Packet(_))) => self.waiting.push_back(packet),
                Ok(Some(frame)) => self.frame(frame),
                Ok(None) if self.waiting.is_empty() => return Ok(None),
                Ok(None) => self.ready.append(&mut self.waiting),
                // A read that was waiting.
                Err(_) if self.stop.is_requested() => return self.end_early(),
                Err(error) => return Err(error),
            }
        }
    }

    fn surround(&mut self, reach: Reach) -> Result<()> {
        self.source.surround(reach)
    }

    fn most_waiting(&self) -> usize {
        self.source.most_waiting()
    }

    fn damage(&self) -> Option<Error> {
        self.source.damage()
    }
}

fn props(item: &Item) -> Option<&FrameProps> {
    match item {
        Item::Frame(frame) => Some(&frame.props),
        #[cfg(feature = "cuda")]
        Item::DeviceFrame(frame) => Some(&frame.props),
        Item::Packet(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pipeline::Frame;
    use crate::video::{Format, Picture};

    /// Frames of 40 ms (`f` and their number) and packets of sound (`p` and their time in ms), in order.
    struct Script {
        info: StreamInfo,
        items: VecDeque<(char, i64)>,
    }

    impl Script {
        fn new(items: &[(char, i64)]) -> Script {
            let format = Format::gray(8).unwrap();
            let info = StreamInfo { timebase: Rational::new(1, 25), ..StreamInfo::bare(format, 1, 1) };
            Script { info, items: items.iter().copied().collect() }
        }
    }

    impl Source for Script {
        fn info(&self) -> &StreamInfo {
            &self.info
        }

        fn next(&mut self) -> Result<Option<Item>> {
            Ok(self.items.pop_front().map(|(kind, value)| match kind {
                'f' => {
                    let props = FrameProps { pts: Some(value), duration: 1, ..FrameProps::default() };
                    Item::Frame(Frame { props, picture: Picture::alloc(self.info.format, 1, 1).unwrap() })
                }
                _ => {
                    let mut packet = ffmpeg_next::Packet::empty();
                    packet.set_pts(Some(value));
                    Item::Packet(Packet(Box::new(CopiedPacket { stream: 1, packet, kept: (None, None) })))
                }
            }))
        }

        fn damage(&self) -> Option<Error> {
            None
        }
    }

    /// What becomes of `items` when the end is asked for after `before` of them were given.
    fn run(items: &[(char, i64)], before: usize) -> (Vec<(char, i64)>, Result<bool>) {
        let (mut script, stop, mut out) = (Script::new(items), Cancel::default(), Vec::new());
        let mut source = Endable::new(&mut script, [(1, Rational::new(1, 1000))], stop.clone());
        loop {
            if out.len() == before {
                stop.request();
            }
            match source.next() {
                Ok(Some(Item::Packet(Packet(packet)))) => {
                    out.push(('p', packet.downcast::<CopiedPacket>().unwrap().packet.pts().unwrap()));
                }
                Ok(Some(frame)) => out.push(('f', props(&frame).unwrap().pts.unwrap())),
                Ok(None) => return (out, Ok(source.ended_early())),
                Err(error) => return (out, Err(error)),
            }
        }
    }

    // Sound runs 80 ms ahead.
    const AHEAD: [(char, i64); 9] =
        [('p', 0), ('p', 30), ('p', 60), ('f', 0), ('p', 90), ('f', 1), ('p', 120), ('p', 150), ('f', 2)];

    #[test]
    fn sound_ends_with_the_pictures() {
        // The second frame ends at 80 ms; it is the fifth to be written.
        let (out, early) = run(&AHEAD, 4);
        assert_eq!((&*out, early), (&[('p', 0), ('p', 30), ('f', 0), ('p', 60), ('f', 1)][..], Ok(true)));
    }

    #[test]
    fn nothing_is_lost_of_a_source_that_ends_by_itself() {
        let (mut out, early) = run(&AHEAD, usize::MAX);
        assert_eq!((out.len(), out.last(), early), (9, Some(&('p', 150)), Ok(false)));
        out.sort_unstable();
        let mut all = AHEAD;
        all.sort_unstable();
        assert_eq!(out, all);
    }

    #[test]
    fn without_a_frame_there_is_nothing_to_keep() {
        let (out, stopped) = run(&AHEAD, 0);
        assert_eq!((out, stopped.unwrap_err().kind()), (Vec::new(), Kind::Cancelled));
    }
}
