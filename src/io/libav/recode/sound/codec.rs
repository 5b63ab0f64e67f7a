//! Encoders of sound: which one a name means, and what it is given.

use crate::error::{Error, Result};
use crate::io::libav::mux::capacity;
use crate::io::libav::recode::sound::samples::{self, ChannelLayout};
use crate::params::did_you_mean;
use ffmpeg_next::codec::Parameters;
use ffmpeg_next::ffi::{self, AVCodec, AVCodecID, AVMediaType, AVOutputFormat, AVSampleFormat};
use std::ffi::{CStr, CString, c_int};
use std::ptr;

/// Codecs whose own encoders in libav are experimental or worse than a library's.
const BETTER: [(&str, &str); 3] = [("opus", "libopus"), ("vorbis", "libvorbis"), ("mp3", "libmp3lame")];

/// Bits a second for each channel, where nothing is asked: transparent for nearly everybody and everything.
const BITRATES: [(AVCodecID, i64); 3] =
    [(AVCodecID::AV_CODEC_ID_OPUS, 80_000), (AVCodecID::AV_CODEC_ID_AAC, 96_000), (AVCodecID::AV_CODEC_ID_MP3, 96_000)];

/// Names that are offered for one that is not known.
const COMMON: [&str; 9] = ["opus", "aac", "flac", "alac", "mp3", "vorbis", "ac3", "eac3", "pcm"];

/// What suits the containers that do not say it themselves.
const SUITS: [(&[&str], &str); 3] = [
    (&["mp4", "mov", "ipod", "3gp", "3g2", "psp", "f4v", "ismv", "mpegts", "flv"], "aac"),
    (&["matroska", "webm", "ogg", "nut"], "opus"),
    (&["avi"], "mp3"),
];

/// Samples of this many bits and fewer are kept in 16.
const SHORT: c_int = 16;

/// An encoder of sound.
#[derive(Clone, Copy)]
pub(super) struct Codec(&'static AVCodec);

impl Codec {
    /// The encoder that `name` means: one of libav's, the best for a codec, or "pcm" as deep as `source` is.
    ///
    /// # Errors
    /// When there is none.
    pub(super) fn named(name: &str, source: &Parameters) -> Result<Codec> {
        let name = match name {
            "pcm" if bits(source) <= SHORT => "pcm_s16le",
            "pcm" => "pcm_s24le",
            name => BETTER.iter().find(|(codec, _)| *codec == name).map_or(name, |(_, better)| better),
        };
        let Ok(text) = CString::new(name) else { return Err(Error::bad_argument("a codec's name has a zero byte")) };
        // SAFETY: the name ends with a zero; descriptors and codecs are static.
        let found = unsafe {
            let encoder = ffi::avcodec_find_encoder_by_name(text.as_ptr());
            let descriptor = ffi::avcodec_descriptor_get_by_name(text.as_ptr()).as_ref();
            let known = descriptor.filter(|known| known.type_ == AVMediaType::AVMEDIA_TYPE_AUDIO);
            match (encoder.as_ref(), known) {
                (None, Some(known)) => {
                    let encoder = ffi::avcodec_find_encoder(known.id).as_ref();
                    Some(encoder.ok_or_else(|| Error::unsupported(format!("this libav has no encoder for {name}")))?)
                }
                (encoder, _) => encoder,
            }
        };
        match found {
            Some(found) if found.type_ == AVMediaType::AVMEDIA_TYPE_AUDIO => Ok(Codec(found)),
            Some(_) => Err(Error::bad_argument(format!("'{name}' does not code sound"))),
            None if BETTER.iter().any(|(_, better)| *better == name) => {
                Err(Error::unsupported(format!("this libav has no encoder {name}")))
            }
            None => {
                let hint = did_you_mean(name, COMMON.into_iter());
                Err(Error::bad_argument(format!("libav knows no sound codec '{name}'{hint}")))
            }
        }
    }

    /// What suits `container` for sound like `source`'s, where that cannot be copied.
    ///
    /// # Errors
    /// When this libav cannot encode it.
    pub(super) fn suiting(container: &'static AVOutputFormat, source: &Parameters) -> Result<Codec> {
        let name = capacity::name(container);
        if matches!(name, "matroska" | "nut") && is_lossless(source) {
            return Codec::named("flac", source);
        }
        match SUITS.iter().find(|(containers, _)| containers.contains(&name)) {
            Some((_, codec)) => Codec::named(codec, source),
            // SAFETY: codecs are static.
            None => unsafe { ffi::avcodec_find_encoder(container.audio_codec).as_ref() }
                .map(Codec)
                .ok_or_else(|| Error::unsupported(format!("no encoder of sound is known for {name}"))),
        }
    }

    pub(super) fn as_ptr(&self) -> *const AVCodec {
        self.0
    }

    /// Its name in libav.
    pub(super) fn name(&self) -> &'static str {
        // SAFETY: names are static texts.
        unsafe { CStr::from_ptr(self.0.name) }.to_str().unwrap_or("?")
    }

    /// What it codes to.
    pub(super) fn id(&self) -> AVCodecID {
        self.0.id
    }

    /// Whether it loses nothing.
    pub(super) fn is_lossless(&self) -> bool {
        is_lossless_codec(self.0.id)
    }

    /// Whether it stores samples as they are.
    pub(super) fn is_pcm(&self) -> bool {
        self.name().starts_with("pcm_")
    }

    /// Bits a second for `channels`, where nothing is asked; 0 leaves it to the encoder.
    pub(super) fn bitrate(&self, channels: c_int) -> i64 {
        BITRATES.iter().find(|(id, _)| *id == self.0.id).map_or(0, |(_, rate)| rate * i64::from(channels))
    }

    /// The sample format it takes that suits sound of `bits` bits a sample best.
    pub(super) fn sample_format(&self, bits: c_int) -> Option<AVSampleFormat> {
        use AVSampleFormat::*;
        let short = [AV_SAMPLE_FMT_S16, AV_SAMPLE_FMT_S16P];
        let long = [AV_SAMPLE_FMT_S32, AV_SAMPLE_FMT_S32P];
        let float = [AV_SAMPLE_FMT_FLTP, AV_SAMPLE_FMT_FLT, AV_SAMPLE_FMT_DBLP, AV_SAMPLE_FMT_DBL];
        let is_lossy = !is_lossless_codec(self.0.id);
        let order: Vec<_> = match (is_lossy, bits <= SHORT) {
            (true, _) => float.into_iter().chain(long).chain(short).collect(),
            (false, true) => short.into_iter().chain(long).chain(float).collect(),
            (false, false) => long.into_iter().chain(float).chain(short).collect(),
        };
        let taken = self.sample_formats();
        let unknown = [AV_SAMPLE_FMT_U8, AV_SAMPLE_FMT_S64];
        order.into_iter().chain(unknown).find(|format| taken.is_empty() || taken.contains(&(*format as c_int)))
    }

    fn sample_formats(&self) -> Vec<c_int> {
        // SAFETY: the list is static and ends with -1. It is read as numbers, since libav may have newer formats.
        unsafe { list(self.0.sample_fmts.cast::<c_int>(), |format| *format == -1) }
    }

    /// The bits that count of samples of `format`, for an encoder that stores no more; 0 where they are not counted.
    pub(super) fn raw_bits(&self, bits: c_int, format: AVSampleFormat) -> c_int {
        let long = matches!(format, AVSampleFormat::AV_SAMPLE_FMT_S32 | AVSampleFormat::AV_SAMPLE_FMT_S32P);
        if long && is_lossless_codec(self.0.id) { bits.clamp(SHORT + 1, 24) } else { 0 }
    }

    /// The sampling rate that is nearest to `rate` without losing anything, of those it takes.
    pub(super) fn rate(&self, rate: c_int) -> c_int {
        // SAFETY: the list is static and ends with 0.
        let taken = unsafe { list(self.0.supported_samplerates, |rate| *rate == 0) };
        if taken.is_empty() || taken.contains(&rate) {
            return rate;
        }
        let above = taken.iter().copied().filter(|taken| *taken > rate).min();
        above.or(taken.iter().copied().max()).unwrap_or(rate)
    }

    /// The layout it takes for `layout`.
    pub(super) fn layout(&self, layout: &ChannelLayout) -> ChannelLayout {
        // Surround channels are called "side" or "back" for the same speakers, and most players expect these codecs' own
        // word.
        let own_words = matches!(self.0.id, AVCodecID::AV_CODEC_ID_OPUS | AVCodecID::AV_CODEC_ID_AAC);
        let name = layout.name();
        if own_words && let Some(back) = name.strip_suffix("(side)").and_then(ChannelLayout::named) {
            return back;
        }
        // SAFETY: the list is static and ends with an empty layout; its entries are whole.
        unsafe {
            let taken = list(self.0.ch_layouts, |layout| layout.nb_channels == 0);
            let named: Vec<_> = taken.iter().map(|layout| ChannelLayout::copy(layout)).collect();
            if named.is_empty() || named.iter().any(|taken| taken.is(layout.as_ptr())) {
                return ChannelLayout::copy(layout.as_ptr());
            }
            let fitting = named.into_iter().filter(|taken| taken.channels() <= layout.channels());
            fitting.max_by_key(ChannelLayout::channels).unwrap_or_else(|| ChannelLayout::of_channels(layout.channels()))
        }
    }
}

