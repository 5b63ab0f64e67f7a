//! Sound: what becomes of each track, and tracks that are coded anew.

mod codec;
mod decoder;
mod encoder;
pub(in crate::io::libav) mod expected;
mod graph;
mod loudness;
pub(in crate::io::libav) mod request;
mod samples;
mod timeline;

use crate::error::{Error, Result};
use crate::io::libav::demux::streams::{CopiedPacket, CopiedStream};
use crate::io::libav::mux::header::HeaderContents;
use crate::io::libav::mux::stream_copy;
use crate::io::libav::recode::{Recode, Treatment};
use crate::video::Rational;
use codec::Codec;
use decoder::Decoder;
use encoder::Encoder;
use ffmpeg_next::Packet;
use ffmpeg_next::codec::Parameters;
use ffmpeg_next::ffi;
use ffmpeg_next::frame::Audio;
use graph::{FilterGraph, SampleForm};
use request::{SoundCoding, SoundOptions};
use samples::ChannelLayout;
use std::ffi::c_int;
use timeline::Timeline;

/// A track of the source.
struct SourceTrack<'a> {
    stream: &'a CopiedStream,
    /// "track 2 (ac3)"
    name: String,
    rate: c_int,
    layout: ChannelLayout,
}

impl SourceTrack<'_> {
    fn new(stream: &CopiedStream, number: usize) -> SourceTrack<'_> {
        let name = format!("track {number} of sound ({})", stream_copy::codec_name(&stream.parameters));
        // SAFETY: the parameters are alive.
        let (rate, layout) = unsafe {
            let raw = &*stream.parameters.as_ptr();
            (raw.sample_rate, ChannelLayout::copy(&raw.ch_layout))
        };
        SourceTrack { stream, name, rate, layout }
    }

    /// Refuses a track whose form is not known.
    fn check(&self) -> Result<()> {
        if self.rate <= 0 || self.layout.channels() <= 0 {
            return Err(Error::unsupported(format!("{}: it states no sampling rate or no channels", self.name)));
        }
        Ok(())
    }
}

/// What becomes of `stream`, track `number` of the sound, in an output of `contents`.
///
/// # Errors
/// When the container does not hold what was asked for by name, when there is no such encoder, when a track that is copied
/// should change, or when it cannot be decoded.
pub(in crate::io::libav) fn treatment(
    contents: HeaderContents<'_>,
    stream: &CopiedStream,
    number: usize,
) -> Result<Treatment> {
    let options = &contents.options.sound;
    let source = SourceTrack::new(stream, number);
    let mix = mix(&source, options)?;
    let changes = mix.is_some() || options.loudness.is_some();
    let held = || stream_copy::holds(contents, stream);
    let is_default = !options.rules.iter().any(|rule| rule.tracks.have(stream, number));
    match options.coding(stream, number) {
        SoundCoding::None => Ok(Treatment::LeaveOut),
        SoundCoding::Copy if changes => {
            let name = &source.name;
            Err(Error::bad_argument(format!("{name} is to be copied: loudness and channels change only in an encoder")))
        }
        SoundCoding::Copy if is_default => Ok(Treatment::Copy),
        SoundCoding::Copy => held()
            .map(|()| Treatment::Copy)
            .map_err(|reason| Error::unsupported(format!("{} cannot be copied: {reason}", source.name))),
        SoundCoding::Auto => match held() {
            Ok(()) if !changes => Ok(Treatment::Copy),
            held => auto(contents, source, mix, held.err()),
        },
        SoundCoding::Encode { codec, bitrate } => {
            let codec = Codec::named(codec, &stream.parameters)?;
            let sound = RecodedTrack::new(contents, &source, codec, *bitrate, mix)?;
            stream_copy::holds_recoded(contents, stream, &sound)
                .map_err(|reason| Error::unsupported(format!("{}: {reason}", codec.name())))?;
            log::info!("{}: encoded as {}", source.name, sound.describe());
            Ok(Treatment::Recode(Box::new(sound)))
        }
    }
}

/// Codes a track as suits the container, where that holds any sound. Says so, with the reason why it is not copied.
fn auto(
    contents: HeaderContents<'_>,
    source: SourceTrack<'_>,
    mix: Option<ChannelLayout>,
    reason: Option<String>,
) -> Result<Treatment> {
    let parameters = &source.stream.parameters;
    let sound = Codec::suiting(contents.choice.container, parameters)
        .and_then(|codec| RecodedTrack::new(contents, &source, codec, None, mix))
        .ok()
        .filter(|sound| stream_copy::holds_recoded(contents, source.stream, sound).is_ok());
    let Some(sound) = sound else { return Ok(Treatment::Copy) };
    match reason {
        Some(reason) => log::warn!("{}: {reason}; encoded as {}", source.name, sound.describe()),
        None => log::info!("{}: encoded as {}", source.name, sound.describe()),
    }
    Ok(Treatment::Recode(Box::new(sound)))
}

