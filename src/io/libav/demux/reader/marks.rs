//! The marks that demuxers put on packets: damage, and the joints of transport streams.

use super::Reader;
use crate::error::Result;
use ffmpeg::Packet;
use ffmpeg_next as ffmpeg;

/// A jump is reported up to this many packets before the first one after it: one waits in the demuxer, one in the parser.
const JUMP_TOLD_EARLY: u8 = 2;

impl Reader {
    /// Counts what the demuxer's mark on a packet of the video says. In a transport stream the mark means that the
    /// sequence jumps, which it does at every joint between recordings too: there, a picture that starts afresh follows.
    pub(super) fn note_marks(&mut self, packet: &Packet) -> Result<()> {
        match self.jump {
            Some(_) if packet.is_key() => {
                self.jump = None;
                self.say_joint();
            }
            Some(0) => self.note_loss()?,
            Some(left) => self.jump = Some(left - 1),
            None => {}
        }
        if !packet.is_corrupt() {
            return Ok(());
        }
        if !matches!(self.demuxer.format().name(), "mpegts" | "hls") {
            return self.decoder.gap("a packet is incomplete");
        }
        self.jump.get_or_insert(JUMP_TOLD_EARLY - 1);
        Ok(())
    }

    /// `packet` with a time on the film's clock, unless it waits. Says once that the source's clock jumped.
    pub(super) fn on_clock(&mut self, packet: Packet) -> Option<Packet> {
        let packet = self.clock.take(packet);
        if let Some(seconds) = self.clock.take_jump()
            && !std::mem::replace(&mut self.joint_said, true)
        {
            let frame = self.decoder.frames();
            log::warn!(
                "the source's clock jumps by {seconds:+.3} s near frame {frame}, as where recordings were joined: times go on"
            );
        }
        packet
    }

    fn say_joint(&mut self) {
        if !std::mem::replace(&mut self.joint_said, true) {
            let frame = self.decoder.frames();
            log::warn!("the transport stream jumps near frame {frame}: a joint between recordings, or lost data");
        }
    }

    /// Counts a jump that no picture which starts afresh followed.
    pub(super) fn note_loss(&mut self) -> Result<()> {
        match self.jump.take() {
            Some(_) => self.decoder.gap("packets of the transport stream are lost"),
            None => Ok(()),
        }
    }
}
