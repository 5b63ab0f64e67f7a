//! Following a source's packets without decoding them: which frames there are, and what else is copied.

use super::{Input, Phase};
use crate::error::{Error, Result};
use crate::io::libav::demux::demuxer;
use crate::io::libav::demux::reader::{EntryPacket, PacketHashes};
use crate::io::libav::demux::trim::INTERLEAVING;
use crate::io::libav::seek::frame_index::Certain;
use crate::io::libav::seek::window::Side;
use std::collections::VecDeque;

/// The frames of a source, or of the window of it that was asked for, as its packets have them.
#[derive(Clone, Debug, Default)]
pub struct FrameList {
    /// The index of the first of them.
    pub first: u64,
    /// When each is shown, in the stream's timebase.
    pub times: Vec<i64>,
    /// Those at which decoding can begin, before the window too.
    pub entries: Vec<EntryFrame>,
    /// What its packets are.
    pub packets: PacketHashes,
}

/// A frame at which decoding can begin.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EntryFrame {
    /// Where its packet lies.
    pub place: EntryPacket,
    /// The frame at which decoding begins for this one to be the first that is given: itself, or one that it refers to.
    pub begins: u64,
}

impl Input {
    /// Reads the source to the end of the window, without decoding what follows its first frame. The input must have been opened
    /// with [`InputOptions::follow`](super::InputOptions::follow), and gives nothing after this.
    ///
    /// # Errors
    /// When packets do not say for certain which frames there are, with the reason; when the source is damaged, or the
    /// run was stopped.
    pub fn list_frames(&mut self) -> Result<FrameList> {
        self.listed().map_err(|e| e.context(demuxer::name(&self.path)))
    }

    fn listed(&mut self) -> Result<FrameList> {
        self.begin_to_follow()?;
        let (mut list, mut keys) = (FrameList::default(), VecDeque::new());
        loop {
            let Some(certain) = self.next_certain(&mut keys)? else {
                // Parts are made without the source's end.
                self.reader.check_tail()?;
                break;
            };
            self.ready.clear();
            if let Some(point) = certain.access {
                keys.retain(|(number, _)| *number >= certain.packet);
                let key = keys.front().filter(|(number, _)| *number == certain.packet).cloned();
                let entry = |(_, place)| EntryFrame {
                    place: EntryPacket { frame: certain.frame, ..place },
                    begins: point.frame,
                };
                list.entries.extend(key.map(entry));
            }
            match self.window.side(certain.frame, self.reader.time(certain.pts), self.kept) {
                Side::Before => {}
                Side::Inside => {
                    if list.times.is_empty() {
                        list.first = certain.frame;
                    }
                    list.times.push(certain.pts);
                    self.kept += 1;
                }
                Side::After => break,
            }
        }
        self.phase = Phase::Over;
        self.reader.check_given()?;
        list.packets = self.reader.contents().unwrap_or_default();
        match self.reader.damage() {
            Some(damage) => Err(Error::unsupported(format!("it is damaged: {damage}"))),
            None if list.times.is_empty() => Err(Error::bad_argument("no frame lies where --start and --end ask")),
            None => Ok(list),
        }
    }

    /// Gives no frame, only the packets of copied streams, those of a run with frames. The input must have been opened
    /// with [`InputOptions::follow`](super::InputOptions::follow).
    ///
    /// # Errors
    /// When packets do not say for certain which frames there are, with the reason.
    pub fn leave_frames_out(&mut self) -> Result<()> {
        self.begin_to_follow().map_err(|e| e.context(demuxer::name(&self.path)))?;
        self.phase = Phase::Following;
        Ok(())
    }

    /// Makes ready what is copied beside the next frame, which is not given.
    pub(super) fn pass_frame(&mut self) -> Result<()> {
        let Some(certain) = self.next_certain(&mut VecDeque::new())? else {
            self.trim.finish(&mut self.ready);
            self.phase = if self.added.is_empty() { Phase::Over } else { Phase::Added };
            return Ok(());
        };
        self.time = self.reader.time(certain.pts);
        let side = self.window.side(certain.frame, self.time, self.kept);
        self.kept += u64::from(side == Side::Inside);
        self.add_until(self.time)?;
        self.trim.frame(self.time, side, &mut self.ready);
        if side == Side::After {
            self.add_until(self.time.saturating_add(INTERLEAVING))?;
            self.phase = if self.copied.is_empty() { Phase::Over } else { Phase::Packets };
        }
        Ok(())
    }

    /// Leaves the frame behind that was decoded when the source was opened, and counts from it.
    fn begin_to_follow(&mut self) -> Result<()> {
        let first = self.first.take().and_then(|frame| frame.pts());
        self.reader.settle();
        self.hand_on();
        let begins = first.zip(self.reader.index()).is_some_and(|(pts, index)| index.begin(pts, 0));
        if begins { Ok(()) } else { Err(Error::unsupported(self.uncertain("it does not begin with a key frame"))) }
    }

    /// The next frame, in order of presentation, as packets have it. The packets of key frames that are met meanwhile go to `keys`,
    /// with their numbers.
    fn next_certain(&mut self, keys: &mut VecDeque<(u64, EntryPacket)>) -> Result<Option<Certain>> {
        loop {
            if let Some(certain) = self.reader.index().and_then(|index| index.certain()) {
                return Ok(Some(certain));
            }
            let more = self.reader.look_ahead()?;
            self.hand_on();
            let can_find = more && self.reader.is_on_the_sources_clock();
            if let Some((number, packet)) = self.reader.newest().filter(|(_, packet)| can_find && packet.is_key()) {
                keys.extend(EntryPacket::of(packet, 0).map(|place| (number, place)));
            }
            if more {
                continue;
            }
            if self.reader.doubt().is_some() {
                return Err(Error::unsupported(self.uncertain("its packets cannot be followed")));
            }
            self.reader.close_index();
            return Ok(self.reader.index().and_then(|index| index.certain()));
        }
    }

    fn uncertain(&self, otherwise: &str) -> String {
        let why = self.reader.doubt().unwrap_or(otherwise);
        format!("its packets do not say for certain which frames there are: {why}")
    }
}
