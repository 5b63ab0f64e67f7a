//! How much sound an output will have, as far as that is known before any of it is coded.

use super::codec::{self, Codec};
use super::request::{SoundCoding, SoundOptions};
use super::samples::ChannelLayout;
use crate::io::libav::demux::streams::CopiedStream;
use crate::io::libav::encode::choose::EncoderChoice;
use crate::io::libav::mux::capacity;

/// What of a track will be written.
pub(in crate::io::libav) enum ExpectedSound {
    /// Nothing.
    Nothing,
    /// Its packets as they are.
    Copied,
    /// So many bits a second.
    Coded(u64),
    /// About so many, which depends on the sound: it is coded without a loss.
    Guessed(u64),
}

/// Hundredths of its samples' bits that lossless coding leaves of sound.
const LOSSLESS: u64 = 60;

/// Bits a second for each channel of lossy codecs that have a default of their own.
const LOSSY: u64 = 64_000;

/// What will be written of `stream`, which is track `number` of the sound.
pub(in crate::io::libav) fn expected(
    choice: &EncoderChoice,
    options: &SoundOptions,
    stream: &CopiedStream,
    number: usize,
) -> ExpectedSound {
    let parameters = &stream.parameters;
    let held = capacity::holds_codec(choice.container, parameters.id().into());
    // SAFETY: the parameters are alive.
    let (rate, channels) =
        unsafe { ((*parameters.as_ptr()).sample_rate, (*parameters.as_ptr()).ch_layout.nb_channels) };
    let mixed = options.downmix.as_deref().and_then(ChannelLayout::named).map(|layout| layout.channels());
    let mixed = mixed.filter(|mixed| *mixed < channels);
    let (codec, bitrate) = match options.coding(stream, number) {
        SoundCoding::None => return ExpectedSound::Nothing,
        SoundCoding::Copy if held => return ExpectedSound::Copied,
        SoundCoding::Copy => return ExpectedSound::Nothing,
        SoundCoding::Auto if held && mixed.is_none() && options.loudness.is_none() => return ExpectedSound::Copied,
        SoundCoding::Auto => (Codec::suiting(choice.container, parameters), None),
        SoundCoding::Encode { codec, bitrate } => (Codec::named(codec, parameters), *bitrate),
    };
    // What cannot be coded is refused when the output is made.
    let Ok(codec) = codec else { return ExpectedSound::Nothing };
    let channels = mixed.unwrap_or(channels);
    let positive = |number: i64| u64::try_from(number).unwrap_or(0);
    let samples =
        positive(rate.into()) * positive(channels.into()) * positive(codec::bits(parameters).clamp(16, 24).into());
    match positive(bitrate.unwrap_or_else(|| codec.bitrate(channels))) {
        _ if codec.is_pcm() => ExpectedSound::Coded(samples),
        _ if codec::is_lossless_codec(codec.id()) => ExpectedSound::Guessed(samples / 100 * LOSSLESS),
        0 => ExpectedSound::Coded(positive(channels.into()) * LOSSY),
        bitrate => ExpectedSound::Coded(bitrate),
    }
}
