//! What containers can hold, as far as is known before anything is written.

use crate::error::Result;
use crate::io::libav::encode::setup::rational;
use crate::io::libav::mux::context::Context;
use crate::video::Rational;
use ffmpeg_next::ffi::{self, AVCodecID, AVMediaType, AVOutputFormat, AVPixelFormat};
use std::ffi::{CStr, c_int};

/// Containers of the QuickTime family, which write what they know at their end.
const QUICKTIME: [&str; 8] = ["mp4", "mov", "ipod", "3gp", "3g2", "psp", "f4v", "ismv"];

/// Codecs that readers find in a transport stream. libav's muxer takes every other one too, as bytes without a name.
const IN_TRANSPORT_STREAMS: [AVCodecID; 27] = [
    AVCodecID::AV_CODEC_ID_MPEG1VIDEO,
    AVCodecID::AV_CODEC_ID_MPEG2VIDEO,
    AVCodecID::AV_CODEC_ID_MPEG4,
    AVCodecID::AV_CODEC_ID_H264,
    AVCodecID::AV_CODEC_ID_HEVC,
    AVCodecID::AV_CODEC_ID_CAVS,
    AVCodecID::AV_CODEC_ID_AVS2,
    AVCodecID::AV_CODEC_ID_AVS3,
    AVCodecID::AV_CODEC_ID_DIRAC,
    AVCodecID::AV_CODEC_ID_VC1,
    AVCodecID::AV_CODEC_ID_JPEG2000,
    AVCodecID::AV_CODEC_ID_MP1,
    AVCodecID::AV_CODEC_ID_MP2,
    AVCodecID::AV_CODEC_ID_MP3,
    AVCodecID::AV_CODEC_ID_AAC,
    AVCodecID::AV_CODEC_ID_AAC_LATM,
    AVCodecID::AV_CODEC_ID_AC3,
    AVCodecID::AV_CODEC_ID_EAC3,
    AVCodecID::AV_CODEC_ID_DTS,
    AVCodecID::AV_CODEC_ID_TRUEHD,
    AVCodecID::AV_CODEC_ID_OPUS,
    AVCodecID::AV_CODEC_ID_S302M,
    AVCodecID::AV_CODEC_ID_DVB_SUBTITLE,
    AVCodecID::AV_CODEC_ID_DVB_TELETEXT,
    AVCodecID::AV_CODEC_ID_HDMV_PGS_SUBTITLE,
    AVCodecID::AV_CODEC_ID_SMPTE_KLV,
    AVCodecID::AV_CODEC_ID_TIMED_ID3,
];

/// A container's name in libav.
pub(in crate::io::libav) fn name(container: &AVOutputFormat) -> &'static str {
    // SAFETY: a container's name is static.
    unsafe { CStr::from_ptr(container.name) }.to_str().unwrap_or("?")
}

/// Whether a container is of the QuickTime family.
pub(in crate::io::libav) fn is_quicktime(container: &str) -> bool {
    QUICKTIME.contains(&container)
}

/// Whether a container is Matroska, or its subset for the web.
pub(in crate::io::libav) fn is_matroska(container: &str) -> bool {
    matches!(container, "matroska" | "webm")
}

/// Whether a container has no times: its frames follow each other.
pub(in crate::io::libav) fn is_untimed(container: &AVOutputFormat) -> bool {
    name(container) == "yuv4mpegpipe" || container.flags & ffi::AVFMT_NOTIMESTAMPS != 0
}

/// Whether a container holds one video stream and nothing else.
pub(in crate::io::libav) fn is_video_alone(container: &AVOutputFormat) -> bool {
    container.audio_codec == AVCodecID::AV_CODEC_ID_NONE
}

/// Whether a reader finds the codec in the container again, as far as is known before a header is written.
pub(in crate::io::libav) fn holds_codec(container: &'static AVOutputFormat, codec: AVCodecID) -> bool {
    if name(container) == "mpegts" {
        return IN_TRANSPORT_STREAMS.contains(&codec);
    }
    // SAFETY: the container and its tables are static. Less than 0 is "not known". Matroska holds whatever has a tag
    // in older containers, though it does not say so.
    unsafe {
        let mut tag = 0;
        ffi::avformat_query_codec(container, codec, ffi::FF_COMPLIANCE_NORMAL) != 0
            || name(container) == "matroska" && ffi::av_codec_get_tag2(container.codec_tag, codec, &mut tag) != 0
    }
}

/// Whether the container takes raw frames of a pixel format.
pub(in crate::io::libav) fn takes_raw(
    container: &'static AVOutputFormat,
    codec: AVCodecID,
    pixel: AVPixelFormat,
) -> bool {
    let attempt = || -> Result<()> {
        let mut context = Context::new(container)?;
        let stream = context.stream()?;
        // SAFETY: the stream and its parameters are the context's, which is ours.
        unsafe {
            let parameters = (*stream).codecpar;
            (*parameters).codec_type = AVMediaType::AVMEDIA_TYPE_VIDEO;
            (*parameters).codec_id = codec;
            (*parameters).codec_tag = ffi::avcodec_pix_fmt_to_codec_tag(pixel);
            (*parameters).format = pixel as c_int;
            ((*parameters).width, (*parameters).height) = (16, 16);
            (*stream).time_base = rational(Rational::new(1, 25));
        }
        context.open_scratch()?;
        context.write_header(name(container))
    };
    attempt().is_ok()
}
