//! libav's pixel formats and ours, matched by name.

use crate::error::Result;
use crate::io::libav::format::pack::Packing;
use crate::video::Format;
use ffmpeg::format::Pixel;
use ffmpeg_next as ffmpeg;

/// A libav pixel format that the chain reads as it lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NativeFormat {
    /// Ours.
    pub format: Format,
    /// True for libav's `yuvj` names, which say full range.
    pub full_range: bool,
}

/// Our format of the same layout, or `None`: packed RGB, alpha, palettes, other subsamplings, big-endian samples, packed YUV.
pub fn native(pixel: Pixel) -> Option<NativeFormat> {
    let name = pixel.descriptor()?.name();
    match name.strip_prefix("yuvj") {
        Some(rest) => format!("yuv{rest}").parse().ok().map(|format| NativeFormat { format, full_range: true }),
        None => name.parse().ok().map(|format| NativeFormat { format, full_range: false }),
    }
}

/// A format by FFmpeg's name. That of packed RGB (rgb24, bgra ...) means the same samples in planes: an encoder that takes
/// no planes gets them packed.
///
/// # Errors
/// When no format of ours holds the samples.
pub fn by_name(name: &str) -> Result<Format> {
    name.parse().or_else(|unknown| {
        let packing = name.parse().ok().and_then(Packing::of);
        packing.map(|packing| packing.format).ok_or(unknown)
    })
}

/// libav's format of the same layout, or `None` when this libav has none (YC48, odd depths, p012 before FFmpeg 6).
pub fn pixel(format: Format) -> Option<Pixel> {
    let pixel: Pixel = format.to_string().parse().ok()?;
    // libav also knows aliases; converting back is the proof.
    (native(pixel)?.format == format).then_some(pixel)
}

#[cfg(test)]
pub(in crate::io::libav) mod tests {
    use super::*;
    use ffmpeg::ffi::{av_pix_fmt_desc_get_id, av_pix_fmt_desc_next};
    use std::ptr;

    /// Every format this libav knows.
    pub(in crate::io::libav) fn all() -> Vec<Pixel> {
        let mut pixels = Vec::new();
        let mut descriptor = ptr::null();
        loop {
            // SAFETY: libav's own iteration: null starts it, null ends it.
            unsafe {
                descriptor = av_pix_fmt_desc_next(descriptor);
                if descriptor.is_null() {
                    return pixels;
                }
                pixels.push(av_pix_fmt_desc_get_id(descriptor).into());
            }
        }
    }

    fn name(pixel: Pixel) -> &'static str {
        pixel.descriptor().unwrap().name()
    }

    #[test]
    fn native_formats_are_these() {
        let mut expected: Vec<String> = ["gray", "nv12", "p010le", "p016le"].map(String::from).to_vec();
        expected.extend([9, 10, 12, 14, 16].map(|depth| format!("gray{depth}le")));
        for family in ["yuv420p", "yuv422p", "yuv444p"] {
            expected.push(family.to_owned());
            expected.push(family.replace("yuv", "yuvj"));
            expected.extend([9, 10, 12, 14, 16].map(|depth| format!("{family}{depth}le")));
        }
        expected.push("gbrp".to_owned());
        expected.extend([9, 10, 12, 14, 16].map(|depth| format!("gbrp{depth}le")));
        let optional = "p012le";
        let mut found: Vec<_> = all().into_iter().filter(|p| native(*p).is_some()).map(name).collect();
        found.retain(|name| *name != optional);
        expected.sort();
        found.sort();
        assert_eq!(found, expected);
    }

    #[test]
    fn packed_names_mean_their_samples() {
        for (name, format) in [("rgb24", "gbrp"), ("bgra", "gbrp"), ("rgb48le", "gbrp16"), ("yuv420p10", "yuv420p10")] {
            assert_eq!(by_name(name).unwrap().to_string(), format);
        }
        for name in ["pal8", "yuyv422", "rgb565le", "nonsense"] {
            assert!(by_name(name).unwrap_err().to_string().contains(name));
        }
    }

    #[test]
    fn a_native_format_lies_as_ours_does() {
        for pixel in all() {
            let Some(NativeFormat { format, .. }) = native(pixel) else { continue };
            let descriptor = pixel.descriptor().unwrap();
            // SAFETY: descriptors are static, and native formats have as many components as ours.
            let components = unsafe { (*descriptor.as_ptr()).comp };
            assert_eq!(usize::from(descriptor.nb_components()), format.components());
            for (i, theirs) in components.iter().enumerate().take(format.components()) {
                let (plane, offset, layout) = format.component_layout(i);
                let bytes = layout.sample.bytes();
                assert_eq!(theirs.plane as usize, plane, "{}", name(pixel));
                assert_eq!(theirs.offset as usize, offset * bytes, "{}", name(pixel));
                assert_eq!(theirs.step as usize, usize::from(layout.step) * bytes, "{}", name(pixel));
                assert_eq!(theirs.depth as u8, format.bit_depth(), "{}", name(pixel));
                // v16 = stored << shift; libav shifts to the low end.
                assert_eq!(16 - theirs.depth - theirs.shift, i32::from(layout.shift), "{}", name(pixel));
            }
            let log2 = (descriptor.log2_chroma_w(), descriptor.log2_chroma_h());
            assert_eq!(log2, (format.subsampling_w(), format.subsampling_h()), "{}", name(pixel));
        }
    }

    #[test]
    fn converting_back_is_the_same_format() {
        for format in ["gray8", "gray16", "yuv420p", "yuv444p14", "gbrp", "gbrp12", "nv12", "p010"] {
            let format: Format = format.parse().unwrap();
            assert_eq!(native(pixel(format).unwrap()), Some(NativeFormat { format, full_range: false }));
        }
        assert_eq!(pixel(Format::YC48), None);
        assert_eq!(pixel(Format::gray(11).unwrap()), None);
    }
}
