//! Whether a source ends where its format lets it: some demuxers pass an incomplete last piece by without a word.

use crate::io::libav::demux::demuxer::Demuxer;
use bytes::Bytes;
use ffmpeg::ffi;
use ffmpeg_next as ffmpeg;

pub(in crate::io::libav::demux) mod bytes;
mod stated;

/// Bytes of a transport stream's packet that belong to the stream. Recorders put a clock before or a code behind them.
const TRANSPORT_PACKET: i64 = 188;

/// Follows where the packets of a source lie.
#[derive(Default)]
pub(in crate::io::libav) struct Ending {
    /// Where the last packet began, and how long it was.
    last: Option<(i64, i64)>,
}

impl Ending {
    /// Notes a packet that was read.
    pub(in crate::io::libav) fn packet(&mut self, packet: &ffmpeg::Packet) {
        let at = i64::try_from(packet.position()).ok().filter(|at| *at >= 0);
        let size = i64::try_from(packet.size()).unwrap_or(0);
        self.last = at.map(|at| (at, size)).or(self.last);
    }

    /// What is wrong with the end of `demuxer`, which has nothing more to give.
    pub(in crate::io::libav) fn fault(&self, demuxer: &Demuxer) -> Option<String> {
        self.unfinished(demuxer).or_else(|| {
            let bytes = Bytes::of(demuxer)?;
            stated::fault(demuxer.format().name(), &bytes, self.last.map_or(0, |(at, _)| at))
        })
    }

    /// What is damaged inside of `demuxer`'s source, as far as its format shows it apart from what was read.
    pub(in crate::io::libav) fn hole(demuxer: &Demuxer) -> Option<String> {
        stated::hole(demuxer.format().name(), &Bytes::of(demuxer)?)
    }

    /// A last piece that is incomplete, as far as the last packet and the place where reading stopped show it.
    fn unfinished(&self, demuxer: &Demuxer) -> Option<String> {
        let (at, size) = self.last?;
        let fault = match demuxer.format().name() {
            "yuv4mpegpipe" if bytes::read(demuxer)? > at + size => Some("its last frame is incomplete"),
            "mpegts" => {
                let over = (bytes::read(demuxer)? - at).rem_euclid(raw_packet_size(demuxer)?);
                (over != 0 && over != TRANSPORT_PACKET).then_some("its last packet is incomplete")
            }
            // What breaks off in a frame gives as much of it as there is. Behind a whole one an index follows, if not a frame.
            "nut" if bytes::read(demuxer)? <= at + size => {
                Some("its last frame is incomplete, or its index is missing")
            }
            _ => None,
        };
        fault.map(str::to_owned)
    }
}

/// Looks for the end of a source, for the fuzzer. The first byte of `bytes` chooses the format, and the others are the file.
#[cfg(any(test, fuzzing))]
pub(crate) fn fuzz_ending(bytes: &[u8]) {
    let Some((format, file)) = bytes.split_first() else { return };
    let name = stated::FORMATS[usize::from(*format) % stated::FORMATS.len()];
    Bytes::with_file(file, |bytes| {
        let _ = (stated::fault(name, bytes, 0), stated::hole(name, bytes));
    });
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
