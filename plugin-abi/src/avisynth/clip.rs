//! What a clip is: AviSynth's description and the chain's.

use super::ffi::{VideoInfo, pixel, plane};
use crate::script::clip::Clip;
use std::ffi::c_int;
use vramp::error::{Error, Result};
use vramp::video::{Format, Model, Rational, StreamInfo};

/// The clip that AviSynth describes as `info`.
///
/// # Errors
/// For clips that are not filtered, with the script's function that converts them.
pub fn read(info: &VideoInfo) -> Result<Clip> {
    let (Ok(width), Ok(height)) = (usize::try_from(info.width), usize::try_from(info.height)) else {
        return Err(Error::bad_argument("the clip has a negative size"));
    };
    if width == 0 || height == 0 {
        return Err(Error::unsupported("the clip has no video"));
    }
    let rate = match (i32::try_from(info.fps_numerator), i32::try_from(info.fps_denominator)) {
        (Ok(num), Ok(den)) => Rational::new(num, den),
        _ => Rational::new(0, 0),
    };
    let bare = StreamInfo::bare(format(info.pixel_type)?, width, height);
    let info = StreamInfo {
        timebase: if rate.value().is_some() { Rational::new(rate.den, rate.num) } else { bare.timebase },
        frame_rate: rate,
        frame_count: u64::try_from(info.num_frames).ok(),
        ..bare
    };
    Ok(Clip { info, float: false })
}

/// The chain's format for a pixel type.
fn format(pixel_type: c_int) -> Result<Format> {
    let has = |bits: c_int| pixel_type & bits == bits;
    let instead =
        |what: &str| Err(Error::unsupported(format!("{what} first: planar clips of 8 to 16 bits are filtered")));
    if !has(pixel::PLANAR) {
        return instead(match (has(pixel::BGR), pixel_type >> pixel::DEPTH_SHIFT & 7) {
            (false, _) => "ConvertToYUV422() the clip",
            (true, 0) => "ConvertToPlanarRGB() the clip",
            (true, _) => "ConvertToPlanarRGB() the clip of 16 bits",
        });
    }
    if has(pixel::YUVA) || has(pixel::BGR) && !has(pixel::RGB_TYPE) {
        return instead("RemoveAlphaPlane()");
    }
    let depth = pixel_type >> pixel::DEPTH_SHIFT & 7;
    let Some((_, bits)) = pixel::DEPTHS.into_iter().find(|(code, _)| *code == depth) else {
        return instead("ConvertBits(16) the clip of floating point");
    };
    if has(pixel::BGR) {
        return Format::rgb(bits);
    }
    if has(pixel::INTERLEAVED) {
        return Format::gray(bits);
    }
    let log2 = |code: c_int| {
        let code = code & pixel::WIDTH_MASK;
        pixel::SUBSAMPLINGS.iter().position(|known| *known == code).map_or(u8::MAX, |log2| log2 as u8)
    };
    Format::yuv(log2(pixel_type), log2(pixel_type >> pixel::HEIGHT_SHIFT), bits)
}

/// AviSynth's pixel type for a chain's result; that of the source, `from`, where it is the same format.
///
/// # Errors
/// When AviSynth has no such format.
pub fn pixel_type(result: Format, from: c_int) -> Result<c_int> {
    if format(from) == Ok(result) {
        return Ok(from);
    }
    let bits = result.bit_depth();
    let depth = pixel::DEPTHS.into_iter().find(|(_, known)| *known == bits);
    let missing = || Error::unsupported(format!("the result would be {result}, which AviSynth does not have"));
    let (depth, _) = depth.ok_or_else(missing)?;
    let side = |log2: u8| pixel::SUBSAMPLINGS.get(usize::from(log2)).copied().ok_or_else(missing);
    let kind = match result.model() {
        Model::Gray => pixel::INTERLEAVED | pixel::YUV,
        Model::Rgb => pixel::BGR | pixel::RGB_TYPE,
        Model::Yuv => {
            let (width, height) = (side(result.subsampling_w())?, side(result.subsampling_h())?);
            pixel::YUV | pixel::V_FIRST | width | height << pixel::HEIGHT_SHIFT
        }
    };
    Ok(pixel::PLANAR | kind | depth << pixel::DEPTH_SHIFT)
}

/// AviSynth's planes, in the order of the components.
pub fn planes(format: Format) -> &'static [c_int] {
    match format.model() {
        Model::Gray => &plane::YUV[..1],
        Model::Yuv => &plane::YUV,
        Model::Rgb => &plane::RGB,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// AviSynth's own names and numbers.
    const KNOWN: [(&str, u32, &str); 12] = [
        ("YV12", 0xa000_0008, "yuv420p"),
        ("YV16", 0xa000_0308, "yuv422p"),
        ("YV24", 0xa000_030b, "yuv444p"),
        ("Y8", 0xe000_0000, "gray8"),
        ("YUV420P10", 0xa005_0008, "yuv420p10"),
        ("YUV422P12", 0xa006_0308, "yuv422p12"),
        ("YUV444P14", 0xa007_030b, "yuv444p14"),
        ("YUV444P16", 0xa001_030b, "yuv444p16"),
        ("Y16", 0xe001_0000, "gray16"),
        ("RGBP", 0x9000_0001, "gbrp"),
        ("RGBP10", 0x9005_0001, "gbrp10"),
        ("RGBP16", 0x9001_0001, "gbrp16"),
    ];

    #[test]
    fn formats_are_avisynths_and_back() {
        for (name, number, format_name) in KNOWN {
            let (number, known): (c_int, Format) = (number as c_int, format_name.parse().unwrap());
            assert_eq!(format(number), Ok(known), "{name}");
            assert_eq!(pixel_type(known, 0), Ok(number), "{name}");
        }
        // I420 stays, where nothing else is asked for.
        let i420 = 0xa000_0010u32 as c_int;
        assert_eq!(
            (format(i420), pixel_type("yuv420p".parse().unwrap(), i420)),
            (Ok("yuv420p".parse().unwrap()), Ok(i420))
        );
        assert!(pixel_type("yuv420p9".parse().unwrap(), i420).unwrap_err().message().contains("does not have"));
    }

    #[test]
    fn other_clips_are_refused_with_what_converts_them() {
        for (name, number, why) in [
            ("YUY2", 0x6000_0004u32, "ConvertToYUV422()"),
            ("RGB24", 0x5000_0001, "ConvertToPlanarRGB()"),
            ("RGB64", 0x5001_0002, "ConvertToPlanarRGB()"),
            ("RGBAP", 0x9000_0002, "RemoveAlphaPlane()"),
            ("YUVA420", 0x8800_0008, "RemoveAlphaPlane()"),
            ("YUV420PS", 0xa002_0008, "ConvertBits(16)"),
            ("YV411", 0xa000_0309, ""),
        ] {
            let info =
                VideoInfo { width: 64, height: 32, num_frames: 1, pixel_type: number as c_int, ..VideoInfo::default() };
            match read(&info) {
                Ok(clip) => assert_eq!((name, why), ("YV411", ""), "{}", clip.info.format),
                Err(error) => assert!(error.message().contains(why), "{name}: {error}"),
            }
        }
        assert!(read(&VideoInfo::default()).unwrap_err().message().contains("no video"));
    }
}
