//! Text subtitles in a codec that the container holds.

use super::cues::{Cue, OneAtATime};
use super::decoder::{Decoder, SubtitleKind};
use super::encoder::Encoder;
use super::request::{SubtitleChoice, TextCodec};
use crate::error::{Error, Kind, Result};
use crate::io::libav::demux::streams::{CopiedPacket, CopiedStream};
use crate::io::libav::mux::capacity;
use crate::io::libav::mux::header::HeaderContents;
use crate::io::libav::mux::stream_copy::codec_name;
use crate::io::libav::recode::{Recode, Treatment};
use crate::video::Rational;
use ffmpeg_next::Packet;
use ffmpeg_next::codec::Parameters;
use ffmpeg_next::ffi::AVCodecID;

impl TextCodec {
    fn id(self) -> AVCodecID {
        match self {
            TextCodec::Srt => AVCodecID::AV_CODEC_ID_SUBRIP,
            TextCodec::Ass => AVCodecID::AV_CODEC_ID_ASS,
            TextCodec::MovText => AVCodecID::AV_CODEC_ID_MOV_TEXT,
            TextCodec::WebVtt => AVCodecID::AV_CODEC_ID_WEBVTT,
        }
    }

    /// What `container` holds text as, if vramp knows.
    fn of(container: &str) -> Option<TextCodec> {
        match container {
            "webm" => Some(TextCodec::WebVtt),
            "matroska" => Some(TextCodec::Srt),
            _ if capacity::is_quicktime(container) => Some(TextCodec::MovText),
            _ => None,
        }
    }
}

/// What becomes of `stream`, which is number `number` of the subtitles, in an output of `contents`.
///
/// # Errors
/// When it cannot be what was asked for.
pub(in crate::io::libav) fn treatment(
    contents: HeaderContents<'_>,
    stream: &CopiedStream,
    number: usize,
) -> Result<Treatment> {
    // SAFETY: the parameters are alive.
    let codec = unsafe { (*stream.parameters.as_ptr()).codec_id };
    let container = contents.choice.container();
    let wanted = match contents.options.subtitles.choice(stream, number) {
        SubtitleChoice::None => return Ok(Treatment::LeaveOut),
        SubtitleChoice::Auto if !capacity::holds_codec(contents.choice.container, codec) => TextCodec::of(container),
        SubtitleChoice::Text(wanted) => Some(wanted),
        SubtitleChoice::Auto | SubtitleChoice::Copy => None,
    };
    let is_text = SubtitleKind::of(&stream.parameters) == Some(SubtitleKind::Text);
    let Some(wanted) = wanted.filter(|_| is_text) else { return Ok(Treatment::Copy) };
    if !capacity::holds_codec(contents.choice.container, wanted.id()) {
        return Err(Error::bad_argument(format!(
            "{container} does not hold the subtitles that --subtitles asks for: leave it out, or name another container"
        )));
    }
    if wanted.id() == codec {
        return Ok(Treatment::Copy);
    }
    Ok(Treatment::Recode(Box::new(Converted::new(stream, wanted)?)))
}

/// A stream that is converted to another codec: a packet of it is a packet of the other, with the same times.
struct Converted {
    name: String,
    decoder: Decoder,
    encoder: Encoder,
    parameters: Parameters,
    timebase: Rational,
    /// For containers that show one text at a time.
    apart: Option<OneAtATime>,
    lost: u64,
}

impl Converted {
    fn new(stream: &CopiedStream, to: TextCodec) -> Result<Converted> {
        let name = format!("stream {} (subtitle {})", stream.index, codec_name(&stream.parameters));
        let decoder = Decoder::open(&stream.parameters, stream.timebase).map_err(|e| e.context(&name))?;
        let encoder = Encoder::open(to.id(), decoder.header()).map_err(|e| e.context(&name))?;
        let parameters = encoder.parameters()?;
        let made = codec_name(&parameters);
        // SAFETY: the parameters are alive.
        let codec = unsafe { (*stream.parameters.as_ptr()).codec_id };
        if matches!(codec, AVCodecID::AV_CODEC_ID_ASS | AVCodecID::AV_CODEC_ID_SSA) {
            log::warn!(
                "{name} is converted to {made}: places, drawings and effects are lost (--burn-subtitles draws them)"
            );
        } else {
            log::info!("{name} is converted to {made}");
        }
        let apart = (to == TextCodec::MovText).then(OneAtATime::default);
        Ok(Converted { name, decoder, encoder, parameters, timebase: stream.timebase, apart, lost: 0 })
    }

    /// The cues of `packet`, with its times: where a part of the source is run, they are cut to it already.
    fn cues(&mut self, packet: &Packet) -> Vec<Cue> {
        let (Some(start), duration) = (packet.pts().or(packet.dts()), packet.duration()) else { return Vec::new() };
        match self.decoder.decode(packet) {
            Ok(Some(shown)) => {
                let end = start + duration;
                shown
                    .lines()
                    .map(|line| Cue { start, end, line: line.to_owned() })
                    .filter(|cue| !cue.is_drawing())
                    .collect()
            }
            Ok(None) => Vec::new(),
            Err(_) => {
                self.lost += 1;
                Vec::new()
            }
        }
    }

    fn encode(&mut self, cues: Vec<Cue>) -> Vec<Packet> {
        let mut packets = Vec::new();
        for Cue { start, end, line } in cues {
            match self.encoder.encode(&line) {
                Ok([]) => {}
                Ok(bytes) => {
                    let mut packet = Packet::copy(bytes);
                    packet.set_pts(Some(start));
                    packet.set_dts(Some(start));
                    packet.set_duration(end - start);
                    packet.set_flags(ffmpeg_next::packet::Flags::KEY);
                    packets.push(packet);
                }
                Err(_) => self.lost += 1,
            }
        }
        packets
    }
}

impl Recode for Converted {
    fn parameters(&self) -> &Parameters {
        &self.parameters
    }

    fn timebase(&self) -> Rational {
        self.timebase
    }

    fn packet(&mut self, packet: CopiedPacket) -> Result<Vec<Packet>> {
        let mut cues = self.cues(&packet.packet);
        if let Some(apart) = &mut self.apart {
            cues = cues.into_iter().flat_map(|cue| apart.take(cue)).collect();
        }
        Ok(self.encode(cues))
    }

    fn finish(&mut self) -> Result<Vec<Packet>> {
        let rest = self.apart.as_mut().map(OneAtATime::finish).unwrap_or_default();
        Ok(self.encode(rest))
    }

    fn cuts(&self) -> bool {
        false
    }

    fn is_pending(&self) -> bool {
        false
    }

    fn damage(&self) -> Option<Error> {
        let (name, lost) = (&self.name, self.lost);
        let noun = if lost == 1 { "subtitle" } else { "subtitles" };
        (lost > 0).then(|| Error::new(Kind::Incomplete, format!("{name}: {lost} {noun} could not be converted")))
    }
}
