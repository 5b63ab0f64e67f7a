//! What the libav libraries that vramp runs with can do.

use ffmpeg_next as ffmpeg;
use ffmpeg_next::ffi;
use std::ffi::CString;

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

/// Whether the decoder called `name` can leave its work to a device of libav's type `device` ("cuda").
pub fn has_hardware_decoder(name: &str, device: &str) -> bool {
    let (Some(decoder), Ok(device)) = (ffmpeg::decoder::find_by_name(name), CString::new(device)) else { return false };
    // SAFETY: the name ends in a zero.
    let wanted = unsafe { ffi::av_hwdevice_find_type_by_name(device.as_ptr()) };
    // SAFETY: the decoder is libav's, which ends the list of its configurations with a null pointer.
    let config = |i| unsafe { ffi::avcodec_get_hw_config(decoder.as_ptr(), i).as_ref() };
    let known = wanted != ffi::AVHWDeviceType::AV_HWDEVICE_TYPE_NONE;
    known && (0..).map_while(config).any(|config| config.device_type == wanted)
}

/// Whether there is an encoder called `name`.
pub fn has_encoder(name: &str) -> bool {
    ffmpeg::encoder::find_by_name(name).is_some()
}
