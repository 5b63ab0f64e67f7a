//! Going on at a packet of which it is known where it lies, without reading what is before it.

use super::{Ahead, Clock, Ending, PacketHashes, Reader, Tail, stream};
use crate::error::Result;
use crate::io::libav::demux::demuxer;
use ffmpeg::Packet;
use ffmpeg::ffi;
use ffmpeg_next as ffmpeg;
use twox_hash::XxHash3_128;

/// So many packets of the video may lie between where a container's index leads and the packet that is looked for.
const MOST_PACKETS: usize = 1000;

/// The packet of a frame at which decoding can begin.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EntryPacket {
    /// The frame's index.
    pub frame: u64,
    /// When it is shown, and decoded where that is stated, in the stream's timebase.
    pub pts: i64,
    /// When it is decoded.
    pub dts: Option<i64>,
    /// The byte that it begins at, where the container states it.
    pub byte: Option<i64>,
    /// XXH3 of 128 bits of its bytes.
    pub hash: u128,
}

impl EntryPacket {
    /// The place of `packet`, of which frame `frame` comes.
    pub(in crate::io::libav) fn of(packet: &Packet, frame: u64) -> Option<EntryPacket> {
        let byte = i64::try_from(packet.position()).ok().filter(|byte| *byte >= 0);
        Some(EntryPacket { frame, pts: packet.pts()?, dts: packet.dts(), byte, hash: hash(packet) })
    }
}

/// XXH3 of 128 bits of the bytes of `packet`, with a start code of three: the parser of HEVC leaves a zero before that to the packet before,
/// if it read one.
pub(super) fn hash(packet: &Packet) -> u128 {
    let bytes = packet.data().unwrap_or_default();
    let shorter = bytes.strip_prefix(&[0]).filter(|rest| rest.starts_with(&[0, 0, 1]));
    XxHash3_128::oneshot(shorter.unwrap_or(bytes))
}

impl Reader {
    /// Goes on at `place`. False when another packet lies there: then nothing can be read before the source is opened again.
    ///
    /// # Errors
    /// As [`Reader::frame`].
    pub(in crate::io::libav) fn go_to(&mut self, place: &EntryPacket) -> Result<bool> {
        if !self.jump_to(place) {
            return Ok(false);
        }
        (self.ended, self.index, self.ending, self.jump) = (false, None, Ending::default(), None);
        (self.tail, self.wanted) = (Tail::default(), None);
        self.clock = Clock::new(&self.demuxer, self.video);
        for _ in 0..MOST_PACKETS {
            let Some(packet) = self.video_packet()? else { return Ok(false) };
            if packet.pts() == Some(place.pts) && hash(&packet) == place.hash {
                self.follow_wanted();
                self.wanted.iter_mut().for_each(|wanted| wanted.take(&packet));
                self.ahead = Ahead::default();
                self.ahead.push(packet);
                // What was read before is read again, or lies elsewhere.
                self.hashes.iter_mut().for_each(PacketHashes::keep_last);
                self.decoder.jump(&stream(&self.demuxer, self.video), place.frame, Some(place.pts));
                // What was lost so far is of the film's first frame, or lies before the place.
                self.decoder.forget_damage();
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Has the demuxer go to `place`, or before it.
    fn jump_to(&mut self, place: &EntryPacket) -> bool {
        let video = i32::try_from(self.video).unwrap_or(-1);
        let name = self.demuxer.format().name().to_owned();
        // SAFETY: the demuxer is alive, and has a stream of this index.
        let code = unsafe {
            let context = self.demuxer.as_mut_ptr();
            match place.byte {
                // A transport stream has no index, but begins afresh at any packet.
                Some(byte) if name == "mpegts" => ffi::av_seek_frame(context, video, byte, ffi::AVSEEK_FLAG_BYTE),
                _ => {
                    // Indices have times of decoding, but these demuxers take times of presentation.
                    let by_pts = ["matroska", "mov"].iter().any(|word| name.contains(word));
                    let time = place.dts.filter(|_| !by_pts).unwrap_or(place.pts);
                    ffi::av_seek_frame(context, video, time, ffi::AVSEEK_FLAG_BACKWARD)
                }
            }
        };
        code >= 0
    }

    /// Bytes that were read of the file, since it was opened the last time.
    pub(in crate::io::libav) fn bytes_read(&self) -> u64 {
        demuxer::bytes_read(&self.demuxer)
    }
}
