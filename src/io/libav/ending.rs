//! Whether a source ends where its format lets it: some demuxers pass an incomplete last piece by without a word.

use crate::io::libav::demux::Demuxer;
use ffmpeg::ffi;
use ffmpeg_next as ffmpeg;
use std::ffi::c_int;

/// `whence` of a seek that only asks where the reader is.
const SEEK_CUR: c_int = 1;

/// Bytes of a transport stream's packet that belong to the stream. Recorders put a clock before or a code behind them.
const TRANSPORT_PACKET: i64 = 188;

/// Follows where the packets of a source lie.
#[derive(Default)]
pub(super) struct Ending {
    /// Where the last packet began, and how long it was.
    last: Option<(i64, i64)>,
}

impl Ending {
    /// Notes a packet that was read.
    pub(super) fn packet(&mut self, packet: &ffmpeg::Packet) {
        let at = i64::try_from(packet.position()).ok().filter(|at| *at >= 0);
        let size = i64::try_from(packet.size()).unwrap_or(0);
        self.last = at.map(|at| (at, size)).or(self.last);
    }

    /// What is wrong with the end of `demuxer`, which has nothing more to give.
    pub(super) fn fault(&self, demuxer: &Demuxer) -> Option<&'static str> {
        let (at, size) = self.last?;
        match demuxer.format().name() {
            "yuv4mpegpipe" if end(demuxer)? > at + size => Some("its last frame is incomplete"),
            "mpegts" => {
                let over = (end(demuxer)? - at).rem_euclid(raw_packet_size(demuxer)?);
                (over != 0 && over != TRANSPORT_PACKET).then_some("its last packet is incomplete")
            }
            _ => None,
        }
    }
}

/// How many bytes of the source were read.
fn end(demuxer: &Demuxer) -> Option<i64> {
    // SAFETY: the demuxer is alive, and so is its file if it has one; nothing is moved.
    let position = unsafe {
        let file = (*demuxer.as_ptr()).pb;
        if file.is_null() { -1 } else { ffi::avio_seek(file, 0, SEEK_CUR) }
    };
    (position >= 0).then_some(position)
}

/// How far apart the packets of a transport stream are.
fn raw_packet_size(demuxer: &Demuxer) -> Option<i64> {
    let mut size = 0;
    // SAFETY: the demuxer is alive and only read; its options are searched by a name that ends with a zero.
    let code = unsafe {
        let object = demuxer.as_ptr().cast_mut().cast();
        ffi::av_opt_get_int(object, c"ts_packetsize".as_ptr(), ffi::AV_OPT_SEARCH_CHILDREN, &raw mut size)
    };
    (code >= 0 && size > 0).then_some(size)
}
