//! Reading no more than what is wanted is made of. A decoder of many threads gives a frame when it has the packets of as many more, or when
//! no more follow.

use super::{Reader, stream};
use crate::error::Result;
use crate::io::libav::decode::decoder::Received;
use crate::io::libav::seek::frame_index::FrameIndex;
use ffmpeg::Packet;
use ffmpeg::format::stream::Stream;
use ffmpeg::frame::Video;
use ffmpeg_next as ffmpeg;

/// Follows packets to that of the last frame which is wanted.
pub(super) struct Wanted {
    index: FrameIndex,
    /// That frame's index, once it is known which frame the first packet gives.
    last: Option<u64>,
    /// Its packet was read, and those of all before it.
    is_read: bool,
}

impl Wanted {
    pub(super) fn take(&mut self, packet: &Packet) {
        self.index.take(packet);
    }

    fn look(&mut self) -> bool {
        while let Some(last) = self.last.filter(|_| !self.is_read)
            && let Some(certain) = self.index.certain()
        {
            self.is_read = certain.frame >= last;
            if self.is_read {
                log::debug!("decoding ends with frame {last}: nothing behind it is wanted");
            }
        }
        self.is_read
    }
}

impl Reader {
    /// Follows packets from the next on, for [`Reader::end_behind`]. Where they cannot be followed, the decoder reads on until it gives
    /// what is wanted; so does one on a GPU, which has few frames in flight.
    pub(in crate::io::libav) fn follow_wanted(&mut self) {
        let index = || FrameIndex::new(&stream(&self.demuxer, self.video)).ok();
        let index = self.decoder.is_software().then(index).flatten();
        self.wanted = index.map(|index| Wanted { index, last: None, is_read: false });
    }

    /// Has the decoder end when it has what frame `last` and those before it are made of. The first packet that was followed gives frame
    /// `first`, shown at `pts`.
    pub(in crate::io::libav) fn end_behind(&mut self, last: u64, first: u64, pts: i64) {
        if let Some(mut wanted) = self.wanted.take()
            && wanted.index.begin(pts, first)
        {
            self.wanted = Some(Wanted { last: Some(last), ..wanted });
        }
    }

    /// Whether the decoder has all that is wanted. What was lost is a reason to read on: other frames may be given then.
    pub(super) fn has_all_wanted(&mut self) -> bool {
        self.decoder.faults() == 0 && self.wanted.as_mut().is_some_and(Wanted::look)
    }

    /// Whether the decoder was ended before the source.
    pub(in crate::io::libav) fn ended_early(&self) -> bool {
        self.wanted.as_ref().is_some_and(|wanted| wanted.is_read)
    }

    /// The source's first frame, made of its first packet alone, for who goes on elsewhere. `None` where packets do not say that it is
    /// made of that: then nothing has been read yet.
    ///
    /// # Errors
    /// As [`Reader::frame`].
    pub(in crate::io::libav) fn lone_first_frame(&mut self) -> Result<Option<Video>> {
        let Some(packet) = self.video_packet()? else { return Ok(None) };
        let stream = stream(&self.demuxer, self.video);
        if self.decoder.is_software() && gives_the_first(&packet, &stream) {
            self.decoder.send(packet.clone(), &stream)?;
            self.decoder.end()?;
            let received = self.decoder.receive(&stream)?;
            self.decoder.jump(&stream, 0, None);
            match received {
                Received::Frame(frame) if frame.pts() == packet.pts() => return Ok(Some(frame)),
                _ => self.decoder.forget_damage(),
            }
        }
        self.ahead.push(packet);
        Ok(None)
    }
}

/// Whether the first frame of `stream` is that of its first packet.
fn gives_the_first(packet: &Packet, stream: &Stream) -> bool {
    let Ok(mut index) = FrameIndex::new(stream) else { return false };
    index.take(packet);
    packet.pts().is_some_and(|pts| index.begin(pts, 0))
}
