//! What is known of a stream while its packets are read, and when each of them is shown.

use crate::io::libav::demux::streams;
use crate::io::libav::demux::trim::{PacketTimes, PcmSamples};
use crate::io::libav::seek::window::{microseconds_to_ticks, ticks_to_microseconds};
use crate::video::Rational;
use ffmpeg::Packet;
use ffmpeg::codec::Parameters;
use ffmpeg::ffi;
use ffmpeg::format::stream::Stream;
use ffmpeg_next as ffmpeg;

/// What a packet of sound that does not say how long it lasts is taken for, in microseconds: more than common codecs have.
const UNKNOWN_DURATION: i64 = 120_000;

/// A stream of a source.
pub(in crate::io::libav) struct Known {
    pub(in crate::io::libav) timebase: Rational,
    /// Its packets are kept.
    pub(in crate::io::libav) copied: bool,
    /// A picture that belongs to the whole source (cover art).
    pub(in crate::io::libav) still: bool,
    /// Its packets are shown for as long as they say, and can begin later.
    lasts: bool,
    /// The parameters of PCM, whose packets can begin at any sample.
    pcm: Option<Parameters>,
    /// Its packets are decoded, so that they can begin and end anywhere.
    pub(in crate::io::libav) decoded: bool,
    /// The output's container skips what of its sound is before the window.
    pub(in crate::io::libav) skipped: bool,
    /// How much later it is, in microseconds.
    pub(in crate::io::libav) delay: i64,
    /// The time of its last packet, for those that state none.
    pub(in crate::io::libav) time: i64,
}

impl Known {
    /// `stream`, whose packets are kept if it is `copied`.
    pub(in crate::io::libav) fn new(stream: &Stream, copied: bool) -> Known {
        Known {
            timebase: stream.time_base().into(),
            copied,
            still: streams::is_still(stream),
            lasts: stream.parameters().medium() == ffmpeg::media::Type::Subtitle,
            pcm: Some(stream.parameters().clone()).filter(is_pcm),
            decoded: false,
            skipped: false,
            delay: 0,
            time: 0,
        }
    }

    /// Moves `packet` by the stream's delay, and gives [`Known::span`] of it.
    pub(in crate::io::libav) fn shown(&mut self, packet: &mut Packet, origin: i64) -> Option<PacketTimes> {
        let delay = microseconds_to_ticks(self.delay, self.timebase);
        packet.set_pts(packet.pts().map(|pts| pts + delay));
        packet.set_dts(packet.dts().map(|dts| dts + delay));
        self.span(packet, origin)
    }

    /// When `packet` is shown, in microseconds from `origin`: at its stream's last time when it states none. Nothing when
    /// it belongs to the whole source.
    pub(in crate::io::libav) fn span(&mut self, packet: &Packet, origin: i64) -> Option<PacketTimes> {
        if self.still {
            return None;
        }
        let time = packet.pts().or(packet.dts());
        let time = time.map(|ticks| ticks_to_microseconds(ticks, self.timebase).saturating_sub(origin));
        self.time = time.unwrap_or(self.time);
        let samples = self.pcm.as_ref().filter(|_| !self.decoded).and_then(|pcm| samples(pcm, packet.size()));
        let duration = match ticks_to_microseconds(packet.duration(), self.timebase) {
            0 if self.decoded => UNKNOWN_DURATION,
            duration if self.lasts || self.decoded || self.skipped || samples.is_some() => duration,
            _ => 0,
        };
        Some(PacketTimes {
            time: self.time,
            until: self.time.saturating_add(duration),
            unit: self.timebase,
            samples,
            decoded: self.decoded,
            skipped: self.skipped && samples.is_none(),
            moved: self.delay < 0,
        })
    }
}

/// Whether sound is PCM whose channels lie beside each other.
fn is_pcm(parameters: &Parameters) -> bool {
    let name = parameters.id().name();
    name.starts_with("pcm_") && !name.ends_with("_planar")
}

/// The samples of a packet of `bytes` bytes of PCM; `None` where a packet is more than its samples.
fn samples(pcm: &Parameters, bytes: usize) -> Option<PcmSamples> {
    // SAFETY: the parameters are alive, and libav only reads them.
    let (count, rate) = unsafe {
        let raw = pcm.as_ptr().cast_mut();
        (ffi::av_get_audio_frame_duration2(raw, i32::try_from(bytes).ok()?), (*raw).sample_rate)
    };
    let count = usize::try_from(count).ok().filter(|count| *count > 0)?;
    (bytes > 0 && bytes.is_multiple_of(count) && rate > 0).then(|| PcmSamples { bytes: bytes / count, rate })
}
