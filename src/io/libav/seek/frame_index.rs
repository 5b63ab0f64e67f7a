//! Which frames a decoder would give, derived from packets alone, so that those before a part need not be decoded.

use crate::error::Result;
use crate::io::libav::seek::access::{self, Access, PacketParser, Reason};
use ffmpeg::Packet;
use ffmpeg::ffi;
use ffmpeg::format::stream::Stream;
use ffmpeg::packet::{Mut, Ref};
use ffmpeg_next as ffmpeg;
use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};
use std::ptr;

/// Side data by which a container changes what the decoder was given at the start.
const CHANGES: [ffi::AVPacketSideDataType; 3] = [
    ffi::AVPacketSideDataType::AV_PKT_DATA_PALETTE,
    ffi::AVPacketSideDataType::AV_PKT_DATA_NEW_EXTRADATA,
    ffi::AVPacketSideDataType::AV_PKT_DATA_PARAM_CHANGE,
];

const NO_TIMES: Reason = "its packets have no times";

/// Follows the packets of a video from its first on: an index that forgets what lies behind.
///
/// A decoder gives one frame for each packet that shows one, in order of presentation. So a frame's index is the number
/// of such packets whose times are earlier, and it is certain as soon as none of those can follow. It counts from the
/// origin, the first frame at which decoding can begin: what packets before that decode to, only a decoder can know.
/// Whatever makes the index doubtful ends it; what it had before still holds.
pub(in crate::io::libav) struct FrameIndex {
    parser: Box<dyn PacketParser>,
    /// Frames that the decoder holds back to bring them in order.
    delay: usize,
    /// Packets met.
    packets: u64,
    /// Frames that are not certain yet.
    pending: BinaryHeap<Reverse<Pending>>,
    /// The place of the next certain frame.
    next_frame: u64,
    /// Frames before the one that is looked for that are wanted too.
    lead: u64,
    /// Where decoding would begin, the times of the certain frames from there on, and the last frame with an access.
    landing: EntryPoint,
    times: VecDeque<i64>,
    /// Where decoding could begin, but for the frames before that are wanted too.
    later: VecDeque<EntryPoint>,
    last_access: EntryPoint,
    /// The origin's time.
    origin: Option<i64>,
    highest_pts: Option<i64>,
    last_dts: Option<i64>,
    /// No packet follows.
    ended: bool,
    reason: Option<Reason>,
}

/// A frame that waits for its turn; they are ordered by time.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Pending {
    pts: i64,
    packet: u64,
    access: Access,
}

/// Where decoding can begin.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(in crate::io::libav) struct EntryPoint {
    /// The packet's number in decoding order.
    pub(in crate::io::libav) packet: u64,
    /// The frame's absolute index.
    pub(in crate::io::libav) frame: u64,
}

/// Where to begin decoding, and what to expect there.
pub(in crate::io::libav) struct Landing {
    pub(in crate::io::libav) point: EntryPoint,
    /// The times of the frames that must be decoded, as far as they are certain.
    pub(in crate::io::libav) times: VecDeque<i64>,
    /// Why no later place was looked for, if something prevented it.
    pub(in crate::io::libav) reason: Option<Reason>,
}

/// A frame whose place is certain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::io::libav) struct Certain {
    pub(in crate::io::libav) frame: u64,
    pub(in crate::io::libav) pts: i64,
    /// The number of its packet in decoding order.
    pub(in crate::io::libav) packet: u64,
    /// Where decoding begins for this frame to be the first that is decoded, if it can be.
    pub(in crate::io::libav) access: Option<EntryPoint>,
}

impl FrameIndex {
    /// An index over `stream` from its first packet on.
    ///
    /// # Errors
    /// Why no place but the start will do.
    pub(in crate::io::libav) fn new(stream: &Stream) -> Result<FrameIndex> {
        let parameters = stream.parameters();
        // SAFETY: the parameters are alive.
        let delay = unsafe { (*parameters.as_ptr()).video_delay };
        Ok(FrameIndex {
            parser: access::parser_of(&parameters)?,
            delay: usize::try_from(delay).unwrap_or(0),
            packets: 0,
            pending: BinaryHeap::new(),
            next_frame: 0,
            lead: 0,
            landing: EntryPoint::default(),
            times: VecDeque::new(),
            later: VecDeque::new(),
            last_access: EntryPoint::default(),
            origin: None,
            highest_pts: None,
            last_dts: None,
            ended: false,
            reason: None,
        })
    }

    /// Has decoding begin so early that `frames` before the one that is looked for are decoded as well.
    pub(in crate::io::libav) fn lead_by(&mut self, frames: u32) {
        self.lead = frames.into();
    }

    /// Frames whose place is certain.
    pub(in crate::io::libav) fn frames(&self) -> u64 {
        self.next_frame
    }

    /// Where decoding would begin.
    pub(in crate::io::libav) fn landing(&self) -> EntryPoint {
        self.landing
    }

    /// Meets the next packet.
    pub(in crate::io::libav) fn take(&mut self, packet: &Packet) {
        if self.is_sure() {
            self.judge(packet).unwrap_or_else(|reason| self.end(reason));
        }
        self.packets += 1;
    }

    /// Ends the index for a reason.
    pub(in crate::io::libav) fn end(&mut self, reason: Reason) {
        self.reason.get_or_insert(reason);
        self.pending.clear();
    }

    /// Notes that the demuxer lost synchronisation before the next packet.
    pub(in crate::io::libav) fn gap(&mut self) {
        if self.origin.is_some() {
            self.end("the container is damaged");
        }
    }

    /// Notes that no packet follows, so that every frame is certain.
    pub(in crate::io::libav) fn close(&mut self) {
        self.ended = true;
    }

