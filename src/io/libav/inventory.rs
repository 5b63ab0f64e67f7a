//! What the libav libraries that vramp runs with can do.

use ffmpeg_next as ffmpeg;

/// The libraries and their versions.
pub fn versions() -> Vec<(&'static str, String)> {
    let libraries = [
        ("libavcodec", ffmpeg::codec::version()),
        ("libavformat", ffmpeg::format::version()),
        ("libavutil", ffmpeg::util::version()),
        ("libswscale", ffmpeg::software::scaling::version()),
    ];
    // libav packs major, minor and micro into one number.
    libraries.into_iter().map(|(name, v)| (name, format!("{}.{}.{}", v >> 16, v >> 8 & 0xff, v & 0xff))).collect()
}

/// Whether there is a decoder called `name`.
pub fn has_decoder(name: &str) -> bool {
    ffmpeg::decoder::find_by_name(name).is_some()
}

/// Whether there is an encoder called `name`.
pub fn has_encoder(name: &str) -> bool {
    ffmpeg::encoder::find_by_name(name).is_some()
}