/// The entries of one of libav's lists, which is null or has a last entry.
///
/// # Safety
/// As above.
unsafe fn list<T>(mut entry: *const T, is_last: impl Fn(&T) -> bool) -> Vec<T> {
    let mut entries = Vec::new();
    // SAFETY: by the caller. Entries are plain data of static lists.
    unsafe {
        while !entry.is_null() && !is_last(&*entry) {
            entries.push(ptr::read(entry));
            entry = entry.add(1);
        }
    }
    entries
}

/// The bits that count of a sample of `source`: 32 for sound that was coded with a loss, or in floats.
pub(super) fn bits(source: &Parameters) -> c_int {
    // SAFETY: the parameters are alive.
    let (id, format, raw, coded) = unsafe {
        let raw = &*source.as_ptr();
        (raw.codec_id, raw.format, raw.bits_per_raw_sample, ffi::av_get_exact_bits_per_sample(raw.codec_id))
    };
    if !is_lossless_codec(id) {
        return 32;
    }
    let known = [raw, coded].into_iter().find(|bits| *bits > 0);
    known.unwrap_or_else(|| match samples::format(format) {
        // SAFETY: libav only looks the format up.
        Some(format) => unsafe { ffi::av_get_bytes_per_sample(format) * 8 },
        None => 32,
    })
}

/// Whether sound is as it was recorded.
fn is_lossless(source: &Parameters) -> bool {
    // SAFETY: the parameters are alive.
    is_lossless_codec(unsafe { (*source.as_ptr()).codec_id })
}

/// Whether a codec gives back every sample.
pub(super) fn is_lossless_codec(id: AVCodecID) -> bool {
    // SAFETY: descriptors are static.
    let props = unsafe { ffi::avcodec_descriptor_get(id).as_ref() }.map_or(0, |descriptor| descriptor.props);
    let only = props & (ffi::AV_CODEC_PROP_LOSSLESS | ffi::AV_CODEC_PROP_LOSSY) as c_int;
    only == ffi::AV_CODEC_PROP_LOSSLESS as c_int
}