    /// Packets met.
    pub(in crate::io::libav) fn packets(&self) -> u64 {
        self.packets
    }

    /// Why it goes on no more.
    pub(in crate::io::libav) fn reason(&self) -> Option<Reason> {
        self.reason
    }

    /// Whether it goes on.
    pub(in crate::io::libav) fn is_sure(&self) -> bool {
        self.reason.is_none()
    }

    fn judge(&mut self, packet: &Packet) -> Result<(), Reason> {
        let unit = self.parser.parse(packet.data().unwrap_or_default());
        if self.origin.is_none() {
            let is_access = unit.is_ok_and(|unit| unit.shown && unit.access != Access::None);
            if !is_access || !can_begin(packet) {
                return Ok(());
            }
            self.origin = Some(packet.pts().ok_or(NO_TIMES)?);
            self.land(EntryPoint { packet: self.packets, frame: 0 });
            self.last_access = self.landing;
        }
        if packet.is_corrupt() {
            return Err("a packet is marked as damaged");
        }
        if changes_decoder(packet) {
            return Err("the container changes what the decoder must know");
        }
        let mut unit = unit?;
        let pts = packet.pts().ok_or(NO_TIMES)?;
        self.judge_dts(packet.dts(), pts)?;
        // Some MXF has but one time a packet. Decoders then show frames at others.
        if unit.early && packet.dts() == Some(pts) && Some(pts) > self.highest_pts {
            return Err("its times are those of decoding, and its frames are shown in another order");
        }
        if self.pending.iter().filter(|Reverse(earlier)| earlier.pts > pts).count() > self.delay {
            return Err("its frames are further out of order than the decoder knows");
        }
        // What is decoded before a frame where decoding can begin is shown before it, and the decoder's clock starts
        // there.
        let is_next = packet.dts().is_some() && Some(pts) > self.highest_pts;
        if !can_begin(packet) || !is_next {
            unit.access = Access::None;
        }
        self.highest_pts = self.highest_pts.max(Some(pts));
        if unit.shown && !is_discarded(packet) && Some(pts) >= self.origin {
            self.pending.push(Reverse(Pending { pts, packet: self.packets, access: unit.access }));
        }
        Ok(())
    }

    fn judge_dts(&mut self, dts: Option<i64>, pts: i64) -> Result<(), Reason> {
        let dts = dts.or(self.last_dts);
        if dts > Some(pts) || dts < self.last_dts {
            return Err("its times run backwards");
        }
        self.last_dts = dts;
        Ok(())
    }

    /// Learns that frame `frame` was decoded with time `pts`. True when that is the origin's, so that it can begin to count.
    pub(in crate::io::libav) fn begin(&mut self, pts: i64, frame: u64) -> bool {
        if self.origin != Some(pts) {
            return false;
        }
        self.next_frame = frame;
        (self.landing.frame, self.last_access.frame) = (frame, frame);
        true
    }

    /// The next frame, once its place is certain.
    pub(in crate::io::libav) fn certain(&mut self) -> Option<Certain> {
        let Reverse(first) = self.pending.peek()?;
        // No packet that follows is shown before its decoding time, and no decoder waits longer than for its delay.
        let none_follows = self.pending.len() > self.delay && self.last_dts.is_some_and(|dts| dts >= first.pts);
        let is_certain = none_follows || self.ended;
        let Reverse(Pending { pts, packet, access }) = if is_certain { self.pending.pop()? } else { return None };
        if self.times.back().is_some_and(|last| pts <= *last) {
            self.end("its frames are out of order");
            return None;
        }
        let point = EntryPoint { packet, frame: self.next_frame };
        self.next_frame += 1;
        self.times.push_back(pts);
        let access = match access {
            Access::Clean => Some(point),
            Access::Open => Some(self.last_access),
            Access::None => None,
        };
        if let Some(begins) = access {
            self.later.push_back(begins);
            self.last_access = point;
        }
        while let Some(at) = self.later.front().copied().filter(|at| at.frame + self.lead <= point.frame) {
            self.land(at);
            self.later.pop_front();
        }
        Some(Certain { frame: point.frame, pts, packet, access })
    }

    /// Has decoding begin at `point`.
    fn land(&mut self, point: EntryPoint) {
        self.times.drain(..(point.frame - self.landing.frame) as usize);
        self.landing = point;
    }

    /// What was found.
    pub(in crate::io::libav) fn finish(self) -> Landing {
        Landing { point: self.landing, times: self.times, reason: self.reason }
    }
}

/// Whether a container gives the decoder new parameters along with `packet`.
fn changes_decoder(packet: &Packet) -> bool {
    // SAFETY: the packet is alive and only read; its size is not asked for.
    CHANGES
        .iter()
        .any(|kind| unsafe { !ffi::av_packet_get_side_data(packet.as_ptr(), *kind, ptr::null_mut()).is_null() })
}

/// Whether the container lets decoding begin at `packet`.
fn can_begin(packet: &Packet) -> bool {
    packet.is_key() && !is_discarded(packet)
}

/// Whether what `packet` holds is not shown or heard: an edit list leaves it out. ffmpeg-next has no name for the flag, and drops it.
pub(in crate::io::libav) fn is_discarded(packet: &Packet) -> bool {
    // SAFETY: the packet is alive.
    unsafe { (*packet.as_ptr()).flags & ffi::AV_PKT_FLAG_DISCARD != 0 }
}

/// Has what `packet` holds not be shown or heard.
pub(in crate::io::libav) fn discard(packet: &mut Packet) {
    // SAFETY: the packet is ours.
    unsafe { (*packet.as_mut_ptr()).flags |= ffi::AV_PKT_FLAG_DISCARD };
}
