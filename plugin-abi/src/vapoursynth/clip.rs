//! What a clip is: VapourSynth's description and the chain's.

use super::ffi::{self, VideoFormat, VideoInfo};
use super::host::{Host, format_name};
use crate::script::clip::Clip;
use std::ffi::c_int;
use vramp::error::{Error, Result};
use vramp::video::{Format, Model, Rational, StreamInfo};

/// The clip that VapourSynth describes as `info`.
///
/// # Errors
/// For clips that are not filtered.
pub fn read(api: Host, info: &VideoInfo) -> Result<Clip> {
    let VideoInfo { format, width, height, .. } = *info;
    if format.color_family == ffi::UNDEFINED || width <= 0 || height <= 0 {
        return Err(Error::unsupported("clips whose format or size varies are not filtered"));
    }
    let refuse = |error: Error| error.context(format!("{} is not filtered", format_name(api, &format)));
    let rate = frame_rate(info);
    let bare = StreamInfo::bare(chain_format(&format).map_err(refuse)?, width as usize, height as usize);
    let info = StreamInfo {
        timebase: if rate.value().is_some() { Rational::new(rate.den, rate.num) } else { bare.timebase },
        frame_rate: rate,
        frame_count: u64::try_from(info.num_frames).ok(),
        ..bare
    };
    Ok(Clip { info, float: format.sample_type == ffi::FLOAT })
}

/// VapourSynth's description of a clip's frames.
///
/// # Errors
/// When VapourSynth has no such format.
pub fn host_format(clip: &Clip, api: Host, core: *mut ffi::Core) -> Result<VideoFormat> {
    let format = clip.info.format;
    let family = match format.model() {
        Model::Gray => ffi::GRAY,
        Model::Yuv => ffi::YUV,
        Model::Rgb => ffi::RGB,
    };
    let (sample, bits) = if clip.float { (ffi::FLOAT, 32) } else { (ffi::INTEGER, format.bit_depth().into()) };
    let (w, h) = (format.subsampling_w().into(), format.subsampling_h().into());
    let mut found = VideoFormat::default();
    // SAFETY: the core lives, and `found` is there to be written.
    let known = unsafe { (api.query_video_format)(&mut found, family, sample, bits, w, h, core) } != 0;
    let missing = || Error::unsupported(format!("the result would be {format}, which VapourSynth does not have"));
    if known { Ok(found) } else { Err(missing()) }
}

/// The format that samples of `format` are filtered in.
fn chain_format(format: &VideoFormat) -> Result<Format> {
    let bits = match (format.sample_type, format.bits_per_sample) {
        (ffi::FLOAT, 32) => 16,
        (ffi::FLOAT, _) => return Err(Error::unsupported("convert it to 32-bit float or to 16-bit integers first")),
        (ffi::INTEGER, bits @ 8..=16) => bits as u8,
        _ => return Err(Error::unsupported("convert it to 16 bits first")),
    };
    match format.color_family {
        ffi::GRAY => Format::gray(bits),
        ffi::RGB => Format::rgb(bits),
        ffi::YUV => Format::yuv(subsampling(format.sub_sampling_w), subsampling(format.sub_sampling_h), bits),
        _ => Err(Error::unsupported("convert it to YUV, RGB or Gray first")),
    }
}

/// VapourSynth's is at most 4.
fn subsampling(log2: c_int) -> u8 {
    u8::try_from(log2).unwrap_or(u8::MAX)
}

/// Frames a second; zero when VapourSynth does not know, or nobody else could.
fn frame_rate(info: &VideoInfo) -> Rational {
    match (i32::try_from(info.fps_num), i32::try_from(info.fps_den)) {
        (Ok(num), Ok(den)) => Rational::new(num, den),
        _ => Rational::new(0, 0),
    }
}