/// The channels that `source` is mixed to, if it has more.
fn mix(source: &SourceTrack<'_>, options: &SoundOptions) -> Result<Option<ChannelLayout>> {
    let Some(name) = &options.downmix else { return Ok(None) };
    let layout = ChannelLayout::named(name)
        .ok_or_else(|| Error::bad_argument(format!("'{name}' is no layout of channels: try mono, stereo or 5.1")))?;
    Ok(Some(layout).filter(|layout| layout.channels() < source.layout.channels()))
}

/// A track that is coded anew.
struct RecodedTrack {
    decoder: Decoder,
    timeline: Timeline,
    /// What the samples go through, in libav's words.
    filters: String,
    graph: Option<FilterGraph>,
    encoder: Encoder,
    /// Sound that is kept was met.
    fed: bool,
}

impl RecodedTrack {
    fn new(
        contents: HeaderContents<'_>,
        source: &SourceTrack<'_>,
        codec: Codec,
        bitrate: Option<i64>,
        mix: Option<ChannelLayout>,
    ) -> Result<RecodedTrack> {
        source.check()?;
        let options = &contents.options.sound;
        let stream = source.stream;
        let in_header = contents.choice.container.flags & ffi::AVFMT_GLOBALHEADER != 0;
        let layout = mix.as_ref().unwrap_or(&source.layout);
        let encoder = Encoder::new(codec, &stream.parameters, layout, bitrate, in_header)?;
        Ok(RecodedTrack {
            decoder: Decoder::new(&source.name, &stream.parameters, stream.timebase, options.strict)?,
            timeline: Timeline::new(stream.timebase, source.rate),
            filters: filters(contents, source, encoder.form())?,
            graph: None,
            encoder,
            fed: false,
        })
    }

    /// "libopus, 128 kb/s"
    fn describe(&self) -> String {
        let name = self.encoder.codec().name();
        match self.encoder.bitrate() {
            rate if rate > 0 && !codec::is_lossless_codec(self.encoder.codec().id()) => {
                format!("{name}, {} kb/s", rate / 1000)
            }
            _ => name.to_owned(),
        }
    }

    /// Encodes decoded frames.
    fn frames(&mut self, frames: Vec<Audio>, packets: &mut Vec<Packet>) -> Result<()> {
        for frame in frames {
            self.fit(&frame, packets)?;
            let (time, mut placed) = (decoder::time(&frame), Vec::new());
            self.timeline.place(frame, time, &mut placed)?;
            for frame in placed {
                self.filter(Some(frame), packets)?;
            }
        }
        Ok(())
    }

    /// Makes a graph for sound like `frame`'s, unless there is one.
    fn fit(&mut self, frame: &Audio, packets: &mut Vec<Packet>) -> Result<()> {
        let form = SampleForm::of(frame);
        if self.graph.as_ref().is_some_and(|graph| graph.input().is(&form)) {
            return Ok(());
        }
        self.filter(None, packets)?;
        self.timeline = self.timeline.at_rate(form.rate);
        self.graph = Some(FilterGraph::new(form, &self.filters)?);
        Ok(())
    }

    fn filter(&mut self, frame: Option<Audio>, packets: &mut Vec<Packet>) -> Result<()> {
        let Some(graph) = &mut self.graph else { return Ok(()) };
        self.fed |= frame.is_some();
        for frame in graph.filter(frame)? {
            packets.extend(self.encoder.encode(&frame)?);
        }
        Ok(())
    }
}

/// What `source` goes through before an encoder of `form`.
fn filters(contents: HeaderContents<'_>, source: &SourceTrack<'_>, form: &SampleForm) -> Result<String> {
    let last = form.filter();
    let Some(wanted) = contents.options.sound.loudness else { return Ok(last) };
    let mixed = format!("aresample=rematrix_maxval=1,aformat=channel_layouts={}", form.layout.name());
    let gain = match (wanted.two_pass, &contents.options.input) {
        (true, Some(path)) => {
            loudness::measure(path, source, &mixed, &contents.options.cancel)?.amplify(wanted, &source.name)
        }
        _ => loudness::as_it_goes(wanted),
    };
    Ok(format!("{mixed},{gain},{last}"))
}

impl Recode for RecodedTrack {
    fn parameters(&self) -> &Parameters {
        self.encoder.parameters()
    }

    fn timebase(&self) -> Rational {
        self.encoder.timebase()
    }

    fn packet(&mut self, packet: CopiedPacket) -> Result<Vec<Packet>> {
        self.timeline.keep(packet.kept);
        let (frames, mut packets) = (self.decoder.decode(Some(&packet.packet))?, Vec::new());
        self.frames(frames, &mut packets)?;
        Ok(packets)
    }

    fn finish(&mut self) -> Result<Vec<Packet>> {
        let (frames, mut packets) = (self.decoder.decode(None)?, Vec::new());
        self.frames(frames, &mut packets)?;
        self.filter(None, &mut packets)?;
        packets.extend(self.encoder.finish()?);
        Ok(packets)
    }

    fn cuts(&self) -> bool {
        true
    }

    fn is_pending(&self) -> bool {
        self.fed && !self.encoder.has_begun()
    }

    fn damage(&self) -> Option<Error> {
        self.decoder.damage()
    }
}
